//! The upper canvas: the cursor and the zoom box. Drawn directly: it is one line, some dots and a rectangle.

use super::backend::context;
use super::data::ChartData;
use super::frames::timed;
use super::state::{ChartState, fit};
use crate::app::reactive::untrack;
use crate::plot::{PlotArea, clamped};
use web_sys::CanvasRenderingContext2d;

/// Draws the upper canvas anew.
pub fn draw(chart: ChartState) {
    untrack(|| draw_now(chart));
}

fn draw_now(chart: ChartState) {
    let (size, Some((_, canvas))) = (chart.size(), chart.canvases()) else { return };
    let (cursor, drag) = (chart.group.cursor_now(), chart.drag());
    // Untouched charts, and those out of sight, have no cursor to draw or to wipe away.
    let is_blank = canvas.width() == 0 && cursor.is_none() && drag.is_none();
    if is_blank || chart.area().is_none() {
        return;
    }
    timed("rundown chart hover", || {
        fit(&canvas, size);
        let Some(context) = context(&canvas) else { return };
        context.clear_rect(0.0, 0.0, f64::from(size.width), f64::from(size.height));
        let (Some(area), Some(data)) = (chart.area(), chart.data()) else { return };
        let brush = Brush { context: &context, area, scale: size.scale, chart };
        if let Some((from, to)) = drag {
            brush.zoom_box(from * size.scale, to * size.scale);
        }
        if let Some(at) = cursor {
            brush.cursor(at, &data);
        }
    });
}

struct Brush<'a> {
    context: &'a CanvasRenderingContext2d,
    area: PlotArea,
    scale: f64,
    chart: ChartState,
}

impl Brush<'_> {
    fn zoom_box(&self, from: f64, to: f64) {
        let within = |x: f64| clamped(x, self.area.left, self.area.right);
        let (left, right) = (within(from.min(to)), within(from.max(to)));
        let accent = self.chart.theme().accent.css();
        self.context.set_fill_style_str(&accent);
        self.context.set_global_alpha(0.15);
        self.context.fill_rect(left, self.area.top, right - left, self.area.bottom - self.area.top);
        self.context.set_global_alpha(1.0);
        for edge in [left, right] {
            self.vertical(edge, &accent);
        }
    }

    /// A rule at the point that the first line shows there, and a dot on each line.
    fn cursor(&self, at: f64, data: &ChartData) {
        let theme = self.chart.theme();
        let readings = data.lines.iter().filter_map(|line| Some((line.place, line.reading(at)?)));
        let mut ruled = false;
        if let Some(reading) = data.heat.as_ref().and_then(|heat| heat.reading(at, None)) {
            let across = self.area.pixel_of(reading.logged.0 / 2.0 + reading.logged.1 / 2.0);
            if (self.area.left..=self.area.right).contains(&across) {
                self.vertical(across, &theme.muted.css());
            }
        }
        for (place, reading) in readings {
            let across = self.area.pixel_of(reading.x);
            if across < self.area.left - 1.0 || across > self.area.right + 1.0 {
                continue;
            }
            if !ruled {
                self.vertical(across, &theme.muted.css());
                ruled = true;
            }
            let right = self.area.y_right.is_some() && place == 1;
            if let Some((x, y)) = self.area.pixel(reading.x, reading.y, right) {
                self.dot(x, y, &theme.line_color(place).css(), &theme.background.css());
            }
        }
    }

    fn vertical(&self, x: f64, color: &str) {
        let width = self.scale.round().max(1.0);
        self.context.set_fill_style_str(color);
        self.context.fill_rect((x - width / 2.0).round(), self.area.top, width, self.area.bottom - self.area.top);
    }

    fn dot(&self, x: f64, y: f64, color: &str, ring: &str) {
        self.context.begin_path();
        // The radius is positive, and that is all that an arc asks for.
        let _ = self.context.arc(x, y, 3.5 * self.scale, 0.0, std::f64::consts::TAU);
        self.context.set_fill_style_str(color);
        self.context.fill();
        self.context.set_stroke_style_str(ring);
        self.context.set_line_width(1.5 * self.scale);
        self.context.stroke();
    }
}
