//! Pointer, wheel and keys on a chart.

use leptos::prelude::document;
use web_sys::{Element, Event, KeyboardEvent, PointerEvent, WheelEvent};

use super::state::ChartState;
use crate::app::dom::by_id;
use crate::app::reactive::State;
use crate::plot::clamped;

/// A shorter drag is a click, in CSS pixels.
const CLICK_PX: f64 = 4.0;
/// How much a notch of the wheel (100 units) zooms: the natural logarithm of 1.2.
const WHEEL_ZOOM_LN: f64 = 0.182;
const KEY_ZOOM: f64 = 1.5;
const KEY_PAN: f64 = 0.15;

/// What a pressed pointer does.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Press {
    /// Draws a zoom box from here.
    Box { from: f64 },
    /// Moves the window; the last position.
    Pan { last: f64 },
}

/// The gestures of one chart.
#[derive(Clone, Copy)]
pub struct Gestures {
    chart: ChartState,
    press: State<Option<Press>>,
}

impl Gestures {
    /// Gestures of `chart`.
    pub fn new(chart: ChartState) -> Self {
        Self { chart, press: State::new(None) }
    }

    /// A button or finger goes down.
    pub fn down(self, event: &PointerEvent) {
        if event.pointer_type() == "touch" {
            // A finger scrolls the page; where it taps is where the cursor goes.
            self.chart.set_pointer(Some(f64::from(event.offset_y())));
            self.chart.group.cursor.set(self.x_at(event.offset_x()));
            return;
        }
        let at = f64::from(event.offset_x());
        let press = match (event.button(), event.shift_key()) {
            (0, false) => Press::Box { from: at },
            (0, true) | (1, _) => Press::Pan { last: at },
            _ => return,
        };
        self.press.set(Some(press));
        if let Some(frame) = self.frame() {
            // Without capture a drag ends at the border: a lesser drag, not an error.
            let _ = frame.set_pointer_capture(event.pointer_id());
        }
    }

    /// The pointer moves.
    pub fn moved(self, event: &PointerEvent) {
        let at = f64::from(event.offset_x());
        match self.press.get_untracked() {
            None => {
                self.chart.set_pointer(Some(f64::from(event.offset_y())));
                self.chart.group.cursor.set(self.x_at(event.offset_x()));
            }
            Some(Press::Box { from }) => {
                self.chart.set_drag(((at - from).abs() >= CLICK_PX).then_some((from, at)));
            }
            Some(Press::Pan { last }) => {
                self.press.set(Some(Press::Pan { last: at }));
                if let Some(width) = self.width_css() {
                    self.chart.group.change(|view| view.panned((last - at) / width));
                }
            }
        }
    }

    /// The button goes up.
    pub fn up(self) {
        let press = self.press.quietly(Option::take).flatten();
        let drag = self.chart.drag();
        if drag.is_some() {
            self.chart.set_drag(None);
        }
        if let (Some(Press::Box { .. }), Some((from, to))) = (press, drag)
            && let (Some(a), Some(b)) = (self.x_css(from), self.x_css(to))
        {
            self.chart.group.change(|view| view.selected(a, b));
        }
    }

    /// The gesture is taken away, or Escape pressed: nothing changes.
    pub fn cancel(self) {
        self.press.set(None);
        self.chart.set_drag(None);
    }

    /// The pointer leaves.
    pub fn left(self) {
        if self.press.get_untracked().is_none() {
            self.chart.set_pointer(None);
            self.chart.group.cursor.set(None);
        }
    }

    /// Double click: everything again.
    pub fn double(self, event: &Event) {
        event.prevent_default();
        self.chart.group.change(|view| view.selected(f64::NAN, f64::NAN));
    }

    /// The wheel zooms with Ctrl or ⌘ (a pinch on a touchpad comes so too) or when the chart has the focus;
    /// otherwise it scrolls the page.
    pub fn wheel(self, event: &WheelEvent) {
        if !(event.ctrl_key() || event.meta_key() || self.has_focus()) {
            return;
        }
        // Lines and pages as pixels: the usual 33 pixels a line.
        let unit = match event.delta_mode() {
            WheelEvent::DOM_DELTA_LINE => 33.0,
            WheelEvent::DOM_DELTA_PAGE => 400.0,
            _ => 1.0,
        };
        let (across, down) = (event.delta_x() * unit, event.delta_y() * unit);
        event.prevent_default();
        if across.abs() > down.abs() {
            if let Some(width) = self.width_css() {
                self.chart.group.change(|view| view.panned(across / width));
            }
            return;
        }
        let notches = (down / 100.0).clamp(-3.0, 3.0);
        if let Some(at) = self.x_at(event.offset_x()) {
            self.chart.group.change(|view| view.zoomed(at, libm::exp(WHEEL_ZOOM_LN * notches)));
        }
    }

    /// Keys of a focused chart: arrows, + - 0, Home, End, Escape. True when the cursor was moved.
    pub fn key(self, event: &KeyboardEvent) -> bool {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return false;
        }
        let group = self.chart.group;
        let is_zoomed = group.view().window().is_some();
        let mut moved_cursor = false;
        match event.key().as_str() {
            "ArrowLeft" if is_zoomed && !event.shift_key() => group.change(|view| view.panned(-KEY_PAN)),
            "ArrowRight" if is_zoomed && !event.shift_key() => group.change(|view| view.panned(KEY_PAN)),
            "ArrowLeft" => moved_cursor = self.step(-1.0),
            "ArrowRight" => moved_cursor = self.step(1.0),
            "Home" => moved_cursor = self.place(0.0),
            "End" => moved_cursor = self.place(1.0),
            "+" | "=" => self.zoom_keys(1.0 / KEY_ZOOM),
            "-" | "_" => self.zoom_keys(KEY_ZOOM),
            "0" => group.change(|view| view.selected(f64::NAN, f64::NAN)),
            "Escape" => {
                self.cancel();
                group.cursor.set(None);
            }
            _ => return false,
        }
        event.prevent_default();
        event.stop_propagation();
        moved_cursor
    }

    /// Around the cursor, or the middle without one.
    fn zoom_keys(self, factor: f64) {
        let cursor = self.chart.group.cursor_now();
        self.chart.group.change(|view| view.zoomed(cursor.unwrap_or(view.range().value_at(0.5)), factor));
    }

    /// Moves the cursor to the next point of the first line, at least a hundredth of the width away.
    fn step(self, direction: f64) -> bool {
        let group = self.chart.group;
        let range = group.view().range();
        let from = group.cursor_now().unwrap_or(range.value_at(0.5));
        self.place(range.fraction(from) + direction * 0.01)
    }

    fn place(self, fraction: f64) -> bool {
        let range = self.chart.group.view().range();
        self.chart.set_pointer(None);
        self.chart.group.cursor.set(Some(range.value_at(fraction.clamp(0.0, 1.0))));
        true
    }

    fn has_focus(self) -> bool {
        self.frame().is_some_and(|frame| document().active_element() == Some(frame))
    }

    fn frame(self) -> Option<Element> {
        by_id(&self.chart.frame_id())
    }

    fn x_at(self, offset: i32) -> Option<f64> {
        self.x_css(f64::from(offset))
    }

    /// The value of x at a distance from the left edge, kept within the area.
    fn x_css(self, offset: f64) -> Option<f64> {
        let area = self.chart.area()?;
        Some(area.x_at(clamped(offset * self.chart.size().scale, area.left, area.right)))
    }

    fn width_css(self) -> Option<f64> {
        let area = self.chart.area()?;
        Some((area.right - area.left) / self.chart.size().scale).filter(|width| *width > 0.0)
    }
}
