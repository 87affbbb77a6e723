//! The upper canvas: the cursor and the zoom box. Drawn directly: it is one line, some dots and a rectangle.

use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use super::backend::context;
use super::frames::timed;
use super::scene::data::ChartData;
use super::watch::{CanvasSize, fit};
use rundown_plot::{PlotArea, Theme, clamped};

/// Lines of the cursor: dashes and gaps in CSS pixels.
const DASH_PX: f64 = 3.0;
/// As in the tooltip: a line that ended has no dot.
const SLACK: f64 = 0.01;

/// A zoom box under way, in CSS pixels from the edges of the chart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ZoomBox {
    /// A part of x.
    Across(f64, f64),
    /// A part of y.
    Down(f64, f64),
}

/// What lies over a chart.
pub struct Overlay<'a> {
    /// Where the lines lie.
    pub area: PlotArea,
    /// The lines.
    pub data: &'a ChartData,
    /// Colours.
    pub theme: &'a Theme,
    /// Position of the cursor along x.
    pub cursor: Option<f64>,
    /// A zoom box, which takes the cursor's place.
    pub zoom_box: Option<ZoomBox>,
}

/// Draws the upper canvas anew. One that was never used is left alone while there is nothing to draw.
pub fn draw(canvas: &HtmlCanvasElement, size: CanvasSize, overlay: &Overlay<'_>) {
    let Overlay { area, data, theme, cursor, zoom_box } = overlay;
    if canvas.width() == 0 && cursor.is_none() && zoom_box.is_none() {
        return;
    }
    timed("rundown chart hover", || {
        fit(canvas, size);
        let Some(context) = context(canvas) else { return };
        context.clear_rect(0.0, 0.0, f64::from(size.width), f64::from(size.height));
        let brush = Brush { context: &context, area: *area, scale: size.scale, theme };
        match zoom_box {
            Some(zoom_box) => brush.zoom_box(*zoom_box),
            None => brush.cursor(*cursor, data),
        }
    });
}

struct Brush<'a> {
    context: &'a CanvasRenderingContext2d,
    area: PlotArea,
    scale: f64,
    theme: &'a Theme,
}

impl Brush<'_> {
    fn zoom_box(&self, zoom_box: ZoomBox) {
        let area = self.area;
        let within = |a: f64, b: f64, low: f64, high: f64| {
            let at = |value: f64| clamped(value * self.scale, low, high);
            (at(a.min(b)), at(a.max(b)))
        };
        let (left, top, right, bottom) = match zoom_box {
            ZoomBox::Across(from, to) => {
                let (left, right) = within(from, to, area.left, area.right);
                (left, area.top, right, area.bottom)
            }
            ZoomBox::Down(from, to) => {
                let (top, bottom) = within(from, to, area.top, area.bottom);
                (area.left, top, area.right, bottom)
            }
        };
        self.context.set_fill_style_str(&self.theme.accent.css());
        self.context.set_global_alpha(0.15);
        self.context.fill_rect(left, top, right - left, bottom - top);
        self.context.set_global_alpha(1.0);
        let width = self.scale.round().max(1.0);
        match zoom_box {
            ZoomBox::Across(..) => {
                self.context.fill_rect(left, top, width, bottom - top);
                self.context.fill_rect(right, top, width, bottom - top);
            }
            ZoomBox::Down(..) => {
                self.context.fill_rect(left, top, right - left, width);
                self.context.fill_rect(left, bottom, right - left, width);
            }
        }
    }

    /// A rule at the nearest point of any line, and a dot on each line.
    fn cursor(&self, cursor: Option<f64>, data: &ChartData) {
        let Some(at) = cursor.and_then(|at| data.snapped(at)) else { return };
        let across = self.area.pixel_of(at);
        if !(across >= self.area.left - 1.0 && across <= self.area.right + 1.0) {
            return;
        }
        self.rule(across);
        let slack = self.area.x.range().span() * SLACK;
        // The most important line last, as in the picture.
        for line in data.lines.iter().rev() {
            let Some(reading) = line.reading(at, slack) else { continue };
            let right = self.area.y_right.is_some() && line.place == 1;
            if let Some((x, y)) = self.area.pixel(reading.x, reading.y, right) {
                self.dot(x, y, &self.theme.line_color(line.hue).css());
            }
        }
    }

    fn rule(&self, x: f64) {
        let width = self.scale.round().max(1.0);
        let left = (x - width / 2.0).round();
        self.context.set_fill_style_str(&self.theme.accent.css());
        let step = (DASH_PX * self.scale).max(1.0);
        let mut top = self.area.top;
        while top < self.area.bottom {
            self.context.fill_rect(left, top, width, step.min(self.area.bottom - top));
            top += step * 2.0;
        }
    }

    fn dot(&self, x: f64, y: f64, color: &str) {
        self.context.begin_path();
        // The radius is positive, and that is all that an arc asks for.
        let _ = self.context.arc(x, y, 3.0 * self.scale, 0.0, std::f64::consts::TAU);
        self.context.set_fill_style_str(color);
        self.context.fill();
        self.context.set_stroke_style_str(&self.theme.background.css());
        self.context.set_line_width(self.scale);
        self.context.stroke();
    }
}
