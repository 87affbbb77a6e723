//! What the user chose for all charts of the Metrics view.

use super::finder::Finder;
use crate::app::chart::{ChartGroup, Choice};
use crate::app::reactive::State;
use crate::protocol::XAxis;

/// The choices. They outlive the view, so that one finds it as one left it.
#[derive(Clone, Copy)]
pub struct Controls {
    /// What was typed into the search box.
    pub query: State<String>,
    /// Axes and smoothing.
    pub choice: State<Choice>,
    /// Cursor and window of all charts.
    pub group: ChartGroup,
}

impl Default for Controls {
    fn default() -> Self {
        Self { query: State::new(String::new()), choice: State::new(Choice::default()), group: ChartGroup::default() }
    }
}

impl Controls {
    /// What the search box finds.
    pub fn finder(self) -> Finder {
        Finder::new(&self.query.get())
    }

    /// Changes what lies along x; cursor and window meant another quantity and go.
    pub fn choose_x(self, chosen: &str) {
        let x = if chosen == word(XAxis::RelativeTime) { XAxis::RelativeTime } else { XAxis::Step };
        self.group.reset();
        self.choice.update(|choice| choice.x = x);
    }
}

/// The word for an x axis.
pub fn word(x: XAxis) -> &'static str {
    match x {
        XAxis::Step => "step",
        XAxis::RelativeTime => "relative time",
    }
}
