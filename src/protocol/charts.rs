//! What the page and the engine say of charts: which metrics a run has, and lines and histograms to draw.

use serde::{Deserialize, Serialize};

/// Index of an array that travels beside the message.
pub type ArrayIndex = u32;

/// What was logged under a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum MetricKind {
    /// A number at a step: drawn as a line.
    #[default]
    Numbers,
    /// A histogram at a step: drawn as a heat map.
    Histograms,
}

/// Lines of several metrics of one run over one window, for one width; or the histograms of the first one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinesRequest {
    /// Which run.
    pub run: u32,
    /// Whether numbers or histograms are drawn.
    pub kind: MetricKind,
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
    /// What was logged. Of histograms there are neither a last value nor a range.
    pub kind: MetricKind,
    /// Logged points or histograms.
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
    /// Histograms, where they were asked for and exist.
    pub heat: Option<HeatColumns>,
}

/// Histograms over x on shared bins, as columns of cells; their numbers travel beside the message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeatColumns {
    /// Metric key.
    pub key: String,
    /// x of the first histogram of each column, ascending; neighbours share a column where they outnumber the pixels.
    pub first: ArrayIndex,
    /// x of the last histogram of each column.
    pub last: ArrayIndex,
    /// Left edge of each column.
    pub from: ArrayIndex,
    /// Right edge of each column.
    pub to: ArrayIndex,
    /// Edges of the bins, ascending, one more than bins.
    pub bins: ArrayIndex,
    /// Share of each bin, 0 to 1: column after column, the lowest bin first.
    pub shares: ArrayIndex,
    /// Histograms in the window.
    pub histograms: u64,
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
