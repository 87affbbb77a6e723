//! The chart of a finding: at most two metrics, shaded from its onset.

use super::group::ChartGroup;
use super::line_chart::line_chart;
use super::scene::Shading;
use super::state::{ChartOptions, Choice};
use crate::app::dom::El;
use crate::app::reactive::State;
use crate::app::store::Store;
use crate::protocol::MetricKind;

/// Enough to see a trend through the noise of single batches; the raw line stays visible behind it.
const SMOOTHING: f64 = 0.8;

/// The chart of a finding's evidence: at most two metrics of a run. Steps that are NaN shade nothing.
pub fn evidence_chart(store: Store, run: u32, keys: Vec<String>, shade: Shading) -> El {
    let note = if shade.onset.is_nan() { "" } else { "shaded from onset" };
    let options = ChartOptions {
        store,
        run,
        kind: MetricKind::Numbers,
        keys,
        choice: State::new(Choice { smoothing: SMOOTHING, ..Choice::default() }),
        group: ChartGroup::default(),
        shade: Some(shade),
        own_scales: true,
    };
    line_chart(options, note.to_owned())
}
