//! The runs of a report: diagnosed ones, and ones known from their JSON reports alone.
//!
//! Comparisons see all of them as summaries. Of a run that was diagnosed here the report says everything; of one that was
//! read back it says what its report keeps.

use rundown_compare::{DiagnosedRun, Metric, RunSummary};
use rundown_present::compare::Selection;
use rundown_stats::CompactSort as _;
use rundown_vocabulary::Direction;

/// Runs of one report, with what they are compared by.
#[derive(Default)]
pub struct RunSet<'a> {
    summaries: Vec<RunSummary>,
    /// The numbers that the runs had before [`RunSet::new`] replaced them, in the same order.
    original_numbers: Vec<u32>,
    /// The run and its diagnosis, in the order of the summaries; `None` of a run that came from a report.
    diagnosed: Vec<Option<DiagnosedRun<'a>>>,
    metric: Option<Metric>,
    baseline: Option<u32>,
}

/// What happened when a run was looked for by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// It is one run.
    One,
    /// No run has this name or id.
    None,
    /// So many runs have this name.
    Several(usize),
}

impl<'a> RunSet<'a> {
    /// Diagnosed runs, and those of reports, by name and id: a report does not depend on the order in which they came. Their
    /// numbers become their places.
    pub fn new(diagnosed: &[DiagnosedRun<'a>], reported: Vec<RunSummary>) -> Self {
        let mut all: Vec<(RunSummary, Option<DiagnosedRun<'a>>)> =
            diagnosed.iter().map(|run| (RunSummary::of(0, *run), Some(*run))).collect();
        all.extend(reported.into_iter().map(|summary| (summary, None)));
        Self::ordered(all)
    }

    fn ordered(mut all: Vec<(RunSummary, Option<DiagnosedRun<'a>>)>) -> Self {
        all.compact_sort_by(|(a, _), (b, _)| {
            let times = || a.started_at.unwrap_or(f64::NAN).total_cmp(&b.started_at.unwrap_or(f64::NAN));
            (&a.name, &a.id).cmp(&(&b.name, &b.id)).then_with(times)
        });
        let mut set = Self::default();
        (set.summaries, set.diagnosed) = all.into_iter().unzip();
        set.original_numbers = set.summaries.iter().map(|summary| summary.number).collect();
        set.number();
        set
    }

    /// Diagnosed runs with what comparisons need of each, in the order of [`RunSet::new`].
    pub fn compared(runs: impl Iterator<Item = (RunSummary, DiagnosedRun<'a>)>) -> Self {
        Self::ordered(runs.map(|(summary, diagnosed)| (summary, Some(diagnosed))).collect())
    }

    /// Keeps the runs that are wanted. What was chosen before is forgotten.
    pub fn retain(&mut self, wanted: impl Fn(&RunSummary) -> bool) {
        let keep: Vec<bool> = self.summaries.iter().map(wanted).collect();
        let (mut of_entries, mut of_diagnosed, mut of_numbers) = (keep.iter(), keep.iter(), keep.iter());
        self.summaries.retain(|_| of_entries.next() == Some(&true));
        self.diagnosed.retain(|_| of_diagnosed.next() == Some(&true));
        self.original_numbers.retain(|_| of_numbers.next() == Some(&true));
        (self.metric, self.baseline) = (None, None);
        self.number();
    }

    /// Compares by this metric, in the direction that is given or known. False when no run has it.
    pub fn compare_by(&mut self, key: &str, direction: Option<Direction>) -> bool {
        let metric = Metric::chosen(&self.refs(), key, direction);
        let is_known = metric.runs > 0;
        self.metric = is_known.then_some(metric);
        is_known
    }

    /// Compares with the run of this name or id.
    pub fn compare_with(&mut self, name: &str) -> Named {
        let has_id = self.summaries.iter().filter(|summary| summary.id == name);
        let has_name = self.summaries.iter().filter(|summary| summary.name == name);
        let mut found: Vec<u32> = has_id.map(|summary| summary.number).collect();
        if found.is_empty() {
            found = has_name.map(|summary| summary.number).collect();
        }
        match found.as_slice() {
            [] => Named::None,
            [one] => {
                self.baseline = Some(*one);
                Named::One
            }
            several => Named::Several(several.len()),
        }
    }

    /// The runs as comparisons see them.
    pub fn summaries(&self) -> &[RunSummary] {
        &self.summaries
    }

    /// The number that the run at a place had before: links in a report hold places.
    pub fn original_number(&self, place: u32) -> u32 {
        self.original_numbers.get(place as usize).copied().unwrap_or(place)
    }

    pub(super) fn refs(&self) -> Vec<&RunSummary> {
        self.summaries.iter().collect()
    }

    pub(super) fn diagnosed(&self, place: usize) -> Option<DiagnosedRun<'a>> {
        self.diagnosed.get(place).copied().flatten()
    }

    /// The one run that was diagnosed here, where the report is about nothing else.
    pub(super) fn single(&self) -> Option<DiagnosedRun<'a>> {
        match self.diagnosed.as_slice() {
            [one] => *one,
            _ => None,
        }
    }

    /// What the runs are compared by: chosen, or by themselves.
    pub(super) fn selection(&self, summaries: &[&RunSummary]) -> Selection {
        let mut selection = Selection::of(summaries);
        if let Some(metric) = &self.metric {
            selection.metric = Some(metric.clone());
        }
        selection.baseline = self.baseline;
        selection
    }

    fn number(&mut self) {
        for (place, summary) in self.summaries.iter_mut().enumerate() {
            summary.number = u32::try_from(place).unwrap_or(u32::MAX);
        }
    }
}
