//! Sorting, compiled once.
//!
//! The standard library compiles its sort anew for each type and comparison, five kilobytes each: measured, a sixth of
//! the engine's download. Here one sort orders places and asks for comparisons through a pointer; what is compiled for
//! a type only moves its items. For numbers alone use `sort_by(f64::total_cmp)`, which is compiled once as it is and
//! faster.

use std::cmp::Ordering;

/// Sorting that costs few bytes. Equal items keep their order; n log n comparisons.
pub trait Arrange<T> {
    /// Sorts by a comparison.
    fn arrange_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by a key, which is made for each comparison.
    fn arrange_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.arrange_by(|a, b| key(a).cmp(&key(b)));
    }

    /// Sorts by the items' own order.
    fn arrange(&mut self)
    where
        T: Ord,
    {
        self.arrange_by(T::cmp);
    }
}

impl<T> Arrange<T> for [T] {
    fn arrange_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let mut places = order(self.len(), &mut |a, b| match (self.get(a), self.get(b)) {
            (Some(a), Some(b)) => compare(a, b),
            _ => Ordering::Equal,
        });
        while let Some((at, next)) = next_swap(&mut places) {
            self.swap(at, next);
        }
    }
}

/// The places from 0 to `len` in the order of what stands there.
#[inline(never)]
fn order(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Places {
    let mut wanted: Vec<usize> = (0..len).collect();
    if !wanted.is_sorted_by(|a, b| compare(*a, *b) != Ordering::Greater) {
        wanted.sort_by(|a, b| compare(*a, *b));
    }
    Places { wanted, start: 0, at: 0 }
}

/// Which item is wanted at each place, and how far the swapping is: it follows one cycle after the other.
struct Places {
    wanted: Vec<usize>,
    start: usize,
    at: usize,
}

/// The next two places whose items change seats; `None` when all are where they belong.
#[inline(never)]
fn next_swap(places: &mut Places) -> Option<(usize, usize)> {
    loop {
        let wanted = places.wanted.get_mut(places.at)?;
        let next = std::mem::replace(wanted, places.at);
        if next != places.start {
            let at = std::mem::replace(&mut places.at, next);
            return Some((at, next));
        }
        // The cycle is closed.
        places.start += 1;
        places.at = places.start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_sorts_as_the_standard_library(items in prop::collection::vec((0..20_u8, any::<u16>()), 0..200)) {
            let mut expected = items.clone();
            expected.sort_by_key(|(key, _)| *key);
            let mut arranged = items.clone();
            arranged.arrange_by_key(|(key, _)| *key);
            prop_assert_eq!(arranged, expected);

            let mut expected = items.clone();
            expected.sort();
            let mut arranged = items;
            arranged.arrange();
            prop_assert_eq!(arranged, expected);
        }
    }

    #[test]
    fn items_need_not_be_copied() {
        let mut words: Vec<String> = ["c", "a", "b"].map(str::to_owned).into();
        words.arrange_by(|a, b| b.cmp(a));
        assert_eq!(words, ["c", "b", "a"]);
        Vec::<String>::new().arrange();
    }
}
