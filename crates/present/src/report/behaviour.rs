//! How the policy behaves, in sentences: reward functions, length and variety of its answers, invalid outputs.

use rundown_content::Block;
use rundown_diagnose::{Diagnosis, Fifth, MetricSeries, Movement};
use rundown_format::rich_text::metric;
use rundown_format::{RichText, number, percent, rich};
use rundown_run::Run;
use rundown_stats as stats;
use rundown_vocabulary::{Binding, Concept, Unit};

/// Smallest change that is listed: a tenth of the highest level.
const MIN_RELATIVE_CHANGE: f64 = 0.1;
/// The same of a share: two percentage points.
const MIN_SHARE_CHANGE: f64 = 0.02;
/// Reward functions that are named.
const MAX_REWARD_PARTS: usize = 8;

/// Quantities of behaviour, and how a sentence on them begins.
const SYMPTOMS: [(Concept, &str); 17] = [
    (Concept::ResponseLength, "Mean length of the responses in tokens"),
    (Concept::GlobalSequenceLength, "Tokens of a step's sequences on one rank"),
    (Concept::TruncatedShare, "Responses that are cut off at the limit"),
    (Concept::RepetitionShare, "Responses that repeat themselves"),
    (Concept::Turns, "Turns of an episode"),
    (Concept::InvalidOutputs, "Outputs that cannot be parsed or are not allowed"),
    (Concept::FormatFailures, "Responses not in the required format"),
    (Concept::WrongAnswers, "Responses in the right format with a wrong answer"),
    (Concept::ValidOutputs, "Outputs that can be parsed and are allowed"),
    (Concept::Violations, "Responses or episodes that break a rule"),
    (Concept::DetectedHacks, "Responses that game the reward, as the run counts them"),
    (Concept::ExtractionRate, "Outputs that could be extracted"),
    (Concept::EmptyResponses, "Responses without any output"),
    (Concept::PartialResponses, "Responses with a part of their outputs missing"),
    (Concept::Entropy, "Entropy (less: responses vary less)"),
    (Concept::ZeroVarianceGroups, "Zero-variance groups, whose responses all score alike"),
    (Concept::KlToReference, "KL to the reference"),
];

pub(super) fn behaviour(run: &Run, diagnosis: &Diagnosis) -> Vec<Block> {
    let mut items: Vec<RichText> = parts(diagnosis).into_iter().collect();
    let mut still: Vec<&str> = Vec::new();
    for (concept, words) in SYMPTOMS {
        let Some(movement) = diagnosis.movements.iter().find(|movement| movement.concept == concept) else { continue };
        let unit = diagnosis.bindings.first(concept).map(|binding| binding.unit);
        let is_share = unit == Some(Unit::Share);
        // One point does not move, and of what became NaN a finding tells.
        if movement.slope.is_nan() || movement.last.is_nan() {
            continue;
        }
        let levels = typical_levels(run, diagnosis, movement).unwrap_or([movement.first, movement.mid, movement.last]);
        if has_changed(levels, unit) {
            items.push(rich!("{}: {}", words, change(levels, is_share)));
        } else {
            still.push(concept.words());
        }
    }
    if !still.is_empty() {
        items.push(rich!("About the same from start to end: {}.", still.join(", ")));
    }
    if let Some(samples) = diagnosis.samples.first() {
        items.push(rich!("Responses before and after the onset: see finding {}.", samples.finding + 1));
    }
    if items.is_empty() {
        return Vec::new();
    }
    vec![Block::section("Behaviour"), Block::List(items.into_iter().map(Into::into).collect())]
}

/// How each reward function moved.
fn parts(diagnosis: &Diagnosis) -> Option<RichText> {
    let parts = diagnosis.movements.iter().filter(|movement| movement.concept == Concept::RewardComponent);
    let parts: Vec<RichText> = parts
        .take(MAX_REWARD_PARTS)
        .map(|part| rich!("{} {} → {}", metric(&part.key), number(part.first), number(part.last)))
        .collect();
    (parts.len() > 1).then(|| rich!("Reward functions: {}.", RichText::joined(parts, ", ", ", ")))
}

/// Medians of the first, the middle and the last points of the KL to the reference: a single token of an estimate that is exponential
/// in the log-ratio makes a spike that is most of a mean. `None` of other metrics, and of a run whose values are not here.
fn typical_levels(run: &Run, diagnosis: &Diagnosis, movement: &Movement) -> Option<[f64; 3]> {
    let of_kl = |binding: &&Binding| binding.concept == Concept::KlToReference && binding.key == movement.key;
    let binding = diagnosis.bindings.iter().find(of_kl)?;
    let signal = MetricSeries::new(binding, run.series(&binding.key)?);
    let median = |place| stats::median(signal.shown_points(place));
    Some([median(Fifth::First)?, median(Fifth::Middle)?, median(Fifth::Last)?])
}

fn has_changed(levels: [f64; 3], unit: Option<Unit>) -> bool {
    let high = levels.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let low = levels.into_iter().fold(f64::INFINITY, f64::min);
    let least = match unit {
        Some(Unit::Share) => MIN_SHARE_CHANGE,
        // Less than one in a step is a few accidents.
        Some(Unit::Count) => 1.0,
        _ => MIN_RELATIVE_CHANGE * high.abs().max(low.abs()),
    };
    high - low > least
}

fn change([first, mid, last]: [f64; 3], is_share: bool) -> String {
    let wording = if is_share { percent } else { number };
    let within = (mid - first.min(last)) >= 0.0 && (mid - first.max(last)) <= 0.0;
    // Two points have no middle.
    let through = if within || mid.is_nan() { String::new() } else { format!("{} in the middle, ", wording(mid)) };
    format!("{} at the start, {through}{} at the end.", wording(first), wording(last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_diagnose::{Rulebook, diagnose};

    #[test]
    fn one_spike_of_the_kl_does_not_turn_its_change_round() {
        let mut run = Run::default();
        for step in 0..200 {
            let row = run.push_row(f64::from(step), f64::NAN);
            let kl = if step == 4 { 1.2 } else { 0.001 + 0.0002 * f64::from(step) };
            run.push_value("train/kl", row, kl);
            run.push_value("train/reward", row, 0.5 + 0.001 * f64::from(step));
        }
        run.choose_axis();
        let diagnosis = diagnose(&run, &Rulebook::default());
        let text = format!("{:?}", behaviour(&run, &diagnosis));
        assert!(text.contains("0.0021 at the start, 0.0399 at the end"), "{text}");
    }
}
