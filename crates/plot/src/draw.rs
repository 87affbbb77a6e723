//! Draws a [`Chart`] on any plotters backend.
//!
//! The primitives of the backend are used, not plotters' chart builder: its mesh measures every label (in a browser
//! through the DOM), costs about 3 ms a chart, and does not return on an infinite range. Here a chart is a few
//! rectangles, one path for each unbroken stretch of a line, and labels whose width is estimated.

use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{BackendCoord, DrawingBackend};

use super::band::outlines;
use super::clip::{Rect, clip_segment};
use super::dash::dashes;
use super::ink::{Paint, PlotLabel, coordinate, refused};
use super::layout::{FONT_PX, LABEL_GAP_PX, Layout, X_TITLE_PX};
use super::surface::{DrawError, PlotArea, Surface};
use super::{Chart, ChartBand, ChartCell, ChartLine, Color, Dash, EdgeMark, Range, Theme, clamped, text_width};

const MARK_PX: f64 = 4.0;
/// Radius of a point that stands alone.
const DOT_PX: f64 = 2.0;

/// Draws on a backend whose size and coordinates are in units of `surface`.
pub fn draw_on<B: DrawingBackend>(
    backend: &mut B,
    chart: &Chart<'_>,
    theme: &Theme,
    surface: Surface,
) -> Result<PlotArea, DrawError> {
    let scale = if surface.scale.is_finite() { surface.scale.clamp(0.1, 16.0) } else { 1.0 };
    let subpixels = surface.subpixels.clamp(1, 64);
    let size = backend.get_size();
    let layout = Layout::of(chart, size, scale, subpixels)?;
    let mut painter = Painter { backend, layout: &layout, theme };
    painter.base(chart)?;
    for cell in &chart.cells {
        painter.cell(cell)?;
    }
    for band in &chart.bands {
        painter.band(band)?;
    }
    for line in &chart.lines {
        painter.line(line)?;
    }
    painter.marks(&chart.marks)?;
    painter.labels(chart)?;
    backend.present().map_err(refused)?;
    Ok(layout.area())
}

/// How a line is drawn.
struct Stroke {
    paint: Paint,
    /// Lengths of dashes and gaps in turn, in CSS pixels; empty for a solid line.
    pattern: &'static [f64],
}

struct Painter<'a, B> {
    backend: &'a mut B,
    layout: &'a Layout,
    theme: &'a Theme,
}

impl<B: DrawingBackend> Painter<'_, B> {
    /// Background, shades, grid, rules.
    fn base(&mut self, chart: &Chart<'_>) -> Result<(), DrawError> {
        let layout = self.layout;
        let rect = layout.rect;
        let (width, height) = (f64::from(layout.size.0), f64::from(layout.size.1));
        self.fill(Rect { left: 0.0, top: 0.0, right: width, bottom: height }, Paint::solid(self.theme.background))?;
        for shade in &chart.shaded {
            let (from, to) = (shade.from.min(shade.to), shade.from.max(shade.to));
            let left = clamped(layout.x(from), rect.left, rect.right);
            let right = clamped(layout.x(to), rect.left, rect.right);
            if right > left {
                self.fill(Rect { left, right, ..rect }, Paint::new(shade.color, shade.alpha))?;
            }
        }
        let hair = layout.hair();
        for tick in &layout.y_ticks {
            let top =
                self.aligned(layout.y(tick.value, layout.y)) - (hair / 2.0 / layout.device).floor() * layout.device;
            self.fill(Rect { top, bottom: top + hair, ..rect }, Paint::solid(self.theme.line))?;
        }
        for rule in &chart.rules {
            let x = self.aligned(layout.x(rule.x));
            if !(x >= rect.left && x <= rect.right) {
                continue;
            }
            let paint = Paint::new(rule.color, 0.8);
            if !rule.is_dashed {
                self.fill(Rect { left: x, right: x + hair, ..rect }, paint)?;
                continue;
            }
            let path = [(x, rect.top), (x, rect.bottom)].map(coordinate);
            for dash in dashes(&path, Dash::Dashed.pattern(), layout.css / 2.0) {
                if let (Some(from), Some(to)) = (dash.first(), dash.last()) {
                    let (top, bottom) = (f64::from(from.1), f64::from(to.1));
                    self.fill(Rect { left: x, top, right: x + hair, bottom }, Paint::new(rule.color, 0.8))?;
                }
            }
        }
        Ok(())
    }

    /// A cell, cut to the plotting area. A narrow one is widened to two pixels, so that it is seen.
    fn cell(&mut self, cell: &ChartCell) -> Result<(), DrawError> {
        let layout = self.layout;
        let rect = layout.rect;
        let (from, to) = (layout.x(cell.x.0), layout.x(cell.x.1));
        let lacks = (2.0 * layout.hair() - (to - from)).max(0.0) / 2.0;
        let across = |x: f64| self.aligned(clamped(x, rect.left, rect.right));
        let up = |y: f64| self.aligned(clamped(layout.y(y, layout.y), rect.top, rect.bottom));
        let area =
            Rect { left: across(from - lacks), right: across(to + lacks), top: up(cell.y.1), bottom: up(cell.y.0) };
        // Also false for NaN.
        if area.right > area.left && area.bottom > area.top {
            self.fill(area, Paint::solid(cell.color))?;
        }
        Ok(())
    }

    fn band(&mut self, band: &ChartBand<'_>) -> Result<(), DrawError> {
        let layout = self.layout;
        let edges = band.x.iter().zip(band.low).zip(band.high);
        let columns = edges.map(|((&x, &low), &high)| {
            if !(low.is_finite() && high.is_finite()) {
                return (f64::NAN, 0.0, 0.0);
            }
            // An edge without a place, of zero on a logarithmic axis, lies below everything.
            let down = |y: f64| Some(layout.y(y, layout.y)).filter(|y| !y.is_nan()).unwrap_or(f64::INFINITY);
            (layout.x(x), down(high), down(low))
        });
        for outline in outlines(columns, &layout.rect) {
            self.backend.fill_polygon(outline, &Paint::new(band.color, band.alpha)).map_err(refused)?;
        }
        Ok(())
    }

    /// One path for each unbroken stretch, cut to the plotting area; a dot for a point that stands alone.
    fn line(&mut self, line: &ChartLine<'_>) -> Result<(), DrawError> {
        let layout = self.layout;
        let axis = if line.right { layout.y_right.unwrap_or(layout.y) } else { layout.y };
        let width = (line.width_px.clamp(0.25, 100.0) * layout.css).round().clamp(1.0, 10_000.0) as u32;
        let paint = Paint { color: line.color, alpha: line.alpha, width };
        let stroke = Stroke { paint, pattern: line.dash.pattern() };
        let paint = &stroke.paint;
        let mut path: Vec<BackendCoord> = Vec::with_capacity(line.x.len());
        let mut previous: Option<(f64, f64)> = None;
        let mut drawn = false;
        let (line_x, line_y) = shown(line.x, line.y, layout.x_range());
        for (&x, &y) in line_x.iter().zip(line_y) {
            let point = (layout.x(x), layout.y(y, axis));
            if !(x.is_finite() && y.is_finite()) || point.0.is_nan() || point.1.is_nan() {
                self.stretch(&mut path, &stroke)?;
                self.dot(previous.filter(|_| !drawn), paint)?;
                previous = None;
                continue;
            }
            if let Some(before) = previous {
                drawn = true;
                match clip_segment(before, point, &layout.rect) {
                    None => self.stretch(&mut path, &stroke)?,
                    Some((from, to)) => {
                        let (from, to) = (coordinate(from), coordinate(to));
                        if path.last().is_some_and(|last| *last != from) {
                            self.stretch(&mut path, &stroke)?;
                        }
                        if path.is_empty() {
                            path.push(from);
                        }
                        if from != to {
                            path.push(to);
                        }
                    }
                }
            } else {
                drawn = false;
            }
            previous = Some(point);
        }
        self.stretch(&mut path, &stroke)?;
        self.dot(previous.filter(|_| !drawn), paint)
    }

    /// Draws what has gathered and starts anew.
    fn stretch(&mut self, path: &mut Vec<BackendCoord>, stroke: &Stroke) -> Result<(), DrawError> {
        match path.as_slice() {
            [] => {}
            // A stretch within one coordinate: a stroke without length is not drawn.
            [(x, y)] => self.dot(Some((f64::from(*x), f64::from(*y))), &stroke.paint)?,
            whole if stroke.pattern.is_empty() => {
                self.backend.draw_path(whole.iter().copied(), &stroke.paint).map_err(refused)?;
            }
            whole => {
                for dash in dashes(whole, stroke.pattern, self.layout.css) {
                    self.backend.draw_path(dash, &stroke.paint).map_err(refused)?;
                }
            }
        }
        path.clear();
        Ok(())
    }

    fn dot(&mut self, center: Option<(f64, f64)>, paint: &Paint) -> Result<(), DrawError> {
        let Some(center) = center else { return Ok(()) };
        if !self.layout.rect.contains(center) {
            return Ok(());
        }
        let radius = paint.width.max((DOT_PX * self.layout.css).round().max(1.0) as u32);
        self.backend.draw_circle(coordinate(center), radius, paint, true).map_err(refused)
    }

    /// Marks for NaN and infinities, at most one of a kind for each of its widths.
    fn marks(&mut self, marks: &[EdgeMark]) -> Result<(), DrawError> {
        let layout = self.layout;
        let rect = layout.rect;
        let size = MARK_PX * layout.css;
        let stroke = (1.5 * layout.css).round().clamp(1.0, 10_000.0) as u32;
        let paint = Paint { color: self.theme.ugly, alpha: 1.0, width: stroke };
        let off_scale = |color| Paint { color, alpha: 1.0, width: stroke };
        let mut taken = [f64::NEG_INFINITY; 5];
        for mark in marks {
            let x = layout.x(mark.x());
            let slot = match mark {
                EdgeMark::Nan(_) => 0,
                EdgeMark::PositiveInfinity(_) => 1,
                EdgeMark::NegativeInfinity(_) => 2,
                EdgeMark::Above(..) => 3,
                EdgeMark::Below(..) => 4,
            };
            let Some(last) = taken.get_mut(slot) else { continue };
            // Also false for NaN.
            let within = x >= rect.left && x <= rect.right;
            if !within || (x - *last).abs() < size {
                continue;
            }
            *last = x;
            match mark {
                EdgeMark::Nan(_) => {
                    let y = rect.bottom - size;
                    for slope in [-1.0, 1.0] {
                        let from = coordinate((x - size * 0.75, y - size * 0.75 * slope));
                        let to = coordinate((x + size * 0.75, y + size * 0.75 * slope));
                        self.backend.draw_path([from, to], &paint).map_err(refused)?;
                    }
                }
                EdgeMark::PositiveInfinity(_) => self.triangle(x, rect.top, size * 1.6, &paint)?,
                EdgeMark::NegativeInfinity(_) => self.triangle(x, rect.bottom, -size * 1.6, &paint)?,
                EdgeMark::Above(_, color) => self.triangle(x, rect.top, size, &off_scale(*color))?,
                EdgeMark::Below(_, color) => self.triangle(x, rect.bottom, -size, &off_scale(*color))?,
            }
        }
        Ok(())
    }

    fn triangle(&mut self, x: f64, tip: f64, height: f64, paint: &Paint) -> Result<(), DrawError> {
        let half = height.abs() * 0.6;
        let corners = [(x, tip), (x - half, tip + height), (x + half, tip + height)].map(coordinate);
        self.backend.fill_polygon(corners, paint).map_err(refused)
    }

    fn labels(&mut self, chart: &Chart<'_>) -> Result<(), DrawError> {
        let layout = self.layout;
        let rect = layout.rect;
        let gap = LABEL_GAP_PX * layout.css;
        let left_color = axis_color(chart, false, self.theme);
        for tick in &layout.y_ticks {
            let at = (rect.left - gap, layout.y(tick.value, layout.y));
            self.text(&tick.label, at, (HPos::Right, VPos::Center), left_color)?;
        }
        if let Some(axis) = layout.y_right {
            let color = axis_color(chart, true, self.theme);
            for tick in &layout.right_ticks {
                let at = (rect.right + gap, layout.y(tick.value, axis));
                self.text(&tick.label, at, (HPos::Left, VPos::Center), color)?;
            }
        }
        let y = rect.bottom + gap;
        let mut free_from = 0.0;
        for tick in &layout.x_ticks {
            let width = text_width(&tick.label, FONT_PX * layout.css);
            let room = (f64::from(layout.size.0) - width / 2.0).max(width / 2.0);
            let x = clamped(layout.x(tick.value), width / 2.0, room);
            if x - width / 2.0 < free_from {
                continue;
            }
            free_from = x + width / 2.0 + gap;
            self.text(&tick.label, (x, y), (HPos::Center, VPos::Top), self.theme.muted)?;
        }
        if chart.x_title.is_empty() {
            return Ok(());
        }
        let at = (rect.right, y + X_TITLE_PX * layout.css);
        self.text(&chart.x_title, at, (HPos::Right, VPos::Top), self.theme.muted)
    }

    fn text(&mut self, text: &str, at: (f64, f64), (h, v): (HPos, VPos), color: Color) -> Result<(), DrawError> {
        let style = PlotLabel { color, size: FONT_PX * self.layout.css, anchor: (h, v) };
        self.backend.draw_text(text, &style, coordinate(at)).map_err(refused)
    }

    fn fill(&mut self, rect: Rect, paint: Paint) -> Result<(), DrawError> {
        let (from, to) = (coordinate((rect.left, rect.top)), coordinate((rect.right, rect.bottom)));
        self.backend.draw_rect(from, to, &paint, true).map_err(refused)
    }

    /// The nearest edge of a device pixel.
    fn aligned(&self, value: f64) -> f64 {
        (value / self.layout.device).round() * self.layout.device
    }
}

/// The points in a range of x and a neighbour on either side, where positions ascend; else all.
fn shown<'l>(x: &'l [f64], y: &'l [f64], range: Range) -> (&'l [f64], &'l [f64]) {
    if !x.is_sorted() {
        return (x, y);
    }
    let start = x.partition_point(|x| *x < range.low()).saturating_sub(1);
    let end = (x.partition_point(|x| *x <= range.high()) + 1).min(x.len()).min(y.len());
    x.get(start..end).zip(y.get(start..end)).unwrap_or((x, y))
}

/// With two y axes the labels wear the colour of their line.
fn axis_color(chart: &Chart<'_>, right: bool, theme: &Theme) -> Color {
    match chart.y_right {
        None => theme.muted,
        Some(_) => chart.lines.iter().rev().find(|line| line.right == right).map_or(theme.muted, |line| line.color),
    }
}
