//! The effects of hyperparameters in sentences.

use super::parts::NO_SETTINGS;
use rundown_compare::{
    Confounding, Effect, EffectAnalysis, ExcludedRuns, FailingValues, FailureCount, FailureEffect,
    MIN_RUNS_FOR_EFFECTS, NoImportance, ParameterKind, RunExclusion,
};
use rundown_diagnose::Hyperparameter;
use rundown_format::rich_text::{metric, number, setting_key, step};
use rundown_format::{RichText, Span, counted, plural, rich};
use rundown_stats::Shape;

/// The effect of one parameter, in one to four sentences.
pub fn effect_sentence(effect: &Effect, target: &str) -> RichText {
    let words = &effect.parameter.words;
    let runs = effect.runs;
    let Some(best) = effect.best.and_then(|best| effect.bins.get(best)) else {
        return rich!("{}: not tested, as too few runs with an outcome differ in it.", words);
    };
    if let Some(confounding) = &effect.confounding {
        return rich!("{}: {}", words, confounded(confounding, effect, target));
    }
    let mut text = match effect.q {
        None => {
            let why = match runs {
                0..MIN_RUNS_FOR_EFFECTS => rich!("only {} runs set it", runs),
                _ => rich!("too few of {} runs differ in it to tell an effect from chance", runs),
            };
            let outcome = match is_level(effect) {
                true => "the same outcome with all of its values".into(),
                false => rich!("their outcome is best with {}", &best.label),
            };
            rich!("{}: not tested, as {}; {}.", words, why, outcome)
        }
        Some(_) if !effect.is_claimed && is_level(effect) => {
            rich!("{}: the same outcome with all of its values ({} runs).", words, runs)
        }
        Some(q) if !effect.is_claimed => {
            rich!("{}: no significant effect (corrected p {}, {} runs).", words, number(q), runs)
        }
        Some(q) => {
            let near = if effect.parameter.is_number() { "near" } else { "with" };
            let others = effect.bins.iter().filter(|bin| bin.label != best.label);
            let others = others.map(|bin| rich!("{} at {}", number(bin.median), &bin.label));
            rich!(
                "{}: {}, {} (corrected p {}, {} runs). Best {} {}: median {} against {}.",
                words,
                shape(effect),
                effect.strength.as_str(),
                number(q),
                runs,
                near,
                &best.label,
                number(best.median),
                RichText::joined(others, ", ", ", "),
            )
        }
    };
    text.append(matched(effect));
    if effect.is_claimed {
        text.append(inseparable(effect));
    }
    text
}

/// A setting by its name: in words where it is a known one.
pub(super) fn setting_words(known: Option<Hyperparameter>, words: &str, key: &str) -> RichText {
    if known.is_some() { words.into() } else { setting_key(key).into() }
}

/// The setting that goes with a finding, in one sentence: association, not proof of cause.
pub fn failure_sentence(effect: &FailureEffect) -> RichText {
    let values = match &effect.values {
        FailingValues::AtLeast(value) => rich!("{} or more", value),
        FailingValues::AtMost(value) => rich!("{} or less", value),
        FailingValues::Only(value) => value.as_str().into(),
    };
    let of = |count: FailureCount| match count.failed {
        0 => rich!("none of {}", count.runs),
        failed if failed == count.runs => rich!("all {}", count.runs),
        failed => rich!("{} of {}", failed, count.runs),
    };
    let same = effect.same.iter().map(|key| setting_key(key).into());
    let together: RichText = match effect.same.is_empty() {
        true => "".into(),
        false => rich!(" {} changed together with it.", RichText::joined(same, ", ", " and ")),
    };
    rich!(
        "{} in {} runs with {} {}, and in {} others (corrected p {}).{}",
        Span::Strong(effect.code.words().to_owned()),
        of(effect.with),
        setting_words(effect.hyperparameter, &effect.words, &effect.key),
        values,
        of(effect.without),
        number(effect.q),
        together
    )
}

/// True where all values have the same median outcome: none of them is best.
pub(super) fn is_level(effect: &Effect) -> bool {
    let mut medians = effect.bins.iter().map(|bin| bin.median);
    medians.next().is_some_and(|first| medians.all(|median| median == first))
}

/// Why a significant effect is not claimed.
fn confounded(confounding: &Confounding, effect: &Effect, target: &str) -> RichText {
    let runs = effect.runs;
    match confounding {
        Confounding::OutcomeRedefined { by } if *by != effect.parameter.key => rich!(
            "it always changed together with {}, which changes what {} measures. An evaluation on the same tasks would be \
             comparable.",
            setting_key(by),
            metric(target)
        ),
        Confounding::OutcomeRedefined { .. } => rich!(
            "it changes what {} measures, so runs with different values are not comparable by it. An evaluation on the \
             same tasks would be.",
            metric(target)
        ),
        Confounding::RunLength { step: last, runs: reached } => rich!(
            "no significant effect at step {}, the last step that all {} {} reached. Their final values differ \
             because they trained for different numbers of steps.",
            step(*last),
            *reached,
            if *reached < runs { "unbroken runs with a curve" } else { "runs" }
        ),
        Confounding::OtherSetting { key: other } => rich!(
            "no effect of its own: it is correlated with {}, and among runs with the same value of {} it has no significant \
             effect ({} runs).",
            setting_key(other),
            setting_key(other),
            runs
        ),
    }
}

fn shape(effect: &Effect) -> &'static str {
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

/// The result among runs that differ in nothing else.
fn matched(effect: &Effect) -> RichText {
    // A single set of all runs shows what the bins show.
    if effect.matched.iter().any(|set| set.runs.len() == effect.runs) {
        return RichText::default();
    }
    let Some(best) = &effect.matched_best else { return RichText::default() };
    let same = effect.parameter.same.iter().map(|key| setting_key(key).into());
    let equal: RichText = match effect.parameter.same.is_empty() {
        true => " With all else equal".into(),
        false => rich!(" With all else equal except {}", RichText::joined(same, ", ", " and ")),
    };
    if best.wins * 2 <= best.sets && best.sets > 1 {
        return rich!("{} no value was best in most of {} sets of runs.", equal, best.sets);
    }
    let sets = if best.sets == 1 { "set" } else { "sets" };
    rich!("{} {} was best in {} of {} {} of runs.", equal, &best.value, best.wins, best.sets, sets)
}

/// Settings from which the effect cannot be separated, and those that are correlated with it.
fn inseparable(effect: &Effect) -> RichText {
    let keys = |keys: Vec<&String>| RichText::joined(keys.into_iter().map(|key| setting_key(key).into()), ", ", ", ");
    let together: Vec<&String> = effect.parameter.same.iter().chain(&effect.inseparable).collect();
    let mut text = RichText::default();
    if !together.is_empty() {
        text.append(rich!(" It is confounded with {}.", keys(together)));
    }
    let near = effect.parameter.near.iter().map(|near| &near.key);
    let near: Vec<&String> = near.filter(|key| !effect.inseparable.contains(key)).collect();
    if !near.is_empty() {
        text.append(rich!(" It changes along with {}.", keys(near)));
    }
    text
}

/// Caveats of an analysis.
pub fn effect_notes(analysis: &EffectAnalysis) -> Vec<RichText> {
    let mut notes = vec![summary(analysis)];
    let redefining = analysis.effects.iter().filter_map(|effect| match &effect.confounding {
        Some(Confounding::OutcomeRedefined { by }) => Some(setting_key(by).into()),
        _ => None,
    });
    let redefining: Vec<RichText> = redefining.collect();
    if !redefining.is_empty() {
        notes.push(rich!(
            "The runs differ in what is rewarded ({}): their {} is not comparable.",
            RichText::joined(redefining, ", ", ", "),
            metric(&analysis.target)
        ));
    }
    if analysis.broken > 0 {
        let (runs, they) = if analysis.broken == 1 {
            ("1 run".to_owned(), "it counts")
        } else {
            (counted(analysis.broken, "run"), "they count")
        };
        notes.push(rich!("{} broke before logging an outcome: {} as the worst.", runs, they));
    }
    if analysis.ugly > analysis.broken {
        let ugly = analysis.ugly - analysis.broken;
        let runs = if ugly == 1 { "1 ugly run counts".to_owned() } else { format!("{ugly} ugly runs count") };
        notes.push(rich!("{} with the logged outcome.", runs));
    }
    notes.extend(analysis.excluded.iter().map(excluded));
    match analysis.no_importance {
        Some(NoImportance::TooFewRuns { needed }) if analysis.runs >= MIN_RUNS_FOR_EFFECTS => {
            notes.push(rich!("No feature importances: a random forest on these settings needs {} runs.", needed));
        }
        Some(NoImportance::NothingLearned { r2 }) => {
            notes.push(rich!(
                "No importances: the random forest predicts unseen runs no better than chance (R² {}).",
                number(r2)
            ));
        }
        _ => {}
    }
    notes
}

fn summary(analysis: &EffectAnalysis) -> RichText {
    if analysis.runs < MIN_RUNS_FOR_EFFECTS {
        let runs = if analysis.runs == 1 { "1 run has".to_owned() } else { format!("{} runs have", analysis.runs) };
        rich!("{} this outcome: with fewer than {} no effect is tested.", runs, MIN_RUNS_FOR_EFFECTS)
    } else if analysis.has_no_settings() {
        rich!("{}.", NO_SETTINGS)
    } else if analysis.effects.is_empty() {
        rich!("The runs differ in no setting.")
    } else if !analysis.is_any_tested() {
        match analysis.effects.iter().map(|effect| effect.runs).max() {
            Some(most) if (1..MIN_RUNS_FOR_EFFECTS).contains(&most) => rich!(
                "No effect was tested: {} runs with this outcome have to record a setting that differs, and no such setting is \
                 recorded by more than {}.",
                MIN_RUNS_FOR_EFFECTS,
                most
            ),
            _ if analysis.effects.iter().any(|effect| effect.bins.len() >= 2) => rich!(
                "No effect was tested: each setting differs in too few of the runs with this outcome to tell an effect from chance."
            ),
            // What differs among all runs may have one value, or none, among those with the outcome.
            _ => rich!("No effect was tested: no setting differs among the runs with this outcome."),
        }
    } else if !analysis.effects.iter().any(|effect| effect.is_claimed) {
        rich!("No setting has a significant effect.")
    } else {
        rich!("Correlation, not causation: the runs may differ in something else that varies with a setting.")
    }
}

fn excluded(excluded: &ExcludedRuns) -> RichText {
    let why = match excluded.why {
        RunExclusion::Running => "still running",
        RunExclusion::Crashed => "crashed before the outcome was logged, with no other critical finding",
        RunExclusion::NotLogged => "without this outcome",
        RunExclusion::StoppedEarly => "stopped before half the steps of the other runs",
        RunExclusion::Duplicate => plural(
            excluded.runs,
            "a duplicate, with exactly the numbers of another run",
            "duplicates, with exactly the numbers of another run",
        ),
        RunExclusion::OtherTasks => {
            "trained on other tasks than those compared here, so that the rewards are not comparable"
        }
    };
    rich!("{} excluded: {}.", counted(excluded.runs, "run"), why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_compare::testing::{refs, summary};
    use rundown_compare::{RunSummary, Target, advise};
    use rundown_run::ConfigValue;
    use rundown_vocabulary::Direction;

    #[test]
    fn the_fewest_runs_of_a_test_are_not_taken_for_their_number() {
        let run = |place: u8| match place {
            0..4 => summary(&[("learning_rate", ConfigValue::Number(1e-6 * f64::from(place + 1)))]),
            _ => RunSummary::default(),
        };
        let summaries: Vec<RunSummary> = (0..9).map(run).collect();
        let values = [Some(0.5); 9];
        let target = Target { key: "eval/accuracy", direction: Direction::Up, values: &values };
        let said = effect_notes(&advise(&refs(&summaries), &target).analysis).first().map(ToString::to_string);
        assert!(said.as_ref().is_some_and(|said| said.ends_with("is recorded by more than 4.")), "{said:?}");
    }

    #[test]
    fn one_duplicate_is_no_plural() {
        let said = |runs: usize| excluded(&ExcludedRuns { runs, why: RunExclusion::Duplicate }).to_string();
        assert_eq!(said(1), "1 run excluded: a duplicate, with exactly the numbers of another run.");
        assert_eq!(said(2), "2 runs excluded: duplicates, with exactly the numbers of another run.");
    }
}
