//! What the page and the engine say of charts: which metrics a run has, and lines to draw.

use serde::{Deserialize, Serialize};

/// Index of an array that travels beside the message.
pub type ArrayIndex = u32;

/// Lines of several metrics of one run over one window, for one width.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinesRequest {
    /// Which run.
    pub run: u32,
    /// Metric keys, in drawing order.
    pub keys: Vec<String>,
    /// What lies along x.
    pub x: XAxis,
    /// Visible part of x; everything when `None`.
    pub window: Option<(f64, f64)>,
    /// Width of the plotting area in device pixels: at most four points a pixel column come back.
    pub width_px: u32,
    /// Smoothing weight from 0 (none) to below 1.
    pub smoothing: f64,
}

/// What lies along x.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum XAxis {
    /// The run's step axis.
    #[default]
    Step,
    /// Seconds since the run's first row.
    RelativeTime,
}

/// Every metric of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MetricList {
    /// The run.
    pub run: u32,
    /// Sections by prefix, in order.
    pub sections: Vec<MetricSection>,
    /// What the run's server has besides, in words; empty when nothing.
    pub rest: String,
}

/// Metrics that share a prefix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricSection {
    /// Prefix, such as `train/completions`, or `other`.
    pub name: String,
    /// The metrics, by key.
    pub metrics: Vec<MetricRow>,
}

/// One metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricRow {
    /// Key.
    pub key: String,
    /// Logged points.
    pub points: u64,
    /// NaN and infinite points.
    pub nonfinite: u64,
    /// Last finite value, NaN when there is none.
    pub last: f64,
    /// Smallest finite value.
    pub min: f64,
    /// Largest finite value.
    pub max: f64,
    /// True when every value is the same: such charts are folded away.
    pub constant: bool,
}

/// Lines to draw.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Lines {
    /// The run.
    pub run: u32,
    /// The range of x over the whole run, for zooming out.
    pub x_extent: Option<(f64, f64)>,
    /// One for each requested key that exists.
    pub lines: Vec<Line>,
}

/// One decimated line; its numbers travel beside the message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Metric key.
    pub key: String,
    /// x of the raw line, ascending.
    pub x: ArrayIndex,
    /// y of the raw line; NaN breaks it. Every spike survives.
    pub y: ArrayIndex,
    /// x of the smoothed line; equal to `x` without smoothing.
    pub smooth_x: ArrayIndex,
    /// y of the smoothed line.
    pub smooth_y: ArrayIndex,
    /// x of NaN points, to be marked on the axis.
    pub nan_x: ArrayIndex,
    /// x of +infinity points.
    pub positive_infinity_x: ArrayIndex,
    /// x of -infinity points.
    pub negative_infinity_x: ArrayIndex,
    /// Finite range of y in the window, `None` without a finite point.
    pub y_range: Option<(f64, f64)>,
    /// Points in the window before decimation.
    pub points: u64,
}
