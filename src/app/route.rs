//! What the address shows: the hash holds the view and the run's number, never data. With it the back button works.

use crate::protocol::Topic;

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

    fn slug(self) -> String {
        self.label().to_ascii_lowercase()
    }
}

/// Where the page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Route {
    /// The view.
    pub view: View,
    /// The engine's number of the run; the first run of the list when `None`.
    pub run: Option<u32>,
}

impl Route {
    /// Reads `#/run/3`. What it can't read is the Run view of the first run.
    pub fn parse(hash: &str) -> Self {
        let mut parts = hash.trim_start_matches('#').split('/').filter(|part| !part.is_empty());
        let word = parts.next().unwrap_or_default();
        let view = View::all(&Topic::ALL).into_iter().find(|view| view.slug() == word).unwrap_or_default();
        Self { view, run: parts.next().and_then(|number| number.parse().ok()) }
    }

    /// The hash that [`Route::parse`] reads back.
    pub fn hash(self) -> String {
        match self.run {
            Some(run) => format!("#/{}/{run}", self.view.slug()),
            None => format!("#/{}", self.view.slug()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_reads_back() {
        for view in View::all(&Topic::ALL) {
            for run in [None, Some(0), Some(u32::MAX)] {
                let route = Route { view, run };
                assert_eq!(Route::parse(&route.hash()), route);
            }
        }
    }

    #[test]
    fn a_foreign_hash_is_the_first_run() {
        for hash in ["", "#", "#/", "#finding-3", "#/nowhere/1e9", "#/run/-1", "#/run/99999999999"] {
            assert_eq!(Route::parse(hash).view, View::Run, "{hash}");
        }
        assert_eq!(Route::parse("#/run/99999999999").run, None);
    }
}
