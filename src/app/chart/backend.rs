//! Canvas drawing for [`crate::plot`].
//!
//! plotters' own canvas backend measures labels with an element of its own, writes colours with the standard library's
//! float printing (8 kB of a download), and knows no coordinates between pixels; what is drawn here are four shapes.

use std::convert::Infallible;
use std::f64::consts::TAU;

use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use crate::plot::text_width;

/// Coordinates for each device pixel. Plotters' coordinates are integers; with four to a pixel a slow curve is not
/// a staircase and a line can be 1.5 pixels wide.
pub const SUBPIXELS: u32 = 4;

/// A canvas has nothing to refuse: what it can't draw it leaves out.
type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// A canvas whose coordinates are quarters of device pixels.
pub struct PageBackend {
    context: CanvasRenderingContext2d,
    size: (u32, u32),
}

impl PageBackend {
    /// Prepares a canvas for drawing; `None` when it gives no 2D context.
    pub fn new(canvas: &HtmlCanvasElement) -> Option<Self> {
        let size = (canvas.width().saturating_mul(SUBPIXELS), canvas.height().saturating_mul(SUBPIXELS));
        let context = context(canvas)?;
        let unit = 1.0 / f64::from(SUBPIXELS);
        context.set_transform(unit, 0.0, 0.0, unit, 0.0, 0.0).ok()?;
        // The default joins would draw a spike several pixels beyond its value.
        context.set_line_join("round");
        Some(Self { context, size })
    }

    fn trace(&self, points: impl IntoIterator<Item = BackendCoord>) {
        self.context.begin_path();
        // The first line of a path only moves to its end.
        for (x, y) in points {
            self.context.line_to(f64::from(x), f64::from(y));
        }
    }

    fn paint(&self, style: &impl BackendStyle, fill: bool) {
        let color = css(style.color());
        if fill {
            self.context.set_fill_style_str(&color);
            self.context.fill();
        } else {
            self.context.set_stroke_style_str(&color);
            self.context.set_line_width(f64::from(style.stroke_width()));
            self.context.stroke();
        }
    }
}

/// The 2D context of a canvas.
pub fn context(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    Some(canvas.get_context("2d").ok()??.unchecked_into())
}

impl DrawingBackend for PageBackend {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Drawn {
        self.context.set_fill_style_str(&css(color));
        self.context.fill_rect(f64::from(x), f64::from(y), 1.0, 1.0);
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S, fill: bool) -> Drawn {
        self.trace([from, (to.0, from.1), to, (from.0, to.1)]);
        self.context.close_path();
        self.paint(style, fill);
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Drawn {
        self.trace(path);
        self.paint(style, false);
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(&mut self, center: BackendCoord, radius: u32, style: &S, fill: bool) -> Drawn {
        self.context.begin_path();
        // The radius is not negative, and that is all that an arc asks for.
        let _ = self.context.arc(f64::from(center.0), f64::from(center.1), f64::from(radius), 0.0, TAU);
        self.paint(style, fill);
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, corners: I, style: &S) -> Drawn {
        self.trace(corners);
        self.paint(style, true);
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Drawn {
        let anchor = style.anchor();
        self.context.set_text_baseline(match anchor.v_pos {
            VPos::Top => "top",
            VPos::Center => "middle",
            VPos::Bottom => "bottom",
        });
        self.context.set_text_align(match anchor.h_pos {
            HPos::Left => "start",
            HPos::Right => "end",
            HPos::Center => "center",
        });
        self.context.set_fill_style_str(&css(style.color()));
        self.context.set_font(&format!("{:.1}px {}", style.size(), style.family().as_str()));
        let _ = self.context.fill_text(text, f64::from(at.0), f64::from(at.1));
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        Ok((text_width(text, style.size()).ceil() as u32, style.size().ceil() as u32))
    }
}

fn css(BackendColor { alpha, rgb: (red, green, blue) }: BackendColor) -> String {
    let alpha = (alpha.clamp(0.0, 1.0) * 255.0).round() as u8;
    format!("#{red:02x}{green:02x}{blue:02x}{alpha:02x}")
}
