//! Events join the run that they name.
//!
//! They do not become rows of that run, whose rows are what its tracker logged: they stand beside the metrics of the
//! machine, whose x is the time ([`Run::system_series`] gives them steps).

use super::origin::is_only;
use rundown_run::{FileFormat, Run};
use rundown_stats::CompactSort;

/// Moves the events of each run that consists of nothing else into the run of that name or id, when there is one
/// alone, and it ran at that time.
#[inline(never)]
pub(crate) fn attach(runs: Vec<Run>) -> Vec<Run> {
    let (events, mut runs): (Vec<IndexedRun>, Vec<IndexedRun>) =
        runs.into_iter().enumerate().partition(|(_, run)| !run.name.is_empty() && is_events(run));
    for (place, events) in events {
        let mut named = runs.iter_mut().filter(|(_, run)| {
            !is_events(run) && (run.name == events.name || run.id == events.name) && runs_at_time_of(run, &events)
        });
        match (named.next(), named.next()) {
            (Some((_, run)), None) => join(run, events),
            _ => runs.push((place, events)),
        }
    }
    runs.compact_sort_by_key(|(place, _)| *place);
    runs.into_iter().map(|(_, run)| run).collect()
}

/// A run and its place in the list.
type IndexedRun = (usize, Run);

pub(super) fn is_events(run: &Run) -> bool {
    is_only(run, &[FileFormat::Axiom])
}

/// True when the two share some time. A run without times may be of any day.
fn runs_at_time_of(run: &Run, events: &Run) -> bool {
    let (Some((start, end)), Some((first, last))) = (range(&run.row_times), range(&events.row_times)) else {
        return false;
    };
    first <= end && start <= last
}

fn range(times: &[f64]) -> Option<(f64, f64)> {
    let finite = || times.iter().copied().filter(|time| time.is_finite());
    Some((finite().reduce(f64::min)?, finite().reduce(f64::max)?))
}

fn join(run: &mut Run, events: Run) {
    if run.has_files_of(&events) {
        return;
    }
    let offset = run.system_times.len() as u32;
    run.system_times.extend(events.row_times);
    for (key, column) in events.columns {
        if key != "step" {
            run.system.entry(key).or_default().append(&column, offset);
        }
    }
    run.events.append(events.events);
    run.summary.replace_with(events.summary);
    run.files.extend(events.files);
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::{ErrorText, EventLog, SourceFile};

    fn run(format: FileFormat, path: &str) -> Run {
        let mut run = Run { name: "amber".to_owned(), ..Run::default() };
        run.files.push(SourceFile { path: path.to_owned(), format, bytes: 1, crc32: path.len() as u32 });
        for step in 0..3_u32 {
            let row = run.push_row(f64::from(step), 100.0 + 10.0 * f64::from(step));
            run.push_value("axiom/error/event", row, 1.0);
        }
        run
    }

    #[test]
    fn events_bring_their_error_texts() {
        let mut events = run(FileFormat::Axiom, "events.ndjson");
        let error = ErrorText { text: "out of memory".to_owned(), count: 3, ..ErrorText::default() };
        events.events = EventLog { errors: vec![error], ..EventLog::default() };
        let joined = attach(vec![run(FileFormat::Wandb, "a.wandb"), events]);
        assert_eq!(joined.len(), 1);
        assert_eq!(joined[0].system["axiom/error/event"].len(), 3);
        assert_eq!(joined[0].events.errors[0].count, 3);
    }
}
