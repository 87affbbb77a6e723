//! The plotting area of a figure: where values lie, its grid, and the words of its axes.

use crate::clip::{Rect, clip_segment};
use crate::{Axis, Range, Scale, Tick};
use rundown_content::{Anchor, Tone};
use rundown_stats::{ascending, is_middle_by_logarithm};

use super::sheet::{LINE, Position, Sheet, TEXT};
use super::words;

/// Pixels that a label of the x axis has for itself, and one of the y axis.
const TICK_ROOM: (f64, f64) = (76.0, 36.0);
/// Pixels between two labels that stand side by side.
pub(super) const GAP: f64 = 8.0;
/// What a figure without a value says.
pub(super) const NOTHING: &str = "No finite values.";
/// Decades from which on positive values are shown by their logarithm, where the caller leaves it open.
const DECADES: f64 = 100.0;

/// What an axis shows, and how.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AxisScale {
    /// Its name, with the unit.
    pub title: String,
    /// How values are spaced. Of a base-10 logarithm values of zero and below have no place.
    pub scale: Scale,
}

impl AxisScale {
    /// A linear axis.
    pub fn linear(title: impl Into<String>) -> Self {
        Self { title: title.into(), scale: Scale::Linear }
    }

    /// A logarithmic axis.
    pub fn log(title: impl Into<String>) -> Self {
        Self { title: title.into(), scale: Scale::Log }
    }

    /// Logarithmic where all finite values are positive, span two decades, and lie more evenly by their logarithm.
    pub fn fitting(title: impl Into<String>, values: &[f64]) -> Self {
        if is_by_decades(values) { Self::log(title) } else { Self::linear(title) }
    }

    /// The axis for these values; `is_framed` leaves some room around them.
    pub(super) fn axis(&self, values: impl IntoIterator<Item = f64>, is_framed: bool) -> Axis {
        if self.scale == Scale::Log {
            let range = Range::of(values.into_iter().filter(|value| *value > 0.0));
            let range = range.map(|range| if is_framed { range.framed_log() } else { range });
            return range.map_or_else(|| Axis::linear(Range::unit()), Axis::logarithmic);
        }
        let range = Range::of(values).unwrap_or(Range::unit());
        Axis::new(self.scale, if is_framed { range.framed() } else { range })
    }
}

/// True when all finite values are positive, the largest is a hundred times the smallest, and the middle one lies nearer to the
/// middle by its logarithm: a hundred numbers between 0 and 10 may span two decades too.
pub(super) fn is_by_decades(values: &[f64]) -> bool {
    let mut different = ascending(values.iter().copied().filter(|value| value.is_finite()));
    different.dedup();
    let (Some(least), Some(greatest)) = (different.first(), different.last()) else { return false };
    let Some(middle) = different.get(different.len() / 2) else { return false };
    *least > 0.0 && greatest / least >= DECADES && is_middle_by_logarithm(*least, *middle, *greatest)
}

/// The room that a figure keeps around its plotting area, beside what the words of the axes need.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Margins {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

/// A plotting area with two axes.
pub(super) struct Frame {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
    pub x: Axis,
    pub y: Axis,
    y_ticks: Vec<Tick>,
}

impl Frame {
    /// The area that is left on the sheet when both axes have their words.
    pub fn new(
        sheet: &Sheet,
        margins: Margins,
        (x, x_scale): (Axis, &AxisScale),
        (y, y_scale): (Axis, &AxisScale),
    ) -> Self {
        let title_room = |scale: &AxisScale| if scale.title.is_empty() { 0.0 } else { LINE + 2.0 };
        let top = margins.top + 6.0 + title_room(y_scale);
        let bottom = (sheet.height - margins.bottom - LINE - 6.0 - title_room(x_scale)).max(top + 20.0);
        let most = ((bottom - top) / TICK_ROOM.1) as usize;
        let y_ticks = y.ticks(most.max(2));
        let widest = y_ticks.iter().map(|tick| words::width(&tick.label)).fold(0.0, f64::max);
        let left = margins.left + widest.min(sheet.width * 0.3) + GAP;
        let right = (sheet.width - margins.right).max(left + 20.0);
        Self { left, top, right, bottom, x, y, y_ticks }
    }

    /// Where a value of the x axis lies; NaN for one without a place.
    pub fn across(&self, value: f64) -> f64 {
        self.left + (self.right - self.left) * self.x.fraction(value)
    }

    /// Where a value of the y axis lies; NaN for one without a place.
    pub fn up(&self, value: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * self.y.fraction(value)
    }

    /// The value of the y axis at a height.
    pub fn value_at(&self, y: f64) -> f64 {
        self.y.value_at((self.bottom - y) / (self.bottom - self.top))
    }

    /// Where a point lies, if it lies in the area.
    pub fn inside(&self, x: f64, y: f64) -> Option<Position> {
        let place = (self.across(x), self.up(y));
        let fits = (self.left - 0.5..=self.right + 0.5).contains(&place.0)
            && (self.top - 0.5..=self.bottom + 0.5).contains(&place.1);
        fits.then_some(place)
    }

    /// The line through points in values, cut to the area, gaps as NaN; and the points that stand alone.
    pub fn trace(&self, points: impl Iterator<Item = (f64, f64)>) -> (Vec<Position>, Vec<Position>) {
        let rect = Rect { left: self.left, top: self.top, right: self.right, bottom: self.bottom };
        let (mut line, mut alone): (Vec<Position>, Vec<Position>) = (Vec::new(), Vec::new());
        let mut before: Option<(Position, bool)> = None;
        for (x, y) in points {
            let here = (self.across(x), self.up(y));
            if !(here.0.is_finite() && here.1.is_finite()) {
                alone.extend(before.take().filter(|(_, joined)| !joined).map(|(place, _)| place));
                continue;
            }
            if let Some((last, _)) = before
                && let Some((from, to)) = clip_segment(last, here, &rect)
            {
                if line.last() != Some(&from) {
                    if !line.is_empty() {
                        line.push((f64::NAN, f64::NAN));
                    }
                    line.push(from);
                }
                line.push(to);
            }
            before = Some((here, before.is_some()));
        }
        alone.extend(before.filter(|(_, joined)| !joined).map(|(place, _)| place));
        alone.retain(|(x, y)| (rect.left..=rect.right).contains(x) && (rect.top..=rect.bottom).contains(y));
        (line, alone)
    }

    /// Says in the middle of the area that there is nothing to draw.
    pub fn draw_nothing(&self, sheet: &mut Sheet) {
        let at = ((self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0 - LINE / 2.0);
        sheet.fitted(at, Anchor::Middle, NOTHING, self.right - self.left, Tone::Muted);
    }

    /// Grid lines across, the labels of the y axis and its title.
    pub fn draw_y(&self, sheet: &mut Sheet, title: &str) {
        let mut free_above = f64::INFINITY;
        for tick in &self.y_ticks {
            let y = self.up(tick.value);
            sheet.segment((self.left, y), (self.right, y), Tone::Grid);
            if y + TEXT / 2.0 <= free_above {
                let at = (self.left - GAP, y + TEXT * 0.35);
                sheet.fitted(at, Anchor::End, &tick.label, self.left - GAP, Tone::Muted);
                free_above = y - TEXT / 2.0 - 2.0;
            }
        }
        sheet.fitted((0.0, self.top - LINE + 2.0), Anchor::Start, title, self.right, Tone::Muted);
    }

    /// The labels of the x axis and its title below; with lines up where `has_grid`.
    pub fn draw_x(&self, sheet: &mut Sheet, scale: &AxisScale, has_grid: bool) {
        let most = ((self.right - self.left) / TICK_ROOM.0).max(2.0) as usize;
        let ticks = self.x.ticks(most);
        let mut free_from = 0.0;
        for tick in &ticks {
            let x = self.across(tick.value);
            if has_grid {
                sheet.segment((x, self.top), (x, self.bottom), Tone::Grid);
            }
            let half = words::width(&tick.label) / 2.0;
            // A label at an end is pushed in instead of being cut.
            let center = x.min(sheet.width - half).max(half);
            if center - half >= free_from && center + half <= sheet.width {
                sheet.words((center, self.bottom + LINE + 1.0), Anchor::Middle, &tick.label, Tone::Muted);
                free_from = center + half + GAP;
            }
        }
        let room = self.right - self.left;
        sheet.fitted((self.right, self.bottom + 2.0 * LINE + 3.0), Anchor::End, &scale.title, room, Tone::Muted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_evenly_by_its_logarithm_has_a_logarithmic_axis() {
        let uniform: Vec<f64> = (1..200).map(|place| f64::from(place) / 20.0).collect();
        assert!(!is_by_decades(&uniform), "0.05 to 9.95");
        let by_powers: Vec<f64> = (0..200).map(|place| 0.05 * libm::exp2(f64::from(place) / 20.0)).collect();
        assert!(is_by_decades(&by_powers));
        assert!(is_by_decades(&[1e-6, 1e-6, 1e-4]) && is_by_decades(&[1e-6, f64::NAN, 1e-5, 1e-4]));
        assert!(!is_by_decades(&[0.0, 1.0, 100.0]) && !is_by_decades(&[1.0, 50.0]) && !is_by_decades(&[]));
    }
}
