//! What went well: the measure of the run and the checks that found nothing. A good run deserves evidence too.

use crate::app::chart::{Shading, evidence_chart};
use crate::app::dom::{El, dd, div, dl, dt, h2, p, section};
use crate::app::store::Store;
use crate::app::text;
use crate::engine::messages::{CheckNote, RunView, SeverityMark, VerdictMark};

/// Checks shown beside the chart; the others are in the list below.
const SHOWN: usize = 6;

/// The card of a good run; nothing for the others.
pub fn what_went_well(store: Store, view: &RunView) -> Option<El> {
    if view.verdict != VerdictMark::Good {
        return None;
    }
    let measure = store.list.get_untracked().measure.clone();
    let key = match measure.is_empty() {
        false => Some(measure),
        true => view.bindings.first().map(|binding| binding.key.clone()),
    };
    let chart = key.map(|key| {
        let shade = Shading { onset: f64::NAN, end: f64::NAN, severity: SeverityMark::Note };
        div().class("shown").child(evidence_chart(store, view.run, vec![key], shade))
    });
    let told = div().class("told").child((
        div().class("card-head").child(h2().id("well-title").child("What went well")),
        p().child(lead(view)),
        notes(view.quiet.get(..SHOWN).unwrap_or(&view.quiet)),
    ));
    Some(section().class("panel card good").attr("aria-labelledby", "well-title").child((told, chart)))
}

/// Checks with their numbers.
pub fn notes(notes: &[CheckNote]) -> El {
    dl().class("notes").each(notes, |note| (dt().child(note.name.as_str()), dd().child(note.text.as_str())))
}

fn lead(view: &RunView) -> String {
    let checks = text::count(view.quiet.len(), "check", "checks");
    let steps = format!("from step {} to {}", text::step(view.steps.0), text::step(view.steps.1));
    let what = if view.findings.is_empty() { "No incident" } else { "Nothing serious" };
    let which = if view.quiet.len() > SHOWN { "among them:" } else { "with these numbers:" };
    format!("{what} {steps}. {checks} looked and found nothing, {which}")
}
