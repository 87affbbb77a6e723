//! Which metrics of a run are fetched from its server: all of an ordinary run, and of one with thousands those that the
//! checks know. The rest is fetched when the user asks for it.

use std::cell::RefCell;
use std::collections::BTreeSet;

use rundown_vocabulary::is_bindable;

/// Metrics that are fetched whatever they are: more than any trainer logs, and less than a server has trouble with.
const MAX_UNKNOWN: usize = 300;

/// Decides metric by metric, in the order in which the server names them, and gives the same answer when asked again.
#[derive(Default)]
pub struct MetricSelection(RefCell<BTreeSet<String>>);

impl MetricSelection {
    /// True for a metric that is to be fetched.
    pub fn includes(&self, key: &str) -> bool {
        let mut selected = self.0.borrow_mut();
        if selected.contains(key) {
            return true;
        }
        let is_included = selected.len() < MAX_UNKNOWN || is_bindable(key);
        if is_included {
            selected.insert(key.to_owned());
        }
        is_included
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_the_first_hundreds_only_known_metrics_are_fetched() {
        let selection = MetricSelection::default();
        assert!((0..MAX_UNKNOWN).all(|index| selection.includes(&format!("layer/{index}"))));
        assert!(!selection.includes("layer/one_more") && selection.includes("train/reward"));
        assert!(selection.includes("layer/7"), "decided once");
    }
}
