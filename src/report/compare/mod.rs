//! What comparisons of many runs say, as blocks that the page, Markdown and HTML show alike.
//!
//! Every builder answers its question in a sentence first, then shows the numbers, then draws them. One without data
//! says nothing at all.

mod league;
mod league_tables;
mod parts;
mod pipeline;
mod rubric;
mod rubric_tables;
mod scaling;

pub use league::league;
pub use pipeline::pipeline;
pub use rubric::rubric;
pub use scaling::scaling;
