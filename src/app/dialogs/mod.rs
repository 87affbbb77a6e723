//! Dialogs. The browser's own `<dialog>` keeps the focus in and closes on Escape.

mod connect;
mod files;
mod help;
mod news;
mod palette;
mod privacy;
mod problems;

use leptos::html;
use leptos::prelude::*;

use crate::app::browser::timing::after;
use crate::app::state::{AppState, Dialog};

pub use connect::{Framed, remembered_server};

/// The open dialog, if any.
#[component]
pub fn Dialogs() -> impl IntoView {
    let app = AppState::of_page();
    move || app.dialog.get().map(content)
}

fn content(dialog: Dialog) -> AnyView {
    match dialog {
        Dialog::Help => framed("Keyboard shortcuts", view! { <help::Help /> }),
        Dialog::Privacy => framed("How to check that nothing is uploaded", view! { <privacy::Privacy /> }),
        Dialog::Problems => framed("Problems with files", view! { <problems::Problems /> }),
        Dialog::Connect => framed("Runs from a server", view! { <connect::Connect /> }),
        Dialog::Files => framed("Files", view! { <files::Files /> }),
        Dialog::News => framed("New findings", view! { <news::News /> }),
        Dialog::Palette => view! { <Modal class="palette" label="Search or run a command" content=view! { <palette::Palette /> }.into_any() /> }.into_any(),
    }
}

/// A dialog with a heading and a button that closes it.
fn framed(title: &'static str, content: impl IntoView + 'static) -> AnyView {
    let app = AppState::of_page();
    let content = view! {
        // The focus begins here: on the button at the end, a long text would open at its end.
        <h2 id="dialog-title" tabindex="-1" autofocus=true>{title}</h2>
        {content.into_any()}
        <div class="buttons">
            <button type="button" class="close" on:click=move |_| app.dialog.set(None)>"Close"</button>
        </div>
    };
    view! { <Modal class="" label="" content=content.into_any() /> }.into_any()
}

/// The browser's dialog, shown as a modal one. Without a label its heading names it.
#[component]
fn Modal(
    /// Its class.
    class: &'static str,
    /// What it is called.
    label: &'static str,
    /// What is in it.
    content: AnyView,
) -> impl IntoView {
    let app = AppState::of_page();
    let dialog = NodeRef::<html::Dialog>::new();
    dialog.on_load(|dialog| {
        // Once it is in the page. A dialog that can't be modal is shown all the same.
        after(0, move || {
            if dialog.is_connected() && !dialog.open() && dialog.show_modal().is_err() {
                dialog.set_open(true);
            }
        });
    });
    on_cleanup(move || {
        // The browser gives the focus back to what had it, but only for a dialog that is closed.
        if let Some(dialog) = dialog.try_get_untracked().flatten().filter(|dialog| dialog.open()) {
            dialog.close();
        }
    });
    let press_outside = move |event: leptos::ev::MouseEvent| {
        // The backdrop is the dialog itself; what is in it is not.
        let is_backdrop = event.target() == event.current_target();
        if is_backdrop && is_outside(&event) {
            app.dialog.set(None);
        }
    };
    view! {
        <dialog
            id="dialog"
            class=class
            node_ref=dialog
            aria-label=(!label.is_empty()).then_some(label)
            aria-labelledby=label.is_empty().then_some("dialog-title")
            on:close=move |_| {
                // The one that closed, not one that was opened from it.
                let is_there = dialog.try_get_untracked().flatten().is_some_and(|dialog| dialog.is_connected());
                if is_there {
                    app.dialog.set(None);
                }
            }
            on:mousedown=press_outside
        >
            {content}
        </dialog>
    }
}

/// True where the pointer is beyond the edges of what was pressed: its padding is inside.
fn is_outside(event: &leptos::ev::MouseEvent) -> bool {
    use wasm_bindgen::JsCast;
    let pressed = event.current_target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    pressed.is_some_and(|pressed| {
        let edges = pressed.get_bounding_client_rect();
        let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
        x < edges.left() || x > edges.right() || y < edges.top() || y > edges.bottom()
    })
}
