//! Signs that updates are too large, which the checks on learning rate and aggressiveness share.
//!
//! None of them says much alone: a KL rises in healthy runs too. Several at once, while the task suffers, do.

use super::Evidence;
use super::bound::{Stretch, stretch};
use super::context::Context;
use super::kl::Moved;
use super::signal::Signal;
use crate::stats;
use crate::vocabulary::{Concept, Direction};

/// Gradients that become so many times as large as at the start are a sign.
const GRADIENT_GROWTH: f64 = 3.0;
/// Fewest first points whose median is the start of the gradient norm.
const START: usize = 5;

/// One metric that says so.
pub(super) struct Sign<'a> {
    /// The metric, in the form in which it was compared.
    pub signal: Signal<'a>,
    /// Where it is beyond its threshold.
    pub stretch: Stretch,
    /// Its level there, with the threshold.
    pub evidence: Evidence,
}

/// The signs of a run, in the order of their weight.
pub(super) fn signs<'a>(context: &Context<'a>) -> Vec<Sign<'a>> {
    let found = [update(context), away(context), clipped(context), steep(context)];
    found.into_iter().flatten().collect()
}

/// The policy leaves the one that sampled by too much within one batch.
pub(super) fn update<'a>(context: &Context<'a>) -> Option<Sign<'a>> {
    let mut signal = context.signal(Concept::KlToSampler)?.clone();
    // Signed estimates cancel, so that their size is a lower bound.
    signal.values.iter_mut().for_each(|value| *value = value.abs());
    let book = context.rulebook;
    sign(signal, book.update_kl().value, "KL of one update", "nats/token", book.update_kl().over())
}

fn away<'a>(context: &Context<'a>) -> Option<Sign<'a>> {
    let moved = Moved::new(context)?;
    let book = context.rulebook;
    let signal = Signal { values: moved.values, ..moved.kl };
    sign(signal, book.kl_watch().value, "KL to the reference", "nats/token", book.kl_watch().over())
}

fn clipped<'a>(context: &Context<'a>) -> Option<Sign<'a>> {
    let signal = context.signal(Concept::ClipFraction)?.clone();
    let book = context.rulebook;
    sign(signal, book.clip_fraction().value, "clip fraction", "", book.clip_fraction().over())
}

fn steep<'a>(context: &Context<'a>) -> Option<Sign<'a>> {
    let signal = context.signal(Concept::GradientNorm)?.clone();
    let head = (signal.len() / 50).max(START).min(signal.len());
    let start = stats::median(signal.values.get(..head)?).filter(|start| *start > 0.0)?;
    sign(signal, GRADIENT_GROWTH * start, "gradient norm", "", "> 3 times its start".to_owned())
}

fn sign<'a>(signal: Signal<'a>, threshold: f64, name: &str, unit: &str, cite: String) -> Option<Sign<'a>> {
    let stretch = stretch(&signal, 0, Direction::Up, threshold)?;
    let evidence = Evidence::new(name, stretch.level, unit).against(cite);
    Some(Sign { signal, stretch, evidence })
}
