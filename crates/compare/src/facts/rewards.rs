//! The rewards of a run beyond their curves: scores at the end with their spread, distributions over the
//! steps, and the table of a rubric.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::nullable;
use rundown_run::{Histogram, LoggedCell, LoggedTable, Run};

/// Most scores, criteria, metrics with histograms, and histograms of one metric that are kept.
const SCORES: usize = 64;
const CRITERIA: usize = 64;
const DISTRIBUTIONS: usize = 8;
const HISTOGRAMS: usize = 32;
/// Shares of the weight below the lines of a distribution.
const SHARES: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

/// Rewards of a run beyond their curves.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RewardSummary {
    /// `final/{name}_*`, by name.
    pub finals: Vec<FinalScore>,
    /// Histograms over the steps, by key.
    pub distributions: Vec<DistributionOverSteps>,
    /// The last logged table `rubric_criteria_summary`.
    pub criteria: Vec<CriterionSummary>,
}

/// A score at the end of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FinalScore {
    /// Name of the reward function.
    pub name: String,
    /// Mean score.
    #[serde(deserialize_with = "nullable::read")]
    pub mean: f64,
    /// Standard deviation of the single scores.
    pub std: Option<f64>,
    /// Smallest score.
    pub min: Option<f64>,
    /// Largest score.
    pub max: Option<f64>,
    /// Number of scores.
    pub samples: Option<f64>,
}

/// How the values of a metric were spread, over the steps.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DistributionOverSteps {
    /// Metric key.
    pub key: String,
    /// Steps of the histograms, ascending, at most 32.
    #[serde(deserialize_with = "nullable::read")]
    pub steps: Vec<f64>,
    /// At each step the values below which 5, 25, 50, 75 and 95 % of the weight lies.
    #[serde(deserialize_with = "nullable::read")]
    pub quantiles: Vec<[f64; 5]>,
}

/// A row of the table of a rubric.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CriterionSummary {
    /// Full path of the criterion.
    pub criterion: String,
    /// Mean score.
    #[serde(deserialize_with = "nullable::read")]
    pub mean: f64,
    /// Standard deviation.
    pub std: Option<f64>,
    /// Smallest score.
    pub min: Option<f64>,
    /// Largest score.
    pub max: Option<f64>,
    /// Number of scores.
    pub samples: Option<f64>,
}

impl FinalScore {
    /// Standard error of the mean, where spread and number are known.
    pub fn error(&self) -> Option<f64> {
        error(self.std, self.samples)
    }
}

impl CriterionSummary {
    /// Standard error of the mean, where spread and number are known.
    pub fn error(&self) -> Option<f64> {
        error(self.std, self.samples)
    }
}

fn error(std: Option<f64>, samples: Option<f64>) -> Option<f64> {
    let (std, samples) = (std?, samples?);
    (std >= 0.0 && samples >= 1.0).then(|| std / samples.sqrt())
}

impl RewardSummary {
    /// The rewards of a run with these last values; `None` where none of them is logged.
    pub fn of(run: &Run, last: &BTreeMap<String, f64>) -> Option<Self> {
        let found = Self { finals: finals(last), distributions: distributions(run), criteria: criteria(run) };
        let is_there = !(found.finals.is_empty() && found.distributions.is_empty() && found.criteria.is_empty());
        is_there.then_some(found)
    }
}

fn finals(last: &BTreeMap<String, f64>) -> Vec<FinalScore> {
    let names = last.iter().filter_map(|(key, mean)| Some((key.strip_prefix("final/")?.strip_suffix("_mean")?, *mean)));
    let scores = names.take(SCORES).map(|(name, mean)| {
        let of = |part: &str| last.get(&format!("final/{name}_{part}")).copied();
        FinalScore {
            name: name.to_owned(),
            mean,
            std: of("std"),
            min: of("min"),
            max: of("max"),
            samples: of("total_samples"),
        }
    });
    scores.collect()
}

fn distributions(run: &Run) -> Vec<DistributionOverSteps> {
    let of = |(key, histograms): (&String, &Vec<Histogram>)| {
        // Every so many, the last one included.
        let stride = histograms.len().div_ceil(HISTOGRAMS).max(1);
        let kept = histograms.iter().rev().step_by(stride).collect::<Vec<_>>().into_iter().rev();
        let points: Vec<(f64, [f64; 5])> = kept
            .filter_map(|histogram| {
                let step = run.axis.steps.get(histogram.row as usize).copied()?;
                Some((step, histogram.quantiles(SHARES)?))
            })
            .collect();
        let (steps, quantiles) = points.into_iter().unzip();
        DistributionOverSteps { key: key.clone(), steps, quantiles }
    };
    let is_reward = |(key, _): &(&String, &Vec<Histogram>)| key.contains("reward") || key.contains("score");
    let wanted = run.histograms.iter().filter(is_reward).take(DISTRIBUTIONS);
    wanted.map(of).filter(|distribution| !distribution.steps.is_empty()).collect()
}

fn criteria(run: &Run) -> Vec<CriterionSummary> {
    let tables = run.tables.iter().rev().filter(|file| file.key.ends_with("rubric_criteria_summary"));
    tables.filter_map(|file| file.content.as_ref()).map(rows).find(|rows| !rows.is_empty()).unwrap_or_default()
}

fn rows(table: &LoggedTable) -> Vec<CriterionSummary> {
    let column = |name: &str| table.columns.iter().position(|column| column.eq_ignore_ascii_case(name));
    let (Some(criterion), Some(mean)) = (column("criterion"), column("mean")) else { return Vec::new() };
    let others = [column("std"), column("min"), column("max"), column("samples")];
    let rows = table.rows.iter().take(CRITERIA).filter_map(|row| {
        let number = |place: Option<usize>| match row.get(place?) {
            Some(LoggedCell::Number(value)) if value.is_finite() => Some(*value),
            _ => None,
        };
        let Some(LoggedCell::Text(name)) = row.get(criterion) else { return None };
        let [std, min, max, samples] = others.map(number);
        Some(CriterionSummary { criterion: name.clone(), mean: number(Some(mean))?, std, min, max, samples })
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::TableFile;

    #[test]
    fn histograms_are_thinned_and_the_last_one_stays() {
        let mut run = Run::default();
        for step in 0..100_u32 {
            let row = run.push_row(f64::from(step), f64::NAN);
            let edges = vec![f64::from(step), f64::from(step) + 1.0];
            run.histograms.entry("rewards/a_hist".to_owned()).or_default().push(Histogram {
                row,
                edges,
                counts: vec![1.0],
            });
        }
        run.choose_axis();
        let found = RewardSummary::of(&run, &BTreeMap::new()).unwrap();
        let steps = &found.distributions[0].steps;
        assert!(steps.len() <= HISTOGRAMS && steps.last() == Some(&99.0) && steps.is_sorted(), "{steps:?}");
    }

    #[test]
    fn final_scores_and_the_table_of_a_rubric() {
        let numbers = [("mean", 2.0), ("std", 0.5), ("min", 0.0), ("max", 3.0), ("total_samples", 100.0)];
        let mut last: BTreeMap<String, f64> =
            numbers.iter().map(|(part, value)| (format!("final/answer_{part}"), *value)).collect();
        last.insert("final/loss".to_owned(), 1.0);
        let columns = ["criterion", "mean", "std", "min", "max", "samples"].map(str::to_owned).to_vec();
        let row = vec![
            LoggedCell::Text("rubric/a".to_owned()),
            LoggedCell::Number(0.5),
            LoggedCell::Null,
            LoggedCell::Number(0.1),
        ];
        let content = LoggedTable { columns, rows: vec![row, vec![LoggedCell::Null]], dropped: 0 };
        let key = "rubric_criteria_summary".to_owned();
        let file = TableFile { key, row: 0, path: String::new(), rows: None, content: Some(content) };
        let found = RewardSummary::of(&Run { tables: vec![file], ..Run::default() }, &last).unwrap();
        assert_eq!(found.finals.len(), 1);
        assert_eq!((found.finals[0].mean, found.finals[0].error()), (2.0, Some(0.05)));
        assert_eq!(found.criteria.len(), 1);
        assert_eq!((found.criteria[0].min, found.criteria[0].std), (Some(0.1), None));
        assert_eq!(RewardSummary::of(&Run::default(), &BTreeMap::new()), None);
    }
}
