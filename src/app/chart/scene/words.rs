//! A chart in words: what its axes and files are called, what a screen reader says for it, and a heat map as a table.

use super::data::ChartData;
use rundown_format::{counted, elapsed, file_name as safe_file_name, fixed, number, push_csv_cell};
use rundown_plot::{Range, Summary, XKind, linear_ticks, position};
use rundown_protocol::XAxis;

/// Lines that are told one by one; of more, their number is told.
const DESCRIBED_LINES: usize = 3;

/// How x is written.
pub fn kind(x: &XAxis) -> XKind {
    match x {
        XAxis::Step => XKind::Number,
        XAxis::Tokens => XKind::Tokens,
        XAxis::RelativeTime => XKind::Seconds,
        XAxis::WallTime => XKind::Clock,
        XAxis::Metric(_) => XKind::Value,
    }
}

/// Where something is along x: `step 130`, `1h 30m`, `train/kl 0.1`.
pub fn position_text(x: f64, axis: &XAxis) -> String {
    let position = position(x, kind(axis));
    match axis {
        XAxis::Metric(key) => format!("{key} {position}"),
        _ => position,
    }
}

/// Name of an axis under a picture.
pub fn x_title(axis: &XAxis) -> String {
    match axis {
        XAxis::Step => "step".to_owned(),
        XAxis::Tokens => "tokens".to_owned(),
        XAxis::RelativeTime => "time since the start".to_owned(),
        XAxis::WallTime => "UTC".to_owned(),
        XAxis::Metric(key) => key.clone(),
    }
}

/// What part of x is looked at: `steps 0–300`.
pub fn window(range: Range, axis: &XAxis) -> String {
    let (low, high) = range.ends();
    // As exact as a thousandth of what is visible.
    let digits = |value: f64| {
        let decimals = (3.0 - libm::ceil(libm::log10(range.span()))).clamp(0.0, 12.0) as usize;
        fixed(value, decimals)
    };
    match axis {
        XAxis::Step => format!("steps {}–{}", digits(low), digits(high)),
        XAxis::Tokens => match linear_ticks(range, 1_000).as_slice() {
            [first, .., last] => format!("tokens {}–{}", first.label, last.label),
            _ => format!("tokens {}–{}", digits(low), digits(high)),
        },
        XAxis::RelativeTime => format!("time {}–{}", elapsed(low), elapsed(high)),
        XAxis::WallTime => format!("{} – {}", position(low, XKind::Clock), position(high, XKind::Clock)),
        XAxis::Metric(key) => format!("{key} {}–{}", number(low), number(high)),
    }
}

/// What a screen reader says for the picture of some metrics.
pub fn summary(data: &ChartData, keys: &[String]) -> String {
    let kind = kind(&data.x);
    if let Some(heat) = &data.heat {
        return format!("Heat map. {}.", heat.sentence(kind));
    }
    let what = if data.is_heat { "Heat map" } else { "Line chart" };
    let sentences = data.lines.iter().take(DESCRIBED_LINES).map(|line| match Summary::of(&line.raw.0, &line.raw.1) {
        Some(summary) => summary.sentence(&line.name, line.points, kind),
        None => format!("{}: no finite value", line.name),
    });
    let mut sentences: Vec<String> = sentences.collect();
    let more = data.lines.len().saturating_sub(DESCRIBED_LINES);
    if more > 0 {
        sentences.push(format!("{} more", counted(more, "line")));
    }
    // Where lines are runs, the metric is not in their names.
    let subject = match keys {
        [key] if data.lines.iter().any(|line| line.name != *key) => format!(" of {key}"),
        _ => String::new(),
    };
    format!("{what}{subject}. {}.", sentences.join(". "))
}

/// A heat map as comma-separated values, cell by cell; a column of several points stands at its first one.
pub fn heat_csv(data: &ChartData) -> String {
    let Some(heat) = &data.heat else { return String::new() };
    let mut text = String::from("metric,x,low,high,value\n");
    for reading in heat.readings() {
        push_csv_cell(&mut text, reading.row.as_deref().unwrap_or(&heat.key));
        let (low, high) = reading.bin;
        text.push_str(&format!(",{},{low},{high},{}\n", reading.logged.0, reading.share));
    }
    text
}

/// Name of a file for some metrics.
pub fn file_name(keys: &[String], extension: &str) -> String {
    format!("{}.{extension}", safe_file_name(&keys.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::super::data::LineData;
    use super::super::heat::HeatData;
    use super::*;

    #[test]
    fn windows_are_told_to_a_thousandth() {
        let shown = |low, high, x: XAxis| window(Range::new(low, high).unwrap(), &x);
        assert_eq!(shown(0.0, 300.0, XAxis::Step), "steps 0–300");
        assert_eq!(shown(12.34, 56.78, XAxis::Step), "steps 12.3–56.8");
        assert_eq!(shown(0.0, 5400.0, XAxis::RelativeTime), "time 0–1h 30m");
        assert_eq!(shown(0.1, 0.9, XAxis::Metric("train/kl".into())), "train/kl 0.1–0.9");
        assert!(shown(0.0, 2e6, XAxis::Tokens).starts_with("tokens 0–2"));
    }

    #[test]
    fn positions_name_what_lies_along_x() {
        assert_eq!(position_text(130.0, &XAxis::Step), "step 130");
        assert_eq!(position_text(0.5, &XAxis::Metric("kl".into())), "kl 0.5");
    }

    #[test]
    fn a_few_lines_are_told_and_of_more_how_many() {
        let line = |name: &str| LineData {
            name: name.into(),
            raw: (vec![0.0, 1.0, 2.0], vec![5.0, f64::NAN, 7.0]),
            points: 3,
            ..LineData::default()
        };
        let mut data = ChartData {
            lines: vec![line("b"), LineData { name: "a".into(), ..LineData::default() }],
            ..ChartData::default()
        };
        assert_eq!(
            summary(&data, &["b".into(), "a".into()]),
            "Line chart. b: 3 points; first 5 at step 0, last 7 at step 2, lowest 5 at step 0, highest 7 at step 2. \
             a: no finite value."
        );
        data.lines.extend(["c", "d", "e"].map(line));
        assert!(summary(&data, &["kl".into()]).starts_with("Line chart of kl. b: "));
        assert!(summary(&data, &["kl".into()]).ends_with(". 2 lines more."));
    }

    #[test]
    fn files_have_plain_names_and_keys_are_quoted() {
        assert_eq!(file_name(&["a/b \"c\"".into()], "csv"), "a-b-c.csv");
        let heat = HeatData {
            key: "h,\"i\"".into(),
            logged: vec![(3.0, 4.0)],
            edges: vec![(2.5, 4.5)],
            bins: vec![0.0, 0.1],
            shares: vec![1.0],
            ..HeatData::default()
        };
        let data = ChartData { heat: Some(heat), ..ChartData::default() };
        assert_eq!(heat_csv(&data), "metric,x,low,high,value\n\"h,\"\"i\"\"\",3,0,0.1,1\n");
    }
}
