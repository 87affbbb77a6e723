//! Bytes to runs: detection by content and not only by name, a reader for each format, and joining the files of one run.
//!
//! `open` detects and reads a file within the `budget` of its drop, `formats` holds the readers, `archives` what is around files, `assemble` decides
//! which files are one run. `rows` and `syntax` are shared by readers.
//!
//! A file is pushed through its reader in slices of any size, so that a file of a gigabyte never stands in memory
//! as one piece, and a browser and a terminal share the code. A reader never fails: it gives what it understood
//! before the damage, and a [`Problem`] that says what and where.
//!
//! ```
//! use rundown_ingest::{RunAssembler, open};
//!
//! let bytes = b":W&B\xe1\xbe\x00";
//! let mut file = open("run-x.wandb", bytes.len() as u64);
//! file.push(bytes);
//! let mut assembler = RunAssembler::default();
//! assembler.add(file.finish());
//! let ingested = assembler.assemble(Vec::new());
//! assert_eq!(ingested.runs.len(), 1);
//! assert_eq!(ingested.problems.len(), 1); // only a header: the run stopped before it logged anything
//! ```

mod archives;
mod assemble;
mod budget;
mod detect;
mod file_groups;
mod formats;
mod ignored;
mod join;
mod open;
mod partial;
mod path;
mod problem;
mod reader;
mod rows;
mod run_limit;
mod setting_names;
mod syntax;
mod time;

pub use assemble::{Ingested, MlflowFolders, RunAssembler};
pub use budget::{Budget, Limits};
pub use file_groups::{FileGroup, file_groups};
pub use formats::wandb;
pub use open::{OpenFile, open, open_as, open_within};
pub use partial::{AssembledRun, PartKind, PartialRun, ReportedRun};
pub(crate) use problem::Occurrences;
pub use problem::{Place, Problem, Weight};
pub use reader::FileOutcome;
pub(crate) use reader::{FileEnd, FileReader};
pub use syntax::json;

pub use rows::wandb_media;
