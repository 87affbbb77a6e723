//! Stable sorting, and maps and sets from iterators, whose code is compiled once.
//!
//! The standard library's sort is compiled anew for each type and each order, 4 kB a time in WebAssembly. Lists that a
//! page shows are short, so here one sort orders their places and the items are swapped there
//! (docs/decisions/compact-sort.md has the measurement). Slices of numbers are sorted by the standard library.

use std::cmp::Ordering;

/// Sorts a slice of any type with the code of one sort.
pub trait CompactSort<T> {
    /// Sorts by an order; equal items keep theirs.
    fn compact_sort_by(&mut self, order: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by a key, which is made at each comparison; equal items keep their order.
    fn compact_sort_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> CompactSort<T> for [T] {
    fn compact_sort_by(&mut self, mut order: impl FnMut(&T, &T) -> Ordering) {
        let mut targets = targets(self.len(), &mut |a, b| match (self.get(a), self.get(b)) {
            (Some(a), Some(b)) => order(a, b),
            _ => Ordering::Equal,
        });
        for place in 0..self.len() {
            while let Some(target) = targets.get(place).copied().filter(|target| *target != place) {
                self.swap(place, target);
                targets.swap(place, target);
            }
        }
    }

    fn compact_sort_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.compact_sort_by(|a, b| key(a).cmp(&key(b)));
    }
}

/// Collects maps and sets without the sort that their `FromIterator` compiles anew for each type.
pub trait CompactCollect: Iterator + Sized {
    /// Inserts one item after the other; of equal keys the last value stays.
    fn compact_collect<C: Default + Extend<Self::Item>>(self) -> C {
        let mut collection = C::default();
        collection.extend(self);
        collection
    }
}

impl<I: Iterator> CompactCollect for I {}

/// For each of `count` items the place that it has in their order.
fn targets(count: usize, order: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|a, b| order(*a, *b));
    let mut targets = vec![0; count];
    for (target, place) in places.into_iter().enumerate() {
        if let Some(of_place) = targets.get_mut(place) {
            *of_place = target;
        }
    }
    targets
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_sorts_as_the_standard_library_does(items in prop::collection::vec((0_u8..9, any::<u8>()), 0..60)) {
            let mut sorted = items.clone();
            let mut compact = items;
            sorted.sort_by_key(|item| std::cmp::Reverse(item.0));
            compact.compact_sort_by_key(|item| std::cmp::Reverse(item.0));
            prop_assert_eq!(compact, sorted);
        }

        #[test]
        fn it_collects_as_the_standard_library_does(items in prop::collection::vec((0_u8..9, any::<u8>()), 0..60)) {
            let collected: BTreeMap<u8, u8> = items.iter().copied().collect();
            prop_assert_eq!(items.into_iter().compact_collect::<BTreeMap<u8, u8>>(), collected);
        }
    }
}
