//! What charts side by side share.

use std::time::Duration;

use leptos::prelude::*;

use super::scene::spec::ExtentKey;
use super::scene::windows::rounded;
use crate::app::browser::timing::Timer;
use crate::app::state::{Address, AppState, ViewState};
use rundown_plot::{Range, XWindow};

/// After this pause turns of the wheel and strokes of a key are one choice, which the back button takes back.
const PAUSE: Duration = Duration::from_millis(400);

/// Charts of one view: they look at the same part of x and share one cursor.
#[derive(Clone, Copy)]
pub struct ChartGroup {
    /// Position of the cursor along x.
    pub cursor: RwSignal<Option<f64>>,
    /// Visible part of x; everything when `None`. Of a group whose window the address holds, the window while it is
    /// being dragged.
    pub window: RwSignal<Option<(f64, f64)>>,
    /// Range of x over all charts that have been drawn, and what it belongs to.
    extent: RwSignal<Option<(ExtentKey, Range)>>,
    /// The window in the address.
    address_window: Option<AddressWindow>,
    /// Runs out once there is a pause.
    pause: Timer,
}

#[derive(Clone, Copy)]
struct AddressWindow {
    address: Address,
    window: Memo<Option<(f64, f64)>>,
    write: fn(&mut ViewState, Option<(f64, f64)>),
    is_dragging: RwSignal<bool>,
}

impl ChartGroup {
    /// A group of its own.
    pub fn new() -> Self {
        Self {
            cursor: RwSignal::new(None),
            window: RwSignal::new(None),
            extent: RwSignal::new(None),
            address_window: None,
            pause: Timer::new(),
        }
    }

    /// A group whose window the address holds, the same one in all views of several charts.
    pub fn in_address(app: AppState) -> Self {
        Self::with_window(app, |state| state.charts.window, |state, window| state.charts.window = window)
    }

    /// A group whose window the address holds, where `read` finds it and `write` puts it.
    pub fn with_window(
        app: AppState,
        read: fn(&ViewState) -> Option<(f64, f64)>,
        write: fn(&mut ViewState, Option<(f64, f64)>),
    ) -> Self {
        let window = app.address.part(read);
        let in_address = AddressWindow { address: app.address, window, write, is_dragging: RwSignal::new(false) };
        Self { address_window: Some(in_address), ..Self::new() }
    }

    /// The visible part of x, followed by whoever asks; everything when the group is gone, as for an answer that comes
    /// late.
    pub fn visible(self) -> Option<(f64, f64)> {
        match self.address_window {
            Some(in_address) if in_address.is_dragging.try_get() != Some(true) => in_address.window.try_get().flatten(),
            _ => self.window.try_get().flatten(),
        }
    }

    /// What is looked at; followed by whoever asks.
    pub fn view(self) -> XWindow {
        let extent = self.extent.try_with(|extent| extent.as_ref().map(|(_, extent)| *extent)).flatten();
        XWindow::new(extent.unwrap_or(Range::unit()), self.visible())
    }

    /// True once a chart was drawn.
    pub fn has_extent(self) -> bool {
        self.extent.try_with(Option::is_some) == Some(true)
    }

    /// Shows this part of x; everything when `None`.
    pub fn show(self, window: Option<(f64, f64)>) {
        if let Some(in_address) = self.address_window {
            in_address.is_dragging.set(true);
        }
        self.window.set(window);
        self.commit();
    }

    /// Changes the window while the user drags.
    pub fn drag(self, change: impl FnOnce(XWindow) -> XWindow) {
        let now = untrack(|| self.view());
        let next = change(now).window();
        if next == now.window() {
            return;
        }
        if let Some(in_address) = self.address_window {
            in_address.is_dragging.set(true);
        }
        self.window.set(next);
    }

    /// Writes the window that was dragged into the address.
    pub fn commit(self) {
        let Some(in_address) = self.address_window else { return };
        if in_address.is_dragging.try_get_untracked() != Some(true) {
            return;
        }
        let window = self.window.get_untracked().map(rounded);
        in_address.address.choose(|state| (in_address.write)(state, window));
        in_address.is_dragging.set(false);
    }

    /// Changes the window by a choice.
    pub fn choose(self, change: impl FnOnce(XWindow) -> XWindow) {
        self.drag(change);
        self.commit();
    }

    /// Changes the window by one of several small steps, which become one choice once there is a pause.
    pub fn nudge(self, change: impl FnOnce(XWindow) -> XWindow) {
        self.drag(change);
        self.pause.set(PAUSE, move || self.commit());
    }

    /// Takes the extent of another chart into account; one of other runs or another x replaces what was known. A heat map,
    /// which is of one run, does not replace that of lines of this run and others.
    pub(super) fn grow(self, key: &ExtentKey, extent: Range, is_heat: bool) {
        let extent = from_zero(extent);
        let Some(now) = self.extent.try_get_untracked() else { return };
        let is_known = |of: &ExtentKey| of == key || (is_heat && of.covers(key));
        let next = match &now {
            Some((of, now)) if is_known(of) => (of.clone(), now.union(extent)),
            _ => (key.clone(), extent),
        };
        if now.as_ref() != Some(&next) {
            self.extent.set(Some(next));
        }
    }
}

impl Default for ChartGroup {
    fn default() -> Self {
        Self::new()
    }
}

/// Makes the charts of runs below this component share cursor, zoom and what the user chose for single charts; call it
/// once, in the component of a view.
pub fn share_charts() -> ChartGroup {
    let group = ChartGroup::in_address(AppState::of_page());
    provide_context(group);
    provide_context(super::own_choices::OwnChoices::default());
    provide_context(super::pins::Pins::remembered());
    group
}

/// A run that was first logged at step 1 or 10 began at step 0.
fn from_zero(extent: Range) -> Range {
    let is_near = extent.low() > 0.0 && extent.low() <= 0.1 * extent.high();
    if is_near { Range::new(0.0, extent.high()).unwrap_or(extent) } else { extent }
}
