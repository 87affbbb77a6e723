//! Canvas drawing for [`rundown_plot`]: `plotters-canvas`, with two things of ours around it.
//!
//! Plotters measures text with an element that carries an inline style, which the content security policy refuses: the
//! width of a label is estimated from the font's own table instead. And plotters' coordinates are whole numbers: with
//! four to a device pixel a slow curve is not a staircase and a line can be 1.5 pixels wide.

use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};
use plotters_canvas::CanvasBackend;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use rundown_plot::text_width;

/// Coordinates for each device pixel.
pub const SUBPIXELS: u32 = 4;

type CanvasError = <CanvasBackend as DrawingBackend>::ErrorType;
type Drawn = Result<(), DrawingErrorKind<CanvasError>>;

/// A canvas whose coordinates are quarters of device pixels.
pub struct PageBackend {
    canvas: CanvasBackend,
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
        Some(Self { canvas: CanvasBackend::with_canvas_object(canvas.clone())?, size })
    }
}

/// The 2D context of a canvas.
pub fn context(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    Some(canvas.get_context("2d").ok()??.unchecked_into())
}

impl DrawingBackend for PageBackend {
    type ErrorType = CanvasError;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        self.canvas.ensure_prepared()
    }

    fn present(&mut self) -> Drawn {
        self.canvas.present()
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Drawn {
        self.canvas.draw_pixel(point, color)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.canvas.draw_line(from, to, style)
    }

    fn draw_rect<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S, fill: bool) -> Drawn {
        self.canvas.draw_rect(from, to, style, fill)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Drawn {
        self.canvas.draw_path(path, style)
    }

    fn draw_circle<S: BackendStyle>(&mut self, center: BackendCoord, radius: u32, style: &S, fill: bool) -> Drawn {
        self.canvas.draw_circle(center, radius, style, fill)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, corners: I, style: &S) -> Drawn {
        self.canvas.fill_polygon(corners, style)
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Drawn {
        self.canvas.draw_text(text, style, at)
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<CanvasError>> {
        Ok((text_width(text, style.size()).ceil() as u32, style.size().ceil() as u32))
    }
}
