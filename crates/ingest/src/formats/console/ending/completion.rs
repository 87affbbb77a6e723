//! The line with which a program says that its training is complete, in whatever words, and perhaps how long it took.

use crate::syntax::duration::leading_duration;

/// Words of a program that came to the end of its training; lower case.
const COMPLETIONS: [&str; 8] = [
    "training completed", "training complete", "training finished", "training done", "training is complete",
    "training is finished", "training has finished", "finished training",
];
/// What Lightning writes before the limit that ended a training: `max_epochs` or `max_steps`.
const FIT_STOPPED: &str = "`Trainer.fit` stopped: `max_";
/// Words before these that say it of a part of a training, or do not say it; lower case.
const PARTS_AND_DOUBTS: [&str; 18] = [
    "epoch", "step", "stage", "phase", "round", "cycle", "iteration", "episode", "rollout", "batch", "sft", "warmup",
    "if", "when", "until", "after", "once", "not",
];
/// Units in words, and the letters that durations have for them.
const UNITS: [(&str, &str); 3] = [(" seconds", "s"), (" minutes", "m"), (" hours", "h")];
/// Longest line that says so, in bytes.
const MAX_SAYING: usize = 400;

/// True for a line that says that a training, not a part of it, is complete: `Training complete. Model saved to: …`, or
/// Lightning's line that `Trainer.fit` stopped as its `max_epochs` were reached.
pub(in crate::formats::console) fn is_training_complete(text: &str) -> bool {
    behind_completion(text).is_some() || (text.trim_end().ends_with("` reached.") && text.contains(FIT_STOPPED))
}

/// The seconds that the training took by such a line: `Training completed in 16435.00s (273.92 minutes)`.
pub(super) fn training_seconds(text: &str) -> Option<f64> {
    let behind = behind_completion(text)?;
    let time = behind.trim_start_matches(['!', '.', ':', ' ']).strip_prefix("in ")?;
    let time = UNITS.iter().fold(time.to_owned(), |time, (unit, letter)| time.replace(unit, letter));
    leading_duration(&time).map(|(seconds, _)| seconds)
}

/// What stands behind such words in a line, in lower case; `None` where it does not say so.
fn behind_completion(text: &str) -> Option<String> {
    // A part of the words that each has, in the letter cases that are usual: most lines need no more than this look.
    if text.len() > MAX_SAYING || !["raining", "RAINING"].iter().any(|part| text.contains(part)) {
        return None;
    }
    let text = text.to_ascii_lowercase();
    let (before, after) = COMPLETIONS.iter().find_map(|words| text.split_once(words))?;
    let mut words = before.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let is_apart = !before.ends_with(|c: char| c.is_ascii_alphanumeric());
    let is_end = !after.starts_with(|c: char| c.is_ascii_alphanumeric() || "'\"?_".contains(c));
    // `Training completed or interrupted`: a program that does not know.
    let is_open = after.starts_with(" or ");
    let is_said = is_apart && is_end && !is_open && !words.any(|word| PARTS_AND_DOUBTS.contains(&word));
    is_said.then(|| after.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_training_is_told_from_a_part_of_it() {
        for line in [
            "Training complete. Model saved to: out/model",
            "[10:00:01] INFO - GRPO Training finished!",
            "=== TRAINING COMPLETED in 3.5 min ===",
            "Finished training",
            "`Trainer.fit` stopped: `max_epochs=10` reached.",
        ] {
            assert!(is_training_complete(line), "{line}");
        }
        for line in [
            "Epoch 1 training complete",
            "saves the model when training completes",
            "after training is complete, run this",
            "finished training_step 3",
            "training incomplete",
            "`Trainer.fit` stopped: No training batches.",
            "[ASYNC MAIN] Training completed or interrupted",
        ] {
            assert!(!is_training_complete(line), "{line}");
        }
    }

    #[test]
    fn the_line_may_say_how_long_the_training_took() {
        for (line, seconds) in [
            ("Training completed in 16435.00s (273.92 minutes)", Some(16_435.0)),
            ("Training complete! In 2.5 hours", Some(9_000.0)),
            ("Finished training in 1h 2m 3s", Some(3_723.0)),
            ("Training complete in 3 epochs", None),
            ("Training completed. Saved in 3s", None),
        ] {
            assert_eq!(training_seconds(line), seconds, "{line}");
        }
    }
}
