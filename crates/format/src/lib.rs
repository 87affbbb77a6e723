//! How values are written: numbers, units, durations, dates, sizes, counts; and texts without their secrets.
//!
//! The one place, so that the page, a report and a test write a value alike. Everything is deterministic: floats are
//! written by the standard library, which rounds exactly on every platform, and dates are given, never asked of a clock.

mod change;
mod csv;
mod date;
pub mod exact;
mod named;
mod number;
mod quantity;
pub mod redact;
pub mod rich_text;
mod tick;
mod visible;
mod words;

pub use change::{growth_in_words, tabular_change};
pub use csv::{push_csv_cell, without_formula_mark};
pub use date::{rfc3339, utc};
pub use number::{coordinate, learning_rate, number, rounded, setting_number, short};
pub use quantity::{bytes, duration, hundredths, large_count, magnitude, percent, percent_to, plus_minus, quantity};
pub use redact::{People, redact, redact_around_id, redact_setting};
pub use rich_text::{RichText, Span};
pub use tick::{elapsed, fixed, power};
pub use visible::{visible, visible_lines};
pub use words::{counted, done_of, file_name, lower_first, plural, whole};
