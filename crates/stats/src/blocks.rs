//! Means over blocks of consecutive points.

use super::mean;

/// Means over at most `blocks` consecutive blocks of nearly equal size; the values themselves when they are fewer.
pub fn block_means(values: &[f64], blocks: usize) -> Vec<f64> {
    let count = values.len();
    if count <= blocks || blocks == 0 {
        return values.to_vec();
    }
    (0..blocks).filter_map(|block| mean(values.get(block * count / blocks..(block + 1) * count / blocks)?)).collect()
}
