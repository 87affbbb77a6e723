//! The values of a sliding window in order, and the medians of such windows.

/// Medians of each value and its neighbours, `width` on each side and fewer at the ends. As long as `y`.
///
/// n (log w + w) with a tiny constant for the second term: a window is small, so moving its values beats any tree.
pub fn running_medians(y: &[f64], width: usize) -> Vec<f64> {
    let mut window = SortedWindow::default();
    let mut entering = y.iter();
    entering.by_ref().take(width).for_each(|value| window.insert(*value));
    let mut medians = Vec::with_capacity(y.len());
    for place in 0..y.len() {
        let oldest = place.checked_sub(width.saturating_add(1)).and_then(|gone| y.get(gone));
        match (oldest, entering.next()) {
            (Some(oldest), Some(newest)) => window.replace(*oldest, *newest),
            (Some(oldest), None) => window.remove(*oldest),
            (None, Some(newest)) => window.insert(*newest),
            (None, None) => {}
        }
        medians.push(sorted_median(&window.sorted).unwrap_or(f64::NAN));
    }
    medians
}

/// Whether each of the [`running_medians`] is above a line, or below it. As long as `y`.
///
/// O(n): the median of a window of an odd size is above a line when more than half of its values are.
pub fn running_medians_beyond(y: &[f64], width: usize, line: f64, above: bool) -> Vec<bool> {
    let is_beyond = |value: &f64| if above { *value > line } else { *value < line };
    let by_medians = |part: &[f64]| -> Vec<bool> { running_medians(part, width).iter().map(is_beyond).collect() };
    // At the ends windows are cut off, and every second one has an even size.
    let cut = width.saturating_mul(2);
    if y.len() <= cut || y.iter().any(|value| value.is_nan()) {
        return by_medians(y);
    }
    let mut beyond = by_medians(y.get(..cut).unwrap_or_default());
    beyond.truncate(width);
    let flags: Vec<bool> = y.iter().map(is_beyond).collect();
    let mut count = flags.iter().take(cut).filter(|flag| **flag).count();
    for (newest, oldest) in flags.iter().skip(cut).zip(&flags) {
        count += usize::from(*newest);
        beyond.push(count > width);
        count -= usize::from(*oldest);
    }
    let end = by_medians(y.get(y.len() - cut..).unwrap_or_default());
    beyond.extend(end.iter().skip(width));
    beyond
}

/// A window's values, ascending; NaN above everything.
#[derive(Default)]
pub(crate) struct SortedWindow {
    sorted: Vec<f64>,
}

impl SortedWindow {
    pub(crate) fn insert(&mut self, value: f64) {
        self.sorted.insert(self.rank(value), value);
    }

    /// Removes a value that is in it.
    pub(crate) fn remove(&mut self, value: f64) {
        let rank = self.rank(value);
        if rank < self.sorted.len() {
            self.sorted.remove(rank);
        }
    }

    /// Removes a value that is in it and inserts another; only what stands between them moves.
    pub(crate) fn replace(&mut self, old: f64, new: f64) {
        let (from, to) = (self.rank(old), self.rank(new));
        if from >= self.sorted.len() {
            return self.sorted.insert(to, new);
        }
        if from < to {
            self.sorted.copy_within(from + 1..to, from);
        } else {
            self.sorted.copy_within(to..from, to + 1);
        }
        let place = if from < to { to - 1 } else { to };
        if let Some(slot) = self.sorted.get_mut(place) {
            *slot = new;
        }
    }

    pub(crate) fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    fn rank(&self, value: f64) -> usize {
        self.sorted.partition_point(|other| other.total_cmp(&value).is_lt())
    }
}

/// The median of ascending values, as [`crate::median`].
pub(crate) fn sorted_median(sorted: &[f64]) -> Option<f64> {
    let (low, high) = middle_values(sorted)?;
    Some(if sorted.len() % 2 == 1 { high } else { low + (high - low) / 2.0 })
}

/// The two middle ones of ascending values; twice the same of an odd number.
pub(crate) fn middle_values(sorted: &[f64]) -> Option<(f64, f64)> {
    let half = sorted.len() / 2;
    let high = *sorted.get(half)?;
    let low = if sorted.len() % 2 == 1 { high } else { *sorted.get(half.checked_sub(1)?)? };
    Some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_are_the_medians_of_the_windows(
            y in prop::collection::vec(prop_oneof![Just(f64::NAN), Just(0.0), Just(-0.0), -3.0..3.0_f64], 0..60),
            width in 0_usize..20,
        ) {
            let medians = running_medians(&y, width);
            prop_assert_eq!(medians.len(), y.len());
            for (place, median) in medians.iter().enumerate() {
                let window = &y[place.saturating_sub(width)..(place + width + 1).min(y.len())];
                let expected = crate::median(window).unwrap();
                prop_assert!(*median == expected || median.is_nan() && expected.is_nan(), "{median} {expected}");
            }
        }
    }

    proptest! {
        #[test]
        fn counting_says_what_the_medians_say(
            y in prop::collection::vec(prop_oneof![4 => -3.0..3.0_f64, 4 => Just(0.5), 1 => Just(-0.0), 1 => Just(1e308)], 0..90),
            odd in prop_oneof![9 => Just(0.5), 1 => Just(f64::NAN), 1 => Just(f64::INFINITY)],
            width in 0_usize..12, line in prop_oneof![Just(0.5), Just(0.0), -1.0..1.0_f64], above in any::<bool>(),
        ) {
            let mut y = y;
            y.extend([odd, 0.1]);
            let expected: Vec<bool> =
                running_medians(&y, width).iter().map(|value| if above { *value > line } else { *value < line }).collect();
            prop_assert_eq!(running_medians_beyond(&y, width, line, above), expected);
        }
    }

    #[test]
    fn a_window_may_be_wider_than_all() {
        assert_eq!(running_medians_beyond(&[3.0, 1.0, 2.0], usize::MAX, 1.5, true), [true; 3]);
        assert_eq!(running_medians(&[3.0, 1.0, 2.0], usize::MAX), [2.0; 3]);
        assert_eq!(running_medians(&[], 3), [0.0; 0]);
    }
}
