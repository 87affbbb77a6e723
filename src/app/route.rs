//! What the address shows: the hash holds the view and the run's number, never data. With it the back button works.

/// One page of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// Verdict, incidents, findings.
    #[default]
    Run,
    /// Every chart.
    Metrics,
    /// The report to keep.
    Report,
}

impl View {
    /// All views, in the order of the tabs and of the keys 1, 2, 3.
    pub const ALL: [View; 3] = [View::Run, View::Metrics, View::Report];

    /// The word in the address.
    pub fn slug(self) -> &'static str {
        match self {
            View::Run => "run",
            View::Metrics => "metrics",
            View::Report => "report",
        }
    }

    /// The word on the tab.
    pub fn label(self) -> &'static str {
        match self {
            View::Run => "Run",
            View::Metrics => "Metrics",
            View::Report => "Report",
        }
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
        let view = View::ALL.into_iter().find(|view| view.slug() == word).unwrap_or_default();
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
        for view in View::ALL {
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
