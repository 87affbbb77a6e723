//! A chart in words: its legend with the values under the cursor, its summary, and its table.

use super::heat::HeatReading;
use super::scene::{emptiness, kind};
use super::state::ChartState;
use crate::app::dom::{El, bdi, code, figcaption, live, p, span, table, tbody, td, th, thead, tr};
use crate::format::{number, percent_to};
use crate::plot::position;
use crate::protocol::MetricKind;

/// Rows of the table for those who can't see the picture.
const TABLE_ROWS: usize = 12;

/// Keys, values under the cursor (the last ones without it) and where that is; `note` while there is no cursor.
pub fn legend(chart: ChartState, note: String) -> El {
    let keys = chart.keys();
    let several = keys.len() > 1;
    let entries: Vec<El> = keys.into_iter().enumerate().map(|(place, key)| entry(chart, place, key, several)).collect();
    let place = move || match cursor_and_data(chart) {
        (Some(at), Some(data)) => {
            let column = data.heat.as_ref().and_then(|heat| heat.reading(at, None));
            let line = data.lines.first().and_then(|line| line.reading(at));
            let place = column.map(|column| column.place(kind(data.x)));
            let place = place.or_else(|| line.map(|reading| position(reading.x, kind(data.x))));
            span().class("chart-place").child(place)
        }
        _ => span().class("chart-place chart-note").child(note.clone()),
    };
    figcaption().class("chart-legend").child((entries, live(place)))
}

fn entry(chart: ChartState, place: usize, key: String, several: bool) -> El {
    let color = move || chart.theme().line_color(place).css();
    let swatch = several.then(|| span().class("chart-swatch").follow_style("background-color", color));
    let value = move || {
        let (cursor, Some(data)) = cursor_and_data(chart) else { return String::new() };
        if let Some(heat) = &data.heat {
            let reading = cursor.and_then(|at| heat.reading(at, chart.y_at_pointer()));
            return reading.as_ref().map(HeatReading::words).unwrap_or_default();
        }
        let Some(line) = data.line(place) else { return "not logged".to_owned() };
        let reading = cursor.map_or_else(|| line.last(), |at| line.reading(at));
        reading.map_or_else(|| "no value".to_owned(), |reading| number(reading.y))
    };
    // A long key may be cut, at its beginning; a value never.
    let name = code().class("chart-key").attr("title", key.clone()).child(bdi().child(key));
    span().class("chart-entry").child((swatch, name, span().class("chart-value").says(value)))
}

fn cursor_and_data(chart: ChartState) -> (Option<f64>, Option<std::rc::Rc<super::data::ChartData>>) {
    chart.changed.track();
    (chart.group.cursor.get(), chart.data())
}

/// What the colours of a heat map stand for; `None` for lines.
pub fn scale(chart: ChartState) -> Option<El> {
    chart.changed.track();
    let data = chart.data()?;
    let largest = percent_to(data.heat.as_ref()?.largest(), 1);
    let colours = span().class("chart-colours").attr("aria-hidden", "true");
    Some(p().class("chart-scale").child(("share of the values of a step: 0", colours, largest)))
}

/// Why there is no picture.
pub fn message(chart: ChartState) -> Option<El> {
    chart.changed.track();
    chart.group.track();
    chart.choice.track();
    let empty = || emptiness(&*chart.data()?, &chart.look()).map(str::to_owned);
    chart.problem().or_else(empty).map(|text| p().class("chart-message").child(text))
}

/// The sentences that a screen reader says for the picture.
pub fn label(chart: ChartState) -> String {
    chart.changed.track();
    match chart.data() {
        Some(data) => format!("{}. {}.", picture(chart), data.sentences(kind(data.x)).join(". ")),
        None => format!("{} of {}.", picture(chart), chart.keys().join(" and ")),
    }
}

fn picture(chart: ChartState) -> &'static str {
    match chart.kind() {
        MetricKind::Numbers => "Line chart",
        MetricKind::Histograms => "Heat map of histograms",
    }
}

/// The values under the cursor as one sentence, for a screen reader when the cursor was moved by a key.
pub fn spoken(chart: ChartState) -> String {
    let (Some(at), Some(data)) = (chart.group.cursor_now(), chart.data()) else { return String::new() };
    let readings = data.lines.iter().filter_map(|line| {
        let reading = line.reading(at)?;
        Some(format!("{} {} at {}", line.key, number(reading.y), position(reading.x, kind(data.x))))
    });
    let column = data.heat.as_ref().and_then(|heat| heat.reading(at, None));
    let column = column.map(|column| format!("{} at {}", column.words(), column.place(kind(data.x))));
    readings.chain(column).collect::<Vec<_>>().join(", ")
}

/// Some points of each line as a table, out of sight.
pub fn hidden_table(chart: ChartState) -> Option<El> {
    chart.changed.track();
    let data = chart.data()?;
    let points = data.lines.iter().flat_map(|line| line.sample(TABLE_ROWS).into_iter().map(move |at| (line, at)));
    let mut rows: Vec<El> =
        points.map(|(line, point)| row(&line.key, position(point.x, kind(data.x)), number(point.y))).collect();
    if let Some(heat) = &data.heat {
        let columns = heat.sample(TABLE_ROWS).into_iter();
        rows.extend(columns.map(|column| row(&heat.key, column.place(kind(data.x)), column.words())));
    }
    let head: Vec<El> = ["metric", "at", "value"].map(|name| th().attr("scope", "col").child(name)).into();
    Some(table().child((thead().child(tr().child(head)), tbody().child(rows))))
}

fn row(key: &str, place: String, value: String) -> El {
    tr().child((th().attr("scope", "row").child(key.to_owned()), td().child(place), td().child(value)))
}
