//! Experiments from what the settings did: closer to a peak, beyond an edge, once more what was chosen by name, or apart
//! what changed together.

use super::{Experiment, ExperimentContext, ExperimentReason};
use crate::{Effect, EffectBin, MIN_RUNS_OF_GROUP, Parameter, ParameterKind, ParameterLevel};
use rundown_diagnose::setting_changes::with_common_digits;
use rundown_diagnose::{Hyperparameter, usual_of};
use rundown_stats::CompactSort as _;
use rundown_stats::{Shape, median};
use rundown_vocabulary::Direction;

/// On a logarithmic scale one step beyond the edge is no more than threefold.
const LARGEST_STEP: f64 = 0.477_121_254_719_662_4;
/// Pairs of runs with all else equal that decide by themselves.
const MIN_PAIRS: usize = 3;
/// Fewest runs of a value, or of a range of values, that an experiment may follow from.
const RUNS_OF_AN_ARM: usize = 3;
/// Least importance of a setting that is searched: what the forest loses in R² without it.
const MIN_IMPORTANCE: f64 = 0.01;
/// Runs of a bin whose halves can be compared.
const MIN_RUNS_IN_BIN: usize = 4;
/// What the last step towards an edge must have brought, in parts of all that the setting did.
const MIN_GAIN: f64 = 0.1;
/// Settings that are shares of one.
const PROBABILITIES: [Hyperparameter; 3] = [Hyperparameter::TopP, Hyperparameter::Discount, Hyperparameter::Lambda];

pub(super) fn experiments(context: &ExperimentContext<'_>) -> Vec<Experiment> {
    let claimed = context.analysis.effects.iter().filter(|effect| {
        let best = effect.best.and_then(|best| effect.bins.get(best));
        effect.is_claimed && matters(effect) && best.is_some_and(|best| is_arm(context, effect, best))
    });
    claimed
        .filter_map(|effect| {
            if !effect.parameter.same.is_empty() || !effect.inseparable.is_empty() {
                separate(context, effect)
            } else if effect.parameter.is_number() {
                refine(context, effect).or_else(|| turn(context, effect)).or_else(|| extend(context, effect))
            } else {
                confirm(context, effect)
            }
        })
        .collect()
}

/// False where the forest does without the setting: its effect is that of another one.
fn matters(effect: &Effect) -> bool {
    effect.importance.as_ref().is_none_or(|importance| importance.mean >= MIN_IMPORTANCE)
}

/// True for values with runs enough to be compared, most of them not ugly: what a critical finding did to the others says
/// nothing about the values in between or beyond.
fn is_arm(context: &ExperimentContext<'_>, effect: &Effect, bin: &EffectBin) -> bool {
    let values = context.eligible.iter().filter_map(|(run, _)| effect.parameter.value_of(*run));
    let eligible = values.filter(|level| bin.contains(level)).count();
    bin.runs >= RUNS_OF_AN_ARM && 2 * eligible > bin.runs
}

/// Where the best lies between two values: halfway to each of them on the parameter's scale.
fn refine(context: &ExperimentContext<'_>, effect: &Effect) -> Option<Experiment> {
    let peak = if context.target.direction == Direction::Down { Shape::U } else { Shape::InvertedU };
    let place = effect.best.filter(|place| effect.shape == peak && *place > 0)?;
    let (below, best, above) = (effect.bins.get(place - 1)?, effect.bins.get(place)?, effect.bins.get(place + 1)?);
    let parameter = &effect.parameter;
    let middle = centre(parameter, best);
    let mut neighbours = [below, above];
    // The better neighbour first.
    if context.target.is_better(above.median, below.median) {
        neighbours.swap(0, 1);
    }
    let between = |neighbour: &EffectBin| {
        let value = parameter.value_at((middle + centre(parameter, neighbour)) / 2.0);
        new_value(parameter, value)
    };
    let to: Vec<f64> =
        neighbours.into_iter().filter(|neighbour| is_arm(context, effect, neighbour)).filter_map(between).collect();
    if to.is_empty() {
        return None;
    }
    let point = |bin: &EffectBin| (centre(parameter, bin) - middle, context.target.sign() * (bin.median - best.median));
    let reason = ExperimentReason::PeakBetween {
        best: best.label.clone(),
        below: below.label.clone(),
        above: above.label.clone(),
        gain: height_of_peak(point(below), point(above)),
    };
    let to = to.into_iter().map(|value| parameter.written(value)).collect();
    Some(Experiment::of(context, parameter, (present(context, parameter, best), to), reason, 0.9))
}

/// How far the parabola through the origin and a point on either side of it, neither of them higher, rises above the origin.
fn height_of_peak((left, left_height): (f64, f64), (right, right_height): (f64, f64)) -> f64 {
    // y = a x^2 + b x: the slopes from the origin to both points give a and b.
    let (left_slope, right_slope) = (left_height / left, right_height / right);
    let curvature = (right_slope - left_slope) / (right - left);
    let slope = left_slope - curvature * left;
    let height = -slope * slope / (4.0 * curvature);
    if height.is_finite() { height.max(0.0) } else { 0.0 }
}

/// Where the best lies at the end of what was tried: one step beyond.
fn extend(context: &ExperimentContext<'_>, effect: &Effect) -> Option<Experiment> {
    let parameter = &effect.parameter;
    let (is_top, best, neighbour) = at_the_edge(effect)?;
    // Shorter runs may do better because of what else they had: a training does not get better by ending earlier.
    let is_shorter = !is_top && parameter.hyperparameter == Some(Hyperparameter::PlannedSteps);
    if effect.shape == Shape::None
        || is_shorter
        || !is_arm(context, effect, neighbour)
        || !still_gains(context, effect, is_top, best, neighbour)
    {
        return None;
    }
    let edge = if is_top { best.range.1 } else { best.range.0 };
    let distance = centre(parameter, best) - centre(parameter, neighbour);
    let distance =
        if parameter.kind == ParameterKind::Logarithm { distance.clamp(-LARGEST_STEP, LARGEST_STEP) } else { distance };
    let mut beyond = match ratio(parameter) {
        Some(ratio) => edge * if is_top { ratio } else { 1.0 / ratio },
        None => parameter.value_at(parameter.place_of(edge) + distance),
    };
    if edge <= 0.0 && !is_top {
        return None;
    }
    let is_positive = parameter.levels.iter().all(|level| level.value >= 0.0);
    if is_positive && beyond <= 0.0 {
        beyond = edge / 2.0;
    }
    let usual = parameter
        .hyperparameter
        .zip(context.best())
        .and_then(|(hyperparameter, (_, summary, _))| usual_of(&summary.config, hyperparameter));
    if let Some(usual) = usual {
        // What published recipes do not come near is not proposed.
        beyond = beyond.clamp(usual.far.0.min(edge), usual.far.1.max(edge));
    }
    if parameter.hyperparameter.is_some_and(|hyperparameter| PROBABILITIES.contains(&hyperparameter)) {
        beyond = beyond.min(1.0);
    }
    let to = new_value(parameter, beyond).filter(|value| if is_top { *value > edge } else { *value < edge })?;
    let reason = ExperimentReason::BestAtEdge {
        is_highest: is_top,
        is_limit: matches!(parameter.hyperparameter, Some(Hyperparameter::MaxResponse | Hyperparameter::MaxPrompt)),
        last_gain: (best.median - neighbour.median).abs(),
        usual: usual.map(|usual| usual.range).filter(|(low, high)| to > *high || to < *low),
    };
    let values = (present(context, parameter, best), vec![parameter.written(to)]);
    Some(Experiment::of(context, parameter, values, reason, 0.8))
}

/// Where settings changed together: one of them alone.
fn separate(context: &ExperimentContext<'_>, effect: &Effect) -> Option<Experiment> {
    let parameter = &effect.parameter;
    let best = effect.bins.get(effect.best?)?;
    // The value that lies farthest shows it best.
    let distance = |bin: &EffectBin| (bin.median - best.median).abs();
    let others = effect.bins.iter().filter(|bin| bin.label != best.label && is_arm(context, effect, bin));
    let other = others.reduce(|far, bin| if distance(bin) > distance(far) { bin } else { far })?;
    let with = parameter.same.iter().chain(&effect.inseparable).cloned().collect();
    let values = (present(context, parameter, best), vec![middle_value(parameter, other)]);
    Some(Experiment::of(context, parameter, values, ExperimentReason::ChangedTogether { with }, 0.75))
}

/// Words and switches: the best against the next best, on the best run's other settings.
fn confirm(context: &ExperimentContext<'_>, effect: &Effect) -> Option<Experiment> {
    let parameter = &effect.parameter;
    let best = effect.bins.get(effect.best?)?;
    let (run, _, _) = context.best()?;
    let now = parameter.value_of(run)?;
    let is_other = |bin: &&EffectBin| bin.label != best.label && is_arm(context, effect, bin);
    let mut others: Vec<&EffectBin> = effect.bins.iter().filter(is_other).collect();
    others.compact_sort_by(|a, b| {
        (context.target.sign() * b.median).total_cmp(&(context.target.sign() * a.median)).then(b.runs.cmp(&a.runs))
    });
    let next = *others.first()?;
    let has_best = best.contains(now);
    let from = if has_best { next.label.clone() } else { now.text().into_owned() };
    let reason = ExperimentReason::BestCategory { best: best.label.clone(), gain: (best.median - next.median).abs() };
    // What five runs of each show already is worth less.
    let score = if best.runs.min(next.runs) < MIN_RUNS_OF_GROUP { 0.72 } else { 0.5 };
    Some(Experiment::of(context, parameter, (from, vec![best.label.clone()]), reason, score))
}

/// Where the best bin lies at an end of what was tried: whether it is the upper one, the bin, and the one beside it.
fn at_the_edge(effect: &Effect) -> Option<(bool, &EffectBin, &EffectBin)> {
    let place = effect.best.filter(|_| effect.parameter.is_number())?;
    let is_top = place + 1 == effect.bins.len();
    if !is_top && place > 0 {
        return None;
    }
    let neighbour = if is_top { place.checked_sub(1)? } else { 1 };
    Some((is_top, effect.bins.get(place)?, effect.bins.get(neighbour)?))
}

/// True where the last step towards the edge still brought something: beyond a plateau there is nothing to find.
fn still_gains(
    context: &ExperimentContext<'_>,
    effect: &Effect,
    is_top: bool,
    best: &EffectBin,
    neighbour: &EffectBin,
) -> bool {
    let sign = context.target.sign();
    if inward(context, effect, is_top, best).is_some_and(|inward| inward > 0.0) {
        return false;
    }
    let pairs: Vec<bool> = effect
        .matched
        .iter()
        .filter_map(|slice| {
            let of = |bin: &EffectBin| {
                let mut levels = slice.levels.iter();
                levels.find(|(level, _)| effect.parameter.levels.get(*level).is_some_and(|level| bin.contains(level)))
            };
            Some(sign * of(best)?.1 > sign * of(neighbour)?.1)
        })
        .collect();
    let gain = sign * (best.median - neighbour.median);
    if gain <= 0.0 || gain < least_gain(context, effect, best) {
        return false;
    }
    if pairs.len() >= MIN_PAIRS {
        return pairs.iter().filter(|wins| **wins).count() * 4 >= pairs.len() * 3;
    }
    let error = |bin: &EffectBin| (bin.high - bin.low) / (2.0 * 1.96);
    let noise = (error(best) * error(best) + error(neighbour) * error(neighbour)).sqrt();
    // A step has a plateau on either side; an optimum beyond it needs evidence.
    let is_step = matches!(effect.shape, Shape::Threshold { .. });
    !is_step || gain > 2.0 * noise
}

/// A difference that matters beside all that the setting did.
fn least_gain(context: &ExperimentContext<'_>, effect: &Effect, best: &EffectBin) -> f64 {
    let sign = context.target.sign();
    let worst = effect.bins.iter().map(|bin| sign * bin.median).fold(f64::INFINITY, f64::min);
    MIN_GAIN * (sign * best.median - worst)
}

/// How much better the inner half of the runs of a bin at an edge is than the outer one; `None` with too few of them.
fn inward(context: &ExperimentContext<'_>, effect: &Effect, is_top: bool, best: &EffectBin) -> Option<f64> {
    let parameter = &effect.parameter;
    let mut inside: Vec<(usize, f64)> = Vec::new();
    for (run, value) in &context.eligible {
        if let Some(level) = parameter.level_of(*run)
            && parameter.levels.get(level).is_some_and(|value| best.contains(value))
        {
            inside.push((level, *value));
        }
    }
    let (first, last) = (inside.iter().map(|run| run.0).min()?, inside.iter().map(|run| run.0).max()?);
    if inside.len() < MIN_RUNS_IN_BIN || first == last {
        return None;
    }
    inside.compact_sort_by_key(|(level, _)| if is_top { usize::MAX - *level } else { *level });
    let outer = inside.len() / 2;
    let middle = |runs: &[(usize, f64)]| median(&runs.iter().map(|(_, value)| *value).collect::<Vec<f64>>());
    Some(context.target.sign() * (middle(inside.get(outer..)?)? - middle(inside.get(..outer)?)?))
}

/// Where the best bin holds several values and the outer ones are the worse half of it: the peak is inside, so closer
/// to the best value.
fn turn(context: &ExperimentContext<'_>, effect: &Effect) -> Option<Experiment> {
    let parameter = &effect.parameter;
    let (is_top, best, _) = at_the_edge(effect)?;
    let fall = inward(context, effect, is_top, best)?;
    if fall < least_gain(context, effect, best) {
        return None;
    }
    // The level of the best run of the bin; the runs come best first.
    let (top, _) = context.eligible.iter().find_map(|(run, value)| {
        let level = parameter.level_of(*run)?;
        parameter.levels.get(level).filter(|value| best.contains(value)).map(|_| (level, *value))
    })?;
    let here = parameter.levels.get(top)?;
    // A quarter of the range to either side: closer would be within the noise.
    let quarter = (parameter.place_of(best.range.1) - parameter.place_of(best.range.0)) / 4.0;
    let place = parameter.place_of(here.value);
    let is_inside = |value: &f64| *value > 0.0 && (best.range.0..=best.range.1).contains(value);
    let candidate = |place: f64| new_value(parameter, parameter.value_at(place)).filter(is_inside);
    let to: Vec<f64> = [place + quarter, place - quarter].into_iter().filter_map(candidate).collect();
    if to.is_empty() {
        return None;
    }
    let to = to.into_iter().map(|value| parameter.written(value)).collect();
    let reason = ExperimentReason::PeakInEdgeBin { range: best.range, gain: fall };
    Some(Experiment::of(context, parameter, (here.text().into_owned(), to), reason, 0.7))
}

/// The value of the best run where it lies in a bin, else the bin's values.
fn present(context: &ExperimentContext<'_>, parameter: &Parameter, bin: &EffectBin) -> String {
    let value = context.best().and_then(|(run, _, _)| parameter.value_of(run)).filter(|level| bin.contains(level));
    value.map_or_else(|| bin.label.clone(), |level| level.text().into_owned())
}

/// The middle one of the values that lie in a bin.
fn middle_value(parameter: &Parameter, bin: &EffectBin) -> String {
    let inside: Vec<&ParameterLevel> = parameter.levels.iter().filter(|level| bin.contains(level)).collect();
    inside.get(inside.len() / 2).map_or_else(|| bin.label.clone(), |level| level.text().into_owned())
}

/// The factor between neighbours where three values or more were chosen by one factor, such as 4, 8, 16.
fn ratio(parameter: &Parameter) -> Option<f64> {
    let values: Vec<f64> = parameter.levels.iter().map(|level| level.value).collect();
    if values.len() < 3 || values.first().is_none_or(|least| *least <= 0.0) {
        return None;
    }
    let mut ratios = values.iter().zip(values.iter().skip(1)).map(|(low, high)| high / low);
    let first = ratios.next()?;
    (first <= 10.0 && ratios.all(|ratio| (ratio / first - 1.0).abs() < 0.1)).then_some(first.min(3.2))
}

/// The middle of a bin on the parameter's scale.
fn centre(parameter: &Parameter, bin: &EffectBin) -> f64 {
    let (low, high) = (parameter.place_of(bin.range.0), parameter.place_of(bin.range.1));
    low + (high - low) / 2.0
}

/// A value as people would choose it; `None` where it was tried already or is no number.
fn new_value(parameter: &Parameter, value: f64) -> Option<f64> {
    if !value.is_finite() {
        return None;
    }
    let rounded = match parameter.kind {
        _ if parameter.is_whole() => value.round(),
        ParameterKind::Logarithm => with_common_digits(value),
        _ => two_digits(value),
    };
    let tried = parameter.levels.iter().any(|level| (level.value - rounded).abs() <= 1e-9 * rounded.abs());
    (!tried).then_some(rounded)
}

/// Two digits of a number.
fn two_digits(value: f64) -> f64 {
    let size = value.abs();
    if size == 0.0 || !size.is_finite() {
        return value;
    }
    let decade = libm::pow(10.0, libm::floor(libm::log10(size)));
    ((10.0 * size / decade).round() / 10.0 * decade).copysign(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parabola_tells_what_lies_between() {
        // y = 1 - (x - 0.5)^2 at -1, 0 and 1: its peak is 0.25 above the middle one.
        assert!((height_of_peak((-1.0, -2.0), (1.0, 0.0)) - 0.25).abs() < 1e-12, "a neighbour as good as the best");
        assert_eq!(height_of_peak((-1.0, -0.3), (1.0, -0.3)), 0.0);
        assert!((height_of_peak((-1.0, -1.2), (0.5, -0.15)) - 0.01).abs() < 1e-12);
        assert_eq!(height_of_peak((-1.0, 0.0), (1.0, 0.0)), 0.0);
        assert_eq!(height_of_peak((0.0, -1.0), (1.0, -1.0)), 0.0);
    }

    #[test]
    fn values_are_round() {
        let text = |value: f64| rundown_format::short(value);
        assert_eq!(text(with_common_digits(3.162_277_66e-5)), "3e-5");
        assert_eq!(text(with_common_digits(8.9e-6)), "1e-5");
        assert_eq!(text(two_digits(0.034_51)), "0.035");
        assert_eq!(text(two_digits(0.0)), "0");
    }
}
