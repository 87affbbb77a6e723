//! The row with which the Hugging Face Trainer closes a training (transformers, `Trainer._inner_training_loop`): it sums
//! up the training, and shows that it came to its end.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use rundown_run::{Column, ConfigValue, Ending, Run, RunState};

/// The member that no other row has.
pub(crate) const RUNTIME: &str = "train_runtime";
/// Members that sum up the training; metrics beside them are those of its last steps.
const TOTALS: [&str; 6] = [
    RUNTIME, "train_samples_per_second", "train_steps_per_second", "train_tokens_per_second", "train_loss",
    "total_flos",
];
/// What the Trainer's callbacks for W&B and TensorBoard put before each name.
const TRACKER_PREFIX: &str = "train/";

/// What the names of metrics begin with that may follow the end of a training: those of an evaluation, and counters.
const NOT_OF_TRAINING: [&str; 5] = ["eval", "test", "val", "epoch", "step"];

/// True for a member that sums up the training.
pub(crate) fn is_total(name: &str) -> bool {
    TOTALS.contains(&name)
}

/// The totals, as a tracker and the Trainer's own log name them.
pub(crate) fn tracked_totals() -> impl Iterator<Item = (String, &'static str)> {
    TOTALS.into_iter().map(|name| (format!("{TRACKER_PREFIX}{name}"), name))
}

/// The names under which trackers keep [`RUNTIME`]: as a metric, or in the summary alone.
pub(crate) fn tracked_runtimes() -> [String; 2] {
    [format!("{TRACKER_PREFIX}{RUNTIME}"), RUNTIME.to_owned()]
}

/// Moves what sums up the training out of the metrics of a run and into its final values, and notes that it came to its
/// end where no row follows. Of several closing rows, one for each part of a training, the times are added up.
pub(crate) fn sum_up(run: &mut Run) {
    let Some(column) = tracked_runtimes().iter().find_map(|key| run.columns.get(key)) else { return };
    let closings: Vec<u32> = column.rows().iter().collect();
    // In every second row or more it is a metric of a script.
    if 2 * closings.len() > run.row_steps.len() {
        return;
    }
    let seconds: f64 = column.values().iter().sum();
    let goes_on = |(key, column): (&String, &Column)| {
        column.rows().last() > closings.last().copied() && !NOT_OF_TRAINING.iter().any(|start| key.starts_with(start))
    };
    let is_last = !run.columns.iter().any(goes_on);
    for (tracked, name) in tracked_totals() {
        for key in [tracked.as_str(), name] {
            // A loss of this name that other rows have too is a curve.
            let is_total = |column: &&Column| column.rows().iter().eq(closings.iter().copied());
            let Some(total) = run.columns.get(key).filter(|column| is_total(column)).and_then(Column::last) else {
                continue;
            };
            run.columns.remove(key);
            let total = if name == RUNTIME { seconds } else { total };
            run.summary.insert(name, ConfigValue::Number(total));
        }
    }
    if is_last && run.ending.state == RunState::Unknown {
        run.ending = closed();
    }
}

/// Notes how long a run took, under the name that W&B has for it.
pub(crate) fn note_duration(run: &mut Run, seconds: f64) {
    run.summary.insert("_runtime", ConfigValue::Number(seconds));
}

/// How a run ended whose rows end with the Trainer's closing row.
pub(crate) fn closed() -> Ending {
    let evidence = vec!["the last row sums up the training (train_runtime)".to_owned()];
    Ending { state: RunState::Finished, evidence, ..Ending::default() }
}

/// Sums up the times of a run and of a piece that goes on where the run stopped; where one of them has none, so has the whole.
/// Gives `None` for a piece that is another record of the same steps.
pub(crate) fn joined_runtime(run: &Run, later: &Run) -> Option<Option<f64>> {
    let last = run.row_steps.iter().copied().reduce(f64::max)?;
    let first = later.row_steps.iter().copied().reduce(f64::min)?;
    let of = |run: &Run| run.summary.number(&[RUNTIME]).map(|(_, seconds)| seconds);
    (first > last).then(|| of(run).zip(of(later)).map(|(run, later)| run + later))
}

/// True where the text of a JSON object is that of a closing row.
pub(crate) fn is_closing_json(row: &[u8]) -> bool {
    // Made once: to prepare the search takes longer than to look through a row.
    static MEMBER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"train_runtime\""));
    MEMBER.find(row).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_row_is_known_in_every_source() {
        let row = format!("{{\"{RUNTIME}\": 9.5, \"train_loss\": 0.75}}");
        assert!(is_closing_json(row.as_bytes()) && !is_closing_json(b"{\"train_loss\": 0.75}"));
        assert!(is_total(RUNTIME) && is_total("train_loss") && !is_total("loss"));
        assert!(tracked_totals().any(|(tracked, name)| (tracked.as_str(), name) == ("train/train_loss", "train_loss")));
    }

    #[test]
    fn a_closing_row_is_no_metric_and_the_end_of_its_run() {
        let run = |closings: &[u32], rows: u32| {
            let mut run = Run::default();
            for number in 0..rows {
                let row = run.push_row(f64::from(number), f64::NAN);
                let is_closing = closings.contains(&number);
                run.push_value(if is_closing { "train/train_runtime" } else { "train/reward" }, row, 50.0);
                if is_closing {
                    run.push_value("train/train_loss", row, 0.5);
                }
            }
            sum_up(&mut run);
            run
        };
        let whole = run(&[4], 5);
        assert_eq!(whole.columns.keys().collect::<Vec<_>>(), ["train/reward"]);
        assert_eq!(whole.summary.number(&["train_loss"]), Some(("train_loss", 0.5)));
        assert_eq!((whole.ending.state, run(&[2], 5).ending.state), (RunState::Finished, RunState::Unknown));
        assert_eq!(run(&[2, 4], 5).summary.number(&[RUNTIME]), Some((RUNTIME, 100.0)));
        let mut later = run(&[2], 3);
        assert_eq!(joined_runtime(&whole, &later), None, "another record of the same steps");
        later.row_steps.iter_mut().for_each(|step| *step += 10.0);
        assert_eq!(joined_runtime(&whole, &later), Some(Some(100.0)));
        assert_eq!(joined_runtime(&whole, &Run { summary: Default::default(), ..later }), Some(None));
    }
}
