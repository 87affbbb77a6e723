//! Work for a page that waits for its first files: the list of runs and the view of one are made of a made-up run, laid
//! out, and dropped before anybody sees them. Browsers compile a function of WebAssembly when it is first called, and look
//! for a font when text is first set in it: without this the first verdict waits for both (docs/decisions/warm-up.md).

use std::sync::Arc;

use leptos::mount::mount_to;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::browser::timing::after;
use super::run_list::MadeUpList;
use super::run_view::MadeUpRun;
use super::state::AppState;
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Span, Table};
use rundown_protocol::{FindingCard, FirstAction, Fold, Request, RunRow, RunView, SeverityMark, VerdictMark};

/// Class of what is laid out, which is not shown.
const CLASS: &str = "warm-up";
/// Characters of the page that fonts for text often lack: a browser looks for another font for each.
const RARE_CHARACTERS: &str = "–▾⚙";
/// What is made, each in a task of its own.
const PARTS: [fn() -> AnyView; 2] = [list, run];

/// Makes each part once the engine is ready, until there are runs. Call it once, at the root.
pub fn warm_up(app: AppState) {
    // Any question will do: the engine answers when it is there.
    app.engine.ask(Request::ListRuns, move |_| make(app, 0));
}

/// Makes a part in one task and lays it out in the next: each takes tens of milliseconds.
fn make(app: AppState, number: usize) {
    let Some(part) = PARTS.get(number).filter(|_| !app.runs.is_loaded.get_untracked()) else { return };
    let Ok(container) = document().create_element("div") else { return };
    let _ = container.set_attribute("class", CLASS);
    let mounted = mount_to(container.clone().unchecked_into(), move || {
        provide_context(app);
        part()
    });
    after(0, move || {
        if let Some(body) = document().body().filter(|_| !app.runs.is_loaded.get_untracked()) {
            // Taken away in the same task, before anything is painted or observed.
            let _ = body.append_child(&container);
            container.client_height();
            container.remove();
        }
        drop(mounted);
        after(0, move || make(app, number + 1));
    });
}

fn list() -> AnyView {
    let row = RunRow {
        run: 0,
        id: String::new(),
        name: "run".to_owned(),
        verdict: VerdictMark::Ugly,
        state: "finished".to_owned(),
        value: Some(0.5),
        value_key: String::new(),
        spark: vec![0.0, 1.0],
        worst: vec!["reward hacking".to_owned()],
    };
    view! { <div class="workspace"><MadeUpList row /></div> }.into_any()
}

fn run() -> AnyView {
    let mut table = Table::new("", &[Words("Measurement"), Numbers("Value")]);
    table.rows.push(vec![Cell::text(vec![Span::Metric("reward".to_owned())]), Cell::number("0.5", 0.5)]);
    let finding = FindingCard {
        code: String::new(),
        name: "Reward hacking".to_owned(),
        phrase: "reward hacking".to_owned(),
        lane: 0,
        severity: SeverityMark::Critical,
        title: String::new(),
        onset: Some(50.0),
        end: None,
        when: "from step 50".to_owned(),
        standing: "confidence 90 %".to_owned(),
        chart: vec!["reward".to_owned()],
        body: vec![Block::Text(vec![
            Span::Metric("reward".to_owned()),
            Span::from(" rose "),
            Span::Strong("by 0.5".to_owned()),
        ])],
        actions: vec![vec![Span::Setting("beta".to_owned()), Span::Note("watch KL".into())]],
        reasons: vec![Block::part("Why"), Block::text("A reason.")],
        evidence: Fold { title: "Evidence".to_owned(), blocks: vec![Block::Table(table)], ..Fold::default() },
        references: Fold::default(),
        samples: Vec::new(),
        explained_by: None,
    };
    let view = RunView {
        run: 0,
        verdict: VerdictMark::Ugly,
        headline: "A headline".to_owned(),
        summary: vec![Span::Metric("reward".to_owned()), " rose.".into()],
        facts: vec![vec!["finished".into()]],
        skipped: String::new(),
        step_key: "step".to_owned(),
        step_why: String::new(),
        steps: Some((0.0, 100.0)),
        lanes: vec!["Reward".to_owned()],
        findings: vec![finding],
        first_actions: vec![FirstAction { finding: 0, change: vec![Span::Setting("beta".to_owned())] }],
        verdict_reasons: None,
        appendix: vec![Fold { title: "Settings".to_owned(), blocks: vec![Block::text("None.")], ..Fold::default() }],
        measure: "reward".to_owned(),
        candidates: Vec::new(),
    };
    view! {
        <div class="workspace">
            {RARE_CHARACTERS}
            <p class="chart-legend">
                <span class="chart-value">"0.5"</span>
            </p>
            <main>
                <MadeUpRun view=Arc::new(view) />
            </main>
        </div>
    }
    .into_any()
}
