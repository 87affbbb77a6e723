//! Simulated systems: the twelve checks must not call their faults by the wrong name.

use super::labels::all_as_labelled;
use super::support::corpus;

#[test]
fn systems_are_not_accused_of_what_they_did_not_do() {
    if let Some(folder) = corpus("systems") {
        all_as_labelled(&folder);
    }
}
