//! The Rust files of the package, and the module that each of them is.

use std::path::{Path, PathBuf};

/// A Rust file.
pub struct Source {
    /// Path from the package's root.
    pub path: PathBuf,
    /// In its crate: `crates/run/src/config/keys.rs` is `config`, `keys`; `src/app/mod.rs` is `app`.
    pub module: Vec<String>,
    pub text: String,
}

impl Source {
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        let path = path.into();
        let without_extension = path.with_extension("");
        let parts = without_extension.iter().skip_while(|part| *part != "src").skip(1);
        let mut module: Vec<String> = parts.map(|part| part.to_string_lossy().into_owned()).collect();
        if module.last().is_some_and(|last| last == "mod") || module == ["lib"] {
            module.pop();
        }
        Self { path, module, text: text.into() }
    }

    /// A violation with the file that it is in.
    pub fn violation(&self, what: &str) -> String {
        format!("{}: {what}", self.path.display())
    }
}

/// Every Rust file below a folder of the package, by path.
pub fn sources(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(Source::new(path.strip_prefix(root).unwrap(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files.sort_by(|left, right| left.path.cmp(&right.path));
    assert!(!files.is_empty(), "no Rust file below {folder}");
    files
}
