//! What the palette finds: views, commands, runs and metrics, and what choosing one does.

use leptos::prelude::*;

use crate::app::state::command::Command;
use crate::app::state::{AppState, View, focus_main};
use rundown_protocol::MetricList;

/// One thing to choose.
#[derive(Debug, Clone, PartialEq)]
pub struct PaletteEntry {
    /// What it is called.
    pub words: String,
    /// What it is, such as `run`.
    pub kind: &'static str,
    /// The keys that do the same; empty where there are none.
    pub keys: String,
    /// What choosing it does.
    act: Act,
}

#[derive(Debug, Clone, PartialEq)]
enum Act {
    Command(Command),
    /// Id of the run.
    Run(String),
    /// Key of the metric.
    Metric(String),
}

/// Everything, in the order in which it is listed while nothing is typed; followed by whoever asks.
pub fn entries(app: AppState, metrics: Option<&MetricList>) -> Vec<PaletteEntry> {
    let is_loaded = app.runs.is_loaded.get();
    let views = if is_loaded { app.runs.views.get() } else { Vec::new() };
    let mut entries: Vec<PaletteEntry> =
        views.into_iter().zip(1..).map(|(view, number)| view_entry(view, number)).collect();
    entries.extend(Command::all(is_loaded).into_iter().map(|command| PaletteEntry {
        words: command.label().to_owned(),
        kind: "",
        keys: command.key().to_owned(),
        act: Act::Command(command),
    }));
    app.runs.list.with(|list| {
        entries.extend(list.runs.iter().map(|row| PaletteEntry {
            words: row.name.clone(),
            kind: "run",
            keys: String::new(),
            act: Act::Run(row.id.clone()),
        }));
    });
    let metrics = metrics.into_iter().flat_map(|list| &list.sections).flat_map(|section| &section.metrics);
    entries.extend(metrics.map(|metric| PaletteEntry {
        words: metric.key.clone(),
        kind: "metric",
        keys: String::new(),
        act: Act::Metric(metric.key.clone()),
    }));
    entries
}

fn view_entry(view: View, number: usize) -> PaletteEntry {
    PaletteEntry {
        words: view.label().to_owned(),
        kind: "view",
        keys: if number <= 9 { number.to_string() } else { String::new() },
        act: Act::Command(Command::Show(view)),
    }
}

impl PaletteEntry {
    /// Does it.
    pub fn choose(self, app: AppState) {
        match self.act {
            Act::Command(command) => _ = app.act(command),
            Act::Run(id) => {
                app.address.choose(|state| state.run = Some(id));
                focus_main();
            }
            Act::Metric(key) => {
                app.address.choose(|state| {
                    state.view = View::Metrics;
                    state.metrics = key;
                    state.enlarge(None);
                });
                focus_main();
            }
        }
    }
}
