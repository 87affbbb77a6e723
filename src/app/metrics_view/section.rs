//! Metrics that share a prefix: a heading that folds, a grid of charts, and one line for what never changes.

use leptos::prelude::*;

use super::folds::Folds;
use super::grid::Grid;
use super::sections::FoundSection;
use crate::app::browser::storage;
use crate::app::chart::{HeatChart, WhileVisible};
use rundown_format::{counted, number};
use rundown_protocol::HeatSource;

/// Under this name the browser remembers which sections are open.
pub const FOLDS_STORED_AS: &str = "rundown-folded";

/// One section. It hides itself while a search finds nothing in it; `is_open` is what it is without a choice of the user.
#[component]
pub fn Section(
    name: String,
    section: Memo<FoundSection>,
    folds: RwSignal<Folds>,
    is_open: bool,
    is_searched: Memo<bool>,
) -> impl IntoView {
    let title = name.clone();
    let key = StoredValue::new(name);
    // With a search everything that it finds is open.
    let opened = Memo::new(move |_| {
        let chosen = key.with_value(|name| folds.with(|folds| folds.of(name)));
        is_searched.get() || chosen.unwrap_or(is_open)
    });
    let toggle = move |_| {
        let is_open = !opened.get_untracked();
        folds.update(|folds| key.with_value(|name| folds.set(name, is_open)));
        storage::remember(FOLDS_STORED_AS, &folds.with_untracked(Folds::text));
    };
    // The criteria of a rubric are read side by side.
    let is_heat = RwSignal::new(section.with_untracked(FoundSection::is_rubric));
    let heat_rows = Memo::new(move |_| section.with(FoundSection::heat_rows));
    view! {
        <section class="metrics-section" hidden=move || section.with(|section| section.found.is_empty())>
            <div class="metrics-head">
                <h2>
                    <button
                        type="button"
                        class="metrics-fold"
                        aria-expanded=move || if opened.get() { "true" } else { "false" }
                        on:click=toggle
                    >
                        <span class="metrics-arrow" aria-hidden="true">
                            {move || if opened.get() { "▾" } else { "▸" }}
                        </span>
                        <code>{title}</code>
                        <span class="muted">{move || section.with(FoundSection::words)}</span>
                    </button>
                </h2>
                <Show when=move || opened.get() && !heat_rows.with(Vec::is_empty)>
                    <HeatSwitch is_heat />
                </Show>
            </div>
            <Show when=move || opened.get()>
                <Show when=move || is_heat.get() && !heat_rows.with(Vec::is_empty)>
                    <RowsHeat name=key.get_value() heat_rows />
                </Show>
                <Grid charts=Memo::new(move |_| section.with(FoundSection::charts)) />
                <Constants section />
            </Show>
        </section>
    }
}

#[component]
fn HeatSwitch(is_heat: RwSignal<bool>) -> impl IntoView {
    view! {
        <button
            type="button"
            class="metrics-heat"
            title="All metrics of this section, of the open run, as rows of one heat map"
            aria-pressed=move || if is_heat.get() { "true" } else { "false" }
            on:click=move |_| is_heat.update(|is_heat| *is_heat = !*is_heat)
        >
            "Heat map"
        </button>
    }
}

/// All metrics of a section as rows of one heat map.
#[component]
fn RowsHeat(name: String, heat_rows: Memo<Vec<String>>) -> impl IntoView {
    move || {
        let (name, source) = (name.clone(), HeatSource::Rows(heat_rows.get()));
        view! {
            <WhileVisible name=name.clone()>
                <HeatChart name=name.clone() source=source.clone() />
            </WhileVisible>
        }
    }
}

/// Metrics that never changed, as text.
#[component]
fn Constants(section: Memo<FoundSection>) -> impl IntoView {
    move || {
        let rows: Vec<_> = section.with(|section| {
            let rows = section.constants().into_iter().filter_map(|row| Some((row.key.clone(), number(row.last?))));
            rows.collect()
        });
        if rows.is_empty() {
            return None;
        }
        let words = format!("{} stayed constant", counted(rows.len(), "metric"));
        let rows = rows.into_iter().map(|(key, value)| view! { <dt><code>{key}</code></dt><dd>{value}</dd> });
        Some(view! {
            <details class="metrics-constant">
                <summary>{words}</summary>
                <dl>{rows.collect::<Vec<_>>()}</dl>
            </details>
        })
    }
}
