//! Tests of the page's own parts inside a browser, without the rest of the page. Run by `make test` through
//! wasm-bindgen-test-runner and chromedriver.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(target_arch = "wasm32")]

use std::cell::Cell;
use std::rc::Rc;

use leptos::reactive::owner::Owner;
use leptos::task::tick;
use rundown::app::dom::{Children, by_id, command, div, input, keyed, li, live, ul};
use rundown::app::reactive::{Derived, State, follow};
use rundown::app::worker_url::site_url;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{Element, HtmlElement, HtmlInputElement};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn an_address_on_this_site_is_absolute() {
    let url = site_url("sample.tar.gz").unwrap();
    assert!(url.starts_with("http://") && url.ends_with("/sample.tar.gz"), "{url}");
}

/// A page of its own for one test: what it owns, and the element that its view is in.
fn page<C: Children>(view: impl FnOnce() -> C) -> (Owner, Element) {
    // Also starts the executor that runs effects.
    leptos::mount::mount_to_body(|| ());
    let document = web_sys::window().unwrap().document().unwrap();
    let place = document.create_element("div").unwrap();
    document.body().unwrap().append_child(&place).unwrap();
    let owner = Owner::new();
    owner.with(|| view().add_to(&place));
    (owner, place)
}

fn text(place: &Element) -> String {
    place.text_content().unwrap()
}

#[wasm_bindgen_test]
async fn what_is_derived_tells_of_another_value_only() {
    let runs = Rc::new(Cell::new(0));
    let seen = runs.clone();
    let mut state = None;
    let (_owner, _) = page(|| {
        let number = State::new(1);
        let is_even = Derived::new(move || number.get() % 2 == 0);
        follow(move || {
            is_even.get();
            seen.set(seen.get() + 1);
        });
        state = Some((number, is_even));
    });
    let (number, is_even) = state.unwrap();
    assert_eq!(runs.get(), 1, "runs at once");
    number.set(3);
    tick().await;
    assert_eq!(runs.get(), 1, "3 is as odd as 1");
    number.set(4);
    assert!(is_even.get_untracked(), "is right before any effect has run");
    tick().await;
    assert_eq!(runs.get(), 2);
}

#[wasm_bindgen_test]
async fn state_that_is_gone_is_empty() {
    let mut state = None;
    let (owner, _) = page(|| state = Some(State::new("here".to_owned())));
    let state = state.unwrap();
    assert_eq!(state.get_untracked(), "here");
    owner.cleanup();
    state.set("late".to_owned());
    assert_eq!(state.get_untracked(), "");
    assert_eq!(state.quietly(|_| ()), None);
}

#[wasm_bindgen_test]
async fn a_live_part_is_made_anew_and_the_old_one_is_over() {
    let inner_runs = Rc::new(Cell::new(0));
    let seen = inner_runs.clone();
    let mut state = None;
    let (owner, place) = page(|| {
        let (outer, inner) = (State::new(1), State::new(10));
        state = Some((outer, inner));
        let part = live(move || {
            let seen = seen.clone();
            let outer = outer.get();
            follow(move || {
                inner.get();
                seen.set(seen.get() + 1);
            });
            (div().child(outer.to_string()), live(move || inner.get().to_string()))
        });
        ("<", part, ">")
    });
    let (outer, inner) = state.unwrap();
    assert_eq!(text(&place), "<110>");
    outer.set(2);
    tick().await;
    assert_eq!(text(&place), "<210>");
    inner.set(20);
    tick().await;
    assert_eq!(text(&place), "<220>");
    assert_eq!(inner_runs.get(), 3, "once for each view, once for the change: not for the view that is gone");
    owner.cleanup();
    outer.set(3);
    tick().await;
    assert_eq!(text(&place), "<220>");
}

#[wasm_bindgen_test]
async fn rows_keep_their_elements_and_their_focus() {
    let made = Rc::new(Cell::new(0));
    let count = made.clone();
    let mut state = None;
    let (_owner, place) = page(|| {
        let keys = State::new(vec![1, 2, 3]);
        let row = move |key: u64| {
            count.set(count.get() + 1);
            li().child(input().id(format!("row-{key}"))).child(format!("{key} "))
        };
        state = Some(keys);
        ul().child(keyed(move || keys.get(), row))
    });
    let keys = state.unwrap();
    assert_eq!(text(&place), "1 2 3 ");
    let second: HtmlElement = by_id("row-2").unwrap();
    second.focus().unwrap();
    let focused = || web_sys::window().unwrap().document().unwrap().active_element();
    for (order, expected, total) in
        [(vec![2, 3], "2 3 ", 3), (vec![4, 2, 3, 5], "4 2 3 5 ", 5), (vec![2, 5], "2 5 ", 5)]
    {
        keys.set(order.clone());
        tick().await;
        assert_eq!((text(&place).as_str(), made.get()), (expected, total), "{order:?}");
        assert_eq!(focused().as_ref(), Some(second.as_ref()), "{order:?}");
    }
    for (order, expected, total) in [(vec![5, 2], "5 2 ", 5), (vec![], "", 5), (vec![2], "2 ", 6)] {
        keys.set(order.clone());
        tick().await;
        assert_eq!((text(&place).as_str(), made.get()), (expected, total), "{order:?}");
    }
}

#[wasm_bindgen_test]
async fn attributes_properties_and_words_follow() {
    let mut state = None;
    let (_owner, place) = page(|| {
        let word = State::new("one".to_owned());
        state = Some(word);
        let box_of = input()
            .value(move || word.get())
            .switch("disabled", move || word.get() == "two")
            .follow("title", move || (word.get() == "two").then_some("second"));
        (box_of, div().says(move || word.get()), command("Set", move || word.set("three".to_owned())))
    });
    let word = state.unwrap();
    let box_of: HtmlInputElement = place.query_selector("input").unwrap().unwrap().unchecked_into();
    let seen = || (box_of.value(), box_of.disabled(), box_of.get_attribute("title"));
    assert_eq!(seen(), ("one".to_owned(), false, None));
    word.set("two".to_owned());
    tick().await;
    assert_eq!(seen(), ("two".to_owned(), true, Some("second".to_owned())));
    place.query_selector("button").unwrap().unwrap().unchecked_into::<HtmlElement>().click();
    tick().await;
    assert_eq!(seen(), ("three".to_owned(), false, None));
    assert_eq!(text(&place.query_selector("div").unwrap().unwrap()), "three");
}
