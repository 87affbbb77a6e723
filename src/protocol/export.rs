//! A chart as a file.

use serde::{Deserialize, Serialize};

use super::LinesRequest;

/// Asks for a chart as a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExportRequest {
    /// Title of the drawing.
    pub title: String,
    /// What is drawn. A table has all points of the window, whatever the width.
    pub lines: LinesRequest,
    /// What it is written as.
    pub format: ChartFormat,
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
        /// True for a logarithmic y axis.
        log_y: bool,
        /// True for light lines on a dark ground.
        dark: bool,
    },
}
