//! The question which metric is the reward, where no key of the run is known to be one: an answer is written into the
//! settings and all runs are diagnosed again.

use crate::app::chart::{Shading, evidence_chart};
use crate::app::dom::{El, command, div, h2, p, section};
use crate::app::store::Store;
use crate::protocol::{MeasureCandidate, RunView, SeverityMark};

/// The likeliest metrics with their curves; nothing where the run has a reward or an evaluation.
pub fn question(store: Store, view: &RunView) -> Option<El> {
    if view.candidates.is_empty() {
        return None;
    }
    let why = "No metric of this run is known to be its reward or an evaluation, so nothing says whether it learns. The \
               answer is kept in the settings and counts for all runs with that metric.";
    let run = view.run;
    Some(section().class("panel card candidates").attr("aria-labelledby", "candidates-title").child((
        div().class("card-head").child(h2().id("candidates-title").child("Which metric is the reward?")),
        p().child(why),
        div().class("candidate-grid").each(&view.candidates, |candidate| answers(store, run, candidate)),
    )))
}

fn answers(store: Store, run: u32, candidate: &MeasureCandidate) -> El {
    let none = Shading { onset: f64::NAN, end: f64::NAN, severity: SeverityMark::Note };
    let button = |(words, meaning): &(String, String)| {
        let choice = (candidate.key.clone(), meaning.clone());
        let label = format!("{}: {words}", candidate.key);
        command(words.clone(), move || choose(store, choice.clone())).attr("aria-label", label)
    };
    div().class("candidate").attr("data-metric", candidate.key.clone()).child((
        evidence_chart(store, run, vec![candidate.key.clone()], none),
        p().class("muted").child(format!("Is this the {}?", candidate.concept)),
        div().class("buttons").each(&candidate.answers, button),
    ))
}

fn choose(store: Store, choice: (String, String)) {
    let settings = store.settings.get_untracked();
    store.engine.write_metric(settings, choice, move |answer| match answer {
        Ok(text) => {
            store.settings.set(text.clone());
            store.engine.apply(text, move |answer| store.settle(answer));
        }
        Err(error) => store.fault.set(Some(error.to_string())),
    });
}
