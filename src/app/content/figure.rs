//! Figures as SVG elements, with the colours of the theme and what each shape says on pointing.

use leptos::ev::PointerEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::inline::Inline;
use super::scroll_region::ScrollRegion;
use rundown_content::{Figure, Shape, Tone, path_data};
use rundown_format::coordinate;

/// A figure with its title; its summary is for who can't see it.
#[component]
pub fn FigureView(figure: Figure) -> impl IntoView {
    let title = figure.title.to_string();
    let label = if title.is_empty() { "Figure".to_owned() } else { title.clone() };
    let caption = (!figure.title.is_empty())
        .then(|| view! { <figcaption class="sub"><Inline spans=figure.title.into() /></figcaption> });
    // Without a title the picture is named by what it says.
    let name = if title.is_empty() { figure.summary.clone() } else { title };
    let (width, height) = (coordinate(figure.width), coordinate(figure.height));
    // One title that follows the pointer: a title in each of thousands of dots would take as long to make as the dots.
    let hints = StoredValue::new(figure.shapes.iter().map(|shape| shape.hint().to_owned()).collect::<Vec<_>>());
    let pointed_at = RwSignal::new(None);
    let hint = move || pointed_at.get().and_then(|place: usize| hints.with_value(|hints| hints.get(place).cloned()));
    let shapes = figure.shapes.into_iter().map(shape).collect_view();
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
                    on:pointerover=move |event| pointed_at.set(place_of_target(&event))
                >
                    {leptos::svg::title().child(move || hint())}
                    {shapes}
                </svg>
            </ScrollRegion>
            <span class="visually-hidden">{figure.summary}</span>
        </figure>
    }
}

/// The place of the shape under the pointer; `None` between shapes.
fn place_of_target(event: &PointerEvent) -> Option<usize> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    if target.tag_name() == "svg" {
        return None;
    }
    let before = std::iter::successors(target.previous_element_sibling(), Element::previous_element_sibling);
    // The title stands before the shapes.
    before.count().checked_sub(1)
}

fn shape(shape: Shape) -> AnyView {
    let class = |kind: &str, tone: Tone| format!("{kind} {}", tone.class());
    match shape {
        Shape::Line { points, tone, is_dashed, .. } => {
            let class = class(if is_dashed { "l k" } else { "l" }, tone);
            view! { <path class=class d=path_data(points) /> }.into_any()
        }
        Shape::Area { points, tone } => view! { <path class=class("a", tone) d=path_data(points) /> }.into_any(),
        Shape::Rectangle { x, y, width, height, tone, .. } => {
            let [x, y, width, height] = [x, y, width, height].map(coordinate);
            view! { <rect class=class("f", tone) x=x y=y width=width height=height /> }.into_any()
        }
        Shape::Dot { x, y, radius, tone, .. } => {
            let [x, y, radius] = [x, y, radius].map(coordinate);
            view! { <circle class=class("f", tone) cx=x cy=y r=radius /> }.into_any()
        }
        Shape::Words { x, y, anchor, text, tone, .. } => {
            let [x, y] = [x, y].map(coordinate);
            view! { <text class=class(anchor.class(), tone) x=x y=y>{text}</text> }.into_any()
        }
    }
}
