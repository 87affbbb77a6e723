//! The JavaScript packages that Rundown is measured against in the browser, as npm installed them.

use std::fs;
use std::path::PathBuf;

/// The folder of a package; `None` where `RUNDOWN_JAVASCRIPT_PEERS` is not set.
pub fn package(name: &str) -> Option<PathBuf> {
    Some(PathBuf::from(std::env::var_os("RUNDOWN_JAVASCRIPT_PEERS")?).join(name))
}

/// Its version, by its `package.json`.
pub fn version(name: &str) -> Option<String> {
    let about = fs::read(package(name)?.join("package.json")).ok()?;
    let about: serde_json::Value = serde_json::from_slice(&about).ok()?;
    Some(about.get("version")?.as_str()?.to_owned())
}
