//! What became of a spike: did the curve come back, or is the new level here to stay? The one is a note, the other a
//! finding.

use std::ops::Range;

use super::describe::median;
use super::spikes::episodes;

/// Fewest values after an episode that can say how it ended.
const FEWEST_AFTER: usize = 3;

/// How much of the jump must remain for a new level.
const REMAINING: f64 = 0.5;

/// How an episode ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The curve came back at least half of the way.
    Recovered,
    /// More than half of the jump remained.
    LevelShift,
    /// The series ends too soon to say.
    Open,
}

/// Spikes that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct SpikeEpisode {
    /// From the first spike to one after the last.
    pub range: Range<usize>,
    /// How many spikes it holds.
    pub spikes: usize,
    /// Index of the spike that lies farthest from `before`.
    pub peak_index: usize,
    /// Its value.
    pub peak: f64,
    /// Median of the values before the episode.
    pub before: f64,
    /// Median of the values after it; `None` while the end is open.
    pub after: Option<f64>,
    /// What became of it.
    pub ending: Ending,
}

/// Joins spikes (ascending indices into `y`, as from `hampel`) that lie at most `gap` apart, and says how each group
/// ended: by the medians of up to `half_width` finite values on either side.
///
/// For spikes on the log scale give the logarithms: the jump is then a ratio. An episode at the very start takes the
/// level after it for the one before. Spikes whose index is beyond the series are left out. O(n) in all.
pub fn spike_episodes(y: &[f64], spikes: &[usize], gap: usize, half_width: usize) -> Vec<SpikeEpisode> {
    episodes(spikes, gap)
        .into_iter()
        .filter_map(|range| {
            let first = spikes.partition_point(|spike| *spike < range.start);
            let last = spikes.partition_point(|spike| *spike < range.end);
            episode(y, range, spikes.get(first..last)?, half_width)
        })
        .collect()
}

fn episode(y: &[f64], range: Range<usize>, spikes: &[usize], half_width: usize) -> Option<SpikeEpisode> {
    let left = y.get(..range.start)?;
    let right = y.get(range.end..)?;
    // Looks no farther than that through a gap of masked values.
    let reach = half_width.saturating_mul(4);
    let finite = |value: &f64| value.is_finite();
    let earlier: Vec<f64> = left.iter().rev().take(reach).copied().filter(finite).take(half_width).collect();
    let later: Vec<f64> = right.iter().take(reach).copied().filter(finite).take(half_width).collect();
    let after = if later.len() < FEWEST_AFTER { None } else { median(&later) };
    let before = median(&earlier).or(after)?;
    let (mut peak_index, mut peak) = (range.start, *y.get(range.start)?);
    for &spike in spikes {
        let value = *y.get(spike)?;
        if (value - before).abs() > (peak - before).abs() {
            (peak_index, peak) = (spike, value);
        }
    }
    let ending = match after {
        None => Ending::Open,
        // A level on the other side of the old one is no remainder of the jump.
        Some(after) if (after - before) * (peak - before).signum() > REMAINING * (peak - before).abs() => {
            Ending::LevelShift
        }
        Some(_) => Ending::Recovered,
    };
    Some(SpikeEpisode { spikes: spikes.len(), range, peak_index, peak, before, after, ending })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Hampel, hampel, trailing_spikes};
    use proptest::prelude::*;

    #[test]
    fn two_spikes_are_one_episode_that_recovers() {
        let mut y: Vec<f64> = (0..100).map(|place| 1.0 + 0.01 * f64::from(place % 3)).collect();
        (y[40], y[42], y[80]) = (9.0, 12.0, 20.0);
        let found = spike_episodes(&y, &hampel(&y, Hampel::default()), 3, 10);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].range.clone(), found[0].spikes, found[0].peak_index), (40..43, 2, 42));
        assert_eq!((found[0].peak, found[0].ending), (12.0, Ending::Recovered));
        assert!((found[0].before - 1.01).abs() < 1e-9 && (found[0].after.unwrap() - 1.01).abs() < 1e-9);
        assert_eq!(found[1].range, 80..81);
    }

    #[test]
    fn a_step_is_a_level_shift() {
        let y: Vec<f64> = (0..60).map(|place| f64::from(place % 2) + if place < 30 { 1.0 } else { 40.0 }).collect();
        let spikes = trailing_spikes(&y, 20, 6, 4.0);
        assert_eq!(spikes.first(), Some(&30));
        let found = spike_episodes(&y, &spikes, 3, 10);
        assert_eq!((found.len(), found[0].ending), (1, Ending::LevelShift));
    }

    #[test]
    fn the_last_point_leaves_the_end_open() {
        let mut y = vec![1.0; 30];
        y[29] = 50.0;
        let found = spike_episodes(&y, &[29], 3, 10);
        assert_eq!((found[0].ending, found[0].after), (Ending::Open, None));
        y[0] = 50.0;
        assert_eq!(spike_episodes(&y, &[0], 3, 10)[0].ending, Ending::Recovered);
        assert!(spike_episodes(&y, &[70], 3, 10).is_empty() && spike_episodes(&[], &[], 3, 10).is_empty());
    }

    proptest! {
        #[test]
        fn never_panics(y in prop::collection::vec(prop::num::f64::ANY, 0..60), spikes in prop::collection::vec(0_usize..70, 0..9)) {
            let mut spikes = spikes;
            spikes.sort_unstable();
            let _ = spike_episodes(&y, &spikes, 2, 10);
        }
    }
}
