//! How the metrics moved, area by area: training, answers, evaluation, performance and so on. An area without a metric
//! has no section.

use super::area::{AREAS, Area, area_of};
use super::facts::{facts, small_tables};
use super::summary_values;
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Span, Table, TableColumn};
use rundown_diagnose::{Diagnosis, Movement};
use rundown_format::redact::cut;
use rundown_format::rich_text::{key, tabular};
use rundown_format::{counted, hundredths, rich, tabular_change};
use rundown_run::{self as run, Run, RunWarning};
use rundown_stats as stats;
use rundown_vocabulary::is_held_out;

/// Rows of one concept in a table; the others are counted.
const MAX_ROWS_OF_CONCEPT: usize = 12;
/// Longest text of a logged table's cell, in characters.
const LONGEST_CELL: usize = 200;

pub(super) fn metrics(run: &Run, diagnosis: &Diagnosis) -> Vec<Block> {
    let mut blocks = vec![
        Block::section("How the metrics moved"),
        Block::text(match diagnosis.movements.is_empty() {
            true => "No recognised metric was logged.",
            false => {
                "First, middle and last are means of 5 % of the points (five at least; a third of fewer than 15). The change \
                 is from the first to the last: in percent, as a multiple from ten times on, and as a difference where the \
                 first is 0 within its noise or the sign changes. The slope is that of least squares, per 100 steps. \
                 Neighbouring points are alike, so a high correlation with the step alone does not prove a trend."
            }
        }),
    ];
    for (area, title) in AREAS {
        let movements: Vec<&Movement> =
            diagnosis.movements.iter().filter(|movement| area_of(movement.concept) == area).collect();
        let facts = facts(area, run, diagnosis);
        let summarised = if area == Area::Evaluation { summary_values::of_evaluation(run) } else { Vec::new() };
        if movements.is_empty() && facts.is_empty() && summarised.is_empty() && !has_table(run, area) {
            continue;
        }
        blocks.push(Block::part(title));
        if !facts.is_empty() {
            blocks.push(Block::List(facts.into_iter().map(Into::into).collect()));
        }
        blocks.extend(table(run, &movements));
        blocks.extend(summarised);
        if area == Area::Evaluation || area == Area::Rubric {
            blocks.extend(logged_tables(run, area));
        }
    }
    let others = summary_values::others(run);
    if !others.is_empty() {
        blocks.push(Block::part("Summary values"));
        blocks.extend(others);
    }
    blocks
}

fn table(run: &Run, movements: &[&Movement]) -> Vec<Block> {
    let mut shown: Vec<&Movement> = Vec::new();
    let mut left_out = 0;
    for movement in movements {
        let same = shown.iter().filter(|other| other.concept == movement.concept).count();
        if same < MAX_ROWS_OF_CONCEPT { shown.push(movement) } else { left_out += 1 }
    }
    if shown.is_empty() {
        return Vec::new();
    }
    let has_best = shown.iter().any(|movement| best(movement).is_some());
    let mut table = Table::new(
        "",
        &[
            Words("Quantity"),
            Words("Metric"),
            Numbers("First 5 %"),
            Numbers("Middle 5 %"),
            Numbers("Last 5 %"),
            Numbers("Change"),
        ],
    );
    table.columns.extend(has_best.then(|| TableColumn::numbers("Best (at step)")));
    table.columns.extend(["Slope", "Correlation with step"].map(TableColumn::numbers));
    table.rows = shown.into_iter().map(|movement| row(run, movement, has_best)).collect();
    let mut blocks = vec![Block::Table(table)];
    if left_out > 0 {
        blocks.push(Block::text(format!("Left out: {} of the same kind.", counted(left_out, "metric"))));
    }
    blocks
}

fn row(run: &Run, movement: &Movement, has_best: bool) -> Vec<Cell> {
    let mut row = vec![
        Cell::text(movement.concept.words()),
        Cell { text: vec![Span::Metric(movement.key.clone())], value: None },
    ];
    // One point does not move, and two have no middle.
    let has_moved = !movement.slope.is_nan();
    let moved = |number: f64| if has_moved && !number.is_nan() { Cell::tabular(number) } else { Cell::default() };
    row.extend([moved(movement.first), moved(movement.mid), Cell::tabular(movement.last)]);
    row.push(change(movement).filter(|_| has_moved).unwrap_or_default());
    if has_best {
        row.push(best(movement).unwrap_or_default());
    }
    row.push(moved(movement.slope));
    row.push(correlation(run, &movement.key).filter(|_| has_moved).unwrap_or_default());
    row
}

/// From the first level to the last, as a share of the first; the difference itself from 0, from what is not told from 0, and
/// across 0, where a percentage misleads. A column of shares is not sorted by differences.
fn change(movement: &Movement) -> Option<Cell> {
    let difference = movement.last - movement.first;
    let share = difference / movement.first.abs();
    let misleads = movement.starts_near_zero || movement.first * movement.last < 0.0 || !share.is_finite();
    let share = (!misleads).then_some(share);
    let text = tabular_change(share, difference).into();
    difference.is_finite().then_some(Cell { text, value: share })
}

/// The correlation of a metric with the step (Pearson), -1 to 1; none of a metric that does not vary, and of a run whose
/// values are not here.
fn correlation(run: &Run, key: &str) -> Option<Cell> {
    if run.warnings.contains(&RunWarning::ReportOnly) {
        return None;
    }
    let series = run.series(key)?.finite();
    let value = stats::pearson(&series.steps, &series.values)?;
    Some(Cell::number(tabular(hundredths(value)), value))
}

/// The best value and its step, where the metric has a better direction and moved.
fn best(movement: &Movement) -> Option<Cell> {
    let is_level = |level: f64| level == movement.last || level.is_nan();
    let is_still = movement.first == movement.last && is_level(movement.mid) && movement.best == movement.last;
    if movement.slope.is_nan() || movement.best.is_nan() || is_still {
        return None;
    }
    Some(Cell::number(rich!("{} ({})", tabular(movement.best), tabular(movement.best_step)), movement.best))
}

/// True when a table by itself is worth the section of an area.
fn has_table(run: &Run, area: Area) -> bool {
    small_tables(run).iter().any(|(name, _)| match area {
        Area::Evaluation => is_held_out(name) && !name.contains("rubric"),
        Area::Rubric => name.contains("rubric"),
        _ => false,
    })
}

/// The tables that a run logged of its evaluation or of its rubric, as they were last.
fn logged_tables(run: &Run, area: Area) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (name, logged) in small_tables(run) {
        if name.contains("rubric") != (area == Area::Rubric) {
            continue;
        }
        blocks.push(Block::text(rich!("The table {} as it was logged last:", key(name))));
        let is_whole = |row: &&Vec<run::LoggedCell>| row.len() == logged.columns.len();
        blocks.push(Block::Table(Table {
            columns: logged.columns.iter().map(TableColumn::words).collect(),
            rows: logged.rows.iter().filter(is_whole).map(|row| row.iter().map(cell).collect()).collect(),
            ..Table::default()
        }));
    }
    blocks
}

fn cell(logged: &run::LoggedCell) -> Cell {
    match logged {
        run::LoggedCell::Null => Cell::default(),
        run::LoggedCell::Bool(value) => Cell::text(value.to_string()),
        run::LoggedCell::Number(value) => Cell::tabular(*value),
        run::LoggedCell::Text(text) => Cell::text(cut(text, LONGEST_CELL).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_diagnose::{Rulebook, diagnose};

    fn rows(of: fn(f64) -> f64) -> (Run, Vec<Vec<Option<f64>>>) {
        let mut run = Run::default();
        for step in 0..60_u32 {
            let row = run.push_row(f64::from(step), f64::NAN);
            run.push_value("train/kl", row, of(f64::from(step)));
        }
        run.choose_axis();
        let diagnosis = diagnose(&run, &Rulebook::default());
        let movements: Vec<&Movement> = diagnosis.movements.iter().collect();
        let blocks = table(&run, &movements);
        let Some(Block::Table(table)) = blocks.into_iter().next() else { return (run, Vec::new()) };
        let places: Vec<usize> = ["Change", "Correlation with step"]
            .iter()
            .map(|name| table.columns.iter().position(|column| column.name.to_string() == *name).unwrap())
            .collect();
        (
            run,
            table
                .rows
                .iter()
                .map(|row| places.iter().map(|place| row[*place].value.map(hundredths)).collect())
                .collect(),
        )
    }

    #[test]
    fn change_and_correlation_share_a_row_with_the_levels() {
        // Levels of five points: 2 at the start, 57 at the end.
        let (mut run, found) = rows(|step| step);
        assert_eq!(found, [[Some(27.5), Some(1.0)]]);
        run.warnings.push(RunWarning::ReportOnly);
        assert_eq!(correlation(&run, "train/kl"), None, "thinned curves have another correlation");
    }

    #[test]
    fn a_change_from_near_zero_or_across_it_is_a_difference_and_a_large_one_a_multiple() {
        let words = |first: f64, last: f64, starts_near_zero: bool| {
            let (concept, key) = (rundown_vocabulary::Concept::KlToReference, String::new());
            let levels = Movement {
                concept,
                key,
                first,
                starts_near_zero,
                mid: first,
                last,
                best: last,
                best_step: 1.0,
                slope: 1.0,
            };
            change(&levels).map(|cell| cell.plain())
        };
        let found = |first, last, is_near| words(first, last, is_near).unwrap_or_default();
        assert_eq!(found(0.002, 0.13, false), "65 times");
        assert_eq!(found(0.1, 0.13, false), "+30.0 %");
        assert_eq!(
            [found(0.1, 0.13, true), found(0.0, 0.13, false), found(-0.1, 0.13, false)],
            ["+0.03", "+0.13", "+0.23"]
        );
        assert_eq!(words(f64::NAN, 0.13, false), None);
    }

    #[test]
    fn a_start_within_its_noise_of_zero_has_no_percentage() {
        // Means of five points: 0 at the start, as much noise as later.
        let (run, _) = rows(|step| if step < 30.0 { 0.01 * ((step * 7.0) % 5.0 - 1.9) } else { 0.05 });
        let diagnosis = diagnose(&run, &Rulebook::default());
        assert!(diagnosis.movements.iter().all(|movement| movement.starts_near_zero), "{:?}", diagnosis.movements);
    }

    #[test]
    fn two_points_have_no_middle() {
        let levels = |values: &[f64]| {
            let mut run = Run::default();
            for (step, value) in values.iter().enumerate() {
                let row = run.push_row(step as f64, f64::NAN);
                run.push_value("train/reward", row, *value);
            }
            run.choose_axis();
            let diagnosis = diagnose(&run, &Rulebook::default());
            let movement = diagnosis.movements.iter().find(|movement| movement.key == "train/reward").unwrap();
            let row = row(&run, movement, true);
            [2, 3, 4, 6].map(|place| row[place].plain())
        };
        assert_eq!(levels(&[0.25, 0.75]), ["0.25", "", "0.75", "0.75 (1)"]);
        assert_eq!(levels(&[0.25, 0.25]), ["0.25", "", "0.25", ""], "what stands still has no best point");
        assert_eq!(levels(&[0.25, 0.5, 0.75]), ["0.25", "0.5", "0.75", "0.75 (2)"]);
    }

    #[test]
    fn no_share_across_zero_and_no_correlation_of_a_constant() {
        assert_eq!(rows(|step| step - 30.0).1, [[None, Some(1.0)]]);
        assert_eq!(rows(|_| 0.25).1, [[Some(0.0), None]]);
    }
}
