//! Files of any name and content.

use rundown_ingest::{Budget, FileOutcome, OpenFile, Weight, open, open_as};
use rundown_run::FileFormat;

/// Names by which readers are chosen: the input's last byte is the place in this list.
const NAMES: [&str; 28] = [
    "run-x.wandb",
    "events.out.tfevents.1790000000.host",
    "history.parquet",
    "completions_00010.parquet",
    "run-x/backup.swanlab",
    "runs.zip",
    "runs.tar",
    "runs.tar.gz",
    "metrics.csv",
    "wandb_export_2026-11-01T00_00_00.000-00_00.csv",
    "trainer_state.json",
    "history.json",
    "metrics.jsonl",
    "events.ndjson",
    "output.log",
    "files/config.yaml",
    "files/wandb-summary.json",
    "files/wandb-metadata.json",
    "files/wandb-events.jsonl",
    "files/output.log",
    "media/table/completions_1_ab.table.json",
    ".hydra/config.yaml",
    "mlruns/1/0123456789abcdef0123456789abcdef/metrics/loss",
    "mlruns/1/0123456789abcdef0123456789abcdef/meta.yaml",
    "train.ipynb",
    "progress.csv",
    "run.txt",
    "anything",
];

/// A file whose name the last byte chooses.
pub fn ingest(input: &[u8]) {
    let Some((last, content)) = input.split_last() else { return };
    named(name_of(*last), content);
}

/// The name that a byte stands for.
pub fn name_of(byte: u8) -> &'static str {
    NAMES[usize::from(byte) % NAMES.len()]
}

/// A file of this name.
pub fn named(name: &str, content: &[u8]) {
    holds(name, content, |length| read(name, content, length));
}

/// A file that the user says is of this format, so that its reader gets bytes of any beginning.
pub fn forced(name: &str, format: FileFormat, content: &[u8]) {
    holds(name, content, |length| {
        pushed(open_as(&Budget::default(), name, content.len() as u64, format), content, length)
    });
}

/// The same result in one slice and in many, and problems that say what and where.
fn holds(name: &str, content: &[u8], read: impl Fn(usize) -> FileOutcome) {
    let whole = read(content.len().max(1));
    // A length that depends on the content alone, so that a find is found again.
    let length = 1 + content.iter().fold(content.len(), |sum, byte| (sum * 31 + usize::from(*byte)) % 251);
    let sliced = read(length);
    assert_eq!(text(&whole), text(&sliced), "slices of {length} bytes of {name} give another result");
    for problem in &whole.problems {
        assert!(!problem.file.is_empty(), "a problem of no file: {problem:?}");
        assert!(!problem.what.is_empty(), "a problem that says nothing: {problem:?}");
        assert!(problem.what.len() < 4096, "a problem of {} bytes", problem.what.len());
        assert!(problem.weight != Weight::Lost || !problem.what.contains("bug"), "{problem:?}");
    }
    assert!(whole.problems.len() <= 64 + content.len() / 16, "{} problems", whole.problems.len());
}

/// Reads a file in slices of `length` bytes.
pub fn read(name: &str, content: &[u8], length: usize) -> FileOutcome {
    pushed(open(name, content.len() as u64), content, length)
}

fn pushed(mut file: OpenFile, content: &[u8], length: usize) -> FileOutcome {
    for slice in content.chunks(length) {
        if !file.wants_bytes() {
            break;
        }
        file.push(slice);
    }
    file.finish()
}

/// As text, in which NaN equals NaN.
fn text(outcome: &FileOutcome) -> String {
    format!("{outcome:?}")
}
