//! What a query asks of a run: the trait that everything selectable implements.

use super::value::QueryValue;
use rundown_format::named_enum;

/// A run whose fields can be queried: a loaded run, or a row of a server's list.
pub trait RunFields {
    /// A property of the run.
    fn property(&self, property: RunProperty) -> FieldLookup<'_>;

    /// The setting under exactly this dotted key.
    fn setting(&self, key: &str) -> Option<QueryValue<'_>>;

    /// The dotted keys of all settings, ascending.
    fn setting_keys(&self) -> impl Iterator<Item = &str>;

    /// The last value of a metric.
    fn metric(&self, key: &str) -> Option<f64>;

    /// The keys of all metrics.
    fn metric_keys(&self) -> impl Iterator<Item = &str>;
}

/// The result of looking up a key in a run.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldLookup<'v> {
    /// The run may have a value, which only loading it shows.
    Unknown,
    /// The run has no such value.
    Missing,
    /// Settings are nested under the key, which has no value of its own.
    Section,
    /// A value.
    Found(QueryValue<'v>),
}

impl<'v> FieldLookup<'v> {
    /// A text, where the run has one.
    pub fn text(text: Option<&'v str>) -> Self {
        text.map_or(Self::Missing, |text| Self::Found(QueryValue::text(text)))
    }

    /// A list of texts; an empty list counts as missing.
    pub fn texts(texts: impl IntoIterator<Item = &'v str>) -> Self {
        match QueryValue::texts(texts) {
            QueryValue::List(items) if items.is_empty() => Self::Missing,
            list => Self::Found(list),
        }
    }

    /// A number, where the run has one; NaN counts as missing.
    pub fn number(number: Option<f64>) -> Self {
        match number {
            Some(number) if !number.is_nan() => Self::Found(QueryValue::Number(number)),
            _ => Self::Missing,
        }
    }
}

named_enum! {
    name
    /// A property of a run, apart from its settings and metrics, with its name in a query, in the order of suggestion.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RunProperty {
        /// Name to show.
        Name = "name",
        /// Id.
        Id = "id",
        /// State: `finished`, `running`, …
        State = "state",
        /// Tags.
        Tags = "tags",
        /// Group.
        Group = "group",
        /// Job type.
        JobType = "job_type",
        /// Sweep id.
        Sweep = "sweep",
        /// Project.
        Project = "project",
        /// The user's notes.
        Notes = "notes",
        /// Training framework.
        Framework = "framework",
        /// Verdict of the diagnosis.
        Verdict = "verdict",
        /// Codes of findings.
        Finding = "finding",
        /// Start, as Unix seconds.
        Created = "created",
        /// Last step.
        Steps = "steps",
        /// Number of logged steps.
        Points = "points",
        /// Duration in hours.
        Hours = "hours",
        /// Tokens.
        Tokens = "tokens",
        /// Cost in money.
        Cost = "cost",
    }
}

use RunProperty as P;

/// Other names: those of W&B, and variants.
const ALIASES: [(&str, RunProperty); 10] = [
    ("display_name", P::Name),
    ("displayName", P::Name),
    ("run_id", P::Id),
    ("tag", P::Tags),
    ("jobType", P::JobType),
    ("findings", P::Finding),
    ("created_at", P::Created),
    ("createdAt", P::Created),
    ("started", P::Created),
    ("started_at", P::Created),
];

impl RunProperty {
    /// The property of this name or alias.
    pub(super) fn named(name: &str) -> Option<Self> {
        let alias = || ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, property)| *property);
        Self::from_name(name).or_else(alias)
    }

    /// True for one whose values are Rundown's own lower-case words.
    pub(super) fn is_lowercase(self) -> bool {
        matches!(self, P::State | P::Framework | P::Verdict | P::Finding)
    }

    /// True for one that only a loaded run has: a server's list answers [`FieldLookup::Unknown`].
    pub fn needs_loading(self) -> bool {
        matches!(self, P::Framework | P::Verdict | P::Finding | P::Steps | P::Points | P::Hours | P::Tokens | P::Cost)
    }
}
