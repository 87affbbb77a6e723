//! Pointer, fingers, wheel and keys on a chart.
//!
//! One finger scrolls the page and moves the cursor along x; two pinch and pan.

use leptos::ev::{Event, KeyboardEvent, MouseEvent, PointerEvent, WheelEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::model::{ChartModel, Pointer};
use super::scene::overlay_shapes::ZoomBox;
use super::scene::windows::pinched;
use crate::app::browser::elements::by_id;
use crate::app::content::window_size;
use rundown_plot::clamped;

/// A shorter drag is a click, in CSS pixels.
const CLICK_PX: f64 = 4.0;
/// How much a notch of the wheel (100 units) zooms: the natural logarithm of 1.2.
const WHEEL_ZOOM_LN: f64 = 0.182;
const KEY_ZOOM: f64 = 1.5;
const KEY_PAN: f64 = 0.15;
/// A drag is one along y when it is so much longer there.
const MAINLY: f64 = 1.5;

/// A point on the chart in CSS pixels.
type Point = (f64, f64);

/// What pressed pointers do.
#[derive(Debug, Clone, PartialEq, Default)]
enum Press {
    #[default]
    Nothing,
    /// Draws a zoom box from here.
    Box { from: Point },
    /// Moves the window; the last position.
    Pan { last: f64 },
    /// Fingers by their ids, and once there are two, the values of x that lay under them.
    Fingers { down: Vec<(i32, f64)>, grabbed: Option<(f64, f64)> },
}

/// The gestures of one chart.
#[derive(Clone, Copy)]
pub struct Gestures {
    chart: ChartModel,
    press: StoredValue<Press>,
    /// How a visible part of y is chosen.
    choose_y: Callback<Option<(f64, f64)>>,
}

impl Gestures {
    /// Gestures of `chart`.
    pub fn new(chart: ChartModel, choose_y: Callback<Option<(f64, f64)>>) -> Self {
        Self { chart, press: StoredValue::new(Press::Nothing), choose_y }
    }

    /// A button or finger goes down.
    pub fn down(self, event: &PointerEvent) {
        let at = offset(event);
        if event.pointer_type() == "touch" {
            self.finger_down(event.pointer_id(), at.0);
            self.point(event);
            return;
        }
        let press = match (event.button(), event.shift_key()) {
            (0, false) => Press::Box { from: at },
            (0, true) | (1, _) => Press::Pan { last: at.0 },
            _ => return,
        };
        self.press.set_value(press);
        if let Some(frame) = self.frame() {
            // Without capture a drag ends at the border: a lesser drag, not an error.
            let _ = frame.set_pointer_capture(event.pointer_id());
        }
    }

    /// A pointer moves.
    pub fn moved(self, event: &PointerEvent) {
        let at = offset(event);
        match self.press.get_value() {
            Press::Nothing => self.point(event),
            Press::Box { from } => self.chart.set_zoom_box(zoom_box(from, at)),
            Press::Pan { last } => {
                self.press.set_value(Press::Pan { last: at.0 });
                if let Some(width) = self.width_css() {
                    self.chart.group.drag(|view| view.panned((last - at.0) / width));
                }
            }
            Press::Fingers { mut down, grabbed } => {
                if let Some(finger) = down.iter_mut().find(|(id, _)| *id == event.pointer_id()) {
                    finger.1 = at.0;
                }
                self.press.set_value(Press::Fingers { down: down.clone(), grabbed });
                match (grabbed, down.as_slice()) {
                    (Some(values), [(_, a), (_, b)]) => self.pinch(values, (*a, *b)),
                    _ => self.point(event),
                }
            }
        }
    }

    /// A button or finger goes up.
    pub fn up(self, event: &PointerEvent) {
        match self.press.get_value() {
            Press::Fingers { mut down, grabbed } => {
                down.retain(|(id, _)| *id != event.pointer_id());
                let is_over = down.is_empty();
                self.press.set_value(if is_over { Press::Nothing } else { Press::Fingers { down, grabbed: None } });
                if grabbed.is_some() {
                    self.chart.group.commit();
                }
                return;
            }
            Press::Pan { .. } => self.chart.group.commit(),
            Press::Box { .. } | Press::Nothing => {}
        }
        self.press.set_value(Press::Nothing);
        let zoom_box = self.chart.zoom_box();
        if zoom_box.is_none() {
            return;
        }
        self.chart.set_zoom_box(None);
        match zoom_box {
            Some(ZoomBox::Across(from, to)) => {
                if let (Some(a), Some(b)) = (self.x_css(from), self.x_css(to)) {
                    self.chart.group.choose(|view| view.selected(a, b));
                }
            }
            Some(ZoomBox::Down(from, to)) => {
                if let (Some(a), Some(b)) = (self.y_css(from), self.y_css(to)) {
                    self.choose_y.run(Some((a.min(b), a.max(b))));
                }
            }
            None => {}
        }
    }

    /// The gesture is taken away, or Escape pressed: nothing changes.
    pub fn cancel(self) {
        self.press.set_value(Press::Nothing);
        self.chart.set_zoom_box(None);
        self.chart.group.commit();
    }

    /// The browser takes the gesture, to scroll.
    pub fn taken_away(self) {
        self.cancel();
        self.forget_pointer();
    }

    /// The chart is taken apart.
    pub fn gone(self) {
        if self.chart.pointer.try_get_untracked().flatten().is_some() {
            let _ = self.chart.group.cursor.try_set(None);
        }
    }

    /// The pointer leaves.
    pub fn left(self, event: &PointerEvent) {
        // A finger that is lifted leaves what it pointed at to be read.
        if event.pointer_type() != "touch" && self.press.get_value() == Press::Nothing {
            self.forget_pointer();
        }
    }

    /// Takes cursor and tooltip away.
    pub fn forget_pointer(self) {
        self.chart.pointer.set(None);
        self.chart.group.cursor.set(None);
    }

    /// Double click: everything again.
    pub fn double(self, event: &MouseEvent) {
        event.prevent_default();
        self.reset();
    }

    /// Two fingers are ours, not the browser's.
    pub fn capture_touch(self, event: &Event) {
        if matches!(self.press.get_value(), Press::Fingers { grabbed: Some(_), .. }) {
            event.prevent_default();
        }
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
                self.chart.group.nudge(|view| view.panned(across / width));
            }
            return;
        }
        let notches = (down / 100.0).clamp(-3.0, 3.0);
        if let Some(at) = self.x_css(f64::from(event.offset_x())) {
            self.chart.group.nudge(|view| view.zoomed(at, libm::exp(WHEEL_ZOOM_LN * notches)));
        }
    }

    /// Keys of a focused chart: arrows, + - 0, Home, End, Escape. True when the cursor was moved.
    pub fn key(self, event: &KeyboardEvent) -> bool {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return false;
        }
        let group = self.chart.group;
        let is_zoomed = untrack(|| group.visible()).is_some();
        let mut moved_cursor = false;
        match event.key().as_str() {
            "ArrowLeft" if is_zoomed && !event.shift_key() => group.nudge(|view| view.panned(-KEY_PAN)),
            "ArrowRight" if is_zoomed && !event.shift_key() => group.nudge(|view| view.panned(KEY_PAN)),
            "ArrowLeft" => moved_cursor = self.step(-0.01),
            "ArrowRight" => moved_cursor = self.step(0.01),
            "Home" => moved_cursor = self.put(0.0),
            "End" => moved_cursor = self.put(1.0),
            "+" | "=" => self.zoom_keys(1.0 / KEY_ZOOM),
            "-" | "_" => self.zoom_keys(KEY_ZOOM),
            "0" => self.reset(),
            // What is not open here may be closed elsewhere.
            "Escape" if !self.is_busy() => return false,
            "Escape" => {
                self.cancel();
                self.forget_pointer();
            }
            _ => return false,
        }
        event.prevent_default();
        event.stop_propagation();
        moved_cursor
    }

    fn is_busy(self) -> bool {
        self.press.get_value() != Press::Nothing || untrack(|| self.chart.pointer.get()).is_some()
    }

    fn reset(self) {
        self.chart.group.choose(|view| view.selected(f64::NAN, f64::NAN));
        self.choose_y.run(None);
    }

    /// Moves cursor and tooltip to the pointer.
    fn point(self, event: &PointerEvent) {
        let client = (f64::from(event.client_x()), f64::from(event.client_y()));
        let window = window_size();
        self.chart.group.cursor.set(self.x_css(f64::from(event.offset_x())));
        self.chart.pointer.set(Some(Pointer { client, window, down: Some(f64::from(event.offset_y())) }));
    }

    fn finger_down(self, id: i32, at: f64) {
        let mut down = match self.press.get_value() {
            Press::Fingers { down, .. } => down,
            _ => Vec::new(),
        };
        down.retain(|(known, _)| *known != id);
        down.push((id, at));
        let grabbed = match down.as_slice() {
            [(_, a), (_, b)] => self.x_css(*a).zip(self.x_css(*b)),
            _ => None,
        };
        self.press.set_value(Press::Fingers { down, grabbed });
    }

    fn pinch(self, values: (f64, f64), at: (f64, f64)) {
        let Some(area) = self.chart.area() else { return };
        let scale = self.chart.size().scale;
        let pixels = (at.0 * scale, at.1 * scale);
        self.chart.pointer.set(None);
        self.chart.group.drag(|view| {
            let window = pinched(values, pixels, (area.left, area.right - area.left), view.range());
            window.map_or(view, |(low, high)| view.selected(low, high))
        });
    }

    /// Around the cursor, or the middle without one.
    fn zoom_keys(self, factor: f64) {
        let cursor = self.chart.group.cursor.get_untracked();
        self.chart.group.nudge(|view| view.zoomed(cursor.unwrap_or(view.range().value_at(0.5)), factor));
    }

    /// Moves the cursor by a fraction of the width, and on to the next point.
    fn step(self, by: f64) -> bool {
        let range = untrack(|| self.chart.group.view()).range();
        let data = self.chart.data();
        let now = self.chart.group.cursor.get_untracked();
        let snapped = |at: f64| data.as_ref().and_then(|data| data.snapped(at)).unwrap_or(at);
        let from = now.map_or(range.value_at(0.5), snapped);
        let mut fraction = range.fraction(from) + by;
        // Points may lie further apart than that.
        while snapped(range.value_at(fraction)) == from && (0.0..=1.0).contains(&fraction) {
            fraction += by;
        }
        self.put(fraction)
    }

    fn put(self, fraction: f64) -> bool {
        let range = untrack(|| self.chart.group.view()).range();
        let at = range.value_at(fraction.clamp(0.0, 1.0));
        let window = window_size();
        self.chart.group.cursor.set(Some(at));
        if let (Some(frame), Some(area)) = (self.frame(), self.chart.area()) {
            let edge = frame.get_bounding_client_rect();
            let across = area.pixel_of(at) / self.chart.size().scale;
            let client = (edge.left() + across, edge.top());
            self.chart.pointer.set(Some(Pointer { client, window, down: None }));
        }
        true
    }

    fn has_focus(self) -> bool {
        self.frame().is_some_and(|frame| document().active_element() == Some(frame))
    }

    fn frame(self) -> Option<Element> {
        by_id(&self.chart.frame_id())
    }

    /// The value of x at a distance from the left edge, kept within the area.
    fn x_css(self, offset: f64) -> Option<f64> {
        let area = self.chart.area()?;
        Some(area.x_at(clamped(offset * self.chart.size().scale, area.left, area.right)))
    }

    fn y_css(self, offset: f64) -> Option<f64> {
        let area = self.chart.area()?;
        Some(area.y_at(clamped(offset * self.chart.size().scale, area.top, area.bottom)))
    }

    fn width_css(self) -> Option<f64> {
        let area = self.chart.area()?;
        Some((area.right - area.left) / self.chart.size().scale).filter(|width| *width > 0.0)
    }
}

fn offset(event: &PointerEvent) -> Point {
    let event: &MouseEvent = event.unchecked_ref();
    (f64::from(event.offset_x()), f64::from(event.offset_y()))
}

fn zoom_box(from: Point, to: Point) -> Option<ZoomBox> {
    let (across, down) = ((to.0 - from.0).abs(), (to.1 - from.1).abs());
    if across.max(down) < CLICK_PX {
        return None;
    }
    Some(if down > across * MAINLY { ZoomBox::Down(from.1, to.1) } else { ZoomBox::Across(from.0, to.0) })
}
