//! What a chart is drawn on, and the area that its data takes.

use super::Axis;

/// Why a chart could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum DrawError {
    /// The surface is smaller than the labels.
    #[error("{width} x {height} pixels are too few for a chart")]
    TooSmall {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// The backend refused.
    #[error("the drawing surface refused: {0}")]
    Backend(String),
}

/// What the backend's integer coordinates mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface {
    /// Device pixels for each CSS pixel: `devicePixelRatio` on a screen.
    pub scale: f64,
    /// Coordinates for each device pixel. Backend coordinates are integers; a canvas whose context is scaled down
    /// by this factor gets points between pixels. 1 where a coordinate is a pixel.
    pub subpixels: u32,
}

/// Where the data was drawn, in device pixels from the upper left corner of the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlotArea {
    /// Left edge.
    pub left: f64,
    /// Upper edge.
    pub top: f64,
    /// Right edge.
    pub right: f64,
    /// Lower edge.
    pub bottom: f64,
    /// The x axis between left and right.
    pub x: Axis,
    /// The y axis between bottom and top.
    pub y: Axis,
    /// The second y axis, if there is one.
    pub y_right: Option<Axis>,
}

impl PlotArea {
    /// The value of x under a device pixel column; beyond the ends outside the area.
    pub fn x_at(&self, pixel: f64) -> f64 {
        self.x.value_at((pixel - self.left) / (self.right - self.left))
    }

    /// The value of y, of the left axis, under a device pixel row; beyond the ends outside the area.
    pub fn y_at(&self, pixel: f64) -> f64 {
        self.y.value_at((self.bottom - pixel) / (self.bottom - self.top))
    }

    /// The device pixel column of a value of x.
    pub fn pixel_of(&self, x: f64) -> f64 {
        self.left + (self.right - self.left) * self.x.fraction(x)
    }

    /// The device pixel of a point, of the second y axis when `right`. `None` outside the area.
    pub fn pixel(&self, x: f64, y: f64, right: bool) -> Option<(f64, f64)> {
        let axis = if right { self.y_right.unwrap_or(self.y) } else { self.y };
        let (across, up) = (self.x.fraction(x), axis.fraction(y));
        let within = |fraction: f64| (-1e-6..=1.0 + 1e-6).contains(&fraction);
        (within(across) && within(up)).then(|| (self.pixel_of(x), self.bottom - (self.bottom - self.top) * up))
    }
}
