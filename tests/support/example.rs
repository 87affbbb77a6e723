//! The terminal's `diagnose`, built once and found beside the tests.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Cargo takes a second to find that there is nothing to build.
static BUILT: LazyLock<PathBuf> = LazyLock::new(build);

/// Where the example is.
pub fn example() -> &'static Path {
    &BUILT
}

/// Builds the example (nothing to do when it is fresh) and finds it beside this test.
fn build() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let name = match profile.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--offline", "--example", "diagnose", "--profile", name])
        .arg("--manifest-path")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        .arg("--target-dir")
        .arg(profile.parent().unwrap())
        .status()
        .unwrap();
    assert!(built.success());
    profile.join("examples").join(format!("diagnose{}", std::env::consts::EXE_SUFFIX))
}
