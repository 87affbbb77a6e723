//! Lines and heat maps: what the page asks for a chart, and the numbers that come back, cut down to its width.

use serde::{Deserialize, Serialize};

use rundown_format::named_enum;

/// Index of an array that travels beside the message.
pub type ArrayIndex = u32;

/// One metric of one run.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SeriesRef {
    /// The run.
    pub run: u32,
    /// Metric key.
    pub key: String,
}

/// What lies along x.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub enum XAxis {
    /// The run's step axis.
    #[default]
    Step,
    /// Tokens trained on or generated so far. A run that counts none has nothing over it.
    Tokens,
    /// Seconds since the run's first row.
    RelativeTime,
    /// Unix seconds.
    WallTime,
    /// Value of another metric of the run at the same row.
    Metric(String),
}

named_enum! {
    name
    /// How lines are smoothed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
    pub enum SmoothingKind {
        /// Not at all.
        #[default]
        None = "none",
        /// W&B's time-weighted exponential moving average: looks the same however densely points were logged.
        TimeWeightedEma = "twema",
        /// Exponential moving average over points, without the bias of its start.
        Ema = "ema",
        /// Mean of all points, weighted by a normal curve around each.
        Gaussian = "gaussian",
        /// Mean of the points around each.
        RunningMean = "mean",
    }
}

/// How lines are smoothed, and how much.
///
/// The weight `w` is the one of a slider for all kinds. An exponential moving average remembers `m = 1 / (1 - w)` points,
/// a thousand at most; a running mean takes the `m` points around each (the odd number nearest to it), and a Gaussian has a
/// standard deviation of `sqrt((m * m - 1) / 12)` points, that of the running mean's window. So one weight smooths about
/// as much with every kind. The time-weighted average is W&B's own formula, which counts thousandths of the visible x.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Smoothing {
    /// Which way.
    pub kind: SmoothingKind,
    /// 0 (none) to below 1.
    pub weight: f64,
}

named_enum! {
    name
    /// What stands for the runs of a group.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
    pub enum Center {
        /// Their mean.
        #[default]
        Mean = "mean",
        /// Their interquartile mean.
        Iqm = "iqm",
    }
}

/// Runs with the same value of a setting are one line with a band.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineGrouping {
    /// Key of the setting.
    pub setting: String,
    /// What is drawn of them.
    pub center: Center,
}

/// Lines of metrics of runs over one window, for one width.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LinesRequest {
    /// What is drawn, in drawing order.
    pub series: Vec<SeriesRef>,
    /// What lies along x.
    pub x: XAxis,
    /// Visible part of x; everything when `None`.
    pub window: Option<(f64, f64)>,
    /// Width of the plotting area in device pixels: at most four points a pixel column come back.
    pub width_px: u32,
    /// How lines are smoothed.
    pub smoothing: Smoothing,
    /// Draws groups of runs instead of runs.
    pub group: Option<LineGrouping>,
    /// Asks for a band around each line, from least to greatest value.
    pub band: bool,
}

/// Lines to draw.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Lines {
    /// The range of x of all asked series, whatever the window: for zooming out.
    pub x_extent: Option<(f64, f64)>,
    /// The lines, in the order of their series; none for a series that has nothing over this x.
    pub lines: Vec<Line>,
}

/// One decimated line; its numbers travel beside the message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Place in [`LinesRequest::series`]; of a group its first member's.
    pub series: u32,
    /// The group that the line stands for.
    pub group: Option<LineGroup>,
    /// x of the raw line, ascending.
    pub x: ArrayIndex,
    /// y of the raw line; NaN breaks it. Every spike survives.
    pub y: ArrayIndex,
    /// x of the smoothed line; equal to `x` without smoothing.
    pub smooth_x: ArrayIndex,
    /// y of the smoothed line. Of a run it is that of the whole line; of a group it begins with the window.
    pub smooth_y: ArrayIndex,
    /// x of NaN points, to be marked on the axis.
    pub nan_x: ArrayIndex,
    /// x of +infinity points.
    pub positive_infinity_x: ArrayIndex,
    /// x of -infinity points.
    pub negative_infinity_x: ArrayIndex,
    /// The band around it, where there is more than the line.
    pub band: Option<LineBand>,
    /// Range of y that a few outliers do not flatten: from the 1st to the 99th percentile of the finite values in the
    /// window, widened by half of that span to either side and cut to the range of all finite values. It is that range
    /// where it is less than three times as wide; `None` without a finite value.
    pub robust_range: Option<(f64, f64)>,
    /// x in the window at which the run was restarted and took steps again, ascending. Empty over another metric, and for
    /// a group.
    pub restarts: ArrayIndex,
    /// Points in the window before decimation.
    pub points: u64,
}

/// Runs that are drawn as one line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineGroup {
    /// Their value of the setting, as it is written; empty where it is not set.
    pub value: String,
    /// Their numbers: those that have something over this x.
    pub runs: Vec<u32>,
}

/// A band around a line. Of a run, where it is asked for: least and greatest value of what each pixel column holds. Of a
/// group of two runs and more in any case: the 95 % interval of its centre, of Student's t for a mean and of the bootstrap
/// for an interquartile mean; least and greatest value where fewer than three runs reach.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LineBand {
    /// x, ascending.
    pub x: ArrayIndex,
    /// Lower edge; NaN breaks the band.
    pub low: ArrayIndex,
    /// Upper edge.
    pub high: ArrayIndex,
}

/// A heat map of one run over one window, for one width.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HeatRequest {
    /// The run.
    pub run: u32,
    /// What its rows are.
    pub source: HeatSource,
    /// What lies along x.
    pub x: XAxis,
    /// Visible part of x; everything when `None`.
    pub window: Option<(f64, f64)>,
    /// Width of the plotting area in device pixels.
    pub width_px: u32,
}

/// What a heat map shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum HeatSource {
    /// The histograms logged under a key: rows are bins, colour is the share of a bin.
    Histograms(String),
    /// A row for each of these metrics, such as the criteria of a rubric: colour is the value.
    Rows(Vec<String>),
}

impl Default for HeatSource {
    fn default() -> Self {
        Self::Rows(Vec::new())
    }
}

/// A heat map.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Heat {
    /// The range of x over the whole run, for zooming out.
    pub x_extent: Option<(f64, f64)>,
    /// Its columns; `None` where there is nothing.
    pub columns: Option<HeatColumns>,
}

/// Columns of cells over x; their numbers travel beside the message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HeatColumns {
    /// Key of the histograms; empty for rows of metrics.
    pub key: String,
    /// x of the first point of each column, ascending; neighbours share a column where they outnumber the pixels.
    pub first: ArrayIndex,
    /// x of the last point of each column.
    pub last: ArrayIndex,
    /// Left edge of each column.
    pub from: ArrayIndex,
    /// Right edge of each column.
    pub to: ArrayIndex,
    /// Edges of the bins, ascending, one more than bins; for rows of metrics 0, 1, 2 and so on, the first row lowest.
    pub bins: ArrayIndex,
    /// Share of each bin, 0 to 1: column after column, the lowest bin first. Of rows of metrics the mean of the values in
    /// the column, scaled from the range of its row to 0 to 1; NaN where nothing or nothing finite was logged.
    pub shares: ArrayIndex,
    /// Histograms in the window, or points of all rows.
    pub histograms: u64,
    /// Names of the rows of metrics, the lowest first; empty for histograms.
    pub rows: Vec<String>,
    /// What 0 and 1 of the shares of each row of metrics stand for: the same for all of one scale, else the least and the
    /// greatest mean of the row. Where they are equal, the shares are 0.5.
    pub row_ranges: Vec<(f64, f64)>,
}
