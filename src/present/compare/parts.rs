//! Cells and sentences that the comparisons share.

use crate::compare::Entry;
use crate::content::{Block, Cell, Span, Table};
use crate::format::{number, redact};

/// Width of a figure in CSS pixels.
pub(super) const WIDTH: f64 = 720.0;
/// Most rows of a table, and most runs that are drawn or told one by one.
pub(super) const ROWS: usize = 50;
pub(super) const DRAWN: usize = 8;

/// A 99 % interval in halves of a 95 % one: whoever leads was picked for it, so a lead has to show more.
const SURE: f64 = 2.576 / 1.96;

/// True for a lead that is beyond its error, of which half of the 95 % interval is given: the 99 % interval decides.
pub(super) fn is_sure(lead: f64, half: f64) -> bool {
    lead > SURE * half
}

/// Half of the interval of a difference, from those of both sides.
pub(super) fn of_both(one: f64, other: f64) -> f64 {
    (one * one + other * other).sqrt()
}

/// A large count in words: `789 million`; others as they are.
pub(super) fn count(value: f64) -> String {
    match value {
        value if value >= 1e12 => number(value),
        value if value >= 1e9 => format!("{:.2} billion", value / 1e9),
        value if value >= 1e6 => format!("{:.1} million", value / 1e6),
        value => number(value.round()),
    }
}

/// A value with half of its 95 % interval, both to the digits that the interval leaves: `1540 ± 24`. Without one, the
/// value alone.
pub(super) fn plus_minus(value: f64, half: f64) -> String {
    if !(half.is_finite() && half > 0.0 && value.is_finite()) {
        return number(value);
    }
    let decade = libm::floor(libm::log10(half));
    if !(-6.0..7.0).contains(&decade) || value.abs() >= 1e9 {
        return format!("{} ± {}", number(value), number(half));
    }
    let decimals = (1.0 - decade).clamp(0.0, 7.0) as usize;
    format!("{value:.decimals$} ± {half:.decimals$}")
}

/// [`plus_minus`] as a cell, sorted by the value.
pub(super) fn measured(value: f64, half: f64) -> Cell {
    Cell::number(plus_minus(value, half), value)
}

/// A number as a cell, empty where it is unknown.
pub(super) fn maybe(value: Option<f64>) -> Cell {
    value.map_or_else(Cell::default, |value| Cell::number(number(value), value))
}

/// A share in percent, with one decimal.
pub(super) fn share(share: f64) -> String {
    if share.is_finite() { format!("{:.1} %", 100.0 * share) } else { number(share) }
}

/// A share as a cell, empty where it is unknown.
pub(super) fn maybe_share(value: Option<f64>) -> Cell {
    value.map_or_else(Cell::default, |value| Cell::number(share(value), value))
}

/// The name of a run without secrets; its id where it has none.
pub(super) fn name(entry: &Entry) -> String {
    redact(if entry.name.is_empty() { &entry.id } else { &entry.name }).into_owned()
}

/// A run as a cell.
pub(super) fn run(entry: &Entry) -> Cell {
    Cell::run(entry.number, name(entry))
}

/// A name from a file as a cell.
pub(super) fn key(key: &str) -> Cell {
    Cell::key(redact(key).into_owned())
}

/// A sentence in the making.
#[derive(Default)]
pub(super) struct Sentence(Vec<Span>);

impl Sentence {
    /// Adds plain words.
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.0.push(Span::Text(text.into()));
        self
    }

    /// Adds a run.
    pub fn run(mut self, entry: &Entry) -> Self {
        self.0.push(Span::Run(entry.number, name(entry)));
        self
    }

    /// Adds a key or a name from a file.
    pub fn key(mut self, key: &str) -> Self {
        self.0.push(Span::Key(redact(key).into_owned()));
        self
    }

    /// The paragraph.
    pub fn block(self) -> Block {
        Block::Text(self.0)
    }

    /// Its spans, for a list.
    pub fn spans(self) -> Vec<Span> {
        self.0
    }
}

/// Adds a table that has rows, cut to its first ones.
pub(super) fn push(blocks: &mut Vec<Block>, mut table: Table) {
    if table.rows.is_empty() {
        return;
    }
    let more = table.rows.len().saturating_sub(ROWS);
    table.rows.truncate(ROWS);
    table.left_out += u32::try_from(more).unwrap_or(u32::MAX);
    blocks.push(Block::Table(table));
}

/// Adds a list that has items.
pub(super) fn push_list(blocks: &mut Vec<Block>, items: Vec<Vec<Span>>) {
    if !items.is_empty() {
        blocks.push(Block::List(items));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_decides_on_the_digits() {
        for (value, half, text) in [
            (1540.3, 24.2, "1540 ± 24"),
            (0.301_84, 0.002_2, "0.3018 ± 0.0022"),
            (6.98, 0.31, "6.98 ± 0.31"),
            (0.5, f64::NAN, "0.5"),
            (0.5, 0.0, "0.5"),
            (1e300, 1e290, "1e300 ± 1e290"),
        ] {
            assert_eq!(plus_minus(value, half), text);
        }
        assert_eq!(share(0.8918), "89.2 %");
        assert_eq!((count(788_693_400.0), count(12.4)), ("788.7 million".to_owned(), "12".to_owned()));
        assert!(is_sure(14.0, 10.0) && !is_sure(12.0, 10.0) && !is_sure(f64::NAN, 1.0));
    }

    #[test]
    fn a_secret_in_a_name_does_not_come_through() {
        let secret = "hf_abcdefghijklmnopqrstuvwxyz012345";
        let entry = Entry { name: format!("run {secret}"), ..Entry::default() };
        assert!(!name(&entry).contains(secret));
        assert!(
            Sentence::default().key(secret).spans().iter().all(|span| !matches!(span, Span::Key(key) if key == secret))
        );
    }
}
