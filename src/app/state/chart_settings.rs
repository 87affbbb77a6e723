//! What the user chose for the charts of a view: axes, smoothing, grouping, and the visible part of x.

use rundown_content::Scale;
use rundown_protocol::{Center, LineGrouping, Smoothing, SmoothingKind, XAxis};

/// Most columns of charts.
pub const MAX_COLUMNS: u8 = 6;

/// Smoothing at first: enough to see a trend through the noise of single batches; the raw line stays visible behind it.
pub const SMOOTHING: Smoothing = Smoothing { kind: SmoothingKind::TimeWeightedEma, weight: 0.8 };

/// The settings of charts.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartSettings {
    /// What lies along x.
    pub x: XAxis,
    /// Scale of y; `None` for a logarithmic one where values are positive and span several powers of ten, else a linear one.
    pub y: Option<Scale>,
    /// Smoothing.
    pub smoothing: Smoothing,
    /// Runs with the same value of a setting as one line.
    pub group: Option<LineGrouping>,
    /// Visible part of x; everything when `None`.
    pub window: Option<(f64, f64)>,
    /// Visible part of y of the enlarged chart; everything when `None`.
    pub y_window: Option<(f64, f64)>,
    /// True when outliers may flatten the rest, false when y ends where most values do.
    pub outliers: bool,
    /// True when charts have no bands of extremes.
    pub without_bands: bool,
    /// Columns of charts, 1 to [`MAX_COLUMNS`]; automatic when 0.
    pub columns: u8,
}

const X_AXES: [(XAxis, &str); 4] =
    [(XAxis::Step, "step"), (XAxis::Tokens, "tokens"), (XAxis::RelativeTime, "time"), (XAxis::WallTime, "clock")];

impl Default for ChartSettings {
    fn default() -> Self {
        Self {
            x: XAxis::Step,
            y: None,
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
                    None => X_AXES.into_iter().find(|(_, name)| *name == value).map(|(x, _)| x).unwrap_or_default(),
                }
            }
            "y" => self.y = Scale::from_name(value),
            "smooth" => {
                let (kind, weight) = value.split_once(':').unwrap_or((value, ""));
                let weight = weight.parse().ok().filter(|weight| (0.0..1.0).contains(weight)).unwrap_or(0.0);
                self.smoothing = Smoothing { kind: SmoothingKind::from_name(kind).unwrap_or_default(), weight };
            }
            "group" => {
                let (center, setting) = value.split_once(':').unwrap_or(("", value));
                let center = Center::from_name(center).unwrap_or_default();
                self.group = (!setting.is_empty()).then(|| LineGrouping { setting: setting.to_owned(), center });
            }
            "zoom" => self.window = window(value),
            "zoom-y" => self.y_window = window(value),
            "outliers" => self.outliers = value == "all",
            "bands" => self.without_bands = value == "none",
            "columns" => self.columns = value.parse().ok().filter(|columns| *columns <= MAX_COLUMNS).unwrap_or(0),
            _ => {}
        }
    }

    /// Names and values of everything that is not as at first.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        match &self.x {
            XAxis::Step => {}
            XAxis::Metric(key) => pairs.push(("x", format!("metric:{key}"))),
            x => pairs.extend(X_AXES.iter().find(|(known, _)| known == x).map(|(_, name)| ("x", (*name).to_owned()))),
        }
        pairs.extend(self.y.map(|y| ("y", y.name().to_owned())));
        if self.smoothing != SMOOTHING {
            pairs.push(("smooth", format!("{}:{}", self.smoothing.kind.name(), self.smoothing.weight)));
        }
        if let Some(group) = &self.group {
            pairs.push(("group", format!("{}:{}", group.center.name(), group.setting)));
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
            y: Some(Scale::Symlog),
            smoothing: Smoothing { kind: SmoothingKind::Gaussian, weight: 0.9 },
            group: Some(LineGrouping { setting: "a:b".into(), center: Center::Iqm }),
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
