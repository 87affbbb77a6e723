//! A heat map: rows such as criteria or opponents, columns such as steps, a colour for each value.

use crate::{Axis, Range, XKind, clamped, position};
use rundown_content::{Anchor, Figure, RichText, Tone};
use rundown_format::number;

use super::cells::CellColumns;
use super::frame::{AxisScale, Frame, GAP, Margins, NOTHING};
use super::labels::{colour, colours, more};
use super::sheet::{PixelArea, Sheet, TEXT, usable_width};
use super::words::{facts, listed, named, shortened, width as width_of};

/// Most rows that are drawn.
const MAX_ROWS: usize = 50;
/// Height of a row in pixels.
const ROW: f64 = 17.0;

/// Rows of values over shared positions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeatMap<'a> {
    /// What it shows.
    pub title: RichText,
    /// Positions of the columns, such as steps.
    pub x: &'a [f64],
    /// What they count.
    pub x_scale: AxisScale,
    /// What the colours stand for.
    pub value_title: &'a str,
    /// Rows, from the top.
    pub rows: Vec<HeatRow<'a>>,
}

/// A row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeatRow<'a> {
    /// Its name.
    pub name: &'a str,
    /// A value for each position; NaN for none.
    pub values: Vec<f64>,
}

impl HeatMap<'_> {
    /// The figure at a width in CSS pixels. What is logged in no column stays empty.
    pub fn draw(&self, width_px: f64) -> Figure {
        let width = usable_width(width_px);
        let mut sheet = Sheet::new(width, 0.0);
        let rows: Vec<&HeatRow<'_>> = self.rows.iter().take(MAX_ROWS).collect();
        let longest = width * 0.34;
        let name_room = rows.iter().map(|row| width_of(&shortened(row.name, longest))).fold(0.0, f64::max);
        let left = name_room + GAP;
        let columns = CellColumns::new(self.x, width - left);
        let means: Vec<Vec<f64>> = rows.iter().map(|row| columns.means(&row.values)).collect();
        let Some(range) = Range::of(means.iter().flatten().copied()) else {
            sheet.height = 24.0;
            sheet.words((0.0, TEXT), Anchor::Start, NOTHING, Tone::Muted);
            return sheet.finish(&self.title, NOTHING.to_owned());
        };
        let top = colours(&mut sheet, self.value_title, range.ends());
        let more_room = if rows.len() < self.rows.len() { 16.0 } else { 0.0 };
        let title_room = if self.x_scale.title.is_empty() { 0.0 } else { 16.0 };
        let bottom = top + rows.len() as f64 * ROW;
        sheet.height = bottom + 22.0 + title_room + more_room;
        let frame = columns_frame(&sheet, &columns, &self.x_scale, (left, top, bottom), more_room);

        for (place, (row, means)) in rows.iter().zip(&means).enumerate() {
            let y = top + place as f64 * ROW;
            sheet.fitted((left - GAP, y + ROW / 2.0 + TEXT * 0.35), Anchor::End, row.name, longest, Tone::Ink);
            for (column, value) in means.iter().enumerate().filter(|(_, value)| value.is_finite()) {
                let (from, to) = edges(&frame, &columns, column);
                let area = PixelArea { left: from, right: to, top: y + 0.5, bottom: y + ROW - 0.5 };
                let wording = facts(&place_of(&columns, column, row.name), &[("", *value)]);
                sheet.rectangle(area, colour(range.fraction(*value)), wording);
            }
        }
        frame.draw_x(&mut sheet, &self.x_scale, false);
        if more_room > 0.0 {
            let at = (0.0, sheet.height - 3.0);
            sheet.words(at, Anchor::Start, &more(self.rows.len() - rows.len()), Tone::Muted);
        }
        sheet.finish(&self.title, summary(&rows, &means))
    }
}

/// A frame whose x axis covers the columns, half a column beyond the outer positions.
fn columns_frame(
    sheet: &Sheet,
    columns: &CellColumns,
    scale: &AxisScale,
    (left, top, bottom): (f64, f64, f64),
    below: f64,
) -> Frame {
    let ends = Range::of(columns.first.iter().chain(&columns.last).copied()).unwrap_or(Range::unit());
    let half = ends.span() / 2.0 / (columns.count().max(2) - 1) as f64;
    let range = Range::new(ends.low() - half, ends.high() + half).unwrap_or(ends);
    let y = Axis::linear(Range::unit());
    let margins = Margins { left: 0.0, top, right: 4.0, bottom: below };
    let mut frame = Frame::new(sheet, margins, (Axis::linear(range), scale), (y, &AxisScale::default()));
    (frame.left, frame.top, frame.bottom) = (left, top, bottom);
    frame.right = frame.right.max(left + 20.0);
    frame
}

/// Left and right edge of a column: half way to its neighbours.
fn edges(frame: &Frame, columns: &CellColumns, column: usize) -> (f64, f64) {
    let between = |before: Option<usize>, after: usize| {
        let last = columns.last.get(before?)?;
        let first = columns.first.get(after)?;
        Some(frame.across(last / 2.0 + first / 2.0))
    };
    let from = between(column.checked_sub(1), column).unwrap_or(frame.left);
    let to = between(Some(column), column + 1).unwrap_or(frame.right);
    // A hair over the next one: edges that only touch can leave a line of the ground between them.
    (clamped(from, frame.left, frame.right), clamped(to + 0.3, frame.left, frame.right))
}

/// `name, step 5`, or `name, step 5 to step 9`.
fn place_of(columns: &CellColumns, column: usize, name: &str) -> String {
    let name = facts(name, &[]);
    let (Some(first), Some(last)) = (columns.first.get(column), columns.last.get(column)) else { return name };
    let mut place = position(*first, XKind::Number);
    if last > first {
        place = format!("{place} to {}", position(*last, XKind::Number));
    }
    if name.is_empty() { place } else { format!("{name}, {place}") }
}

fn summary(rows: &[&HeatRow<'_>], means: &[Vec<f64>]) -> String {
    let items: Vec<String> = rows
        .iter()
        .zip(means)
        .filter_map(|(row, means)| {
            let first = means.iter().find(|value| value.is_finite())?;
            let last = means.iter().rev().find(|value| value.is_finite())?;
            Some(format!("{} from {} to {}", named(row.name), number(*first), number(*last)))
        })
        .collect();
    listed(&items, 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::testing::{assert_sound, hostile, texts};
    use proptest::prelude::*;
    use rundown_content::Shape;

    #[test]
    fn a_cell_for_each_value_and_none_for_nan() {
        let x = [10.0, 20.0, 30.0];
        let rows = vec![
            HeatRow { name: "clarity", values: vec![0.0, 0.5, 1.0] },
            HeatRow { name: "grounding", values: vec![f64::NAN, 0.2, 0.2] },
        ];
        let map =
            HeatMap { x: &x, x_scale: AxisScale::linear("step"), rows, value_title: "score", ..HeatMap::default() };
        let figure = map.draw(600.0);
        assert_sound(&figure);
        let cells: Vec<Tone> = figure
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Rectangle { tone, hint, .. } if !hint.is_empty() => Some(*tone),
                _ => None,
            })
            .collect();
        assert_eq!(cells, [0, 5, 9, 2, 2].map(Tone::Heat));
        assert!(texts(&figure).contains(&"grounding") && texts(&figure).contains(&"score"));
        assert_eq!(figure.summary, "clarity from 0 to 1; grounding from 0.2 to 0.2.");
    }

    #[test]
    fn the_scale_of_large_numbers_stays_in_a_narrow_figure() {
        let rows = vec![HeatRow { name: "a", values: vec![-5_613_231_645_315_232.0] }];
        let map = HeatMap { x: &[0.0], rows, value_title: "count", ..HeatMap::default() };
        assert_sound(&map.draw(100.0));
    }

    proptest! {
        #[test]
        fn any_data_makes_a_sound_figure(x in hostile(), y in hostile(), z in hostile(), width in 100.0..2000.0f64) {
            let rows = vec![HeatRow { name: "a", values: y }, HeatRow { name: "a much longer name of a criterion that goes on", values: z }];
            let map = HeatMap { x: &x, x_scale: AxisScale::linear("step"), rows, value_title: "a rather long title of a value", ..HeatMap::default() };
            assert_sound(&map.draw(width));
        }
    }
}
