//! `.wandb` files: the transaction log that the W&B SDK writes in online and in offline mode.
//!
//! It is the only file that holds the whole history, and it survives a killed run. The layers are one file each:
//! blocks → records → values. The format was checked against the SDK's sources (core/pkg/leveldb/record.go,
//! wandb/proto/wandb_internal.proto) and against files that SDK 0.31 and 0.10 wrote.

pub(crate) mod blocks;
mod build;
mod keys;
mod latest;
mod protobuf;
mod records;
mod settings;

pub use settings::{is_wrapped, metric_rules, unwrapped};

pub use records::{ArtifactRecord, HistoryRecord, Item, MetricRecord, RunRecord, SettingChange, StatsRecord, Visitor};

use crate::budget::MemoryUse;
use crate::formats::damage::RecordDamage;
use crate::rows::read_progress::ReadProgress;
use crate::{PartKind, PartialRun};
use blocks::{FILE_HEADER, LogBlocks};
use build::WandbRunBuilder;

use crate::{FileEnd, FileReader, Place, Problem, Weight, path};

/// True when these first bytes are those of a `.wandb` file of the one version that exists.
pub(crate) fn is_magic(head: &[u8]) -> bool {
    head.starts_with(&FILE_HEADER)
}

/// Shows every record of a `.wandb` file to a visitor, as the run reader sees them.
///
/// Damaged parts are passed over. Nothing is shown for bytes that are no `.wandb` file.
pub fn visit(bytes: &[u8], visitor: &mut impl Visitor) {
    if !is_magic(bytes) {
        return;
    }
    let mut log = LogReader::default();
    log.push(bytes, visitor);
    log.finish(visitor);
}

/// Blocks and records; what the records mean is the visitor's.
#[derive(Default)]
struct LogReader {
    blocks: LogBlocks,
    records: u64,
}

impl LogReader {
    fn push(&mut self, bytes: &[u8], visitor: &mut impl Visitor) {
        let records = &mut self.records;
        self.blocks.push(bytes, &mut |record| show(record, records, visitor));
    }

    /// The damage, and the number of records.
    fn finish(mut self, visitor: &mut impl Visitor) -> (RecordDamage, u64) {
        let records = &mut self.records;
        let damage = self.blocks.finish(&mut |record| show(record, records, visitor));
        (damage, self.records)
    }
}

fn show(record: &[u8], count: &mut u64, visitor: &mut impl Visitor) {
    *count += 1;
    if records::visit(record, visitor).is_err() {
        visitor.malformed();
    }
}

/// Reads a `.wandb` file into a run.
pub(crate) struct WandbReader {
    path: String,
    log: LogReader,
    builder: WandbRunBuilder,
}

impl WandbReader {
    /// A reader for a file whose first bytes are those of [`is_magic`].
    pub(crate) fn new(path: &str) -> Self {
        let (log, builder) = (LogReader::default(), WandbRunBuilder::default());
        Self { path: path.to_owned(), log, builder }
    }
}

impl FileReader for WandbReader {
    fn push(&mut self, bytes: &[u8]) {
        self.log.push(bytes, &mut self.builder);
    }

    fn set_progress(&mut self, progress: ReadProgress) {
        self.builder.set_progress(progress);
    }

    fn memory_use(&self) -> MemoryUse {
        self.builder.memory_use()
    }

    fn finish(mut self: Box<Self>, end: &mut FileEnd) -> (Vec<PartialRun>, Vec<Problem>) {
        let (mut damage, records) = self.log.finish(&mut self.builder);
        damage.torn_at = damage.torn_at.filter(|_| !end.is_stopped);
        let (mut run, malformed) = self.builder.finish();
        if run.id.is_empty() {
            run.id = id_from_path(&self.path);
        }
        if run.name.is_empty() {
            run.name.clone_from(&run.id);
        }
        let problems = problems(damage, records, malformed, run.ending.exit_code.is_some());
        (vec![PartialRun::of(run, PartKind::History)], problems)
    }
}

/// The id in `run-ID.wandb`, or in the name of the run folder, or the file's stem.
fn id_from_path(file: &str) -> String {
    let name = path::file_name(file);
    let stem = name.strip_suffix(".wandb").unwrap_or(name);
    let in_folder = || path::run_folder_in(file).map(|folder| folder.id);
    stem.strip_prefix("run-").or_else(in_folder).unwrap_or(stem).to_owned()
}

fn problems(damage: RecordDamage, records: u64, malformed: u64, has_exit: bool) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some(offset) = damage.bad.first {
        let count = if damage.bad.count == 1 {
            "A part of the file is damaged: the records in one block of 32 KiB are lost.".to_owned()
        } else {
            format!(
                "{} parts of the file are damaged: the records in as many blocks of 32 KiB are lost.",
                damage.bad.count
            )
        };
        problems.push(Problem::here(
            Place::Byte(offset),
            Weight::Partial,
            count,
            "Copy the file again from its source.",
        ));
    }
    if malformed > 0 {
        let what = format!("{malformed} records or values could not be understood and were skipped.");
        problems.push(Problem::here(Place::File, Weight::Partial, what, ""));
    }
    if let Some(offset) = damage.torn_at {
        // After an exit record nothing that matters is missing; a file without one was still being written.
        let weight = if has_exit { Weight::Remark } else { Weight::Partial };
        let what = "The file ends within a record: what follows was never written, or not yet.".to_owned();
        let remedy = if has_exit { "" } else { "If the run is still going, drop the file again later." };
        problems.push(Problem::here(Place::Byte(offset), weight, what, remedy));
    } else if records == 0 && damage.bad.count == 0 {
        let what = "The file holds only its header: the run stopped before it logged anything.".to_owned();
        problems.push(Problem::here(
            Place::File,
            Weight::Partial,
            what,
            "Look for an earlier or later folder of the same run.",
        ));
    }
    problems
}
