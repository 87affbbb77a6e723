//! The leaderboard: which run is best, by how much, at what price, and why the others are not.

mod cautions;

use self::cautions::cautions;
use super::Selection;
use super::parts::{MAX_DRAWN, key_span, maybe, name, push, run, run_span, worst};
use rundown_compare::{
    Difference, Metric, RankedRun, RunOutcome, RunSummary, SettingColumn, common_target, comparable, difference,
    is_shown_alike, is_sure_lead, outcome,
};
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Table, TableColumn};
use rundown_diagnose::Verdict;
use rundown_format::rich_text::metric as metric_key;
use rundown_format::{RichText, counted, duration, number, plus_minus, rich, tabular_change};
use rundown_plot::figure::{ChartSeries, LineChart};
use rundown_stats as stats;
use rundown_vocabulary::Direction;

/// What a star in the column of differences says.
const STARS: &str = "A star: the 95 % interval of the difference to the baseline excludes 0. It covers the noise within both runs, not the \
                     variance between seeds, and is not corrected for the number of runs.";
/// Runs of less than a minute are trials: their hours are not compared.
const MIN_HOURS: f64 = 0.02;

/// Leaderboard and curves.
pub fn board(summaries: &[&RunSummary], settings: &[SettingColumn<'_>], selection: &Selection) -> Vec<Block> {
    let rows = selection.ranked(summaries);
    let mut blocks = vec![Block::section("Leaderboard")];
    blocks.extend(standings(summaries, settings, selection));
    match &selection.metric {
        Some(metric) => {
            push(&mut blocks, table(summaries, &rows, metric, selection.baseline));
            if selection.baseline.is_some() {
                blocks.push(Block::text(STARS));
            }
            blocks.extend(curves(summaries, &rows, metric, selection.width));
        }
        None => push(&mut blocks, verdicts(summaries, &rows)),
    }
    blocks
}

/// The leaderboard in sentences: the page has a table and curves of its own.
pub fn standings(summaries: &[&RunSummary], settings: &[SettingColumn<'_>], selection: &Selection) -> Vec<Block> {
    let mut rows = selection.ranked(summaries);
    let mut blocks = vec![counts(summaries)];
    let Some(metric) = &selection.metric else {
        blocks.push(Block::text(
            "The runs share no metric that is known as an evaluation or a reward, to be ranked by: log the same evaluation in all of them.",
        ));
        return blocks;
    };
    let is_comparable = comparable(summaries, metric);
    rows.retain(|row| is_comparable.get(row.index) == Some(&true));
    if !rows.is_empty() {
        blocks.push(leader(summaries, &rows, metric));
        blocks.extend(spread(&rows, metric));
    }
    blocks.extend(cautions(summaries, settings, metric, &is_comparable));
    blocks
}

/// How many runs are good, bad and ugly.
fn counts(summaries: &[&RunSummary]) -> Block {
    let count = |verdict: Verdict| summaries.iter().filter(|summary| summary.verdict == verdict).count();
    let verdicts = [Verdict::Good, Verdict::Bad, Verdict::Ugly, Verdict::Undecided];
    let some = verdicts.into_iter().map(|verdict| (count(verdict), verdict)).filter(|(runs, _)| *runs > 0);
    let words: Vec<String> = some.map(|(runs, verdict)| format!("{runs} {}", verdict.as_str())).collect();
    Block::text(format!("{}: {}.", counted(summaries.len(), "run"), words.join(", ")))
}

/// Which run leads, and whether that is more than noise.
fn leader(summaries: &[&RunSummary], rows: &[RankedRun], metric: &Metric) -> Block {
    let mut measured = measured(summaries, rows);
    let all = measured.len();
    if let Some(&(first, _)) = measured.first() {
        let is_other = metric.on_other_tasks(first);
        measured.retain(|(summary, _)| !is_other(summary));
    }
    let Some((&(best, level), others)) = measured.split_first() else {
        return Block::text(rich!("No run has a value of {}.", key_span(&metric.key)));
    };
    if others.is_empty() && all > 1 {
        let best = run_span(best);
        return Block::text(rich!("No run leads: the others with a value were trained on other tasks than {}.", best));
    }
    let on_same = if measured.len() < all { " on the same tasks" } else { "" };
    if let Some(without) = first_without(summaries, rows, &measured, metric, on_same) {
        return without;
    }
    let is_rival = |(summary, _): &&MeasuredRun<'_>| summary.verdict == best.verdict;
    let close = others.iter().filter(is_rival).filter(|(_, other)| is_close(level, other)).count();
    let is_same = |run: &MeasuredRun<'_>| is_rival(&run) && is_shown_alike(run.1.level, level.level);
    if close > 0 && others.iter().all(is_same) {
        return Block::text(rich!(
            "No run leads: all{} have the same verdict and the same {}, {}.",
            on_same,
            key_span(&metric.key),
            number(level.level)
        ));
    }
    let less = if metric.direction == Direction::Down { " (lower is better)" } else { "" };
    let rest = match close {
        0 if others.iter().filter(is_rival).any(|(_, other)| is_sure_lead(level, other).is_none()) => {
            "; some of these numbers have no interval, so the lead may be noise.".to_owned()
        }
        0 => ".".to_owned(),
        1 => "; one run of the same verdict is within the noise.".to_owned(),
        many => {
            format!("; {many} runs of the same verdict are within the noise: do not choose among them by this number.")
        }
    };
    let (shown, key) = (plus_minus(level.level, level.half()), key_span(&metric.key));
    let higher = best_by_value(&measured, metric).filter(|(_, other)| !is_shown_alike(other.level, level.level));
    let first = match (best.verdict, higher) {
        (Verdict::Good, None) => {
            rich!("{} leads by verdict and {}{} with {}{}", run_span(best), key, less, shown, rest)
        }
        (Verdict::Good, Some(_)) => {
            rich!("{} leads by verdict, with {}{} {}{}", run_span(best), key, less, shown, rest)
        }
        (verdict, _) => {
            let (run, verdict) = (run_span(best), verdict.as_str());
            rich!("No run is good. {} ({}) comes first, with {}{} {}{}", run, verdict, key, less, shown, rest)
        }
    };
    let apart = if on_same.is_empty() { "" } else { " Runs on other tasks are not compared with it." };
    let higher = higher.map(|(other, outcome)| rich!(" {}", has_best(other, outcome))).unwrap_or_default();
    Block::text(rich!("{}{}{}", first, higher, apart))
}

/// A run with its value of the metric.
type MeasuredRun<'s> = (&'s RunSummary, &'s RunOutcome);

/// The runs that have the metric, in the order of the leaderboard.
fn measured<'s>(summaries: &[&'s RunSummary], rows: &'s [RankedRun]) -> Vec<MeasuredRun<'s>> {
    rows.iter().filter_map(|row| Some((*summaries.get(row.index)?, row.outcome.as_ref()?))).collect()
}

/// The run with the best value of the metric, whatever its verdict.
fn best_by_value<'s>(measured: &[MeasuredRun<'s>], metric: &Metric) -> Option<MeasuredRun<'s>> {
    let level = |outcome: &RunOutcome| metric.sign() * outcome.level;
    measured.iter().copied().max_by(|a, b| level(a.1).total_cmp(&level(b.1)))
}

/// The sentence for the run with the best value.
fn has_best(summary: &RunSummary, outcome: &RunOutcome) -> RichText {
    let value = plus_minus(outcome.level, outcome.half());
    let verdict = if summary.lacks_data() { "too little data for a verdict" } else { summary.verdict.as_str() };
    rich!("{} ({}) has the best, {}.", run_span(summary), verdict, value)
}

/// The sentence for a run whose verdict is better than that of each run with the metric, and which does not log it: it cannot
/// lead by it. `on_same` says that those are the ones on the same tasks alone.
fn first_without(
    summaries: &[&RunSummary],
    rows: &[RankedRun],
    measured: &[MeasuredRun<'_>],
    metric: &Metric,
    on_same: &str,
) -> Option<Block> {
    let mut without = rows.iter().filter(|row| row.outcome.is_none());
    let first = without.find_map(|row| summaries.get(row.index))?;
    let (leader, _) = measured.first()?;
    if first.verdict >= leader.verdict || first.lacks_data() {
        return None;
    }
    let (best, outcome) = best_by_value(measured, metric)?;
    Some(Block::text(rich!(
        "{} is first by verdict ({}) and has no value of {}. Of {} with a value{} {}",
        run_span(first),
        first.verdict.as_str(),
        key_span(&metric.key),
        counted(measured.len(), "run"),
        on_same,
        has_best(best, outcome)
    )))
}

/// The lowest, the median and the highest level of three runs and more.
fn spread(rows: &[RankedRun], metric: &Metric) -> Option<Block> {
    let levels: Vec<f64> = rows.iter().filter_map(|row| Some(row.outcome.as_ref()?.level)).collect();
    if levels.len() < 3 {
        return None;
    }
    let [low, middle, high] = [0.0, 0.5, 1.0].map(|share| stats::quantile(&levels, share).map(number));
    let key = key_span(&metric.key);
    Some(Block::text(rich!("{} at the end: lowest {}, median {}, highest {}.", key, low?, middle?, high?)))
}

/// True when no lead is shown between two levels.
fn is_close(one: &RunOutcome, other: &RunOutcome) -> bool {
    is_sure_lead(one, other).map_or_else(|| is_shown_alike(one.level, other.level), |is_sure| !is_sure)
}

fn table(summaries: &[&RunSummary], rows: &[RankedRun], metric: &Metric, baseline: Option<u32>) -> Table {
    let base = baseline.and_then(|number| summaries.iter().find(|summary| summary.number == number));
    let base = base.and_then(|summary| Some((*summary, outcome(summary, metric)?)));
    // A target that all have from their first point on compares nothing.
    let target = common_target(summaries, metric).filter(|target| {
        let mut found = target.reached.iter().flatten().peekable();
        found.peek().is_none() || found.any(|reached| reached.steps > 0.0)
    });
    let has_hours = summaries.iter().any(|summary| summary.spent.hours.is_some_and(|hours| hours >= MIN_HOURS));
    let mut table = Table::new("", &[Numbers("Rank"), Words("Run"), Words("Verdict")]);
    let level = TableColumn::numbers(rich!("{} at the end", metric_key(&metric.key)));
    table.columns.extend([level, TableColumn::numbers("Best"), TableColumn::numbers("At step")]);
    table.columns.extend(base.as_ref().map(|(summary, _)| TableColumn::numbers(rich!("Δ vs {}", name(summary)))));
    let steps_to = |level: f64| TableColumn::numbers(rich!("Steps to {}", number(level)));
    table.columns.extend(target.as_ref().map(|target| steps_to(target.level)));
    table.columns.push(TableColumn::numbers("Last step"));
    table.columns.extend(has_hours.then(|| TableColumn::numbers("Time")));
    table.columns.push(TableColumn::words("Main findings"));
    for (place, row) in rows.iter().enumerate() {
        let Some(summary) = summaries.get(row.index) else { continue };
        let best = row.outcome.as_ref().and_then(|outcome| outcome.best);
        let mut cells = vec![
            Cell::number((place + 1).to_string(), (place + 1) as f64),
            run(summary),
            Cell::text(summary.verdict.as_str()),
            row.outcome.as_ref().map_or_else(Cell::default, |outcome| Cell::plus_minus(outcome.level, outcome.half())),
            maybe(best.map(|best| best.value)),
            maybe(best.map(|best| best.step)),
        ];
        if let Some((_, base)) = &base {
            let difference = row.outcome.as_ref().and_then(|outcome| difference(outcome, base));
            cells.push(difference.map_or_else(Cell::default, |difference| against_cell(&difference)));
        }
        if let Some(target) = &target {
            let reached = target.reached.get(row.index).and_then(Option::as_ref);
            cells.push(maybe(reached.map(|reached| reached.step)));
        }
        cells.push(maybe(summary.steps.map(|(_, last)| last)));
        if has_hours {
            cells.push(
                summary.spent.hours.map_or_else(Cell::default, |hours| Cell::number(duration(3_600.0 * hours), hours)),
            );
        }
        cells.push(worst(row));
        table.rows.push(cells);
    }
    table
}

/// A difference to the baseline; a star beyond noise.
fn against_cell(difference: &Difference) -> Cell {
    let mut text = tabular_change(difference.relative, difference.absolute);
    if difference.is_beyond_noise == Some(true) {
        text.append(" *");
    }
    Cell::number(text, difference.absolute)
}

/// The table of runs that share no metric.
fn verdicts(summaries: &[&RunSummary], rows: &[RankedRun]) -> Table {
    let mut table = Table::new(
        "",
        &[
            Numbers("Rank"),
            Words("Run"),
            Words("Verdict"),
            Words("State"),
            Numbers("Last step"),
            Words("Main findings"),
        ],
    );
    for (place, row) in rows.iter().enumerate() {
        let Some(summary) = summaries.get(row.index) else { continue };
        table.rows.push(vec![
            Cell::number((place + 1).to_string(), (place + 1) as f64),
            run(summary),
            Cell::text(summary.verdict.as_str()),
            Cell::text(summary.state.as_str()),
            maybe(summary.steps.map(|(_, last)| last)),
            worst(row),
        ]);
    }
    table
}

/// The curves of the first runs.
fn curves(summaries: &[&RunSummary], rows: &[RankedRun], metric: &Metric, width: f64) -> Vec<Block> {
    let has_curve = |summary: &&&RunSummary| metric.trace_in(summary).is_some_and(|trace| trace.points > 1);
    let shown = rows.iter().filter_map(|row| summaries.get(row.index)).filter(has_curve);
    let names: Vec<(&RunSummary, String)> = shown.take(MAX_DRAWN).map(|summary| (*summary, name(summary))).collect();
    if names.len() < 2 {
        return Vec::new();
    }
    let series = names.iter().enumerate().filter_map(|(place, (summary, name))| {
        let trace = metric.trace_in(summary)?;
        Some(ChartSeries::new(place, name, &trace.steps, &trace.values).of_run(summary.number))
    });
    let title = rich!("{} of the first {} runs", metric_key(&metric.key), names.len());
    let chart = LineChart::over_steps(title, metric.key.as_str(), series);
    let note = Block::text("Curves are downsampled to 64 points; the Metrics view has every one.");
    vec![Block::Figure(chart.draw(width)), note]
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_compare::testing::TestRun;
    use rundown_diagnose::{Code, Finding, Severity};

    #[test]
    fn a_run_without_the_metric_leads_by_nothing() {
        let runs = [
            TestRun::new("sound").verdict(Verdict::Good),
            TestRun::new("low").reward("r", &[0.1; 12]).verdict(Verdict::Bad),
            TestRun::new("high").reward("r", &[0.7; 12]).verdict(Verdict::Ugly),
        ];
        let summaries: Vec<RunSummary> =
            runs.iter().zip(1..).map(|(run, number)| RunSummary::of(number, run.diagnosed())).collect();
        let shown = |summaries: &[&RunSummary]| {
            let selection = Selection::of(summaries);
            let metric = selection.metric.clone().unwrap();
            format!("{:?}", leader(summaries, &selection.ranked(summaries), &metric))
        };
        let all: Vec<&RunSummary> = summaries.iter().collect();
        let without = shown(&all);
        let order = ["sound", "is first by verdict", "good", "2 runs", "high", "0.7"].map(|part| without.find(part));
        assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{without}");
        assert!(!without.contains("leads"));
        // What leads by its verdict alone is not said to lead by the value.
        let worse = shown(&all[1..]);
        let order = ["No run is good", "low", "bad", "comes first", "0.1", "high", "ugly", "has the best", "0.7"];
        let order = order.map(|part| worse.find(part));
        assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{worse}");
        assert!(shown(&all[1..2]).contains("comes first, with "));
    }

    #[test]
    fn a_lead_of_unknown_noise_is_not_called_clear() {
        let noisy = |level: f64| [level - 0.01, level + 0.01].repeat(6);
        let shown = |first: &[f64], second: &[f64]| {
            let made = [TestRun::new("a").reward("r", first), TestRun::new("b").reward("r", second)];
            let made: Vec<RunSummary> =
                made.iter().zip(1..).map(|(run, number)| RunSummary::of(number, run.diagnosed())).collect();
            let all: Vec<&RunSummary> = made.iter().collect();
            let selection = Selection { baseline: Some(1), ..Selection::of(&all) };
            format!("{:?}", board(&all, &[], &selection))
        };
        assert!(shown(&[0.9], &[0.4]).contains("some of these numbers have no interval"));
        assert!(shown(&[0.925], &[0.925_000_011_9]).contains("No run leads"));
        let clear = shown(&noisy(0.9), &noisy(0.4));
        assert!(!clear.contains("noise of some") && clear.contains("A star: "), "{clear}");
        assert!(shown(&noisy(0.5), &noisy(0.501)).contains("one run of the same verdict is within the noise"));
    }

    #[test]
    fn the_spread_of_three_runs_is_shown() {
        let levels = [0.5, 0.25, 0.75, 0.625];
        let made = levels.map(|level| RunSummary::of(0, TestRun::new("a").reward("r", &[level; 12]).diagnosed()));
        let shown = |count: usize| {
            let summaries: Vec<&RunSummary> = made.iter().take(count).collect();
            let selection = Selection::of(&summaries);
            let metric = selection.metric.clone().unwrap();
            spread(&selection.ranked(&summaries), &metric)
        };
        let of_four = shown(4).map(|block| format!("{block:?}")).unwrap();
        assert!(["lowest", "0.25", "median", "0.5625", "highest", "0.75"].iter().all(|part| of_four.contains(part)));
        assert_eq!(shown(2), None);
    }

    #[test]
    fn one_value_is_no_best_one() {
        let made = [&[0.5][..], &[0.2, 0.75, 0.3]].map(|values| TestRun::new("a").reward("r", values));
        let summaries: Vec<RunSummary> = made.iter().map(|run| RunSummary::of(0, run.diagnosed())).collect();
        let all: Vec<&RunSummary> = summaries.iter().collect();
        let selection = Selection::of(&all);
        let metric = selection.metric.clone().unwrap();
        let rows = selection.ranked(&all);
        let best = |row: &Vec<Cell>| row.iter().skip(4).take(2).map(Cell::plain).collect::<Vec<_>>();
        let mut shown: Vec<Vec<String>> = table(&all, &rows, &metric, None).rows.iter().map(best).collect();
        shown.sort();
        assert_eq!(shown, [["", ""], ["0.75", "2"]]);
        assert_eq!(curves(&all, &rows, &metric, 600.0), [], "one curve is none to compare");
    }

    #[test]
    fn too_little_data_is_no_better_verdict_than_a_bad_one() {
        let first = |verdict, findings: Vec<Finding>| {
            let bare = TestRun::new("bare").verdict(verdict).findings(findings);
            let low = || TestRun::new("low").reward("r", &[0.1; 12]).verdict(Verdict::Bad);
            let made = [bare, low(), low()].map(|run| RunSummary::of(0, run.diagnosed()));
            let all: Vec<&RunSummary> = made.iter().collect();
            let selection = Selection::of(&all);
            let metric = selection.metric.clone().unwrap();
            let rows = selection.ranked(&all);
            format!("{:?}", first_without(&all, &rows, &measured(&all, &rows), &metric, ""))
        };
        let note = Finding::new(Code::InsufficientData, Severity::Note, "");
        assert_eq!(first(Verdict::Undecided, vec![note]), "None");
        assert!(first(Verdict::Good, Vec::new()).contains("is first by verdict"));
    }
}
