//! Scales, decimation and drawing on any plotters backend: a canvas in the page, SVG in tests.
//!
//! Training runs hold NaN, infinities, constants and a million points, and a chart library must be shielded from
//! all of them. So a range can only be made finite and non-degenerate ([`Range`]), a line is cut down to what its
//! width can show without losing an extreme ([`decimate`]), and [`draw_on`] clips in floating point before a
//! coordinate becomes an integer. Everything that decides what a chart shows is here, where it is tested natively;
//! the page adds canvases and events.

mod axis;
mod band;
mod blocks;
mod chart;
mod clip;
mod clock;
mod column_band;
mod cursor;
mod dash;
mod decimate;
mod draw;
pub mod figure;
mod indexed_line;
mod ink;
mod layout;
mod range;
mod stretches;
mod summary;
mod surface;
mod symlog;
mod text;
mod theme;
mod ticks;
mod view;

pub use axis::Axis;
pub use blocks::Sums;
pub use chart::{Chart, ChartBand, ChartCell, ChartLine, EdgeMark, Rule, Shade, XKind};
pub use clip::clamped;
pub use column_band::ColumnBand;
pub use cursor::{nearest, visible_range};
pub use dash::Dash;
pub use decimate::{Decimated, decimate, inside};
pub use draw::draw_on;
pub use indexed_line::IndexedLine;
pub use range::Range;
pub use rundown_content::Scale;
pub use summary::{Summary, position};
pub use surface::{DrawError, PlotArea, Surface};
pub use text::text_width;
pub use theme::{Color, Theme};
pub use ticks::{Tick, duration_ticks, linear_ticks, log_ticks};
pub use view::XWindow;
