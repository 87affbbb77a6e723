//! Figures as SVG elements, with the colours of the theme and of runs, and what each shape says on pointing.

use leptos::ev::PointerEvent;
use leptos::portal::Portal;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::inline::Inline;
use super::scroll_region::ScrollRegion;
use super::tip::{beside_pointer, window_size};
use crate::app::state::AppState;
use rundown_content::{Figure, Shape, Tone, path_data};
use rundown_format::coordinate;

/// A figure with its title; its summary is for who can't see it.
#[component]
pub fn FigureView(figure: Figure) -> impl IntoView {
    let title = figure.title.to_string();
    let label = if title.is_empty() { "Figure".to_owned() } else { title.clone() };
    let caption = (!figure.title.is_empty())
        .then(|| view! { <figcaption class="sub"><Inline spans=figure.title.clone().into() /></figcaption> });
    // Without a title the picture is named by what it says.
    let name = if title.is_empty() { figure.summary.clone() } else { title };
    let (width, height) = (coordinate(figure.width), coordinate(figure.height));
    // A figure alone, without the page's runs, has the colours of a report.
    let app = use_context::<AppState>();
    let tone_class = |tone: Tone| match (tone, app) {
        (Tone::Run { run, .. }, Some(app)) => {
            let style = app.runs.figure_style(run);
            format!("s{} dash-{}", style.hue, style.dash)
        }
        (other, _) => other.class(),
    };
    let shapes = figure.shapes.chunk_by(are_like_dots).map(|group| element(group, &tone_class)).collect_view();
    let summary = figure.summary.clone();
    let figure = StoredValue::new(figure);
    let tip = RwSignal::new(None::<(String, String)>);
    let point = move |event: PointerEvent| {
        let hint = figure.with_value(|figure| {
            let (x, y) = place(&event, figure.width)?;
            figure.hint_at(x, y)
        });
        let pointer = (f64::from(event.client_x()), f64::from(event.client_y()));
        tip.set(hint.map(|hint| (hint, beside_pointer(pointer, window_size()))));
    };
    let is_shown = Memo::new(move |_| tip.with(Option::is_some));
    let transform = move || tip.try_get().flatten().map(|(_, transform)| transform);
    let hint = move || tip.try_get().flatten().map(|(hint, _)| hint);
    view! {
        <figure class="panel">
            {caption}
            <ScrollRegion label>
                <svg
                    class="figure"
                    viewBox=format!("0 0 {width} {height}")
                    width=width
                    height=height
                    role="img"
                    aria-label=name
                    on:pointermove=point
                    on:pointerleave=move |_| tip.set(None)
                >
                    {shapes}
                </svg>
            </ScrollRegion>
            <span class="visually-hidden">{summary}</span>
            <Show when=move || is_shown.get()>
                <Portal>
                    <p class="chart-tip" aria-hidden="true" style:transform=transform>{hint}</p>
                </Portal>
            </Show>
        </figure>
    }
}

/// True for dots that may be one element: thousands of them would take the browser a tenth of a second.
fn are_like_dots(a: &Shape, b: &Shape) -> bool {
    match (a, b) {
        (Shape::Dot { radius, tone, .. }, Shape::Dot { radius: other_radius, tone: other_tone, .. }) => {
            radius == other_radius && tone == other_tone
        }
        _ => false,
    }
}

/// Where the pointer is in a figure of so many units across.
fn place(event: &PointerEvent, width: f32) -> Option<(f32, f32)> {
    let svg = event.current_target()?.dyn_into::<Element>().ok()?.get_bounding_client_rect();
    let pixel = f64::from(width) / svg.width();
    let (x, y) = (f64::from(event.client_x()) - svg.x(), f64::from(event.client_y()) - svg.y());
    Some(((x * pixel) as f32, (y * pixel) as f32))
}

/// A shape, or dots alike as one path of points with round ends.
fn element(group: &[Shape], tone_class: &impl Fn(Tone) -> String) -> AnyView {
    match group {
        [Shape::Dot { radius, tone, .. }, _, ..] => {
            let mut data = String::new();
            for dot in group {
                if let Shape::Dot { x, y, .. } = dot {
                    // Of no length a line would have no ends in some browsers.
                    data.extend(["M", &coordinate(*x), " ", &coordinate(*y), "h.01"]);
                }
            }
            let width = coordinate(2.0 * radius);
            view! { <path class=format!("d {}", tone_class(*tone)) d=data stroke-width=width /> }.into_any()
        }
        [other, ..] => shape(other, tone_class),
        [] => ().into_any(),
    }
}

fn shape(shape: &Shape, tone_class: &impl Fn(Tone) -> String) -> AnyView {
    let class = |kind: &str, tone: Tone| format!("{kind} {}", tone_class(tone));
    match shape {
        Shape::Line { points, tone, is_dashed, .. } => {
            let class = class(if *is_dashed { "l k" } else { "l" }, *tone);
            view! { <path class=class d=path_data(points.iter().copied()) /> }.into_any()
        }
        Shape::Area { points, tone } => {
            view! { <path class=class("a", *tone) d=path_data(points.iter().copied()) /> }.into_any()
        }
        Shape::Rectangle { x, y, width, height, tone, .. } => {
            let [x, y, width, height] = [*x, *y, *width, *height].map(coordinate);
            view! { <rect class=class("f", *tone) x=x y=y width=width height=height /> }.into_any()
        }
        Shape::Dot { x, y, radius, tone, .. } => {
            let [x, y, radius] = [*x, *y, *radius].map(coordinate);
            view! { <circle class=class("f", *tone) cx=x cy=y r=radius /> }.into_any()
        }
        Shape::Words { x, y, anchor, text, tone, .. } => {
            let [x, y] = [*x, *y].map(coordinate);
            view! { <text class=class(anchor.class(), *tone) x=x y=y>{text.clone()}</text> }.into_any()
        }
    }
}
