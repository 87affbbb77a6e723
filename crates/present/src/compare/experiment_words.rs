//! Proposed experiments in sentences.

use super::effect_words::effect_sentence;
use rundown_compare::{Effect, EffectAnalysis, Experiment, ExperimentReason, MIN_RUNS_OF_GROUP, StopRule};
use rundown_diagnose::SettingName;
use rundown_format::rich_text::{key, metric, number, setting_key, step};
use rundown_format::{RichText, plural, rich};
use rundown_vocabulary::Direction;

/// The texts of an experiment in a report. All but `evidence` stay short: one or two sentences.
pub struct ExperimentWords {
    /// What in the runs suggests it.
    pub evidence: RichText,
    /// What should happen if the idea is right.
    pub hypothesis: RichText,
    /// What to look at.
    pub watch: RichText,
    /// When to stop a run of it early.
    pub stop: RichText,
    /// The expected gain.
    pub expected: RichText,
    /// What it may cost.
    pub risk: RichText,
}

/// The words for an experiment that came from an analysis.
pub fn experiment_words(experiment: &Experiment, analysis: &EffectAnalysis) -> ExperimentWords {
    let (hypothesis, expected, risk) = claims(experiment, &analysis.target);
    ExperimentWords {
        evidence: evidence(experiment, analysis),
        hypothesis,
        watch: watch(experiment, &analysis.target),
        stop: stop(experiment, analysis),
        expected,
        risk,
    }
}

fn evidence(experiment: &Experiment, analysis: &EffectAnalysis) -> RichText {
    match &experiment.reason {
        ExperimentReason::NoEvaluation => {
            "No score on tasks that are not trained on was found in a form that is read here.".into()
        }
        ExperimentReason::ConfigConflict { title } => {
            rich!("Settings of the best run contradict each other: {}", title.clone().lower_first().sentence())
        }
        ExperimentReason::PeakBetween { .. }
        | ExperimentReason::PeakInEdgeBin { .. }
        | ExperimentReason::BestAtEdge { .. }
        | ExperimentReason::ChangedTogether { .. }
        | ExperimentReason::BestCategory { .. } => {
            let is_changed = |effect: &&Effect| SettingName::of_key(&effect.parameter.key) == experiment.change;
            let effect = analysis.effects.iter().find(is_changed);
            effect.map(|effect| effect_sentence(effect, &analysis.target)).unwrap_or_default()
        }
        ExperimentReason::CombinedChanges { best, base, other, gain } => rich!(
            "{} and {} each change one setting of {} and are better than it, {} by {}; no run has both changes.",
            key(best),
            key(other),
            key(base),
            key(other),
            number(*gain)
        ),
        ExperimentReason::SharedFinding { code, runs, of, includes_best, .. } => {
            let best = if *includes_best && *of > 1 { ", the best one among them" } else { "" };
            let unit = if *of == 1 { "run" } else { "runs" };
            rich!("{} in {} of {} {}{}.", code.words(), *runs, *of, unit, best)
        }
        ExperimentReason::WithinNoise { run, next, .. } => rich!(
            "{} and {} are the best runs, and the difference between them is within the noise; no config is known.",
            key(run),
            key(next)
        ),
        ExperimentReason::FewRepeats { run, repeats, lead, .. } => {
            let (times, leader) = if *repeats == 1 { ("once", "It") } else { ("twice", "Its better run") };
            let lead = match lead {
                Some((next, 0.0)) => rich!("{}, the best run of another config, is as good.", key(next)),
                Some((next, lead)) => {
                    rich!("{} leads {}, the best run of another config, by {}.", leader, key(next), number(*lead))
                }
                None => "The variance between its seeds is unknown.".into(),
            };
            rich!("The best config, that of {}, was run {}. {}", key(run), times, lead)
        }
        ExperimentReason::NeverVaried { having, recorded, runs, is_logged, .. } => {
            never_varied(experiment, (*having, *recorded, *runs), *is_logged)
        }
    }
}

/// How many runs have the value of the best run, how many record the setting, and how many there are.
fn never_varied(experiment: &Experiment, counts: (usize, usize, usize), is_logged: bool) -> RichText {
    let Experiment { from, words, .. } = experiment;
    match counts {
        // A file without a setting may not be all of the config: that the default was tried is not known.
        (_, 0, _) => {
            let logged = if is_logged { ", which is logged" } else { "" };
            rich!("No config that was read sets the {}{}: its values were not compared.", words, logged)
        }
        (_, recorded, runs) if from.is_empty() => {
            let set = plural(recorded, "sets", "set");
            rich!("{} of {} runs {} the {}; the best run does not record it.", recorded, runs, set, words)
        }
        (_, 1, 1) => rich!("Only {} was tried.", from),
        (having, _, runs) if having == runs => rich!("All {} runs have {}.", runs, from),
        (having, recorded, runs) => {
            let have = plural(having, "has", "have");
            let others = if having < recorded {
                "no other value was compared"
            } else {
                plural(runs.saturating_sub(having), "the other one does not record it", "the others do not record it")
            };
            rich!("{} of {} runs {} {}; {}.", having, runs, have, from, others)
        }
    }
}

/// Hypothesis, expected gain and risk.
fn claims(experiment: &Experiment, target: &str) -> (RichText, RichText, RichText) {
    let words = &experiment.words;
    match &experiment.reason {
        ExperimentReason::NoEvaluation => (
            "Performance on tasks that are not trained on rises and falls with the training reward.".into(),
            "No gain by itself: runs can then be compared by the task instead of the reward.".into(),
            "A few per cent more time.".into(),
        ),
        ExperimentReason::ConfigConflict { .. } => (
            "Without the contradiction the run is trained as its settings say.".into(),
            "Unknown: it depends on what the contradiction cost.".into(),
            "Runs with and without it are not comparable.".into(),
        ),
        ExperimentReason::PeakBetween { best, below, above, gain } => (
            rich!("The best {} lies between {} and {}, not exactly at {}.", words, below, above, best),
            if *gain > 0.0 {
                rich!("About {} above {}: the peak of a parabola through the three medians.", number(*gain), best)
            } else {
                rich!("Small: a parabola through the three medians peaks at {}.", best)
            },
            "Low: values between two that were tried.".into(),
        ),
        ExperimentReason::PeakInEdgeBin { range: (low, high), gain } => (
            rich!("The best {} lies between {} and {}, not at the edge.", words, number(*low), number(*high)),
            rich!("Up to {}, by which the better half of these values leads the other.", number(*gain)),
            "Low: values between some that were tried.".into(),
        ),
        ExperimentReason::BestAtEdge { is_highest, is_limit, last_gain, usual } => (
            edge_hypothesis(*is_limit, *is_highest),
            rich!("A similar gain ({}), or the optimum is passed.", number(*last_gain)),
            match usual {
                Some((low, high)) => {
                    rich!(
                        "Outside the usual range ({} to {}): watch the KL and the gradients.",
                        number(*low),
                        number(*high)
                    )
                }
                None => "Outside what these runs tried: it may break them.".into(),
            },
        ),
        ExperimentReason::ChangedTogether { with } => {
            let keys = RichText::joined(with.iter().map(|key| setting_key(key).into()), ", ", ", ");
            (
                rich!("The effect is due to {}: it remains with {} as in the best run.", words, keys),
                "No gain by itself: it tells which of them to tune.".into(),
                "Low: both values were tried.".into(),
            )
        }
        ExperimentReason::BestCategory { best, gain } => (
            rich!(
                "With all other settings of the best run, {} is better than {} by more than seeds differ.",
                best,
                &experiment.from
            ),
            rich!("About {}, the difference of the medians here.", number(*gain)),
            "Low: both were tried.".into(),
        ),
        ExperimentReason::CombinedChanges { base, gain, .. } => (
            "Each change helped by itself; together they may help more.".into(),
            rich!("Up to {}, the gain of this change over {}.", number(*gain), key(base)),
            "Low: both values were tried, though not together.".into(),
        ),
        ExperimentReason::SharedFinding { text, .. } | ExperimentReason::NeverVaried { text, .. } => {
            (text.hypothesis.into(), text.expected.into(), text.risk.into())
        }
        ExperimentReason::FewRepeats { outcome, lead, .. } => {
            repetition(*outcome, lead.as_ref().map(|(next, _)| next.as_str()), target)
        }
        ExperimentReason::WithinNoise { outcome, next, .. } => repetition(*outcome, Some(next), target),
    }
}

/// What more seeds of a run with this outcome show, beside the next best run.
fn repetition(outcome: f64, next: Option<&str>, target: &str) -> (RichText, RichText, RichText) {
    (
        rich!("{} of {} is reproduced with other seeds.", metric(target), number(outcome)),
        match next {
            Some(next) => rich!(
                "No gain by itself: it measures the variance between seeds. To show that the config is better than that of {} \
                 takes {} runs of each.",
                key(next),
                MIN_RUNS_OF_GROUP
            ),
            None => "No gain by itself: it measures the variance between seeds.".into(),
        },
        "None but the compute.".into(),
    )
}

fn edge_hypothesis(is_limit: bool, is_highest: bool) -> RichText {
    let (tried, beyond) = match (is_limit, is_highest) {
        (true, true) => ("longest limit", "a longer one"),
        (true, false) => ("shortest limit", "a shorter one"),
        (false, true) => ("highest value", "a higher one"),
        (false, false) => ("lowest value", "a lower one"),
    };
    rich!("The {} tried did best; {} may do better.", tried, beyond)
}

fn watch(experiment: &Experiment, target: &str) -> RichText {
    match &experiment.reason {
        ExperimentReason::NoEvaluation => "the evaluation beside the reward".into(),
        ExperimentReason::BestCategory { .. } => {
            rich!("{}: mean and spread over {} seeds or more of both", metric(target), MIN_RUNS_OF_GROUP)
        }
        ExperimentReason::FewRepeats { .. } | ExperimentReason::WithinNoise { .. } => {
            rich!("{}: mean and spread over the seeds", metric(target))
        }
        ExperimentReason::SharedFinding { text, .. } | ExperimentReason::NeverVaried { text, .. } => {
            rich!("{}; {}", metric(target), text.watch)
        }
        _ => rich!("{}", metric(target)),
    }
}

fn stop(experiment: &Experiment, analysis: &EffectAnalysis) -> RichText {
    match &experiment.stop {
        StopRule::RunsAlong => "No early stop: it runs along with the best config.".into(),
        StopRule::FullLength => {
            "No early stop: run all of them to the end. Without the bad ones the mean would be biased upwards, and a run that \
             breaks is a result."
                .into()
        }
        StopRule::NoGain => "Stop on a critical finding, or when half of the planned steps brought no gain.".into(),
        StopRule::WorseThan { value, steps: (from, to) } => {
            let beyond = if analysis.direction == Some(Direction::Down) { "above" } else { "below" };
            rich!(
                "Stop on a critical finding, or if the mean of {} over steps {} to {} is {} {}, the mean of the worst of the top \
                 runs there with its noise allowed for.",
                metric(&analysis.target),
                step(*from),
                step(*to),
                beyond,
                number(*value)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_compare::testing::{TestRun, refs, summary};
    use rundown_compare::{ConflictSummary, RunSummary, Target, advise};
    use rundown_run::ConfigValue;

    /// The evidence of the first experiment for such a reason.
    fn said(summaries: &[RunSummary], values: &[f64], is_wanted: fn(&ExperimentReason) -> bool) -> String {
        let values: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
        let target = Target { key: "eval/accuracy", direction: Direction::Up, values: &values };
        let found = advise(&refs(summaries), &target);
        let experiment = found.experiments.iter().find(|experiment| is_wanted(&experiment.reason)).unwrap();
        experiment_words(experiment, &found.analysis).evidence.to_string()
    }

    #[test]
    fn only_runs_that_record_a_setting_have_it() {
        let rate = |recorded: usize, best: usize| {
            let other = ("num_generations", ConfigValue::Number(8.0));
            let rate = ("learning_rate", ConfigValue::Number(1e-6));
            let run = |place| {
                if place < recorded {
                    summary(&[rate.clone(), other.clone()])
                } else {
                    summary(std::slice::from_ref(&other))
                }
            };
            let summaries: Vec<RunSummary> = (0..12).map(run).collect();
            let values: Vec<f64> = (0..12).map(|place| if place == best { 0.9 } else { 0.5 }).collect();
            said(&summaries, &values, |reason| matches!(reason, ExperimentReason::NeverVaried { .. }))
        };
        assert_eq!(rate(6, 0), "6 of 12 runs have 1e-6; the others do not record it.");
        assert_eq!(rate(11, 0), "11 of 12 runs have 1e-6; the other one does not record it.");
        assert_eq!(rate(6, 11), "6 of 12 runs set the learning rate; the best run does not record it.");
        assert_eq!(rate(0, 0), "No config that was read sets the learning rate: its values were not compared.");
        assert_eq!(rate(12, 0), "All 12 runs have 1e-6.");
    }

    #[test]
    fn a_contradiction_is_named() {
        let conflict = ConflictSummary {
            title: "Groups hold one response".into(),
            setting: SettingName::Words("responses per prompt".to_owned()),
            from: "1".to_owned(),
            to: "8".to_owned(),
        };
        let run = RunSummary { conflict: Some(conflict), ..summary(&[("learning_rate", ConfigValue::Number(1e-6))]) };
        let evidence = said(&[run], &[0.5], |reason| matches!(reason, ExperimentReason::ConfigConflict { .. }));
        assert_eq!(evidence, "Settings of the best run contradict each other: groups hold one response.");
    }

    #[test]
    fn of_runs_without_a_config_none_is_said_to_lead() {
        let runs = [("ppo", 0.5), ("grpo", 0.499)].map(|(name, level)| {
            let curve = [level - 0.01, level + 0.01].repeat(12);
            RunSummary::of(0, TestRun::new(name).evaluation("eval/accuracy", &curve).diagnosed())
        });
        let evidence = said(&runs, &[0.5, 0.499], |reason| matches!(reason, ExperimentReason::WithinNoise { .. }));
        assert!(evidence.starts_with("ppo and grpo are the best runs, and the difference"), "{evidence}");
    }

    #[test]
    fn the_better_of_two_runs_leads() {
        let lead = |rates: &[f64], values: &[f64]| {
            let run = |rate: &f64| RunSummary {
                name: format!("rate {rate}"),
                ..summary(&[("learning_rate", ConfigValue::Number(*rate))])
            };
            let summaries: Vec<RunSummary> = rates.iter().map(run).collect();
            said(&summaries, values, |reason| matches!(reason, ExperimentReason::FewRepeats { .. }))
        };
        let twice = lead(&[0.5, 0.5, 0.25, 0.25], &[0.75, 0.25, 0.5, 0.5]);
        assert!(
            twice.ends_with("was run twice. Its better run leads rate 0.25, the best run of another config, by 0.25.")
        );
        let once = lead(&[0.5, 0.25], &[0.75, 0.5]);
        assert!(once.ends_with("was run once. It leads rate 0.25, the best run of another config, by 0.25."), "{once}");
        let level = lead(&[0.5, 0.25], &[0.5, 0.5]);
        assert!(level.ends_with("rate 0.25, the best run of another config, is as good."), "{level}");
    }
}
