//! The Pareto front: which runs are worth their cost.

use super::parts::{different_parts, key_span, named_runs, push, run};
use super::{NamedCost, Selection};
use rundown_compare::{CostMeasure, MIN_ROWS_ON_FRONT, ParetoPoint, RunSummary, differing_part, longer_side, pareto};
use rundown_content::ColumnName::Words;
use rundown_content::{Block, Cell, Table, TableColumn, Tone};
use rundown_diagnose::Verdict;
use rundown_format::rich_text::metric as metric_key;
use rundown_format::{RichText, counted, duration, hundredths, number, rich};
use rundown_plot::figure::{AxisScale, Point, ScatterChart};

/// Share of the largest cost below which a difference does not count.
const COST_TOLERANCE: f64 = 0.05;

/// Quality against cost, or that rewards of different parts are no such quality; nothing where the runs differ in no known cost.
pub fn front(summaries: &[&RunSummary], selection: &Selection) -> Vec<Block> {
    let (Some(metric), Some(NamedCost { name: cost_name, measure: cost })) = (&selection.metric, &selection.cost)
    else {
        return Vec::new();
    };
    let runs = pareto(summaries, metric, cost);
    let part = differing_part(summaries, metric);
    if runs.len() < 2 {
        let why = part.map(|part| rich!("No run is weighed: the {}.", different_parts(part)));
        return why.map_or_else(Vec::new, |why| vec![Block::section("Quality against cost"), Block::text(why)]);
    }
    let is_time = *cost == CostMeasure::Hours;
    let cost_name = if is_time { "Time" } else { cost_name };
    let (least, most) = runs
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), run| (least.min(run.cost), most.max(run.cost)));
    if least > 0.0 && most - least < COST_TOLERANCE * most {
        let (least, most) = (written(cost, least), written(cost, most));
        let text = format!("{cost_name} hardly differs ({least} to {most}): there is no trade-off.");
        return vec![Block::section("Quality against cost"), Block::text(text)];
    }
    let on_front: Vec<&ParetoPoint> = runs.iter().filter(|run| run.is_on_front).collect();
    let cost_words = cost_name.to_lowercase();
    let are = if on_front.len() == 1 { "is" } else { "are" };
    let near = match runs.iter().filter(|run| run.is_near_front && !run.is_on_front).count() {
        0 => String::new(),
        1 => " One more may be, within the noise of the difference.".to_owned(),
        many => format!(" {many} more may be, within the noise of the differences."),
    };
    let out: Vec<&RunSummary> =
        runs.iter().filter(|run| !run.is_candidate).filter_map(|run| summaries.get(run.index).copied()).collect();
    let left_out = match out.is_empty() {
        true => RichText::default(),
        false => rich!(
            " Left out (ugly, ended before the plan, or with fewer than {} logged steps): {}.",
            MIN_ROWS_ON_FRONT,
            named_runs(&out)
        ),
    };
    let apart = if part.is_some() { " Runs whose rewards have other parts are not weighed." } else { "" };
    let candidates = runs.len() - out.len();
    let sentence = rich!(
        "{} of {} {} on the Pareto front: no other of at most the same {} is better by {}.{}{}{}",
        on_front.len(),
        counted(candidates, "run"),
        are,
        &cost_words,
        key_span(&metric.key),
        near,
        left_out,
        apart
    );
    let mut table = Table::new("", &[Words("Run"), Words("Verdict")]);
    table.columns.extend([TableColumn::numbers(cost_name), TableColumn::numbers(metric_key(&metric.key))]);
    for weighed in &on_front {
        let Some(summary) = summaries.get(weighed.index) else { continue };
        let half = longer_side(weighed.quality, weighed.interval);
        table.rows.push(vec![
            run(summary),
            Cell::text(summary.verdict.as_str()),
            Cell::number(written(cost, weighed.cost), weighed.cost),
            Cell::plus_minus(weighed.quality, half),
        ]);
    }
    // Short runs are drawn in minutes or seconds.
    let (unit, scale) = match is_time {
        true if most < 2.0 / 60.0 => ("Seconds", 3600.0),
        true if most < 2.0 => ("Minutes", 60.0),
        true => ("Hours", 1.0),
        false => (cost_name, 1.0),
    };
    let costs: Vec<f64> = runs.iter().map(|run| scale * run.cost).collect();
    let chart = ScatterChart {
        title: rich!("{} against {}", metric_key(&metric.key), cost_words),
        x: AxisScale::fitting(unit, &costs),
        y: AxisScale::linear(metric.key.as_str()),
        points: runs.iter().filter_map(|weighed| point(summaries, weighed, scale)).collect(),
        front: on_front.iter().map(|run| (scale * run.cost, run.quality)).collect(),
        trend: Vec::new(),
    };
    let mut blocks = vec![Block::section("Quality against cost"), Block::text(sentence)];
    blocks.push(Block::Figure(chart.draw(selection.width)));
    push(&mut blocks, table);
    blocks
}

/// A cost in words.
fn written(cost: &CostMeasure, value: f64) -> String {
    match cost {
        CostMeasure::Hours => duration(3_600.0 * value),
        CostMeasure::GpuHours => number(hundredths(value)),
        _ => number(value),
    }
}

fn point<'e>(summaries: &[&'e RunSummary], weighed: &ParetoPoint, scale: f64) -> Option<Point<'e>> {
    let summary = summaries.get(weighed.index)?;
    let tone = match summary.verdict {
        Verdict::Good => Tone::Good,
        Verdict::Bad => Tone::Bad,
        Verdict::Ugly => Tone::Ugly,
        Verdict::Undecided => Tone::Muted,
    };
    let interval = (weighed.interval.0 < weighed.interval.1).then_some(weighed.interval);
    let is_named = weighed.is_on_front;
    let place = Point::new(summary.name_or_id(), scale * weighed.cost, weighed.quality);
    Some(Point { y_interval: interval, tone, is_named, ..place })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_compare::testing::TestRun;
    use rundown_vocabulary::Concept;

    #[test]
    fn rewards_of_different_parts_are_said_not_to_be_weighed() {
        let made = [("a", 1.0), ("b", 2.0), ("a", 3.0)].map(|(part, hours)| {
            let run = TestRun::new("a").reward("r", &[0.5; 12]).metric(Concept::RewardComponent, part, &[0.5; 12]);
            let mut summary = RunSummary::of(0, run.diagnosed());
            summary.spent.hours = Some(hours);
            summary
        });
        let shown = |all: &[&RunSummary]| format!("{:?}", front(all, &Selection::of(all)));
        let none = shown(&[&made[0], &made[1]]);
        assert!(none.contains("No run is weighed: the rewards have different parts"), "{none}");
        let two = shown(&[&made[0], &made[1], &made[2]]);
        assert!(two.contains("Runs whose rewards have other parts are not weighed."), "{two}");
        assert!(!shown(&[&made[0], &made[2]]).contains("other parts"));
    }

    #[test]
    fn runs_within_the_noise_of_the_front_are_counted() {
        let noisy = |level: f64| [level - 0.05, level + 0.05].repeat(20);
        let made = [(1.0, 0.5), (2.0, 0.49), (3.0, 0.1), (4.0, 0.9)].map(|(hours, level)| {
            let mut run = RunSummary::of(0, TestRun::new("a").reward("r", &noisy(level)).diagnosed());
            run.spent.hours = Some(hours);
            run
        });
        let all: Vec<&RunSummary> = made.iter().collect();
        let shown = format!("{:?}", front(&all, &Selection::of(&all)));
        let Some(Block::Text(text)) = front(&all, &Selection::of(&all)).into_iter().nth(1) else { panic!("{shown}") };
        let text = rundown_format::RichText::from(text).to_string();
        assert!(
            text.starts_with("2 of 4 runs are on the Pareto front") && text.contains("One more may be, "),
            "{text}"
        );
        assert!(!text.contains("Left out"), "{text}");
        let mut made = made;
        made[0].verdict = Verdict::Ugly;
        let all: Vec<&RunSummary> = made.iter().collect();
        let shown = format!("{:?}", front(&all, &Selection::of(&all)));
        assert!(shown.contains("Left out (ugly, ended before"), "{shown}");
    }
}
