//! The rows of the truth table: faults and healthy shapes, on seeds that rules were tuned on and on fresh ones.

use super::case::Case;
use super::labels::exists;
use super::score::{Outcome, Tally, tally};
use super::style::Style;

/// Cases with what came of them.
pub struct Measured<'m> {
    pub cases: &'m [&'m Case],
    pub tuned: &'m [Outcome],
    pub fresh: &'m [Outcome],
}

pub const FAULTS: [&str; 13] = [
    "code", "fault", "found", "95 % interval", "found, fresh seeds", "95 % interval, fresh", "TRL", "verl", "OpenRLHF",
    "plain", "warned", "onset off by", "lead",
];

pub const SHAPES: [&str; 7] = [
    "healthy shape", "with a critical", "95 % interval", "with a critical, fresh seeds", "95 % interval, fresh",
    "with a warning, fresh seeds", "findings (runs)",
];

pub const FEW: [&str; 5] = ["code", "fault", "found", "found, fresh seeds", "95 % interval, fresh"];

impl Measured<'_> {
    fn tallies(&self, index: usize) -> [Tally; 2] {
        [self.tuned, self.fresh].map(|outcomes| tally(outcomes.iter().filter(|outcome| outcome.case == index)))
    }

    /// Indices of the faults, or of the healthy shapes, that were measured.
    fn indices(&self, is_fault: bool) -> impl Iterator<Item = usize> {
        let is_measured = |index: &usize| self.tuned.iter().any(|outcome| outcome.case == *index);
        (0..self.cases.len()).filter(move |index| self.cases[*index].codes.is_empty() != is_fault).filter(is_measured)
    }

    /// One row for each fault, in the order of the cases.
    pub fn faults(&self) -> Vec<Vec<String>> {
        self.indices(true).map(|index| self.fault(index)).collect()
    }

    fn fault(&self, index: usize) -> Vec<String> {
        let case = self.cases[index];
        let [tuned, fresh] = self.tallies(index);
        let code = case.codes[0];
        let is_sources = tuned.by_style.contains_key(&Style::Sources);
        let style = |style: &Style| match tuned.by_style.get(style) {
            _ if is_sources => "-".to_owned(),
            None | Some((0, _)) => "not logged".to_owned(),
            Some((runs, found)) => percent(*found as f64 / *runs as f64),
        };
        let mut row = vec![code.to_owned(), case.name.to_owned()];
        for tally in [&tuned, &fresh] {
            let found = tally.seeds(|seed| seed.is_found);
            let is_checked = exists(code) || found.count > 0;
            row.push(if is_checked { found.counted() } else { "no check yet".to_owned() });
            row.push(if is_checked { found.interval() } else { "-".to_owned() });
        }
        row.extend(Style::TRAINING.iter().map(style));
        row.push(percent(tuned.warned as f64 / tuned.runs.max(1) as f64));
        row.push(tuned.onset_error().map_or_else(|| "-".to_owned(), |error| format!("{:.1} %", 100.0 * error)));
        row.push(tuned.lead().map_or_else(|| "-".to_owned(), percent));
        row
    }

    /// One row for each fault, with what was found alone.
    pub fn few(&self) -> Vec<Vec<String>> {
        let row = |index: usize| {
            let [tuned, fresh] = self.tallies(index).map(|tally| tally.seeds(|seed| seed.is_found));
            let case = self.cases[index];
            vec![case.codes[0].to_owned(), case.name.to_owned(), tuned.counted(), fresh.counted(), fresh.interval()]
        };
        self.indices(true).map(row).collect()
    }

    /// One row for each healthy shape.
    pub fn shapes(&self) -> Vec<Vec<String>> {
        self.indices(false).map(|index| self.shape(index)).collect()
    }

    fn shape(&self, index: usize) -> Vec<String> {
        let tallies = self.tallies(index);
        let mut row = vec![self.cases[index].name.to_owned()];
        for tally in &tallies {
            let critical = tally.seeds(|seed| seed.is_critical);
            row.extend([critical.counted(), critical.interval()]);
        }
        row.push(tallies[1].seeds(|seed| seed.is_warned).counted());
        let findings: Vec<String> = ["", " fresh"]
            .iter()
            .zip(&tallies)
            .flat_map(|(of, tally)| tally.accused.iter().map(move |(code, runs)| format!("{code} ({runs}{of})")))
            .collect();
        row.push(findings.join(", "));
        row
    }

    /// What was counted of all healthy shapes: on tuned seeds, on fresh ones.
    pub fn healthy(&self) -> [Tally; 2] {
        [self.tuned, self.fresh]
            .map(|outcomes| tally(outcomes.iter().filter(|outcome| self.cases[outcome.case].codes.is_empty())))
    }
}

/// A share as whole percents, but never 100 % or 0 % for what is not all or nothing.
pub fn percent(share: f64) -> String {
    let whole = (100.0 * share).round();
    let whole = if share < 1.0 { whole.min(99.0) } else { whole };
    let whole = if share > 0.0 { whole.max(1.0) } else { whole };
    format!("{whole:.0} %")
}
