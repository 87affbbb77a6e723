//! What one chart shows: which lines or which heat map, along what, smoothed and scaled how; and the question that the
//! engine is asked for it.

use super::view_options::Shading;
use rundown_plot::Scale;
use rundown_protocol::{HeatRequest, HeatSource, LineGrouping, LinesRequest, Request, SeriesRef, Smoothing, XAxis};

/// What one chart shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spec {
    /// Lines or cells.
    pub content: ChartContent,
    /// What lies along x.
    pub x: XAxis,
    /// How lines are smoothed.
    pub smoothing: Smoothing,
    /// Groups of runs instead of runs.
    pub group: Option<LineGrouping>,
    /// True for bands of extremes around lines.
    pub band: bool,
    /// Scale of y; chosen by the values when `None`.
    pub scale: Option<Scale>,
    /// True when outliers may flatten the rest.
    pub outliers: bool,
    /// Visible part of y; everything when `None`.
    pub y_window: Option<(f64, f64)>,
    /// What is shaded.
    pub shade: Option<Shading>,
    /// True when two lines of different size get a scale each.
    pub own_scales: bool,
}

/// Lines or cells.
#[derive(Debug, Clone, PartialEq)]
pub enum ChartContent {
    /// Lines, the most important one first.
    Lines(Vec<Series>),
    /// A heat map of one run, with a name.
    Heat(u32, String, HeatSource),
}

impl Default for ChartContent {
    fn default() -> Self {
        ChartContent::Lines(Vec::new())
    }
}

/// A line that is asked for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// The run.
    pub run: u32,
    /// Metric key.
    pub key: String,
    /// What it is called in legend and tooltip.
    pub name: String,
    /// Place of its colour in the theme.
    pub hue: usize,
    /// Place among the dashes.
    pub dash: usize,
    /// True for the run that is open, where there are others.
    pub is_open: bool,
}

/// What a range of x belongs to: charts with the same share it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExtentKey {
    /// What lies along x.
    pub x: XAxis,
    /// The runs.
    pub runs: Vec<u32>,
}

impl ExtentKey {
    /// True for the same x, and runs all of which are among these.
    pub fn covers(&self, other: &Self) -> bool {
        self.x == other.x && other.runs.iter().all(|run| self.runs.contains(run))
    }
}

impl Spec {
    /// The question for a window and a width; `None` where there is nothing to ask.
    pub fn request(&self, window: Option<(f64, f64)>, width_px: u32) -> Option<Request> {
        match &self.content {
            ChartContent::Lines(_) => Some(Request::Lines(self.lines(window, width_px)?)),
            ChartContent::Heat(run, _, source) => {
                let (run, source, x) = (*run, source.clone(), self.x.clone());
                Some(Request::Heat(HeatRequest { run, source, x, window, width_px }))
            }
        }
    }

    /// The question for lines, the most important one first; `None` for a heat map and without lines.
    pub fn lines(&self, window: Option<(f64, f64)>, width_px: u32) -> Option<LinesRequest> {
        let ChartContent::Lines(series) = &self.content else { return None };
        let series: Vec<SeriesRef> =
            series.iter().map(|series| SeriesRef { run: series.run, key: series.key.clone() }).collect();
        (!series.is_empty()).then(|| LinesRequest {
            series,
            x: self.x.clone(),
            window,
            width_px,
            smoothing: self.smoothing,
            group: self.group.clone(),
            band: self.band,
        })
    }

    /// What the range of x belongs to.
    pub fn extent_key(&self) -> ExtentKey {
        let mut runs: Vec<u32> = match &self.content {
            ChartContent::Lines(series) => series.iter().map(|series| series.run).collect(),
            ChartContent::Heat(run, ..) => vec![*run],
        };
        runs.sort_unstable();
        runs.dedup();
        ExtentKey { x: self.x.clone(), runs }
    }

    /// True where there is nothing to draw, such as without a shown run.
    pub fn is_empty(&self) -> bool {
        matches!(&self.content, ChartContent::Lines(series) if series.is_empty())
    }

    /// True for lines of more than one run.
    pub fn has_several_runs(&self) -> bool {
        let ChartContent::Lines(series) = &self.content else { return false };
        series.iter().zip(series.iter().skip(1)).any(|(a, b)| a.run != b.run)
    }

    /// Keys of the metrics, each once.
    pub fn keys(&self) -> Vec<String> {
        match &self.content {
            ChartContent::Lines(series) => {
                let mut keys: Vec<String> = Vec::new();
                for series in series {
                    if !keys.contains(&series.key) {
                        keys.push(series.key.clone());
                    }
                }
                keys
            }
            ChartContent::Heat(_, name, _) => vec![name.clone()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(run: u32, key: &str) -> Series {
        Series { run, key: key.to_owned(), ..Series::default() }
    }

    #[test]
    fn lines_are_asked_for_in_their_order() {
        let content = ChartContent::Lines(vec![series(7, "a"), series(2, "a"), series(7, "b")]);
        let spec = Spec { content, x: XAxis::Tokens, band: true, ..Spec::default() };
        let request = spec.lines(Some((0.0, 1.0)), 320).unwrap();
        assert_eq!(request.series.iter().map(|series| series.run).collect::<Vec<_>>(), [7, 2, 7]);
        assert_eq!((request.window, request.width_px, request.band), (Some((0.0, 1.0)), 320, true));
        assert_eq!(spec.extent_key(), ExtentKey { x: XAxis::Tokens, runs: vec![2, 7] });
        assert_eq!(spec.keys(), ["a", "b"]);
        assert!(spec.has_several_runs() && !Spec::default().has_several_runs());
    }

    #[test]
    fn nothing_is_asked_for_no_lines() {
        assert!(Spec::default().request(None, 100).is_none() && Spec::default().is_empty());
        let source = HeatSource::Histograms("h".to_owned());
        let spec = Spec { content: ChartContent::Heat(3, "h".to_owned(), source.clone()), ..Spec::default() };
        assert!(matches!(spec.request(None, 100), Some(Request::Heat(heat)) if heat.run == 3 && heat.source == source));
    }
}
