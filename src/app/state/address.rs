//! The page's place as a signal that the address follows, and that follows the address.
//!
//! Choices push an entry, so that the back button (and Ctrl+Z) takes them back one by one; what changes while one drags
//! or types replaces the present entry. Each entry carries its number, so that nobody is taken off the page.

use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;
use wasm_bindgen::JsValue;
use web_sys::MouseEvent;

use super::view::View;
use super::view_state::ViewState;

/// The place of the page. Copies are the same place.
#[derive(Clone, Copy)]
pub struct Address {
    state: RwSignal<ViewState>,
    /// Number of the present entry of the history, and of the last one.
    entry: StoredValue<(u32, u32)>,
    /// Id of the run that is open without having been chosen: the address names it, as elsewhere another one may be the first.
    open_run: StoredValue<Option<String>>,
}

impl Address {
    /// Reads the address, and follows it from now on. Call it once, at the root.
    pub fn of_page() -> Self {
        let hash = || window().location().hash().unwrap_or_default();
        let address = Self {
            state: RwSignal::new(ViewState::parse(&hash())),
            entry: StoredValue::new((0, 0)),
            open_run: StoredValue::new(None),
        };
        address.write(false);
        let _ = use_event_listener(window(), leptos::ev::popstate, move |event| {
            let (now, last) = address.entry.get_value();
            match event.state().as_f64() {
                Some(entry) => address.entry.set_value((entry as u32, last)),
                // A link was followed or an address typed.
                None => {
                    address.entry.set_value((now + 1, now + 1));
                    address.number_entry();
                }
            }
            address.set(ViewState::parse(&hash()));
        });
        address
    }

    /// The state, followed by whoever asks.
    pub fn get(self) -> ViewState {
        self.state.get()
    }

    /// The state as it is now.
    pub fn now(self) -> ViewState {
        self.state.get_untracked()
    }

    /// A part of the state; who follows it hears of changes of that part alone.
    pub fn part<T: Clone + PartialEq + Send + Sync + 'static>(
        self,
        part: impl Fn(&ViewState) -> T + Send + Sync + 'static,
    ) -> Memo<T> {
        Memo::new(move |_| self.state.with(&part))
    }

    /// Changes the state by a choice that can be taken back.
    pub fn choose(self, change: impl FnOnce(&mut ViewState)) {
        self.change(change, true);
    }

    /// Changes the state while the user drags or types.
    pub fn adjust(self, change: impl FnOnce(&mut ViewState)) {
        self.change(change, false);
    }

    /// Names in the address the run that is open.
    pub fn name_open_run(self, id: Option<String>) {
        self.open_run.set_value(id);
        self.write(false);
    }

    /// Shows another view of the open run.
    pub fn show(self, view: View) {
        self.choose(|state| {
            state.view = view;
            state.enlarge(None);
        });
    }

    /// Address of the page after a change, for a link.
    pub fn href(self, change: impl FnOnce(&mut ViewState)) -> String {
        let before = self.state.get();
        let mut state = before.clone();
        change(&mut state);
        state.leave_steps(&before);
        state.hash()
    }

    /// Follows a link without leaving the page; a click that asks for another tab or window is the browser's.
    pub fn follow_link(self, event: &MouseEvent, change: impl FnOnce(&mut ViewState)) {
        if event.button() == 0 && !(event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key()) {
            event.prevent_default();
            self.choose(change);
        }
    }

    /// Takes back the last choice, if there is one.
    pub fn undo(self) {
        if self.entry.get_value().0 > 0 {
            // The browser answers with `popstate`.
            let _ = window().history().and_then(|history| history.back());
        }
    }

    /// Takes up again what was taken back.
    pub fn redo(self) {
        let (now, last) = self.entry.get_value();
        if now < last {
            let _ = window().history().and_then(|history| history.forward());
        }
    }

    fn change(self, change: impl FnOnce(&mut ViewState), is_choice: bool) {
        let mut state = self.now();
        change(&mut state);
        state.leave_steps(&self.now());
        if state != self.now() {
            self.set(state);
            self.write(is_choice);
        }
    }

    fn set(self, state: ViewState) {
        let before = self.now();
        if state == before {
            return;
        }
        let is_elsewhere = (state.view, &state.run) != (before.view, &before.run);
        self.state.set(state);
        if is_elsewhere {
            window().scroll_to_with_x_and_y(0.0, 0.0);
        }
    }

    fn write(self, is_choice: bool) {
        let Ok(history) = window().history() else { return };
        let hash = self.now().with_open_run(self.open_run.get_value()).hash();
        let (now, last) = self.entry.get_value();
        if is_choice {
            self.entry.set_value((now + 1, now + 1));
        } else {
            self.entry.set_value((now, last));
        }
        let entry = JsValue::from_f64(f64::from(self.entry.get_value().0));
        // A browser that refuses (too many changes at once) keeps an older address; the page goes on.
        let _ = if is_choice {
            history.push_state_with_url(&entry, "", Some(&hash))
        } else {
            history.replace_state_with_url(&entry, "", Some(&hash))
        };
    }

    fn number_entry(self) {
        let entry = JsValue::from_f64(f64::from(self.entry.get_value().0));
        let _ = window().history().and_then(|history| history.replace_state(&entry, ""));
    }
}
