//! Completions from both sides of an onset, as programs read them: redacted and cut as in the other reports.

use super::finding::clean;
use rundown_diagnose::samples::{CompletionGroup, Samples};
use rundown_present::samples::{excerpt_text, prompt_end};
use rundown_schema::Number;
use rundown_schema::finding::{ChangeReport, ExcerptReport, SamplesReport, SideReport};
use rundown_stats::CompactCollect as _;

pub(super) fn samples_report(samples: &Samples) -> SamplesReport {
    let change = |name: &str, before: f64, after: f64| ChangeReport {
        name: clean(name),
        before: before.into(),
        after: after.into(),
    };
    SamplesReport {
        before: group_report(&samples.before),
        after: group_report(&samples.after),
        measures: samples.measures.iter().map(|each| change(&each.name, each.before, each.after)).collect(),
        phrases: samples.phrases.iter().map(|each| change(&each.text, each.before, each.after)).collect(),
    }
}

fn group_report(group: &CompletionGroup) -> SideReport {
    let excerpts = group.shown.iter().map(|excerpt| ExcerptReport {
        step: excerpt.step.into(),
        prompt: prompt_end(excerpt),
        text: excerpt_text(excerpt),
        length: excerpt.length,
        repeated: clean(&excerpt.repeated),
        times: excerpt.times,
        scores: excerpt.scores.iter().map(|(name, score)| (clean(name), Number(*score))).compact_collect(),
    });
    SideReport {
        compared: group.compared,
        first_step: group.steps.0.into(),
        last_step: group.steps.1.into(),
        shown: excerpts.collect(),
    }
}
