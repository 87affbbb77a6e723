//! A chart as a file.

use serde::{Deserialize, Serialize};

use super::LinesRequest;
use rundown_content::Scale;

/// Asks for a chart as a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExportRequest {
    /// Title of the drawing.
    pub title: String,
    /// What is drawn. A table has all points of the window, whatever the width.
    pub lines: LinesRequest,
    /// What it is written as.
    pub format: ChartFormat,
    /// True to hide the names of people and machines.
    pub hides_names: bool,
}

/// Format of an exported chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChartFormat {
    /// A table with a row for each point: run, run_id, metric, x, value and, where lines are smoothed, the smoothed value.
    Csv,
    /// A drawing.
    Svg {
        /// Width in CSS pixels.
        width: u32,
        /// Height in CSS pixels.
        height: u32,
        /// How values are spaced along y.
        scale: Scale,
        /// True for light lines on a dark ground.
        dark: bool,
    },
}
