//! The rows of the truth table: faults and healthy shapes.

use super::case::Case;
use super::labels::exists;
use super::markdown::markdown;
use super::score::{Outcome, Tally, tally};
use super::style::Style;

/// One row for each fault, in the order of the cases.
pub fn faults(cases: &[&Case], outcomes: &[Outcome], healthy: &Tally) -> String {
    let header = [
        "code",
        "fault",
        "runs",
        "found",
        "TRL",
        "verl",
        "OpenRLHF",
        "plain",
        "warned",
        "onset off by",
        "lead",
        "healthy accused",
    ];
    let rows = cases.iter().enumerate().filter(|(_, case)| !case.codes.is_empty()).map(|(index, case)| {
        let tally = tally(outcomes.iter().filter(|outcome| outcome.case == index));
        let code = case.codes[0];
        let style = |style: Style| match tally.by_style.get(&style) {
            None | Some((0, _)) => "not logged".to_owned(),
            Some((runs, found)) => percent(*found as f64 / *runs as f64),
        };
        let is_sources = tally.by_style.contains_key(&Style::Sources);
        let by_style: Vec<String> =
            Style::TRAINING.iter().map(|of| if is_sources { "-".to_owned() } else { style(*of) }).collect();
        let found = match (exists(code), tally.found) {
            (false, 0) => "no check yet".to_owned(),
            (false, _) => format!("no check yet ({})", percent(tally.recall())),
            (true, _) => percent(tally.recall()),
        };
        let mut row = vec![code.to_owned(), case.name.to_owned(), tally.runs.to_string(), found];
        row.extend(by_style);
        row.push(percent(tally.warned as f64 / tally.runs.max(1) as f64));
        row.push(tally.onset_error().map_or_else(|| "-".to_owned(), |error| format!("{:.1} %", 100.0 * error)));
        row.push(tally.lead().map_or_else(|| "-".to_owned(), percent));
        row.push(healthy.accused.get(code).copied().unwrap_or(0).to_string());
        row
    });
    markdown(&header, &rows.collect::<Vec<_>>())
}

/// One row for each healthy shape.
pub fn shapes(cases: &[&Case], outcomes: &[Outcome]) -> String {
    let header = ["healthy shape", "runs", "with a critical", "warnings a run", "more than one", "said of them"];
    let rows = cases.iter().enumerate().filter(|(_, case)| case.codes.is_empty()).map(|(index, case)| {
        let tally = tally(outcomes.iter().filter(|outcome| outcome.case == index));
        let said: Vec<String> = tally.accused.iter().map(|(code, runs)| format!("{code} {runs}")).collect();
        vec![
            case.name.to_owned(),
            tally.runs.to_string(),
            percent(tally.criticals as f64 / tally.runs.max(1) as f64),
            format!("{:.2}", tally.warnings as f64 / tally.runs.max(1) as f64),
            percent(tally.over_one as f64 / tally.runs.max(1) as f64),
            said.join(", "),
        ]
    });
    markdown(&header, &rows.collect::<Vec<_>>())
}

/// A share as whole percents, but never 100 % or 0 % for what is not all or nothing.
pub fn percent(share: f64) -> String {
    let whole = (100.0 * share).round();
    let whole = if share < 1.0 { whole.min(99.0) } else { whole };
    let whole = if share > 0.0 { whole.max(1.0) } else { whole };
    format!("{whole:.0} %")
}
