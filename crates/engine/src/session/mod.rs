//! The session: every run of one page with its diagnosis, the user's settings, and answers from that memory.
//!
//! A run is decoded once, held once and diagnosed once; again only when its data or the settings change. Views, reports,
//! exports and comparisons read it by reference. [`Statistics`] counts the work, and a test holds the session to it.
//!
//! Pure and native: bytes and requests in, answers out. Whoever drives a session names each run *before* it is diagnosed
//! ([`Session::next_pending`], then [`Session::diagnose`]), so that a panic costs that run and not the page.

mod answers;
mod charts;
mod drawing;
mod early;
mod file_formats;
mod grouping;
mod ids;
mod loaded;
mod metrics;
mod news;
pub mod planted;
mod query;
mod reading;
mod reports;
mod selection;
mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::rc::Rc;

use rundown_compare::RunSummary;
use rundown_format::{redact, redact_around_id, visible};
use rundown_ingest::{self as ingest, Budget, FileOutcome, OpenFile, Place, Problem, RunAssembler, Weight};
use rundown_ingest::{AssembledRun, PartialRun};
use rundown_present::compare::AdviceCache;
use rundown_protocol::{FileStatus, FormatChoice, NewsRow, ProblemRow, RunIdentity, RunList};
use rundown_query::CompletionIndex;
use rundown_run::{ConfigKeys, FileFormat};
use rundown_settings::{Settings, SettingsError};
use rundown_stats::CompactSort as _;

pub use answers::Answer;
use file_formats::chosen_format;
use grouping::{DifferingSettings, differing_settings};
use ids::UniqueIds;
pub use loaded::LoadedRun;
use loaded::SessionRun;
pub use reading::Reading;
use selection::is_chosen;
use table::TableFactsCache;

/// All runs of one page.
#[derive(Default)]
pub struct Session {
    runs: Vec<SessionRun>,
    /// Place in `runs` before which none waits for its diagnosis.
    first_pending: usize,
    settings: Settings,
    /// Runs that are not diagnosed, because an earlier engine crashed on it.
    excluded: Vec<RunIdentity>,
    problems: Vec<Problem>,
    /// Runs fetched from servers, and their bytes.
    fetched: (u32, u64),
    /// Files read, by path. One that was read again, as it grew, counts once.
    files: BTreeMap<String, ReadFile>,
    last_number: u32,
    /// Place of the run that was added last; see [`SessionRun`].
    last_place: u32,
    /// How often [`Session::clear`] was called.
    clears: u32,
    /// Runs that were removed before their drop was read to its end, and the number of the drop.
    removed_early: Vec<(u32, RunIdentity)>,
    /// Fetched runs that were still running when they were last looked at.
    running: u32,
    /// New findings of runs that grew, until a list has shown them.
    news: Vec<NewsRow>,
    /// Keys of the settings of all runs, which share them.
    config_keys: ConfigKeys,
    /// Keys and values for the completion of queries; made when a query is first typed.
    completions: Option<CompletionIndex>,
    /// The settings in which the runs differ; made when a list is first asked for.
    differing: Option<DifferingSettings>,
    /// Unique ids of the runs; made when they are first asked for.
    ids: Option<Rc<UniqueIds>>,
    /// Recommendations from the runs that were looked at last.
    advice: AdviceCache,
    /// What the tables of the runs that were asked for last share.
    table_facts: TableFactsCache,
    statistics: Statistics,
}

/// A file that was read.
struct ReadFile {
    format: FileFormat,
    bytes: u64,
    status: FileStatus,
}

/// Work done by a session, in counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Files whose decoding began.
    pub files_decoded: u32,
    /// Diagnoses of whole runs.
    pub diagnoses: u32,
    /// Diagnoses of the last steps of a run, made for one view and not kept.
    pub partial_diagnoses: u32,
}

/// A run that waits for its diagnosis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingRun {
    /// Its number in the session.
    pub number: u32,
    /// What it is recognised by in another engine.
    pub identity: RunIdentity,
    /// Name to show.
    pub name: String,
}

impl Session {
    /// Starts to decode a file of `size` bytes of a drop with this budget, in the format that the user chose or else in the
    /// one that is recognised.
    #[inline(never)]
    pub fn open_file(&mut self, budget: &Budget, path: &str, size: u64, chosen: Option<FormatChoice>) -> OpenFile {
        self.statistics.files_decoded += 1;
        match chosen {
            Some(choice) => ingest::open_as(budget, path, size, chosen_format(choice)),
            None => ingest::open_within(budget, path, size),
        }
    }

    /// Notes that a file of so many bytes was decoded.
    #[inline(never)]
    pub fn note_file(&mut self, path: &str, bytes: u64, outcome: &FileOutcome) {
        let status = if outcome.parts.is_empty() { FileStatus::NoRunData } else { FileStatus::Used };
        self.files.insert(path.to_owned(), ReadFile { format: outcome.format, bytes, status });
    }

    /// Joins what was fetched from a server with the runs that are there: so many runs, and their bytes.
    ///
    /// New runs, and those whose data changed, wait for a diagnosis afterwards.
    pub fn add(&mut self, assembler: RunAssembler, runs: u32, bytes: u64) {
        self.fetched.0 += runs;
        self.fetched.1 += bytes;
        self.join(assembler, None);
    }

    /// Joins what was decoded with the runs that are there, in place of the `early` runs of this drop.
    #[inline(never)]
    fn join(&mut self, mut assembler: RunAssembler, reading: Option<u32>) {
        let mut before: BTreeMap<String, Vec<SessionRun>> = BTreeMap::new();
        let mut early: BTreeMap<RunIdentity, SessionRun> = BTreeMap::new();
        let mut of_others = Vec::new();
        let mut runs = Vec::new();
        for mut loaded in std::mem::take(&mut self.runs) {
            match loaded.early {
                Some(drop) if Some(drop) == reading => _ = early.insert(loaded.identity(), loaded),
                Some(_) => of_others.push(loaded),
                None => {
                    let run = loaded.take_run();
                    before.entry(run.run().id.clone()).or_default().push(loaded);
                    match run {
                        AssembledRun::Reported(reported) => assembler.add_reported(reported),
                        // A newer state from a server replaces the run, except for what was fetched beside it.
                        AssembledRun::Measured(run) if assembler.renews(&run) => assembler.keep_extras(run),
                        AssembledRun::Measured(run) => runs.push(run),
                    }
                }
            }
        }
        let mut ingested = assembler.assemble(runs);
        let problems = std::mem::take(&mut ingested.problems);
        for path in &ingested.without_run {
            self.files.get_mut(path).into_iter().for_each(|file| file.status = FileStatus::RunMissing);
        }
        for mut run in ingested.into_all() {
            self.config_keys.share(&mut run.run_mut().config);
            let known = before.get_mut(&run.run().id).filter(|runs| !runs.is_empty()).map(|runs| runs.remove(0));
            if known.is_none() && self.was_removed(reading, &run) {
                continue;
            }
            let loaded = match known {
                Some(known) => known.with_run(run),
                None => self.new_run(&mut early, run),
            };
            self.runs.push(loaded);
        }
        self.runs.append(&mut of_others);
        self.first_pending = 0;
        self.forget_overviews();
        for problem in problems {
            self.note_problem(problem);
        }
        self.mark_excluded();
    }

    /// Adds a problem that came up outside of the readers.
    pub fn note_problem(&mut self, problem: Problem) {
        if let Err(place) = self.problems.binary_search(&problem) {
            self.problems.insert(place, problem);
        }
    }

    /// Leaves these runs undiagnosed from now on, and lists them and these files with a problem that says why.
    pub fn exclude(&mut self, files: &[String], runs: Vec<RunIdentity>) {
        for file in files {
            let what = "The engine stopped while it read this file, so that nothing of it is shown.";
            let remedy = "Please report it: no file should do that.";
            self.note_problem(Problem::new(file, Place::File, Weight::Lost, what, remedy));
        }
        self.excluded.extend(runs);
        self.mark_excluded();
    }

    /// Diagnoses with these settings from now on; all runs wait for a new diagnosis.
    ///
    /// # Errors
    /// Says what can't be used. Then everything stays as it was.
    pub fn apply_settings(&mut self, text: &str) -> Result<(), SettingsError> {
        self.settings = Settings::parse(text)?;
        self.runs.iter_mut().for_each(SessionRun::discard_diagnosis);
        self.first_pending = 0;
        self.news.clear();
        self.forget_overviews();
        Ok(())
    }

    /// Forgets some runs, until their files are added again.
    pub fn remove(&mut self, numbers: &[u32]) {
        if numbers.is_empty() {
            return;
        }
        let is_removed = is_chosen(numbers);
        let removed = self.runs.iter().filter(|loaded| is_removed(loaded.number));
        self.removed_early.extend(removed.filter_map(|loaded| Some((loaded.early?, loaded.identity()))));
        self.runs.retain(|loaded| !is_removed(loaded.number));
        self.first_pending = 0;
        self.news.retain(|row| !is_removed(row.run));
        self.forget_overviews();
    }

    /// Forgets all runs, files and exclusions; settings stay. Numbers of runs are not used again.
    pub fn clear(&mut self) {
        *self = Self {
            last_number: self.last_number,
            clears: self.clears.wrapping_add(1),
            settings: std::mem::take(&mut self.settings),
            statistics: self.statistics,
            ..Self::default()
        };
    }

    /// The next run that waits for its diagnosis.
    pub fn next_pending(&self) -> Option<PendingRun> {
        self.runs.iter().skip(self.first_pending).find_map(SessionRun::pending)
    }

    /// Diagnoses a run that waits for it, or reads the diagnosis of one that is known from a report alone.
    pub fn diagnose(&mut self, number: u32) {
        while self.runs.get(self.first_pending).is_some_and(|loaded| !loaded.is_pending()) {
            self.first_pending += 1;
        }
        let waiting = self.runs.get(self.first_pending..).unwrap_or_default();
        let is_wanted = |loaded: &SessionRun| loaded.number == number;
        // The first that waits, or while files are read the last.
        let place = if waiting.first().is_some_and(is_wanted) { Some(0) } else { waiting.iter().rposition(is_wanted) };
        let Some(loaded) = place.and_then(|place| self.runs.get_mut(self.first_pending + place)) else { return };
        let Some(diagnosed) = loaded.diagnose(&self.settings) else { return };
        self.statistics.diagnoses += u32::from(diagnosed.is_measured);
        self.news.extend(diagnosed.news);
        self.forget_overviews();
    }

    /// True when every piece is of a run that is there.
    pub fn has_runs_of(&self, pieces: &[PartialRun]) -> bool {
        pieces.iter().all(|piece| self.runs.iter().any(|loaded| loaded.run.run().id == piece.run.id))
    }

    /// Id of a run by its number.
    pub fn id_of(&self, number: u32) -> Option<String> {
        self.loaded(number).map(|loaded| loaded.run.run().id.clone())
    }

    /// Sets how many fetched runs are still running.
    pub fn set_running(&mut self, runs: u32) {
        self.running = runs;
    }

    /// The run list, with what is new since the last one.
    #[inline(never)]
    pub fn run_list(&mut self) -> RunList {
        let mut news = std::mem::take(&mut self.news);
        news.compact_sort_by_key(|row| std::cmp::Reverse(row.severity));
        let differing = self.differing.take().unwrap_or_else(|| differing_settings(&self.summaries()));
        let settings = differing.groupable.clone();
        self.differing = Some(differing);
        let mut list = rundown_present::run_list(&self.summaries());
        let ids = self.unique_ids();
        list.runs.iter_mut().for_each(|row| {
            row.name = visible(&redact_around_id(&row.name, &row.id)).into_owned();
            ids.of_run(row.run).clone_into(&mut row.id);
        });
        let files = self.files.len() as u32 + self.fetched.0;
        let unused = self.files.values().filter(|file| file.status != FileStatus::Used).count() as u32;
        let bytes = self.files.values().map(|file| file.bytes).sum::<u64>() + self.fetched.1;
        RunList {
            problems: self.problems.iter().map(problem_row).collect(),
            files,
            read: rundown_present::files_read(files - unused, unused, bytes),
            is_partial: self.runs.iter().any(|loaded| loaded.early.is_some()),
            running: self.running,
            news,
            settings,
            ..list
        }
    }

    /// The ids of all runs.
    fn unique_ids(&mut self) -> Rc<UniqueIds> {
        let Self { ids, runs, .. } = self;
        let of_runs = || Rc::new(UniqueIds::of(runs.iter().map(SessionRun::placed_identity)));
        Rc::clone(ids.get_or_insert_with(of_runs))
    }

    /// Counts of the work done so far.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// What was made of all runs is made anew.
    fn forget_overviews(&mut self) {
        self.completions = None;
        self.differing = None;
        self.ids = None;
        self.advice = AdviceCache::default();
        self.table_facts = TableFactsCache::default();
    }

    fn loaded(&self, number: u32) -> Option<&SessionRun> {
        self.runs.iter().find(|loaded| loaded.number == number)
    }

    /// Diagnosed runs as comparisons see them, by the places of the runs.
    fn summaries(&self) -> Vec<&RunSummary> {
        // The sort keys are copied beside the summaries: comparisons that read the runs would miss the processor's caches.
        let placed = |loaded: &SessionRun| (loaded.place, loaded.number);
        let mut diagnosed: Vec<_> =
            self.runs.iter().filter_map(|loaded| Some((placed(loaded), loaded.run.summary()?))).collect();
        if !diagnosed.is_sorted_by_key(|(placed, _)| *placed) {
            diagnosed.compact_sort_by_key(|(placed, _)| *placed);
        }
        diagnosed.into_iter().map(|(_, summary)| summary).collect()
    }

    fn mark_excluded(&mut self) {
        if self.excluded.is_empty() {
            return;
        }
        let mut problems = Vec::new();
        for loaded in &mut self.runs {
            let identity = loaded.identity();
            if self.excluded.contains(&identity) {
                problems.extend(loaded.exclude());
            }
        }
        problems.into_iter().for_each(|problem| self.note_problem(problem));
    }
}

fn problem_row(problem: &Problem) -> ProblemRow {
    let text =
        if problem.remedy.is_empty() { problem.what.clone() } else { format!("{} {}", problem.what, problem.remedy) };
    // Names of files and the words of a server are from outside.
    let clean = |text: &str| visible(&redact(text)).into_owned();
    ProblemRow {
        file: clean(&problem.file),
        place: problem.place.to_string(),
        text: clean(&text),
        lost: problem.weight != Weight::Remark,
    }
}
