//! What is wider or longer than its place scrolls by itself, and then the keyboard can reach it.

use leptos::html::Div;
use leptos::prelude::*;
use leptos_use_resize_observer::use_resize_observer;

/// A box that scrolls. It takes the focus only while there is something to scroll.
#[component]
pub fn ScrollRegion(
    /// What a screen reader calls it.
    #[prop(into)]
    label: String,
    /// Further classes.
    #[prop(default = "")]
    class: &'static str,
    children: Children,
) -> impl IntoView {
    let node = NodeRef::<Div>::new();
    let scrolls = RwSignal::new(false);
    // Called first when it is laid out, and again whenever it or its fold gets another size.
    let _ = use_resize_observer(node, move |_, _| {
        let Some(Some(element)) = node.try_get_untracked() else { return };
        let is_wide = element.scroll_width() > element.client_width();
        let _ = scrolls.try_set(is_wide || element.scroll_height() > element.client_height());
    });
    let label = StoredValue::new(label);
    view! {
        <div
            class=format!("scroll-x {class}")
            node_ref=node
            tabindex=move || scrolls.get().then_some("0")
            role=move || scrolls.get().then_some("group")
            aria-label=move || scrolls.get().then(|| label.get_value())
        >
            {children()}
        </div>
    }
}
