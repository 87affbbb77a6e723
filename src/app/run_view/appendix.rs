//! What stands behind the verdict, folded away: quiet and skipped checks, keys, files, settings.

use leptos::prelude::event_target_value;

use super::well::notes;
use crate::app::dom::{
    Children, El, Part, code, details, div, input, li, live, p, section, span, summary, together, ul,
};
use crate::app::reactive::State;
use crate::app::table::Rows;
use crate::app::text;
use crate::engine::messages::{BindingRow, RunView};

/// Id of the part on skipped checks.
pub const SKIPPED: &str = "skipped";

/// Everything below the findings.
pub fn appendix(view: &RunView) -> El {
    let quiet = text::count(view.quiet.len(), "check was quiet", "checks were quiet");
    let skipped = text::count(view.skipped.len(), "check was skipped", "checks were skipped");
    let files = text::count(view.files.len(), "file", "files");
    let listed = text::count(view.listed.len(), "artifact or file", "artifacts and files");
    let settings = format!("Config: {}", text::count(view.config.len(), "setting", "settings"));
    let read = !view.files.is_empty() || !view.warnings.is_empty();
    section().class("appendix").attr("aria-label", "Behind the verdict").child((
        (!view.quiet.is_empty()).then(|| fold("quiet", quiet, notes(&view.quiet))),
        (!view.skipped.is_empty()).then(|| fold(SKIPPED, skipped, notes(&view.skipped))),
        (!view.bindings.is_empty())
            .then(|| fold("bindings", "Which key stands for what".to_owned(), bindings(&view.bindings))),
        read.then(|| fold("files", files, read_from(view))),
        (!view.listed.is_empty()).then(|| fold("listed", listed, lines(&view.listed))),
        (!view.config.is_empty()).then(|| fold("config", settings, config(view.config.clone()))),
    ))
}

fn fold(id: &'static str, title: String, body: impl Children) -> El {
    details().class("panel").child((summary().id(id).child(title), div().class("folded").child(body)))
}

fn bindings(rows: &[BindingRow]) -> Part {
    let mut table = Rows::new("grid", &[]);
    table.head(["stands for", "key", "unit", "why"]);
    for row in rows {
        let why = span().class("muted").child(row.why.as_str());
        let key = code().child(row.key.as_str());
        table.row([together(row.concept.as_str()), key.view(), together(row.unit.as_str()), why.view()]);
    }
    table.view()
}

fn lines(texts: &[String]) -> El {
    ul().each(texts, |text| li().child(code().child(text.as_str())))
}

fn read_from(view: &RunView) -> Part {
    let files = lines(&view.files);
    let warnings = div().each(&view.warnings, |warning| p().child(warning.as_str()));
    let steps = (!view.step_key.is_empty())
        .then(|| p().child(("Steps are ", code().child(view.step_key.as_str()), ": ", view.step_why.as_str())));
    together((files, warnings, steps))
}

fn config(settings: Vec<(String, String)>) -> Part {
    let filter = State::new(String::new());
    let search = input()
        .attr("type", "search")
        .attr("aria-label", "Search settings by key or value")
        .attr("placeholder", "Search keys and values")
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .on("input", move |event| filter.set(event_target_value(&event)));
    let rows = live(move || {
        let wanted = filter.get().to_ascii_lowercase();
        let holds = |text: &str| text.to_ascii_lowercase().contains(&wanted);
        let mut table = Rows::new("grid", &[]);
        table.head(["key", "value"]);
        for (key, value) in settings.iter().filter(|(key, value)| holds(key) || holds(value)) {
            table.row([code().child(key.as_str()), span().class("setting").child(value.as_str())]);
        }
        table.view()
    });
    together((search, rows))
}
