//! Charts of the page: canvases, gestures and frames around what [`rundown_plot`] draws.
//!
//! The canvas of a chart holds the lines, or the cells of a heat map, and is drawn in animation frames only. The cursor and
//! the zoom box are elements over it, so that moving the pointer redraws nothing. Words and numbers are HTML.
//!
//! What needs no browser is in [`scene`].

mod backend;
mod card;
mod evidence;
mod export;
mod frame;
mod frames;
mod gestures;
mod group;
mod heat_chart;
mod menu;
mod model;
mod overlay;
mod own_choices;
mod picture;
mod pins;
mod runs_chart;
mod scene;
mod table;
mod tooltip;
mod visibility;
mod watch;

pub use evidence::EvidenceChart;
pub use group::{ChartGroup, share_charts};
pub use heat_chart::HeatChart;
pub use pins::Pins;
pub use runs_chart::{RunsChart, line_metrics};
pub use scene::view_options::Shading;
pub use scene::words::window as window_words;
pub use visibility::{OnceVisible, WhileVisible};
