//! What charts side by side share.

use crate::app::reactive::State;
use crate::plot::{Range, XWindow};
use crate::protocol::XAxis;

/// Charts of one view: they look at the same part of x and share one cursor.
#[derive(Clone, Copy)]
pub struct ChartGroup {
    /// Position of the cursor along x.
    pub cursor: State<Option<f64>>,
    /// Visible part of x; everything when `None`.
    pub window: State<Option<(f64, f64)>>,
    /// Range of x over all charts that have been drawn, of which run, and what x is.
    extent: State<Option<(u32, XAxis, Range)>>,
    /// Grows with the extent.
    grown: State<u32>,
}

impl Default for ChartGroup {
    fn default() -> Self {
        Self { cursor: State::new(None), window: State::new(None), extent: State::new(None), grown: State::new(0) }
    }
}

impl ChartGroup {
    /// Shows everything and takes the cursor away: for another quantity along x.
    pub fn reset(self) {
        self.window.set(None);
        self.cursor.set(None);
    }

    /// What is looked at.
    pub fn view(self) -> XWindow {
        let extent = self.extent.get_untracked().map_or(Range::unit(), |(_, _, extent)| extent);
        XWindow::new(extent, self.window.get_untracked())
    }

    /// Follows what [`ChartGroup::view`] depends on.
    pub fn track(self) {
        self.window.track();
        self.grown.track();
    }

    /// Where the cursor is, without following it.
    pub fn cursor_now(self) -> Option<f64> {
        self.cursor.get_untracked()
    }

    /// Changes the window.
    pub fn change(self, change: impl FnOnce(XWindow) -> XWindow) {
        let now = self.view();
        let next = change(now).window();
        if next != now.window() {
            self.window.set(next);
        }
    }

    /// Takes the extent of another chart into account; one of another run or x replaces what was known.
    pub(super) fn grow(self, run: u32, x: XAxis, extent: Range) {
        let extent = from_zero(extent);
        let now = self.extent.get_untracked();
        let next = match now {
            Some((of_run, of_x, now)) if (of_run, of_x) == (run, x) => (run, x, now.union(extent)),
            _ => (run, x, extent),
        };
        if now != Some(next) {
            self.extent.set(Some(next));
            self.grown.update(|grown| *grown = grown.wrapping_add(1));
        }
    }
}

/// A run that was first logged at step 1 or 10 began at step 0.
fn from_zero(extent: Range) -> Range {
    let is_near = extent.low() > 0.0 && extent.low() <= 0.1 * extent.high();
    if is_near { Range::new(0.0, extent.high()).unwrap_or(extent) } else { extent }
}
