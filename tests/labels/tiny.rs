//! Real TRL runs of a tiny model, each with a cause that was chosen.

use super::labels::all_as_labelled;
use super::support::labelled;

#[test]
fn tiny_runs_are_diagnosed_as_labelled() {
    all_as_labelled(&labelled("tiny-grpo"));
}
