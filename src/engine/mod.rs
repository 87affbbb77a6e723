//! The worker's side: owns the runs, answers what needs nothing else, and hands runs to who judges them.
//!
//! Pure and native: bytes and messages in, messages out. The browser part (file slices, `postMessage`) is `worker`;
//! what is said of the runs is [`crate::judge`]'s.

mod case;
mod lines;
pub mod messages;
mod metrics;

use std::collections::BTreeMap;

use crate::ingest::{Fragment, Intake, Problem, Weight};
use crate::run::{FileFormat, Run};
use messages::{Fault, Listing, ProblemRow, Reply, Request};

/// All runs of one page, and what is known of them.
#[derive(Default)]
pub struct Engine {
    runs: Vec<Held>,
    problems: Vec<Problem>,
    files: u32,
    bytes: u64,
    /// Files read: path and what it was taken for.
    taken: Vec<(String, String)>,
    last_number: u32,
    /// Fetched runs that were still going.
    going: u32,
    /// Metric keys of very large runs, and whether a check may read them.
    read_by_checks: BTreeMap<String, bool>,
}

/// A reply with the arrays that it names by index.
pub struct Answer {
    /// The reply, or what went wrong.
    pub reply: Result<Reply, Fault>,
    /// Numbers that travel beside the message.
    pub arrays: Vec<Vec<f64>>,
}

/// A run and the lines that were drawn of it.
struct Held {
    number: u32,
    run: Run,
    said: Said,
    drawn: lines::Drawn,
}

/// What the judge said of a run as it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    /// Nothing yet, or it was lost.
    Nothing,
    /// It is judged.
    Judged,
    /// The judge broke down on it: nobody asks again before the run has grown.
    Hopeless,
}

impl Engine {
    /// Joins what was read to the runs that are there. `files` and `bytes` are what the user dropped.
    ///
    /// A run that grew by the new files is to be judged again ([`Engine::next_unjudged`]).
    pub fn take_in(&mut self, mut intake: Intake, files: u32, bytes: u64) {
        self.files += files;
        self.bytes += bytes;
        let mut before = BTreeMap::new();
        let mut runs = Vec::new();
        for held in std::mem::take(&mut self.runs) {
            let renewed = intake.renews(&held.run);
            before.insert(held.run.id.clone(), (held.number, held.run.files.clone(), held.said));
            if renewed {
                intake.keep_besides(held.run);
            } else {
                runs.push(held.run);
            }
        }
        let ingested = intake.assemble(runs);
        self.problems.extend(ingested.problems);
        self.problems.sort();
        self.problems.dedup();
        for run in ingested.runs {
            let (number, said) = match before.remove(&run.id) {
                Some((number, files, said)) => (number, if files == run.files { said } else { Said::Nothing }),
                None => {
                    self.last_number += 1;
                    (self.last_number, Said::Nothing)
                }
            };
            self.runs.push(Held { number, run, said, drawn: lines::Drawn::default() });
        }
    }

    /// Answers what needs neither files nor a verdict. The other requests are the shell's: they answer a fault here.
    pub fn answer(&mut self, request: &Request) -> Answer {
        let (reply, arrays) = match request {
            Request::ListFiles => (Ok(Reply::Files(self.taken.clone())), Vec::new()),
            Request::ListMetrics { run } => {
                let list = self.held(*run).map(|held| Reply::Metrics(metrics::list(*run, &held.run)));
                (list.ok_or(Fault::NoSuchRun), Vec::new())
            }
            Request::Lines(wanted) => match self.runs.iter_mut().find(|held| held.number == wanted.run) {
                None => (Err(Fault::NoSuchRun), Vec::new()),
                Some(held) => {
                    let (lines, arrays) = held.drawn.lines(&held.run, wanted);
                    (Ok(Reply::Lines(lines)), arrays)
                }
            },
            Request::ListRuns
            | Request::Clear
            | Request::OpenRun { .. }
            | Request::Open(_)
            | Request::Find { .. }
            | Request::Set { .. }
            | Request::AddFiles { .. }
            | Request::AddFromSite { .. }
            | Request::Browse(_)
            | Request::Fetch { .. }
            | Request::FetchRest { .. }
            | Request::Poll
            | Request::Report { .. }
            | Request::Cancel { .. } => (Err(Fault::Failed("This request needs the browser.".to_owned())), Vec::new()),
        };
        Answer { reply, arrays }
    }

    /// What the run list needs to know besides what is said of the runs.
    pub fn listing(&self) -> Listing {
        Listing {
            runs: self.chosen(&[]),
            problems: self.problems.iter().map(problem_row).collect(),
            files: self.files,
            bytes: self.bytes,
            going: self.going,
            ..Listing::default()
        }
    }

    /// Forgets all runs. Their numbers are not used again.
    pub fn clear(&mut self) {
        *self = Engine { last_number: self.last_number, ..Engine::default() };
    }

    /// Adds a problem that came up outside of the readers.
    pub fn note_problem(&mut self, problem: Problem) {
        self.problems.push(problem);
        self.problems.sort();
        self.problems.dedup();
    }

    /// Notes what files were taken for, for the user to look at.
    pub fn note_files(&mut self, taken: impl IntoIterator<Item = (String, FileFormat)>) {
        let read = taken.into_iter().filter(|(_, format)| *format != FileFormat::Ignored);
        self.taken.extend(read.map(|(path, format)| (path, format.to_string())));
        self.taken.sort();
        self.taken.dedup_by(|later, first| later.0 == first.0);
    }

    /// True when all of these pieces are of runs that are there.
    pub fn knows(&self, pieces: &[Fragment]) -> bool {
        pieces.iter().all(|piece| self.runs.iter().any(|held| held.run.id == piece.run.id))
    }

    /// The id of a run by its number.
    pub fn id_of(&self, number: u32) -> Option<String> {
        self.runs.iter().find(|held| held.number == number).map(|held| held.run.id.clone())
    }

    /// Says how many fetched runs are still going.
    pub fn note_going(&mut self, going: u32) {
        self.going = going;
    }
}

fn problem_row(problem: &Problem) -> ProblemRow {
    let text =
        if problem.remedy.is_empty() { problem.what.clone() } else { format!("{} {}", problem.what, problem.remedy) };
    ProblemRow {
        file: problem.file.clone(),
        place: problem.place.to_string(),
        text,
        lost: problem.weight != Weight::Remark,
    }
}
