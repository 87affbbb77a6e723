//! Why a run is good or undecided, beside the curve of its measure: such a run has no finding to show them.

use std::sync::Arc;

use leptos::prelude::*;

use crate::app::chart::{ChartGroup, EvidenceChart};
use crate::app::content::Blocks;
use rundown_protocol::RunView;

/// The card of a run whose verdict no finding explains; nothing for the others.
#[component]
pub fn VerdictReasons(view: Arc<RunView>, charts: ChartGroup) -> impl IntoView {
    let reasons = view.verdict_reasons.as_ref()?;
    let run = view.run;
    let measure = &view.measure;
    let chart = (!measure.is_empty()).then(|| {
        let keys = vec![measure.clone()];
        view! { <div class="shown"><EvidenceChart run keys shade=None group=charts /></div> }
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
