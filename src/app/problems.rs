//! What could not be read, and what went wrong: quiet lines, with the details one click away.

use super::dom::{Part, code, command, div, li, live, p, span, ul};
use super::reactive::State;
use super::store::{Dialog, Store};
use crate::format::plural;
use crate::protocol::ProblemRow;

/// "3 files had problems", which opens the list; nothing when there are none.
pub fn line(store: Store) -> Part {
    live(move || {
        let words = summary(&store.list.get().problems)?;
        Some(command(words, move || store.dialog.set(Some(Dialog::Problems))).id("problems").class("link"))
    })
}

/// The list: what was lost first.
pub fn list(store: Store) -> Part {
    let rows = store.list.get_untracked().problems.clone();
    let (lost, remarks): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.lost);
    ul().class("problems").each(lost, row).each(remarks, row).view()
}

/// What went wrong last, until it is dismissed.
pub fn banner(store: Store) -> Part {
    let notice = store.engine.notice();
    let dismissed = State::new(None::<String>);
    let shown =
        move || store.fault.get().or_else(|| notice.get().filter(|text| dismissed.get().as_ref() != Some(text)));
    let dismiss = move || {
        dismissed.set(notice.get_untracked());
        store.fault.set(None);
    };
    div()
        .attr("role", "alert")
        .child(live(move || {
            shown().map(|text| div().class("banner").child((p().child(text), command("Dismiss", dismiss))))
        }))
        .view()
}

fn row(problem: ProblemRow) -> Part {
    li().child((code().child(problem.file), span().class("muted").child(problem.place), p().child(problem.text))).view()
}

/// Files that lost something, else files with a remark.
fn summary(problems: &[ProblemRow]) -> Option<String> {
    let files = |lost: bool| {
        let mut files: Vec<&str> =
            problems.iter().filter(|row| row.lost == lost).map(|row| row.file.as_str()).collect();
        // The engine lists them by file.
        files.dedup();
        files.len()
    };
    match (files(true), files(false)) {
        (0, 0) => None,
        (0, remarks) => Some(format!("{remarks} {}", plural(remarks, "file with a note", "files with notes"))),
        (lost, _) => Some(format!("{lost} {}", plural(lost, "file had problems", "files had problems"))),
    }
}
