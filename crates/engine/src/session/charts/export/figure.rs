//! A chart as a drawing.

use super::{ExportSource, name};
use crate::session::charts::groups::group_curves;
use crate::session::charts::smoothing::{is_smoothing, smoothed};
use rundown_content::Figure;
use rundown_format::{redact, utc};
use rundown_plot::figure::{AxisScale, ChartSeries, LineChart};
use rundown_plot::{Scale, XKind, inside};
use rundown_protocol::{LinesRequest, XAxis};

/// Units of a time axis: from so many seconds on, seconds of one, name.
const TIMES: [(f64, f64, &str); 4] =
    [(172_800.0, 86_400.0, "days"), (7_200.0, 3_600.0, "hours"), (120.0, 60.0, "minutes"), (0.0, 1.0, "seconds")];

/// A line as it will be drawn.
struct DrawnSeries {
    name: String,
    key: String,
    x: Vec<f64>,
    y: Vec<f64>,
    /// Low and high end of the band.
    band: Option<(Vec<f64>, Vec<f64>)>,
}

/// The figure: smoothed lines with what they were made of as a pale band around them.
pub fn figure(
    source: &mut ExportSource<'_, '_>,
    wanted: &LinesRequest,
    title: &str,
    size: (f64, f64),
    scale: Scale,
) -> Figure {
    let mut series = if wanted.group.is_some() { groups(source, wanted) } else { runs(source, wanted) };
    let x_title = on_axis(&wanted.x, &mut series);
    let key = series.first().map(|first| first.key.clone()).unwrap_or_default();
    let is_one_metric = series.iter().all(|other| other.key == key);
    let is_one_name = series.iter().all(|other| Some(&other.name) == series.first().map(|first| &first.name));
    let label = |series: &DrawnSeries| match (is_one_metric, is_one_name) {
        (true, _) => series.name.clone(),
        (false, true) => series.key.clone(),
        (false, false) => format!("{}: {}", series.name, series.key),
    };
    let labels: Vec<String> = series.iter().map(label).collect();
    let lines = series.iter().zip(&labels).enumerate().map(|(place, (series, label))| ChartSeries {
        band: series.band.as_ref().map(|(low, high)| (low.as_slice(), high.as_slice())),
        ..ChartSeries::new(place, label, &series.x, &series.y)
    });
    let chart = LineChart {
        title: redact(title).into_owned().into(),
        x: AxisScale::linear(x_title),
        y: AxisScale { title: if is_one_metric { key } else { String::new() }, scale },
        x_kind: match wanted.x {
            XAxis::Step => XKind::Number,
            XAxis::Tokens => XKind::Tokens,
            XAxis::Metric(_) | XAxis::RelativeTime | XAxis::WallTime => XKind::Value,
        },
        series: lines.collect(),
    };
    chart.draw_at(size.0, size.1)
}

fn runs(source: &mut ExportSource<'_, '_>, wanted: &LinesRequest) -> Vec<DrawnSeries> {
    let is_smooth = is_smoothing(&wanted.smoothing);
    let mut drawn = Vec::new();
    for series in &wanted.series {
        let Some(chart) = source.run(series.run) else { continue };
        let name = name(chart.run);
        let Some(prepared) = chart.cache.prepare(chart.run, chart.bindings, &series.key, &wanted.x) else { continue };
        let line = prepared.drawn();
        let (x, y) = if is_smooth { prepared.points() } else { (line.x(), line.y()) };
        let range = inside(x, wanted.window);
        let x = x.get(range.clone()).unwrap_or_default().to_vec();
        let raw = y.get(range).unwrap_or_default().to_vec();
        let band = (is_smooth || wanted.band).then(|| (raw.clone(), raw.clone()));
        let y = if is_smooth { prepared.smoothed(&wanted.smoothing, wanted.window).1.to_vec() } else { raw };
        drawn.push(DrawnSeries { name, key: redact(&series.key).into_owned(), x, y, band });
    }
    drawn
}

fn groups(source: &mut ExportSource<'_, '_>, wanted: &LinesRequest) -> Vec<DrawnSeries> {
    let Some(grouping) = &wanted.group else { return Vec::new() };
    let curves = group_curves(source.runs, wanted, grouping).curves;
    let drawn = curves.into_iter().map(|curve| {
        let key = wanted.series.get(curve.series as usize).map_or("", |series| series.key.as_str());
        let y = smoothed(&wanted.smoothing, &curve.x, &curve.center);
        let name = curve.name(&grouping.setting);
        DrawnSeries { name, key: redact(key).into_owned(), x: curve.x, y, band: curve.band }
    });
    drawn.collect()
}

/// Brings times to a unit that reads well, and gives the words of the x axis.
fn on_axis(axis: &XAxis, series: &mut [DrawnSeries]) -> String {
    let ends = || series.iter().flat_map(|series| [series.x.first(), series.x.last()]).flatten().copied();
    let first = ends().fold(f64::INFINITY, f64::min);
    let last = ends().fold(f64::NEG_INFINITY, f64::max);
    let (start, since) = match axis {
        XAxis::Step => return "step".to_owned(),
        XAxis::Tokens => return "tokens".to_owned(),
        XAxis::Metric(key) => return redact(key).into_owned(),
        XAxis::RelativeTime => (0.0, String::new()),
        XAxis::WallTime => (first, utc(first).map(|time| format!(" since {time}")).unwrap_or_default()),
    };
    let unit = TIMES.iter().find(|(from, _, _)| last - start >= *from);
    let (one, name) = unit.map_or((1.0, "seconds"), |(_, one, name)| (*one, *name));
    for x in series.iter_mut().flat_map(|series| &mut series.x) {
        *x = (*x - start) / one;
    }
    format!("{name}{since}")
}
