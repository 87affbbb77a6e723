//! The Pareto front: which runs are worth their cost.

use super::parts::{Sentence, WIDTH, measured, name, push, run};
use super::{Selection, costs};
use crate::compare::{Entry, Weighed, pareto};
use crate::diagnose::Verdict;
use crate::document::{Block, Cell, Table, Tone};
use crate::plot::figure::{Point, Scale, ScatterChart};
use crate::report::numbers::number;

/// Quality against cost; nothing where the runs differ in no known cost.
pub fn front(entries: &[&Entry], selection: &Selection) -> Vec<Block> {
    let (Some(metric), Some(cost)) = (&selection.metric, &selection.cost) else { return Vec::new() };
    let runs = pareto(entries, metric, cost);
    if runs.len() < 2 {
        return Vec::new();
    }
    let known = costs(entries).into_iter().find(|(_, known)| known == cost);
    let cost_name = known.map_or("Cost", |(name, _)| name);
    let on_front: Vec<&Weighed> = runs.iter().filter(|run| run.is_on_front()).collect();
    let mut sentence = Sentence::default().text(format!(
        "{} of {} runs are on the front: no other has as good a ",
        on_front.len(),
        runs.len()
    ));
    sentence = sentence.key(&metric.key).text(format!(" for as little ({}).", cost_name.to_lowercase()));
    let mut table = Table::new("", &["Run", "Verdict", &format!("#{cost_name}"), &format!("#`{}`", metric.key)]);
    for weighed in &on_front {
        let Some(entry) = entries.get(weighed.index) else { continue };
        let half = (weighed.interval.1 - weighed.interval.0) / 2.0;
        table.rows.push(vec![
            run(entry),
            Cell::text(entry.verdict.as_str()),
            Cell::number(number(weighed.cost), weighed.cost),
            measured(weighed.quality, half),
        ]);
    }
    let names: Vec<String> =
        runs.iter().map(|run| entries.get(run.index).map(|entry| name(entry)).unwrap_or_default()).collect();
    let costs: Vec<f64> = runs.iter().map(|run| run.cost).collect();
    let chart = ScatterChart {
        title: &format!("`{}` against {}", metric.key, cost_name.to_lowercase()),
        x: Scale::fitting(cost_name, &costs),
        y: Scale::linear(metric.key.as_str()),
        points: runs.iter().zip(&names).map(|(weighed, name)| point(entries, weighed, name)).collect(),
        front: on_front.iter().map(|run| (run.cost, run.quality)).collect(),
        curve: Vec::new(),
    };
    let mut blocks = vec![Block::section("Quality against cost"), sentence.block()];
    blocks.push(Block::Figure(chart.draw(WIDTH)));
    push(&mut blocks, table);
    blocks
}

fn point<'a>(entries: &[&Entry], weighed: &Weighed, name: &'a str) -> Point<'a> {
    let tone = match entries.get(weighed.index).map(|entry| entry.verdict) {
        Some(Verdict::Good) => Tone::Good,
        Some(Verdict::Bad) => Tone::Bad,
        Some(Verdict::Ugly) => Tone::Ugly,
        _ => Tone::Muted,
    };
    let interval = (weighed.interval.0 < weighed.interval.1).then_some(weighed.interval);
    let is_named = weighed.is_on_front();
    Point { y_interval: interval, tone, is_named, ..Point::new(name, weighed.cost, weighed.quality) }
}
