//! A chart to keep: its picture as PNG, its points as CSV. An SVG would cost the page 5 kB for a second backend.

use js_sys::Number;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Blob, Element};

use super::data::ChartData;
use super::heat::HeatData;
use super::state::ChartState;
use crate::app::dom::{El, by_id, command, details, div, summary};
use crate::app::download::{save_blob, save_text};
use crate::app::reactive::untrack;
use crate::protocol::XAxis;

/// A small menu. It closes when something was chosen.
pub fn menu(chart: ChartState) -> El {
    let id = format!("{}-menu", chart.frame_id());
    let choice = |name: &'static str, save: fn(ChartState)| {
        let id = id.clone();
        command(name, move || {
            untrack(|| save(chart));
            if let Some(menu) = by_id::<Element>(&id) {
                // An attribute that is not there can't fail to go.
                let _ = menu.remove_attribute("open");
            }
        })
    };
    let choices = (choice("PNG", save_png), choice("CSV", save_csv));
    let title = "Save this chart";
    let head = summary().attr("title", title).attr("aria-label", title).child("⋯");
    details().class("chart-menu").id(id.clone()).child((head, div().child(choices)))
}

fn save_png(chart: ChartState) {
    let Some((canvas, _)) = chart.canvases() else { return };
    let name = file_name(chart, "png");
    let save = Closure::once_into_js(move |blob: Option<Blob>| {
        if let Some(blob) = blob {
            // A browser that refuses a download says so itself.
            let _ = save_blob(&name, &blob);
        }
    });
    // A canvas without a pixel has no picture, and nothing is saved.
    let _ = canvas.to_blob(save.unchecked_ref());
}

fn save_csv(chart: ChartState) {
    if let Some(data) = chart.data() {
        let _ = save_text(&file_name(chart, "csv"), "text/csv", &csv(&data));
    }
}

/// The points as they are drawn: of each pixel column the first, lowest, highest and last.
fn csv(data: &ChartData) -> String {
    let mut text = String::from(match data.x {
        XAxis::Step => "metric,step,value\n",
        XAxis::RelativeTime => "metric,seconds,value\n",
    });
    if let Some(heat) = &data.heat {
        return heat_csv(heat, data.x);
    }
    for line in &data.lines {
        let key = quoted(&line.key);
        for (x, y) in line.raw.0.iter().zip(&line.raw.1) {
            text.push_str(&format!("{key},{},{}\n", exact(*x), exact(*y)));
        }
    }
    text
}

/// The cells as they are drawn; a column of several histograms stands at its first one.
fn heat_csv(heat: &HeatData, x: XAxis) -> String {
    let mut text = String::from(match x {
        XAxis::Step => "metric,step,low,high,share\n",
        XAxis::RelativeTime => "metric,seconds,low,high,share\n",
    });
    let key = quoted(&heat.key);
    for reading in heat.readings() {
        let (low, high) = reading.bin;
        let numbers = [reading.logged.0, low, high, reading.share].map(exact).join(",");
        text.push_str(&format!("{key},{numbers}\n"));
    }
    text
}

/// A number that reads back as the same. The browser writes it: the tables for it are 8 kB.
fn exact(value: f64) -> String {
    Number::from(value).to_string_with_radix(10).map(String::from).unwrap_or_default()
}

fn quoted(key: &str) -> String {
    if key.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", key.replace('"', "\"\"")) } else { key.to_owned() }
}

fn file_name(chart: ChartState, extension: &str) -> String {
    let keys = chart.keys().join(" ");
    let name: String = keys
        .chars()
        .take(80)
        .map(|letter| if letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-') { letter } else { '-' })
        .collect();
    format!("{name}.{extension}")
}
