//! Logs whose rows are those of a table, counted in another way: one of the two counts from zero, or the table has no
//! step at all.

use super::same_metrics::have_same_values;
use rundown_run::{AxisReason, Run};

/// Rows that a log has at least, for another way of counting to be seen in it.
const MIN_ROWS: usize = 8;

/// Gives the log the steps of the run where its rows are then those of the run; false where they are not, or need no
/// other steps. A run without steps takes those of the log.
pub(super) fn align(run: &mut Run, log: &mut Run) -> bool {
    if log.axis.steps.len() < MIN_ROWS || have_same_values(run, log) == Some(true) {
        return false;
    }
    let own = log.axis.steps.clone();
    let is_counted = run.axis.why == AxisReason::RowCount && log.axis.why == AxisReason::TrainerCounter;
    if is_counted && own.len() == run.axis.steps.len() {
        log.axis.steps.clone_from(&run.axis.steps);
        if have_same_values(run, log) == Some(true) {
            take_steps(run, log, own);
            return true;
        }
    } else {
        for by in [1.0, -1.0] {
            log.axis.steps = own.iter().map(|step| step + by).collect();
            if have_same_values(run, log) == Some(true) {
                return true;
            }
        }
    }
    log.axis.steps = own;
    false
}

/// Gives a run whose rows are only counted the steps of a log with the same rows.
fn take_steps(run: &mut Run, log: &mut Run, steps: Vec<f64>) {
    if let Some(counter) = log.columns.get(&log.axis.key) {
        run.columns.insert(log.axis.key.clone(), counter.clone());
        run.choose_axis();
    }
    log.axis.steps = steps;
}
