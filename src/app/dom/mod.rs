//! Elements: what every view of the page is made of.
//!
//! Leptos types an element by its tag, attributes and children, compiles each such type apart, and keeps a second tree
//! beside the browser's to compare with. Measured on this page that was half of its bytes. Here an element is the
//! browser's own from the start, all have one type, and what changes is written where it changes, by an effect of
//! Leptos' reactive graph ([`super::reactive`]). Nor does anything here use `innerHTML`, as Leptos' `view!` does for
//! markup that never changes: the page's content security policy (`require-trusted-types-for 'script'`) forbids it.

use leptos::prelude::{document, window};
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, EventTarget, HtmlElement, Node};

use super::reactive::follow;

mod region;

pub use region::{keyed, live};

/// An element.
pub struct El(Element);

/// One or more nodes that no longer change their parent: an element, a text, or a fragment of them.
pub struct Part(Node);

macro_rules! tags {
    ($($tag:ident)+) => {
        $(
            #[doc = concat!("`<", stringify!($tag), ">`")]
            pub fn $tag() -> El {
                El::new(stringify!($tag))
            }
        )+
    };
}

tags! {
    a article bdi button code datalist dd details dialog div dl dt fieldset figcaption figure h1 h2 h3 h4 h5 header
    input kbd label
    legend li main nav ol option output p pre progress section select span strong summary table tbody td textarea th thead tr ul
}

/// A button with these words.
pub fn command(words: impl Children, mut act: impl FnMut() + 'static) -> El {
    button().attr("type", "button").on("click", move |_| act()).child(words)
}

/// All children as one part.
pub fn together(children: impl Children) -> Part {
    let parent = fragment();
    children.add_to(&parent);
    Part(parent)
}

/// A drawing of one path: decoration, which the words beside it say too.
pub fn drawing(class: &str, view_box: &str, path: &str) -> El {
    let path = svg("path").attr("d", path);
    svg("svg").attr("class", class).attr("viewBox", view_box).attr("aria-hidden", "true").child(path)
}

/// An element of a drawing.
pub fn svg(tag: &str) -> El {
    El(create_element_ns("http://www.w3.org/2000/svg", tag))
}

/// Listens on the window for as long as the page lives; `E` is the type of events of this name.
pub fn on_window<E: JsCast>(event: &str, mut act: impl FnMut(E) + 'static) {
    listen(&window(), event, Box::new(move |event| act(event.unchecked_into())));
}

/// Runs `act` once, after some milliseconds.
pub fn later(milliseconds: i32, act: impl FnOnce() + 'static) {
    let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(&once(Box::new(act)), milliseconds);
}

/// Runs `act` once, before the browser paints next.
pub fn on_frame(act: impl FnOnce() + 'static) {
    let _ = window().request_animation_frame(&once(Box::new(act)));
}

/// The element with this id.
pub fn by_id<E: JsCast>(id: &str) -> Option<E> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

impl El {
    fn new(tag: &str) -> Self {
        Self(create_element(tag))
    }

    /// Sets an attribute.
    pub fn attr(self, name: &str, value: impl AsRef<str>) -> Self {
        set_attribute(&self.0, name, Some(value.as_ref()));
        self
    }

    /// Sets an attribute that follows state; absent while there is no value.
    pub fn follow<V: AsRef<str>>(self, name: &'static str, mut value: impl FnMut() -> Option<V> + 'static) -> Self {
        let element = self.0.clone();
        follow(move || set_attribute(&element, name, value().as_ref().map(V::as_ref)));
        self
    }

    /// Sets the classes.
    pub fn class(self, class: impl AsRef<str>) -> Self {
        self.attr("class", class)
    }

    /// Sets the id.
    pub fn id(self, id: impl AsRef<str>) -> Self {
        self.attr("id", id)
    }

    /// Sets a CSS property, which the content security policy allows, unlike a `style` attribute.
    pub fn style(self, property: &str, value: impl AsRef<str>) -> Self {
        set_style(&self.0, property, value.as_ref());
        self
    }

    /// Sets a CSS property that follows state.
    pub fn follow_style(self, property: &'static str, mut value: impl FnMut() -> String + 'static) -> Self {
        let element = self.0.clone();
        follow(move || set_style(&element, property, &value()));
        self
    }

    /// Keeps what stands in an input equal to state.
    pub fn value<V: AsRef<str>>(self, mut value: impl FnMut() -> V + 'static) -> Self {
        let element = self.0.clone();
        follow(move || set_property(&element, "value", &JsValue::from_str(value().as_ref())));
        self
    }

    /// Keeps a property that is on or off, such as `checked` or `disabled`, equal to state.
    pub fn switch(self, name: &'static str, mut value: impl FnMut() -> bool + 'static) -> Self {
        let element = self.0.clone();
        follow(move || set_property(&element, name, &JsValue::from_bool(value())));
        self
    }

    /// Listens to an event. What listens must not hold an element: the browser could never free either.
    pub fn on(self, event: &str, act: impl FnMut(Event) + 'static) -> Self {
        listen(&self.0, event, Box::new(act));
        self
    }

    /// Listens to an event for what only its own type tells; `E` is the type of events of this name.
    pub fn on_as<E: JsCast>(self, event: &str, mut act: impl FnMut(E) + 'static) -> Self {
        self.on(event, move |event| act(event.unchecked_into()))
    }

    /// Adds children.
    pub fn child(self, children: impl Children) -> Self {
        children.add_to(&self.0);
        self
    }

    /// Adds words that follow state, in place of all that stands in the element.
    pub fn says<V: AsRef<str>>(self, mut words: impl FnMut() -> V + 'static) -> Self {
        let element = self.0.clone();
        follow(move || element.set_text_content(Some(words().as_ref())));
        self
    }

    /// Adds children to an element that is being filled.
    pub fn push(&mut self, children: impl Children) {
        children.add_to(&self.0);
    }

    /// Adds what `view` makes of each item.
    pub fn each<I: IntoIterator, C: Children>(self, items: I, mut view: impl FnMut(I::Item) -> C) -> Self {
        for item in items {
            view(item).add_to(&self.0);
        }
        self
    }

    /// The element as a part.
    pub fn view(self) -> Part {
        Part(self.0.into())
    }
}

/// What can stand in an element: text, elements, parts, and any number of them.
pub trait Children {
    /// Adds itself at the end of a node.
    fn add_to(self, parent: &Node);
}

impl Children for () {
    fn add_to(self, _: &Node) {}
}

impl Children for El {
    fn add_to(self, parent: &Node) {
        append(parent, &self.0);
    }
}

impl Children for Part {
    fn add_to(self, parent: &Node) {
        append(parent, &self.0);
    }
}

impl Children for String {
    fn add_to(self, parent: &Node) {
        append_text(parent, &self);
    }
}

impl Children for &str {
    fn add_to(self, parent: &Node) {
        append_text(parent, self);
    }
}

impl<C: Children> Children for Option<C> {
    fn add_to(self, parent: &Node) {
        if let Some(child) = self {
            child.add_to(parent);
        }
    }
}

impl<C: Children> Children for Vec<C> {
    fn add_to(self, parent: &Node) {
        for child in self {
            child.add_to(parent);
        }
    }
}

macro_rules! tuples {
    ($(($($name:ident)+))+) => {
        $(
            impl<$($name: Children),+> Children for ($($name,)+) {
                #[expect(non_snake_case, reason = "a tuple's parts bear the names of their types")]
                fn add_to(self, parent: &Node) {
                    let ($($name,)+) = self;
                    $($name.add_to(parent);)+
                }
            }
        )+
    };
}

tuples! {
    (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) (A B C D E F G H I)
}

// One copy of each, called from every view. Where the browser could refuse, it refuses names that are not written here.

#[inline(never)]
fn set_attribute(element: &Element, name: &str, value: Option<&str>) {
    let _ = match value {
        Some(value) => element.set_attribute(name, value),
        None => element.remove_attribute(name),
    };
}

#[inline(never)]
fn set_style(element: &Element, property: &str, value: &str) {
    let element: &HtmlElement = element.unchecked_ref();
    let _ = element.style().set_property(property, value);
}

#[inline(never)]
fn set_property(element: &Element, name: &str, value: &JsValue) {
    let _ = js_sys::Reflect::set(element, &JsValue::from_str(name), value);
}

/// Listens to an event. The browser frees the function with the last object that calls it.
#[inline(never)]
pub fn listen(target: &EventTarget, event: &str, act: Box<dyn FnMut(Event)>) {
    let listener = Closure::wrap(act).into_js_value();
    let _ = target.add_event_listener_with_callback(event, listener.unchecked_ref());
}

#[inline(never)]
fn once(act: Box<dyn FnOnce()>) -> js_sys::Function {
    Closure::once_into_js(act).unchecked_into()
}

#[inline(never)]
fn append(parent: &Node, child: &Node) {
    let _ = parent.append_child(child);
}

#[inline(never)]
fn append_text(parent: &Node, text: &str) {
    append(parent, &create_text(text));
}

#[wasm_bindgen]
extern "C" {
    // web-sys' own ask for the document each time, and for what to do when the browser refuses.
    #[wasm_bindgen(js_namespace = document, js_name = createElement)]
    fn create_element(tag: &str) -> Element;
    #[wasm_bindgen(js_namespace = document, js_name = createElementNS)]
    fn create_element_ns(namespace: &str, tag: &str) -> Element;
    #[wasm_bindgen(js_namespace = document, js_name = createTextNode)]
    fn create_text(text: &str) -> Node;
    #[wasm_bindgen(js_namespace = document, js_name = createDocumentFragment)]
    fn fragment() -> Node;
}
