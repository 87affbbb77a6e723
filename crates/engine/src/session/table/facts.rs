//! What all tables of the same runs share: their order, what differs, and which columns there could be. The Compare view asks
//! for four tables at once, and of ten thousand runs each of these facts takes tens of milliseconds.

use std::cell::OnceCell;
use std::rc::Rc;

use super::TableRun;
use crate::session::Session;
use crate::session::grouping::{DifferingSettings, differing_settings};
use rundown_compare::{Metric, RankedRun, RunSummary, ranking};
use rundown_present::chosen_metric;
use rundown_protocol::{RunTableColumn, TableRequest};
use rundown_stats::CompactSort as _;

/// The facts of so few runs are not kept: the table of the shown runs is asked for between those of all runs.
const MAX_RUNS_NOT_KEPT: usize = 100;

/// What all tables of the same runs share.
pub struct TableFacts {
    /// Numbers of the runs, in the order of the rows.
    pub rows: Vec<u32>,
    /// What the runs are ranked by.
    pub outcome: Option<Metric>,
    /// The settings in which the rows differ.
    pub differing: DifferingSettings,
    /// Each row with its place among all, from 1; in the order of the rows.
    pub ranked: Vec<(usize, RankedRun)>,
    /// The columns that there could be; made of the rows once they are at hand.
    pub available: OnceCell<Vec<RunTableColumn>>,
}

/// The facts of the last request. Whoever changes a run or its diagnosis makes a new cache.
#[derive(Default)]
pub struct TableFactsCache(Option<CachedFacts>);

struct CachedFacts {
    /// The runs that were asked for, and what was chosen for them.
    runs: Vec<u32>,
    chosen: Vec<(String, String)>,
    facts: Rc<TableFacts>,
}

impl TableFactsCache {
    /// The facts of these runs, made anew for others than the last.
    pub fn of(&mut self, session: &Session, request: &TableRequest) -> Rc<TableFacts> {
        let is_same = |cached: &&CachedFacts| cached.runs == request.runs && cached.chosen == request.chosen;
        if let Some(cached) = self.0.as_ref().filter(is_same) {
            return Rc::clone(&cached.facts);
        }
        let facts = Rc::new(TableFacts::of(session, request));
        if (1..=MAX_RUNS_NOT_KEPT).contains(&request.runs.len()) {
            return facts;
        }
        let (runs, chosen) = (request.runs.clone(), request.chosen.clone());
        self.0 = Some(CachedFacts { runs, chosen, facts: Rc::clone(&facts) });
        facts
    }
}

impl TableFacts {
    fn of(session: &Session, request: &TableRequest) -> Self {
        let wanted =
            if request.runs.is_empty() { session.runs.iter().collect() } else { session.numbered(&request.runs) };
        let runs: Vec<TableRun<'_>> = wanted.into_iter().filter_map(TableRun::of).collect();
        let summaries: Vec<&RunSummary> = runs.iter().map(|run| run.summary).collect();
        let outcome = chosen_metric(&summaries, &request.chosen);
        // The run list has found those of all runs.
        let known = session.differing.clone().filter(|_| request.runs.is_empty());
        let differing = known.unwrap_or_else(|| differing_settings(&summaries));
        let mut rows: Vec<u32> = runs.iter().map(|run| run.loaded.number).collect();
        let places = ranking(&summaries, outcome.as_ref()).into_iter().enumerate();
        let mut ranked: Vec<(usize, RankedRun)> = places.map(|(place, run)| (place + 1, run)).collect();
        if request.runs.is_empty() {
            rows = ranked.iter().filter_map(|(_, run)| rows.get(run.index).copied()).collect();
        } else {
            ranked.compact_sort_by_key(|(_, run)| run.index);
        }
        Self { rows, outcome, differing, ranked, available: OnceCell::new() }
    }
}
