//! What to do next: the best default config and the experiments, each with the evidence behind it.

use super::best_config_words::{no_config_words, origin_words, value_reason};
use super::experiment_words::experiment_words;
use super::parts::{name, push};
use crate::compare::{BestConfig, EffectAnalysis, Experiment, Recommendations, RunSummary};
use crate::content::{Block, Cell, Span, Table};
use crate::format::{redact, rich};

/// The next experiments and the best default config.
pub fn next(entries: &[&RunSummary], advice: &Recommendations) -> Vec<Block> {
    let mut blocks = vec![Block::section("Next experiments")];
    if advice.experiments.is_empty() {
        blocks.push(Block::text("Nothing in these runs says what to try next."));
    } else {
        blocks.push(Block::text("One change at a time, the most telling first; the rest stays as in the best run."));
    }
    for (place, experiment) in advice.experiments.iter().enumerate() {
        blocks.push(Block::part(title(place + 1, experiment)));
        blocks.push(Block::List(points(experiment, &advice.analysis)));
    }
    blocks.extend(best_default(entries, &advice.best_config, &advice.analysis.target));
    blocks
}

fn title(place: usize, experiment: &Experiment) -> String {
    let to = experiment.to.join(", ");
    let change =
        if experiment.change.contains(' ') { experiment.change.clone() } else { format!("`{}`", experiment.change) };
    let text = match (experiment.from.is_empty(), to.is_empty()) {
        (false, false) => format!("{place}. {change}: {} → {to}", experiment.from),
        (true, false) => format!("{place}. {change}: {to}"),
        _ => format!("{place}. {change}"),
    };
    redact(&text).into_owned()
}

fn points(experiment: &Experiment, analysis: &EffectAnalysis) -> Vec<Vec<Span>> {
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

fn best_default(entries: &[&RunSummary], best: &BestConfig, target: &str) -> Vec<Block> {
    let mut blocks = vec![Block::section("Best default config")];
    if let Some(reason) = best.none {
        let (why, first) = no_config_words(reason, target);
        blocks.push(Block::Text(rich!("None is suggested. {}", why.redacted()).into()));
        blocks.push(Block::List(first.iter().map(|text| text.redacted().into()).collect()));
        return blocks;
    }
    let run = best.run.and_then(|run| entries.get(run));
    blocks.push(match run {
        Some(entry) => Block::Text(vec![
            Span::Text("The best values of what was varied; ".to_owned()),
            Span::Run(entry.number, name(entry)),
            Span::Text(" has all of them.".to_owned()),
        ]),
        None => Block::text("The best values of what was varied; no run has all of them together: try that first."),
    });
    let mut table = Table::new("", &["Setting", "Value", "Where it is from", "Why"]);
    for value in &best.values {
        table.rows.push(vec![
            Cell::key(value.key.as_str()),
            Cell::text(&redact(&value.value)),
            Cell::text(origin_words(&value.origin)),
            Cell { text: value_reason(value).redacted().into(), value: None },
        ]);
    }
    push(&mut blocks, table);
    blocks
}
