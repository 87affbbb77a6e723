//! The Report view: what can be kept of the answers, as it will be in the file.

use super::blocks::{Tables, blocks};
use super::dom::{El, Part, article, command, div, fieldset, h1, input, label, legend, live, p, span};
use super::download::{copy_text, save_text};
use super::reactive::{State, untrack};
use super::store::Store;
use super::{answer, text};
use crate::format::counted;
use crate::protocol::{Reply, ReportFormat, Request};

/// The report on one run or all.
pub fn report_view(store: Store) -> Part {
    let all = State::new(false);
    let question = move |format: ReportFormat| {
        let runs = if all.get() { Vec::new() } else { vec![store.shown()] };
        Request::Report { runs, format }
    };
    let reply = answer::ask(store, move || question(ReportFormat::Preview));
    let name = move || {
        let project = store.list.get().project.clone();
        let words = if all.get() { project } else { store.name_of(store.shown()) };
        format!("rundown-{}", text::file_name(&words))
    };
    // Asked anew and not taken from the preview, which may still be that of the question before.
    let fetch = move |format: ReportFormat, then: fn(Store, String, String)| {
        let (name, question) = untrack(|| (name(), question(format)));
        store.engine.ask(question, move |answer| match answer {
            Ok((Reply::Report(report), _)) => then(store, name, report),
            Ok(_) => store.fault.set(Some("Unexpected reply from the engine: reload the page.".to_owned())),
            Err(error) => store.fault.set(Some(format!("The report can't be written: {error}"))),
        });
    };
    let save_markdown = move || {
        fetch(ReportFormat::Markdown, |store, name, report| {
            save(store, &format!("{name}.md"), "text/markdown;charset=utf-8", &report);
        });
    };
    let save_json = move || {
        fetch(ReportFormat::Json, |store, name, report| {
            save(store, &format!("{name}.json"), "application/json", &report);
        });
    };
    let save_html = move || {
        fetch(ReportFormat::Html, |store, name, report| {
            save(store, &format!("{name}.html"), "text/html;charset=utf-8", &report);
        });
    };
    let export = move || {
        fetch(ReportFormat::Runs, |store, name, report| {
            save(store, &format!("{name}.rundown.jsonl"), "application/jsonl", &report);
        });
    };
    let copy = move || fetch(ReportFormat::Markdown, |store, _, report| copy_text(store, report));
    let preview = live(move || match reply.get() {
        None => p().class("muted").attr("role", "status").child("Writing the report…"),
        Some(Err(text)) => p().class("banner").child(format!("The report can't be written: {text}")),
        Some(Ok(reply)) => match &*reply {
            Reply::Project(report) => article()
                .class("panel report")
                .attr("aria-label", "Preview")
                .child(blocks(&report.blocks, Tables::Still)),
            _ => p().class("banner").child("Unexpected reply from the engine: reload the page."),
        },
    });
    let commands = div().class("buttons").child((
        command("Download .md", save_markdown),
        command("Download .json", save_json),
        command("Download .html", save_html),
        command("Export runs", export).attr("title", "Whole runs with every value, to be dropped here again"),
        command("Copy", copy),
    ));
    div()
        .class("report-view")
        .child((h1().child("Report"), div().class("report-tools").child((scope(store, all), commands)), preview))
        .view()
}

fn scope(store: Store, all: State<bool>) -> El {
    let choice = move |value: bool, words: El| {
        let chosen = move || all.get() == value;
        let radio = input().attr("type", "radio").attr("name", "scope").switch("checked", chosen);
        label().child((radio.on("change", move |_| all.set(value)), words))
    };
    let runs = move || format!("All {}", counted(store.list.get().runs.len(), "run"));
    fieldset().class("scope").child((
        legend().class("visually-hidden").child("Runs in the report"),
        choice(false, span().child("This run")),
        choice(true, span().says(runs)),
    ))
}

fn save(store: Store, name: &str, kind: &str, text: &str) {
    if save_text(name, kind, text).is_err() {
        store.fault.set(Some("The browser did not allow the download. Copy the report instead.".to_owned()));
    }
}
