//! Where the parts of a chart go: room for labels, marks of the axes, the area of the data.

use super::clip::Rect;
use super::clock::clock_ticks;
use super::{Axis, Chart, DrawError, PlotArea, Range, Tick, XKind, duration_ticks, linear_ticks, text_width};

/// Size of all labels.
pub(super) const FONT_PX: f64 = 11.0;
const PAD_TOP_PX: f64 = 7.0;
const PAD_RIGHT_PX: f64 = 10.0;
const X_LABELS_PX: f64 = 20.0;
pub(super) const X_TITLE_PX: f64 = 14.0;
pub(super) const LABEL_GAP_PX: f64 = 6.0;
/// Least distance between two grid lines.
const Y_TICK_PX: f64 = 28.0;
const X_TICK_PX: f64 = 56.0;

/// Where everything goes, in backend coordinates.
pub(super) struct Layout {
    pub size: (u32, u32),
    pub rect: Rect,
    /// Backend coordinates for each CSS pixel.
    pub css: f64,
    /// Backend coordinates for each device pixel.
    pub device: f64,
    x: Axis,
    pub y: Axis,
    pub y_right: Option<Axis>,
    pub x_ticks: Vec<Tick>,
    pub y_ticks: Vec<Tick>,
    pub right_ticks: Vec<Tick>,
}

impl Layout {
    pub fn of(chart: &Chart<'_>, size: (u32, u32), scale: f64, subpixels: u32) -> Result<Self, DrawError> {
        let device = f64::from(subpixels);
        let css = scale * device;
        let (width, height) = (f64::from(size.0), f64::from(size.1));
        let y = Axis::new(chart.y_scale, chart.y);
        let y_right = chart.y_right.map(Axis::linear);

        let below = if chart.x_title.is_empty() { X_LABELS_PX } else { X_LABELS_PX + X_TITLE_PX };
        let top = (PAD_TOP_PX * css).min(height * 0.2);
        let bottom = height - below * css;
        let rows = ((bottom - top) / (Y_TICK_PX * css)).clamp(1.0, 12.0) as usize;
        let y_ticks = match (chart.y_labels, chart.y_names.as_slice()) {
            (false, _) => Vec::new(),
            (true, []) => y.ticks(rows),
            (true, names) => names.to_vec(),
        };
        let right_ticks = y_right.map(|axis| axis.ticks(rows)).unwrap_or_default();
        let left = label_column(&y_ticks, css).max(PAD_RIGHT_PX.max(chart.gutter_px) * css).min(width / 2.0);
        let right = width - label_column(&right_ticks, css).max(PAD_RIGHT_PX * css);
        if bottom - top < 8.0 * css || right - left < 16.0 * css {
            return Err(DrawError::TooSmall { width: size.0 / subpixels, height: size.1 / subpixels });
        }

        let whole = |value: f64| (value / device).round() * device;
        let rect = Rect { left: whole(left), top: whole(top), right: whole(right), bottom: whole(bottom) };
        let columns = ((rect.right - rect.left) / (X_TICK_PX * css)).clamp(1.0, 12.0) as usize;
        let x_ticks = match chart.x_kind {
            XKind::Number | XKind::Tokens | XKind::Value => linear_ticks(chart.x, columns),
            XKind::Seconds => duration_ticks(chart.x, columns),
            XKind::Clock => clock_ticks(chart.x, columns),
        };
        Ok(Self { size, rect, css, device, x: Axis::linear(chart.x), y, y_right, x_ticks, y_ticks, right_ticks })
    }

    /// The part of x that is shown.
    pub fn x_range(&self) -> Range {
        self.x.range()
    }

    pub fn x(&self, x: f64) -> f64 {
        self.rect.left + (self.rect.right - self.rect.left) * self.x.fraction(x)
    }

    pub fn y(&self, y: f64, axis: Axis) -> f64 {
        self.rect.bottom - (self.rect.bottom - self.rect.top) * axis.fraction(y)
    }

    pub fn area(&self) -> PlotArea {
        PlotArea {
            left: self.rect.left / self.device,
            top: self.rect.top / self.device,
            right: self.rect.right / self.device,
            bottom: self.rect.bottom / self.device,
            x: self.x,
            y: self.y,
            y_right: self.y_right,
        }
    }

    /// Thickness of a hairline: one CSS pixel, whole device pixels.
    pub fn hair(&self) -> f64 {
        (self.css / self.device).round().max(1.0) * self.device
    }
}

fn label_column(ticks: &[Tick], css: f64) -> f64 {
    let widest = ticks.iter().map(|tick| text_width(&tick.label, FONT_PX * css)).fold(0.0, f64::max);
    if widest > 0.0 { widest + (LABEL_GAP_PX + 2.0) * css } else { 0.0 }
}
