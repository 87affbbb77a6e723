//! The worker's side: owns the runs, answers typed requests.
//!
//! Pure and native: bytes and messages in, messages out. The browser part (file slices, `postMessage`) is `worker`.

mod dossier;
mod lines;
mod list;
pub mod messages;
mod metrics;
mod news;
mod view;

use std::collections::BTreeMap;

use crate::compare::Judged;
use crate::diagnose::{Diagnosis, Rulebook, diagnose};
use crate::ingest::{Format, Fragment, Intake, Problem};
use crate::order::Arrange;
use crate::run::Run;
use messages::{Fault, NewsRow, Reply, Request, RunList, RunView};
use news::Known;

/// All runs of one page, and what is known of them.
#[derive(Default)]
pub struct Engine {
    runs: Vec<Held>,
    problems: Vec<Problem>,
    rulebook: Rulebook,
    files: u32,
    bytes: u64,
    /// Files read: path and what it was taken for.
    taken: Vec<(String, String)>,
    last_number: u32,
    /// Fetched runs that were still going.
    going: u32,
}

/// A reply with the arrays that it names by index.
pub struct Answer {
    /// The reply, or what went wrong.
    pub reply: Result<Reply, Fault>,
    /// Numbers that travel beside the message.
    pub arrays: Vec<Vec<f64>>,
}

/// A run with its diagnosis and the lines that were drawn of it.
struct Held {
    number: u32,
    run: Run,
    diagnosis: Option<Diagnosis>,
    /// What was known before the run grew, until somebody is told what is new.
    known: Option<Known>,
    drawn: lines::Drawn,
}

impl Engine {
    /// Joins what was read to the runs that are there. `files` and `bytes` are what the user dropped.
    ///
    /// A run that grew by the new files is diagnosed again; the others keep their diagnosis. Call
    /// [`Engine::diagnose_next`] until it returns `None`.
    pub fn take_in(&mut self, mut intake: Intake, files: u32, bytes: u64) {
        self.files += files;
        self.bytes += bytes;
        let mut before = BTreeMap::new();
        let mut runs = Vec::new();
        for held in std::mem::take(&mut self.runs) {
            let renewed = intake.renews(&held.run);
            let known = held.known.or_else(|| held.diagnosis.as_ref().filter(|_| renewed).map(Known::of));
            before.insert(held.run.id.clone(), (held.number, held.run.files.clone(), held.diagnosis, known));
            if renewed {
                intake.keep_besides(held.run);
            } else {
                runs.push(held.run);
            }
        }
        let ingested = intake.assemble(runs);
        self.problems.extend(ingested.problems);
        self.problems.arrange();
        self.problems.dedup();
        for run in ingested.runs {
            let (number, diagnosis, known) = match before.remove(&run.id) {
                Some((number, files, diagnosis, known)) => (number, diagnosis.filter(|_| files == run.files), known),
                None => {
                    self.last_number += 1;
                    (self.last_number, None, None)
                }
            };
            self.runs.push(Held { number, run, diagnosis, known, drawn: lines::Drawn::default() });
        }
    }

    /// Diagnoses one run that was not yet, and returns its name; `None` when all are done.
    pub fn diagnose_next(&mut self) -> Option<String> {
        let held = self.runs.iter_mut().find(|held| held.diagnosis.is_none())?;
        held.diagnosis = Some(diagnose(&held.run, &self.rulebook));
        Some(held.run.name.clone())
    }

    /// Answers every request that needs no file. Requests about files are the shell's: they answer a fault here.
    pub fn answer(&mut self, request: &Request) -> Answer {
        while self.diagnose_next().is_some() {}
        let (reply, arrays) = match request {
            Request::ListRuns => (Ok(Reply::Runs(self.run_list())), Vec::new()),
            Request::Clear => {
                let rulebook = std::mem::take(&mut self.rulebook);
                *self = Engine { rulebook, last_number: self.last_number, ..Engine::default() };
                (Ok(Reply::Runs(self.run_list())), Vec::new())
            }
            Request::OpenRun { run, last_steps } => {
                (self.run_view(*run, *last_steps).map(|view| Reply::Run(Box::new(view))), Vec::new())
            }
            Request::ListFiles => (Ok(Reply::Files(self.taken.clone())), Vec::new()),
            Request::ListMetrics { run } => {
                let list = self.diagnosed(*run).map(|(found, _)| metrics::list(*run, found));
                (list.map(Reply::Metrics), Vec::new())
            }
            Request::Lines(wanted) => match self.runs.iter_mut().find(|held| held.number == wanted.run) {
                None => (Err(Fault::NoSuchRun), Vec::new()),
                Some(held) => {
                    let (lines, arrays) = held.drawn.lines(&held.run, wanted);
                    (Ok(Reply::Lines(lines)), arrays)
                }
            },
            Request::AddFiles { .. }
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

    /// The run list as it stands.
    pub fn run_list(&self) -> RunList {
        let list = list::run_list(&self.judged(), &self.problems, self.files, self.bytes);
        RunList { going: self.going, ..list }
    }

    /// Notes what files were taken for, for the user to look at.
    pub fn note_files(&mut self, taken: impl IntoIterator<Item = (String, Format)>) {
        let read = taken.into_iter().filter(|(_, format)| *format != Format::PassedOver);
        self.taken.extend(read.map(|(path, format)| (path, format.as_str().to_owned())));
        self.taken.arrange();
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

    /// What is new in runs that grew, told once; worst first.
    pub fn news(&mut self) -> Vec<NewsRow> {
        while self.diagnose_next().is_some() {}
        let mut news = Vec::new();
        for held in &mut self.runs {
            if let (Some(known), Some(diagnosis)) = (held.known.take(), &held.diagnosis) {
                news.extend(known.news(held.number, &held.run, diagnosis));
            }
        }
        news.arrange_by_key(|row| std::cmp::Reverse(row.severity));
        news
    }

    /// What the Run view shows, of the whole run or of its last steps.
    fn run_view(&self, number: u32, last_steps: u32) -> Result<RunView, Fault> {
        let (run, diagnosis) = self.diagnosed(number)?;
        if last_steps == 0 {
            return Ok(view::run_view(number, run, diagnosis));
        }
        let tail = run.tail(f64::from(last_steps));
        Ok(view::run_view(number, &tail, &diagnose(&tail, &self.rulebook)))
    }

    /// Every diagnosed run with its number.
    fn judged(&self) -> Vec<(u32, Judged<'_>)> {
        self.runs.iter().filter_map(|held| Some((held.number, (&held.run, held.diagnosis.as_ref()?)))).collect()
    }

    fn diagnosed(&self, number: u32) -> Result<(&Run, &Diagnosis), Fault> {
        let held = self.runs.iter().find(|held| held.number == number);
        held.and_then(|held| Some((&held.run, held.diagnosis.as_ref()?))).ok_or(Fault::NoSuchRun)
    }
}
