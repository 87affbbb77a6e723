//! What went well: the measure of the run and the checks that found nothing. A good run deserves evidence too.

use crate::app::blocks::{Tables, blocks};
use crate::app::chart::{Shading, evidence_chart};
use crate::app::dom::{El, div, h2, section};
use crate::app::store::Store;
use crate::protocol::{RunView, SeverityMark};

/// The card of a good run; nothing for the others.
pub fn what_went_well(store: Store, view: &RunView) -> Option<El> {
    if view.well.is_empty() {
        return None;
    }
    let shared = store.list.get_untracked().measure.clone();
    let key = if shared.is_empty() { view.measure.clone() } else { shared };
    let chart = (!key.is_empty()).then(|| {
        let shade = Shading { onset: f64::NAN, end: f64::NAN, severity: SeverityMark::Note };
        div().class("shown").child(evidence_chart(store, view.run, vec![key], shade))
    });
    let text = div().class("finding-text").child((
        div().class("card-head").child(h2().id("well-title").child("What went well")),
        blocks(&view.well, Tables::Still),
    ));
    Some(section().class("panel card good").attr("aria-labelledby", "well-title").child((text, chart)))
}
