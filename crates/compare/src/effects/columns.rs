//! The runs that have a parameter, as columns. The levels of a parameter are in order, so that its values are ranked and sorted
//! by counting.

use crate::Parameter;
use crate::sample::RunSample;
use rundown_stats as stats;

/// The runs that have a parameter, with what its effect is counted from.
pub struct EffectColumns {
    /// The level of each.
    pub levels: Vec<usize>,
    /// Its place among the summaries.
    pub runs: Vec<usize>,
    /// Its value on the scale of the parameter.
    pub x: Vec<f64>,
    /// Its outcome.
    pub values: Vec<f64>,
    /// Its outcome for ranking.
    pub ranking: Vec<f64>,
    /// For each level of the parameter its place on the scale, and how many of these runs have it.
    scale: Vec<(f64, usize)>,
}

impl EffectColumns {
    /// Those of a sample.
    pub fn of(parameter: &Parameter, sample: &RunSample) -> Self {
        let mut scale: Vec<(f64, usize)> =
            (0..parameter.levels.len()).map(|level| (parameter.place(level), 0)).collect();
        let (mut levels, mut runs) = (Vec::new(), Vec::new());
        let (mut x, mut values, mut ranking) = (Vec::new(), Vec::new(), Vec::new());
        for ((run, value), rank) in sample.runs.iter().zip(&sample.values).zip(&sample.ranking) {
            let Some(level) = parameter.level_of(*run) else { continue };
            let Some((place, count)) = scale.get_mut(level) else { continue };
            *count += 1;
            levels.push(level);
            runs.push(*run);
            x.push(*place);
            values.push(*value);
            ranking.push(*rank);
        }
        Self { levels, runs, x, values, ranking, scale }
    }

    /// Levels that a run has, ascending, each with how many have it.
    pub fn distinct(&self) -> Vec<(usize, usize)> {
        let counts = self.scale.iter().enumerate().map(|(level, (_, count))| (level, *count));
        counts.filter(|(_, count)| *count > 0).collect()
    }

    /// The values of an ordered parameter, ascending: its levels are, so that nothing has to be sorted.
    pub fn sorted(&self) -> Vec<f64> {
        self.scale.iter().flat_map(|(place, count)| std::iter::repeat_n(*place, *count)).collect()
    }

    /// The ranks of the values of an ordered parameter.
    pub fn ranks(&self) -> Vec<f64> {
        stats::level_ranks(&self.levels, self.scale.len())
    }
}
