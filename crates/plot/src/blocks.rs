//! Extremes and sums of each block of successive points.

use std::ops::Range;

/// Points of a block: few, so that only those around the edges of a pixel column are looked at one by one.
const LENGTH: usize = 16;

/// Extremes and sum of a block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Block {
    /// Places of the least and the greatest value within the block; of equal ones the first.
    low: u8,
    high: u8,
    /// All values are finite.
    is_finite: bool,
    /// Of the finite values.
    sum: f64,
}

/// Points whose positions ascend, with their blocks where the line is indexed.
#[derive(Clone, Copy)]
pub(super) struct Points<'a> {
    pub x: &'a [f64],
    pub y: &'a [f64],
    /// From the first point on; empty without an index.
    pub blocks: &'a [Block],
}

/// Places and values of the extremes of successive finite points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Extremes {
    pub first: usize,
    pub low: usize,
    pub high: usize,
    pub last: usize,
    pub low_value: f64,
    pub high_value: f64,
}

impl Extremes {
    /// Those of a single point.
    pub fn at(index: usize, value: f64) -> Self {
        Self { first: index, low: index, high: index, last: index, low_value: value, high_value: value }
    }

    /// Adds those of the points that follow.
    #[inline]
    pub fn extend(&mut self, next: &Self) {
        self.last = next.last;
        if next.low_value < self.low_value {
            (self.low, self.low_value) = (next.low, next.low_value);
        }
        if next.high_value > self.high_value {
            (self.high, self.high_value) = (next.high, next.high_value);
        }
    }
}

/// The blocks of values, from the first on; those after the last whole block are in none.
pub(super) fn of(y: &[f64]) -> Vec<Block> {
    let (blocks, _) = y.as_chunks::<LENGTH>();
    blocks.iter().map(block).collect()
}

fn block(values: &[f64; LENGTH]) -> Block {
    let mut block = Block { low: 0, high: 0, is_finite: true, sum: 0.0 };
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for (place, value) in (0..).zip(values) {
        if !value.is_finite() {
            block.is_finite = false;
            continue;
        }
        block.sum += value;
        if *value < low {
            (block.low, low) = (place, *value);
        }
        if *value > high {
            (block.high, high) = (place, *value);
        }
    }
    block
}

/// The extremes of the block that begins at this place and ends before `end`; `None` where none begins there, and where a
/// value in it is not finite.
#[inline]
pub(super) fn whole(points: Points<'_>, at: usize, end: usize) -> Option<Extremes> {
    if !at.is_multiple_of(LENGTH) || at + LENGTH > end {
        return None;
    }
    let block = points.blocks.get(at / LENGTH).filter(|block| block.is_finite)?;
    let (low, high) = (at + usize::from(block.low), at + usize::from(block.high));
    let (low_value, high_value) = (*points.y.get(low)?, *points.y.get(high)?);
    Some(Extremes { first: at, low, high, last: at + LENGTH - 1, low_value, high_value })
}

/// Sums of successive points, in order: where each stands, the sum, and of how many.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sums {
    /// The middle of the positions.
    pub x: Vec<f64>,
    /// Sums of the values.
    pub sums: Vec<f64>,
    /// Numbers of points.
    pub counts: Vec<f64>,
}

/// Sums of the blocks in a range of places, and of each point that is in no block of finite values. What is not finite is
/// left out.
pub(super) fn sums(points: Points<'_>, range: Range<usize>) -> Sums {
    let mut found = Sums::default();
    let mut at = range.start;
    while at < range.end {
        let (Some(&position), Some(&value)) = (points.x.get(at), points.y.get(at)) else { break };
        let block = whole(points, at, range.end).and_then(|block| {
            let last = points.x.get(block.last)?;
            Some((position / 2.0 + last / 2.0, points.blocks.get(at / LENGTH)?.sum, LENGTH))
        });
        let (x, sum, count) = block.unwrap_or((position, value, 1));
        at += count;
        if sum.is_finite() {
            found.x.push(x);
            found.sums.push(sum);
            found.counts.push(count as f64);
        }
    }
    found
}

/// About how many sums [`sums`] gives of so many points.
pub(super) fn expected(points: usize) -> usize {
    points / LENGTH
}
