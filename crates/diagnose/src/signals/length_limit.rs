//! The length at which responses are cut off: that of the config unless longer ones were logged, else the one at which
//! the log shows them to end.

use super::Signals;
use crate::measure::series::MetricSeries;
use crate::settings::Hyperparameter;
use rundown_vocabulary::Concept;

/// Share of a logged length that a limit must be at least: frameworks count the end token in one and not in the other.
pub(crate) const TOLERANCE: f64 = 0.95;
/// Share of the points that may lie beyond a limit.
const MAX_BEYOND: f64 = 0.05;
/// Share of the points that repeat a largest value which is then the limit, and the fewest of them.
const REPEATED: f64 = 0.3;
const REPEATED_POINTS: f64 = 3.0;
/// Shortest limit in tokens: frameworks write 0 or 1 for none.
pub(super) const MIN_LIMIT: f64 = 2.0;
/// Shortest limit that a mean alone may tell: shorter responses are all of one form.
const MIN_LIMIT_OF_MEAN: f64 = 16.0;

/// The limit, where it is known: of the config, of longest responses that come again and again, or of a mean that does.
pub(crate) fn length_limit(signals: &Signals<'_>, length: &MetricSeries<'_>) -> Option<f64> {
    let set = signals.setting(Hyperparameter::MaxResponse).map(|setting| setting.value);
    let set = set.filter(|limit| *limit >= MIN_LIMIT && !is_passed(*limit, longest_responses(signals, length)));
    let longest = || signals.signal(Concept::ResponseLengthMax).and_then(repeated_maximum);
    set.or_else(longest).or_else(|| repeated_maximum(length).filter(|limit| *limit >= MIN_LIMIT_OF_MEAN))
}

/// The limit where responses are known to be cut off: what no response passed is the best guess of an unknown one.
pub(crate) fn limit_of_cut_off(signals: &Signals<'_>, length: &MetricSeries<'_>) -> f64 {
    length_limit(signals, length).unwrap_or_else(|| longest_responses(signals, length).max())
}

/// The longest responses of the steps; the means where they are not logged.
fn longest_responses<'s, 'a>(signals: &'s Signals<'a>, length: &'s MetricSeries<'a>) -> &'s MetricSeries<'a> {
    signals.signal(Concept::ResponseLengthMax).unwrap_or(length)
}

/// True for a limit that responses pass, which is not the one that cuts them off. Single points may: they were logged in another
/// way.
fn is_passed(limit: f64, longest: &MetricSeries<'_>) -> bool {
    let beyond = longest.values.iter().filter(|length| TOLERANCE * **length > limit).count();
    beyond as f64 > MAX_BEYOND * longest.len() as f64
}

/// The largest value, when many points repeat it.
fn repeated_maximum(signal: &MetricSeries<'_>) -> Option<f64> {
    let most = signal.max();
    let times = signal.values.iter().filter(|value| **value == most).count() as f64;
    let is_repeated = times >= REPEATED_POINTS && times >= REPEATED * signal.len() as f64;
    (most >= MIN_LIMIT && is_repeated).then_some(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, within};

    const MEAN: &str = "train/completions/mean_length";
    const LONGEST: &str = "train/completions/max_length";

    fn limits(run: Synthetic) -> (Option<f64>, f64) {
        within(&run.build(), |context| {
            let length = context.signal(Concept::ResponseLength).unwrap();
            (length_limit(context, length), limit_of_cut_off(context, length))
        })
    }

    fn run(longest: impl Fn(f64) -> f64) -> Synthetic {
        let run = Synthetic::healthy(200).config("max_completion_length", 0.0);
        run.every(MEAN, 1, |t| 100.0 + 7.0 * t).every(LONGEST, 1, longest)
    }

    #[test]
    fn the_limit_of_the_config_counts_unless_a_longer_response_was_logged() {
        let free = |t: f64| 300.0 + 100.0 * t;
        assert_eq!(limits(run(free).config("max_completion_length", 512.0)), (Some(512.0), 512.0));
        let (known, guess) = limits(run(free).config("max_completion_length", 256.0));
        assert!(known.is_none() && guess > 395.0, "{known:?} {guess}");
        let with_end_token = run(|_| 257.0).config("max_completion_length", 256.0);
        assert_eq!(limits(with_end_token).0, Some(256.0));
        assert_eq!(limits(run(free)).0, None);
        let single = |t: f64| if (0.5..0.52).contains(&t) { 400.0 } else { 256.0 };
        assert_eq!(limits(run(single).config("max_completion_length", 256.0)).0, Some(256.0), "four points");
    }

    #[test]
    fn a_longest_response_that_comes_again_and_again_is_the_limit() {
        let often = |share: u32| run(move |t| if (t * 200.0).round() as u32 % 10 < share { 400.0 } else { 300.0 + t });
        assert_eq!(limits(often(4)), (Some(400.0), 400.0));
        assert_eq!(limits(often(2)), (None, 400.0));
        let mean = |tokens: f64| limits(run(|_| 0.0).without(LONGEST).every(MEAN, 1, move |_| tokens)).0;
        assert_eq!((mean(64.0), mean(5.0)), (Some(64.0), None));
    }
}
