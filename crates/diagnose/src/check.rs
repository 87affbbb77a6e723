//! What a check is.

use crate::{Code, Context, Evidence, Finding, MetricSeries, Need, QuietReason};
use rundown_format::rich;
use rundown_format::rich_text::metric;
use rundown_vocabulary::Concept;

/// One check of the catalogue. Each lives in a file of its own under [`crate::checks`] as a `pub const CHECK`.
#[derive(Clone, Copy)]
pub struct Check {
    /// Stable name.
    pub code: Code,
    rule: Rule,
}

/// The check itself: pure, and quiet where the data are too few.
#[derive(Clone, Copy)]
enum Rule {
    OfRun(fn(&Context<'_>) -> Outcome),
    OfMetric(Concept, fn(&Context<'_>, &MetricSeries<'_>) -> Outcome),
}

impl Check {
    /// A check that asks for what it needs itself.
    pub(crate) const fn of_run(code: Code, rule: fn(&Context<'_>) -> Outcome) -> Self {
        Self { code, rule: Rule::OfRun(rule) }
    }

    /// A check of the primary metric of a concept, skipped where that is not logged.
    pub(crate) const fn of_metric(
        code: Code,
        concept: Concept,
        rule: fn(&Context<'_>, &MetricSeries<'_>) -> Outcome,
    ) -> Self {
        Self { code, rule: Rule::OfMetric(concept, rule) }
    }

    /// Its outcome over a run.
    pub fn outcome(&self, context: &Context<'_>) -> Outcome {
        match self.rule {
            Rule::OfRun(rule) => rule(context),
            Rule::OfMetric(concept, rule) => match context.signal(concept) {
                // A sum of log-probabilities, or an entropy with the wrong sign: the checks compare levels of an entropy.
                Some(signal) if concept == Concept::Entropy && signal.max() < 0.0 && !context.acts_in_environment() => {
                    let key = metric(signal.key());
                    let hint =
                        rich!("{} is negative, so it is not an entropy over tokens: log the entropy over tokens.", key);
                    Outcome::Skipped(Need { concepts: vec![concept], hint })
                }
                Some(signal) => rule(context, signal),
                None => Outcome::Skipped(context.need(&[concept])),
            },
        }
    }
}

/// The outcome of a check.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It found something.
    Found(Vec<Finding>),
    /// It found nothing; the numbers that it looked at.
    Quiet(Vec<Evidence>),
    /// It found nothing, even where a number meets its limit: why, and the numbers that it looked at.
    QuietBecause(QuietReason, Vec<Evidence>),
    /// It lacked a metric: what would enable it.
    Skipped(Need),
}
