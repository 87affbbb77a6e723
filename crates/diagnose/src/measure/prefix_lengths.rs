//! Prefixes of a series on which a rule is evaluated again: an alarm that was raised stays as long as a weaker form of
//! its rule still holds.
//!
//! A rule that compares the end of a run with its start changes its mind at its threshold, again and again as the run
//! grows. So the rule is asked of the run as it stood before as well, and a second, lower line says when the alarm is
//! over. Nothing is remembered between two diagnoses: the same run always gives the same answer.

/// Each length is so many percent of the one after it.
const RATIO: usize = 93;
/// Longer series are checked as they are: their levels hardly move any more, and looking back takes time.
const LONGEST: usize = 20_000;

/// Lengths that a series of `points` had before, from long to short, none below `least`.
pub(crate) fn lengths(points: usize, least: usize) -> impl Iterator<Item = usize> {
    let shorter = |length: &usize| Some(length * RATIO / 100);
    let first = Some(points).filter(|points| *points <= LONGEST);
    std::iter::successors(first, shorter).skip(1).take_while(move |length| *length >= least.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_go_back_to_the_least() {
        let all: Vec<usize> = lengths(100, 30).collect();
        assert_eq!(all.first(), Some(&93));
        assert!(all.len() < 20 && all.iter().all(|length| *length >= 30), "{all:?}");
        assert_eq!(lengths(10, 30).count() + lengths(0, 0).count() + lengths(1_000_000, 30).count(), 0);
    }
}
