//! How many groups of a step have no spread of reward: as logged, or estimated from a binary reward.
//!
//! With responses that are right or wrong, a group of `G` agrees with probability `p^G + (1-p)^G` where `p` is the pass
//! rate of its prompt. That is convex in `p`, so the mean pass rate gives a lower bound. A second one
//! comes from the spread: a group that does not agree has a standard deviation of `sqrt(G-1)/G` at the least, so a
//! small mean spread leaves room for few of them.

use crate::measure::few_points;
use crate::measure::series::MetricSeries;
use crate::settings::Hyperparameter;
use crate::signals::Signals;
use rundown_stats as stats;
use rundown_stats::CompactSort as _;
use rundown_vocabulary::Concept;

/// Neighbours on each side over which a pass rate is averaged first: the bound is convex, and noise would lift it.
const AVERAGED: usize = 4;
/// Share of the points that must fit a form; a restart or a padded batch spoils some.
const FITTING: f64 = 0.5;
/// Distance of a third value from the two usual ones of a reward, in parts of theirs: rounding and padded batches are closer. Ours.
const THIRD_VALUE: f64 = 0.5;
/// How far a number of right answers may be from a whole one.
const WHOLE: f64 = 0.01;
/// The same where values were printed with few digits; beyond it anything fits.
const WHOLE_PRINTED: f64 = 0.15;
/// Relative distance of a spread, or of an advantage, from the one that a binary reward must have.
const MAX_RELATIVE_DISTANCE: f64 = 0.01;
/// Part of its maximum up to which the printed digits of a spread tell 0 from one that is only small.
const PRINTED_PART: f64 = 0.01;
/// Fewest different values that can speak for a form.
const DIFFERENT: usize = 3;

/// Where a share of groups comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Basis {
    /// It was logged.
    Logged,
    /// Of each step only whether all groups have zero variance.
    WholeSteps,
    /// A lower bound, from the mean of a binary reward.
    Estimated,
}

/// Share of the groups from which on most are alike.
pub(crate) const MAJORITY: f64 = 0.5;
/// Part of the range of the reward above which responses that are alike are right.
pub(crate) const RIGHT_LEVEL: f64 = 0.7;

/// Share of zero-variance groups, step by step, and where it comes from.
///
/// Where only the batch is known (its spread, or its advantages), a step counts as 1 when all of its groups are
/// alike and as 0 otherwise. A critic's advantages may be negative: their zero means nothing.
pub(crate) fn zero_variance<'a>(signals: &Signals<'a>) -> Option<(MetricSeries<'a>, Basis)> {
    // A distillation learns from every token, whatever the groups' rewards.
    if signals.distillation().is_some() {
        return None;
    }
    if let Some(share) = signals.signal(Concept::ZeroVarianceGroups) {
        return Some((share.clone(), Basis::Logged));
    }
    let untrained = || never_trained(signals).map(|share| (share, Basis::WholeSteps));
    if !has_groups(signals) {
        return untrained();
    }
    let whole = whole_steps(signals);
    // Steps without any variance are certain; a bound below them adds nothing.
    let certain = whole.as_ref().and_then(|share| stats::mean(&share.values)).unwrap_or(0.0);
    match estimated(signals, whole.is_some()) {
        Some(share) if stats::mean(&share.values) > Some(certain) => Some((share, Basis::Estimated)),
        _ => whole.map(|share| (share, Basis::WholeSteps)).or_else(untrained),
    }
}

/// True where in most steps every group has zero variance: no step could have a gradient from its rewards.
pub(crate) fn is_always_whole(share: Option<&(MetricSeries<'_>, Basis)>) -> bool {
    let median = share.and_then(|(share, _)| stats::median(&share.values));
    median.is_some_and(|share| share >= 0.999)
}

/// False for a run whose advantages come from a critic, or whose groups are of one response: no spread within groups
/// is no fault there.
pub(crate) fn has_groups(signals: &Signals<'_>) -> bool {
    let critic = signals.has_critic();
    let single = signals.setting(Hyperparameter::Generations).is_some_and(|setting| setting.value == 1.0);
    !critic && !single
}

/// 1 for each step of a run whose reward never changes and whose gradient norm is exactly 0 in each point: whatever its groups are,
/// nothing was learned from any of them. `None` for any other, and for a critic's.
fn never_trained<'a>(signals: &Signals<'a>) -> Option<MetricSeries<'a>> {
    let (reward, norm) = (signals.signal(Concept::Reward)?, signals.signal(Concept::GradientNorm)?);
    let is_zero = norm.is_zero() && norm.nonfinite.is_empty();
    let is_long = reward.len().min(norm.len()) >= few_points::MIN_POINTS;
    let is_dead = is_long && is_zero && reward.is_constant() && !signals.has_critic();
    is_dead.then(|| reward.map(|_| 1.0))
}

fn whole_steps<'a>(signals: &Signals<'a>) -> Option<MetricSeries<'a>> {
    // Advantages that nothing normalises may be small in every step.
    let is_exact = |spread: &&MetricSeries<'a>| {
        spread.printed_quantum.is_none_or(|quantum| quantum <= PRINTED_PART * spread.max())
    };
    let of_advantages = || signals.signal(Concept::AdvantageStd).filter(is_exact);
    let spread = signals.signal(Concept::RewardStd).or_else(|| signals.signal(Concept::AdvantageMax));
    let mut share = spread.or_else(of_advantages).filter(|signal| signal.min() >= 0.0)?.clone();
    for value in share.values.to_mut() {
        *value = if *value == 0.0 { 1.0 } else { 0.0 };
    }
    Some(share)
}

/// The lower bound from a binary reward; `None` where the reward is not known to be one, or the groups' size is not, and where
/// each step has one group, of which the steps without any variance tell more.
fn estimated<'a>(signals: &Signals<'a>, knows_steps: bool) -> Option<MetricSeries<'a>> {
    let reward = signals.signal(Concept::Reward)?;
    let size = signals.setting(Hyperparameter::Generations).map(|setting| setting.value).filter(|size| *size >= 2.0)?;
    let (low, high) = binary(signals, reward, size)?;
    let is_of_one_group = |value: &f64| {
        let right = (value - low) / (high - low) * size;
        (right - right.round()).abs() <= WHOLE
    };
    if knows_steps && reward.values.iter().all(is_of_one_group) {
        return None;
    }
    let mut share = reward.clone();
    share.printed_quantum = None;
    let rates = reward.smoothed(AVERAGED);
    for (value, rate) in share.values.to_mut().iter_mut().zip(rates) {
        let pass = ((rate - low) / (high - low)).clamp(0.0, 1.0);
        *value = libm::pow(pass, size) + libm::pow(1.0 - pass, size);
    }
    // The spread of the whole batch is larger than that within groups, so it gives a bound as well.
    let spread = signals.signal(Concept::RewardStd).filter(|spread| spread.steps == reward.steps);
    if let Some(spread) = spread {
        let least = (high - low) * (size - 1.0).sqrt() / size;
        for (value, std) in share.values.to_mut().iter_mut().zip(spread.smoothed(AVERAGED)) {
            *value = value.max(1.0 - std / least);
        }
    }
    Some(share)
}

/// The two values of a reward that has no others.
fn binary(signals: &Signals<'_>, reward: &MetricSeries<'_>, size: f64) -> Option<(f64, f64)> {
    let (low, high) = ends(signals, reward)?;
    match counts_answers(signals, reward, size, (low, high)) {
        Some(counts) => counts.then_some((low, high)),
        // Printed with too few digits to count responses: the usual two values, and a form that only two values have.
        None => {
            let usual = high == 1.0 && (low == 0.0 || low == -1.0);
            let formed = spread_fits(signals, reward, (low, high)) || advantages_fit(signals, size);
            (usual && formed).then_some((low, high))
        }
    }
}

/// The lowest and the highest reward: as logged, else those of a score.
fn ends(signals: &Signals<'_>, reward: &MetricSeries<'_>) -> Option<(f64, f64)> {
    let least = reward.min();
    let logged = [Concept::RewardMin, Concept::RewardMax].map(|concept| signals.signal(concept));
    let values: Vec<f64> = logged.iter().flatten().flat_map(|signal| signal.values.iter().copied()).collect();
    let values = usual_two(values)?;
    // Of a sparse task the rare value is the success, and the two usual ones are those of a penalty.
    let exceeds = |high: f64| logged.iter().flatten().chain([&reward]).any(|signal| signal.max() > high);
    let usual = if least < 0.0 { (-1.0, 1.0) } else { (0.0, 1.0) };
    match (values.as_slice(), logged) {
        ([low, high], [Some(_), Some(_)]) => Some((*low, *high)),
        // All alike in every step, or only one side known.
        ([one], _) if *one == usual.0 || *one == usual.1 => Some(usual),
        ([low, high], _) if (*low, *high) == usual => Some(usual),
        ([], _) => Some(usual),
        _ => None,
    }
    .filter(|(low, high)| typical_within(reward, *low, *high) && !exceeds(high + THIRD_VALUE * (high - low)))
}

/// The one or two values that most are, ascending; empty for none. `None` where there are others.
fn usual_two(mut values: Vec<f64>) -> Option<Vec<f64>> {
    let all = values.len() as f64;
    values.sort_by(f64::total_cmp);
    let mut counted: Vec<(usize, f64)> = Vec::new();
    for value in values {
        match counted.last_mut() {
            Some((count, last)) if *last == value => *count += 1,
            _ => counted.push((1, value)),
        }
    }
    counted.compact_sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    counted.truncate(2);
    // Single steps with another value are no second one.
    let two: Vec<(usize, f64)> = counted.into_iter().filter(|(count, _)| *count >= DIFFERENT).collect();
    let known: usize = two.iter().map(|(count, _)| *count).sum();
    let mut values: Vec<f64> = two.iter().map(|(_, value)| *value).collect();
    values.sort_by(f64::total_cmp);
    (known as f64 >= FITTING * all).then_some(values)
}

/// True when nearly all values lie between two others.
fn typical_within(reward: &MetricSeries<'_>, low: f64, high: f64) -> bool {
    let within = reward.values.iter().filter(|value| (low..=high).contains(*value)).count();
    10 * within >= 9 * reward.len() && !reward.is_empty()
}

/// Whether the mean times the number of responses is a whole number, step by step; `None` where that cannot be told.
fn counts_answers(
    signals: &Signals<'_>,
    reward: &MetricSeries<'_>,
    size: f64,
    (low, high): (f64, f64),
) -> Option<bool> {
    let batch = signals.setting(Hyperparameter::Batch)?.value;
    // Prompts in some frameworks, responses in others: a whole number of the latter is one of the former as well.
    let answers = batch * size;
    let rounding = reward.printed_quantum.unwrap_or(0.0) / (high - low) * answers;
    let tolerance = WHOLE.max(0.6 * rounding);
    let mut different = reward.values.to_vec();
    different.sort_by(f64::total_cmp);
    different.dedup();
    if tolerance > WHOLE_PRINTED || different.len() < DIFFERENT {
        return None;
    }
    let counts = |value: &&f64| {
        let count = (**value - low) / (high - low) * answers;
        (count - count.round()).abs() <= tolerance
    };
    Some(reward.values.iter().filter(counts).count() as f64 >= FITTING * reward.len() as f64)
}

/// True when the spread of the batch is that of a binary reward with its mean, `sqrt(p(1-p))`.
fn spread_fits(signals: &Signals<'_>, reward: &MetricSeries<'_>, (low, high): (f64, f64)) -> bool {
    let Some(spread) = signals.signal(Concept::RewardStd).filter(|spread| spread.steps == reward.steps) else {
        return false;
    };
    let fits = |(value, std): &(&f64, &f64)| {
        let pass = ((**value - low) / (high - low)).clamp(0.0, 1.0);
        let expected = (pass * (1.0 - pass)).sqrt() * (high - low);
        (**std - expected).abs() <= MAX_RELATIVE_DISTANCE * expected
    };
    let pairs = || reward.values.iter().zip(spread.values.iter());
    pairs().filter(fits).count() as f64 >= FITTING * reward.len() as f64
}

/// True when the largest or the smallest advantages are those of one answer among equals, `(G-1)/sqrt(G)` and its
/// negative: a group with more than two values hardly ever has them (grpo.md, fact 10). Where nearly all responses are
/// right, the one wrong among them is seen, and the other way round.
fn advantages_fit(signals: &Signals<'_>, size: f64) -> bool {
    let extreme_of_one = (size - 1.0) / size.sqrt();
    let fits = |concept| {
        let Some(extreme) = signals.signal(concept) else { return false };
        let spread = || extreme.values.iter().map(|value| value.abs()).filter(|value| *value > 0.0);
        let fitting =
            spread().filter(|value| (value - extreme_of_one).abs() <= MAX_RELATIVE_DISTANCE * extreme_of_one).count();
        fitting >= DIFFERENT && fitting as f64 >= FITTING * spread().count() as f64
    };
    fits(Concept::AdvantageMax) || fits(Concept::AdvantageMin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rulebook;
    use crate::checks::testing::Synthetic;
    use rundown_stats::SplitMix64;
    use rundown_vocabulary::bind;

    /// Mean rewards of 16 prompts with 8 responses each, right at a rate.
    fn scored(rate: f64) -> Synthetic {
        let mut random = SplitMix64::new(9);
        let means: Vec<f64> =
            (0..300).map(|_| (0..128).filter(|_| random.uniform() < rate).count() as f64 / 128.0).collect();
        Synthetic::healthy(300)
            .without("train/frac_reward_zero_std")
            .every("train/reward", 1, |t| means[(300.0 * t).round() as usize])
            .config("num_generations", 8.0)
            .config("generation_batch_size", 128.0)
    }

    fn of(run: Synthetic) -> Option<(f64, Basis)> {
        let run = run.build();
        let (bindings, book) = (bind(&run), Rulebook::default());
        let signals = Signals::new(&run, &bindings, &book);
        let (share, basis) = zero_variance(&signals)?;
        Some((stats::mean(&share.values)?, basis))
    }

    #[test]
    fn a_binary_reward_tells_how_many_groups_agree() {
        let (hard, basis) = of(scored(0.005)).unwrap();
        assert!((0.93..=0.99).contains(&hard) && basis == Basis::Estimated, "{hard}");
        let (usual, _) = of(scored(0.5)).unwrap();
        assert!(usual < 0.02, "{usual}");
    }

    #[test]
    fn with_one_group_a_step_the_share_is_counted() {
        let run = |responses: f64| {
            let wrong = move |t: f64| f64::from(((300.0 * t).round() as usize).is_multiple_of(5)) / responses;
            let run = Synthetic::healthy(300).without("train/frac_reward_zero_std").config("num_generations", 8.0);
            run.every("train/reward", 1, move |t| 1.0 - wrong(t))
                .every("train/reward_std", 1, move |t| (wrong(t) * (1.0 - wrong(t))).sqrt())
        };
        let (counted, basis) = of(run(8.0)).unwrap();
        assert!((counted - 0.8).abs() < 1e-9 && basis == Basis::WholeSteps, "{counted}");
        assert_eq!(of(run(16.0)).unwrap().1, Basis::Estimated, "two groups a step");
    }

    #[test]
    fn other_rewards_tell_nothing() {
        assert_eq!(of(scored(0.97).noisy("train/reward", 0.01, |_| 0.96)), None);
        assert_eq!(
            of(scored(0.97).noisy("critic/score/max", 0.1, |_| 0.9).noisy("critic/score/min", 0.1, |_| 0.2)),
            None
        );
    }

    #[test]
    fn a_rare_success_above_a_penalty_is_a_third_value() {
        let run = |success: f64| {
            let mean = move |t: f64| match (300.0 * t).round() as usize {
                row if row.is_multiple_of(20) => success / 8.0,
                row => (row % 4) as f64 / 10_240.0 - 0.1,
            };
            scored(0.97)
                .every("train/reward", 1, mean)
                .every("critic/score/min", 1, |t| if t < 0.5 { -0.1 } else { 0.0 })
                .every("critic/score/max", 1, move |t| mean(t).max(0.0) * 8.0)
        };
        assert_eq!(of(run(10.0)), None);
        assert!(of(run(0.0)).is_some(), "without it there are two");
    }

    #[test]
    fn advantages_without_any_spread_are_of_steps_without_variance() {
        let run = |quantum: f64, size: f64| {
            let run = Synthetic::new(300).noisy("success_rate", 0.0, |_| 0.0);
            let every_fourth = move |t: f64| if ((300.0 * t).round() as usize).is_multiple_of(4) { size } else { 0.0 };
            let mut run = run.every("adv_std", 1, every_fourth).build();
            run.columns.values_mut().for_each(|column| column.set_quantum(quantum));
            let (bindings, book) = (bind(&run), Rulebook::default());
            let share = zero_variance(&Signals::new(&run, &bindings, &book));
            share.map(|(share, basis)| (stats::mean(&share.values), basis))
        };
        assert_eq!(run(0.001, 1.1), Some((Some(0.75), Basis::WholeSteps)));
        assert_eq!(run(0.001, 0.002), None, "0.000 may be small");
    }

    #[test]
    fn a_rounded_mean_needs_the_advantages_of_one_among_equals() {
        let rounded = || {
            let run = scored(0.005).config("generation_batch_size", 512.0);
            let mut run = run.build();
            run.columns.values_mut().for_each(|column| column.set_quantum(0.001));
            run
        };
        let basis_of = |run: &rundown_run::Run| {
            let (bindings, book) = (bind(run), Rulebook::default());
            zero_variance(&Signals::new(run, &bindings, &book)).map(|(_, basis)| basis)
        };
        let mut run = rounded();
        assert_eq!(basis_of(&run), None);
        for row in 0..300 {
            run.push_value("critic/advantages/max", row, 2.475);
        }
        assert_eq!(basis_of(&run), Some(Basis::Estimated));
        let mut easy = rounded();
        for row in 0..300 {
            easy.push_value("critic/advantages/max", row, 0.354);
            easy.push_value("critic/advantages/min", row, -2.475);
        }
        assert_eq!(basis_of(&easy), Some(Basis::Estimated));
    }
}
