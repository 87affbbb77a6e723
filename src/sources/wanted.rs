//! Which metrics of a run are fetched: all of an ordinary run, and of one with thousands those that the checks know.
//! The rest comes when the user asks for it.

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::vocabulary::is_known;

/// Metrics that are fetched whatever they are: more than any trainer logs, and less than a server has trouble with.
const PLENTY: usize = 300;

/// Decides metric by metric, in the order in which the server names them, and stays with it.
#[derive(Default)]
pub struct Wanted(RefCell<BTreeSet<String>>);

impl Wanted {
    /// True for a metric that is to be fetched.
    pub fn has(&self, key: &str) -> bool {
        let mut taken = self.0.borrow_mut();
        if taken.contains(key) {
            return true;
        }
        let is_wanted = taken.len() < PLENTY || is_known(key);
        if is_wanted {
            taken.insert(key.to_owned());
        }
        is_wanted
    }
}
