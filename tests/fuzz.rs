//! The seeds of the fuzz targets and every input that once broke a property, as ordinary tests. `make fuzz` looks for
//! more with libFuzzer (fuzz/README.md).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests may panic")]

use std::path::{Path, PathBuf};

#[path = "../fuzz/src/properties/mod.rs"]
mod properties;

/// Largest example that is run: a debug build reads about a megabyte a second.
const LARGEST: u64 = 16 << 10;

/// Files under `folder`, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn is_small(file: &Path) -> bool {
    std::fs::metadata(file).unwrap().len() <= LARGEST
}

/// Runs a target on its own seeds and finds, and where it takes files also on the examples of every format.
#[track_caller]
fn holds(name: &str) {
    let target = properties::target(name).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut inputs = files(&root.join("fuzz/seeds").join(name));
    inputs.extend(files(&root.join("fuzz/finds").join(name)));
    let takes_files = inputs.is_empty() || name == "ingest" || name == "whole";
    if takes_files {
        inputs.extend(files(&root.join("tests/fixtures")).into_iter().filter(|file| is_small(file)));
    }
    assert!(!inputs.is_empty(), "no inputs for {name}");
    for file in inputs {
        let input = std::fs::read(&file).unwrap();
        println!("{name}: {}", file.display());
        (target.check)(&input);
    }
}

macro_rules! targets {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                holds(stringify!($name));
            }
        )*

        #[test]
        fn every_target_is_tested() {
            let tested = [$(stringify!($name)),*];
            assert_eq!(properties::TARGETS.map(|target| target.name), tested);
        }
    };
}

targets!(ingest wandb_file tensorboard parquet swanlab zip tar gzip whole query settings reports redact wandb_server axiom_server);

#[test]
fn memory_is_bounded_for_every_target() {
    for target in &properties::TARGETS {
        assert!(target.memory_limit(0) >= 1 << 20 && target.memory_limit(usize::MAX) <= 1500 << 20, "{}", target.name);
    }
}
