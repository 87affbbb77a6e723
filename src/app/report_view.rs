//! The Report view: what can be kept of the answers, as it will be in the file.

use leptos::prelude::*;

use crate::app::content::Blocks;
use crate::app::engine::question::answered;
use crate::app::state::AppState;
use rundown_format::{counted, file_name};
use rundown_protocol::{ProjectView, ReportFormat, Request};

/// The report on one run or all.
#[component]
pub fn ReportView() -> impl IntoView {
    let all = RwSignal::new(false);
    view! {
        <div class="report-view">
            <h1>"Report"</h1>
            <div class="report-tools">
                <Scope all />
                <HideNames />
                <Commands all />
            </div>
            <Preview all />
        </div>
    }
}

/// Whether the report is on the open run or on all.
#[component]
fn Scope(all: RwSignal<bool>) -> impl IntoView {
    let app = AppState::of_page();
    let choice = move |value: bool, words: AnyView| {
        view! {
            <label>
                <input
                    type="radio"
                    name="scope"
                    prop:checked=move || all.get() == value
                    on:change=move |_| all.set(value)
                />
                <span>{words}</span>
            </label>
        }
    };
    let runs = move || format!("All {}", counted(app.runs.list.with(|list| list.runs.len()), "run"));
    view! {
        <fieldset class="scope">
            <legend class="visually-hidden">"Runs in the report"</legend>
            {choice(false, "This run".into_any())}
            {choice(true, runs.into_any())}
        </fieldset>
    }
}

/// Whether files are without names of people and machines. The preview has them.
#[component]
fn HideNames() -> impl IntoView {
    let hides_names = AppState::of_page().hides_names;
    view! {
        <label title="In downloads and copies of reports, tables and charts: home folders, user names, e-mail and IP addresses, hosts. Keys and passwords are never included.">
            <input
                type="checkbox"
                id="hide-names"
                prop:checked=move || hides_names.get()
                on:change=move |event| hides_names.set(event_target_checked(&event))
            />
            " Hide names of people and machines"
        </label>
    }
}

/// What can be done with the report.
#[component]
fn Commands(all: RwSignal<bool>) -> impl IntoView {
    let app = AppState::of_page();
    // Asked anew and not taken from the preview, which may still be that of the question before.
    let fetch = move |format: ReportFormat, then: fn(AppState, String, String)| {
        let (name, question) = untrack(|| (report_name(app, all), question(app, all, format, app.hides_names.get())));
        app.engine.ask_for(question, move |report| match report {
            Ok(report) => then(app, name, report),
            Err(error) => app.fault.set(Some(format!("The report can't be written: {error}"))),
        });
    };
    let markdown = move |_| {
        fetch(ReportFormat::Markdown, |app, name, report| {
            app.save(&format!("{name}.md"), "text/markdown;charset=utf-8", &report);
        });
    };
    let json = move |_| {
        fetch(ReportFormat::Json, |app, name, report| app.save(&format!("{name}.json"), "application/json", &report));
    };
    let html = move |_| {
        fetch(ReportFormat::Html, |app, name, report| {
            app.save(&format!("{name}.html"), "text/html;charset=utf-8", &report);
        });
    };
    let export = move |_| {
        fetch(ReportFormat::Runs, |app, name, report| {
            app.save(&format!("{name}.rundown.jsonl"), "application/jsonl", &report);
        });
    };
    let copy = move |_| fetch(ReportFormat::Markdown, |app, _, report| app.copy(report));
    let print = move |_| {
        // A browser that refuses says so itself.
        let _ = window().print();
    };
    view! {
        <div class="buttons">
            <button on:click=markdown>"Download .md"</button>
            <button on:click=json>"Download .json"</button>
            <button on:click=html>"Download .html"</button>
            <button title="Complete runs with every value; drop the file here to open them again" on:click=export>"Export runs"</button>
            <button on:click=copy>"Copy"</button>
            <button on:click=print>"Print…"</button>
        </div>
    }
}

#[component]
fn Preview(all: RwSignal<bool>) -> impl IntoView {
    let app = AppState::of_page();
    let question = move || {
        app.runs.revision.track();
        question(app, all, ReportFormat::Preview, false)
    };
    let reply = answered::<ProjectView>(app.engine, question);
    move || match reply.get() {
        None => view! { <p class="muted" role="status">"Writing the report…"</p> }.into_any(),
        Some(Err(text)) => view! { <p class="banner">{format!("The report can't be written: {text}")}</p> }.into_any(),
        Some(Ok(report)) => {
            let blocks = report.blocks.clone();
            view! { <article class="panel report" aria-label="Preview"><Blocks blocks /></article> }.into_any()
        }
    }
}

fn question(app: AppState, all: RwSignal<bool>, format: ReportFormat, hides_names: bool) -> Request {
    let runs = if all.get() { Vec::new() } else { vec![app.runs.open_number()] };
    Request::Report { runs, format, hides_names }
}

/// Name of the file, without its ending.
fn report_name(app: AppState, all: RwSignal<bool>) -> String {
    let words =
        if all.get() { app.runs.list.with(|list| list.project.clone()) } else { app.runs.name(app.runs.open_number()) };
    format!("rundown-{}", file_name(&words))
}
