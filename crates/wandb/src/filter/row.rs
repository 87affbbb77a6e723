//! A row of W&B's list of runs, as a query sees it.

use crate::RunInfo;
use rundown_query::{FieldLookup, QueryValue, RunFields, RunProperty};

/// A listed run and its project.
pub(super) struct ListedRun<'r> {
    pub(super) run: &'r RunInfo,
    pub(super) project: &'r str,
}

impl RunFields for ListedRun<'_> {
    fn property(&self, property: RunProperty) -> FieldLookup<'_> {
        let run = self.run;
        match property {
            RunProperty::Name => FieldLookup::text(Some(&run.name)),
            RunProperty::Id => FieldLookup::text(Some(&run.id)),
            RunProperty::State => FieldLookup::text(Some(run.run_state.as_str())),
            RunProperty::Tags => FieldLookup::texts(run.tags.iter().map(String::as_str)),
            RunProperty::Group => FieldLookup::text(run.group.as_deref()),
            RunProperty::JobType => FieldLookup::text(run.job_type.as_deref()),
            RunProperty::Sweep => FieldLookup::text(run.sweep.as_deref()),
            RunProperty::Project => FieldLookup::text(Some(self.project)),
            RunProperty::Notes => FieldLookup::text(run.notes.as_deref()),
            RunProperty::Created => FieldLookup::number(run.created_at),
            RunProperty::Framework
            | RunProperty::Verdict
            | RunProperty::Finding
            | RunProperty::Steps
            | RunProperty::Points
            | RunProperty::Hours
            | RunProperty::Tokens
            | RunProperty::Cost => FieldLookup::Unknown,
        }
    }

    fn setting(&self, key: &str) -> Option<QueryValue<'_>> {
        self.run.config.get(key).map(QueryValue::from)
    }

    fn setting_keys(&self) -> impl Iterator<Item = &str> {
        self.run.config.iter().map(|(key, _)| key)
    }

    fn metric(&self, key: &str) -> Option<f64> {
        self.run.summary.get(key)?.as_number().filter(|number| number.is_finite())
    }

    fn metric_keys(&self) -> impl Iterator<Item = &str> {
        self.run.summary.iter().map(|(key, _)| key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_compare::RunSummary;
    use rundown_diagnose::Verdict;
    use rundown_query::Query;
    use rundown_run::{Config, ConfigValue};

    fn run() -> RunInfo {
        let mut config = Config::default();
        config.insert("actor.optim.lr", ConfigValue::Number(1e-4));
        config.insert("seed", ConfigValue::Number(7.0));
        let mut summary = Config::default();
        summary.insert("eval/accuracy", ConfigValue::Number(0.8));
        RunInfo { name: "lr-1".into(), tags: vec!["sweep".into()], config, summary, ..RunInfo::default() }
    }

    fn may_match(text: &str) -> bool {
        Query::parse(text).unwrap().may_match(&ListedRun { run: &run(), project: "p" })
    }

    #[test]
    fn what_only_loading_shows_excludes_no_run() {
        for text in [
            "",
            "verdict == good",
            "verdict != ugly and seed == 7",
            "not (verdict == good) config.lr > 1e-5",
            "seed == 8 or finding contains kl_blow_up",
            "not (seed == 7 and hours > 3)",
            "framework == trl steps > 100 points > 3 tokens > 1 cost > 1",
        ] {
            assert!(may_match(text), "{text}");
        }
        for text in [
            "seed == 8 and verdict != ugly",
            "not (seed == 7 or verdict == good)",
            "(seed == 8 or name ~ /^x/) finding contains kl_blow_up",
            "words",
        ] {
            assert!(!may_match(text), "{text}");
        }
    }

    #[test]
    fn a_run_that_is_selected_once_loaded_was_listed() {
        let parts = ["verdict == good", "seed == 7", "seed == 8", "hours > 1", "sweep"];
        let joints = ["and", "or", "and not", "or not"];
        let listed = run();
        for verdict in [Verdict::Good, Verdict::Ugly] {
            let loaded = RunSummary {
                verdict,
                name: listed.name.clone(),
                tags: listed.tags.clone(),
                config: listed.config.clone(),
                ..RunSummary::default()
            };
            for first in parts {
                for second in parts {
                    for third in parts {
                        for (one, other) in joints.iter().flat_map(|one| joints.map(|other| (one, other))) {
                            let text = format!("({first} {one} {second}) {other} {third}");
                            assert!(may_match(&text) || !Query::parse(&text).unwrap().matches(&loaded), "{text}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_setting_that_the_list_lacks_may_be_nested() {
        for (text, lacks) in [
            ("config.lr > 1", true),
            ("lr > 1", true),
            ("optim.lr > 1", true),
            ("config.actor != null", false),
            ("config.actor.optim.lr > 1", false),
            ("seed > 1", false),
            ("eval/accuracy > 1", false),
            ("config.eval/accuracy > 1", true),
            ("summary.loss > 1 verdict == good words", false),
        ] {
            let query = Query::parse(text).unwrap();
            assert_eq!(query.lacks_settings(&ListedRun { run: &run(), project: "p" }), lacks, "{text}");
        }
    }
}
