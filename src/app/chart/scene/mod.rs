//! What a chart draws and says, without a browser: the question to the engine, its answer, the picture, the words.
//!
//! Tested natively by `tests/page_parts.rs`.

pub mod data;
pub mod drawing;
pub mod heat;
pub mod overlay_shapes;
pub mod scales;
pub mod spec;
pub mod tips;
pub mod view_options;
pub mod windows;
pub mod words;
