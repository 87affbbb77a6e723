//! Tests of the page's own parts inside a browser, without the rest of the page. Run by `make test` through
//! wasm-bindgen-test-runner and chromedriver.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(target_arch = "wasm32")]

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;
use leptos::task::tick;
use rundown::app::content::{Blocks, Menu, RunLink, Tables};
use rundown::app::engine::Engine;
use rundown::app::engine::worker_url::site_url;
use rundown::app::keep_error::KeepError;
use rundown::app::kept_files::{KeptFolder, can_keep};
use rundown::app::state::{AppState, ColorScheme};
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Figure, Shape, Table, Tone};
use rundown_protocol::ServerQuery;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{Element, Event, HtmlElement};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn an_address_on_this_site_is_absolute() {
    let url = site_url("sample.tar.gz").unwrap();
    assert!(url.starts_with("http://") && url.ends_with("/sample.tar.gz"), "{url}");
}

/// Mounts a view in a place of its own, for as long as the browser lives.
fn page<V: IntoView + 'static>(view: impl FnOnce() -> V + 'static) -> Element {
    let place = document().create_element("div").unwrap();
    document().body().unwrap().append_child(&place).unwrap();
    leptos::mount::mount_to(place.clone().unchecked_into(), view).forget();
    place
}

fn texts(place: &Element, selector: &str) -> Vec<String> {
    let found = place.query_selector_all(selector).unwrap();
    (0..found.length()).filter_map(|at| found.get(at)?.text_content()).collect()
}

fn find<E: JsCast>(place: &Element, selector: &str) -> E {
    place.query_selector(selector).unwrap().unwrap().unchecked_into()
}

fn table(rows: usize) -> Vec<Block> {
    let mut table = Table::new("Learning rates", &[Words("Name"), Numbers("Value")]);
    for row in 0..rows {
        let value = ((row * 37) % rows.max(1)) as f64;
        table.rows.push(vec![Cell::text(format!("row {row}")), Cell::number(value.to_string(), value)]);
    }
    vec![Block::Table(table)]
}

#[wasm_bindgen_test]
async fn a_table_is_ordered_by_its_columns() {
    let place = page(|| view! { <Blocks blocks=table(5) tables=Tables::Sorted /> });
    let values = || texts(&place, "tbody td:last-child");
    let head = || find::<HtmlElement>(&place, "th:last-child");
    assert_eq!(values(), ["0", "2", "4", "1", "3"]);
    let order = ["descending", "ascending"];
    for (expected, order) in [["4", "3", "2", "1", "0"], ["0", "1", "2", "3", "4"]].into_iter().zip(order) {
        find::<HtmlElement>(&place, "th:last-child button").click();
        tick().await;
        assert_eq!(values(), expected);
        assert_eq!(head().get_attribute("aria-sort").as_deref(), Some(order));
    }
    find::<HtmlElement>(&place, "th:last-child button").click();
    tick().await;
    assert_eq!(values(), ["0", "2", "4", "1", "3"], "the third time it is as it was");
}

#[wasm_bindgen_test]
async fn a_long_table_comes_in_parts_and_is_searched_whole() {
    let place = page(|| view! { <Blocks blocks=table(450) tables=Tables::Sorted /> });
    let rows = |place: &Element| texts(place, "tbody tr").len();
    assert!(rows(&place) < 450);
    for _ in 0..5 {
        if let Some(more) = place.query_selector("button.show-more").unwrap() {
            more.unchecked_into::<HtmlElement>().click();
            tick().await;
        }
    }
    assert_eq!(rows(&place), 450);

    let wanted = Rc::new(RefCell::new(None));
    let place = page({
        let wanted = Rc::clone(&wanted);
        move || {
            let search = RwSignal::new(String::new());
            *wanted.borrow_mut() = Some(search);
            view! { <Blocks blocks=table(450) tables=Tables::Searched(search) /> }
        }
    });
    let search = wanted.borrow().unwrap();
    search.set("row 449".to_owned());
    tick().await;
    assert_eq!(texts(&place, "tbody th"), ["row 449"]);
}

#[wasm_bindgen_test]
async fn a_figure_says_what_is_under_the_pointer() {
    let dot = |x: f32, tone, hint: &str| Shape::Dot { x, y: 50.0, radius: 4.0, tone, hint: hint.to_owned() };
    let shapes = vec![
        Shape::Area { points: vec![(0.0, 0.0), (9.0, 0.0), (9.0, 9.0)], tone: Tone::Accent },
        dot(20.0, Tone::Accent, "run-1: 0.5"),
        dot(60.0, Tone::Accent, "run-2: 0.6"),
        dot(80.0, Tone::Good, "run-3: 0.7"),
    ];
    let figure = Figure { title: "Dots".into(), summary: String::new(), width: 100.0, height: 100.0, shapes };
    let place = page(move || view! { <Blocks blocks=vec![Block::Figure(figure)] tables=Tables::Sorted /> });
    let svg: Element = find(&place, "svg");
    svg.scroll_into_view();
    let corner = svg.get_bounding_client_rect();
    for (x, y, hint) in [
        (20.0, 50.0, "run-1: 0.5"),
        (62.0, 51.0, "run-2: 0.6"),
        (40.0, 50.0, ""),
        (80.0, 50.0, "run-3: 0.7"),
        (7.0, 2.0, ""),
    ] {
        let (x, y) = (corner.x() + x, corner.y() + y);
        let event = Event::new("pointermove").unwrap();
        event.init_event_with_bubbles("pointermove", true);
        for (key, value) in [("clientX", x), ("clientY", y)] {
            js_sys::Reflect::define_property(&event, &key.into(), &property(value)).unwrap();
        }
        svg.dispatch_event(&event).unwrap();
        tick().await;
        // Over everything else, at the end of the page.
        let tips = texts(&document().body().unwrap(), "p.chart-tip");
        assert_eq!(tips.join(" "), hint, "{x} {y}");
    }
}

/// The description of a property with a value.
fn property(value: f64) -> js_sys::Object {
    let property = js_sys::Object::new();
    js_sys::Reflect::set(&property, &"value".into(), &value.into()).unwrap();
    property
}

#[wasm_bindgen_test]
async fn a_menu_shows_the_value_that_is_chosen_elsewhere_and_keeps_the_focus() {
    let state = Rc::new(RefCell::new(None));
    let place = page({
        let state = Rc::clone(&state);
        move || {
            let value = RwSignal::new("b".to_owned());
            *state.borrow_mut() = Some(value);
            let options = ["a", "b", "c"].map(|value| (value.to_owned(), format!("word {value}"))).to_vec();
            view! { <Menu options value choose=move |chosen: String| value.set(chosen) name="Letters" /> }
        }
    });
    let value = state.borrow().unwrap();
    let menu: HtmlElement = find(&place, "select");
    let shown = || texts(&place, "option:checked");
    assert_eq!(shown(), ["word b"]);
    menu.focus().unwrap();
    value.set("c".to_owned());
    tick().await;
    assert_eq!(shown(), ["word c"]);
    js_sys::Reflect::set(&menu, &"value".into(), &"a".into()).unwrap();
    menu.dispatch_event(&Event::new("change").unwrap()).unwrap();
    tick().await;
    assert_eq!((value.get_untracked().as_str(), shown()), ("a", vec!["word a".to_owned()]));
    assert_eq!(document().active_element().as_ref(), Some(menu.as_ref()));
}

#[wasm_bindgen_test]
async fn the_theme_is_the_systems_until_one_is_chosen() {
    let state = Rc::new(RefCell::new(None));
    let kept = Rc::clone(&state);
    page(move || {
        *kept.borrow_mut() = Some(ColorScheme::of_browser());
    });
    let theme = state.borrow().unwrap();
    let root = document().document_element().unwrap();
    let before = theme.is_dark();
    for is_dark in [!before, before] {
        theme.switch();
        tick().await;
        assert_eq!(theme.is_dark(), is_dark);
        assert_eq!(root.get_attribute("data-theme").as_deref(), Some(if is_dark { "dark" } else { "light" }));
    }
}

#[wasm_bindgen_test]
async fn a_run_is_highlighted_while_the_pointer_is_on_its_name_and_the_name_is_there() {
    let state = Rc::new(RefCell::new(None));
    let place = page({
        let state = Rc::clone(&state);
        move || {
            let app = AppState::new(Engine::started(), ServerQuery::default());
            provide_context(app);
            let is_there = RwSignal::new(true);
            *state.borrow_mut() = Some(is_there);
            let name = || "name".to_owned();
            view! {
                <RunLink run=1 name=name() />
                <RunLink run=2 name=name() />
                <Show when=move || is_there.get()>
                    <RunLink run=1 name=name() />
                </Show>
            }
        }
    });
    let lit = || texts(&place, ".lit").len();
    let point = |name: &str| {
        find::<Element>(&place, "a:last-of-type").dispatch_event(&Event::new(name).unwrap()).unwrap();
    };
    for (event, expected) in [("pointerenter", 2), ("pointerleave", 0), ("pointerenter", 2)] {
        point(event);
        tick().await;
        assert_eq!(lit(), expected, "{event}");
    }
    state.borrow().unwrap().set(false);
    tick().await;
    assert_eq!((texts(&place, "a").len(), lit()), (2, 0), "it went from under the pointer");
}

#[wasm_bindgen_test]
async fn files_are_kept_and_read_again() {
    assert!(can_keep());
    let root = KeptFolder::root().await.unwrap();
    let folder = root.folder("kept").await.unwrap();
    folder.write_text("a", "first").await.unwrap();
    let file = folder.file("a").await.unwrap();
    folder.write_file("b", &file).await.unwrap();
    folder.write_text("a", "second").await.unwrap();
    let mut names = folder.names().await.unwrap();
    names.sort();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(folder.text("a").await.as_deref(), Ok("second"));
    assert_eq!(folder.text("b").await.as_deref(), Ok("first"));
    assert_eq!(folder.text("c").await, Err(KeepError::FileChanged));
    root.remove("kept").await.unwrap();
    assert_eq!(root.names().await.unwrap(), [] as [String; 0]);
}

#[wasm_bindgen_test]
async fn a_browser_that_keeps_no_files_is_an_error_and_no_crash() {
    let storage = js_sys::Reflect::get(&window().navigator(), &"storage".into()).unwrap();
    let set = |value: &wasm_bindgen::JsValue| js_sys::Reflect::set(&storage, &"getDirectory".into(), value).unwrap();
    set(&js_sys::Function::new_no_args("return Promise.reject(new DOMException('denied', 'SecurityError'))"));
    let refused = KeptFolder::root().await.map(drop);
    js_sys::Reflect::delete_property::<js_sys::Object>(storage.unchecked_ref(), &"getDirectory".into()).unwrap();
    assert_eq!(refused, Err(KeepError::Refused("SecurityError".to_owned())));
}
