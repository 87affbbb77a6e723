//! The parts of the page's charts that need no browser, tested natively: `rundown::app` itself builds for wasm
//! alone, so its pure files are compiled in here with the unit tests that they hold.
#![cfg(not(target_arch = "wasm32"))]
#![allow(dead_code, reason = "only the tests of these files are of interest")]

// The files name `crate::format`, `crate::protocol` and `crate::plot`.
use rundown::{format, plot, protocol};

#[path = "../src/app/chart/data.rs"]
mod data;
#[path = "../src/app/metrics_view/folds.rs"]
mod folds;
#[path = "../src/app/chart/heat.rs"]
mod heat;
#[path = "../src/app/chart/scales.rs"]
mod scales;
#[path = "../src/app/chart/scene.rs"]
mod scene;
#[path = "../src/app/metrics_view/search.rs"]
mod search;
#[path = "../src/app/metrics_view/sections.rs"]
mod sections;
#[path = "../src/app/chart/spec.rs"]
mod spec;
#[path = "../src/app/chart/tips.rs"]
mod tips;
#[path = "../src/app/chart/windows.rs"]
mod windows;
#[path = "../src/app/chart/words.rs"]
mod words;
