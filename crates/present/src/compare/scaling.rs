//! What compute buys: power laws side by side, ceilings, and what a little more compute would bring.

use super::parts::{MAX_DRAWN, MAX_ROWS, maybe, maybe_share, name, push, push_list, run, run_span};
use rundown_compare::RunSummary;
use rundown_compare::facts::{Ceiling, ComputeBudget, ComputeKind, ComputeNeed, ExpectedGain, RewardTarget, Scaling};
use rundown_compare::{is_sure, of_both};
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Span, Table};
use rundown_diagnose::{Code, Verdict};
use rundown_format::rich_text::metric;
use rundown_format::{RichText, duration, number, percent, percent_to, plus_minus, rich};
use rundown_plot::XKind;
use rundown_plot::figure::{AxisScale, ChartSeries, LineChart};
use rundown_stats::CompactSort as _;

/// Kinds of compute and measure that are shown.
const MAX_GROUPS: usize = 3;
/// Share of uneven steps from which a remark reports it.
const UNEVEN_SHARE: f64 = 0.05;

/// A run with the fits of its pairs.
struct ScalingRow<'a> {
    summary: &'a RunSummary,
    scaling: &'a Scaling,
    ceiling: Option<Ceiling>,
    twice: Option<ExpectedGain>,
    budget: Option<ComputeBudget>,
}

impl ScalingRow<'_> {
    fn exponent(&self) -> Option<(f64, f64)> {
        self.scaling.exponent()
    }

    fn is_ugly(&self) -> bool {
        self.summary.verdict == Verdict::Ugly
    }

    fn flattens(&self) -> Option<f64> {
        self.summary.findings.iter().find(|found| found.code == Code::ScalingSaturated).and_then(|found| found.onset)
    }
}

/// How the reward of these runs grows with compute, one part for each kind of compute and reward that they share.
/// Empty where no run has pairs; tokens and hours are shown only where a law or a ceiling came out of them. `target` is
/// the reward whose compute is asked for.
pub fn scaling(summaries: &[&RunSummary], target: RewardTarget, width: f64) -> Vec<Block> {
    let mut groups: Vec<Vec<ScalingRow<'_>>> = Vec::new();
    for summary in summaries {
        let Some(scaling) = &summary.scaling else { continue };
        let same = |row: &ScalingRow<'_>| {
            let other = row.scaling;
            (other.kind, &other.compute_key, &other.measure_key)
                == (scaling.kind, &scaling.compute_key, &scaling.measure_key)
        };
        let row = ScalingRow { summary, scaling, ceiling: None, twice: None, budget: None };
        match groups.iter_mut().find(|group| group.first().is_some_and(same)) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups.compact_sort_by_key(|group| std::cmp::Reverse(group.len()));
    let mut blocks = Vec::new();
    for mut group in groups.into_iter().take(MAX_GROUPS) {
        steepest_first(&mut group);
        let ends = group.iter().filter_map(|row| row.scaling.end_level());
        let best = ends.fold(f64::NAN, f64::max);
        for row in group.iter_mut().take(MAX_ROWS) {
            row.budget = row.scaling.budget(target, best);
            row.ceiling = row.scaling.ceiling();
            // A power law has no ceiling: where there is one, its forecast is too high.
            row.twice = if row.ceiling.is_none() { row.scaling.at_twice() } else { None };
        }
        let is_logged = group.first().is_some_and(|row| row.scaling.kind == ComputeKind::Logged);
        if is_logged || group.iter().any(|row| row.exponent().is_some() || row.ceiling.is_some()) {
            part(&mut blocks, &group, width);
        }
    }
    blocks
}

/// Ugly runs last: the reward of one that games it may grow steepest of all.
fn steepest_first(group: &mut [ScalingRow<'_>]) {
    let exponent = |row: &ScalingRow<'_>| row.exponent().map_or(f64::NEG_INFINITY, |(exponent, _)| exponent);
    group.compact_sort_by(|a, b| {
        let by_exponent = || exponent(b).total_cmp(&exponent(a)).then_with(|| a.summary.name.cmp(&b.summary.name));
        a.is_ugly().cmp(&b.is_ugly()).then_with(by_exponent)
    });
}

fn part(blocks: &mut Vec<Block>, group: &[ScalingRow<'_>], width: f64) {
    let Some(first) = group.first() else { return };
    if blocks.is_empty() {
        blocks.push(Block::section("Scaling"));
    }
    let compute = match first.scaling.kind {
        ComputeKind::Hours => RichText::from("hours"),
        _ => metric(&first.scaling.compute_key).into(),
    };
    blocks.push(Block::part(rich!("{} against {}", metric(&first.scaling.measure_key), &compute)));
    blocks.push(answer(group));
    push_list(blocks, remarks(group));
    blocks.push(Block::text(rich!(
        "Straight line: the logarithm of the reward over that of {}, ± half of the 95 % interval of its slope, widened for \
         autocorrelated residuals. \"With an offset\" fits a + b x^c, for a reward whose zero is arbitrary. The exponent is \
         the slope of the line where it is straight, else the one with an offset. The target is a \
         reward on the way to the ceiling, and its compute that of the curve which tells the ceiling. Nothing else is \
         extrapolated beyond twice the compute seen.",
        compute
    )));
    push(blocks, table(group));
    blocks.extend(figure(group, width));
}

fn answer(group: &[ScalingRow<'_>]) -> Block {
    let mut laws = group.iter().filter_map(|row| Some((row, row.exponent()?)));
    let Some((best, (exponent, half))) = laws.next() else {
        let reason = group.iter().find_map(|row| Some(&row.scaling.unfit).filter(|reason| !reason.is_empty()));
        let why =
            reason.map_or_else(|| "less than a factor of ten of compute, or too much noise".to_owned(), Clone::clone);
        return Block::text(format!("No run shows a power law: {why}."));
    };
    // An ugly run that is steeper stands behind: its reward may be gamed.
    let (of, ugly) = match steepest(group).filter(|(steepest, _)| !best.is_ugly() && steepest.is_ugly()) {
        Some((ugly, (steeper, half))) => {
            let steeper = plus_minus(steeper, half);
            let words = rich!(" {} has a higher exponent, {}, but is ugly.", run_span(ugly.summary), steeper);
            (" of the runs that are not ugly", words)
        }
        None => ("", RichText::default()),
    };
    let (run, exponent) = (run_span(best.summary), plus_minus(exponent, half));
    let Some((other, (next, next_half))) = laws.next().filter(|(other, _)| ugly.is_empty() || !other.is_ugly()) else {
        return Block::text(rich!("{} grows with an exponent of {}.{}", run, exponent, ugly));
    };
    let verdict = match difference(best, other) {
        Some((lead, _)) if lead < 0.0 => {
            "Fits with an offset reverse this order: which of the two is steeper is open.".to_owned()
        }
        Some((lead, half)) if is_sure(lead, half) => {
            format!("The difference of {} is beyond its error.", plus_minus(lead, half))
        }
        Some((lead, half)) => {
            let lead = plus_minus(lead, half);
            format!("The difference of {lead} is within its error: which of the two is steeper is open.")
        }
        None => "One of them bends, so the two cannot be compared.".to_owned(),
    };
    Block::text(rich!(
        "{} scales steepest{}, with an exponent of {}; {} follows with {}. {}{}",
        run,
        of,
        exponent,
        run_span(other.summary),
        plus_minus(next, next_half),
        verdict,
        ugly
    ))
}

/// The run with the highest exponent, ugly or not, the exponent, and half of its 95 % interval.
fn steepest<'g, 'a>(group: &'g [ScalingRow<'a>]) -> Option<(&'g ScalingRow<'a>, (f64, f64))> {
    let laws = group.iter().filter_map(|row| Some((row, row.exponent()?)));
    // The first of equal ones.
    laws.reduce(|steepest, law| if law.1.0 > steepest.1.0 { law } else { steepest })
}

/// How much steeper one run is than another, and half of the 95 % interval of that: by their straight lines where both are
/// straight, else by the laws with an offset. `None` where they have no kind of law in common.
fn difference(one: &ScalingRow<'_>, other: &ScalingRow<'_>) -> Option<(f64, f64)> {
    let lines = one.scaling.law.zip(other.scaling.law).filter(|(a, b)| a.is_straight && b.is_straight);
    if let Some((a, b)) = lines {
        return Some((a.exponent - b.exponent, of_both(a.half(), b.half())));
    }
    let (a, b) = one.scaling.offset.zip(other.scaling.offset)?;
    Some((a.exponent - b.exponent, of_both(a.half(), b.half())))
}

fn remarks(group: &[ScalingRow<'_>]) -> Vec<Vec<Span>> {
    let mut items = Vec::new();
    for row in group.iter().take(MAX_DRAWN) {
        let run = run_span(row.summary);
        if let Some(step) = row.flattens() {
            items.push(rich!("{} stops scaling at step {}.", &run, number(step)));
        }
        if let Some(ceiling) = &row.ceiling {
            let (low, high) = ceiling.interval;
            let level = plus_minus(ceiling.level, 0.5 * (high - low));
            let near = if ceiling.is_near() { "more compute gains little" } else { "more compute should still help" };
            let reached = percent(ceiling.reached.clamp(0.0, 1.0));
            let dispute = ceiling.disputed.map(|other| {
                format!(" A saturating power law fits as well and says {}, so neither is sure.", number(other))
            });
            items.push(rich!(
                "{} approaches {} and has gone {} of the way: {}.{}",
                &run,
                level,
                reached,
                near,
                dispute.unwrap_or_default()
            ));
        }
        if let Some(budget) = &row.budget {
            items.push(rich!("{} {}", &run, budget_words(row.scaling, budget)));
        }
        if let Some(evenness) = row.scaling.evenness.filter(|evenness| evenness.off > UNEVEN_SHARE) {
            items.push(rich!(
                "{}: {} of its steps are more than 20 % off the usual compute, so compare it by compute and not by steps.",
                &run,
                percent_to(evenness.off, 1)
            ));
        }
        if let (Some(claimed), Some(law)) = (row.scaling.claimed, row.scaling.law)
            && !(law.low..=law.high).contains(&claimed)
        {
            let own = plus_minus(law.exponent, law.half());
            items.push(rich!("{} logs an exponent of {}; its points give {}.", &run, number(claimed), own));
        }
    }
    items.into_iter().map(Vec::from).collect()
}

/// What the target takes, after the name of the run.
fn budget_words(scaling: &Scaling, budget: &ComputeBudget) -> String {
    let target = number(budget.target);
    match budget.need {
        ComputeNeed::About { compute, interval: (low, high) } => {
            let amount = |value: f64| compute_words(scaling.kind, value);
            let to = if high.is_finite() { format!("to {}", amount(high)) } else { "without an upper end".to_owned() };
            let times = number(compute / scaling.seen.1);
            format!(
                "reaches a reward of {target} at about {} ({} {to}), {times} times what it used.",
                amount(compute),
                amount(low)
            )
        }
        ComputeNeed::Unsure => format!("may not reach a reward of {target}: it lies within the error of its ceiling."),
        ComputeNeed::NotReachable => format!("does not reach a reward of {target}: it lies above its ceiling."),
    }
}

fn compute_words(kind: ComputeKind, compute: f64) -> String {
    match kind {
        ComputeKind::Hours => duration(3_600.0 * compute),
        ComputeKind::Logged | ComputeKind::Tokens => format!("{} {}", number(compute), kind.words()),
    }
}

fn budget_cell(scaling: &Scaling, budget: &ComputeBudget) -> Cell {
    match budget.need {
        ComputeNeed::About { compute, .. } => {
            let text = if scaling.kind == ComputeKind::Hours { duration(3_600.0 * compute) } else { number(compute) };
            Cell::number(text, compute)
        }
        ComputeNeed::Unsure => Cell::text("unsure"),
        ComputeNeed::NotReachable => Cell::text("not reachable"),
    }
}

fn table(group: &[ScalingRow<'_>]) -> Table {
    let columns = [
        Words("Run"),
        Numbers("Exponent"),
        Numbers("Straight line"),
        Numbers("Below the steepest by"),
        Numbers("With an offset"),
        Words("Shape"),
        Numbers("R²"),
        Numbers("Residual (RMS of ln)"),
        Numbers("Decades of compute"),
        Numbers("Compute used"),
        Numbers("Expected at twice that"),
        Numbers("Ceiling"),
        Numbers("Target"),
        Numbers("Compute for the target"),
        Numbers("Uneven steps"),
    ];
    let has_ugly = group.iter().any(ScalingRow::is_ugly);
    let mut table = Table::new(if has_ugly { "Steepest first, ugly runs last" } else { "Steepest first" }, &columns);
    let steepest = steepest(group);
    for row in group {
        let (scaling, law) = (row.scaling, row.scaling.law);
        let less = steepest.filter(|(steepest, _)| !std::ptr::eq(*steepest, row) && row.exponent().is_some());
        let less =
            less.and_then(|(steepest, _)| difference(steepest, row)).map(|(less, half)| Cell::plus_minus(less, half));
        let shape = match (row.flattens(), scaling.reported_law()) {
            (Some(_), _) => "flattens",
            (None, None) => "no power law",
            (None, Some(law)) if law.is_straight => "straight",
            (None, Some(_)) => "bends",
        };
        let offset = scaling.offset.map(|law| Cell::plus_minus(law.exponent, law.half()));
        let line = scaling.reported_law().map(|law| Cell::plus_minus(law.exponent, law.half()));
        let twice = row.twice.map(|twice| Cell::plus_minus(twice.value, 0.5 * (twice.interval.1 - twice.interval.0)));
        let ceiling =
            row.ceiling.map(|ceiling| Cell::plus_minus(ceiling.level, 0.5 * (ceiling.interval.1 - ceiling.interval.0)));
        table.rows.push(vec![
            run(row.summary),
            row.exponent().map_or_else(Cell::default, |(exponent, half)| Cell::plus_minus(exponent, half)),
            line.unwrap_or_default(),
            less.unwrap_or_default(),
            offset.unwrap_or_default(),
            Cell::text(shape),
            maybe(law.map(|law| law.r2)),
            maybe_share(law.map(|law| law.residual)),
            maybe(law.map(|law| law.decades)),
            seen(scaling),
            twice.unwrap_or_default(),
            ceiling.unwrap_or_default(),
            maybe(row.budget.map(|budget| budget.target)),
            row.budget.map_or_else(Cell::default, |budget| budget_cell(scaling, &budget)),
            maybe_share(scaling.evenness.map(|evenness| evenness.off)),
        ]);
    }
    if group.iter().all(|row| row.scaling.kind == ComputeKind::Hours) {
        table.caption.append("; time as compute");
    }
    table
}

/// The largest compute seen.
fn seen(scaling: &Scaling) -> Cell {
    let most = scaling.seen.1;
    let text = if scaling.kind == ComputeKind::Hours { duration(3_600.0 * most) } else { number(most) };
    Cell::number(text, most)
}

/// Reward over compute on logarithms, with the fitted laws dashed.
fn figure(group: &[ScalingRow<'_>], width: f64) -> Option<Block> {
    let drawn: Vec<(&ScalingRow<'_>, String, Vec<f64>)> = group
        .iter()
        .take(MAX_DRAWN)
        .map(|row| {
            let law = row.scaling.reported_law();
            let fitted = |x: &f64| law.map_or(f64::NAN, |law| law.factor * libm::pow(*x, law.exponent));
            (row, name(row.summary), row.scaling.compute.iter().map(fitted).collect())
        })
        .collect();
    let first = group.first()?.scaling;
    let points = drawn.iter().enumerate().map(|(place, (row, name, _))| {
        let Scaling { compute, measure, .. } = row.scaling;
        ChartSeries::new(place, name, compute, measure).of_run(row.summary.number)
    });
    let names: Vec<String> = drawn.iter().map(|(_, name, _)| format!("power law of {name}")).collect();
    let laws = drawn.iter().zip(&names).enumerate().filter(|(_, ((row, ..), _))| row.scaling.reported_law().is_some());
    let laws = laws.map(|(place, ((row, _, law), name))| ChartSeries {
        is_dashed: true,
        is_labelled: false,
        ..ChartSeries::new(place, name, &row.scaling.compute, law).of_run(row.summary.number)
    });
    let all: Vec<f64> = drawn.iter().flat_map(|(row, ..)| &row.scaling.measure).copied().collect();
    let is_log = all.iter().all(|value| *value > 0.0);
    let chart = LineChart {
        title: "Reward over compute; dashed: the fitted power law".into(),
        x: AxisScale::log(if first.kind == ComputeKind::Hours { "hours" } else { &first.compute_key }),
        y: if is_log { AxisScale::log(&*first.measure_key) } else { AxisScale::linear(&*first.measure_key) },
        x_kind: XKind::Value,
        series: points.chain(laws).collect(),
    };
    Some(Block::Figure(chart.draw(width)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_compare::testing::TestRun;
    use rundown_vocabulary::Concept;

    #[test]
    fn an_ugly_run_that_is_steeper_is_said_to_be() {
        let run = |name: &str, exponent: f64, verdict: Verdict| {
            let compute: Vec<f64> = (0..60).map(|place| libm::pow(10.0, f64::from(place) / 20.0)).collect();
            let reward: Vec<f64> = compute.iter().map(|compute| 0.01 * libm::pow(*compute, exponent)).collect();
            let run = TestRun::new(name).metric(Concept::Compute, "flops", &compute).reward("reward", &reward);
            RunSummary::of(0, run.verdict(verdict).diagnosed())
        };
        let said = |runs: &[RunSummary]| {
            let all: Vec<&RunSummary> = runs.iter().collect();
            rundown_content::markdown(&scaling(&all, RewardTarget::default(), 600.0))
        };
        let (sound, ugly) = (run("sound", 0.2, Verdict::Good), run("gamed", 0.5, Verdict::Ugly));
        let two = said(&[sound.clone(), ugly.clone()]);
        assert!(
            two.contains("sound grows with an exponent of") && two.contains("gamed has a higher exponent"),
            "{two}"
        );
        assert!(two.contains("but is ugly") && !two.contains("is open"), "{two}");
        let three = said(&[sound.clone(), run("slow", 0.1, Verdict::Bad), ugly]);
        assert!(three.contains("sound scales steepest of the runs that are not ugly"), "{three}");
        assert!(three.contains("slow follows") && three.contains("gamed has a higher"), "{three}");
        let flat = said(&[sound, run("gamed", 0.1, Verdict::Ugly)]);
        assert!(flat.contains("sound scales steepest, with") && flat.contains("gamed follows"), "{flat}");
    }
}
