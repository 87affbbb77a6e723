//! Sparklines: the shape of a curve in a few numbers.

use std::sync::OnceLock;

/// Values in a sparkline.
const SPARK_POINTS: usize = 60;
/// Stretches that a sparkline runs across without a point.
const MAX_BRIDGED_GAP: usize = 4;

/// The sparkline of a curve that does not change, made when it is first asked for: the run list shows one curve of each run,
/// again and again.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sparkline(OnceLock<Vec<f32>>);

impl Sparkline {
    /// Its values; NaN where the curve has a gap.
    pub(super) fn get_or_compute(&self, steps: &[f64], values: &[f64]) -> &[f32] {
        self.0.get_or_init(|| spark(steps, values))
    }
}

/// Means over equal stretches of steps; stretches without a point are NaN.
fn spark(steps: &[f64], values: &[f64]) -> Vec<f32> {
    let (Some(&first), Some(&last)) = (steps.first(), steps.last()) else { return Vec::new() };
    let buckets = SPARK_POINTS.min(values.len());
    let width = (last - first) / buckets as f64;
    if width <= 0.0 {
        return values.last().map(|value| vec![*value as f32]).unwrap_or_default();
    }
    let mut sums = vec![(0.0_f64, 0_u32); buckets];
    for (step, value) in steps.iter().zip(values) {
        let bucket = (((step - first) / width) as usize).min(buckets - 1);
        if let Some((sum, count)) = sums.get_mut(bucket) {
            *sum += value;
            *count += 1;
        }
    }
    let mean = |(sum, count): (f64, u32)| if count == 0 { f32::NAN } else { (sum / f64::from(count)) as f32 };
    bridged(sums.into_iter().map(mean).collect())
}

/// Joins what uneven steps left apart: a gap of a few stretches is not one in the data.
fn bridged(mut line: Vec<f32>) -> Vec<f32> {
    let known: Vec<usize> = line.iter().enumerate().filter(|(_, value)| !value.is_nan()).map(|(at, _)| at).collect();
    for pair in known.windows(2) {
        let [from, to] = *pair else { continue };
        let (Some(&before), Some(&after)) = (line.get(from), line.get(to)) else { continue };
        if to - from > MAX_BRIDGED_GAP {
            continue;
        }
        for (place, value) in line.iter_mut().enumerate().take(to).skip(from + 1) {
            *value = before + (after - before) * (place - from) as f32 / (to - from) as f32;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_keeps_the_shape_and_the_gaps() {
        let steps: Vec<f64> = (0..600).map(f64::from).filter(|step| !(200.0..300.0).contains(step)).collect();
        let line = spark(&steps, &steps);
        assert_eq!(line.len(), SPARK_POINTS);
        assert!(line[25].is_nan());
        assert!(line[0] < line[59]);
    }

    #[test]
    fn a_sparkline_of_one_point_is_a_point() {
        assert_eq!(spark(&[5.0], &[1.0]), [1.0]);
        assert!(spark(&[], &[]).is_empty());
    }
}
