//! The row with which the Hugging Face Trainer closes a training (transformers, `Trainer._inner_training_loop`): it sums
//! up the training, and shows that it came to its end.

use std::sync::LazyLock;

use memchr::memmem::Finder;

/// The member that no other row has.
pub(crate) const RUNTIME: &str = "train_runtime";
/// Members that sum up the training; metrics beside them are those of its last steps.
const TOTALS: [&str; 6] = [
    RUNTIME,
    "train_samples_per_second",
    "train_steps_per_second",
    "train_tokens_per_second",
    "train_loss",
    "total_flos",
];
/// What the Trainer's callbacks for W&B and TensorBoard put before each name.
const TRACKER_PREFIX: &str = "train/";

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
}
