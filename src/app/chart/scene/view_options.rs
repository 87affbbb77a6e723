//! What the user wants to see of a chart: which part, on which scale, with what shaded and highlighted.

use rundown_plot::{Range, Scale};
use rundown_protocol::SeverityMark;

/// What the user wants to see.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ViewOptions {
    /// Visible part of x.
    pub view: Range,
    /// Scale of y; chosen by the values when `None`.
    pub scale: Option<Scale>,
    /// Visible part of y; everything when `None`.
    pub y_window: Option<(f64, f64)>,
    /// True when outliers may flatten the rest.
    pub outliers: bool,
    /// What is shaded.
    pub shade: Option<Shading>,
    /// True when two lines may get a scale each.
    pub own_scales: bool,
    /// The run under the pointer: the others are faded.
    pub highlighted: Option<u32>,
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self {
            view: Range::unit(),
            scale: None,
            y_window: None,
            outliers: false,
            shade: None,
            own_scales: false,
            highlighted: None,
        }
    }
}

/// The steps of a finding, shaded in a chart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shading {
    /// First step.
    pub onset: f64,
    /// Last step; without one the shade runs to the end of the axis.
    pub end: Option<f64>,
    /// Colour.
    pub severity: SeverityMark,
}

impl Shading {
    /// True for a finding of one step.
    pub fn is_one_step(&self) -> bool {
        self.end.is_some_and(|end| end <= self.onset)
    }
}
