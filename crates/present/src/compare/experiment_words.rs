//! Proposed experiments in sentences.

use super::effect_words::effect_sentence;
use rundown_compare::{EffectAnalysis, Experiment, ExperimentReason, MIN_RUNS_OF_GROUP, StopRule};
use rundown_format::rich_text::{key, metric, number, setting_key, step};
use rundown_format::{RichText, rich};
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
        ExperimentReason::NoEvaluation => "No run logs a score on tasks that it was not trained on.".into(),
        ExperimentReason::PeakBetween { .. }
        | ExperimentReason::PeakInEdgeBin { .. }
        | ExperimentReason::BestAtEdge { .. }
        | ExperimentReason::ChangedTogether { .. }
        | ExperimentReason::BestCategory { .. } => {
            let effect = analysis.effects.iter().find(|effect| effect.parameter.key == experiment.change.as_str());
            effect.map(|effect| effect_sentence(effect, &analysis.target)).unwrap_or_default()
        }
        ExperimentReason::SharedFinding { code, runs, of, includes_best, .. } => {
            let best = if *includes_best && *of > 1 { ", the best one among them" } else { "" };
            let unit = if *of == 1 { "run" } else { "runs" };
            rich!("{} in {} of {} {}{}.", code.words(), *runs, *of, unit, best)
        }
        ExperimentReason::FewRepeats { run, repeats, lead, .. } => {
            let times = if *repeats == 1 { "once" } else { "twice" };
            let lead = match lead {
                Some((next, 0.0)) => rich!("That of {} is as good, with one run each.", key(next)),
                Some((next, lead)) => {
                    rich!(
                        "It leads {}, the best run of another config, by {}, with one run each.",
                        key(next),
                        number(*lead)
                    )
                }
                None => "The variance between its seeds is unknown.".into(),
            };
            rich!("The best config, that of {}, was run {}. {}", key(run), times, lead)
        }
        ExperimentReason::NeverVaried { is_logged: true, .. } if experiment.from.is_empty() => {
            rich!("No config sets the {}, which is logged: its values were not compared.", &experiment.words)
        }
        ExperimentReason::NeverVaried { .. } if experiment.from.is_empty() => {
            rich!("The configs do not set the {}: only the default was tried.", &experiment.words)
        }
        ExperimentReason::NeverVaried { runs: 1, .. } => rich!("Only {} was tried.", &experiment.from),
        ExperimentReason::NeverVaried { runs, .. } => rich!("All {} runs have {}.", *runs, &experiment.from),
    }
}

/// Hypothesis, expected gain and risk.
fn claims(experiment: &Experiment, target: &str) -> (RichText, RichText, RichText) {
    let words = &experiment.words;
    match &experiment.reason {
        ExperimentReason::NoEvaluation => (
            "The training reward rises because the task is learned, not by reward hacking.".into(),
            "No gain by itself: runs can then be compared by the task instead of the reward.".into(),
            "A few per cent more time.".into(),
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
        ExperimentReason::SharedFinding { text, .. } | ExperimentReason::NeverVaried { text, .. } => {
            (text.hypothesis.into(), text.expected.into(), text.risk.into())
        }
        ExperimentReason::FewRepeats { outcome, lead, .. } => (
            rich!("{} of {} is reproduced with other seeds.", metric(target), number(*outcome)),
            match lead {
                Some((next, _)) => rich!(
                    "No gain by itself: it measures the variance between seeds. To show that the config is better than that \
                     of {} takes {} runs of each.",
                    key(next),
                    MIN_RUNS_OF_GROUP
                ),
                None => "No gain by itself: it measures the variance between seeds.".into(),
            },
            "None but the compute.".into(),
        ),
    }
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
        ExperimentReason::FewRepeats { .. } => rich!("{}: mean and spread over the seeds", metric(target)),
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
        StopRule::WorseThan { value, step: at } => {
            let beyond = if analysis.direction == Some(Direction::Down) { "above" } else { "below" };
            rich!(
                "Stop on a critical finding, or if {} is {} {} at step {}, the value of the worst of the top runs there.",
                metric(&analysis.target),
                beyond,
                number(*value),
                step(*at)
            )
        }
    }
}
