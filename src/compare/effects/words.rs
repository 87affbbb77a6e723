//! Effects in sentences that a page or a report can show as they are.

use super::{Confounding, Effect, EffectAnalysis, FEWEST_RUNS, NoImportance};
use crate::compare::ParameterKind;
use crate::compare::sample::Target;
use crate::format::short;
use crate::stats::Shape;

/// How often the same value wins the controlled comparisons: (wins, slices, the value).
fn wins(effect: &Effect, sign: f64) -> Option<(usize, usize, &str)> {
    let bests: Vec<usize> = effect.matched.iter().filter_map(|slice| slice.best(sign)).collect();
    let count = |level: usize| bests.iter().filter(|best| **best == level).count();
    let mut top: Option<(usize, usize)> = None;
    for level in 0..effect.parameter.levels.len() {
        let wins = count(level);
        if wins > 0 && top.is_none_or(|(_, most)| wins > most) {
            top = Some((level, wins));
        }
    }
    let (level, most) = top?;
    Some((most, bests.len(), effect.parameter.levels.get(level)?.text.as_str()))
}

/// What one parameter did.
pub(super) fn sentence(effect: &Effect, target: &Target<'_>) -> String {
    let words = &effect.parameter.words;
    let runs = effect.runs.to_string();
    let mut text = String::new();
    let Some(best) = effect.best.and_then(|best| effect.bins.get(best)) else {
        return [words, ": too few runs with an outcome differ in it."].concat();
    };
    if let Some(confounding) = &effect.confounding {
        return [words.as_str(), ": ", &doubted(confounding, effect, target)].concat();
    }
    let Some(q) = effect.q else {
        text.push_str(
            &[words, ": best with ", &best.label, " in ", &runs, " runs. Too few to claim an effect."].concat(),
        );
        return text + &controlled(effect, target);
    };
    if !effect.is_claimed {
        let p = [" (corrected p ", &short(q), ", ", &runs, " runs)."].concat();
        text.push_str(&[words, ": no effect beyond chance", &p].concat());
        return text + &controlled(effect, target);
    }
    text.push_str(&[words, ": ", form(effect), ", ", effect.strength.as_str()].concat());
    text.push_str(
        &[" (corrected p ", &short(q), ", ", &runs, " runs). Best ", where_best(effect), &best.label].concat(),
    );
    text.push_str(&[": median ", &short(best.median)].concat());
    let others: Vec<String> = effect
        .bins
        .iter()
        .filter(|bin| bin.label != best.label)
        .map(|bin| [&short(bin.median), " at ", bin.label.as_str()].concat())
        .collect();
    text.push_str(&[" against ", &others.join(", "), "."].concat());
    text.push_str(&controlled(effect, target));
    let mut together: Vec<&str> = effect.parameter.same.iter().chain(&effect.inseparable).map(String::as_str).collect();
    if !together.is_empty() {
        text.push_str(&[" It cannot be told apart from `", &together.join("`, `"), "`."].concat());
    }
    let near = effect.parameter.near.iter().map(|near| near.key.as_str());
    together = near.filter(|key| !effect.inseparable.iter().any(|known| known == key)).collect();
    if !together.is_empty() {
        text.push_str(&[" It changes along with `", &together.join("`, `"), "`."].concat());
    }
    text
}

/// Why what the numbers show is not claimed.
fn doubted(confounding: &Confounding, effect: &Effect, target: &Target<'_>) -> String {
    let runs = effect.runs.to_string();
    match confounding {
        Confounding::OutcomeRedefined => [
            "it changes what `",
            target.key,
            "` counts, so runs with other values of it can't be compared by that. An evaluation could tell.",
        ]
        .concat(),
        Confounding::RunLength { step: at } => [
            "nothing beyond chance at step ",
            &short(*at),
            ", the last one that all ",
            &runs,
            " runs reached. The levels at the end differ because its runs trained for different numbers of steps.",
        ]
        .concat(),
        Confounding::OtherSetting { key } => [
            "no effect of its own: its values go together with those of `",
            key,
            "`, and where that is the same nothing differs beyond chance (",
            &runs,
            " runs).",
        ]
        .concat(),
    }
}

fn where_best(effect: &Effect) -> &'static str {
    if effect.parameter.is_number() { "near " } else { "with " }
}

fn form(effect: &Effect) -> &'static str {
    match effect.shape {
        Shape::None => "its values differ",
        _ if effect.parameter.kind == ParameterKind::Switch => "its values differ",
        Shape::Rising => "rising",
        Shape::Falling => "falling",
        Shape::InvertedU => "inverted U",
        Shape::U => "U",
        Shape::Threshold { rises: true, .. } => "a step up",
        Shape::Threshold { rises: false, .. } => "a step down",
    }
}

/// What the runs say that differ in nothing else.
fn controlled(effect: &Effect, target: &Target<'_>) -> String {
    // A single set of all runs says what the bins say.
    if effect.matched.iter().any(|slice| slice.runs.len() == effect.runs) {
        return String::new();
    }
    let Some((most, all, level)) = wins(effect, target.sign()) else { return String::new() };
    let plural = if all == 1 { " set" } else { " sets" };
    if most * 2 <= all && all > 1 {
        return [" With all else equal no value was best in most of ", &all.to_string(), " sets of runs."].concat();
    }
    let counts = [&most.to_string(), " of ", &all.to_string(), plural].concat();
    [" With all else equal ", level, " was best in ", &counts, " of runs."].concat()
}

/// What to know before believing any of it.
pub(super) fn notes(result: &EffectAnalysis) -> Vec<String> {
    let mut notes = Vec::new();
    let claims = result.effects.iter().filter(|effect| effect.is_claimed).count();
    if result.runs < FEWEST_RUNS {
        let runs = result.runs.to_string();
        notes.push([&runs, " runs have this outcome: below eight nothing is claimed, and no p is given."].concat());
    } else if result.effects.is_empty() {
        notes.push("The runs differ in no setting.".to_owned());
    } else if claims == 0 {
        notes.push("No setting had an effect beyond chance.".to_owned());
    } else {
        notes.push("Attribution, not proof: settings may stand for something else that differed.".to_owned());
    }
    let rewarded: Vec<&str> = (result.effects.iter())
        .filter(|effect| effect.confounding == Some(Confounding::OutcomeRedefined))
        .map(|effect| effect.parameter.key.as_str())
        .collect();
    if !rewarded.is_empty() {
        let keys = rewarded.join("`, `");
        notes.push(
            ["The runs were rewarded differently (`", &keys, "`): their `", &result.target, "` is not one measure."]
                .concat(),
        );
    }
    if result.broken > 0 {
        let runs = result.broken.to_string();
        notes.push([&runs, " runs went wrong before they had an outcome: they count as the worst."].concat());
    }
    if result.ugly > result.broken {
        let runs = (result.ugly - result.broken).to_string();
        notes.push([&runs, " ugly runs count with the outcome that they logged."].concat());
    }
    for left in &result.excluded {
        notes.push([&left.runs.to_string(), " runs are left out: ", left.why, "."].concat());
    }
    match result.no_importance {
        Some(NoImportance::TooFewRuns { needed }) if result.runs >= FEWEST_RUNS => {
            notes.push(["No importances: a forest needs ", &needed.to_string(), " runs here."].concat());
        }
        Some(NoImportance::NothingLearned { r2 }) => {
            notes.push(
                ["No importances: the forest predicts unseen runs no better than chance (R² ", &short(r2), ")."]
                    .concat(),
            );
        }
        _ => {}
    }
    notes
}
