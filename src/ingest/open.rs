//! A file being read: what it is, and its reader.

use super::archives::ArchiveMember;
use super::archives::gzip::Gzip;
use super::archives::tar::Tar;
use super::archives::utf16::Utf16;
use super::archives::zip::Zip;
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
use super::reader::{FileOutcome, FileReader};
use super::{Place, Problem, Weight, path};
use crate::run::{FileFormat, SourceFile};

/// Archives within archives that are still opened: `.tar.gz` needs two.
const MAX_DEPTH: u8 = 4;

/// Starts to read a file of `size` bytes.
///
/// `path` is relative to what was dropped; the folders in it tell which files belong to one run.
pub fn open(path: &str, size: u64) -> OpenFile {
    OpenFile::new(path::normal(path), size, 0)
}

/// Starts to read a file that the user says is of `format`, whatever its bytes look like.
pub fn open_as(path: &str, size: u64, format: FileFormat) -> OpenFile {
    let mut open = open(path, size);
    if size > 0 {
        open.state = OpenState::Head(Vec::new(), 0);
        open.forced = Some(format);
    }
    open
}

/// A file being read.
pub struct OpenFile {
    path: String,
    depth: u8,
    /// As the caller gave it; the largest number where it is not known.
    size: u64,
    bytes: u64,
    crc: crc32fast::Hasher,
    state: OpenState,
    /// Format that the user forces on the file.
    forced: Option<FileFormat>,
}

enum OpenState {
    /// The format is not settled yet. The number is how many bytes the next decision needs.
    Head(Vec<u8>, usize),
    Reading(FileFormat, Box<dyn FileReader>),
    Gzip(Box<Gzip>),
    Tar(Box<Tar>),
    Zip(Box<Zip>),
    Utf16(Box<Utf16>),
    Refused(Weight, &'static str, &'static str),
    Ignored,
}

impl OpenFile {
    fn new(path: String, size: u64, depth: u8) -> Self {
        let is_of_mlflow = mlflow::piece(&path).is_some();
        let state = if is_of_mlflow && size > 0 {
            OpenState::Reading(FileFormat::MlflowFolder, Box::new(MlflowReader::new(&path)))
        } else if is_of_mlflow || mlflow::is_ignored(&path) || is_ignored(&path) {
            OpenState::Ignored
        } else if size == 0 {
            OpenState::Refused(Weight::Remark, "The file is empty.", "")
        } else {
            OpenState::Head(Vec::new(), 0)
        };
        Self { path, depth, size, bytes: 0, crc: crc32fast::Hasher::new(), state, forced: None }
    }

    /// False for a file of which no (more) bytes are needed: the caller may skip them and finish it at once.
    pub fn wants_bytes(&self) -> bool {
        match &self.state {
            OpenState::Head(..) | OpenState::Reading(..) => true,
            OpenState::Gzip(gzip) => gzip.wants_bytes(),
            OpenState::Tar(tar) => tar.wants_bytes(),
            OpenState::Zip(zip) => zip.wants_bytes(),
            OpenState::Utf16(text) => text.wants_bytes(),
            OpenState::Refused(..) | OpenState::Ignored => false,
        }
    }

    /// Takes the next bytes, a slice of any size.
    pub fn push(&mut self, bytes: &[u8]) {
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

    /// Takes the end of the file and gives what was in it.
    pub fn finish(mut self) -> FileOutcome {
        if let OpenState::Head(head, _) = &mut self.state {
            let head = std::mem::take(head);
            self.settle(&head, true);
        }
        match self.state {
            OpenState::Reading(format, mut reader) => {
                let format = reader.format().unwrap_or(format);
                let (mut parts, mut problems) = reader.finish();
                // A text in which no line is one of a log is none.
                let is_other_text = format == FileFormat::ConsoleLog && parts.is_empty();
                let format = if is_other_text { FileFormat::Unknown } else { format };
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
                FileOutcome { parts, problems, format }
            }
            OpenState::Gzip(gzip) => gzip.finish(),
            OpenState::Tar(tar) => tar.finish(),
            OpenState::Zip(zip) => zip.finish(),
            OpenState::Utf16(text) => text.finish(),
            OpenState::Refused(weight, what, remedy) => {
                let problem = Problem::new(&self.path, Place::File, weight, what, remedy);
                FileOutcome { problems: vec![problem], ..FileOutcome::default() }
            }
            OpenState::Ignored => FileOutcome { format: FileFormat::Ignored, ..FileOutcome::default() },
            OpenState::Head(..) => FileOutcome::default(),
        }
    }

    fn read(&mut self, bytes: &[u8]) {
        match &mut self.state {
            OpenState::Reading(_, reader) => {
                self.bytes += bytes.len() as u64;
                self.crc.update(bytes);
                reader.push(bytes);
            }
            OpenState::Gzip(gzip) => gzip.push(bytes),
            OpenState::Tar(tar) => tar.push(bytes),
            OpenState::Zip(zip) => zip.push(bytes),
            OpenState::Utf16(text) => text.push(bytes),
            OpenState::Head(..) | OpenState::Refused(..) | OpenState::Ignored => {}
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
                    if self.size < u64::MAX {
                        reader.expect(self.size);
                    }
                    OpenState::Reading(format, reader)
                }
                None => OpenState::Ignored,
            },
            Detected::Gzip | Detected::Tar | Detected::Zip | Detected::Utf16 if self.depth >= MAX_DEPTH => {
                OpenState::Refused(Weight::Lost, "Archives are nested too deeply.", "Unpack it and drop what is in it.")
            }
            Detected::Gzip => OpenState::Gzip(Box::new(Gzip::new(&self.path, self.depth, open_member))),
            Detected::Tar => OpenState::Tar(Box::new(Tar::new(&self.path, self.depth, open_member))),
            Detected::Zip => OpenState::Zip(Box::new(Zip::new(&self.path, self.depth, open_member))),
            Detected::Utf16 => OpenState::Utf16(Box::new(Utf16::new(&self.path, self.depth, open_member))),
            Detected::Unsupported(what, remedy) => OpenState::Refused(Weight::Remark, what, remedy),
            Detected::Lost(what, remedy) => OpenState::Refused(Weight::Lost, what, remedy),
            Detected::Unknown => OpenState::Refused(Weight::Remark, "Unsupported file type.", ""),
        };
        self.read(head);
    }
}

/// Opens a file inside an archive at `depth`.
pub(crate) fn open_member(path: String, depth: u8) -> Box<dyn ArchiveMember> {
    Box::new(OpenFile::new(path, u64::MAX, depth.saturating_add(1)))
}

impl ArchiveMember for OpenFile {
    fn wants_bytes(&self) -> bool {
        OpenFile::wants_bytes(self)
    }

    fn push(&mut self, bytes: &[u8]) {
        OpenFile::push(self, bytes);
    }

    fn finish(self: Box<Self>) -> FileOutcome {
        OpenFile::finish(*self)
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
        FileFormat::Sidecar => sidecar::reader(sidecar::kind(path)?, path),
        FileFormat::Notebook => Box::new(NotebookReader::default()),
        FileFormat::ConsoleLog => Box::new(ConsoleFileReader::new(path)),
        FileFormat::MlflowFolder => Box::new(MlflowReader::new(path)),
        // What a reader says of itself; detection never gives these.
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
