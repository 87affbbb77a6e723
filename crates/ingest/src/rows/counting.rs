//! What makes numbers a counter: whole, and rising.

/// Fewest rises of a counter for each place where it begins again.
const RISES_PER_START: usize = 4;

/// True for whole numbers that rise, with few falls: a counter may begin again.
pub(crate) fn is_counter(values: &[f64]) -> bool {
    let (rising, falling) = changes(values);
    are_whole(values) && rising > 0 && falling * RISES_PER_START <= rising
}

/// True for whole numbers that rise from each to the next.
pub(crate) fn rises_with_each(values: &[f64]) -> bool {
    are_whole(values) && changes(values).0 + 1 == values.len()
}

/// True for whole numbers that rise from each to the next, but for a few places where they begin again as they began, and at
/// most this many where they stand still.
pub(crate) fn rises_from_each_start(values: &[f64], still: usize) -> bool {
    let (rising, falling) = changes(values);
    are_whole(values)
        && (1..=still + 1).contains(&(values.len() - rising - falling))
        && falling * RISES_PER_START <= rising
        && falls_to_first(values)
}

/// Largest share of falls among the changes of a counter, which may begin again anywhere as after a crash.
const MAX_FALLS: f64 = 0.03;

/// True for numbers that fall too often for a counter, and not to where they began: each counts something of its own.
pub(crate) fn wanders(values: &[f64]) -> bool {
    let (_, falling) = changes(values);
    falling as f64 > MAX_FALLS * values.len() as f64 && !falls_to_first(values)
}

/// True for numbers that rise and fall only where they begin again as they began; they may stand still.
pub(crate) fn only_restarts(values: &[f64]) -> bool {
    let (rising, falling) = changes(values);
    rising > 0 && falling * RISES_PER_START <= rising && falls_to_first(values)
}

/// True where numbers fall to the first of them alone.
fn falls_to_first(values: &[f64]) -> bool {
    let first = values.first().copied().unwrap_or(0.0);
    let mut falls = values.iter().zip(values.iter().skip(1)).filter(|(before, after)| after < before);
    falls.all(|(_, after)| *after == first)
}

/// True where a number is between two whole ones.
pub(crate) fn has_fractions(values: &[f64]) -> bool {
    values.iter().any(|value| value.is_finite() && value.fract() != 0.0)
}

/// True for numbers that may count something.
pub(crate) fn are_whole(values: &[f64]) -> bool {
    values.iter().all(|value| *value >= 0.0 && value.fract() == 0.0)
}

/// How often a value is larger than the one before it, and how often it is smaller.
pub(crate) fn changes(values: &[f64]) -> (usize, usize) {
    let pairs = values.iter().zip(values.iter().skip(1));
    pairs.fold((0, 0), |(rising, falling), (before, after)| {
        (rising + usize::from(after > before), falling + usize::from(after < before))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_whole_and_rise() {
        assert!(is_counter(&[0.0, 1.0, 2.0, 3.0, 4.0, 0.0, 1.0]) && !rises_with_each(&[1.0, 2.0, 2.0]));
        assert!(rises_with_each(&[5.0, 10.0]) && rises_with_each(&[5.0]));
        for other in [&[0.5, 1.5][..], &[3.0, 2.0, 1.0], &[32.0, 32.0], &[-1.0, 0.0], &[f64::NAN, 1.0]] {
            assert!(!is_counter(other), "{other:?}");
        }
    }
}
