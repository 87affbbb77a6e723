//! Charts of the page: canvases, gestures and frames around what [`crate::plot`] draws.

use leptos::prelude::*;

use crate::protocol::SeverityMark;

/// The steps of a finding, shaded in a chart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shading {
    /// First step; nothing is shaded when NaN.
    pub onset: f64,
    /// Last step; the shade runs to the end of the axis when NaN.
    pub end: f64,
    /// Colour.
    pub severity: SeverityMark,
}

/// What charts side by side share: the cursor along x, and the window unless the address holds it.
#[derive(Clone, Copy)]
pub struct ChartGroup {
    /// Position of the cursor along x.
    pub cursor: RwSignal<Option<f64>>,
    /// Visible part of x; everything when `None`.
    pub window: RwSignal<Option<(f64, f64)>>,
}

impl ChartGroup {
    /// A group of its own.
    pub fn new() -> Self {
        Self { cursor: RwSignal::new(None), window: RwSignal::new(None) }
    }
}

/// The chart of a finding's evidence: at most two metrics of a run, over steps, smoothed over the raw lines. Charts of
/// one group share cursor and window.
#[component]
pub fn EvidenceChart(
    run: u32,
    keys: Vec<String>,
    shade: Shading,
    #[prop(optional)] group: Option<ChartGroup>,
) -> impl IntoView {
    let _ = (run, shade, group);
    view! { <p>{keys.join(", ")}</p> }
}

/// One metric of all shown runs, with the settings of charts that the address holds.
#[component]
pub fn RunsChart(key: String, #[prop(optional)] unit: String) -> impl IntoView {
    view! { <p>{key} {unit}</p> }
}
