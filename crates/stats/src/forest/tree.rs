//! One regression tree over values in bins.
//!
//! With bins a split costs one pass over the values and one over the bins, without sorting; and a split is a set of
//! bins, so that categories need no order.

use crate::SplitMix64;

/// Most bins of a feature: a split is a set of them in 64 bits.
pub(super) const MAX_BINS: usize = 64;

/// A feature in bins, for every row.
pub(super) struct Binned {
    /// The bin of each row, below [`MAX_BINS`].
    pub codes: Vec<u8>,
    /// One more than the largest of them.
    pub bins: usize,
    /// True when bins have no order.
    pub is_category: bool,
}

/// A grown tree.
pub(super) struct Tree {
    nodes: Vec<Node>,
}

struct Node {
    /// Feature of the split; `None` for a leaf.
    feature: Option<u8>,
    /// Bins that go left.
    left_bins: u64,
    left: u32,
    right: u32,
    /// Mean of what reaches it.
    mean: f64,
}

/// How trees grow.
#[derive(Clone, Copy)]
pub(super) struct TreeGrowth {
    /// Fewest rows of a leaf.
    pub min_leaf: usize,
    /// Features that are tried for each split.
    pub tried: usize,
}

struct Split {
    gain: f64,
    feature: usize,
    left_bins: u64,
}

impl Tree {
    /// Grows a tree on `rows`, which may hold a row several times. Gains go to `gains`, by feature.
    pub fn grow(
        features: &[Binned],
        y: &[f64],
        rows: &mut [u32],
        growth: TreeGrowth,
        gains: &mut [f64],
        random: &mut SplitMix64,
    ) -> Self {
        let mut tree = Self { nodes: Vec::new() };
        let mut order: Vec<usize> = (0..features.len()).collect();
        tree.nodes.push(Node::leaf(mean_of(y, rows)));
        let mut open = vec![(0_usize, 0_usize, rows.len())];
        while let Some((place, start, end)) = open.pop() {
            let Some(inside) = rows.get_mut(start..end) else { continue };
            let Some(split) = best_split(features, y, inside, growth, &mut order, random) else { continue };
            let Some(feature) = features.get(split.feature) else { continue };
            let middle = partition(inside, |row| goes_left(feature, row, split.left_bins));
            let (left, right) = inside.split_at(middle);
            let first = tree.nodes.len();
            tree.nodes.push(Node::leaf(mean_of(y, left)));
            tree.nodes.push(Node::leaf(mean_of(y, right)));
            if let Some(gain) = gains.get_mut(split.feature) {
                *gain += split.gain;
            }
            if let Some(node) = tree.nodes.get_mut(place) {
                node.feature = Some(split.feature as u8);
                node.left_bins = split.left_bins;
                (node.left, node.right) = (first as u32, first as u32 + 1);
            }
            open.push((first, start, start + middle));
            open.push((first + 1, start + middle, end));
        }
        tree
    }

    /// The prediction for a row of bins, one for each feature, with that of one feature replaced; and the features that
    /// it met on its way, one bit each.
    pub fn predict(&self, codes: &[u8], replaced: (usize, u8)) -> (f64, u64) {
        let (mut place, mut mean, mut met) = (0, 0.0, 0);
        // Children come after their parents, so this ends.
        while let Some(node) = self.nodes.get(place) {
            mean = node.mean;
            let Some(feature) = node.feature.map(usize::from) else { break };
            let code = if feature == replaced.0 { replaced.1 } else { codes.get(feature).copied().unwrap_or(0) };
            met |= 1 << feature;
            place = if node.left_bins >> (code & 63) & 1 == 1 { node.left } else { node.right } as usize;
        }
        (mean, met)
    }
}

impl Node {
    fn leaf(mean: f64) -> Self {
        Self { feature: None, left_bins: 0, left: 0, right: 0, mean }
    }
}

fn mean_of(y: &[f64], rows: &[u32]) -> f64 {
    let sum: f64 = rows.iter().filter_map(|row| y.get(*row as usize)).sum();
    sum / rows.len().max(1) as f64
}

fn goes_left(feature: &Binned, row: u32, left_bins: u64) -> bool {
    feature.codes.get(row as usize).is_some_and(|code| left_bins >> (code & 63) & 1 == 1)
}

/// Puts the rows that go left first and returns how many they are.
fn partition(rows: &mut [u32], goes_left: impl Fn(u32) -> bool) -> usize {
    let mut left = 0;
    for place in 0..rows.len() {
        if rows.get(place).is_some_and(|row| goes_left(*row)) {
            rows.swap(left, place);
            left += 1;
        }
    }
    left
}

/// The split that takes the most squares away, of as many randomly chosen features as are tried; `None` where none
/// leaves enough rows on both sides.
fn best_split(
    features: &[Binned],
    y: &[f64],
    rows: &[u32],
    growth: TreeGrowth,
    order: &mut [usize],
    random: &mut SplitMix64,
) -> Option<Split> {
    if rows.len() < 2 * growth.min_leaf {
        return None;
    }
    let count = rows.len() as f64;
    let sum: f64 = rows.iter().filter_map(|row| y.get(*row as usize)).sum();
    let squares: f64 = rows.iter().filter_map(|row| y.get(*row as usize)).map(|y| y * y).sum();
    let base = sum * sum / count;
    if squares - base <= 1e-12 * squares {
        return None;
    }
    let mut best: Option<Split> = None;
    for tried in 0..growth.tried.min(order.len()) {
        let other = tried + random.below(order.len() - tried);
        order.swap(tried, other);
        let Some((index, feature)) = order.get(tried).and_then(|index| Some((*index, features.get(*index)?))) else {
            continue;
        };
        let mut bins = [(0.0_f64, 0.0_f64); MAX_BINS];
        for row in rows {
            let at = *row as usize;
            if let (Some(code), Some(value)) = (feature.codes.get(at), y.get(at))
                && let Some((size, total)) = bins.get_mut(usize::from(*code))
            {
                *size += 1.0;
                *total += value;
            }
        }
        let found = if feature.is_category {
            let mut used: Vec<usize> =
                bins.iter().enumerate().filter(|(_, (size, _))| *size > 0.0).map(|(bin, _)| bin).collect();
            let level = |bin: usize| bins.get(bin).map_or(0.0, |(size, total)| total / size);
            used.sort_by(|a, b| level(*a).total_cmp(&level(*b)));
            best_cut(&bins, used.iter().copied(), count, sum, growth.min_leaf).map(|cut| {
                let left = used.iter().take_while(|bin| **bin != cut.right);
                (cut.score, left.fold(0, |mask, bin| mask | 1 << bin))
            })
        } else {
            // Bins that are empty here belong to the nearer side: rows that the tree has not seen may lie in them.
            best_cut(&bins, 0..feature.bins, count, sum, growth.min_leaf)
                .map(|cut| (cut.score, u64::MAX >> (MAX_BINS - 1 - (cut.left + cut.right - 1) / 2)))
        };
        if let Some((score, left_bins)) = found
            && score - base > best.as_ref().map_or(1e-12 * squares, |best| best.gain)
        {
            best = Some(Split { gain: score - base, feature: index, left_bins });
        }
    }
    best
}

/// A place to cut a sequence of bins in two.
struct Cut {
    /// Sums squared over sizes.
    score: f64,
    /// The last bin before the cut.
    left: usize,
    /// The first one after it.
    right: usize,
}

/// The best place to cut a sequence of bins in two; empty ones are passed over.
fn best_cut(
    bins: &[(f64, f64); MAX_BINS],
    order: impl Iterator<Item = usize>,
    count: f64,
    sum: f64,
    min_leaf: usize,
) -> Option<Cut> {
    let least = min_leaf as f64;
    let (mut size, mut total) = (0.0, 0.0);
    let mut last: Option<usize> = None;
    let mut best: Option<Cut> = None;
    for bin in order {
        let Some((here, value)) = bins.get(bin).filter(|(here, _)| *here > 0.0) else { continue };
        if count - size < least {
            break;
        }
        if let Some(left) = last.filter(|_| size >= least) {
            let rest = sum - total;
            let score = total * total / size + rest * rest / (count - size);
            if best.as_ref().is_none_or(|best| score > best.score) {
                best = Some(Cut { score, left, right: bin });
            }
        }
        size += here;
        total += value;
        last = Some(bin);
    }
    best
}
