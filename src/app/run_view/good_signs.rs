//! What went well: the measure of the run and the checks that found nothing. A good run deserves evidence too.

use std::sync::Arc;

use leptos::prelude::*;

use crate::app::chart::{ChartGroup, EvidenceChart};
use crate::app::content::Blocks;
use crate::app::state::AppState;
use rundown_protocol::RunView;

/// The card of a good run; nothing for the others.
#[component]
pub fn GoodSigns(view: Arc<RunView>, charts: ChartGroup) -> impl IntoView {
    if view.good_signs.is_empty() {
        return None;
    }
    let run = view.run;
    // The metric of the run list where the run has it, so that runs can be compared; else its own.
    let shared = AppState::of_page().runs.list.with_untracked(|list| {
        let row = list.runs.iter().find(|row| row.run == run && row.value.is_some_and(f64::is_finite));
        row.map(|row| row.value_key.clone())
    });
    let key = shared.unwrap_or_else(|| view.measure.clone());
    let chart = (!key.is_empty()).then(|| {
        view! { <div class="shown"><EvidenceChart run keys=vec![key] shade=None group=charts /></div> }
    });
    Some(view! {
        <section class="panel card good" aria-labelledby="good-signs-title">
            <div class="finding-text">
                <div class="card-head"><h2 id="good-signs-title">"What went well"</h2></div>
                <Blocks blocks=view.good_signs.clone() />
            </div>
            {chart}
        </section>
    })
}
