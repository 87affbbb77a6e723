//! Charts of the page: canvases, gestures and frames around what [`crate::plot`] draws.
//!
//! A chart is two canvases. The lower one holds the lines, or the cells of histograms, and is drawn in animation frames only; the upper one
//! holds the cursor and the zoom box, so that moving the pointer redraws nothing else. Words and numbers are HTML.
//!
//! The files without a browser in them ([`data`], [`heat`], [`scene`]) are tested natively by `tests/chart_parts.rs`.

mod backend;
mod data;
mod evidence;
mod export;
mod frames;
mod gestures;
mod group;
mod heat;
mod line_chart;
mod overlay;
mod scene;
mod state;
mod watch;
mod words;

pub use evidence::evidence_chart;
pub use group::ChartGroup;
pub use line_chart::line_chart;
pub use scene::Shading;
pub use state::{ChartOptions, Choice};
