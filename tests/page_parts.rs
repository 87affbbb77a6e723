//! The parts of the page that need no browser, tested natively: `rundown::app` itself builds for wasm alone, so its
//! pure files are compiled in here with the unit tests that they hold.
#![cfg(not(target_arch = "wasm32"))]
#![allow(dead_code, reason = "only the tests of these files are of interest")]

// The files name `crate::content`, `crate::protocol` and `crate::plot`.
use rundown::{content, format, protocol};

#[path = "../src/app/run_view/card_text.rs"]
mod card_text;
#[path = "../src/app/content/cells.rs"]
mod cells;
#[path = "../src/app/run_view/lanes.rs"]
mod lanes;
#[path = "../src/app/listing.rs"]
mod listing;
#[path = "../src/app/recovery.rs"]
mod recovery;
#[path = "../src/app/route.rs"]
mod route;
#[path = "../src/app/text.rs"]
mod text;
