//! Why a run is good or undecided, beside the curve of its measure: such a run has no finding to show them.

use std::sync::Arc;

use leptos::prelude::*;

use crate::app::chart::{ChartGroup, EvidenceChart};
use crate::app::content::Blocks;
use crate::app::state::AppState;
use rundown_protocol::RunView;

/// The card of a run whose verdict no finding explains; nothing for the others.
#[component]
pub fn VerdictReasons(view: Arc<RunView>, charts: ChartGroup) -> impl IntoView {
    let reasons = view.verdict_reasons.as_ref()?;
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
        <section class=format!("panel card {}", view.verdict.word()) aria-labelledby="verdict-reasons-title">
            <div class="finding-text">
                <div class="card-head"><h2 id="verdict-reasons-title">{reasons.title.clone()}</h2></div>
                <Blocks blocks=reasons.blocks.clone() />
            </div>
            {chart}
        </section>
    })
}
