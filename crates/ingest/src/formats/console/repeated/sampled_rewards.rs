//! Rewards that a loop prints response by response between its rows (`Reward: 0.25; Response: …`), where no row has a reward: their
//! mean and spread are those of the row that they stand before or behind.

use std::collections::{BTreeMap, BTreeSet};

use super::around::RowPosition;
use super::{ENOUGH_ROWS, Line, LineKind};
use crate::rows::{metric_words, reward_group};
use rundown_stats::CompactCollect as _;

/// Fewest responses of a row, on average: fewer are samples that a loop shows, and not its batch.
const MIN_RESPONSES: usize = 4;

/// Lines with the rewards of single responses.
pub(super) struct SampledRewards {
    /// The name of the reward, as it is printed.
    pub(super) name: String,
    /// The side of a row on which they stand.
    pub(super) position: RowPosition,
    kinds: BTreeSet<usize>,
}

impl SampledRewards {
    /// Finds them among the lines; `None` where the rows or the lines around them have a reward.
    pub(super) fn of(
        lines: &[Line],
        kinds: &BTreeMap<usize, LineKind>,
        leads: &BTreeSet<usize>,
        around: &BTreeMap<usize, RowPosition>,
    ) -> Option<Self> {
        let mut of_rows = kinds.iter().filter(|(number, _)| leads.contains(number) || around.contains_key(number));
        let has_reward = |kind: &LineKind| kind.names.iter().any(|name| metric_words::is_reward(name));
        if of_rows.any(|(_, kind)| has_reward(kind)) {
            return None;
        }
        // What the responses say may hold numbers as well; statistics of the reward are of many responses.
        let of_response = |kind: &LineKind| {
            let (name, others) = kind.names.split_first()?;
            let is_statistic = others.iter().any(|other| metric_words::is_reward(other));
            (reward_group::is_group(name) && !is_statistic && !kind.has_counter()).then(|| name.clone())
        };
        let found: BTreeMap<usize, String> =
            kinds.iter().filter_map(|(number, kind)| Some((*number, of_response(kind)?))).compact_collect();
        let name = found.values().next()?.clone();
        let (mut row, mut responses, mut rows) = (0, 0, BTreeSet::new());
        for line in lines {
            row += usize::from(leads.contains(&line.kind));
            if found.contains_key(&line.kind) {
                responses += 1;
                rows.insert(row);
            }
        }
        let is_enough = rows.len() >= ENOUGH_ROWS && responses >= MIN_RESPONSES * rows.len();
        let position = if rows.contains(&0) { RowPosition::Before } else { RowPosition::After };
        is_enough.then(|| Self { name, position, kinds: found.into_keys().compact_collect() })
    }

    /// True for a kind of line with such a reward, which is its first number.
    pub(super) fn contains(&self, kind: usize) -> bool {
        self.kinds.contains(&kind)
    }
}
