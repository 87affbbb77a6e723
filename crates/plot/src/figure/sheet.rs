//! The paper of a figure: takes shapes in 64 bits and keeps out what can't be drawn.

use rundown_content::{Anchor, Figure, RichText, Shape, Tone};

use super::words;

/// Height of words in pixels.
pub(super) const TEXT: f64 = Figure::TEXT_SIZE;
/// Least distance between the base lines of two words below each other.
pub(super) const LINE: f64 = 14.0;
/// Narrowest and widest figure in pixels.
const WIDTHS: (f64, f64) = (240.0, 2400.0);

/// A figure in the making.
pub(super) struct Sheet {
    pub width: f64,
    pub height: f64,
    shapes: Vec<Shape>,
}

/// A place in pixels: x to the right, y downwards.
pub(super) type Position = (f64, f64);

/// A rectangle in pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct PixelArea {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

/// A width that a figure can have; a wide one for NaN.
pub(super) fn usable_width(width_px: f64) -> f64 {
    if width_px.is_nan() { 640.0 } else { width_px.clamp(WIDTHS.0, WIDTHS.1) }
}

impl Sheet {
    /// Empty paper; `height` may be changed until it is finished.
    pub fn new(width_px: f64, height: f64) -> Self {
        Self { width: usable_width(width_px), height, shapes: Vec::new() }
    }

    /// A line through points; a point with NaN is a gap. Nothing for fewer than two points.
    pub fn line(&mut self, points: &[Position], tone: Tone, is_dashed: bool, hint: String) {
        self.line_of_values(points, &[], tone, is_dashed, hint);
    }

    /// The same with the value of each point, which is shown behind the hint.
    pub fn line_of_values(&mut self, points: &[Position], values: &[f64], tone: Tone, is_dashed: bool, hint: String) {
        if points.len() < 2 {
            return;
        }
        let gap = (f32::NAN, f32::NAN);
        let points = points.iter().map(|point| if is_finite(*point) { single(*point) } else { gap }).collect();
        let values = values.iter().map(|value| *value as f32).collect();
        self.shapes.push(Shape::Line { points, values, tone, is_dashed, hint });
    }

    /// A plain line between two points.
    pub fn segment(&mut self, from: Position, to: Position, tone: Tone) {
        if is_finite(from) && is_finite(to) {
            self.line(&[from, to], tone, false, String::new());
        }
    }

    /// A pale area; nothing when a corner is not finite.
    pub fn area(&mut self, corners: &[Position], tone: Tone) {
        if corners.len() > 2 && corners.iter().all(|corner| is_finite(*corner)) {
            self.shapes.push(Shape::Area { points: corners.iter().map(|corner| single(*corner)).collect(), tone });
        }
    }

    /// A filled rectangle; its corners come in any order.
    pub fn rectangle(&mut self, area: PixelArea, tone: Tone, hint: String) {
        let (x, y) = (area.left.min(area.right), area.top.min(area.bottom));
        let (width, height) = ((area.right - area.left).abs(), (area.bottom - area.top).abs());
        if is_finite((x, y)) && is_finite((width, height)) {
            let ((x, y), (width, height)) = (single((x, y)), single((width, height)));
            self.shapes.push(Shape::Rectangle { x, y, width, height, tone, hint });
        }
    }

    /// A point.
    pub fn dot(&mut self, center: Position, radius: f64, tone: Tone, hint: String) {
        if is_finite(center) {
            let (x, y) = single(center);
            self.shapes.push(Shape::Dot { x, y, radius: radius as f32, tone, hint });
        }
    }

    /// Words that fit where they stand.
    pub fn words(&mut self, at: Position, anchor: Anchor, text: &str, tone: Tone) {
        self.fitted(at, anchor, text, f64::INFINITY, tone);
    }

    /// Words in at most `room` pixels; all of a shortened text is in its hint.
    pub fn fitted(&mut self, at: Position, anchor: Anchor, text: &str, room: f64, tone: Tone) {
        let shown = words::shortened(text, room);
        if shown.trim().is_empty() || !is_finite(at) {
            return;
        }
        let hint = if shown.contains('…') { words::hint(text) } else { String::new() };
        let (x, y) = single(at);
        self.shapes.push(Shape::Words { x, y, anchor, text: shown, tone, hint });
    }

    /// The figure.
    pub fn finish(self, title: &RichText, summary: String) -> Figure {
        Figure {
            title: title.clone(),
            summary,
            width: self.width as f32,
            height: self.height as f32,
            shapes: self.shapes,
        }
    }
}

fn is_finite((x, y): Position) -> bool {
    x.is_finite() && y.is_finite()
}

fn single((x, y): Position) -> (f32, f32) {
    (x as f32, y as f32)
}
