//! What the user chose for the charts of a view: axes, smoothing, grouping, and the visible part of x.

use rundown_protocol::{Center, Grouping, Smoothing, SmoothingKind, XAxis};

/// Scale of y.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum YScale {
    /// Logarithmic where values are positive and span several powers of ten, else linear.
    #[default]
    Auto,
    /// Linear.
    Linear,
    /// Logarithmic; values of zero and below are left out.
    Log,
    /// Logarithmic on both sides of zero, linear around it.
    Symlog,
}

/// Most columns of charts.
pub const MOST_COLUMNS: u8 = 6;

/// Smoothing at first: enough to see a trend through the noise of single batches; the raw line stays visible behind it.
const SMOOTHING: Smoothing = Smoothing { kind: SmoothingKind::TimeWeightedEma, weight: 0.8 };

/// The settings of charts.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartSettings {
    /// What lies along x.
    pub x: XAxis,
    /// Scale of y.
    pub y: YScale,
    /// Smoothing.
    pub smoothing: Smoothing,
    /// Runs with the same value of a setting as one line.
    pub group: Option<Grouping>,
    /// Visible part of x; everything when `None`.
    pub window: Option<(f64, f64)>,
    /// Visible part of y of the enlarged chart; everything when `None`.
    pub y_window: Option<(f64, f64)>,
    /// True when outliers may flatten the rest, false when y ends where most values do.
    pub outliers: bool,
    /// True when charts have no bands of extremes.
    pub without_bands: bool,
    /// Columns of charts, 1 to [`MOST_COLUMNS`]; as many as fit when 0.
    pub columns: u8,
}

const X_AXES: [(XAxis, &str); 4] =
    [(XAxis::Step, "step"), (XAxis::Tokens, "tokens"), (XAxis::RelativeTime, "time"), (XAxis::WallTime, "clock")];
const SCALES: [(YScale, &str); 4] =
    [(YScale::Auto, "auto"), (YScale::Linear, "linear"), (YScale::Log, "log"), (YScale::Symlog, "symlog")];
const KINDS: [(SmoothingKind, &str); 5] = [
    (SmoothingKind::None, "none"),
    (SmoothingKind::TimeWeightedEma, "twema"),
    (SmoothingKind::Ema, "ema"),
    (SmoothingKind::Gaussian, "gaussian"),
    (SmoothingKind::RunningMean, "mean"),
];
const CENTERS: [(Center, &str); 2] = [(Center::Mean, "mean"), (Center::Iqm, "iqm")];

impl Default for ChartSettings {
    fn default() -> Self {
        Self {
            x: XAxis::Step,
            y: YScale::Auto,
            smoothing: SMOOTHING,
            group: None,
            window: None,
            y_window: None,
            outliers: false,
            without_bands: false,
            columns: 0,
        }
    }
}

impl ChartSettings {
    /// Reads one setting of an address; an unknown name or value changes nothing.
    pub fn read(&mut self, name: &str, value: &str) {
        match name {
            "x" => {
                self.x = match value.strip_prefix("metric:") {
                    Some(key) => XAxis::Metric(key.to_owned()),
                    None => named(&X_AXES, value),
                }
            }
            "y" => self.y = named(&SCALES, value),
            "smooth" => {
                let (kind, weight) = value.split_once(':').unwrap_or((value, ""));
                let weight = weight.parse().ok().filter(|weight| (0.0..1.0).contains(weight)).unwrap_or(0.0);
                self.smoothing = Smoothing { kind: named(&KINDS, kind), weight };
            }
            "group" => {
                let (center, setting) = value.split_once(':').unwrap_or(("", value));
                let center = named(&CENTERS, center);
                self.group = (!setting.is_empty()).then(|| Grouping { setting: setting.to_owned(), center });
            }
            "zoom" => self.window = window(value),
            "zoom-y" => self.y_window = window(value),
            "outliers" => self.outliers = value == "all",
            "bands" => self.without_bands = value == "none",
            "columns" => self.columns = value.parse().ok().filter(|columns| *columns <= MOST_COLUMNS).unwrap_or(0),
            _ => {}
        }
    }

    /// Names and values of everything that is not as at first.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        match &self.x {
            XAxis::Step => {}
            XAxis::Metric(key) => pairs.push(("x", format!("metric:{key}"))),
            x => pairs.push(("x", name_of(&X_AXES, x).to_owned())),
        }
        if self.y != YScale::Auto {
            pairs.push(("y", name_of(&SCALES, &self.y).to_owned()));
        }
        if self.smoothing != SMOOTHING {
            pairs.push(("smooth", format!("{}:{}", name_of(&KINDS, &self.smoothing.kind), self.smoothing.weight)));
        }
        if let Some(group) = &self.group {
            pairs.push(("group", format!("{}:{}", name_of(&CENTERS, &group.center), group.setting)));
        }
        for (name, window) in [("zoom", self.window), ("zoom-y", self.y_window)] {
            if let Some((low, high)) = window {
                pairs.push((name, format!("{low}:{high}")));
            }
        }
        if self.outliers {
            pairs.push(("outliers", "all".to_owned()));
        }
        if self.without_bands {
            pairs.push(("bands", "none".to_owned()));
        }
        if self.columns > 0 {
            pairs.push(("columns", self.columns.to_string()));
        }
        pairs
    }
}

fn named<T: Clone + Default>(names: &[(T, &str)], name: &str) -> T {
    names.iter().find(|(_, known)| *known == name).map(|(value, _)| value.clone()).unwrap_or_default()
}

fn name_of<T: PartialEq>(names: &[(T, &'static str)], value: &T) -> &'static str {
    names.iter().find(|(known, _)| known == value).map_or("", |(_, name)| name)
}

pub(super) fn window(value: &str) -> Option<(f64, f64)> {
    let (low, high) = value.split_once(':')?;
    let window: (f64, f64) = (low.parse().ok()?, high.parse().ok()?);
    (window.0.is_finite() && window.1.is_finite() && window.0 < window.1).then_some(window)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_back(settings: &ChartSettings) -> ChartSettings {
        let mut read = ChartSettings::default();
        settings.pairs().iter().for_each(|(name, value)| read.read(name, value));
        read
    }

    #[test]
    fn settings_are_read_as_they_were_written() {
        let settings = ChartSettings {
            x: XAxis::Metric("train/tokens:x".into()),
            y: YScale::Symlog,
            smoothing: Smoothing { kind: SmoothingKind::Gaussian, weight: 0.9 },
            group: Some(Grouping { setting: "a:b".into(), center: Center::Iqm }),
            window: Some((-1.5e-9, 3e12)),
            y_window: Some((0.0, 1.0)),
            outliers: true,
            without_bands: true,
            columns: 3,
        };
        assert_eq!(read_back(&settings), settings);
        assert!(ChartSettings::default().pairs().is_empty());
        for (x, _) in X_AXES {
            let settings = ChartSettings { x, ..ChartSettings::default() };
            assert_eq!(read_back(&settings), settings);
        }
    }

    #[test]
    fn what_can_not_be_read_is_as_at_first() {
        let mut read = ChartSettings::default();
        let odd = [("zoom", "3:1"), ("zoom", "NaN:2"), ("columns", "99"), ("x", "sideways"), ("smooth", "ema:7")];
        odd.iter().for_each(|(name, value)| read.read(name, value));
        assert_eq!(read.smoothing.weight, 0.0);
        read.smoothing = SMOOTHING;
        assert_eq!(read, ChartSettings::default());
    }
}
