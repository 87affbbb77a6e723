//! The parts of the page's charts that need no browser, tested natively: `rundown::app` itself builds for wasm
//! alone, so its pure files are compiled in here with the unit tests that they hold.
#![cfg(not(target_arch = "wasm32"))]
#![allow(dead_code, reason = "only the tests of these files are of interest")]

#[path = "../src/app/chart/scene/data.rs"]
mod data;
#[path = "../src/app/chart/scene/drawing.rs"]
mod drawing;
#[path = "../src/app/metrics_view/folds.rs"]
mod folds;
#[path = "../src/app/chart/scene/heat.rs"]
mod heat;
#[path = "../src/app/chart/scene/scales.rs"]
mod scales;
#[path = "../src/app/metrics_view/search.rs"]
mod search;
#[path = "../src/app/metrics_view/sections.rs"]
mod sections;
#[path = "../src/app/chart/scene/spec.rs"]
mod spec;
#[path = "../src/app/chart/scene/tips.rs"]
mod tips;
#[path = "../src/app/chart/scene/view_options.rs"]
mod view_options;
#[path = "../src/app/chart/scene/windows.rs"]
mod windows;
#[path = "../src/app/chart/scene/words.rs"]
mod words;
