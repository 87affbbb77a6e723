//! Sampled metrics of a run: noting them, and the series of a metric that came in buckets.

use super::{Run, Sampling, Series, Thinning, add_new};

impl Run {
    /// Notes that values of `key`, or of every metric, were left out. Said twice counts once.
    pub fn note_sampling(&mut self, key: Option<&str>, how: Thinning) {
        let sampling = Sampling { key: key.map(str::to_owned), how };
        add_new(&mut self.sampling, [sampling]);
    }

    /// How values of a metric were left out; `None` where all are there, as far as the source says.
    pub fn sampling_of(&self, key: &str) -> Option<Thinning> {
        let own = self.sampling.iter().find(|sampling| sampling.key.as_deref() == Some(key));
        own.or_else(|| self.sampling.iter().find(|sampling| sampling.key.is_none())).map(|sampling| sampling.how)
    }

    /// Takes over the sampling of the metrics of a piece of the run. What holds for all of them does not hold for
    /// those that came from elsewhere.
    pub fn note_sampling_of(&mut self, piece: &Run) {
        for sampling in &piece.sampling {
            match &sampling.key {
                Some(key) => self.note_sampling(Some(key), sampling.how),
                None => piece.columns.keys().for_each(|key| self.note_sampling(Some(key), sampling.how)),
            }
        }
    }

    /// The series of a metric with the least and greatest value of each bucket beside its mean, all three at one step:
    /// a line through it shows every spike. `None` for a metric that did not come in buckets.
    pub fn series_with_extremes(&self, key: &str) -> Option<Series<'_>> {
        if self.sampling_of(key) != Some(Thinning::Buckets) {
            return None;
        }
        let (column, band) = (self.columns.get(key)?, self.bands.get(key)?);
        let (mut low, mut high) = (band.low.points().peekable(), band.high.points().peekable());
        let mut points: Vec<(f64, f64, f64)> = Vec::with_capacity(column.len() * 3);
        for (row, value) in column.points() {
            let place = row as usize;
            let Some(step) = self.axis.steps.get(place).copied() else { continue };
            let time = self.row_times.get(place).copied().unwrap_or(f64::NAN);
            while low.next_if(|(at, _)| *at < row).is_some() {}
            while high.next_if(|(at, _)| *at < row).is_some() {}
            let edges = [low.next_if(|(at, _)| *at == row), high.next_if(|(at, _)| *at == row)];
            let [least, greatest] = edges.map(|edge| edge.map(|(_, value)| value));
            points.extend([least, Some(value), greatest].into_iter().flatten().map(|value| (step, value, time)));
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Some(Series {
            steps: points.iter().map(|point| point.0).collect(),
            values: points.iter().map(|point| point.1).collect(),
            times: points.iter().map(|point| point.2).collect(),
            superseded: 0,
            printed_quantum: column.quantum(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Band;

    fn run(keys: &[&str]) -> Run {
        let mut run = Run::default();
        for step in 0..3_u32 {
            let row = run.push_row(f64::from(step), f64::NAN);
            keys.iter().for_each(|key| run.push_value(key, row, f64::from(step)));
        }
        run.choose_axis();
        run
    }

    #[test]
    fn what_holds_for_a_piece_holds_for_its_metrics_alone() {
        let mut piece = run(&["a", "b"]);
        piece.note_sampling(None, Thinning::Rows);
        piece.note_sampling(Some("b"), Thinning::Buckets);
        assert_eq!((piece.sampling_of("a"), piece.sampling_of("b")), (Some(Thinning::Rows), Some(Thinning::Buckets)));
        let mut whole = run(&["c"]);
        whole.note_sampling_of(&piece);
        whole.note_sampling_of(&piece);
        assert_eq!((whole.sampling_of("a"), whole.sampling_of("c")), (Some(Thinning::Rows), None));
        assert_eq!(whole.sampling.len(), 3);
    }

    #[test]
    fn extremes_stand_beside_the_mean_of_their_bucket() {
        let mut run = run(&["kl"]);
        let mut band = Band::default();
        band.low.push(1, -5.0);
        band.high.push(1, 50.0);
        run.bands.insert("kl".into(), band);
        assert_eq!(run.series_with_extremes("kl"), None);
        run.note_sampling(Some("kl"), Thinning::Buckets);
        let series = run.series_with_extremes("kl").unwrap();
        assert_eq!((&series.steps[..], &series.values[..]), (&[0., 1., 1., 1., 2.][..], &[0., -5., 1., 50., 2.][..]));
    }
}
