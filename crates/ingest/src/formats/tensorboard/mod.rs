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

use crate::budget::Kept;
use crate::formats::damage::RecordDamage;
use crate::{PartKind, PartialRun};
use event::Plugins;
use records::TfRecords;

use crate::{FileReader, Place, Problem, Weight, path};

/// Folders whose names say nothing about the run.
const GENERIC: [&str; 8] = ["tensorboard", "tensorboard_log", "tb", "tb_logs", "logs", "log", "runs", "events"];
/// Folders that hold a part of a run: Keras writes one for each.
const PARTS: [&str; 5] = ["train", "validation", "eval", "test", "val"];

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
    /// The rest was not given, which is said elsewhere.
    is_stopped: bool,
}

#[derive(Default)]
struct EventFile {
    plugins: Plugins,
    builder: EventRunBuilder,
    malformed: u64,
}

impl TensorBoardReader {
    pub(crate) fn new(path: &str) -> Self {
        Self { path: path.to_owned(), records: TfRecords::default(), events: EventFile::default(), is_stopped: false }
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

    fn stop(&mut self) {
        self.is_stopped = true;
    }

    fn kept(&self) -> Kept {
        self.events.builder.kept()
    }

    fn finish(self: Box<Self>) -> (Vec<PartialRun>, Vec<Problem>) {
        let mut damage = self.records.finish();
        damage.torn_at = damage.torn_at.filter(|_| !self.is_stopped);
        let mut problems = problems(damage, self.events.malformed);
        let Some(mut run) = self.events.builder.finish() else {
            let what = "The event file holds no number: the run stopped before it logged one, or logged only images or graphs.";
            problems.push(Problem::here(Place::File, Weight::Remark, what, ""));
            return (Vec::new(), problems);
        };
        run.name = name(&self.path);
        (vec![PartialRun::of(run, PartKind::History)], problems)
    }
}

/// A run is named after its folder, as TensorBoard does.
fn name(file: &str) -> String {
    let mut folder = path::folder(file);
    let mut part = "";
    if PARTS.contains(&path::file_name(folder)) {
        part = path::file_name(folder);
        folder = path::folder(folder);
    }
    while GENERIC.contains(&path::file_name(folder)) && !path::folder(folder).is_empty() {
        folder = path::folder(folder);
    }
    match (path::file_name(folder), part) {
        ("", "") => path::file_name(file).to_owned(),
        ("", part) => part.to_owned(),
        (name, "") => name.to_owned(),
        (name, part) => format!("{name}/{part}"),
    }
}

fn problems(damage: RecordDamage, malformed: u64) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut report = |place, weight, what: String, remedy: &str| {
        problems.push(Problem::here(place, weight, what, remedy));
    };
    if let Some(offset) = damage.first_bad {
        let what = match damage.bad {
            1 => "A record is damaged and is left out.".to_owned(),
            bad => format!("{bad} records are damaged and are left out."),
        };
        report(Place::Byte(offset), Weight::Partial, what, "Copy the file again.");
    }
    if malformed > 0 {
        let what = format!("{malformed} events could not be understood and are left out.");
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
    use super::name;

    #[test]
    fn a_run_is_named_after_its_folder() {
        for (file, expected) in [
            ("out/runs/Nov21_18-03-12_host/events.out.tfevents.1.h", "Nov21_18-03-12_host"),
            ("tensorboard_log/gsm8k/qwen/events.out.tfevents.1.h", "qwen"),
            ("amber-07/tensorboard/events.out.tfevents.1.h", "amber-07"),
            ("keras/train/events.out.tfevents.1.h", "keras/train"),
            ("runs/events.out.tfevents.1.h", "runs"),
            ("events.out.tfevents.1.h", "events.out.tfevents.1.h"),
        ] {
            assert_eq!(name(file), expected, "{file}");
        }
    }
}
