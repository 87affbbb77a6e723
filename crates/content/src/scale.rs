//! How the values of an axis are spaced.

use rundown_format::named_enum;
use serde::{Deserialize, Serialize};

named_enum! {
    name
    /// How the values of an axis are spaced.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    pub enum Scale {
        /// Evenly.
        #[default]
        Linear = "linear",
        /// By their logarithm; zero and below have no place.
        Log = "log",
        /// By the logarithm of their size, on both sides of zero, and evenly around it.
        Symlog = "symlog",
    }
}
