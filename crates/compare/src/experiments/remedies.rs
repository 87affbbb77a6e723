//! Experiments from findings that the better runs share: which hyperparameter to change, and by how much.
//!
//! What only the bad runs show is no reason to change the best one.

use super::{CurrentSetting, Experiment, ExperimentContext, ExperimentReason, ExperimentText};
use crate::RunSummary;
use crate::sample::is_broken;
use rundown_diagnose::setting_changes::*;
use rundown_diagnose::{Code, Hyperparameter, Severity};

/// Share of the good runs, or of all where none is good, that must show a finding.
const AFFECTED_SHARE: f64 = 0.5;

/// The new value of a hyperparameter.
enum NewValue {
    /// As the checks advise.
    Changed(&'static SettingChange),
    /// A named value or switch of a hyperparameter.
    Words(Hyperparameter, &'static str),
}

impl NewValue {
    fn hyperparameter(&self) -> Hyperparameter {
        match self {
            NewValue::Changed(change) => change.hyperparameter,
            NewValue::Words(hyperparameter, _) => *hyperparameter,
        }
    }
}

/// What to change against which findings.
struct Remedy {
    codes: &'static [Code],
    to: NewValue,
    text: ExperimentText,
}

static REMEDIES: [Remedy; 16] = [
    Remedy {
        codes: &[Code::NonfiniteValues],
        to: NewValue::Changed(&LOWER_LEARNING_RATE),
        text: ExperimentText {
            hypothesis: "Smaller updates avoid overflow; most overflows follow a sudden policy change.",
            watch: "gradient norm and loss up to the step where the others broke",
            expected: "The run completes.",
            risk: "Slower learning; if it breaks all the same, look at the precision (bf16, an FP32 head).",
        },
    },
    Remedy {
        codes: &[Code::EntropyCollapse, Code::EntropyCollapsedAtStart],
        to: NewValue::Changed(&CLIP_HIGHER),
        text: ExperimentText {
            hypothesis: "Rare tokens can gain probability, entropy lasts longer, and the plateau comes later.",
            watch: "entropy: above half of its start when the outcome stops rising",
            expected: "2 points of accuracy on AIME 2024 where DAPO added it (arXiv 2503.14476, table 1).",
            risk: "Slower exploitation.",
        },
    },
    Remedy {
        codes: &[Code::KlBlowUp, Code::KlDrift, Code::KlSpikes, Code::KlWithoutReward],
        to: NewValue::Changed(&RAISE_KL_COEFFICIENT),
        text: ExperimentText {
            hypothesis: "The policy stays near the reference and keeps what it learned.",
            watch: "KL to the reference: below 0.2 after 50 steps, with the outcome within its interval",
            expected: "KL about ten times lower and smaller gradients, as in one pair of TRL runs on HotpotQA.",
            risk: "Underfits above 0.1.",
        },
    },
    Remedy {
        codes: &[Code::TooAggressive, Code::LearningRateTooHigh, Code::LossDivergence],
        to: NewValue::Changed(&LOWER_LEARNING_RATE),
        text: ExperimentText {
            hypothesis: "Smaller updates keep what is learned.",
            watch: "KL and gradient norm over the first 50 steps",
            expected: "No fall after the peak.",
            risk: "Slower learning.",
        },
    },
    Remedy {
        codes: &[Code::TooConservative],
        to: NewValue::Changed(&RAISE_LEARNING_RATE),
        text: ExperimentText {
            hypothesis: "The policy hardly changes; with larger updates it learns within 50 steps.",
            watch: "KL: above 0.01 after 50 steps",
            expected: "A change of the policy within 50 steps.",
            risk: "Instability: watch the KL.",
        },
    },
    Remedy {
        codes: &[Code::GradientSpikes, Code::LossSpikes, Code::GradientNormHigh],
        to: NewValue::Changed(&LOWER_MAX_GRAD_NORM),
        text: ExperimentText {
            hypothesis: "A single batch can no longer cause a large policy update.",
            watch: "gradient norm before clipping, and KL after a spike",
            expected: "Fewer spikes, steadier reward.",
            risk: "Slower learning.",
        },
    },
    Remedy {
        codes: &[Code::WarmupMissing],
        to: NewValue::Changed(&WARM_UP),
        text: ExperimentText {
            hypothesis: "Small updates until the optimiser's moment estimates have settled prevent the early jump.",
            watch: "KL and gradient norm in the first 20 steps",
            expected: "No jump at the start.",
            risk: "A few slower steps.",
        },
    },
    Remedy {
        codes: &[Code::ClipFractionHigh, Code::RatioDrift],
        to: NewValue::Changed(&FEWER_EPOCHS_PER_BATCH),
        text: ExperimentText {
            hypothesis: "Fewer updates from one batch keep the policy near the one that sampled.",
            watch: "clip fraction: below 0.05",
            expected: "Steadier updates.",
            risk: "Fewer updates for each sampled response.",
        },
    },
    Remedy {
        codes: &[Code::ZeroVarianceGroups],
        to: NewValue::Words(Hyperparameter::FilterGroups, "true"),
        text: ExperimentText {
            hypothesis: "Groups that are all right or all wrong have no gradient; without them each batch carries more signal.",
            watch: "share of zero-variance groups",
            expected: "8 points of accuracy on AIME 2024 where DAPO added it (arXiv 2503.14476, table 1).",
            risk: "More sampling: one over the share of useful groups.",
        },
    },
    Remedy {
        codes: &[Code::Truncation, Code::LengthPinnedAtCap],
        to: NewValue::Changed(&LONGER_RESPONSES),
        text: ExperimentText {
            hypothesis: "Responses that are truncated now can end, and their reward is valid again.",
            watch: "truncation rate: below 0.05",
            expected: "Reward for the responses that were truncated.",
            risk: "Memory and time up to one and a half times as much.",
        },
    },
    Remedy {
        codes: &[Code::LengthExplosion],
        to: NewValue::Words(Hyperparameter::LossAggregation, "over tokens (DAPO), or a constant length (Dr. GRPO)"),
        text: ExperimentText {
            hypothesis: "Long wrong answers are penalised for each token as much as short ones.",
            watch: "response length and truncation rate",
            expected: "Truncated share below 5 %.",
            risk: "Reasoning that is too short.",
        },
    },
    Remedy {
        codes: &[Code::RewardHacking, Code::ProxyOnlyGain, Code::FormatOnlyPolicy],
        to: NewValue::Words(
            Hyperparameter::RewardWeights,
            "format and style at most 0.2 in all, and only with a right answer",
        ),
        text: ExperimentText {
            hypothesis: "Only a better solution of the task can still raise the reward.",
            watch: "evaluation on held-out tasks, beside the reward",
            expected: "Lower reward, higher task accuracy.",
            risk: "The reward drops at first.",
        },
    },
    Remedy {
        codes: &[Code::SamplerMismatch],
        to: NewValue::Words(Hyperparameter::ImportanceCorrection, "truncated importance sampling, cap 2"),
        text: ExperimentText {
            hypothesis: "Importance weights correct the mismatch between sampler and trainer.",
            watch: "mismatch between sampler and trainer, gradient norm",
            expected: "No sudden collapse.",
            risk: "A small bias.",
        },
    },
    Remedy {
        codes: &[Code::Staleness],
        to: NewValue::Changed(&SHORTER_LAG),
        text: ExperimentText {
            hypothesis: "Samples of a more recent policy make the updates more stable.",
            watch: "mismatch KL, and throughput",
            expected: "Stability.",
            risk: "Less throughput.",
        },
    },
    Remedy {
        codes: &[Code::CriticFailure],
        to: NewValue::Changed(&CRITIC_WARM_UP),
        text: ExperimentText {
            hypothesis: "A critic that is trained before the policy's first update gives usable advantages.",
            watch: "explained variance: above 0.3 after a tenth of the run",
            expected: "Usable advantages.",
            risk: "No policy updates for the first steps.",
        },
    },
    Remedy {
        codes: &[Code::Overfitting],
        to: NewValue::Changed(&FEWER_EPOCHS),
        text: ExperimentText {
            hypothesis: "The evaluation peaks before the end: fewer passes over the same prompts keep it there.",
            watch: "evaluation against training reward",
            expected: "The final evaluation stays at its peak, and the compute after it is saved.",
            risk: "Less training reward.",
        },
    },
];

pub(super) fn experiments(context: &ExperimentContext<'_>) -> Vec<Experiment> {
    REMEDIES.iter().filter_map(|remedy| experiment(context, remedy)).collect()
}

fn shows(summary: &RunSummary, remedy: &Remedy) -> Option<(Code, Severity)> {
    let counts = |severity: Severity| severity > Severity::Note;
    let found = summary.findings.iter().filter(|found| found.is_root && counts(found.severity));
    found.filter(|found| remedy.codes.contains(&found.code)).map(|found| (found.code, found.severity)).next()
}

fn experiment(context: &ExperimentContext<'_>, remedy: &'static Remedy) -> Option<Experiment> {
    let hyperparameter = remedy.to.hyperparameter();
    // What the setting did here counts more than a rule.
    if !context.applies(hyperparameter) || context.effect_of(hyperparameter).is_some_and(|effect| effect.is_claimed) {
        return None;
    }
    // Top runs whose rewards have other parts than the best one's are left out.
    let good = context.top_runs().iter().filter(|(run, _)| context.is_comparable(*run));
    let good: Vec<&RunSummary> = good.filter_map(|(run, _)| context.summaries.get(*run).copied()).collect();
    let all: Vec<&RunSummary> = context.summaries.to_vec();
    let broken: Vec<&RunSummary> = all.iter().copied().filter(|summary| is_broken(summary)).collect();
    let share_of = |asked: &[&RunSummary]| {
        asked.iter().filter(|summary| shows(summary, remedy).is_some()).count() as f64 / asked.len().max(1) as f64
    };
    let mut asked = if good.is_empty() { &all } else { &good };
    // Where most runs break, the few that did not may have been lucky.
    if broken.len() * 2 > all.len() && share_of(asked) < AFFECTED_SHARE {
        asked = &broken;
    }
    let share = share_of(asked);
    let in_best = context.best().and_then(|(_, summary, _)| shows(summary, remedy));
    if in_best.is_none() && share < AFFECTED_SHARE {
        return None;
    }
    let (code, severity) = in_best.or_else(|| asked.iter().find_map(|summary| shows(summary, remedy)))?;
    let CurrentSetting { name: change, text: from, value, usual } = context.current(hyperparameter);
    let to = match remedy.to {
        NewValue::Words(_, words) => words.to_owned(),
        NewValue::Changed(change) => change.new_value(value, usual).text,
    };
    if to == from {
        return None;
    }
    let having = all.iter().filter(|summary| shows(summary, remedy).is_some()).count();
    let weight = if severity == Severity::Critical { 0.85 } else { 0.65 };
    Some(Experiment {
        reason: ExperimentReason::SharedFinding {
            code,
            runs: having,
            of: all.len(),
            includes_best: in_best.is_some(),
            text: &remedy.text,
        },
        change,
        words: hyperparameter.words().to_owned(),
        from,
        to: vec![to],
        stop: context.stop_rule_of(Some(hyperparameter)),
        score: weight * (0.5 + 0.5 * share),
    })
}
