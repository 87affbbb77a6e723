//! What a run has beside its history, on demand: contents of its tables, and the list of its files and artifacts.
//!
//! As a [`Download`](super::Download) this is a state and no task: whatever stops it, what has come stays, and it goes
//! on from there. Lists come before contents, so that a bucket that refuses hides nothing.

use std::collections::{BTreeMap, VecDeque};

use futures_util::future::join_all;

use super::ApiError;
use super::client::WandbClient;
use super::cursors::Cursors;
use super::files::{Listed, RunFile};
use super::reference::RunRef;
use rundown_http::Transport;
use rundown_ingest::open;
use rundown_ingest::{PartKind, PartialRun};
use rundown_run::{Artifact, FileFormat, LoggedTable, Run, RunWarning, SourceFile, TableFile, add_new};

/// Paths of tables, as SQL's LIKE.
const TABLES: &str = "media/table/%.table.json";
/// How they end: their contents are shown, so that the list of files goes without them.
const TABLE_END: &str = ".table.json";
/// Pages of a hundred files or artifacts that are listed.
const LISTED_PAGES: u32 = 10;
/// Pages of a hundred tables: a run may log several at every step.
const TABLE_PAGES: u32 = 50;
/// Bytes of cells that are kept of all tables, as of tables that are dropped.
const MAX_CELLS: usize = 16 << 20;
/// [`Artifact::kind`] of a file.
const FILE: &str = "file";

/// Tables, files and artifacts of one run.
pub struct Extras {
    place: RunRef,
    queue: VecDeque<ExtrasRequest>,
    cursors: BTreeMap<List, Cursors>,
    tables: BTreeMap<String, LoggedTable>,
    files: Vec<Artifact>,
    artifacts: Vec<Artifact>,
    warnings: Vec<RunWarning>,
    /// Tables that the server does not give, or that are not tables.
    missing: u32,
    /// Bytes of cells so far.
    cells: usize,
    bytes: u64,
    crc: crc32fast::Hasher,
}

/// One request.
enum ExtrasRequest {
    /// A page of a list: where it begins, and how many came before it.
    Page(List, Option<String>, u32),
    /// The content of a table.
    LoggedTable(RunFile),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum List {
    Tables,
    Files,
    Artifacts,
}

impl List {
    /// Name of the query that lists it.
    fn operation(self) -> &'static str {
        match self {
            List::Tables | List::Files => "RunFiles",
            List::Artifacts => "RunOutputArtifacts",
        }
    }
}

enum ExtrasReply {
    Files(Listed<RunFile>),
    Artifacts(Listed<Artifact>),
    LoggedTable(Vec<u8>),
}

impl Extras {
    /// Nothing yet, and everything to be asked for.
    pub fn new(place: RunRef) -> Self {
        let mut extras = Self {
            place,
            queue: VecDeque::new(),
            cursors: BTreeMap::new(),
            tables: BTreeMap::new(),
            files: Vec::new(),
            artifacts: Vec::new(),
            warnings: Vec::new(),
            missing: 0,
            cells: 0,
            bytes: 0,
            crc: crc32fast::Hasher::new(),
        };
        extras.begin();
        extras
    }

    /// The run's full name.
    pub fn place(&self) -> &RunRef {
        &self.place
    }

    /// True when nothing is left to request.
    pub fn is_done(&self) -> bool {
        self.queue.is_empty()
    }

    /// Bytes of cells that it holds.
    pub fn size(&self) -> usize {
        self.cells
    }

    /// Fetches all that is left; where nothing is, looks for what is new. `tell` gets the path of each table.
    ///
    /// # Errors
    /// The first failure. What came is kept, and so is what failed: call it again to go on. A table that the server
    /// does not give is passed over with a warning.
    pub async fn complete<T: Transport>(
        &mut self,
        client: &WandbClient<T>,
        tell: impl Fn(&str),
    ) -> Result<(), ApiError> {
        if self.is_done() {
            self.begin();
        }
        while !self.queue.is_empty() {
            let concurrency = client.session().concurrency().min(self.queue.len());
            let wave: Vec<ExtrasRequest> = self.queue.drain(..concurrency).collect();
            let place = &self.place;
            let replies = join_all(wave.iter().map(|request| {
                if let ExtrasRequest::LoggedTable(file) = request {
                    tell(&file.name);
                }
                fetch(client, place, request)
            }))
            .await;
            let mut failure = None;
            for (request, reply) in wave.into_iter().zip(replies) {
                match reply {
                    Ok(reply) => {
                        let added = self.add_reply(request, reply);
                        failure = failure.or(added.err());
                    }
                    Err(error) if is_final(&request, &error) => self.record_missing(&request),
                    Err(error) => {
                        failure = failure.or(Some(error));
                        match request {
                            // The next time others come first.
                            ExtrasRequest::LoggedTable(_) => self.queue.push_back(request),
                            ExtrasRequest::Page(..) => self.queue.push_front(request),
                        }
                    }
                }
            }
            if let Some(error) = failure {
                return Err(error);
            }
        }
        Ok(())
    }

    /// What came, as a piece that the assembler adds to the run.
    pub fn part(&self) -> PartialRun {
        let table = |(path, content): (&String, &LoggedTable)| TableFile {
            key: String::new(),
            row: 0,
            path: path.clone(),
            rows: None,
            content: Some(content.clone()),
        };
        let path = format!("{}/files", self.place.path());
        let format = FileFormat::WandbApi;
        let crc32 = self.crc.clone().finalize();
        let missing = (self.missing > 0).then_some(RunWarning::TablesMissing { tables: self.missing });
        let run = Run {
            id: self.place.id.clone(),
            entity: Some(self.place.entity.clone()),
            project: Some(self.place.project.clone()),
            tables: self.tables.iter().map(table).collect(),
            artifacts: self.artifacts.iter().chain(&self.files).cloned().collect(),
            unlisted: !self.is_done(),
            files: vec![SourceFile { path, format, bytes: self.bytes, crc32 }],
            warnings: self.warnings.iter().cloned().chain(missing).collect(),
            ..Run::default()
        };
        PartialRun { run, kind: PartKind::ServerExtras, folder: self.place.path() }
    }

    fn begin(&mut self) {
        self.queue.extend([List::Tables, List::Files, List::Artifacts].map(|list| ExtrasRequest::Page(list, None, 0)));
    }

    fn add_reply(&mut self, request: ExtrasRequest, reply: ExtrasReply) -> Result<(), ApiError> {
        match (request, reply) {
            (ExtrasRequest::Page(List::Tables, _, number), ExtrasReply::Files(page)) => {
                self.count(page.bytes, page.crc32);
                let new = page.items.into_iter().filter(|file| !self.tables.contains_key(&file.name));
                self.queue.extend(new.map(ExtrasRequest::LoggedTable));
                return self.next(List::Tables, page.next, number, TABLE_PAGES);
            }
            (ExtrasRequest::Page(List::Files, _, number), ExtrasReply::Files(page)) => {
                self.count(page.bytes, page.crc32);
                if number == 0 {
                    self.files.clear();
                }
                let others = page.items.into_iter().filter(|file| !file.name.ends_with(TABLE_END));
                self.files.extend(others.map(|file| Artifact {
                    name: file.name,
                    kind: FILE.to_owned(),
                    bytes: file.bytes.map(|bytes| bytes as f64),
                    ..Artifact::default()
                }));
                return self.next(List::Files, page.next, number, LISTED_PAGES);
            }
            (ExtrasRequest::Page(List::Artifacts, _, number), ExtrasReply::Artifacts(page)) => {
                self.count(page.bytes, page.crc32);
                if number == 0 {
                    self.artifacts.clear();
                }
                self.artifacts.extend(page.items);
                return self.next(List::Artifacts, page.next, number, LISTED_PAGES);
            }
            (ExtrasRequest::LoggedTable(file), ExtrasReply::LoggedTable(bytes)) => {
                self.count(bytes.len() as u64, crc32fast::hash(&bytes));
                self.add_table(file.name, &bytes);
            }
            _ => {}
        }
        Ok(())
    }

    fn add_table(&mut self, path: String, bytes: &[u8]) {
        let mut file = open(&path, bytes.len() as u64);
        file.push(bytes);
        let read = file.finish().parts.into_iter().flat_map(|piece| piece.run.tables);
        let Some(table) = read.filter_map(|table| table.content).next() else {
            self.missing += 1;
            return;
        };
        self.cells += table.size();
        self.tables.insert(path, table);
        if self.cells > MAX_CELLS {
            let before = self.queue.len();
            self.queue.retain(|request| !matches!(request, ExtrasRequest::LoggedTable(_)));
            if self.queue.len() < before {
                self.warn(RunWarning::TablesLimited);
            }
        }
    }

    /// Asks for the next page, where there is one and not too many came.
    fn next(&mut self, list: List, cursor: Option<String>, number: u32, most: u32) -> Result<(), ApiError> {
        if number == 0 {
            self.cursors.remove(&list);
        }
        let Some(cursor) = self.cursors.entry(list).or_default().follow(cursor, list.operation())? else {
            return Ok(());
        };
        if number + 1 < most {
            self.queue.push_front(ExtrasRequest::Page(list, Some(cursor), number + 1));
        } else {
            self.warn(RunWarning::FilesLimited);
        }
        Ok(())
    }

    fn record_missing(&mut self, request: &ExtrasRequest) {
        match request {
            ExtrasRequest::LoggedTable(_) => self.missing += 1,
            ExtrasRequest::Page(..) => self.warn(RunWarning::FilesNotListed),
        }
    }

    fn count(&mut self, bytes: u64, crc32: u32) {
        self.bytes += bytes;
        self.crc.update(&crc32.to_le_bytes());
    }

    fn warn(&mut self, warning: RunWarning) {
        add_new(&mut self.warnings, [warning]);
    }
}

/// True for a failure that stays: a list that the server does not know, a file that is gone or closed.
fn is_final(request: &ExtrasRequest, error: &ApiError) -> bool {
    match request {
        ExtrasRequest::Page(..) => matches!(error, ApiError::Unsupported { .. }),
        ExtrasRequest::LoggedTable(_) => !error.can_go_on() && !matches!(error, ApiError::Blocked { .. }),
    }
}

async fn fetch<T: Transport>(
    client: &WandbClient<T>,
    place: &RunRef,
    request: &ExtrasRequest,
) -> Result<ExtrasReply, ApiError> {
    match request {
        ExtrasRequest::Page(List::Artifacts, cursor, _) => {
            client.artifacts_page(place, cursor.as_deref()).await.map(ExtrasReply::Artifacts)
        }
        ExtrasRequest::Page(list, cursor, _) => {
            let pattern = (*list == List::Tables).then_some(TABLES);
            client.files_page(place, pattern, cursor.as_deref()).await.map(ExtrasReply::Files)
        }
        ExtrasRequest::LoggedTable(file) => client.read_file(place, file).await.map(ExtrasReply::LoggedTable),
    }
}
