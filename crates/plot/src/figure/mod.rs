//! Figures for comparisons and reports: data in, [`rundown_content::Figure`] out.
//!
//! A [`super::Chart`] is for one metric that is explored with a pointer, on a canvas. A figure stands in a text: it
//! says one thing, has its words placed once for a width, and is the same shapes in the page, in HTML and as an SVG
//! file. Every maker takes data as it is (empty, one value, NaN, 1e308, names as long as they like), and every figure
//! holds the same: coordinates lie within it, no two words overlap, and a summary says in a sentence what it shows.

mod bars;
mod boxes;
mod cells;
mod frame;
mod heat;
mod labels;
mod lines;
mod parallel;
mod scatter;
mod sheet;
#[cfg(test)]
mod testing;
mod words;

pub use bars::{Bar, BarChart, BarRow, BarSeries};
pub use boxes::{Bin, BoxChart};
pub use frame::AxisScale;
pub use heat::{HeatMap, HeatRow};
pub use lines::{ChartSeries, LineChart};
pub use parallel::{ParallelAxis, ParallelChart, ParallelValue};
pub use scatter::{Point, ScatterChart, TrendPoint};
