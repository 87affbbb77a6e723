//! The readers: one file or folder a format.

pub(crate) mod axiom;
pub(crate) mod by_run;
pub(crate) mod console;
pub(crate) mod csv;
mod damage;
pub(crate) mod json_document;
pub(crate) mod json_objects;
pub(crate) mod jsonl;
mod listed_objects;
mod long_objects;
pub(crate) mod mlflow;
pub(crate) mod notebook;
pub(crate) mod parquet;
mod row_names;
pub(crate) mod run_export;
pub(crate) mod sidecar;
pub(crate) mod swanlab;
pub(crate) mod tensorboard;
pub mod wandb;
