//! A table of runs: a row for each, with columns of settings, metrics and what was found.

use serde::{Deserialize, Serialize};

use rundown_content::Cell;
use rundown_format::named_enum;

/// A column by what stands in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ColumnId {
    /// Name of the run.
    Name,
    /// How it ended, such as `finished`.
    State,
    /// Its verdict.
    Verdict,
    /// Place by the outcome that the runs are ranked by.
    Rank,
    /// Last step.
    LastStep,
    /// Time from its first to its last row, in the unit of the column.
    Duration,
    /// Step of its best checkpoint by the outcome that the runs are ranked by.
    BestStep,
    /// Step at which that outcome first reached, for good, what half of the runs reach.
    StepsToTarget,
    /// Names of the worst findings.
    Findings,
    /// The numeric setting with the largest effect on the outcome; where there is none, the duration or the last step.
    Deciding,
    /// Stands for several columns: the settings of which the rows recorded different values, what matters most first, and
    /// behind them known hyperparameters that some of the rows alone recorded.
    Differing,
    /// Stands for several columns: the first settings that fit as axes, as at least half of the rows recorded them and not all
    /// with the same value.
    Axes,
    /// Value of a setting.
    Setting(String),
    /// One number of a metric.
    Metric {
        /// Metric key.
        key: String,
        /// Which number.
        aggregate: Aggregate,
    },
    /// The same number minus that of the baseline.
    ToBaseline {
        /// Metric key.
        key: String,
        /// Which number.
        aggregate: Aggregate,
    },
}

named_enum! {
    name
    /// One number of a metric over a run; of its finite values.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
    pub enum Aggregate {
        /// The last one.
        #[default]
        Last = "last",
        /// The best one: the greatest where higher is better or nothing says, the least where lower is.
        Best = "best",
        /// The level at the end: mean of the last fifth of the points; of fewer than 25, of up to five, but no more than a quarter of them.
        Mean = "mean",
        /// The first one.
        First = "first",
        /// The least one.
        Min = "min",
        /// The greatest one.
        Max = "max",
    }
}

/// Asks for a table of runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRequest {
    /// The runs, in the order of the rows; all in the order of the run list when empty.
    pub runs: Vec<u32>,
    /// The columns; chosen by the engine when empty.
    pub columns: Vec<ColumnId>,
    /// The run that [`ColumnId::ToBaseline`] subtracts.
    pub baseline: Option<u32>,
    /// What the user chose in the view that compares: names and values of [`super::Choice`]. The metric among them is the
    /// outcome that the runs are ranked by.
    pub chosen: Vec<(String, String)>,
}

/// A table of runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunTable {
    /// The columns as asked for or chosen.
    pub columns: Vec<RunTableColumn>,
    /// The rows.
    pub rows: Vec<RunTableRow>,
    /// Every column that there could be: what every run has; settings that differ, what at least half of the runs recorded
    /// first; other settings; metrics by their last value, in the same order.
    pub available: Vec<RunTableColumn>,
}

/// A column of a table of runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunTableColumn {
    /// What stands in it.
    pub column: ColumnId,
    /// Its title.
    pub title: String,
    /// True for numbers, which stand to the right.
    pub is_numeric: bool,
    /// Unit of its numbers; empty where they have none or the cells say it.
    pub unit: String,
    /// Whether higher (`Some(true)`) or lower is better.
    pub direction: Option<bool>,
    /// True where a logarithmic axis fits: positive numbers over a wide range that lie more evenly by their logarithm.
    pub is_log: bool,
    /// True of [`RunTable::available`] where it fits as an axis: at least two different values, and no path or other
    /// setting that tells nothing. The columns that every run has always fit, but for names and findings.
    pub is_axis: bool,
}

impl RunTableColumn {
    /// Its title with the unit of its numbers.
    pub fn title_with_unit(&self) -> String {
        if self.unit.is_empty() { self.title.clone() } else { format!("{} ({})", self.title, self.unit) }
    }
}

/// A row of a table of runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunTableRow {
    /// The run.
    pub run: u32,
    /// A cell for each column.
    pub cells: Vec<Cell>,
    /// For each cell the key under which this run, of another framework, logs the metric of the column; empty where that is
    /// the column's own, and no text at all where it is so in all cells.
    pub own_keys: Vec<String>,
}
