//! The numbers behind a chart, as the page keeps them: the engine's reply with its arrays put in place.

use super::heat::HeatData;
use crate::plot::{Range, Summary, nearest};
use crate::protocol::{ArrayIndex, Lines, XAxis};

/// What a chart draws.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartData {
    /// What lies along x.
    pub x: XAxis,
    /// Range of x over the whole run.
    pub extent: Option<Range>,
    /// The lines that exist, in drawing order.
    pub lines: Vec<LineData>,
    /// Histograms instead of lines.
    pub heat: Option<HeatData>,
}

/// One line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LineData {
    /// Its place among the keys that were asked for: its colour goes with it.
    pub place: usize,
    /// Metric key.
    pub key: String,
    /// The line as logged, decimated.
    pub raw: (Vec<f64>, Vec<f64>),
    /// The smoothed line; `None` without smoothing.
    pub smooth: Option<(Vec<f64>, Vec<f64>)>,
    /// Positions of NaN.
    pub nan_x: Vec<f64>,
    /// Positions of +∞.
    pub positive_infinity_x: Vec<f64>,
    /// Positions of −∞.
    pub negative_infinity_x: Vec<f64>,
    /// Points in the window before decimation.
    pub points: u64,
}

/// A line under the cursor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CursorReading {
    /// Position of the point.
    pub x: f64,
    /// Its value as logged.
    pub y: f64,
}

impl ChartData {
    /// Puts the arrays of a reply in place. `keys` are those of the request. An index without an array gives an
    /// empty line: the page and the engine may be of different versions for a moment.
    pub fn new(reply: Lines, arrays: &[Vec<f64>], x: XAxis, keys: &[String]) -> Self {
        // Copied, not taken: two lines may name the same array.
        let take = |index: ArrayIndex| {
            usize::try_from(index).ok().and_then(|index| arrays.get(index)).cloned().unwrap_or_default()
        };
        let lines = reply
            .lines
            .into_iter()
            .map(|line| {
                let smooth = ((line.smooth_x, line.smooth_y) != (line.x, line.y))
                    .then(|| (take(line.smooth_x), take(line.smooth_y)));
                LineData {
                    place: keys.iter().position(|key| *key == line.key).unwrap_or(0),
                    raw: (take(line.x), take(line.y)),
                    smooth,
                    nan_x: take(line.nan_x),
                    positive_infinity_x: take(line.positive_infinity_x),
                    negative_infinity_x: take(line.negative_infinity_x),
                    points: line.points,
                    key: line.key,
                }
            })
            .collect();
        let heat = reply.heat.map(|heat| HeatData::new(heat, take));
        let extent = reply.x_extent.and_then(|(low, high)| Range::new(low, high));
        Self { x, extent, lines, heat }
    }

    /// The line of the key at `place` of the request.
    pub fn line(&self, place: usize) -> Option<&LineData> {
        self.lines.iter().find(|line| line.place == place)
    }

    /// The chart in words, one sentence for each line, or for the histograms.
    pub fn sentences(&self, kind: crate::plot::XKind) -> Vec<String> {
        let lines = self.lines.iter().map(|line| match Summary::of(&line.raw.0, &line.raw.1) {
            Some(summary) => summary.sentence(&line.key, line.points, kind),
            None => format!("{}: no finite value", line.key),
        });
        lines.chain(self.heat.as_ref().map(|heat| heat.sentence(kind))).collect()
    }
}

impl LineData {
    /// The logged point nearest to `at`.
    pub fn reading(&self, at: f64) -> Option<CursorReading> {
        let index = nearest(&self.raw.0, &self.raw.1, at)?;
        Some(CursorReading { x: *self.raw.0.get(index)?, y: *self.raw.1.get(index)? })
    }

    /// The last finite point that was drawn.
    pub fn last(&self) -> Option<CursorReading> {
        self.reading(f64::INFINITY)
    }

    /// At most `most` logged points, evenly spread, for a table in place of the picture.
    pub fn sample(&self, most: usize) -> Vec<CursorReading> {
        let points: Vec<CursorReading> = self
            .raw
            .0
            .iter()
            .zip(&self.raw.1)
            .filter(|(_, y)| y.is_finite())
            .map(|(x, y)| CursorReading { x: *x, y: *y })
            .collect();
        let stride = points.len().div_ceil(most.max(1)).max(1);
        let last = points.len().saturating_sub(1);
        points
            .into_iter()
            .enumerate()
            .filter(|(index, _)| index % stride == 0 || *index == last)
            .map(|(_, point)| point)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::XKind;
    use crate::protocol::Line;

    fn line(key: &str, smooth: (u32, u32)) -> Line {
        Line {
            key: key.into(),
            x: 0,
            y: 1,
            smooth_x: smooth.0,
            smooth_y: smooth.1,
            nan_x: 2,
            positive_infinity_x: 3,
            negative_infinity_x: 99,
            y_range: None,
            points: 3,
        }
    }

    fn keys() -> Vec<String> {
        vec!["a".into(), "b".into()]
    }

    fn data(smooth: (u32, u32)) -> ChartData {
        let lines = Lines { run: 0, x_extent: Some((0.0, 9.0)), lines: vec![line("b", smooth)], heat: None };
        let arrays = vec![vec![0.0, 1.0, 2.0], vec![5.0, f64::NAN, 7.0], vec![1.0], vec![], vec![4.0], vec![8.0]];
        ChartData::new(lines, &arrays, XAxis::Step, &keys())
    }

    #[test]
    fn arrays_find_their_place_and_a_missing_one_is_empty() {
        let data = data((4, 5));
        let line = data.line(1).unwrap();
        assert_eq!(data.line(0), None);
        assert_eq!(line.raw.0, [0.0, 1.0, 2.0]);
        assert_eq!(line.smooth, Some((vec![4.0], vec![8.0])));
        assert_eq!((line.nan_x.as_slice(), line.negative_infinity_x.len()), (&[1.0][..], 0));
    }

    #[test]
    fn without_smoothing_there_is_one_line() {
        assert_eq!(data((0, 1)).line(1).unwrap().smooth, None);
    }

    #[test]
    fn a_reading_is_the_nearest_finite_point() {
        let data = data((0, 1));
        let line = data.line(1).unwrap();
        assert_eq!(line.reading(1.4), Some(CursorReading { x: 2.0, y: 7.0 }));
        assert_eq!(line.last(), Some(CursorReading { x: 2.0, y: 7.0 }));
    }

    #[test]
    fn a_table_has_the_first_and_the_last_point() {
        let x: Vec<f64> = (0..1000).map(f64::from).collect();
        let line = LineData { raw: (x.clone(), x), ..LineData::default() };
        let sample = line.sample(12);
        assert!(sample.len() <= 13, "{}", sample.len());
        assert_eq!((sample[0].x, sample[sample.len() - 1].x), (0.0, 999.0));
        assert!(LineData::default().sample(12).is_empty());
    }

    #[test]
    fn words_say_when_there_is_nothing() {
        let mut data = data((0, 1));
        data.lines.push(LineData { key: "a".into(), ..LineData::default() });
        assert_eq!(
            data.sentences(XKind::Number),
            [
                "b: 3 points; first 5 at step 0, last 7 at step 2, lowest 5 at step 0, highest 7 at step 2",
                "a: no finite value"
            ]
        );
    }
}
