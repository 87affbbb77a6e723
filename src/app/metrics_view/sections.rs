//! Which metrics a search leaves of each section, and what is said of them.

use std::sync::Arc;

use rundown_format::{counted, plural};
use rundown_protocol::{MetricKind, MetricList, MetricRow};

/// Fewest and most metrics of a section that can be rows of a heat map.
const HEAT_ROWS: (usize, usize) = (3, 60);
/// Words in the names of sections whose metrics are the criteria of a rubric.
const RUBRICS: [&str; 3] = ["rubric", "criteri", "judge"];

/// A section with what a search leaves of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FoundSection {
    /// Its name.
    pub name: String,
    /// All its metrics.
    pub rows: Arc<Vec<MetricRow>>,
    /// Places of those that were found, ascending.
    pub found: Vec<usize>,
}

/// A chart of a section.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ChartKey {
    /// Metric key.
    pub key: String,
    /// True for histograms.
    pub is_histograms: bool,
    /// Its unit.
    pub unit: String,
}

impl FoundSection {
    /// The sections of a list. A metric that lies along x is left out: it would be drawn against itself.
    pub fn all(list: &MetricList, x: Option<&str>) -> Vec<Self> {
        let sections = list.sections.iter().map(|section| {
            let rows: Vec<MetricRow> =
                section.metrics.iter().filter(|row| Some(row.key.as_str()) != x).cloned().collect();
            let found = (0..rows.len()).collect();
            Self { name: section.name.clone(), rows: Arc::new(rows), found }
        });
        sections.filter(|section| !section.rows.is_empty()).collect()
    }

    /// The section with what is found in it.
    pub fn searched(&self, finds: impl Fn(&str) -> bool) -> Self {
        let indexes = self.rows.iter().enumerate().filter(|(_, row)| finds(&row.key)).map(|(index, _)| index);
        Self { found: indexes.collect(), ..self.clone() }
    }

    /// What was found and changes: it gets a chart.
    pub fn charts(&self) -> Vec<ChartKey> {
        let rows = self.found_rows().filter(|row| !row.constant);
        rows.map(ChartKey::of).collect()
    }

    /// What was found and never changes: a flat line says no more than its value.
    pub fn constants(&self) -> Vec<&MetricRow> {
        self.found_rows().filter(|row| row.constant).collect()
    }

    /// Keys that can be rows of a heat map; none where they are too few or too many.
    pub fn heat_rows(&self) -> Vec<String> {
        let rows = self.found_rows().filter(|row| row.kind == MetricKind::Numbers && !row.constant);
        let keys: Vec<String> = rows.map(|row| row.key.clone()).collect();
        if (HEAT_ROWS.0..=HEAT_ROWS.1).contains(&keys.len()) { keys } else { Vec::new() }
    }

    /// True for the criteria of a rubric, which are read best side by side.
    pub fn is_rubric(&self) -> bool {
        let name = self.name.to_ascii_lowercase();
        RUBRICS.iter().any(|word| name.contains(word))
    }

    /// How many metrics there are, and how many were found.
    pub fn words(&self) -> String {
        let all = counted(self.rows.len(), "metric");
        match self.found.len() {
            found if found == self.rows.len() => all,
            found => format!("{all}, {found} {}", plural(found, "matches", "match")),
        }
    }

    fn found_rows(&self) -> impl Iterator<Item = &MetricRow> {
        self.found.iter().filter_map(|index| self.rows.get(*index))
    }
}

impl ChartKey {
    /// The chart of a metric.
    pub fn of(row: &MetricRow) -> Self {
        let is_histograms = row.kind == MetricKind::Histograms;
        Self { key: row.key.clone(), is_histograms, unit: row.unit.clone() }
    }
}

/// How many metrics all sections have, and how many were found.
pub fn count(sections: &[FoundSection]) -> String {
    let all: usize = sections.iter().map(|section| section.rows.len()).sum();
    match sections.iter().map(|section| section.found.len()).sum() {
        0 => "No metric matches.".to_owned(),
        found if found == all => counted(all, "metric"),
        found => format!("{found} of {all} metrics"),
    }
}

/// The charts with these keys, in their order.
pub fn charts_of(sections: &[FoundSection], keys: &[String]) -> Vec<ChartKey> {
    let find = |key: &String| sections.iter().flat_map(FoundSection::found_rows).find(|row| row.key == *key);
    keys.iter().filter_map(find).map(ChartKey::of).collect()
}

/// The chart with this key, one of lines where no section has it, as for a link from another project: it says that there is
/// nothing. `None` without sections.
pub fn chart_of(sections: &[FoundSection], key: &str) -> Option<ChartKey> {
    let unknown = || ChartKey { key: key.to_owned(), is_histograms: false, unit: String::new() };
    let found = || charts_of(sections, &[key.to_owned()]).pop();
    (!sections.is_empty()).then(|| found().unwrap_or_else(unknown))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_protocol::MetricSection;

    fn row(key: &str, constant: bool) -> MetricRow {
        MetricRow { key: key.to_owned(), constant, ..MetricRow::default() }
    }

    fn list() -> MetricList {
        let train =
            vec![row("train/kl", false), row("train/lr", true), row("train/reward", false), row("train/x", false)];
        let histogram = MetricRow { kind: MetricKind::Histograms, ..row("rubrics/hist", false) };
        let sections = vec![
            MetricSection { name: "train".into(), metrics: train },
            MetricSection { name: "rubrics".into(), metrics: vec![histogram] },
        ];
        MetricList { sections, ..MetricList::default() }
    }

    #[test]
    fn a_search_leaves_some_and_says_how_many() {
        let all = FoundSection::all(&list(), None);
        assert_eq!((count(&all).as_str(), all[0].words().as_str()), ("5 metrics", "4 metrics"));
        let found: Vec<FoundSection> =
            all.iter().map(|section| section.searched(|key| key.contains("/r") || key.contains("/l"))).collect();
        assert_eq!((count(&found).as_str(), found[0].words().as_str()), ("2 of 5 metrics", "4 metrics, 2 match"));
        assert_eq!(found[0].charts().iter().map(|chart| chart.key.as_str()).collect::<Vec<_>>(), ["train/reward"]);
        assert_eq!(found[0].constants()[0].key, "train/lr");
        let one = all[0].searched(|key| key.ends_with("kl"));
        assert_eq!(one.words(), "4 metrics, 1 matches");
        assert_eq!(count(&[all[0].searched(|_| false)]), "No metric matches.");
        assert_eq!(all[0].clone(), all[0], "equal though a value is not a number");
    }

    #[test]
    fn a_metric_is_never_drawn_against_itself() {
        let all = FoundSection::all(&list(), Some("train/kl"));
        assert!(all[0].rows.iter().all(|row| row.key != "train/kl"));
        assert_eq!(FoundSection::all(&list(), Some("rubrics/hist")).len(), 1, "a section without a metric is left out");
    }

    #[test]
    fn metrics_that_change_can_be_rows_of_a_heat_map() {
        let all = FoundSection::all(&list(), None);
        assert_eq!(all[0].heat_rows(), ["train/kl", "train/reward", "train/x"]);
        assert!(all[1].heat_rows().is_empty());
        assert_eq!((all[0].is_rubric(), all[1].is_rubric()), (false, true));
        assert!(all[1].charts()[0].is_histograms);
    }

    #[test]
    fn pinned_charts_keep_the_order_of_their_pins() {
        let all = FoundSection::all(&list(), None);
        let pinned = charts_of(&all, &["train/reward".into(), "gone".into(), "train/kl".into()]);
        assert_eq!(pinned.iter().map(|chart| chart.key.as_str()).collect::<Vec<_>>(), ["train/reward", "train/kl"]);
    }

    #[test]
    fn the_kind_of_a_chart_is_known_once_the_metrics_are_listed() {
        let is_histograms = |sections: &[FoundSection], key| chart_of(sections, key).map(|chart| chart.is_histograms);
        let all = FoundSection::all(&list(), None);
        assert_eq!(is_histograms(&[], "rubrics/hist"), None);
        assert_eq!(is_histograms(&all, "rubrics/hist"), Some(true));
        assert_eq!(is_histograms(&all, "of another project"), Some(false));
    }
}
