//! The chart as a view: lines, or the heat map of histograms.

use super::gestures::Gestures;
use super::state::{ChartOptions, ChartState};
use super::{export, words};
use crate::app::dom::{El, div, figure, live, p};
use crate::app::reactive::State;
use web_sys::{KeyboardEvent, PointerEvent, WheelEvent};

/// Lines of some metrics of one run, or histograms of one, with legend, cursor and zoom. `note` stands at the right of the legend while
/// there is no cursor.
pub fn line_chart(options: ChartOptions, note: String) -> El {
    let chart = ChartState::new(options);
    let gestures = Gestures::new(chart);
    let announcement = State::new(String::new());
    let frame = div()
        .class("chart-frame")
        .id(chart.frame_id())
        .attr("tabindex", "0")
        .attr("role", "group")
        .attr("aria-roledescription", "chart")
        .follow("aria-label", move || Some(words::label(chart)))
        .on_as("pointerdown", move |event: PointerEvent| gestures.down(&event))
        .on_as("pointermove", move |event: PointerEvent| gestures.moved(&event))
        .on("pointerup", move |_| gestures.up())
        .on("pointercancel", move |_| gestures.cancel())
        .on("pointerleave", move |_| gestures.left())
        .on("dblclick", move |event| gestures.double(&event))
        .on_as("wheel", move |event: WheelEvent| gestures.wheel(&event))
        .on_as("keydown", move |event: KeyboardEvent| {
            if gestures.key(&event) {
                announcement.set(words::spoken(chart));
            }
        })
        .child(live(move || words::message(chart)));
    figure().class("chart").child((
        words::legend(chart, note),
        frame,
        live(move || words::scale(chart)),
        export::menu(chart),
        p().class("visually-hidden").attr("role", "status").says(move || announcement.get()),
        div().class("visually-hidden").child(live(move || words::hidden_table(chart))),
    ))
}
