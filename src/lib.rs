//! The page of Rundown: Leptos views and their state, for the browser alone. The crates under `crates/` do the work
//! (ARCHITECTURE.md); this one shows what they find.

#[cfg(target_arch = "wasm32")]
pub mod app;
