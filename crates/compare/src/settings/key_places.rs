//! Places of the keys of many runs, settings or metrics, in the order in which they are first seen.
//!
//! The runs of a search have the same keys in the same order. The next key of a run is therefore expected to be the one
//! that followed in the runs before it, and is looked up only where it is another one.

use rustc_hash::FxHashMap;

/// Keys with a place each.
#[derive(Default)]
pub struct KeyPlaces<'e> {
    keys: Vec<&'e str>,
    places: FxHashMap<&'e str, usize>,
    expected: usize,
}

impl<'e> KeyPlaces<'e> {
    /// Begins with the keys of another run.
    pub fn next_run(&mut self) {
        self.expected = 0;
    }

    /// The place of a key; of a new one the next free place.
    pub fn place(&mut self, key: &'e str) -> usize {
        // Of keys that the runs share (`ConfigKeys`) the addresses are equal: that spares reading their texts, which are
        // seldom in the processor's caches.
        let is_expected = self.keys.get(self.expected).is_some_and(|known| std::ptr::eq(*known, key) || *known == key);
        let place = if is_expected { self.expected } else { self.looked_up(key) };
        self.expected = place + 1;
        place
    }

    /// All keys by their places.
    pub fn keys(&self) -> &[&'e str] {
        &self.keys
    }

    fn looked_up(&mut self, key: &'e str) -> usize {
        let next = self.keys.len();
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.keys.push(key);
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_places_in_whatever_order_runs_bring_them() {
        let mut keys = KeyPlaces::default();
        let mut places = |run: &[&'static str]| {
            keys.next_run();
            run.iter().map(|key| keys.place(key)).collect::<Vec<_>>()
        };
        assert_eq!(places(&["b", "d"]), [0, 1]);
        assert_eq!(places(&["a", "b", "d"]), [2, 0, 1]);
        assert_eq!(places(&[]), [0; 0]);
        assert_eq!(places(&["d", "c", "b", "b"]), [1, 3, 0, 0]);
        assert_eq!(keys.keys(), ["b", "d", "a", "c"]);
    }
}
