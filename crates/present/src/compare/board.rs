//! The leaderboard: which run is best, by how much, at what price, and why the others are not.

mod cautions;
mod leader;

use self::cautions::{cautions, reward_setting};
use self::leader::leader;
use super::Selection;
use super::parts::{MAX_DRAWN, key_span, maybe, name, push, run, worst};
use rundown_compare::{
    Difference, Metric, RankedRun, RunSummary, SettingColumn, common_target, comparable, difference, names_tasks,
    outcome,
};
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Table, TableColumn};
use rundown_diagnose::Verdict;
use rundown_format::rich_text::metric as metric_key;
use rundown_format::{counted, duration, number, rich, tabular_change};
use rundown_plot::figure::{ChartSeries, LineChart};
use rundown_stats as stats;

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
    // By a reward of another scale in each run none leads; runs on other tasks are left out by `leader`.
    let is_scaled = reward_setting(summaries, settings, metric).is_some_and(|key| !names_tasks(key));
    if !rows.is_empty() && !is_scaled {
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
    use rundown_vocabulary::Concept;

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
        let steady = |level: f64| [level - 1e-5, level + 1e-5].repeat(6);
        assert!(shown(&steady(0.996), &steady(0.995)).contains("the next one is behind by 0.001."));
        let clear = shown(&noisy(0.9), &noisy(0.4));
        assert!(!clear.contains("noise of some") && clear.contains("A star: "), "{clear}");
        assert!(shown(&noisy(0.5), &noisy(0.501)).contains("one run of the same verdict is within the noise"));
    }

    #[test]
    fn what_is_not_compared_is_not_said_to_be_as_good() {
        let run = |(level, part): (f64, &str)| {
            let run = TestRun::new("a").reward("r", &[level; 12]).metric(Concept::RewardComponent, part, &[level; 12]);
            RunSummary::of(0, run.diagnosed())
        };
        let made = [(0.9, "a"), (0.9, "a"), (0.2, "b")].map(run);
        let all: Vec<&RunSummary> = made.iter().collect();
        let shown = format!("{:?}", standings(&all, &[], &Selection::of(&all)));
        assert!(["No run leads", " that are compared"].iter().all(|part| shown.contains(part)), "{shown}");
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
}
