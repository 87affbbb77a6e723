//! What the tooltip of a chart lists: the values under the cursor, nearest to the pointer first.

use super::data::{ChartData, LineData};
use super::words::position_text;
use rundown_format::number;

/// Lines that a tooltip lists; of more, their number.
const MAX_ROWS: usize = 12;
/// How far beyond its end a line still has a value, as a fraction of the visible part of x.
pub const SLACK: f64 = 0.01;
/// How near to a line the pointer highlights its run, in CSS pixels.
const NEAR_PX: f64 = 14.0;

/// A tooltip.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tip {
    /// Where the cursor is, in words.
    pub position: String,
    /// The lines, nearest first.
    pub rows: Vec<TipRow>,
    /// Lines that are left out.
    pub more: usize,
    /// The runs whose line is at the pointer: one, or those of a group.
    pub hovered: Vec<u32>,
}

/// A line of a tooltip.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TipRow {
    /// What the line is called.
    pub name: String,
    /// Place of its colour in the theme; `None` for a cell of a heat map.
    pub hue: Option<usize>,
    /// Place among the dashes.
    pub dash: usize,
    /// Its value, smoothed where lines are.
    pub value: String,
    /// Its value as logged, where that is another.
    pub raw: Option<String>,
    /// True for the one nearest to the pointer.
    pub is_nearest: bool,
}

/// How far from the pointer a value of a line lies.
pub type Distance<'a> = &'a dyn Fn(&LineData, f64) -> f64;

/// Where the cursor is.
pub struct Cursor<'a> {
    /// Position along x.
    pub x: f64,
    /// Width of the visible part of x.
    pub span: f64,
    /// How far above (or below) the pointer a value of a line lies, in CSS pixels; `None` without a pointer.
    pub distance: Option<Distance<'a>>,
    /// Value of y under the pointer.
    pub y: Option<f64>,
}

/// The tooltip at a cursor; `None` where there is nothing.
pub fn tip(data: &ChartData, cursor: &Cursor<'_>) -> Option<Tip> {
    if let Some(heat) = &data.heat {
        let reading = heat.reading(cursor.x, cursor.y).or_else(|| heat.reading(cursor.x, None))?;
        let row = TipRow { value: reading.words(), is_nearest: true, ..TipRow::default() };
        return Some(Tip {
            position: reading.position_text(super::words::kind(&data.x)),
            rows: vec![row],
            ..Tip::default()
        });
    }
    let at = data.snapped(cursor.x)?;
    let mut found: Vec<(f64, f64, &LineData, super::data::LineReading)> = data
        .lines
        .iter()
        .filter_map(|line| {
            let reading = line.reading(at, cursor.span * SLACK)?;
            let away = cursor.distance.map_or(f64::INFINITY, |distance| distance(line, reading.y).abs());
            Some((if away.is_nan() { f64::INFINITY } else { away }, reading.y, line, reading))
        })
        .collect();
    // The nearest ones are kept; without a pointer those with the largest values.
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let nearest = found.first().filter(|(away, ..)| *away <= NEAR_PX);
    let hovered = nearest.map(|(_, _, line, _)| line.runs().to_vec()).unwrap_or_default();
    let has_pointer = cursor.distance.is_some();
    let mut kept: Vec<_> = found.iter().take(MAX_ROWS).enumerate().collect();
    // As one reads the chart from above: rows do not change their places while the pointer moves.
    kept.sort_by(|(_, a), (_, b)| b.1.total_cmp(&a.1));
    let rows = kept.into_iter().map(|(number, (_, _, line, reading))| TipRow {
        name: line.name.clone(),
        hue: Some(line.hue),
        dash: line.dash,
        value: self::number(reading.y),
        raw: reading.raw.map(self::number),
        is_nearest: has_pointer && number == 0,
    });
    let rows: Vec<TipRow> = rows.collect();
    (!rows.is_empty()).then(|| Tip {
        position: position_text(at, &data.x),
        more: found.len() - rows.len(),
        rows,
        hovered,
    })
}

/// The tooltip as a sentence, for a screen reader.
pub fn spoken(tip: &Tip) -> String {
    let rows = tip.rows.iter().map(|row| format!("{} {}", row.name, row.value));
    let rows: Vec<String> = rows.collect();
    match tip.more {
        0 => format!("{}: {}", tip.position, rows.join(", ")),
        more => format!("{}: {}, and {more} more", tip.position, rows.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(run: u32, y: &[f64]) -> LineData {
        let x = (0..y.len()).map(|x| x as f64 * 10.0).collect();
        LineData { run: Some(run), name: format!("run {run}"), raw: (x, y.to_vec()), ..LineData::default() }
    }

    fn data(lines: Vec<LineData>) -> ChartData {
        ChartData { lines, ..ChartData::default() }
    }

    fn names(tip: &Tip) -> Vec<&str> {
        tip.rows.iter().map(|row| row.name.as_str()).collect()
    }

    #[test]
    fn lines_are_listed_from_above_and_the_nearest_one_is_hovered() {
        let data = data(vec![line(1, &[1.0, 1.0]), line(2, &[5.0, 5.0]), line(3, &[9.0, 9.0])]);
        let distance = |_: &LineData, y: f64| (y - 6.0) * 10.0;
        let cursor = Cursor { x: 9.0, span: 10.0, distance: Some(&distance), y: None };
        let tip = tip(&data, &cursor).unwrap();
        assert_eq!((tip.position.as_str(), names(&tip)), ("step 10", vec!["run 3", "run 2", "run 1"]));
        assert_eq!((tip.hovered, tip.rows[0].is_nearest, tip.rows[1].is_nearest), (vec![2], false, true));
    }

    #[test]
    fn without_a_pointer_values_are_sorted() {
        let data = data(vec![line(1, &[1.0]), line(2, &[5.0]), line(3, &[f64::NAN])]);
        let tip = tip(&data, &Cursor { x: 0.0, span: 10.0, distance: None, y: None }).unwrap();
        assert_eq!((names(&tip), tip.hovered.is_empty()), (vec!["run 2", "run 1"], true));
        assert_eq!(spoken(&tip), "step 0: run 2 5, run 1 1");
    }

    #[test]
    fn runs_that_ended_before_are_left_out() {
        let data = data(vec![line(1, &[1.0, 1.0]), line(2, &[5.0, 5.0, 5.0, 5.0])]);
        let tip = tip(&data, &Cursor { x: 31.0, span: 30.0, distance: None, y: None }).unwrap();
        assert_eq!(names(&tip), ["run 2"]);
    }

    #[test]
    fn twelve_lines_are_listed_and_a_smoothed_one_has_both_values() {
        let smooth = Some((vec![0.0], vec![0.25]));
        let lines = (0..15).map(|run| LineData { smooth: smooth.clone(), ..line(run, &[0.5]) }).collect();
        let tip = tip(&data(lines), &Cursor { x: 0.0, span: 1.0, distance: None, y: None }).unwrap();
        assert_eq!((tip.rows.len(), tip.more), (12, 3));
        assert_eq!((tip.rows[0].value.as_str(), tip.rows[0].raw.as_deref()), ("0.25", Some("0.5")));
        assert!(spoken(&tip).ends_with("and 3 more"));
    }
}
