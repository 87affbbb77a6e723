//! What the columns of a run show of the run itself, once all its rows are there.

use super::labels::note_constants;
use super::names::settle_step;
use super::plan::note_plan;
use super::sampled::{WANDB_ROWS, looks_sampled};
use rundown_run::{Run, Thinning};

/// Settles its steps, and notes its plan, its settings and what was left out of it; `has_counter` where it has W&B's `_step`.
pub(super) fn settle(run: &mut Run, has_counter: bool) {
    settle_step(run, has_counter);
    note_plan(run);
    note_constants(run);
    if has_counter && looks_sampled(&run.row_steps, WANDB_ROWS) {
        run.note_sampling(None, Thinning::Rows);
    }
}
