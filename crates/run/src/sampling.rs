//! Which metrics of a run are not every value that was logged.
//!
//! Trackers thin long histories out: a point then is a bucket of rows, or one of many rows. A spike between two points
//! is gone, and a greatest value is only the greatest of what came. Findings that rest on such points are less sure.

use serde::{Deserialize, Serialize};

use rundown_format::named_enum;

named_enum! {
    serde as_str
    /// How a source left values out.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Thinning {
        /// A point is the mean of a bucket of rows; its least and greatest value are in [`Run::bands`].
        Buckets = "buckets",
        /// Some rows came, and others did not.
        Rows = "rows",
        /// A point is the mean of several runs.
        Groups = "groups",
    }
}

/// Says of one metric, or of all, that values were left out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Sampling {
    /// The metric; `None` for every metric of the run.
    pub key: Option<String>,
    /// How.
    pub how: Thinning,
}
