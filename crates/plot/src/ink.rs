//! Between the drawing and plotters: shapes, paints and labels in integer coordinates.

use plotters_backend::text_anchor::{HPos, Pos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, FontFamily};

use super::{Color, DrawError, text_width};

/// A backend coordinate. Every drawing call passes here: far-off values are cut, so that sums of two coordinates
/// can't overflow, and NaN becomes 0.
pub(super) fn coordinate(point: (f64, f64)) -> BackendCoord {
    const FARTHEST: f64 = 1e8;
    let whole = |value: f64| value.round().clamp(-FARTHEST, FARTHEST) as i32;
    (whole(point.0), whole(point.1))
}

/// The error of a backend in ours.
pub(super) fn refused(error: impl std::fmt::Display) -> DrawError {
    DrawError::Backend(error.to_string())
}

/// How a shape is drawn; width in backend coordinates.
pub(super) struct Paint {
    pub color: Color,
    pub alpha: f64,
    pub width: u32,
}

impl Paint {
    pub fn solid(color: Color) -> Self {
        Self::new(color, 1.0)
    }

    pub fn new(color: Color, alpha: f64) -> Self {
        Self { color, alpha, width: 1 }
    }
}

impl BackendStyle for Paint {
    fn color(&self) -> BackendColor {
        let alpha = if self.alpha.is_nan() { 1.0 } else { self.alpha.clamp(0.0, 1.0) };
        BackendColor { alpha, rgb: (self.color.red, self.color.green, self.color.blue) }
    }

    fn stroke_width(&self) -> u32 {
        self.width
    }
}

/// How a label is written. Answers plotters' questions about its size from a table, so that nothing is measured.
pub(super) struct PlotLabel {
    pub color: Color,
    pub size: f64,
    pub anchor: (HPos, VPos),
}

impl BackendTextStyle for PlotLabel {
    type FontError = std::convert::Infallible;

    fn color(&self) -> BackendColor {
        BackendColor { alpha: 1.0, rgb: (self.color.red, self.color.green, self.color.blue) }
    }

    fn size(&self) -> f64 {
        self.size
    }

    fn anchor(&self) -> Pos {
        Pos::new(self.anchor.0, self.anchor.1)
    }

    fn family(&self) -> FontFamily<'_> {
        FontFamily::Name("system-ui, sans-serif")
    }

    fn layout_box(&self, text: &str) -> Result<((i32, i32), (i32, i32)), Self::FontError> {
        Ok(((0, 0), coordinate((text_width(text, self.size), self.size))))
    }

    /// For backends that can't write: they get no text.
    fn draw<E, F: FnMut(i32, i32, BackendColor) -> Result<(), E>>(
        &self,
        _text: &str,
        _position: BackendCoord,
        _draw: F,
    ) -> Result<Result<(), E>, Self::FontError> {
        Ok(Ok(()))
    }
}
