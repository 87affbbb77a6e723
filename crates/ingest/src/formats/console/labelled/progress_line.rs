//! Lines that show the state of a progress bar, whose numbers are no metrics: tqdm's, with and without a percentage, rich's, and
//! those of tools that evaluate.

use super::LabelledNumber;
use crate::formats::console::progress::clock_seconds;
use crate::rows::metric_words::is_of_training;
use crate::rows::names::is_one_of;

/// Rates of progress.
const RATES: [&str; 3] = ["it/s", "s/it", "examples/s"];

/// True for states of a progress bar, which count what they like. A rate beside metrics makes no bar.
pub(super) fn is_progress(line: &str) -> bool {
    line.contains("%|") || (has_rate(line) && (line.contains('━') || has_timed_rate(line)))
}

/// True for the state of an evaluation (`Steps:  84/128  65% | Samples:  84/128 | accuracy: 0.02`), whose steps are its samples.
pub(super) fn is_of_samples(found: &[LabelledNumber<'_>]) -> bool {
    let counter = |name: &str| {
        let named = found.iter().find(|number| is_one_of(number.name, &[name]));
        named.and_then(|number| Some((number.value, number.total?)))
    };
    counter("samples").is_some_and(|samples| counter("steps") == Some(samples))
        && !found.iter().any(|number| is_of_training(number.name))
}

/// True for a rate behind a clock in brackets: `12it [00:03, 3.4it/s]`.
fn has_timed_rate(line: &str) -> bool {
    let within =
        |part: &str| part.split(']').next().is_some_and(|inner| clock_seconds(inner).is_some() && has_rate(inner));
    line.split('[').skip(1).any(within)
}

/// True where a number, or the sign for none, stands before a rate: `2.3 it/s`, `?it/s`; `tokens/iter` is no rate.
fn has_rate(text: &str) -> bool {
    let is_rate = |at: usize, unit: &str| {
        let (before, rate) = text.split_at_checked(at).unwrap_or_default();
        let is_counted = before.trim_end_matches(' ').ends_with(|c: char| c.is_ascii_digit() || c == '?');
        is_counted && !rate.get(unit.len()..).unwrap_or_default().starts_with(char::is_alphabetic)
    };
    RATES.iter().any(|unit| text.match_indices(unit).any(|(at, _)| is_rate(at, unit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_told_from_metrics_with_a_rate() {
        for bar in [
            " 50%|##  | 1/2 [00:01<00:01, 1.9s/it]",
            "12it [00:03, 3.4it/s]",
            "Epoch 4: : 0it [04:20, ?it/s, loss=9.0]",
            "Generating train split: 7473 examples [00:00, 85234.3 examples/s]",
            "shards: 100% Completed | 2/2 [00:01<00:00,  1.90it/s]",
            "Epoch 0/9 ━━━━╸━━━ 10/500 0:00:03 • 0:01:00 2.3it/s loss: 0.51 reward: 0.3",
        ] {
            assert!(is_progress(bar), "{bar}");
        }
        for line in [
            "Step 10/500 | loss=0.51 | reward=0.30 | 2.3 it/s",
            "[12:03:55] step 10 | loss=0.51 | 2.3 it/s]",
            "[00:03] tokens/iter=4096",
            "[00:03 hit/success=0.4]",
            "━━ step 10 | tokens/iter=4096 ━━",
        ] {
            assert!(!is_progress(line), "{line}");
        }
    }
}
