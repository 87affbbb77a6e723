//! Rank tests of groups of values: do they differ, and by how much?

mod contingency;
mod fisher;
mod kruskal_wallis;
mod mann_whitney;
mod rank_tests;

pub use contingency::groups_depend;
pub use fisher::fisher_p;
pub use kruskal_wallis::{KruskalWallis, kruskal_wallis};
pub use mann_whitney::{Dominance, dominance};
pub use rank_tests::{least_p, rank_tests, within_blocks};
