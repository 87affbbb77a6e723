//! Every chart of a run: searched, smoothed, zoomed together.

use crate::app::answer;
use crate::app::dom::{Part, command, div, live, p, together};
use crate::app::store::Store;
use crate::format::counted;
use crate::protocol::{MetricList, Reply, Request};

mod controls;
mod finder;
mod search;
mod section;
mod toolbar;

pub use controls::Controls;

/// Sections are open from the start until this many charts are.
const OPEN_CHARTS: usize = 80;

/// Every chart of a run.
pub fn metrics_view(store: Store) -> Part {
    let controls = store.controls;
    controls.group.reset();
    let reply = answer::ask(store, move || Request::ListMetrics { run: store.shown() });
    let body = move || match reply.get() {
        None => p().class("muted").attr("role", "status").child("Listing the metrics…").view(),
        Some(Err(why)) => failed(&why),
        Some(Ok(reply)) => match &*reply {
            Reply::Metrics(list) => charts(store, list),
            _ => failed("unexpected reply from the engine: reload the page"),
        },
    };
    div().class("metrics-view").child((toolbar::toolbar(controls), live(body))).view()
}

fn failed(why: &str) -> Part {
    p().class("banner").child(format!("The metrics can't be listed: {why}")).view()
}

fn charts(store: Store, list: &MetricList) -> Part {
    let keys: Vec<String> =
        list.sections.iter().flat_map(|section| &section.metrics).map(|metric| metric.key.clone()).collect();
    if keys.is_empty() {
        return p().class("muted").child("This run logged no numbers.").view();
    }
    let count = move || {
        let finder = store.controls.finder();
        let all = keys.len();
        match keys.iter().filter(|key| finder.finds(key)).count() {
            0 => "No metric matches.".to_owned(),
            found if found == all => counted(all, "metric"),
            found => format!("{found} of {all} metrics"),
        }
    };
    let mut before = 0;
    let mut sections = Vec::new();
    for section in &list.sections {
        let open = before < OPEN_CHARTS;
        before += section.metrics.iter().filter(|metric| !metric.constant).count();
        sections.push(section::section(store, list.run, section, open));
    }
    let run = list.run;
    let rest = (!list.rest.is_empty()).then(|| {
        let words = format!("Fetch {}", list.rest);
        command(words, move || store.engine.fetch_rest(run, move |outcome| store.settle(outcome))).id("fetch-rest")
    });
    together((p().class("muted metrics-count").attr("role", "status").says(count), rest, sections))
}
