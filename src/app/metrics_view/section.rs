//! Metrics that share a prefix: a heading that folds, a grid of charts, and one line for what never changes.

use std::rc::Rc;

use crate::app::chart::{ChartOptions, line_chart};
use crate::app::dom::{
    El, Part, code, command, dd, details, div, dl, dt, h2, keyed, live, section as section_element, span, summary,
    together,
};
use crate::app::reactive::{Derived, State};
use crate::app::store::Store;
use crate::format::{counted, number};
use crate::protocol::{MetricKind, MetricRow, MetricSection};

/// Charts shown at first and with each "Show more". Each is some DOM nodes even out of sight.
const SHOWN: usize = 60;

/// One section, while it is looked at.
#[derive(Clone)]
struct Section {
    store: Store,
    run: u32,
    rows: Rc<Vec<MetricRow>>,
    /// Charts shown at most.
    limit: State<usize>,
}

/// One section. It hides itself while a search finds nothing in it.
pub fn section(store: Store, run: u32, section: &MetricSection, open: bool) -> El {
    let this = Section { store, run, rows: Rc::new(section.metrics.clone()), limit: State::new(SHOWN) };
    // The user's choice; until then the default, and with a search everything that it finds.
    let chosen = State::new(None::<bool>);
    let is_open = Derived::new(move || chosen.get().unwrap_or_else(|| open || !store.controls.finder().is_empty()));
    let (counted, empty) = (this.clone(), this.clone());
    let heading = command((), move || chosen.set(Some(!is_open.get_untracked())))
        .class("metrics-fold")
        .follow("aria-expanded", move || Some(if is_open.get() { "true" } else { "false" }))
        .child((
            span()
                .class("metrics-arrow")
                .attr("aria-hidden", "true")
                .says(move || if is_open.get() { "▾" } else { "▸" }),
            code().child(section.name.as_str()),
            span().class("muted").says(move || counted.found().len().to_string()),
        ));
    let body = move || is_open.get().then(|| this.body());
    section_element()
        .class("metrics-section")
        .follow("hidden", move || empty.found().is_empty().then_some(""))
        .child((h2().child(heading), live(body)))
}

impl Section {
    /// Places of the rows that the search finds.
    fn found(&self) -> Vec<usize> {
        let finder = self.store.controls.finder();
        let mut places = Vec::new();
        for (place, row) in self.rows.iter().enumerate() {
            if finder.finds(&row.key) {
                places.push(place);
            }
        }
        places
    }

    /// Those of them that change, or those that never do.
    fn found_with(&self, constant: bool) -> Vec<usize> {
        let mut places = self.found();
        places.retain(|place| self.rows.get(*place).is_some_and(|row| row.constant == constant));
        places
    }

    fn body(&self) -> Part {
        let (shown, drawn, more, constant) = (self.clone(), self.clone(), self.clone(), self.clone());
        // Keyed, so that a chart stays what it is while one types.
        let keys = move || {
            let limit = shown.limit.get();
            shown.found_with(false).into_iter().take(limit).map(|place| place as u64).collect()
        };
        let cards = keyed(keys, move |place| drawn.card(place as usize));
        together((
            div().class("metrics-grid").child(cards),
            live(move || more.more()),
            live(move || constant.constants()),
        ))
    }

    fn more(&self) -> Option<El> {
        let limit = self.limit;
        let left = self.found_with(false).len().saturating_sub(limit.get());
        let words = format!("Show {} more of {left}", left.min(SHOWN));
        (left > 0).then(|| command(words, move || limit.update(|limit| *limit += SHOWN)).class("metrics-more"))
    }

    /// Metrics that never changed, as text: a flat line says no more than its value.
    fn constants(&self) -> Option<El> {
        let places = self.found_with(true);
        if places.is_empty() {
            return None;
        }
        let words = format!("{} constant", places.len());
        let row = |place| {
            let row: &MetricRow = self.rows.get(place)?;
            Some((dt().child(code().child(row.key.as_str())), dd().child(number(row.last))))
        };
        Some(details().class("metrics-constant").child((summary().child(words), dl().each(places, row))))
    }

    fn card(&self, place: usize) -> El {
        let card = div().class("panel metric");
        let Some(row) = self.rows.get(place) else { return card };
        let options = ChartOptions {
            store: self.store,
            run: self.run,
            kind: row.kind,
            keys: vec![row.key.clone()],
            choice: self.store.controls.choice,
            group: self.store.controls.group,
            shade: None,
            own_scales: false,
        };
        card.attr("data-key", &row.key).child(line_chart(options, note(row)))
    }
}

/// How much there is of a metric.
fn note(row: &MetricRow) -> String {
    let points = match row.kind {
        MetricKind::Numbers => counted(row.points as usize, "point"),
        MetricKind::Histograms => counted(row.points as usize, "histogram"),
    };
    match row.nonfinite {
        0 => points,
        nonfinite => format!("{points}, {nonfinite} not finite"),
    }
}
