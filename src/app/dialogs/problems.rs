//! Everything that could not be read, or was read with a remark.

use leptos::prelude::*;

use crate::app::state::AppState;
use crate::app::state::problems::{files, summary};
use rundown_format::{counted, plural};
use rundown_protocol::ProblemRow;

/// The list: what was lost first.
#[component]
pub fn Problems() -> impl IntoView {
    let app = AppState::of_page();
    move || {
        let list = app.runs.list.get();
        let (lost, remarks): (Vec<_>, Vec<_>) = list.problems.iter().cloned().partition(|row| row.lost);
        let with_remarks = files(&list.problems, false);
        let both = (!lost.is_empty() && with_remarks > 0)
            .then(|| format!(", {with_remarks} {}", plural(with_remarks, "file with a note", "files with notes")));
        let words = match summary(&list.problems) {
            Some(words) => format!("{words}{}: {}.", both.unwrap_or_default(), counted(list.problems.len(), "remark")),
            None => "Every file was read without a problem.".to_owned(),
        };
        let rows = lost.into_iter().chain(remarks).map(row).collect_view();
        view! {
            <p class="muted" id="problem-count">{words}</p>
            <ul class="problems">{rows}</ul>
        }
    }
}

fn row(problem: ProblemRow) -> impl IntoView {
    let kind = if problem.lost { "lost" } else { "note" };
    view! {
        <li class=kind>
            <code>{problem.file}</code>
            <span class="muted">{problem.place}</span>
            <p>{problem.text}</p>
        </li>
    }
}
