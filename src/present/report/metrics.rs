//! How the metrics moved, area by area: training, answers, evaluation, performance and so on. An area without a metric
//! has no section.

use super::area::{AREAS, Area, area_of};
use super::facts::{facts, small_tables};
use super::summary_values;
use crate::content::{Block, Cell, Span, Table, TableColumn};
use crate::diagnose::{Diagnosis, Movement};
use crate::format::rich_text::key;
use crate::format::{counted, number, rich};
use crate::run::{self, Run};
use crate::vocabulary::is_held_out;

/// Rows of one concept in a table; the others are counted.
const ROWS: usize = 12;
/// Longest text of a logged table's cell, in characters.
const LONGEST_CELL: usize = 200;

pub(super) fn metrics(run: &Run, diagnosis: &Diagnosis) -> Vec<Block> {
    let mut blocks = vec![
        Block::section("How the metrics moved"),
        Block::text(match diagnosis.movements.is_empty() {
            true => "No recognised metric was logged.",
            false => {
                "First, middle and last are means of 5 % of the points (five at least); the slope is that of least \
                 squares, per 100 steps."
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
        blocks.extend(table(&movements));
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

fn table(movements: &[&Movement]) -> Vec<Block> {
    let mut shown: Vec<&Movement> = Vec::new();
    let mut left_out = 0;
    for movement in movements {
        let same = shown.iter().filter(|other| other.concept == movement.concept).count();
        if same < ROWS { shown.push(movement) } else { left_out += 1 }
    }
    if shown.is_empty() {
        return Vec::new();
    }
    let has_best = shown.iter().any(|movement| best(movement).is_some());
    let mut table = Table::new("", &["Quantity", "Metric", "#First 5 %", "#Middle 5 %", "#Last 5 %"]);
    table.columns.extend(has_best.then(|| TableColumn::numbers("Best (at step)")));
    table.columns.push(TableColumn::numbers("Slope"));
    table.rows = shown.into_iter().map(|movement| row(movement, has_best)).collect();
    let mut blocks = vec![Block::Table(table)];
    if left_out > 0 {
        blocks.push(Block::text(format!("Left out: {} of the same kind.", counted(left_out, "metric"))));
    }
    blocks
}

fn row(movement: &Movement, has_best: bool) -> Vec<Cell> {
    let value = |value: f64| Cell::number(number(value), value);
    let mut row = vec![
        Cell::text(movement.concept.words()),
        Cell { text: vec![Span::Metric(movement.key.clone())], value: None },
    ];
    // One point does not move.
    let has_moved = !movement.slope.is_nan();
    let moved = |number: f64| if has_moved { value(number) } else { Cell::default() };
    row.extend([moved(movement.first), moved(movement.mid), value(movement.last)]);
    if has_best {
        row.push(best(movement).unwrap_or_default());
    }
    row.push(moved(movement.slope));
    row
}

/// The best value and its step, where the metric has a better direction and moved.
fn best(movement: &Movement) -> Option<Cell> {
    let is_still = movement.first == movement.mid && movement.mid == movement.last && movement.best == movement.last;
    if movement.slope.is_nan() || movement.best.is_nan() || is_still {
        return None;
    }
    Some(Cell::number(format!("{} ({})", number(movement.best), number(movement.best_step)), movement.best))
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
        run::LoggedCell::Number(value) => Cell::number(number(*value), *value),
        run::LoggedCell::Text(text) => Cell::text(text.chars().take(LONGEST_CELL).collect::<String>()),
    }
}
