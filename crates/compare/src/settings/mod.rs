//! The settings of many runs: what each key is to a comparison, and its values in all runs.

mod columns;
mod key_places;
mod paths;
mod roles;
mod tasks;
mod words;

pub(crate) use columns::compared_columns;
pub use columns::{SettingColumn, setting_columns};
pub use key_places::KeyPlaces;
pub(crate) use paths::is_path;
pub use roles::{SettingRole, role_of};
pub(crate) use roles::{role_by_values, role_of_column};
pub(crate) use tasks::names_other_tasks;
pub use tasks::names_tasks;
pub(crate) use words::words_of;
