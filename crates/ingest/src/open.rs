//! A file being read: what it is, and its reader.

use super::archives::ArchiveMember;
use super::archives::gzip::Gzip;
use super::archives::tar::Tar;
use super::archives::utf16::Utf16;
use super::archives::zip::Zip;
use super::budget::{Budget, CELLS, COLUMNS, FileBudget, MemoryUse, SHORT_HEAD, TooLarge, bytes_of};
use super::detect::{Detected, detect, short};
use super::formats::console::ConsoleFileReader;
use super::formats::csv::CsvReader;
use super::formats::json_document::DocumentReader;
use super::formats::jsonl::JsonLinesReader;
use super::formats::mlflow;
use super::formats::mlflow::MlflowReader;
use super::formats::notebook::NotebookReader;
use super::formats::parquet::ParquetReader;
use super::formats::sidecar;
use super::formats::swanlab::SwanLabReader;
use super::formats::tensorboard::TensorBoardReader;
use super::formats::wandb::WandbReader;
use super::ignored::is_ignored;
use super::reader::{FileEnd, FileOutcome, FileReader};
use super::rows::read_progress::ReadProgress;
use super::{Place, Problem, Weight, path};
use rundown_run::{FileFormat, SourceFile};

/// Bytes of a file after which the memory that its reader keeps is counted again. A step adds some ten MB at most.
const ACCOUNT_STEP: u64 = 256 * 1024;

/// Starts to read a file of `size` bytes that is dropped alone.
///
/// `path` is relative to what was dropped; the folders in it tell which files belong to one run.
pub fn open(path: &str, size: u64) -> OpenFile {
    open_within(&Budget::default(), path, size)
}

/// Starts to read a file of `size` bytes of a drop with this budget.
pub fn open_within(budget: &Budget, path: &str, size: u64) -> OpenFile {
    OpenFile::new(path::normal(path), size, budget.for_file(size))
}

/// Starts to read a file for which the user chose `format`, whatever its bytes look like.
pub fn open_as(budget: &Budget, path: &str, size: u64, format: FileFormat) -> OpenFile {
    let mut open = open_within(budget, path, size);
    if size > 0 {
        // Readers look at the first bytes, too: they must not depend on how these are sliced.
        open.state = OpenState::Head(Vec::new(), SHORT_HEAD);
        open.forced = Some(format);
    }
    open
}

/// A file being read.
pub struct OpenFile {
    path: String,
    budget: FileBudget,
    /// As the caller gave it; the largest number where it is not known.
    size: u64,
    bytes: u64,
    crc: crc32fast::Hasher,
    state: OpenState,
    /// Format that the user forces on the file.
    forced: Option<FileFormat>,
    /// What its reader keeps, as last counted.
    kept: MemoryUse,
    /// The limit that it came to.
    limit: Option<TooLarge>,
}

enum OpenState {
    /// The format is not settled yet. The number is how many bytes the next decision needs.
    Head(Vec<u8>, usize),
    Reading(FileFormat, Box<dyn FileReader>),
    Archive(Box<dyn ArchiveMember>),
    Refused(Weight, &'static str, &'static str),
    /// Not begun, as the files before it came to a limit.
    NoRoom(TooLarge),
    Ignored,
}

impl OpenFile {
    fn new(path: String, size: u64, budget: FileBudget) -> Self {
        let is_of_mlflow = mlflow::piece(&path).is_some();
        let state = if is_of_mlflow && size > 0 {
            OpenState::Reading(FileFormat::MlflowFolder, Box::new(MlflowReader::new(&path)))
        } else if is_of_mlflow || mlflow::is_ignored(&path) || is_ignored(&path) {
            OpenState::Ignored
        } else if size == 0 {
            OpenState::Refused(Weight::Remark, "The file is empty.", "")
        } else if let Some(limit) = budget.is_used_up() {
            OpenState::NoRoom(limit)
        } else {
            OpenState::Head(Vec::new(), 0)
        };
        Self {
            path,
            budget,
            size,
            bytes: 0,
            crc: crc32fast::Hasher::new(),
            state,
            forced: None,
            kept: MemoryUse::default(),
            limit: None,
        }
    }

    /// False for a file of which no (more) bytes are needed: the caller may skip them and finish it at once.
    pub fn wants_bytes(&self) -> bool {
        if self.budget.is_over() {
            return false;
        }
        match &self.state {
            OpenState::Head(..) | OpenState::Reading(..) => true,
            OpenState::Archive(archive) => archive.wants_bytes(),
            OpenState::Refused(..) | OpenState::NoRoom(_) | OpenState::Ignored => false,
        }
    }

    /// Takes the next bytes, a slice of any size, and reads them.
    pub fn push(&mut self, bytes: &[u8]) {
        self.begin(bytes);
        while self.work() {}
    }

    /// Takes the next bytes, a slice of any size. Those of an archive are read by [`OpenFile::work`].
    pub fn begin(&mut self, bytes: &[u8]) {
        match &mut self.state {
            OpenState::Head(head, wanted) => {
                if head.len() + bytes.len() < *wanted {
                    head.extend_from_slice(bytes);
                    return;
                }
                let mut whole = std::mem::take(head);
                if whole.is_empty() {
                    self.settle(bytes, false);
                } else {
                    whole.extend_from_slice(bytes);
                    self.settle(&whole, false);
                }
            }
            _ => self.read(bytes),
        }
    }

    /// Unpacks and reads a step of what an archive was given; false when all is read. A few bytes can unpack to
    /// gigabytes: between two steps a page takes messages.
    pub fn work(&mut self) -> bool {
        match &mut self.state {
            OpenState::Archive(archive) => archive.work(),
            _ => false,
        }
    }

    /// Ends the file and gives what was in it.
    pub fn finish(self) -> FileOutcome {
        self.end(false)
    }

    /// Ends the file. `is_stopped` where the rest was not given, which another problem reports.
    fn end(mut self, is_stopped: bool) -> FileOutcome {
        if let OpenState::Head(head, _) = &mut self.state {
            let head = std::mem::take(head);
            self.settle(&head, true);
        }
        match self.state {
            OpenState::Reading(format, reader) => {
                let left_out = reader.memory_use().left_out;
                let mut end = FileEnd { is_stopped: is_stopped || self.limit.is_some(), format };
                let (mut parts, mut problems) = reader.finish(&mut end);
                if is_stopped && parts.is_empty() {
                    // Another problem reports what is missing.
                    problems.clear();
                }
                // Past a limit nothing more is begun.
                let kept = parts.iter().map(|part| bytes_of(&part.run)).sum();
                let _ = self.budget.keep(self.kept.bytes, kept);
                // A text without a line of a log is no log.
                let is_other_text = end.format == FileFormat::ConsoleLog && parts.is_empty();
                let format = if is_other_text { FileFormat::Unknown } else { end.format };
                let crc32 = self.crc.finalize();
                let source = SourceFile { path: self.path, format, bytes: self.bytes, crc32 };
                for part in &mut parts {
                    part.run.files.push(source.clone());
                    if part.folder.is_empty() {
                        part.folder = path::folder(&source.path).to_owned();
                    }
                }
                for problem in &mut problems {
                    problem.file.clone_from(&source.path);
                }
                if left_out > 0 {
                    let what = format!(
                        "Too large: {left_out} values were skipped. Of a run {COLUMNS} columns are kept, and of a table \
                         in one member of JSON {CELLS} values."
                    );
                    let remedy = "Export fewer columns.";
                    problems.push(Problem::new(&source.path, Place::File, Weight::Partial, what, remedy));
                }
                if let Some(limit) = self.limit {
                    problems.push(limit.problem(&source.path, Place::Byte(source.bytes), Weight::Partial));
                }
                FileOutcome { parts, problems, format }
            }
            OpenState::Archive(archive) => archive.finish(is_stopped),
            OpenState::Refused(weight, what, remedy) => {
                let problem = Problem::new(&self.path, Place::File, weight, what, remedy);
                FileOutcome { problems: vec![problem], ..FileOutcome::default() }
            }
            OpenState::NoRoom(limit) => {
                let problem = limit.problem(&self.path, Place::File, Weight::Lost);
                FileOutcome { problems: vec![problem], ..FileOutcome::default() }
            }
            OpenState::Ignored => FileOutcome { format: FileFormat::Ignored, ..FileOutcome::default() },
            OpenState::Head(..) => FileOutcome::default(),
        }
    }

    fn read(&mut self, bytes: &[u8]) {
        match &mut self.state {
            OpenState::Reading(..) => self.read_in_steps(bytes),
            OpenState::Archive(archive) => archive.begin(bytes),
            OpenState::Head(..) | OpenState::Refused(..) | OpenState::NoRoom(_) | OpenState::Ignored => {}
        }
    }

    /// Gives bytes to the reader, and counts what it keeps at places that do not depend on the slices.
    fn read_in_steps(&mut self, mut bytes: &[u8]) {
        let OpenState::Reading(_, reader) = &mut self.state else { return };
        while !bytes.is_empty() && !self.budget.is_over() {
            let room = (ACCOUNT_STEP - self.bytes % ACCOUNT_STEP) as usize;
            let (step, rest) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
            if self.size < u64::MAX {
                reader.set_progress(ReadProgress { read: self.bytes, size: self.size });
            }
            self.bytes += step.len() as u64;
            self.crc.update(step);
            reader.push(step);
            bytes = rest;
            if self.bytes.is_multiple_of(ACCOUNT_STEP) {
                let kept = reader.memory_use();
                self.limit = self.budget.keep(self.kept.bytes, kept.bytes).err();
                self.kept = kept;
                if self.limit.is_some() {
                    self.budget.end();
                }
            }
        }
    }

    /// Decides what the file is from its first bytes, and reads them.
    fn settle(&mut self, head: &[u8], is_all: bool) {
        if is_all && head.is_empty() {
            self.state = OpenState::Refused(Weight::Remark, "The file is empty.", "");
            return;
        }
        let Some(found) = self.forced.map(Detected::Read).or_else(|| detect(&self.path, head, is_all)) else {
            // Doubling keeps the cost of repeated decisions linear.
            self.state = OpenState::Head(head.to_vec(), (head.len() * 2).max(4096));
            return;
        };
        self.state = match found {
            Detected::Read(format) => match reader(format, &self.path, head) {
                Some(mut reader) => {
                    reader.allow(self.budget.clone());
                    OpenState::Reading(format, reader)
                }
                None => OpenState::Ignored,
            },
            Detected::Gzip | Detected::Tar | Detected::Zip | Detected::Utf16 if self.budget.is_deepest() => {
                OpenState::Refused(Weight::Lost, "Archives are nested too deeply.", "Unpack it and drop what is in it.")
            }
            Detected::Gzip => OpenState::Archive(Box::new(Gzip::new(&self.path, &self.budget, open_member))),
            Detected::Tar => OpenState::Archive(Box::new(Tar::new(&self.path, &self.budget, open_member))),
            Detected::Zip => OpenState::Archive(Box::new(Zip::new(&self.path, &self.budget, open_member))),
            Detected::Utf16 => OpenState::Archive(Box::new(Utf16::new(&self.path, &self.budget, open_member))),
            Detected::Unsupported(what, remedy) => OpenState::Refused(Weight::Remark, what, remedy),
            Detected::Lost(what, remedy) => OpenState::Refused(Weight::Lost, what, remedy),
            Detected::Unknown => OpenState::Refused(Weight::Remark, "Unsupported file type.", ""),
        };
        self.read(head);
    }
}

/// Opens a file inside an archive.
fn open_member(path: String, budget: FileBudget) -> Box<dyn ArchiveMember> {
    Box::new(OpenFile::new(path, u64::MAX, budget))
}

impl ArchiveMember for OpenFile {
    fn wants_bytes(&self) -> bool {
        OpenFile::wants_bytes(self)
    }

    fn begin(&mut self, bytes: &[u8]) {
        OpenFile::begin(self, bytes);
    }

    fn work(&mut self) -> bool {
        OpenFile::work(self)
    }

    fn finish(self: Box<Self>, is_stopped: bool) -> FileOutcome {
        self.end(is_stopped)
    }
}

fn reader(format: FileFormat, path: &str, head: &[u8]) -> Option<Box<dyn FileReader>> {
    Some(match format {
        FileFormat::Wandb => Box::new(WandbReader::new(path)),
        FileFormat::JsonLines => Box::new(JsonLinesReader::default()),
        FileFormat::JsonDocument => Box::new(DocumentReader::new(path)),
        FileFormat::Table => Box::new(CsvReader::new(path, short(head))),
        FileFormat::Parquet => Box::new(ParquetReader::new(path)),
        FileFormat::TensorBoard => Box::new(TensorBoardReader::new(path)),
        FileFormat::SwanLab => Box::new(SwanLabReader::new(path, head)),
        FileFormat::Sidecar => sidecar::reader(sidecar::kind(path).or_else(|| sidecar::config_kind(path, head))?, path),
        FileFormat::Notebook => Box::new(NotebookReader::default()),
        FileFormat::ConsoleLog => Box::new(ConsoleFileReader::new(path)),
        FileFormat::MlflowFolder => Box::new(MlflowReader::new(path)),
        // Readers set these themselves; detection gives none of them but files to ignore.
        FileFormat::ChartExport
        | FileFormat::RunsTable
        | FileFormat::TensorBoardDownload
        | FileFormat::Axiom
        | FileFormat::RunExport
        | FileFormat::RundownExport
        | FileFormat::RundownReport
        | FileFormat::Archive
        | FileFormat::WandbApi
        | FileFormat::Ignored
        | FileFormat::Unknown => return None,
    })
}
