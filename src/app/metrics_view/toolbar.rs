//! The tools above the charts: search, smoothing, axes.

use leptos::prelude::{event_target_checked, event_target_value};
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlInputElement};

use super::controls::{Controls, word};
use crate::app::dom::{El, command, div, input, label, option, output, p, select, span};
use crate::protocol::XAxis;

const HINT: &str = "Drag to zoom, Shift-drag to pan, double-click to reset, Ctrl and wheel to zoom.";
const NO_REGEX: &str = "That is not a valid regular expression: everything is shown.";

/// The tools.
pub fn toolbar(controls: Controls) -> El {
    let is_invalid = move || controls.finder().is_invalid();
    div().class("metrics-tools").attr("role", "search").child((
        search(controls),
        smoothing(controls),
        x_axis(controls),
        log_y(controls),
        command("Reset zoom", move || controls.group.reset())
            .switch("disabled", move || controls.group.window.get().is_none()),
        p().class("muted metrics-hint").says(move || if is_invalid() { NO_REGEX } else { HINT }),
    ))
}

fn search(controls: Controls) -> El {
    let input = input()
        .attr("type", "search")
        .attr("placeholder", "reward -std, train/*/mean or /regex/")
        .attr("spellcheck", "false")
        .value(move || controls.query.get())
        .follow("aria-invalid", move || controls.finder().is_invalid().then_some("true"))
        .on("input", move |event| controls.query.set(event_target_value(&event)));
    label().class("metrics-search").child((span().class("visually-hidden").child("Search metrics"), input))
}

fn smoothing(controls: Controls) -> El {
    let slider = input()
        .attr("type", "range")
        .attr("min", "0")
        .attr("max", "0.99")
        .attr("step", "0.01")
        .value(move || hundredths(controls))
        .on("input", move |event| {
            let weight = input_of(&event).map_or(f64::NAN, |input| input.value_as_number());
            if weight.is_finite() {
                controls.choice.update(|choice| choice.smoothing = weight.clamp(0.0, 0.99));
            }
        });
    let weight = output().class("metrics-weight").says(move || hundredths(controls));
    label().child(("Smoothing", slider, weight))
}

fn x_axis(controls: Controls) -> El {
    let now = controls.choice.get_untracked().x;
    let mut options = Vec::new();
    for x in [XAxis::Step, XAxis::RelativeTime] {
        let choice = option().attr("value", word(x)).child(word(x));
        options.push(if x == now { choice.attr("selected", "") } else { choice });
    }
    let choose = select().on("change", move |event| controls.choose_x(&event_target_value(&event))).child(options);
    label().child(("x", choose))
}

fn log_y(controls: Controls) -> El {
    let check = input().attr("type", "checkbox").switch("checked", move || controls.choice.get().log_y).on(
        "change",
        move |event| {
            let checked = event_target_checked(&event);
            controls.choice.update(|choice| choice.log_y = checked);
        },
    );
    label().child((check, "log y"))
}

fn hundredths(controls: Controls) -> String {
    format!("{:.2}", controls.choice.get().smoothing)
}

fn input_of(event: &Event) -> Option<HtmlInputElement> {
    event.target()?.dyn_into().ok()
}
