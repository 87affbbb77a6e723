//! Completions from both sides of an onset, as programs read them: redacted and cut as in the other reports.

use std::collections::BTreeMap;

use serde::Serialize;

use super::clean::clean;
use crate::diagnose::samples::{Samples, Side};
use crate::present::samples::{asked, told};

#[derive(Serialize)]
pub(super) struct SamplesReport {
    before: SideReport,
    after: SideReport,
    /// Means over the compared completions.
    measures: Vec<ChangeReport>,
    /// Shares of the texts that hold a phrase.
    phrases: Vec<ChangeReport>,
}

#[derive(Serialize)]
struct SideReport {
    compared: u32,
    first_step: f64,
    last_step: f64,
    shown: Vec<ExcerptReport>,
}

#[derive(Serialize)]
struct ExcerptReport {
    step: f64,
    prompt: String,
    text: String,
    /// Characters of the whole text.
    length: u32,
    repeated: String,
    times: u32,
    scores: BTreeMap<String, f64>,
}

#[derive(Serialize)]
struct ChangeReport {
    name: String,
    before: f64,
    after: f64,
}

pub(super) fn samples_report(samples: &Samples) -> SamplesReport {
    let change = |name: &str, before: f64, after: f64| ChangeReport { name: clean(name), before, after };
    SamplesReport {
        before: side_report(&samples.before),
        after: side_report(&samples.after),
        measures: samples.measures.iter().map(|each| change(&each.name, each.before, each.after)).collect(),
        phrases: samples.phrases.iter().map(|each| change(&each.text, each.before, each.after)).collect(),
    }
}

fn side_report(side: &Side) -> SideReport {
    let excerpts = side.shown.iter().map(|excerpt| ExcerptReport {
        step: excerpt.step,
        prompt: asked(excerpt),
        text: told(excerpt),
        length: excerpt.length,
        repeated: clean(&excerpt.repeated),
        times: excerpt.times,
        scores: excerpt.scores.iter().map(|(name, score)| (clean(name), *score)).collect(),
    });
    SideReport { compared: side.compared, first_step: side.steps.0, last_step: side.steps.1, shown: excerpts.collect() }
}
