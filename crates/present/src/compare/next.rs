//! What to do next: the best default config and the experiments, each with the evidence behind it.

use super::best_config_words::{no_config_words, origin_words, value_reason};
use super::experiment_words::experiment_words;
use super::parts::{ADD_CONFIG, NO_SETTINGS, name, push};
use crate::finding::setting_name;
use rundown_compare::{BestConfig, EffectAnalysis, Experiment, Metric, Recommendations, RunSummary, differing_part};
use rundown_content::ColumnName::Words;
use rundown_content::{Block, Cell, Span, Table};
use rundown_format::{RichText, counted, redact_setting, rich};

/// What stands in place of experiments.
pub(super) const NO_EXPERIMENTS: &str = "No experiment follows from these runs.";
/// Fewer experiments than this need a reason.
const USUAL_EXPERIMENTS: usize = 3;

/// The next experiments and the best default config.
pub fn next(summaries: &[&RunSummary], advice: &Recommendations) -> Vec<Block> {
    let mut blocks = vec![Block::section("Next experiments")];
    if advice.experiments.is_empty() {
        blocks.push(Block::text(NO_EXPERIMENTS));
    } else if advice.experiments.len() > 1 {
        blocks.push(Block::Text(match advice.best_config.best_run.and_then(|run| summaries.get(run)) {
            Some(best) => built_on(summaries, best, &advice.analysis.target),
            None => vec![Span::from("One change at a time, the most informative first.")],
        }));
    }
    if advice.experiments.len() < USUAL_EXPERIMENTS {
        blocks.push(Block::text(why_few(summaries, advice.experiments.is_empty())));
    }
    for (place, experiment) in advice.experiments.iter().enumerate() {
        blocks.push(Block::part(title(place + 1, experiment)));
        blocks.push(Block::List(points(experiment, &advice.analysis)));
    }
    blocks.extend(best_default(summaries, &advice.best_config, &advice.analysis.target));
    blocks
}

/// The order of the experiments, and the run from which the other settings come: by rewards of different parts it is no winner.
fn built_on(summaries: &[&RunSummary], best: &RunSummary, target: &str) -> Vec<Span> {
    let lacks_config = |summary: &RunSummary| summary.config.is_empty();
    let is_unfit = |summary: &RunSummary| lacks_config(summary) || summary.has_no_result();
    let also = if !is_unfit(best) && summaries.iter().copied().any(is_unfit) {
        "; runs without a known config or with too few points were not considered"
    } else if !lacks_config(best) && summaries.iter().copied().any(lacks_config) {
        "; runs without a known config were not considered"
    } else {
        ""
    };
    let mut spans = vec![
        Span::from("One change at a time, the most informative first; the rest stays as in "),
        Span::Run(best.number, name(best)),
        Span::from(format!(", the run with the best outcome that is not ugly{also}.")),
    ];
    if differing_part(summaries, &Metric::chosen(summaries, target, None)).is_some() {
        spans.push(Span::from(" The rewards of the runs have different parts: this run is a start, not a winner."));
    }
    if best.is_just_begun() {
        let points = counted(best.points, "step");
        spans.push(Span::from(format!(" It logged {points}: run this config for longer before settings are changed.")));
    }
    spans
}

/// Why so few experiments follow, or none.
fn why_few(summaries: &[&RunSummary], is_none: bool) -> String {
    if summaries.iter().all(|summary| summary.config.is_empty()) {
        let few = if is_none { "" } else { "These are fewer than three. " };
        return format!("{few}{NO_SETTINGS}. {ADD_CONFIG}");
    }
    let first = if is_none { "No setting" } else { "These are fewer than three: no other setting" };
    format!(
        "{first} has a significant effect with three runs of each value, and of the settings that are usually tried first none \
         is left to propose. Repeat the best run with other seeds, or vary a setting that all runs share."
    )
}

fn title(place: usize, experiment: &Experiment) -> RichText {
    rich!("{}. {}", place, change(experiment))
}

/// What an experiment changes, from what to what.
pub(super) fn change(experiment: &Experiment) -> RichText {
    let value = |text: &String| redact_setting(experiment.change.as_str(), text);
    let to = experiment.to.iter().map(value).collect::<Vec<_>>().join(", ");
    let change = setting_name(&experiment.change);
    match (experiment.from.is_empty(), to.is_empty()) {
        (false, false) => rich!("{}: {} → {}", change, value(&experiment.from), to),
        (true, false) => rich!("{}: {}", change, to),
        _ => change,
    }
}

pub(super) fn points(experiment: &Experiment, analysis: &EffectAnalysis) -> Vec<Vec<Span>> {
    let words = experiment_words(experiment, analysis);
    let parts = [
        ("Evidence", words.evidence),
        ("Hypothesis", words.hypothesis),
        ("Watch", words.watch),
        ("Stop rule", words.stop),
        ("Expected gain", words.expected),
        ("Risk", words.risk),
    ];
    let parts = parts.into_iter().filter(|(_, text)| !text.is_empty());
    parts
        .map(|(label, text)| {
            let mut point = vec![Span::Strong(label.to_owned()), Span::from(": ")];
            point.extend(Vec::<Span>::from(text.redacted()));
            point
        })
        .collect()
}

/// The suggested default under its heading, or why there is none.
pub(super) fn best_default(summaries: &[&RunSummary], best: &BestConfig, target: &str) -> Vec<Block> {
    let mut blocks = vec![Block::section("Best default config")];
    if let Some(reason) = best.none {
        let (why, first) = no_config_words(reason, target);
        blocks.push(Block::Text(rich!("None is suggested. {}", why.redacted()).into()));
        blocks.push(Block::List(first.iter().map(|text| text.redacted().into()).collect()));
        return blocks;
    }
    let run = best.run.and_then(|run| summaries.get(run));
    blocks.push(match run {
        Some(summary) => Block::Text(vec![
            Span::Text("The best value of each varied setting; ".to_owned()),
            Span::Run(summary.number, name(summary)),
            Span::Text(" has all of them.".to_owned()),
        ]),
        None => Block::text("The best value of each varied setting; no run has all of them: try that first."),
    });
    let mut table = Table::new("", &[Words("Setting"), Words("Value"), Words("Source"), Words("Why")]);
    for value in &best.values {
        table.rows.push(vec![
            Cell::key(value.key.as_str()),
            Cell::text(&*redact_setting(&value.key, &value.value)),
            Cell::text(origin_words(&value.origin)),
            Cell { text: value_reason(value).redacted().into(), value: None },
        ]);
    }
    push(&mut blocks, table);
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_compare::testing::TestRun;
    use rundown_compare::{Target, advise};
    use rundown_run::{Config, ConfigValue};
    use rundown_vocabulary::{Concept, Direction};

    #[test]
    fn the_run_to_build_on_is_said_to_be_chosen_or_short() {
        let run_of = |name: &str, points: usize, part: &str| {
            let mut run = TestRun::new(name).evaluation("eval/accuracy", &vec![0.5; points]);
            run.diagnosis.points = points;
            run = run.reward("reward", &vec![0.5; points]).metric(Concept::RewardComponent, part, &vec![0.5; points]);
            run.run.config.insert("learning_rate", ConfigValue::Number(1e-6));
            RunSummary::of(0, run.diagnosed())
        };
        let run = |name: &str, points: usize| run_of(name, points, "rewards/right");
        let said = |summaries: &[&RunSummary]| {
            let best = summaries.last().unwrap();
            built_on(summaries, best, "reward").iter().map(Span::plain).collect::<String>()
        };
        let (short, long) = (run("short", 2), run("long", 12));
        assert!(said(&[&long]).ends_with("in long, the run with the best outcome that is not ugly."));
        let chosen = said(&[&short, &long]);
        assert!(
            chosen.ends_with("not ugly; runs without a known config or with too few points were not considered."),
            "{chosen}"
        );
        let only = said(&[&short]);
        assert!(only.contains("It logged 2 steps: run this config for longer"), "{only}");
        let unknown = RunSummary { config: Config::default(), ..short.clone() };
        let known = said(&[&unknown, &short]);
        assert!(known.contains("not ugly; runs without a known config were not considered."), "{known}");
        let other = said(&[&run_of("other", 12, "rewards/format"), &long]);
        assert!(
            other.ends_with(
                "not ugly. The rewards of the runs have different parts: this run is a start, not a winner."
            ),
            "{other}"
        );
    }

    #[test]
    fn fewer_experiments_than_three_are_given_a_reason() {
        let shown = |runs: &[TestRun]| {
            let made: Vec<RunSummary> = runs.iter().map(|run| RunSummary::of(0, run.diagnosed())).collect();
            let all: Vec<&RunSummary> = made.iter().collect();
            let values: Vec<Option<f64>> = made.iter().map(|summary| Some(summary.traces[0].tail)).collect();
            let target = Target { key: "eval/accuracy", direction: Direction::Up, values: &values };
            rundown_content::markdown(&next(&all, &advise(&all, &target)))
        };
        // Logs without a config: which settings were varied is not known.
        let logs = ["a", "b"].map(|name| TestRun::new(name).evaluation("eval/accuracy", &[0.5; 12]));
        let none = shown(&logs);
        assert!(none.contains("No settings are known") && !none.contains("varied already"), "{none}");
        assert!(none.contains("No experiment follows") && !none.contains("fewer than three"), "{none}");
        let rewards = ["a", "b"].map(|name| TestRun::new(name).reward("reward", &[0.5; 12]));
        let one = shown(&rewards);
        assert!(one.contains("These are fewer than three. No settings are known"), "{one}");
        let mut of_games = logs;
        for run in &mut of_games {
            run.diagnosis.acts_in_environment = true;
            run.run.config.insert("gamma", ConfigValue::Number(0.99));
        }
        let few = shown(&of_games);
        assert!(few.contains("These are fewer than three: no other setting has a significant effect"), "{few}");
    }
}
