//! A run of which only the last values are known: a row of a table of runs, or a run whose history was not fetched.
//!
//! Its summary is read as a history of one row, so that the same names mean the same things.

use rundown_run::{ConfigValue, Run};
use rundown_vocabulary::{Bindings, bind};

/// Keys under which the last step stands, in the order in which they count.
const STEPS: [&str; 4] = ["train/global_step", "global_step", "training/global_step", "_step"];

/// The headline of such a run.
pub(super) const HEADLINE: &str = "Only its last values are known, no history: nothing to diagnose";

/// The last values as a history of one row, and what they stand for; `None` of a run that has a history.
pub(super) fn as_history(run: &Run) -> Option<(Run, Bindings)> {
    if !run.columns.is_empty() {
        return None;
    }
    let mut row_of = Run::default();
    let row = row_of.push_row(last_step(run).unwrap_or(0.0), f64::NAN);
    for (key, value) in run.summary.iter() {
        if let ConfigValue::Number(value) = value
            && value.is_finite()
        {
            row_of.push_value(key, row, *value);
        }
    }
    row_of.config = run.config.clone();
    row_of.choose_axis();
    let bindings = bind(&row_of);
    Some((row_of, bindings))
}

/// The last step that the summary names.
pub(super) fn last_step(run: &Run) -> Option<f64> {
    STEPS.iter().find_map(|key| run.summary.get(key)?.as_number().filter(|step| step.is_finite()))
}

#[cfg(test)]
mod tests {
    use super::super::{RunSummary, outcome, primary_metric};
    use super::*;
    use rundown_diagnose::{Rulebook, diagnose};

    #[test]
    fn a_row_of_a_table_has_an_outcome() {
        let mut run = Run::default();
        for (key, value) in [("eval/accuracy", 0.5), ("train/reward", 0.4), ("_step", 200.0)] {
            run.summary.insert(key, ConfigValue::Number(value));
        }
        let summary = RunSummary::of(0, (&run, &diagnose(&run, &Rulebook::default())));
        let metric = primary_metric(&[&summary]).unwrap();
        assert_eq!((metric.key.as_str(), summary.steps), ("eval/accuracy", Some((200.0, 200.0))));
        let found = outcome(&summary, &metric).unwrap();
        assert_eq!((found.level, found.interval), (0.5, None));
        assert_eq!(found.best, None, "nothing says whether it was the best");
        assert_eq!(summary.headline, HEADLINE);
        let nothing = Run::default();
        assert_ne!(RunSummary::of(0, (&nothing, &diagnose(&nothing, &Rulebook::default()))).headline, HEADLINE);
    }
}
