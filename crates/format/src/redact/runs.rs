//! Long runs of bytes of one kind, found without a look at every byte.

use std::ops::Range;

/// Calls `found` with each longest run of at least `least` bytes that are `wanted`.
pub(super) fn for_each(text: &str, least: usize, wanted: impl Fn(u8) -> bool, found: &mut dyn FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let is_wanted = |at: usize| bytes.get(at).is_some_and(|byte| wanted(*byte));
    let mut at = 0;
    while at + least <= bytes.len() {
        // A run that begins within the next `least` places holds the last of them, or is too short.
        let mut start = at + least - 1;
        if !is_wanted(start) {
            at += least;
            continue;
        }
        let mut end = start + 1;
        while start > at && is_wanted(start - 1) {
            start -= 1;
        }
        while is_wanted(end) {
            end += 1;
        }
        if end - start >= least {
            found(start..end);
        }
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_that_is_long_enough() {
        let runs = |text: &str| {
            let mut found = Vec::new();
            for_each(text, 3, |byte| byte == b'a', &mut |run| found.push(run));
            found
        };
        assert_eq!(runs(""), []);
        assert_eq!(runs("aa"), []);
        assert_eq!(runs("aaa aab aaaa"), [0..3, 8..12]);
        assert_eq!(runs("-aaa-aa-aaaaaaa-"), [1..4, 8..15]);
        assert_eq!(runs("xxaaaxxaaaxaa"), [2..5, 7..10]);
    }
}
