//! Experiments from what these runs cannot tell: no evaluation, no second seed, a knob that nobody turned.

use super::search::rounded;
use super::{Experiment, ExperimentContext, ExperimentSource};
use crate::compare::matched_runs::fingerprint;
use crate::compare::parameters::written;
use crate::compare::{Parameter, Trace};
use crate::diagnose::Knob;
use crate::format::short;
use crate::vocabulary::Concept;

/// Runs of one config from which on its outcome is more than a single draw.
const REPETITIONS: usize = 3;

/// A knob that matters, where to turn it, and why.
struct UntestedKnob {
    knob: Knob,
    to: fn(f64) -> Vec<f64>,
    otherwise: &'static str,
    hypothesis: &'static str,
    watch: &'static str,
    risk: &'static str,
}

/// In the order in which they usually matter.
const UNTESTED: [UntestedKnob; 5] = [
    UntestedKnob {
        knob: Knob::LearningRate,
        to: |value| vec![rounded(3.0 * value, true), rounded(value / 3.0, true)],
        otherwise: "three times as much, and a third",
        hypothesis: "One learning rate was ever tried; the best one is rarely the first.",
        watch: "KL and gradient norm over the first 50 steps",
        risk: "Too high a rate collapses: stop early.",
    },
    UntestedKnob {
        knob: Knob::KlCoefficient,
        to: |value| vec![if value > 0.0 { 0.0 } else { 0.001 }],
        otherwise: "0.001",
        hypothesis: "Whether the pull to the reference helps or hinders is not known: DAPO goes without, verl uses 0.001.",
        watch: "KL to the reference, and the outcome at equal KL",
        risk: "Drift without it, underfitting with too much.",
    },
    UntestedKnob {
        knob: Knob::Generations,
        to: |value| vec![2.0 * value],
        otherwise: "twice as many",
        hypothesis: "Larger groups have both right and wrong answers more often, and steadier advantages.",
        watch: "share of zero-variance groups, and time per step",
        risk: "Twice the sampling.",
    },
    UntestedKnob {
        knob: Knob::ClipHigh,
        to: |value| vec![if value < 0.28 { 0.28 } else { 0.2 }],
        otherwise: "0.28",
        hypothesis: "With a higher upper clip range rare tokens can gain probability, and entropy lasts longer.",
        watch: "entropy",
        risk: "Slower exploitation.",
    },
    UntestedKnob {
        knob: Knob::Temperature,
        to: |value| vec![if value < 1.0 { 1.0 } else { 0.8 }],
        otherwise: "1.0",
        hypothesis: "How varied the responses are decides how much groups teach.",
        watch: "entropy and reward spread",
        risk: "Other log-probabilities than the sampler's where the trainer does not follow.",
    },
];

/// No evaluation on held-out tasks: nothing else can be trusted without one.
pub(super) fn evaluation(context: &ExperimentContext<'_>) -> Option<Experiment> {
    let measured =
        |trace: &Trace| matches!(trace.concept, Concept::Evaluation | Concept::ReferenceElo | Concept::WinRate);
    if context.entries.iter().any(|entry| entry.traces.iter().any(measured)) {
        return None;
    }
    Some(Experiment {
        source: ExperimentSource::Evaluation,
        change: "evaluation".to_owned(),
        words: "evaluation on held-out tasks".to_owned(),
        from: "none".to_owned(),
        to: vec!["every 10 to 20 steps, on 200 tasks or more".to_owned()],
        evidence: "No run logs a score on tasks that it was not trained on.".to_owned(),
        hypothesis: "The reward that was trained on rises with the task, and not instead of it.".to_owned(),
        watch: "the evaluation beside the reward".to_owned(),
        stop: "None: it runs along with the best config.".to_owned(),
        expected: "No gain by itself: every other comparison here becomes one of the task.".to_owned(),
        risk: "A few per cent of the time.".to_owned(),
        score: 1.0,
    })
}

/// The best config was run once or twice: what it leads by may be luck.
pub(super) fn repetition(context: &ExperimentContext<'_>) -> Option<Experiment> {
    let (best, entry, value) = context.best()?;
    let varied: Vec<Parameter> = context.analysis.effects.iter().map(|effect| effect.parameter.clone()).collect();
    let wanted = fingerprint(&varied, best);
    let same = |run: &usize| fingerprint(&varied, *run) == wanted;
    let repeated = context.sample.runs.iter().filter(|run| same(run)).count();
    if repeated >= REPETITIONS {
        return None;
    }
    let next = context.eligible.iter().find(|(run, _)| !same(run));
    let lead = match next {
        Some((run, other)) => {
            let name = context.entries.get(*run).map_or("", |entry| entry.name.as_str());
            ["Its lead over `", name, "` is ", &short((value - other).abs()), ", from single runs."].concat()
        }
        None => "Nothing says how much runs of this config differ by chance.".to_owned(),
    };
    let times = if repeated == 1 { "once" } else { "twice" };
    let (change, _, _) = context.current(Knob::Seed);
    Some(Experiment {
        source: ExperimentSource::Repeat,
        change,
        words: "seed".to_owned(),
        from: String::new(),
        to: vec![[(REPETITIONS + 1 - repeated).to_string().as_str(), " more seeds"].concat()],
        evidence: ["The best config, that of `", &entry.name, "`, was run ", times, ". ", &lead].concat(),
        hypothesis: [
            "`",
            context.target.key,
            "` of ",
            &short(value),
            " is what this config gives, not one lucky seed.",
        ]
        .concat(),
        watch: ["`", context.target.key, "`: mean and spread over the seeds"].concat(),
        stop: context.stop_rule(),
        expected: "No gain by itself: it says which differences are real. Five seeds are better than three.".to_owned(),
        risk: "None but its cost.".to_owned(),
        score: 0.7,
    })
}

/// Knobs that all runs share, the more important first.
pub(super) fn untested(context: &ExperimentContext<'_>) -> Vec<Experiment> {
    let unvaried = UNTESTED.iter().filter(|knobs| context.effect_of(knobs.knob).is_none());
    let named = |knobs: &&UntestedKnob| {
        // Joined with another parameter it was varied, though not by itself.
        let keys = context.analysis.effects.iter().flat_map(|effect| &effect.parameter.same);
        keys.filter_map(|key| crate::diagnose::knob_of(key)).all(|knob| knob != knobs.knob)
    };
    unvaried.filter(named).enumerate().map(|(rank, knobs)| untested_experiment(context, knobs, rank)).collect()
}

fn untested_experiment(context: &ExperimentContext<'_>, knobs: &UntestedKnob, rank: usize) -> Experiment {
    let (change, from, value) = context.current(knobs.knob);
    let to = if value.is_finite() {
        (knobs.to)(value).into_iter().map(|to| written(to, knobs.knob == Knob::LearningRate)).collect()
    } else {
        vec![knobs.otherwise.to_owned()]
    };
    let runs = context.entries.len();
    let evidence = if from.is_empty() {
        ["The configs do not say their ", knobs.knob.words(), "; nothing was tried but the default."].concat()
    } else if runs == 1 {
        ["Only ", &from, " was tried."].concat()
    } else {
        ["All ", &runs.to_string(), " runs have ", &from, "."].concat()
    };
    Experiment {
        source: ExperimentSource::Untested,
        change,
        words: knobs.knob.words().to_owned(),
        from,
        to,
        evidence,
        hypothesis: knobs.hypothesis.to_owned(),
        watch: ["`", context.target.key, "`; ", knobs.watch].concat(),
        stop: context.stop_rule(),
        expected: "Not known: nothing here tells.".to_owned(),
        risk: knobs.risk.to_owned(),
        score: 0.4 - 0.05 * rank as f64,
    }
}
