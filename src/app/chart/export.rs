//! A chart to keep: a picture as PNG or on the clipboard, a drawing as SVG, and all its points as CSV.

use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::Blob;

use super::model::ChartModel;
use super::picture::picture;
use super::scene::words::{file_name, heat_csv};
use crate::app::browser::clipboard::copy_picture;
use rundown_protocol::{ChartFormat, ExportRequest, Request};

/// Pixels of a canvas that the width of a drawing stands for.
const WIDTH_PX: u32 = 2_000;
/// Size of a drawing in CSS pixels, at least.
const SVG: (u32, u32) = (720, 400);

/// Saves the picture, with title, legend and axes, at two pixels for each pixel on the page.
pub fn save_png(chart: ChartModel) {
    with_picture(chart, |chart, blob| {
        chart.app.save_picture(&file_name(&keys(chart), "png"), &blob);
    });
}

/// Puts the same picture on the clipboard.
pub fn copy_image(chart: ChartModel) {
    with_picture(chart, |chart, blob| {
        spawn_local(async move {
            if copy_picture(&blob).await {
                chart.app.confirm("Copied.");
            } else {
                let what = "The browser did not allow copying a picture. Save it as PNG instead.";
                chart.app.fault.set(Some(what.to_owned()));
            }
        });
    });
}

/// Saves a drawing of what is visible.
pub fn save_svg(chart: ChartModel) {
    let size = chart.size();
    let css = |pixels: u32| (f64::from(pixels) / size.scale.max(0.25)).round() as u32;
    let format = ChartFormat::Svg {
        width: css(size.width).max(SVG.0),
        height: css(size.height).max(SVG.1),
        scale: chart.drawn_scale().unwrap_or_default(),
        dark: untrack(|| chart.app.color_scheme.is_dark()),
    };
    let window = untrack(|| chart.group.view()).window();
    export(chart, window, format, "svg", "image/svg+xml");
}

/// Saves all points, whatever is visible.
pub fn save_csv(chart: ChartModel) {
    match chart.data().filter(|data| data.heat.is_some()) {
        Some(data) => chart.app.save_with_names_hidden(&file_name(&keys(chart), "csv"), "text/csv", heat_csv(&data)),
        None => export(chart, None, ChartFormat::Csv, "csv", "text/csv"),
    }
}

fn export(
    chart: ChartModel,
    window: Option<(f64, f64)>,
    format: ChartFormat,
    extension: &'static str,
    kind: &'static str,
) {
    let spec = chart.spec.get_untracked();
    let Some(mut lines) = spec.lines(window, WIDTH_PX) else { return };
    // In drawing order: the most important line last.
    lines.series.reverse();
    let title = spec.keys().join(", ");
    let hides_names = chart.app.hides_names.get_untracked();
    let request = ExportRequest { title, lines, format, hides_names };
    chart.app.engine.ask_for(Request::ExportChart(request), move |text: Result<String, _>| match text {
        Ok(text) => chart.app.save(&file_name(&keys(chart), extension), kind, &text),
        Err(error) => chart.app.fault.set(Some(format!("The chart can't be saved: {error}"))),
    });
}

fn say_no_picture(chart: ChartModel) {
    let what = "The browser can't make a picture of this chart. Make the window smaller, or save the points as CSV.";
    chart.app.fault.set(Some(what.to_owned()));
}

fn keys(chart: ChartModel) -> Vec<String> {
    chart.spec.try_get_untracked().map(|spec| spec.keys()).unwrap_or_default()
}

fn with_picture(chart: ChartModel, then: fn(ChartModel, Blob)) {
    let Some(data) = chart.data() else { return };
    let title = keys(chart).join(", ");
    let words = std::iter::once(title).chain(data.lines.iter().map(|line| line.name.clone())).collect();
    let draw = move |words: Vec<String>| {
        let Some(canvas) = untrack(|| picture(chart, &words)) else { return say_no_picture(chart) };
        let take = Closure::once_into_js(move |blob: Option<Blob>| match blob {
            Some(blob) => then(chart, blob),
            None => say_no_picture(chart),
        });
        if canvas.to_blob(take.unchecked_ref()).is_err() {
            say_no_picture(chart);
        }
    };
    chart.app.with_names_hidden(words, Box::new(draw));
}
