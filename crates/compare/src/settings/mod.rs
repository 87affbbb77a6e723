//! The settings of many runs: what each key is to a comparison, and its values in all runs.

mod columns;
mod roles;

pub use columns::{SettingColumn, setting_columns};
pub(crate) use roles::role_by_values;
pub use roles::{SettingRole, role_of};
