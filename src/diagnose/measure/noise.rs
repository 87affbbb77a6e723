//! The noise of a series, and the change between two of its levels in units of it.

use crate::stats::{self, block_means};

/// From this many points on, block means are compared too.
const POINTS_FOR_BLOCKS: usize = 60;
const BLOCKS: usize = 20;
/// Neighbours on each side whose mean is the level of a point.
const RESIDUAL_WIDTH: usize = 4;

/// The change from the first to the last level of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelChange {
    /// Mean of the first points.
    pub first: f64,
    /// Mean of the last points.
    pub last: f64,
    /// Standard deviation of a single point around its level.
    pub sigma: f64,
    /// Standard error of `last - first`.
    pub error: f64,
    /// Points in the first and in the last level.
    pub points: (usize, usize),
}

impl LevelChange {
    /// `last - first`.
    pub fn delta(&self) -> f64 {
        self.last - self.first
    }

    /// The change in standard errors; infinite for a change without noise, 0 for none.
    pub fn z(&self) -> f64 {
        ratio(self.delta(), self.error)
    }

    /// Two-sided probability of so large a change by noise alone.
    pub fn p(&self) -> f64 {
        (2.0 * stats::normal_sf(self.z().abs())).min(1.0)
    }

    /// The change in standard deviations of a point; infinite for a change without noise.
    pub fn effect(&self) -> f64 {
        ratio(self.delta(), self.sigma)
    }
}

/// `delta / scale`, with a change over nothing as infinite.
pub(in crate::diagnose) fn ratio(delta: f64, scale: f64) -> f64 {
    if delta == 0.0 {
        0.0
    } else if scale > 0.0 {
        delta / scale
    } else {
        delta * f64::INFINITY
    }
}

/// The noise of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::diagnose) struct Noise {
    /// Standard deviation of a single point around its level.
    pub point: f64,
    /// Standard deviation of the mean of a block, and the points of a block; `None` for a short series.
    blocks: Option<(f64, f64)>,
}

impl Noise {
    /// O(n).
    pub fn of(values: &[f64]) -> Self {
        Self { point: noise(values), blocks: block_noise(values) }
    }

    /// The change between two levels of so many points each; `floor` is the least standard deviation of a point.
    pub fn change(&self, (first, last): (f64, f64), (head, tail): (usize, usize), floor: f64) -> LevelChange {
        let sigma = self.point.max(floor);
        let plain = sigma * (1.0 / head as f64 + 1.0 / tail as f64).sqrt();
        // Standard error of the difference of levels, from the noise of block means.
        let by_blocks = self.blocks.map(|(sigma, size)| {
            let blocks = |points: usize| (points as f64 / size).max(1.0);
            sigma * (1.0 / blocks(head) + 1.0 / blocks(tail)).sqrt()
        });
        LevelChange { first, last, sigma, error: plain.max(by_blocks.unwrap_or(0.0)), points: (head, tail) }
    }
}

/// Standard deviation of a single point around its level.
///
/// From differences of neighbours, or, where noise swings from point to point and differences exaggerate it, from
/// the distance to the running mean.
pub fn noise(values: &[f64]) -> f64 {
    let swing = difference_noise(values);
    if values.len() < 4 * RESIDUAL_WIDTH {
        return swing;
    }
    let means = stats::running_mean(values, RESIDUAL_WIDTH);
    let residuals: Vec<f64> = values.iter().zip(&means).map(|(value, mean)| value - mean).collect();
    let points = (2 * RESIDUAL_WIDTH + 1) as f64;
    // A mean that holds the point itself takes 1/points of its variance away.
    let around = stats::std_dev(&residuals).unwrap_or(swing) * (points / (points - 1.0)).sqrt();
    swing.min(around)
}

fn difference_noise(values: &[f64]) -> f64 {
    let robust = stats::difference_sigma(values).unwrap_or(0.0);
    // Where most neighbours are equal (saturated rewards), the median says 0 and half the plain estimate is used.
    let differences: Vec<f64> = neighbours(values).collect();
    let plain = stats::std_dev(&differences).unwrap_or(0.0) / std::f64::consts::SQRT_2;
    robust.max(0.5 * plain)
}

fn block_noise(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < POINTS_FOR_BLOCKS {
        return None;
    }
    let means = block_means(values, BLOCKS);
    Some((stats::difference_sigma(&means)?, values.len() as f64 / means.len().max(1) as f64))
}

fn neighbours(values: &[f64]) -> impl Iterator<Item = f64> + '_ {
    values.iter().zip(values.iter().skip(1)).map(|(before, after)| after - before)
}
