//! Means of what is worth telling apart by adapter, phase, horizon and group.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::name_numbers::Names;
use rundown_run::{EventLabel, LABEL_NAMES, LabelMean};
use rundown_stats::CompactSort;

/// Columns whose means are kept by label.
const AVERAGED_COLUMNS: [&str; 12] = [
    super::names::IS_ERROR,
    "axiom/rollout/success",
    "axiom/rollout/duration_s",
    "axiom/extraction/success",
    "axiom/extraction/empty",
    "axiom/extraction/partial",
    "axiom/inference/input_tokens_per_second",
    "axiom/inference/output_tokens_per_second",
    "axiom/inference/tokens_per_second",
    "axiom/inference/batch_size",
    "axiom/inference/duration_ms",
    "axiom/inference/total_time_s",
];
/// Most sums that are kept while events are read.
const MAX_SUMS: usize = 1 << 16;

/// Sums by run, label, name and column.
#[derive(Debug, Default)]
pub(super) struct LabelMeans {
    names: Names,
    sums: FxHashMap<(u32, EventLabel, u32, &'static str), (u64, f64)>,
}

impl LabelMeans {
    /// Adds what an event with these labels measures: columns and values.
    pub(super) fn add<'e>(
        &mut self,
        run: u32,
        labels: impl Iterator<Item = (EventLabel, &'e str)>,
        values: impl Iterator<Item = (&'e str, f64)> + Clone,
    ) {
        for (label, name) in labels {
            // Each name has a sum at least: beyond so many names there is no room for one.
            if !self.names.has(name) && self.names.names.len() >= MAX_SUMS {
                continue;
            }
            let name = self.names.number(name);
            for (column, value) in values.clone().filter(|(_, value)| value.is_finite()) {
                let Some(key) = AVERAGED_COLUMNS.iter().find(|known| **known == column) else { continue };
                let place = (run, label, name, *key);
                if self.sums.len() >= MAX_SUMS && !self.sums.contains_key(&place) {
                    continue;
                }
                let (count, sum) = self.sums.entry(place).or_default();
                *count += 1;
                *sum += value;
            }
        }
    }

    /// The means with the number of their run, in the order of their names.
    pub(super) fn finish(self) -> Vec<(u32, LabelMean)> {
        let mut means: Vec<(u32, LabelMean)> = self
            .sums
            .into_iter()
            .filter_map(|((run, label, name, key), (count, sum))| {
                let name = self.names.names.get(name as usize)?.clone();
                Some((run, LabelMean { label, name, key: key.to_owned(), count, mean: sum / count as f64 }))
            })
            .collect();
        means.compact_sort_by(|(one, a), (other, b)| {
            (one, a.label, &a.name, &a.key).cmp(&(other, b.label, &b.name, &b.key))
        });
        means
    }
}

/// Keeps the names of each label that have most values; returns how many names are left out.
pub(super) fn keep_most_frequent(means: &mut Vec<LabelMean>) -> u64 {
    let mut counts: BTreeMap<(EventLabel, String), u64> = BTreeMap::new();
    for mean in means.iter() {
        *counts.entry((mean.label, mean.name.clone())).or_default() += mean.count;
    }
    let mut left_out = 0;
    for label in EventLabel::ALL {
        let mut of_label: Vec<u64> =
            counts.iter().filter(|((of, _), _)| of == label).map(|(_, count)| *count).collect();
        of_label.compact_sort_by_key(|count| std::cmp::Reverse(*count));
        let Some(least) = of_label.get(LABEL_NAMES - 1).filter(|_| of_label.len() > LABEL_NAMES) else { continue };
        let mut kept = 0;
        counts.retain(|(of, _), count| {
            let stays = of != label || (*count >= *least && kept < LABEL_NAMES);
            kept += usize::from(of == label && stays);
            stays
        });
        left_out += (of_label.len() - kept) as u64;
    }
    means.retain(|mean| counts.contains_key(&(mean.label, mean.name.clone())));
    left_out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_averaged_by_each_label() {
        let mut means = LabelMeans::default();
        for (phase, value) in [("spring", 10.0), ("spring", 30.0), ("fall", 50.0), ("fall", f64::NAN)] {
            let labels = [(EventLabel::Adapter, "v1"), (EventLabel::Phase, phase)];
            let values = [("axiom/inference/batch_size", value), ("axiom/inference/other", value)];
            means.add(1, labels.into_iter(), values.into_iter());
        }
        let found: Vec<_> = means.finish().into_iter().map(|(_, mean)| (mean.name, mean.count, mean.mean)).collect();
        assert_eq!(found, [("v1".to_owned(), 3, 30.0), ("fall".to_owned(), 1, 50.0), ("spring".to_owned(), 2, 20.0)]);
    }

    #[test]
    fn names_with_few_values_are_left_out() {
        let mean = |name: usize, count| LabelMean { name: format!("{name:03}"), count, ..LabelMean::default() };
        let mut means: Vec<LabelMean> = (0..100).map(|name| mean(name, if name < 10 { 9 } else { 1 })).collect();
        assert_eq!((keep_most_frequent(&mut means), means.len()), (36, LABEL_NAMES));
        assert_eq!(means.iter().filter(|mean| mean.count == 9).count(), 10);
        assert_eq!(keep_most_frequent(&mut means), 0);
    }
}
