//! The Python with the peers, which `tools/peer.sh readers` makes and `RUNDOWN_PEER_PYTHON` names.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

/// What a peer took.
#[derive(Deserialize)]
pub struct Read {
    /// Name and version of the peer.
    pub name: String,
    /// Seconds to read the files.
    pub seconds: f64,
}

/// A peer reads these files, or `None` where it is not installed. `kind` is one of `benches/peers/read.py`.
pub fn read(kind: &str, paths: &[PathBuf]) -> Option<Read> {
    let output = script("read.py")?.arg(kind).args(paths).stderr(Stdio::null()).output().ok()?;
    serde_json::from_slice(&output.stdout).ok()
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
