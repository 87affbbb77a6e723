//! Experiments from what the settings did: closer to a peak, beyond an edge, or apart what changed together.

use super::{Case, Experiment, Source};
use crate::compare::{Bin, Kind, Parameter, Signal};
use crate::diagnose::text::num;
use crate::diagnose::{Knob, usual_of};
use crate::stats::Shape;
use crate::vocabulary::Direction;

/// On a logarithmic scale one step beyond the edge is no more than threefold.
const LARGEST_STEP: f64 = 0.477_121_254_719_662_4;
/// First digits of values that people try.
const MANTISSAS: [f64; 7] = [1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0];
/// Settings that are shares of one.
const SHARES: [Knob; 3] = [Knob::TopP, Knob::Discount, Knob::Lambda];

pub(super) fn experiments(case: &Case<'_>) -> Vec<Experiment> {
    // Where the best values are those of ugly runs, they are not followed.
    let is_sane = |signal: &Signal, bin: &Bin| {
        let mut values = case.sane.iter().filter_map(|(run, _)| signal.parameter.value_of(*run));
        values.any(|level| bin.holds(level))
    };
    let claimed = case.signals.signals.iter().filter(|signal| {
        let best = signal.best.and_then(|best| signal.bins.get(best));
        signal.is_claimed && best.is_some_and(|best| is_sane(signal, best))
    });
    claimed
        .filter_map(|signal| {
            if signal.parameter.same.is_empty() {
                refine(case, signal).or_else(|| extend(case, signal))
            } else {
                separate(case, signal)
            }
        })
        .collect()
}

/// Where the best lies between two values: halfway to each of them on the parameter's scale.
fn refine(case: &Case<'_>, signal: &Signal) -> Option<Experiment> {
    let peak = if case.target.direction == Direction::Down { Shape::U } else { Shape::InvertedU };
    let place = signal.best.filter(|place| signal.shape == peak && *place > 0)?;
    let (below, best, above) = (signal.bins.get(place - 1)?, signal.bins.get(place)?, signal.bins.get(place + 1)?);
    let parameter = &signal.parameter;
    let middle = centre(parameter, best);
    let mut sides = [below, above];
    // The better neighbour first.
    if case.target.is_better(above.median, below.median) {
        sides.swap(0, 1);
    }
    let between = |side: &Bin| {
        let value = parameter.value_at((middle + centre(parameter, side)) / 2.0);
        new_value(parameter, value)
    };
    let to: Vec<f64> = sides.into_iter().filter_map(between).collect();
    if to.is_empty() {
        return None;
    }
    let loss = |bin: &Bin| num((best.median - bin.median).abs());
    let mut experiment = Experiment::of(case, Source::Refine, parameter);
    experiment.from.clone_from(&best.label);
    experiment.to = to.into_iter().map(|value| parameter.written(value)).collect();
    experiment.evidence.clone_from(&signal.sentence);
    experiment.hypothesis = [
        "The best ",
        &parameter.words,
        " lies between ",
        &below.label,
        " and ",
        &above.label,
        ", not exactly at ",
        &best.label,
        ".",
    ]
    .concat();
    experiment.expected = [
        "Less than the distance to the neighbours: ",
        &loss(below),
        " to ",
        &below.label,
        " and ",
        &loss(above),
        " to ",
        &above.label,
        ".",
    ]
    .concat();
    experiment.risk = "Low: values between two that were tried.".to_owned();
    experiment.score = 0.9;
    Some(experiment)
}

/// Where the best lies at the end of what was tried: one step beyond.
fn extend(case: &Case<'_>, signal: &Signal) -> Option<Experiment> {
    let parameter = &signal.parameter;
    let place = signal.best.filter(|_| parameter.is_number())?;
    let is_top = place + 1 == signal.bins.len();
    if !is_top && place > 0 || signal.shape == Shape::None {
        return None;
    }
    let best = signal.bins.get(place)?;
    let neighbour = signal.bins.get(if is_top { place.checked_sub(1)? } else { 1 })?;
    let edge = if is_top { best.range.1 } else { best.range.0 };
    let distance = centre(parameter, best) - centre(parameter, neighbour);
    let distance =
        if parameter.kind == Kind::Logarithm { distance.clamp(-LARGEST_STEP, LARGEST_STEP) } else { distance };
    let mut beyond = parameter.value_at(parameter.place_of(edge) + distance);
    if edge <= 0.0 && !is_top {
        return None;
    }
    let is_positive = parameter.levels.iter().all(|level| level.value >= 0.0);
    if is_positive && beyond <= 0.0 {
        beyond = edge / 2.0;
    }
    let usual = parameter.knob.zip(case.best()).and_then(|(knob, (_, entry, _))| usual_of(&entry.config, knob));
    if let Some(usual) = usual {
        // What published recipes do not come near is not proposed.
        beyond = beyond.clamp(usual.far.0.min(edge), usual.far.1.max(edge));
    }
    if parameter.knob.is_some_and(|knob| SHARES.contains(&knob)) {
        beyond = beyond.min(1.0);
    }
    let to = new_value(parameter, beyond).filter(|value| if is_top { *value > edge } else { *value < edge })?;
    let edge = if is_top { "highest" } else { "lowest" };
    let mut experiment = Experiment::of(case, Source::Extend, parameter);
    experiment.from.clone_from(&best.label);
    experiment.to = vec![parameter.written(to)];
    experiment.evidence.clone_from(&signal.sentence);
    experiment.hypothesis =
        ["The best was the ", edge, " ", &parameter.words, " that was tried; it gets better still beyond."].concat();
    experiment.expected = [
        "About as much again as the last step brought (",
        &num((best.median - neighbour.median).abs()),
        "), or a turn.",
    ]
    .concat();
    experiment.risk = match usual {
        Some(usual) if to > usual.range.1 || to < usual.range.0 => [
            "Beyond what is usual (",
            &num(usual.range.0),
            " to ",
            &num(usual.range.1),
            "): watch the KL and the gradients.",
        ]
        .concat(),
        _ => "Beyond what these runs tried: it may break them.".to_owned(),
    };
    experiment.score = 0.8;
    Some(experiment)
}

/// Where settings changed together: one of them alone.
fn separate(case: &Case<'_>, signal: &Signal) -> Option<Experiment> {
    let parameter = &signal.parameter;
    let best = signal.bins.get(signal.best?)?;
    let other = signal.bins.iter().find(|bin| bin.label != best.label)?;
    let together = ["`", &parameter.same.join("`, `"), "`"].concat();
    let mut experiment = Experiment::of(case, Source::Separate, parameter);
    experiment.from.clone_from(&best.label);
    experiment.to = vec![other.label.clone()];
    experiment.evidence.clone_from(&signal.sentence);
    experiment.hypothesis = [
        "The effect is that of ",
        &parameter.words,
        ": with ",
        &together,
        " left as in the best run it shows all the same.",
    ]
    .concat();
    experiment.expected = "No gain by itself: it tells which of them to tune.".to_owned();
    experiment.risk = "Low: both values were tried.".to_owned();
    experiment.score = 0.75;
    Some(experiment)
}

/// The middle of a bin on the parameter's scale.
fn centre(parameter: &Parameter, bin: &Bin) -> f64 {
    let (low, high) = (parameter.place_of(bin.range.0), parameter.place_of(bin.range.1));
    low + (high - low) / 2.0
}

/// A value as people would choose it; `None` where it was tried already or is no number.
fn new_value(parameter: &Parameter, value: f64) -> Option<f64> {
    if !value.is_finite() {
        return None;
    }
    let rounded = if parameter.is_whole() { value.round() } else { rounded(value, parameter.kind == Kind::Logarithm) };
    let tried = parameter.levels.iter().any(|level| (level.value - rounded).abs() <= 1e-9 * rounded.abs());
    (!tried).then_some(rounded)
}

/// Two digits, or on a logarithmic scale a first digit that people use.
fn rounded(value: f64, by_factors: bool) -> f64 {
    let size = value.abs();
    if size == 0.0 || !size.is_finite() {
        return value;
    }
    let decade = libm::pow(10.0, libm::floor(libm::log10(size)));
    let mantissa = size / decade;
    let kept = if by_factors {
        let distance = |of: &f64| libm::log(of / mantissa).abs();
        MANTISSAS.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(mantissa)
    } else {
        (10.0 * mantissa).round() / 10.0
    };
    (kept * decade).copysign(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_round() {
        let text = |value: f64, by_factors| num(rounded(value, by_factors));
        assert_eq!(text(3.162_277_66e-5, true), "3e-5");
        assert_eq!(text(8.9e-6, true), "1e-5");
        assert_eq!(text(0.034_51, false), "0.035");
        assert_eq!(text(0.0, true), "0");
    }
}
