//! The question which metric is the reward, where no key of the run is known to be one: an answer is written into the
//! settings and all runs are diagnosed again.

use std::sync::Arc;

use leptos::prelude::*;

use crate::app::chart::EvidenceChart;
use crate::app::state::AppState;
use rundown_protocol::{MeasureCandidate, Request, RunView};

/// The likeliest metrics with their curves; nothing where the run has a reward or an evaluation.
#[component]
pub fn Candidates(view: Arc<RunView>) -> impl IntoView {
    if view.candidates.is_empty() {
        return None;
    }
    let run = view.run;
    let candidates = view.candidates.iter().cloned();
    let candidates = candidates.map(|candidate| view! { <Candidate run candidate /> }).collect_view();
    Some(view! {
        <section class="panel card candidates" aria-labelledby="candidates-title">
            <div class="card-head"><h2 id="candidates-title">"Which metric is the reward?"</h2></div>
            <p>
                "No metric of this run was recognised as a reward or an evaluation, so it is unknown whether the run learns. "
                "Your answer is saved in the settings and applies to all runs with that metric."
            </p>
            <div class="candidate-grid">{candidates}</div>
        </section>
    })
}

#[component]
fn Candidate(run: u32, candidate: MeasureCandidate) -> impl IntoView {
    let app = AppState::of_page();
    let MeasureCandidate { key, concept, answers } = candidate;
    let answer = |(words, meaning): (String, String)| {
        let label = format!("{key}: {words}");
        let choice = (key.clone(), meaning);
        view! { <button aria-label=label on:click=move |_| choose(app, choice.clone())>{words}</button> }
    };
    let answers = answers.into_iter().map(answer).collect_view();
    view! {
        <div class="candidate" data-metric=key.clone()>
            <EvidenceChart run keys=vec![key.clone()] shade=None />
            <p class="muted">{format!("Is this the {concept}?")}</p>
            <div class="buttons">{answers}</div>
        </div>
    }
}

fn choose(app: AppState, (key, meaning): (String, String)) {
    let request = Request::WriteMetric { settings: app.settings.get_untracked(), key, meaning };
    app.engine.ask_for(request, move |text| match text {
        Ok(text) => app.apply_settings(text, move |outcome| {
            if let Err(error) = outcome {
                app.fault.set(Some(error));
            }
        }),
        Err(error) => app.fault.set(Some(error.to_string())),
    });
}
