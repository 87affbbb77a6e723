//! Verdicts and severities as shapes: told apart without colour, and the same in every font.

use leptos::prelude::*;

use rundown_protocol::{SeverityMark, VerdictMark};

const TRIANGLE: &str = "M5 .8 9.6 9H.4z";
const SQUARE: &str = "M1 1h8v8H1z";
const DISC: &str = "M1 5a4 4 0 1 0 8 0a4 4 0 1 0-8 0z";
const SMALL_DISC: &str = "M2 5a3 3 0 1 0 6 0a3 3 0 1 0-6 0z";

/// The shape of a verdict. Decoration: the word stands beside it or is said to a screen reader.
#[component]
pub fn Verdict(
    /// The verdict.
    verdict: VerdictMark,
) -> impl IntoView {
    match verdict {
        VerdictMark::Good => shape("mark good", DISC),
        // A ring: the style sheet strokes it and leaves it empty.
        VerdictMark::Undecided => shape("mark undecided", SMALL_DISC),
        VerdictMark::Bad => shape("mark bad", TRIANGLE),
        VerdictMark::Ugly => shape("mark ugly", SQUARE),
    }
}

/// The shape of a severity. Decoration, as that of a verdict.
#[component]
pub fn Severity(
    /// The severity.
    severity: SeverityMark,
) -> impl IntoView {
    match severity {
        SeverityMark::Note => shape("mark note", SMALL_DISC),
        SeverityMark::Warning => shape("mark bad", TRIANGLE),
        SeverityMark::Critical => shape("mark ugly", SQUARE),
    }
}

/// The class that colours what belongs to a severity.
pub fn severity_class(severity: SeverityMark) -> &'static str {
    match severity {
        SeverityMark::Note => "note",
        SeverityMark::Warning => "bad",
        SeverityMark::Critical => "ugly",
    }
}

fn shape(class: &'static str, path: &'static str) -> impl IntoView {
    view! { <svg class=class viewBox="0 0 10 10" aria-hidden="true"><path d=path /></svg> }
}
