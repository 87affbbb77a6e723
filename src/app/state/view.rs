//! The views of the page, their tabs and their names in the address.

use rundown_protocol::Topic;

/// One page of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// Verdict, incidents, findings.
    #[default]
    Run,
    /// Every chart.
    Metrics,
    /// Something about all runs.
    Topic(Topic),
    /// The report to keep.
    Report,
}

impl View {
    /// The views of a page whose runs have something for these topics, in the order of the tabs and of the keys 1 to 9.
    pub fn all(topics: &[Topic]) -> Vec<View> {
        let mut views = vec![View::Run, View::Metrics];
        views.extend(topics.iter().map(|topic| View::Topic(*topic)));
        // What one sets comes last, behind what one gets.
        views.extend([View::Report, View::Topic(Topic::Settings)]);
        views
    }

    /// The word on the tab; in small letters, the one in the address.
    pub fn label(self) -> &'static str {
        match self {
            View::Run => "Run",
            View::Metrics => "Metrics",
            View::Topic(Topic::Compare) => "Compare",
            View::Topic(Topic::Signals) => "Signals",
            View::Topic(Topic::League) => "League",
            View::Topic(Topic::Scaling) => "Scaling",
            View::Topic(Topic::Pipeline) => "Pipeline",
            View::Topic(Topic::Rewards) => "Rewards",
            View::Topic(Topic::Settings) => "Settings",
            View::Report => "Report",
        }
    }

    /// The word in the address.
    pub fn slug(self) -> String {
        self.label().to_ascii_lowercase()
    }

    /// The view with this word in the address.
    pub fn from_slug(slug: &str) -> Option<View> {
        View::all(&Topic::ALL).into_iter().find(|view| view.slug() == slug)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_view_is_found_by_its_word() {
        for view in View::all(&Topic::ALL) {
            assert_eq!(View::from_slug(&view.slug()), Some(view));
        }
        assert_eq!(View::from_slug("Run"), None);
    }
}
