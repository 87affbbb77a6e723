//! How many runs are good, undecided, bad and ugly. Each count selects its runs in the list, and all runs when it is chosen again.

use leptos::prelude::*;

use crate::app::content::mark;
use crate::app::state::AppState;
use rundown_protocol::VerdictMark;

/// In the order of the list by verdict.
const VERDICTS: [VerdictMark; 4] = [VerdictMark::Good, VerdictMark::Undecided, VerdictMark::Bad, VerdictMark::Ugly];

/// The counts of all runs, whatever the filter; nothing for a single run.
#[component]
pub fn VerdictCounts() -> impl IntoView {
    let app = AppState::of_page();
    let counts = Memo::new(move |_| {
        app.runs.list.with(|list| VERDICTS.map(|verdict| list.runs.iter().filter(|row| row.verdict == verdict).count()))
    });
    let is_single = move || counts.with(|counts| counts.iter().sum::<usize>() < 2);
    let button = |(index, verdict): (usize, VerdictMark)| {
        let count = Signal::derive(move || counts.with(|counts| counts.get(index).copied().unwrap_or_default()));
        view! { <VerdictCount verdict count /> }
    };
    view! {
        <div class="verdict-counts" role="group" aria-label="Runs by verdict" hidden=is_single>
            {VERDICTS.into_iter().enumerate().map(button).collect_view()}
        </div>
    }
}

/// One of them; hidden where no run has this verdict.
#[component]
fn VerdictCount(
    /// The verdict.
    verdict: VerdictMark,
    /// Runs that have it.
    count: Signal<usize>,
) -> impl IntoView {
    let app = AppState::of_page();
    let filter = app.address.part(|state| state.filter.clone());
    let query = format!("verdict == {}", verdict.word());
    let is_chosen = {
        let query = query.clone();
        Memo::new(move |_| filter.with(|filter| *filter == query))
    };
    let title = move || match (is_chosen.get(), filter.with(String::is_empty)) {
        (true, _) => "Show all runs again".to_owned(),
        (false, true) => format!("List only {} runs", verdict.word()),
        (false, false) => format!("List only {} runs (replaces the current filter)", verdict.word()),
    };
    let choose = move |_| {
        let filter = if is_chosen.get_untracked() { String::new() } else { query.clone() };
        app.address.choose(|state| state.filter = filter);
    };
    view! {
        <button
            type="button"
            title=title
            aria-pressed=move || is_chosen.get().to_string()
            hidden=move || count.get() == 0
            on:click=choose
        >
            <mark::Verdict verdict />
            <span>
                <strong>{count}</strong>
                " "
                {verdict.word()}
            </span>
        </button>
    }
}
