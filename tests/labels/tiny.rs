//! Real TRL runs of a tiny model, each with a cause that was chosen.

use super::labels::all_as_labelled;
use super::support::corpus;

#[test]
fn tiny_runs_are_judged_as_labelled() {
    if let Some(folder) = corpus("tiny-grpo") {
        all_as_labelled(&folder);
    }
}
