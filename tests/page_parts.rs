//! The parts of the page that need no browser, tested natively: `rundown::app` itself builds for wasm alone, so its
//! pure files are compiled in here with the unit tests that they hold.
#![cfg(not(target_arch = "wasm32"))]
#![allow(dead_code, reason = "only the tests of these files are of interest")]

#[path = "../src/app/run_view/card_text.rs"]
mod card_text;
#[path = "../src/app/content/cells.rs"]
mod cells;
#[path = "../src/app/browser/changed_files.rs"]
mod changed_files;
#[path = "../src/app/state/chart_settings.rs"]
mod chart_settings;
#[path = "../src/app/compare_view/column_axis.rs"]
mod column_axis;
#[path = "../src/app/state/columns.rs"]
mod columns;
#[path = "../src/app/state/command.rs"]
mod command;
#[path = "../src/app/state/compare_choices.rs"]
mod compare_choices;
#[path = "../src/app/state/folder_walks.rs"]
mod folder_walks;
#[path = "../src/app/metrics_view/folds.rs"]
mod folds;
#[path = "../src/app/dialogs/palette/fuzzy.rs"]
mod fuzzy;
#[path = "../src/app/run_list/items.rs"]
mod items;
#[path = "../src/app/browser/keep_error.rs"]
mod keep_error;
#[path = "../src/app/state/projects/kept_project.rs"]
mod kept_project;
#[path = "../src/app/run_view/lanes.rs"]
mod lanes;
#[path = "../src/app/state/listing.rs"]
mod listing;
#[path = "../src/app/run_list/names.rs"]
mod names;
#[path = "../src/app/compare_view/pareto.rs"]
mod pareto;
#[path = "../src/app/shell/pasted.rs"]
mod pasted;
#[path = "../src/app/state/problems.rs"]
mod problems;
#[path = "../src/app/shell/progress_words.rs"]
mod progress_words;
#[path = "../src/app/run_list/query_repair.rs"]
mod query_repair;
#[path = "../src/app/engine/recovery.rs"]
mod recovery;
#[path = "../src/app/state/run_colors.rs"]
mod run_colors;
#[path = "../src/app/state/run_set.rs"]
mod run_set;
#[path = "../src/app/chart/scene/mod.rs"]
mod scene;
#[path = "../src/app/metrics_view/search.rs"]
mod search;
#[path = "../src/app/metrics_view/sections.rs"]
mod sections;
#[path = "../src/app/browser/server_address.rs"]
mod server_address;
#[path = "../src/app/run_list/spark.rs"]
mod spark;
#[path = "../src/app/compare_view/table_rows.rs"]
mod table_rows;
#[path = "../src/app/state/tags.rs"]
mod tags;
#[path = "../src/app/state/view.rs"]
mod view;
#[path = "../src/app/state/view_state.rs"]
mod view_state;
#[path = "../src/app/run_list/window.rs"]
mod window;
