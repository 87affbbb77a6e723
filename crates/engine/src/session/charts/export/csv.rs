//! A chart as a table: a row for each point in the window, whatever the width. Numbers read back as they were.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::{ExportSource, name};
use crate::session::charts::groups::group_curves;
use crate::session::charts::smoothing::{is_smoothing, smoothed};
use rundown_format::{People, push_csv_cell, redact};
use rundown_plot::inside;
use rundown_protocol::{Fault, LinesRequest, XAxis};

/// Bytes of three numbers and their commas, at most as a rule.
const NUMBERS: usize = 48;

/// The table, without the names of `people`. Of groups it has the centre and the ends of the band.
///
/// # Errors
/// Where it does not fit in memory.
pub fn csv(source: &mut ExportSource<'_, '_>, wanted: &LinesRequest, people: Option<&People>) -> Result<String, Fault> {
    let mut table = CsvTable { out: String::new(), has_smoothed: is_smoothing(&wanted.smoothing), people };
    table.header(wanted);
    match &wanted.group {
        Some(_) => groups(source, wanted, &mut table)?,
        None => series(source, wanted, &mut table)?,
    }
    Ok(table.out)
}

fn series(source: &mut ExportSource<'_, '_>, wanted: &LinesRequest, table: &mut CsvTable<'_>) -> Result<(), Fault> {
    for series in &wanted.series {
        let id = source.id(series.run);
        let Some(chart) = source.run(series.run) else { continue };
        let name = name(chart.run);
        let Some(prepared) = chart.cache.prepare(chart.run, chart.bindings, &series.key, &wanted.x) else { continue };
        let first = table.row_start(&[&name, &id, &redact(&series.key)]);
        let smoothed = table.has_smoothed.then(|| prepared.smoothed(&wanted.smoothing, wanted.window).1.to_vec());
        let (x, y) = prepared.points();
        let range = inside(x, wanted.window);
        let (x, y) = (x.get(range.clone()).unwrap_or_default(), y.get(range).unwrap_or_default());
        table.reserve(x.len() * (first.len() + NUMBERS))?;
        for (place, (x, y)) in x.iter().zip(y).enumerate() {
            let smooth = smoothed.as_ref().and_then(|values| values.get(place).copied());
            table.row(&first, &[Some(*x), Some(*y)], smooth);
        }
    }
    Ok(())
}

fn groups(source: &mut ExportSource<'_, '_>, wanted: &LinesRequest, table: &mut CsvTable<'_>) -> Result<(), Fault> {
    let Some(grouping) = &wanted.group else { return Ok(()) };
    for curve in group_curves(source.runs, wanted, grouping).curves {
        let key = wanted.series.get(curve.series as usize).map_or("", |series| series.key.as_str());
        let first = table.row_start(&[&curve.name(&grouping.setting), "", &redact(key)]);
        let smoothed = table.has_smoothed.then(|| smoothed(&wanted.smoothing, &curve.x, &curve.center));
        table.reserve(curve.x.len() * (first.len() + 2 * NUMBERS))?;
        let (low, high) = curve.band.as_ref().map_or((&[][..], &[][..]), |(low, high)| (low, high));
        for (place, (x, y)) in curve.x.iter().zip(&curve.center).enumerate() {
            // Without a band its columns are empty.
            let [low, high] = [low, high].map(|ends| ends.get(place).copied());
            let smooth = smoothed.as_ref().and_then(|values| values.get(place).copied());
            table.row(&first, &[Some(*x), Some(*y), low, high], smooth);
        }
    }
    Ok(())
}

struct CsvTable<'p> {
    out: String,
    has_smoothed: bool,
    people: Option<&'p People>,
}

impl CsvTable<'_> {
    fn header(&mut self, wanted: &LinesRequest) {
        let x = match &wanted.x {
            XAxis::Step => "step".to_owned(),
            XAxis::Tokens => "tokens".to_owned(),
            XAxis::RelativeTime => "seconds".to_owned(),
            XAxis::WallTime => "unix_seconds".to_owned(),
            XAxis::Metric(key) => redact(key).into_owned(),
        };
        self.out.push_str("run,run_id,metric,");
        let x = self.row_start(&[&x]);
        self.out.push_str(&x);
        self.out.push_str(",value");
        self.out.push_str(if wanted.group.is_some() { ",low,high" } else { "" });
        self.out.push_str(if self.has_smoothed { ",smoothed\n" } else { "\n" });
    }

    /// The fields that all rows of a series begin with.
    fn row_start(&self, fields: &[&str]) -> String {
        let mut out = String::new();
        for (place, text) in fields.iter().enumerate() {
            if place > 0 {
                out.push(',');
            }
            push_csv_cell(&mut out, &self.people.map_or(Cow::Borrowed(*text), |people| people.hide(text)));
        }
        out
    }

    fn reserve(&mut self, bytes: usize) -> Result<(), Fault> {
        let fault = |_| Fault::Export("The table does not fit in memory: zoom in, or export fewer lines.".to_owned());
        self.out.try_reserve(bytes).map_err(fault)
    }

    /// Writes what a row begins with, its numbers (`None` for an empty field) and the smoothed value where there is one.
    fn row(&mut self, first: &str, numbers: &[Option<f64>], smoothed: Option<f64>) {
        self.out.push_str(first);
        for number in numbers.iter().copied().chain(smoothed.map(Some)) {
            self.out.push(',');
            number.into_iter().for_each(|number| write_number(&mut self.out, number));
        }
        self.out.push('\n');
    }
}

/// Writes a number with as many digits as tell it from every other one.
fn write_number(out: &mut String, value: f64) {
    let size = value.abs();
    // Writing to a text cannot fail.
    let _ = match value {
        _ if value.is_nan() => out.write_str("NaN"),
        f64::INFINITY => out.write_str("Infinity"),
        f64::NEG_INFINITY => out.write_str("-Infinity"),
        _ if size == 0.0 || (1e-5..1e16).contains(&size) => write!(out, "{value}"),
        _ => write!(out, "{value:e}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(value: f64) -> String {
        let mut text = String::new();
        write_number(&mut text, value);
        text
    }

    #[test]
    fn fields_are_quoted_where_they_need_it() {
        let table = CsvTable { out: String::new(), has_smoothed: false, people: None };
        assert_eq!(table.row_start(&["a b", "x,y", "say \"hi\""]), "a b,\"x,y\",\"say \"\"hi\"\"\"");
        assert_eq!(table.row_start(&["=1+1", "@a"]), "'=1+1,'@a");
        assert_eq!([1.0, 0.1, 1e-7, -0.0, 1e300].map(written), ["1", "0.1", "1e-7", "-0", "1e300"]);
    }

    proptest! {
        #[test]
        fn numbers_read_back_as_they_were(value in prop::num::f64::ANY) {
            let text = written(value);
            let read: f64 = text.parse().unwrap();
            prop_assert!(read.to_bits() == value.to_bits() || read.is_nan() && value.is_nan(), "{}", text);
            prop_assert!(text.len() < 26);
        }
    }
}
