//! The state of one chart: asks the engine for lines when something changed, and draws them.
//!
//! A page holds hundreds of charts, so what changes in one is plain state behind a few signals, not a signal each.

use std::rc::Rc;

use leptos::prelude::{document, window};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlCanvasElement};

use super::backend::{PageBackend, SUBPIXELS};
use super::data::ChartData;
use super::frames::{new_id, on_next_frame, timed};
use super::group::ChartGroup;
use super::overlay;
use super::scene::{Look, Shading, scene};
use super::watch::ElementWatch;
use crate::app::client::AskError;
use crate::app::dom::{by_id, later};
use crate::app::reactive::{State, follow, untrack};
use crate::app::store::Store;
use crate::plot::{PlotArea, Surface, Theme, draw_on};
use crate::protocol::{LinesRequest, MetricKind, Reply, Request, XAxis};

/// Widths are asked for in steps of this many pixels, so that dragging a border does not ask at each pixel.
const WIDTH_STEP: u32 = 64;
/// Larger canvases are refused by browsers or cost more memory than a chart is worth.
const LARGEST_PX: f64 = 8_192.0;

/// What the user chose for the charts of a view.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Choice {
    /// What lies along x.
    pub x: XAxis,
    /// Smoothing weight, 0 for none.
    pub smoothing: f64,
    /// Logarithmic y axis.
    pub log_y: bool,
}

/// What one chart shows.
pub struct ChartOptions {
    /// The page.
    pub store: Store,
    /// Which run.
    pub run: u32,
    /// Whether its lines or its histograms are drawn.
    pub kind: MetricKind,
    /// Metric keys, in the order of their colours.
    pub keys: Vec<String>,
    /// What the user chose.
    pub choice: State<Choice>,
    /// What it shares with its neighbours.
    pub group: ChartGroup,
    /// What is shaded.
    pub shade: Option<Shading>,
    /// True when two lines of different size get a scale each.
    pub own_scales: bool,
}

/// Size of a chart in device pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CanvasSize {
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
    /// Device pixels for each CSS pixel.
    pub scale: f64,
}

/// One chart. Copies are the same chart; after the chart is gone everything about it is absent.
#[derive(Clone, Copy)]
pub struct ChartState {
    /// A number that no other chart has.
    pub id: u64,
    /// What it shares with its neighbours.
    pub group: ChartGroup,
    /// What the user chose.
    pub choice: State<Choice>,
    /// Grows when there are other data, or none: words follow it.
    pub changed: State<u32>,
    store: Store,
    parts: State<Parts>,
}

struct Parts {
    run: u32,
    kind: MetricKind,
    keys: Vec<String>,
    shade: Option<Shading>,
    own_scales: bool,
    watch: Option<ElementWatch>,
    /// The canvas of the lines and the one of the cursor.
    canvases: Option<(HtmlCanvasElement, HtmlCanvasElement)>,
    size: CanvasSize,
    in_sight: bool,
    data: Option<Rc<ChartData>>,
    problem: Option<String>,
    drag: Option<(f64, f64)>,
    /// Where the pointer is, in CSS pixels from the upper edge.
    pointer: Option<f64>,
    area: Option<PlotArea>,
    /// The newest question that was not asked yet: one question is open at a time.
    wanted: Option<LinesRequest>,
    is_asking: bool,
}

impl ChartState {
    /// A chart in the current owner, whose frame will have the id [`ChartState::frame_id`].
    pub fn new(options: ChartOptions) -> Self {
        let ChartOptions { store, run, kind, keys, choice, group, shade, own_scales } = options;
        let parts = Parts {
            run,
            kind,
            keys,
            shade,
            own_scales,
            watch: None,
            canvases: None,
            size: CanvasSize::default(),
            in_sight: false,
            data: None,
            problem: None,
            drag: None,
            pointer: None,
            area: None,
            wanted: None,
            is_asking: false,
        };
        let chart = Self { id: new_id(), group, choice, changed: State::new(0), store, parts: State::new(parts) };
        chart.follow();
        chart
    }

    /// Id of the box around the canvases.
    pub fn frame_id(self) -> String {
        format!("chart-{}", self.id)
    }

    /// The keys, in the order of their colours.
    pub fn keys(self) -> Vec<String> {
        self.part(|parts| parts.keys.clone()).unwrap_or_default()
    }

    /// What is drawn.
    pub fn kind(self) -> MetricKind {
        self.part(|parts| parts.kind).unwrap_or_default()
    }

    /// The colours of the page; followed by whoever asks.
    pub fn theme(self) -> &'static Theme {
        Theme::of(self.store.theme.is_dark())
    }

    /// What the user chose, without following it.
    pub fn choice_now(self) -> Choice {
        self.choice.get_untracked()
    }

    /// Where the lines lie on the canvas, once they are drawn.
    pub fn area(self) -> Option<PlotArea> {
        self.part(|parts| parts.area).flatten()
    }

    /// Size of the canvases.
    pub fn size(self) -> CanvasSize {
        self.part(|parts| parts.size).unwrap_or_default()
    }

    /// The canvas of the lines and the one of the cursor.
    pub fn canvases(self) -> Option<(HtmlCanvasElement, HtmlCanvasElement)> {
        self.part(|parts| parts.canvases.clone()).flatten()
    }

    /// The data, if they belong to what the user wants to see.
    pub fn data(self) -> Option<Rc<ChartData>> {
        let x = self.choice_now().x;
        self.part(|parts| parts.data.clone()).flatten().filter(|data| data.x == x)
    }

    /// Why nothing is drawn.
    pub fn problem(self) -> Option<String> {
        self.part(|parts| parts.problem.clone()).flatten()
    }

    /// The zoom box under way: its two ends in CSS pixels from the left edge.
    pub fn drag(self) -> Option<(f64, f64)> {
        self.part(|parts| parts.drag).flatten()
    }

    /// Draws a zoom box, or takes it away.
    pub fn set_drag(self, drag: Option<(f64, f64)>) {
        self.change(|parts| parts.drag = drag);
        overlay::draw(self);
    }

    /// Notes where the pointer is, in CSS pixels from the upper edge; `None` when it is elsewhere.
    pub fn set_pointer(self, pointer: Option<f64>) {
        self.change(|parts| parts.pointer = pointer);
    }

    /// The value of y under the pointer.
    pub fn y_at_pointer(self) -> Option<f64> {
        let pointer = self.part(|parts| parts.pointer).flatten()?;
        Some(self.area()?.y_at(pointer * self.size().scale))
    }

    /// What the user chose, as the drawing wants it.
    pub fn look(self) -> Look {
        let choice = self.choice_now();
        let (shade, own_scales) = self.part(|parts| (parts.shade, parts.own_scales)).unwrap_or_default();
        Look {
            view: self.group.view().range(),
            log_y: choice.log_y,
            shade: shade.filter(|_| choice.x == XAxis::Step),
            own_scales,
        }
    }

    fn part<T>(self, read: impl FnOnce(&Parts) -> T) -> Option<T> {
        self.parts.quietly(|parts| read(parts))
    }

    fn change<T>(self, change: impl FnOnce(&mut Parts) -> T) -> Option<T> {
        self.parts.quietly(change)
    }

    fn follow(self) {
        let generation = self.store.engine.generation();
        follow(move || {
            generation.track();
            self.choice.track();
            self.group.track();
            self.theme();
            untrack(|| {
                self.ask();
                self.draw_soon();
            });
        });
        follow(move || {
            self.group.cursor.track();
            overlay::draw(self);
        });
        // Once the frame is in the page.
        later(0, move || self.mount());
    }

    /// Puts the canvases into the frame and watches it.
    fn mount(self) {
        let Some(frame) = by_id::<Element>(&self.frame_id()) else { return };
        let (Some(base), Some(upper)) = (new_canvas(&frame), new_canvas(&frame)) else { return };
        let element = frame.clone();
        let measure = move || {
            let scale = window().device_pixel_ratio().clamp(0.25, 8.0);
            let pixels = |css: i32| (f64::from(css) * scale).round().clamp(0.0, LARGEST_PX) as u32;
            let size =
                CanvasSize { width: pixels(element.client_width()), height: pixels(element.client_height()), scale };
            self.change(|parts| parts.size = size);
            self.ask();
            self.draw_soon();
        };
        let watch = ElementWatch::new(&frame, measure, move |in_sight| self.seen(in_sight));
        self.change(|parts| {
            parts.canvases = Some((base, upper));
            parts.watch = watch;
        });
    }

    /// The chart comes into sight or leaves it. Out of sight it gives back what it does not need: a thousand
    /// charts would fill the memory.
    fn seen(self, in_sight: bool) {
        self.change(|parts| {
            parts.in_sight = in_sight;
            if in_sight {
                return;
            }
            parts.data = None;
            parts.area = None;
            if let Some((base, upper)) = &parts.canvases {
                for canvas in [base, upper] {
                    canvas.set_width(0);
                    canvas.set_height(0);
                }
            }
        });
        self.ask();
    }

    fn ask(self) {
        let choice = self.choice_now();
        let window = self.group.window.get_untracked();
        let start = self.change(|parts| {
            if !parts.in_sight || parts.size.width == 0 {
                return false;
            }
            parts.wanted = Some(LinesRequest {
                run: parts.run,
                kind: parts.kind,
                keys: parts.keys.clone(),
                x: choice.x,
                window,
                width_px: parts.size.width.div_ceil(WIDTH_STEP) * WIDTH_STEP,
                smoothing: choice.smoothing.clamp(0.0, 0.999),
            });
            !std::mem::replace(&mut parts.is_asking, true)
        });
        if start == Some(true) {
            self.ask_next();
        }
    }

    /// Ends when nothing more is wanted, or the chart is gone.
    fn ask_next(self) {
        let Some(request) = self.change(Parts::next_request).flatten() else { return };
        let (x, keys) = (request.x, request.keys.clone());
        self.store.engine.ask(Request::Lines(request), move |answer| {
            match answer {
                Ok((Reply::Lines(lines), arrays)) => self.show(ChartData::new(lines, &arrays, x, &keys)),
                Ok(_) => self.fail("unexpected reply from the engine: reload the page"),
                Err(AskError::Cancelled) => {}
                Err(AskError::Failed(why)) => self.fail(&why),
            }
            self.ask_next();
        });
    }

    fn show(self, data: ChartData) {
        let Some(run) = self.part(|parts| parts.in_sight.then_some(parts.run)).flatten() else { return };
        if let Some(extent) = data.extent.filter(|_| data.x == self.choice_now().x) {
            self.group.grow(run, data.x, extent);
        }
        self.change(|parts| {
            parts.problem = None;
            parts.data = Some(Rc::new(data));
        });
        self.tell();
        self.draw_soon();
    }

    fn fail(self, why: &str) {
        self.change(|parts| parts.problem = Some(format!("This chart can't be drawn: {why}")));
        self.tell();
    }

    fn tell(self) {
        self.changed.update(|changed| *changed = changed.wrapping_add(1));
    }

    fn draw_soon(self) {
        if self.part(|parts| parts.in_sight) == Some(true) {
            on_next_frame(self.id, move || untrack(|| self.draw()));
        }
    }

    fn draw(self) {
        let (Some(data), Some((canvas, _))) = (self.data(), self.canvases()) else { return };
        let size = self.size();
        if self.part(|parts| parts.in_sight) != Some(true) || size.width == 0 || size.height == 0 {
            return;
        }
        let (look, theme) = (self.look(), self.theme());
        let area = timed("rundown chart redraw", || {
            fit(&canvas, size);
            let mut backend = PageBackend::new(&canvas)?;
            let surface = Surface { scale: size.scale, subpixels: SUBPIXELS };
            draw_on(&mut backend, &scene(&data, &look, theme), theme, surface).ok()
        });
        self.change(|parts| parts.area = area);
        overlay::draw(self);
    }
}

impl Parts {
    fn next_request(&mut self) -> Option<LinesRequest> {
        let request = self.wanted.take();
        self.is_asking = request.is_some();
        request
    }
}

/// Gives a canvas its size. Setting it clears the canvas even to the same.
pub fn fit(canvas: &HtmlCanvasElement, size: CanvasSize) {
    if (canvas.width(), canvas.height()) != (size.width, size.height) {
        canvas.set_width(size.width);
        canvas.set_height(size.height);
    }
}

fn new_canvas(frame: &Element) -> Option<HtmlCanvasElement> {
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    canvas.set_attribute("aria-hidden", "true").ok()?;
    canvas.set_width(0);
    canvas.set_height(0);
    frame.append_child(&canvas).ok()?;
    Some(canvas)
}
