//! Dragging across the incident timeline: the steps that it covers become the window of the charts.

use leptos::ev::PointerEvent;
use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::lanes::{Steps, share};
use crate::app::browser::timing::after;
use crate::app::chart::ChartGroup;

/// Pixels that the pointer moves before a click becomes a drag.
const SLACK: f64 = 4.0;

/// A drag across a track. Copies are the same drag.
#[derive(Clone, Copy)]
pub struct Brush {
    /// The element whose width is that of all steps.
    track: NodeRef<Div>,
    /// The first and the last step.
    steps: Steps,
    /// The charts whose window it sets.
    charts: ChartGroup,
    /// Where the pointer was pressed and where it is, as shares of the track.
    ends: RwSignal<Option<(f64, f64)>>,
    /// True from the first movement on, until the click that ends the drag is over.
    is_drag: StoredValue<bool>,
}

impl Brush {
    /// A drag that makes `charts` show some of `steps`.
    pub fn new(track: NodeRef<Div>, steps: Steps, charts: ChartGroup) -> Self {
        Self { track, steps, charts, ends: RwSignal::new(None), is_drag: StoredValue::new(false) }
    }

    /// The pointer was pressed.
    pub fn begin(self, event: &PointerEvent) {
        self.is_drag.set_value(false);
        if event.button() == 0 && self.steps.is_some_and(|(first, last)| last > first) {
            self.ends.set(self.share_at(event).map(|share| (share, share)));
        }
    }

    /// The pointer was moved.
    pub fn drag(self, event: &PointerEvent) {
        let Some((from, _)) = self.ends.get_untracked() else { return };
        let (Some(to), Some(width)) = (self.share_at(event), self.width()) else { return };
        if !self.is_drag.get_value() && (to - from).abs() * width < SLACK {
            return;
        }
        if !self.is_drag.get_value() {
            self.is_drag.set_value(true);
            // What happens outside the timeline still belongs to the drag.
            let target = event.current_target().and_then(|target| target.dyn_into::<Element>().ok());
            if let Some(target) = target {
                let _ = target.set_pointer_capture(event.pointer_id());
            }
        }
        self.ends.set(Some((from, to)));
    }

    /// The pointer was let go: the charts show what it went across.
    pub fn finish(self) {
        let ends = self.ends.get_untracked();
        self.ends.set(None);
        if let Some(((from, to), (first, last))) = ends.filter(|_| self.is_drag.get_value()).zip(self.steps) {
            let step = |share: f64| first + share * (last - first);
            self.charts.show(Some((step(from.min(to)), step(from.max(to)))));
            // The click on what lies under the pointer comes at once.
            after(0, move || {
                self.is_drag.try_set_value(false);
            });
        }
    }

    /// The browser took the pointer away.
    pub fn cancel(self) {
        self.ends.set(None);
        self.is_drag.set_value(false);
    }

    /// True for the click that ends a drag.
    pub fn was_dragged(self) -> bool {
        self.is_drag.get_value()
    }

    /// What is being dragged across, else what the charts show, as shares of the track; followed by whoever asks.
    pub fn band(self) -> Option<(f64, f64)> {
        let window = self.charts.visible();
        match self.ends.get() {
            Some((from, to)) if from != to => Some((from.min(to), from.max(to))),
            _ => window.map(|(from, to)| (share(from, self.steps), share(to, self.steps))),
        }
    }

    fn share_at(self, event: &PointerEvent) -> Option<f64> {
        let rect = self.track.get_untracked()?.get_bounding_client_rect();
        let share = (f64::from(event.client_x()) - rect.left()) / rect.width();
        share.is_finite().then(|| share.clamp(0.0, 1.0))
    }

    fn width(self) -> Option<f64> {
        Some(self.track.get_untracked()?.get_bounding_client_rect().width())
    }
}
