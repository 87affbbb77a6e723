//! The state of one chart: asks the engine when something changed, and draws what came.
//!
//! A page holds many charts, so what changes in one is plain state behind a few signals, not a signal each.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use web_sys::HtmlCanvasElement;

use super::backend::{PageBackend, SUBPIXELS};
use super::frames::{new_id, on_next_frame, timed};
use super::group::ChartGroup;
use super::own_choices::OwnChoice;
use super::scene::data::ChartData;
use super::scene::drawing::{emptiness, scene};
use super::scene::overlay_shapes::{OverlayShapes, ZoomBox};
use super::scene::scales::Scales;
use super::scene::spec::Spec;
use super::scene::view_options::ViewOptions;
use super::watch::{CanvasSize, SizeWatch, fit};
use crate::app::browser::timing::{Timer, after};
use crate::app::engine::AskError;
use crate::app::state::AppState;
use rundown_plot::{PlotArea, Scale, Surface, Theme, draw_on};
use rundown_protocol::{Reply, Request, UnexpectedReply};

/// Widths are asked for in steps of this many pixels, so that dragging a border does not ask at each pixel.
const WIDTH_STEP: u32 = 64;
/// Milliseconds between two questions of one chart while it is zoomed.
const PACE_MS: i32 = 100;
/// Words for a screen reader follow the picture once it has not changed for so long: zooming must not wait for them.
const STABLE_AFTER: Duration = Duration::from_millis(300);

/// One chart. Copies are the same chart; after the chart is gone everything about it is absent.
#[derive(Clone, Copy)]
pub struct ChartModel {
    /// A number that no other chart has.
    pub id: u64,
    /// The page.
    pub app: AppState,
    /// What it shares with its neighbours.
    pub group: ChartGroup,
    /// What it shows.
    pub spec: Memo<Arc<Spec>>,
    /// What the user chose for this chart alone.
    pub own: RwSignal<OwnChoice>,
    /// Where the pointer is, or where a key has put the cursor.
    pub pointer: RwSignal<Option<Pointer>>,
    /// Why nothing is drawn.
    pub message: RwSignal<Option<String>>,
    /// Grows with each drawing: other data, another area or size.
    pub drawn: RwSignal<u32>,
    /// Grows once other data have been there for a moment: words follow it.
    pub stable_revision: RwSignal<u32>,
    /// The shapes over the lines.
    pub overlay: RwSignal<OverlayShapes>,
    /// Runs out once other data have been there for a moment.
    stable_timer: Timer,
    parts: StoredValue<Parts, LocalStorage>,
}

/// A memo's value; the default once its chart is disposed, when effects that were scheduled before may still run.
pub fn or_default<T: Clone + Default + Send + Sync + 'static>(memo: Memo<T>) -> T {
    memo.try_get().unwrap_or_default()
}

/// Where the pointer is on a chart, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pointer {
    /// From the left and the upper edge of the window.
    pub client: (f64, f64),
    /// Width and height of the window. Read when the pointer moves, before the page changes: afterwards the browser would
    /// have to lay out the page to answer.
    pub window: (f64, f64),
    /// From the upper edge of the chart; `None` for a cursor that keys move.
    pub down: Option<f64>,
}

#[derive(Default)]
struct Parts {
    canvas: Option<HtmlCanvasElement>,
    watch: Option<SizeWatch>,
    size: CanvasSize,
    data: Option<Arc<ChartData>>,
    area: Option<PlotArea>,
    zoom_box: Option<ZoomBox>,
    /// The newest question that was not asked yet: one question is open at a time.
    wanted: Option<Question>,
    is_asking: bool,
    /// What was asked last: nothing is asked twice.
    asked: Option<(Request, (u32, u32))>,
}

/// A question, with the numbers of the engine and of the data that its answer belongs to.
struct Question {
    request: Request,
    revision: (u32, u32),
    spec: Arc<Spec>,
}

impl ChartModel {
    /// A chart of the current owner.
    pub fn new(
        group: ChartGroup,
        own: RwSignal<OwnChoice>,
        spec: impl Fn(OwnChoice) -> Spec + Send + Sync + 'static,
    ) -> Self {
        let chart = Self {
            id: new_id(),
            app: AppState::of_page(),
            group,
            spec: Memo::new(move |_| Arc::new(spec(own.get()))),
            own,
            pointer: RwSignal::new(None),
            message: RwSignal::new(None),
            drawn: RwSignal::new(0),
            stable_revision: RwSignal::new(0),
            overlay: RwSignal::new(OverlayShapes::default()),
            stable_timer: Timer::new(),
            parts: StoredValue::new_local(Parts::default()),
        };
        Effect::new(move |_| {
            chart.follow();
            untrack(|| {
                chart.ask();
                chart.draw_soon();
            });
        });
        Effect::new(move |_| {
            group.cursor.track();
            chart.update_overlay();
        });
        chart
    }

    /// Takes over the canvas once it is in the page, and watches its size.
    pub fn attach(self, canvas: HtmlCanvasElement) {
        let measure = move |size| {
            self.change(|parts| parts.size = size);
            self.ask();
            self.draw_soon();
        };
        let watch = SizeWatch::new(&canvas, measure);
        self.change(|parts| {
            parts.canvas = Some(canvas);
            parts.watch = watch;
        });
    }

    /// Id of the box around the canvas.
    pub fn frame_id(self) -> String {
        format!("chart-{}", self.id)
    }

    /// The colours of the page; followed by whoever asks.
    pub fn theme(self) -> &'static Theme {
        Theme::of(self.app.color_scheme.is_dark())
    }

    /// Where the lines lie on the canvas, once they are drawn. It is followed by [`ChartModel::drawn`], as size and data are.
    pub fn area(self) -> Option<PlotArea> {
        self.part(|parts| parts.area).flatten()
    }

    /// Size of the canvas.
    pub fn size(self) -> CanvasSize {
        self.part(|parts| parts.size).unwrap_or_default()
    }

    /// The data, if they belong to the x axis that the user wants to see.
    pub fn data(self) -> Option<Arc<ChartData>> {
        let spec = self.spec.try_get_untracked()?;
        self.part(|parts| parts.data.clone()).flatten().filter(|data| data.x == spec.x)
    }

    /// The zoom box under way.
    pub fn zoom_box(self) -> Option<ZoomBox> {
        self.part(|parts| parts.zoom_box).flatten()
    }

    /// Draws a zoom box, or takes it away.
    pub fn set_zoom_box(self, zoom_box: Option<ZoomBox>) {
        self.change(|parts| parts.zoom_box = zoom_box);
        self.update_overlay();
    }

    /// What the user wants to see, as the drawing wants it; followed by whoever asks.
    pub fn view_options(self) -> ViewOptions {
        let spec = self.spec.get();
        ViewOptions {
            view: self.group.view().range(),
            scale: spec.scale,
            y_window: spec.y_window,
            outliers: spec.outliers,
            shade: spec.shade,
            own_scales: spec.own_scales,
            highlighted: if spec.has_several_runs() { self.app.runs.highlighted() } else { None },
        }
    }

    /// The scale that is drawn; `None` for a heat map.
    pub fn drawn_scale(self) -> Option<Scale> {
        let data = self.data().filter(|data| !data.is_heat)?;
        Some(Scales::of(&data, &untrack(|| self.view_options())).scale)
    }

    fn part<T>(self, read: impl FnOnce(&Parts) -> T) -> Option<T> {
        self.parts.try_with_value(read)
    }

    fn change<T>(self, change: impl FnOnce(&mut Parts) -> T) -> Option<T> {
        self.parts.try_update_value(change)
    }

    /// Follows all that the picture depends on.
    fn follow(self) {
        self.app.engine.generation().track();
        self.app.runs.revision.track();
        self.view_options();
        self.theme();
    }

    fn ask(self) {
        let start = untrack(|| {
            let spec = self.spec.try_get()?;
            let width = self.size().width;
            if width == 0 {
                return None;
            }
            let width = width.div_ceil(WIDTH_STEP) * WIDTH_STEP;
            let window = self.group.view().window();
            let revision = (self.app.engine.generation().get(), self.app.runs.revision.get());
            let Some(request) = spec.request(window, width) else {
                // What is asked for next is asked although it may be what was asked last: the data are gone.
                self.change(|parts| (parts.asked, parts.wanted) = (None, None));
                self.show(ChartData { x: spec.x.clone(), ..ChartData::default() });
                return None;
            };
            self.change(|parts| {
                let is_known = parts.asked.as_ref().is_some_and(|asked| (&asked.0, asked.1) == (&request, revision));
                if is_known {
                    parts.wanted = None;
                    return false;
                }
                parts.wanted = Some(Question { request, revision, spec });
                !std::mem::replace(&mut parts.is_asking, true)
            })
        });
        if start == Some(true) {
            self.ask_next();
        }
    }

    /// Ends when nothing more is wanted, or the chart is gone.
    fn ask_next(self) {
        let Some(Question { request, spec, .. }) = self.change(Parts::next_question).flatten() else { return };
        self.app.engine.ask(request, move |answer| {
            match answer {
                Ok((Reply::Lines(lines), arrays)) => self.accept(ChartData::of_lines(lines, &arrays, &spec), &spec),
                Ok((Reply::Heat(heat), arrays)) => self.accept(ChartData::of_heat(heat, &arrays, &spec), &spec),
                Ok(_) => self.fail(&UnexpectedReply.to_string()),
                Err(AskError::Cancelled) => {}
                Err(AskError::Failed(why)) => self.fail(&why),
            }
            self.ask_after_pause();
        });
    }

    /// Asks what is wanted meanwhile, at a pace at which drawing goes on: a zoom changes what is wanted in every frame, and what
    /// was drawn before is moved until the answer is there.
    fn ask_after_pause(self) {
        if self.part(|parts| parts.wanted.is_some()) == Some(true) {
            after(PACE_MS, move || self.ask_next());
        } else {
            self.ask_next();
        }
    }

    fn accept(self, data: ChartData, spec: &Spec) {
        // The chart may be gone.
        let Some(now) = self.spec.try_get_untracked() else { return };
        // All lines were hidden meanwhile.
        if now.is_empty() {
            return;
        }
        let key = spec.extent_key();
        if let Some(extent) = data.extent.filter(|_| now.extent_key() == key) {
            self.group.grow(&key, extent, data.is_heat);
        }
        self.show(data);
    }

    fn show(self, data: ChartData) {
        let Some(is_first) = self.change(|parts| parts.data.replace(Arc::new(data)).is_none()) else { return };
        let tell = move || self.stable_revision.update(|revision| *revision = revision.wrapping_add(1));
        if is_first {
            tell();
        } else {
            self.stable_timer.set(STABLE_AFTER, tell);
        }
        self.draw_soon();
    }

    fn fail(self, why: &str) {
        self.change(|parts| parts.asked = None);
        let _ = self.message.try_set(Some(format!("This chart can't be drawn: {why}")));
    }

    fn draw_soon(self) {
        // The chart under the pointer is drawn in every frame, the others in turns.
        let is_pointed_at = self.pointer.try_with_untracked(Option::is_some) == Some(true);
        on_next_frame(self.id, is_pointed_at, move || untrack(|| self.draw()));
    }

    fn draw(self) {
        let canvas = self.part(|parts| parts.canvas.clone()).flatten();
        let (Some(data), Some(canvas)) = (self.data(), canvas) else { return };
        let size = self.size();
        if size.width == 0 || size.height == 0 {
            return;
        }
        let (options, theme) = (self.view_options(), self.theme());
        let is_empty = self.spec.get().is_empty();
        let message = if is_empty { Some("No run is shown.") } else { emptiness(&data, &options) };
        let message = message.map(str::to_owned);
        if self.message.get_untracked() != message {
            self.message.set(message);
        }
        let area = timed("rundown chart redraw", || {
            fit(&canvas, size);
            let mut backend = PageBackend::new(&canvas)?;
            let surface = Surface { scale: size.scale, subpixels: SUBPIXELS };
            draw_on(&mut backend, &scene(&data, &options, theme), theme, surface).ok()
        });
        self.change(|parts| parts.area = area);
        self.drawn.update(|drawn| *drawn = drawn.wrapping_add(1));
        self.update_overlay();
    }

    /// Places the crosshair and its dots, or the zoom box.
    fn update_overlay(self) {
        let shapes = self.area().zip(self.data()).map(|(area, data)| {
            let (scale, cursor) = (self.size().scale, self.group.cursor.try_get_untracked().flatten());
            match (self.zoom_box(), cursor) {
                (Some(zoom_box), _) => OverlayShapes::of_zoom(&area, scale, zoom_box),
                (None, Some(cursor)) => OverlayShapes::of_cursor(&data, &area, scale, cursor),
                (None, None) => OverlayShapes::default(),
            }
        });
        let shapes = shapes.unwrap_or_default();
        if self.overlay.try_with_untracked(|now| *now != shapes) == Some(true) {
            self.overlay.set(shapes);
        }
    }
}

impl Parts {
    fn next_question(&mut self) -> Option<Question> {
        let question = self.wanted.take();
        self.is_asking = question.is_some();
        if let Some(question) = &question {
            self.asked = Some((question.request.clone(), question.revision));
        }
        question
    }
}
