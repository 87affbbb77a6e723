//! Checks of settings.

pub mod config_conflict;
pub mod config_unusual;
