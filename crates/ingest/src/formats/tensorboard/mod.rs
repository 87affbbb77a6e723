//! TensorBoard event files, as torch, Hugging Face, verl, Keras and many others write them.
//!
//! The layers are one file each: records → messages → what an event says → a run. A folder is a run: several files of
//! it (a restart) are joined when everything is there. Numbers are mostly float32, as the writers store them.

mod build;
mod event;
mod messages;
mod records;
mod tensor;
mod text;

pub(crate) use build::{EventRunBuilder, REPLACES_FROM};
pub(crate) use event::EventItem;

use crate::budget::MemoryUse;
use crate::formats::damage::RecordDamage;
use crate::rows::read_progress::ReadProgress;
use crate::{PartKind, PartialRun};
use event::Plugins;
use records::TfRecords;

use crate::{FileEnd, FileReader, Place, Problem, Weight, path};

/// Folders that hold a part of a run: Keras writes one for each.
const PART_FOLDERS: [&str; 5] = ["train", "validation", "eval", "test", "val"];

/// True when these first bytes are those of an event file.
pub(crate) fn is_magic(file: &str, head: &[u8]) -> bool {
    let says_so =
        head.get(..64).or(Some(head)).is_some_and(|start| memchr::memmem::find(start, b"brain.Event:").is_some());
    path::file_name(file).contains("tfevents") || (says_so && records::is_record(head))
}

/// Reads an event file.
pub(crate) struct TensorBoardReader {
    path: String,
    records: TfRecords,
    events: EventFile,
}

#[derive(Default)]
struct EventFile {
    plugins: Plugins,
    builder: EventRunBuilder,
    malformed: u64,
}

impl TensorBoardReader {
    pub(crate) fn new(path: &str) -> Self {
        Self { path: path.to_owned(), records: TfRecords::default(), events: EventFile::default() }
    }
}

impl EventFile {
    fn add(&mut self, record: &[u8]) {
        let builder = &mut self.builder;
        let read = event::visit(record, &mut self.plugins, &mut |step, time, item| builder.add(step, time, item));
        self.malformed += u64::from(read.is_err());
    }
}

impl FileReader for TensorBoardReader {
    fn push(&mut self, bytes: &[u8]) {
        let events = &mut self.events;
        self.records.push(bytes, &mut |record| events.add(record));
    }

    fn set_progress(&mut self, progress: ReadProgress) {
        self.events.builder.set_progress(progress);
    }

    fn memory_use(&self) -> MemoryUse {
        self.events.builder.memory_use()
    }

    fn finish(self: Box<Self>, end: &mut FileEnd) -> (Vec<PartialRun>, Vec<Problem>) {
        let mut damage = self.records.finish();
        damage.torn_at = damage.torn_at.filter(|_| !end.is_stopped);
        let mut problems = problems(damage, self.events.malformed);
        let Some(mut run) = self.events.builder.finish() else {
            let what = "The event file holds no number: the run stopped before it logged one, or logged only images or graphs.";
            problems.push(Problem::here(Place::File, Weight::Remark, what, ""));
            return (Vec::new(), problems);
        };
        run.name = part_name(&self.path).unwrap_or_default();
        (vec![PartialRun::of(run, PartKind::History)], problems)
    }
}

/// The name of a part of a run: the folder of the run and the part. Other event files are named by their folder, as
/// runs of other formats are.
fn part_name(file: &str) -> Option<String> {
    let part = path::file_name(path::folder(file));
    if !PART_FOLDERS.contains(&part) {
        return None;
    }
    let folder = path::around(path::folder(path::folder(file)), |name| path::LOG_FOLDERS.contains(&name));
    match path::file_name(folder) {
        "" => Some(part.to_owned()),
        name => Some(format!("{name}/{part}")),
    }
}

fn problems(damage: RecordDamage, malformed: u64) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut report = |place, weight, what: String, remedy: &str| {
        problems.push(Problem::here(place, weight, what, remedy));
    };
    if let Some(offset) = damage.bad.first {
        let what = match damage.bad.count {
            1 => "A record is damaged and was skipped.".to_owned(),
            bad => format!("{bad} records are damaged and were skipped."),
        };
        report(Place::Byte(offset), Weight::Partial, what, "Copy the file again.");
    }
    if malformed > 0 {
        let what = format!("{malformed} events could not be understood and were skipped.");
        report(Place::File, Weight::Partial, what, "");
    }
    if let Some(offset) = damage.torn_at {
        let what = "The file ends within a record, as it does while the run goes on or when it was killed.".to_owned();
        report(Place::Byte(offset), Weight::Remark, what, "");
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::part_name;

    #[test]
    fn a_part_of_a_run_is_named_after_the_run_and_the_part() {
        for (file, expected) in [
            ("keras/train/events.out.tfevents.1.h", Some("keras/train")),
            ("keras/logs/validation/events.out.tfevents.1.h", Some("keras/validation")),
            ("train/events.out.tfevents.1.h", Some("train")),
            ("amber-07/tensorboard/events.out.tfevents.1.h", None),
        ] {
            assert_eq!(part_name(file).as_deref(), expected, "{file}");
        }
    }
}
