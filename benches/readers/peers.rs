//! The Python with the peers, which `tools/peer.sh readers` makes and `RUNDOWN_PEER_PYTHON` names.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Seconds that a peer takes to read these files, or `None` where it is not installed. `kind` is one of
/// `benches/peers/read.py`.
pub fn seconds(kind: &str, paths: &[PathBuf]) -> Option<f64> {
    let output = script("read.py")?.arg(kind).args(paths).stderr(Stdio::null()).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// Packs a table as Parquet and into a zip archive. False where Python or pandas is missing.
pub fn pack(table: &Path, parquet: &Path, zip: &Path) -> bool {
    let run = || script("pack.py")?.args([table, parquet, zip]).stderr(Stdio::null()).status().ok();
    run().is_some_and(|status| status.success())
}

fn script(name: &str) -> Option<Command> {
    let python = std::env::var_os("RUNDOWN_PEER_PYTHON").filter(|python| !python.is_empty())?;
    let mut command = Command::new(python);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers").join(name));
    Some(command)
}
