//! What both benchmarks need.

use std::path::PathBuf;

#[path = "../../tests/support/corpus.rs"]
mod corpus;
#[allow(dead_code, reason = "each benchmark uses a part of this")]
pub mod javascript_peers;
#[allow(dead_code, reason = "each benchmark uses a part of this")]
pub mod measurements;
mod reference;

#[allow(unused_imports, reason = "each benchmark uses a part of this")]
pub use corpus::files_below;

/// Every `.wandb` file of the labelled runs, or `None` with a notice where the corpus is missing.
#[allow(dead_code, reason = "each benchmark uses a part of this")]
pub fn corpus_runs() -> Option<Vec<PathBuf>> {
    let mut files = corpus::files_below(&corpus::corpus("tiny-grpo")?);
    files.retain(|file| file.extension().is_some_and(|extension| extension == "wandb"));
    Some(files)
}
