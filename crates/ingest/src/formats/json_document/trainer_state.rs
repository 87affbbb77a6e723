//! Hugging Face's `trainer_state.json`: what the Trainer saves with each checkpoint (transformers,
//! `TrainerState.save_to_json`).
//!
//! Training and evaluation entries of one step are separate; the last entry may be a summary of the whole training.

use crate::rows::closing_row::closed;
use crate::syntax::json::{Json, flatten_into};
use rundown_run::{Config, Ending, Run, RunState};

/// Members of a trainer state that are settings; the others describe how far it came.
const SETTING_MEMBERS: [&str; 6] =
    ["max_steps", "num_train_epochs", "logging_steps", "eval_steps", "save_steps", "train_batch_size"];
/// Members of a trainer state that sum it up.
const SUMMARY_MEMBERS: [&str; 6] =
    ["global_step", "epoch", "total_flos", "num_input_tokens_seen", "best_metric", "best_global_step"];

/// Adds what the state says beside its log to the run of that log.
pub(super) fn describe(run: &mut Run, members: Vec<(String, Json)>, totals: Option<Json>) {
    run.ending = ending(&members, totals.is_some());
    let mut summary = Config::default();
    for (key, value) in members {
        if value == Json::Null {
            continue;
        }
        if SETTING_MEMBERS.contains(&key.as_str()) {
            flatten_into(&mut run.config, &key, value);
        } else if SUMMARY_MEMBERS.contains(&key.as_str()) {
            summary.insert(key, value.into_config_value());
        }
    }
    flatten_into(&mut summary, "", totals.unwrap_or_default());
    run.summary = summary;
}

/// A trainer state does not say how the run ended, but it says how far it came.
fn ending(members: &[(String, Json)], has_totals: bool) -> Ending {
    let number = |key: &str| members.iter().rev().find(|(name, _)| name == key).and_then(|(_, value)| value.metric());
    let (done, planned) = (number("global_step").unwrap_or(0.0), number("max_steps").unwrap_or(0.0));
    let is_whole = planned > 0.0 && done >= planned;
    let state = if is_whole || has_totals { RunState::Finished } else { RunState::Unknown };
    let evidence = match (is_whole, has_totals, planned > 0.0) {
        (true, _, _) => format!("the trainer state was saved at step {done} of {planned}, the last one planned"),
        (false, true, _) if done == 0.0 => return closed(),
        (false, true, _) => format!("the trainer state sums up the training, at step {done}"),
        (false, false, true) => format!("the trainer state was saved at step {done} of {planned}"),
        (false, false, false) => format!("the trainer state was saved at step {done}"),
    };
    Ending { state, evidence: vec![evidence], ..Ending::default() }
}
