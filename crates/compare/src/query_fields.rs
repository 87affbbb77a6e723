//! A compared run as a query sees it.

use super::RunSummary;
use rundown_query::{FieldLookup, QueryValue, RunFields, RunProperty};

impl RunFields for RunSummary {
    fn property(&self, property: RunProperty) -> FieldLookup<'_> {
        match property {
            RunProperty::Name => FieldLookup::text(Some(&self.name)),
            RunProperty::Id => FieldLookup::text(Some(&self.id)),
            RunProperty::State => FieldLookup::text(Some(self.state.as_str())),
            RunProperty::Tags => FieldLookup::texts(self.tags.iter().map(String::as_str)),
            RunProperty::Group => FieldLookup::text(self.group.as_deref()),
            RunProperty::JobType => FieldLookup::text(self.job_type.as_deref()),
            RunProperty::Sweep => FieldLookup::text(self.sweep.as_deref()),
            RunProperty::Project => FieldLookup::text(self.project.as_deref()),
            RunProperty::Notes => FieldLookup::text(self.notes.as_deref()),
            RunProperty::Framework => {
                FieldLookup::Found(QueryValue::text(self.framework.as_str().to_ascii_lowercase()))
            }
            RunProperty::Verdict => FieldLookup::text(Some(self.verdict.as_str())),
            RunProperty::Finding => FieldLookup::texts(self.findings.iter().map(|finding| finding.code.as_str())),
            RunProperty::Created => FieldLookup::number(self.started_at),
            RunProperty::Steps => FieldLookup::number(self.steps.map(|(_, last)| last)),
            RunProperty::Points => FieldLookup::number(Some(self.points as f64)),
            RunProperty::Hours => FieldLookup::number(self.spent.hours),
            RunProperty::Tokens => FieldLookup::number(self.spent.tokens),
            RunProperty::Cost => FieldLookup::number(self.spent.money),
        }
    }

    fn setting(&self, key: &str) -> Option<QueryValue<'_>> {
        self.config.get(key).map(QueryValue::from)
    }

    fn setting_keys(&self) -> impl Iterator<Item = &str> {
        self.config.iter().map(|(key, _)| key)
    }

    fn metric(&self, key: &str) -> Option<f64> {
        self.last.get(key).copied()
    }

    fn metric_keys(&self) -> impl Iterator<Item = &str> {
        self.last.keys().map(String::as_str)
    }
}
