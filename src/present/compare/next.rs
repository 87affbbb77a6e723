//! What to do next: the best default config and the experiments, each with the evidence behind it.

use super::parts::{name, push};
use crate::compare::{BestConfig, Experiment, Recommendations, RunSummary};
use crate::content::{Block, Cell, Span, Table, spans};
use crate::format::redact;

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
        blocks.push(Block::List(points(experiment)));
    }
    blocks.extend(best_default(entries, &advice.best_config));
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

fn points(experiment: &Experiment) -> Vec<Vec<Span>> {
    let parts = [
        ("Evidence", &experiment.evidence),
        ("Hypothesis", &experiment.hypothesis),
        ("Watch", &experiment.watch),
        ("Stop rule", &experiment.stop),
        ("Expected", &experiment.expected),
        ("Risk", &experiment.risk),
    ];
    let mut points = Vec::new();
    for (label, text) in parts {
        if !text.is_empty() {
            let mut point = vec![Span::Strong(label.to_owned()), Span::Text(": ".to_owned())];
            point.extend(spans(&redact(text)));
            points.push(point);
        }
    }
    points
}

fn best_default(entries: &[&RunSummary], best: &BestConfig) -> Vec<Block> {
    let mut blocks = vec![Block::section("Best default config")];
    if !best.why_none.is_empty() {
        blocks.push(Block::text(&format!("None is suggested. {}", redact(&best.why_none))));
        let instead: Vec<Vec<Span>> = best.instead.iter().map(|text| spans(&redact(text))).collect();
        if !instead.is_empty() {
            blocks.push(Block::List(instead));
        }
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
            Cell::text(value.origin.words()),
            Cell::text(&redact(&value.why)),
        ]);
    }
    push(&mut blocks, table);
    blocks
}
