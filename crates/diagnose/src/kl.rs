//! How far the policy has gone from the reference: the KL per token, less what it showed before any update.

use crate::measure::increase_onset::increase_onset;
use crate::measure::level;
use crate::measure::series::MetricSeries;
use crate::measure::start_to_end::{FIRST_STEPS, begins_with_run, begins_within};
use crate::signals::Signals;
use crate::{Evidence, Finding, Need};
use rundown_format::rich;
use rundown_format::rich_text::number;
use rundown_stats as stats;
use rundown_vocabulary::Concept;

/// Two levels are the same where the smaller one is at least this share of the larger.
const SAME: f64 = 0.8;
/// Largest KL of a coarse log that is taken for one of the start: a policy may run away before its first point. Ours: quantised and
/// resumed policies differ by 0.3 to 0.6.
pub(crate) const LARGEST_UNSEEN: f64 = 1.0;

/// Tokens of a short response, where no length is logged: limits of a sum over the sequence and of a mean over tokens differ by
/// this factor. A KL per token so many times over is more than kernels differ by in an answer of any usual length.
pub(crate) const SHORT_RESPONSE: f64 = 100.0;

/// Points after the first that show whether it belongs to their level.
pub(crate) const NEXT_POINTS: usize = 3;

/// How many times a threshold a level must be, so that one that oscillates around it does not count.
pub(crate) const MARGIN: f64 = 1.1;
/// Places at which the highest level is sought: each takes the median of a tenth of the points before it.
const LOOKS: usize = 64;

/// The KL to the reference per token.
pub(crate) struct KlMovement<'a> {
    /// The KL as it was logged, per token.
    pub kl: MetricSeries<'a>,
    /// Its value at the first step: at the start both policies are equal, so this is a reference that differs.
    pub offset: f64,
    /// Each value without the offset.
    pub values: Vec<f64>,
    /// Its level at the end, for every check of the KL: the median of the last tenth, as long as a level must last to count,
    /// and of five points at least; without the offset.
    pub last: f64,
    /// The highest that [`Self::last`] ever was while the run grew.
    pub highest: f64,
    /// Tokens of the longest possible response, by which a sum over the sequence was divided: the KL per token is at least that high.
    pub limit: Option<f64>,
}

impl<'a> KlMovement<'a> {
    /// `None` without a KL, or for a sum over sequences without their length and its limit.
    pub fn new(signals: &Signals<'a>) -> Option<Self> {
        let least = || signals.least_kl_per_token().map(|(kl, limit)| (kl, Some(limit)));
        let (kl, limit) = signals.kl_per_token().map(|kl| (kl, None)).or_else(least)?;
        if kl.is_empty() {
            return None;
        }
        let offset = offset(&kl);
        let values: Vec<f64> = kl.values.iter().map(|value| value - offset).collect();
        let share = signals.rulebook.kl_sustained().value;
        let level = |end: usize| {
            let tail = ((share * end as f64) as usize).max(5).min(end);
            stats::median(values.get(end - tail..end)?)
        };
        let last = level(kl.len())?;
        let least = signals.rulebook.points_needed().value as usize;
        let stride = (kl.len() / LOOKS).max(1);
        let highest = (least..kl.len()).step_by(stride).filter_map(level).fold(last, f64::max);
        Some(Self { kl, offset, values, last, highest, limit })
    }

    /// True when the KL is clearly above a line, or was, and is not stable again.
    pub fn is_beyond(&self, signals: &Signals<'_>, line: f64) -> bool {
        self.highest > MARGIN * line && self.last > signals.rulebook.kl_stable().value
    }

    /// True when it is higher than at the start of the run: that was logged, or the logged points surely rise.
    pub fn has_risen(&self, signals: &Signals<'_>) -> bool {
        starts_early(&self.kl) || self.increases_from(0, signals)
    }

    /// True when the last of the points from this one on are surely higher than the first of them.
    pub fn increases_from(&self, index: usize, signals: &Signals<'_>) -> bool {
        let part = self.values.get(index..).unwrap_or(&[]);
        let change = level::change(part, part.len() / 5, part.len() / 5, 0.0);
        change.is_some_and(|change| change.z() >= signals.rulebook.learning_z().value)
    }

    /// Step at which it begins to climb to where it ends.
    pub fn onset(&self) -> f64 {
        self.kl.step(increase_onset(&self.values))
    }

    /// True where the first logged point is above a limit, the next ones no less than half of it (a spike comes down at once),
    /// and the end is not higher. Where the log has the first steps, no training made that KL.
    pub fn is_high_when_logged(&self, limit: f64) -> bool {
        let first = self.kl.values.first().copied().unwrap_or(0.0);
        let stays = level_after_first(&self.kl).is_some_and(|next| next > limit / 2.0);
        first > limit && stays && self.offset + self.last <= first
    }

    /// True where its log begins with the run, whatever the KL is. Whether the first point shows the KL of the start is
    /// [`starts_early`].
    pub fn is_logged_from_start(&self) -> bool {
        begins_with_run(&self.kl)
    }

    /// Its level at the end, beside the figures of the rulebook.
    pub fn evidence(&self, signals: &Signals<'_>) -> Vec<Evidence> {
        let book = signals.rulebook;
        let unit = "nats/token";
        let mut evidence = vec![
            Evidence::new("median KL of the last tenth", self.offset + self.last, unit).above(book.kl_warning()),
            Evidence::new("median KL of the last tenth less that at the first step", self.last, unit)
                .above(book.kl_watch()),
            Evidence::new("KL at the first step (taken off)", self.offset, unit),
        ];
        evidence.extend(self.limit_evidence());
        evidence
    }

    /// The limit by which the KL was divided, beside figures of it.
    pub fn limit_evidence(&self) -> Option<Evidence> {
        self.limit.map(|limit| {
            Evidence::new("length limit of a response, by which the summed KL is divided", limit, "tokens")
        })
    }

    /// Says of a finding of the KL that it is the least that the KL may be.
    pub fn note_limit(&self, finding: &mut Finding) {
        if let Some(limit) = self.limit {
            finding.detail.append(rich!(
                " The KL is logged as a sum over each response, and the response length is not logged: the values here are that \
                 sum divided by the length limit of {} tokens. The KL per token is at least as high.",
                number(limit)
            ));
        }
    }
}

/// KL at the start, where it was logged; never negative. A first value above the next ones is a spike, and no offset.
fn offset(kl: &MetricSeries<'_>) -> f64 {
    let first = kl.values.first().copied().filter(|_| starts_early(kl)).unwrap_or(0.0);
    first.min(level_after_first(kl).unwrap_or(first)).max(0.0)
}

/// Median of the points next to the first; `None` where there are too few.
pub(crate) fn level_after_first(kl: &MetricSeries<'_>) -> Option<f64> {
    kl.values.get(1..=NEXT_POINTS).and_then(stats::median)
}

/// True where the first point shows the KL of the start: it is one of the first steps, or the log is coarse and begins with the run,
/// and the KL stays where it is.
pub(crate) fn starts_early(kl: &MetricSeries<'_>) -> bool {
    begins_within(kl, FIRST_STEPS, 0.0) || begins_with_run(kl) && stays(kl)
}

/// True for a KL that is the same at its first point, the next ones and the end.
fn stays(kl: &MetricSeries<'_>) -> bool {
    let first = kl.values.first().copied().unwrap_or(f64::NAN);
    let is_same = |level: f64| level.min(first) >= SAME * level.max(first);
    first <= LARGEST_UNSEEN && level_after_first(kl).is_some_and(is_same) && is_same(kl.end_level())
}

/// What is missing for a KL per token.
pub(crate) fn need(signals: &Signals<'_>) -> Need {
    let missing = match signals.signal(Concept::KlToReference) {
        Some(_) if !signals.sums_over_tokens() => Concept::ResponseLength,
        _ => Concept::KlToReference,
    };
    let mut need = signals.need(&[missing]);
    if signals.sums_over_tokens() {
        need.hint = rich!("The entropy is a sum over tokens, and so may be the KL. {}", need.hint);
    }
    if signals.kl_coefficient() == Some(0.0) {
        need.hint = rich!("The KL coefficient is 0, so the KL is not computed. {}", need.hint);
    }
    need
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rulebook;
    use crate::checks::testing::{Synthetic, saturating};
    use rundown_run::{Run, RunWarning};
    use rundown_vocabulary::bind;

    #[test]
    fn a_coarse_log_shows_the_start_where_the_kl_stays() {
        let offset = |first: usize, level: fn(f64) -> f64| {
            let run = Synthetic::new(300).every("train/kl", 10, level).logged_from(first).build();
            let (bindings, rulebook) = (bind(&run), Rulebook::default());
            KlMovement::new(&Signals::new(&run, &bindings, &rulebook)).unwrap().offset
        };
        assert_eq!(offset(11, |_| 0.45), 0.45, "a quantised policy, logged each ten steps");
        assert_eq!(offset(11, saturating), 0.0, "it moves");
        assert_eq!(offset(11, |_| 5.0), 0.0, "it may have run away within ten steps");
        assert_eq!(offset(101, |_| 0.45), 0.0, "the start was not logged");
    }

    #[test]
    fn a_kl_beside_an_entropy_that_no_token_has_is_not_per_token() {
        let moved = |entropy: f64| {
            let run = Synthetic::new(300).every("train/kl", 1, |t| 9.0 * t).every("entropy", 1, |_| entropy).build();
            let (bindings, rulebook) = (bind(&run), Rulebook::default());
            let signals = Signals::new(&run, &bindings, &rulebook);
            let hint = need(&signals).hint.to_string();
            (KlMovement::new(&signals).is_some(), hint.contains("sum over tokens"))
        };
        assert_eq!([moved(2.0), moved(80.0)], [(true, false), (false, true)]);
    }

    #[test]
    fn counted_rows_from_the_middle_of_a_run_do_not_show_its_start() {
        let offset = |epoch: f64| {
            let mut run = Run::default();
            run.warnings.push(RunWarning::RowsCounted);
            for number in 0..40 {
                let row = run.push_row(f64::from(number), f64::NAN);
                run.push_value("step", row, f64::from(number + 1));
                run.push_value("epoch", row, epoch + 0.01 * f64::from(number));
                run.push_value("train/kl", row, 0.45);
            }
            run.choose_axis();
            let (bindings, rulebook) = (bind(&run), Rulebook::default());
            KlMovement::new(&Signals::new(&run, &bindings, &rulebook)).unwrap().offset
        };
        assert_eq!((offset(0.01), offset(0.31)), (0.45, 0.0));
    }

    #[test]
    fn a_coarse_log_begins_with_the_run_within_two_of_its_rows() {
        let is_logged = |first: usize| {
            let run = Synthetic::new(300).every("train/kl", 10, |t| 5.0 + t).logged_from(first).build();
            let (bindings, rulebook) = (bind(&run), Rulebook::default());
            KlMovement::new(&Signals::new(&run, &bindings, &rulebook)).unwrap().is_logged_from_start()
        };
        assert!(is_logged(1) && is_logged(11));
        assert!(!is_logged(21), "more than two intervals passed before it");
    }
}
