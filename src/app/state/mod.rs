//! The state of the page, in one typed context: what is loaded, what is looked at, and what went wrong.
//!
//! What is worth a link is in [`ViewState`], which the address holds ([`Address`]). Everything here is made once, at the
//! root, so that no signal is read after its view is gone.

mod address;
mod app_state;
pub mod chart_settings;
mod color_scheme;
pub mod columns;
pub mod command;
mod compare_choices;
mod connecting;
mod folder_walks;
mod keep_project;
pub mod listing;
mod loading;
pub mod problems;
pub mod projects;
mod removal;
pub mod run_colors;
mod run_command;
pub mod run_set;
mod runs;
mod settings;
mod shown_runs;
pub mod tags;
mod view;
mod view_state;
mod watching;

pub use address::Address;
pub use app_state::{AppState, Closed, Dialog};
pub use color_scheme::ColorScheme;
pub use compare_choices::CompareChoices;
pub use connecting::taken_query;
pub use projects::Projects;
pub use run_command::{CHOOSE_FILES, CHOOSE_FOLDER, FILTER, catch_focus, focus_main, row_id};
pub use runs::{Runs, ShownRun};
pub use view::View;
pub use view_state::ViewState;
