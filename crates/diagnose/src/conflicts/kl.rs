//! The KL to the reference: coefficients that nothing reads, KL that is counted twice, estimates without a gradient.

use super::{Conflict, ConflictRule, RuleInput, keys};
use crate::Severity;
use crate::settings::Hyperparameter;
use rundown_format::rich;
use rundown_format::rich_text::{number, setting_key};
use rundown_run::ConfigValue;
use rundown_vocabulary::Concept;

pub(super) const RULES: &[ConflictRule] =
    &[unused_in_verl, unused_elsewhere, weight_is_zero, counted_twice, without_gradient, no_reference];

const LOSS_SWITCH: &str = "actor_rollout_ref.actor.use_kl_loss";
const LOSS_WEIGHT: &str = "actor_rollout_ref.actor.kl_loss_coef";
const REWARD_SWITCH: &str = "algorithm.use_kl_in_reward";
const REWARD_WEIGHT: &str = "algorithm.kl_ctrl.kl_coef";

/// Both coefficients of verl stand in every config with this value; only another one was set by somebody.
const DEFAULT: f64 = 0.001;

fn chosen(weight: Option<f64>) -> Option<f64> {
    weight.filter(|weight| *weight != 0.0 && (weight - DEFAULT).abs() > 1e-9)
}

const UNUSED: &str = "verl reads kl_loss_coef only with use_kl_loss=true, and kl_ctrl.kl_coef only with \
    use_kl_in_reward=true (in older verl: with use_kl_loss=false). With neither, nothing holds the policy at the reference.";
const UNUSED_BESIDE_ANOTHER: &str = "verl reads kl_loss_coef only with use_kl_loss=true, and kl_ctrl.kl_coef only with \
    use_kl_in_reward=true (in older verl: with use_kl_loss=false). The other KL term is on and holds the policy; this coefficient \
    does nothing.";

const WITHOUT_WEIGHT: &str =
    "The KL is computed and logged, but its term has no weight: nothing holds the policy at the reference.";
const WITHOUT_WEIGHT_BESIDE_ANOTHER: &str =
    "This KL term has no weight and changes nothing; the other one is on and holds the policy at the reference.";

/// verl has one coefficient for the loss and one for the reward, each with its switch. Before `use_kl_in_reward` (and
/// in Search-R1 and TinyZero) the KL went into the reward whenever it was not in the loss.
fn unused_in_verl(look: &RuleInput<'_>) -> Option<Conflict> {
    let in_loss = look.switch(LOSS_SWITCH)?;
    let in_reward = look.switch(REWARD_SWITCH).unwrap_or(!in_loss);
    let loss = chosen(look.number(LOSS_WEIGHT)).filter(|_| !in_loss);
    let reward = chosen(look.number(REWARD_WEIGHT)).filter(|_| !in_reward);
    let (key, switch, weight) = match (loss, reward) {
        (Some(weight), _) => (LOSS_WEIGHT, LOSS_SWITCH, weight),
        (None, Some(weight)) => (REWARD_WEIGHT, REWARD_SWITCH, weight),
        (None, None) => return None,
    };
    let none = !in_loss && !in_reward;
    // A KL that is logged although both are off comes from a fork with switches of its own.
    if none && look.context.signal(Concept::KlToReference).is_some() {
        return None;
    }
    let state = if none { "but no KL term is on" } else { "but this KL term is off" };
    // Switched on beside the other term, the KL would count twice.
    let (first, to, effect) = match none {
        true => (if look.has(switch) { switch } else { LOSS_SWITCH }, "true".into(), "the coefficient takes effect"),
        false => (key, 0.0.into(), "the config says what the run does; the other KL term stays as it is"),
    };
    Some(Conflict {
        severity: if none { Severity::Warning } else { Severity::Note },
        title: rich!("{} is {}, {}", setting_key(key), number(weight), state),
        keys: keys(&[first, if first == key { switch } else { key }]),
        why: if none { UNUSED } else { UNUSED_BESIDE_ANOTHER },
        to,
        effect,
        reference: "verl: trainer/ppo/ray_trainer.py (apply_kl_penalty), workers/actor/dp_actor.py (update_policy)",
        onset: None,
    })
}

/// Frameworks with one coefficient and switches beside it: SkyRL, slime.
fn unused_elsewhere(look: &RuleInput<'_>) -> Option<Conflict> {
    let off = |key: &str| look.switch(key) == Some(false);
    let sky = "trainer.algorithm.kl_loss_coef";
    let (key, switch, weight) = if off("trainer.algorithm.use_kl_loss") && off("trainer.algorithm.use_kl_in_reward") {
        (sky, "trainer.algorithm.use_kl_loss", chosen(look.number(sky))?)
    } else if off("use_kl_loss") {
        ("kl_loss_coef", "use_kl_loss", look.number("kl_loss_coef").filter(|weight| *weight != 0.0)?)
    } else {
        return None;
    };
    Some(Conflict {
        severity: Severity::Warning,
        title: rich!("{} is {}, but the KL term is off", setting_key(key), number(weight)),
        keys: keys(&[switch, key]),
        why: "The coefficient is only read when the KL term is on; nothing holds the policy at the reference.",
        to: "true".into(),
        effect: "the coefficient takes effect",
        reference: "SkyRL: train/config/config.py (AlgorithmConfig); slime: backends/megatron_utils/loss.py",
        onset: None,
    })
}

/// Switches of the KL terms and the coefficient that each of them needs.
const SWITCHES: [(&str, &str); 5] = [
    (LOSS_SWITCH, LOSS_WEIGHT),
    (REWARD_SWITCH, REWARD_WEIGHT),
    ("actor.use_kl_loss", "actor.kl_loss_coef"),
    ("trainer.algorithm.use_kl_loss", "trainer.algorithm.kl_loss_coef"),
    ("use_kl_loss", "kl_loss_coef"),
];

/// A note: some switch the term on only to have the KL logged.
fn weight_is_zero(look: &RuleInput<'_>) -> Option<Conflict> {
    let weighs = |key: &str, is_wanted: fn(f64) -> bool| look.number(key).is_some_and(is_wanted);
    let mut on = SWITCHES.into_iter().filter(|(switch, _)| look.on(switch));
    let (switch, key) = on.clone().find(|(_, key)| weighs(key, |weight| weight == 0.0))?;
    let is_held = on.any(|(_, key)| weighs(key, |weight| weight > 0.0));
    let (first, to, why, effect) = match is_held {
        true => (switch, "false".into(), WITHOUT_WEIGHT_BESIDE_ANOTHER, "the config says what the run does"),
        false => (key, 0.001.into(), WITHOUT_WEIGHT, "the KL term takes effect"),
    };
    Some(Conflict {
        severity: Severity::Note,
        title: rich!("{} is true, but {} is 0", setting_key(switch), setting_key(key)),
        keys: keys(&[first, if first == key { switch } else { key }]),
        why,
        to,
        effect,
        reference: "verl: workers/actor/dp_actor.py (update_policy), trainer/ppo/ray_trainer.py (apply_kl_penalty)",
        onset: None,
    })
}

fn counted_twice(look: &RuleInput<'_>) -> Option<Conflict> {
    let counts = |key: &str| look.number(key).is_some_and(|weight| weight > 0.0);
    let both = look.on(LOSS_SWITCH) && look.on(REWARD_SWITCH) && counts(LOSS_WEIGHT) && counts(REWARD_WEIGHT);
    both.then(|| Conflict {
        severity: Severity::Note,
        title: "The KL to the reference is both in the loss and in the reward".into(),
        keys: keys(&[REWARD_SWITCH, LOSS_SWITCH]),
        why: "Its weight is the sum of both, and critic/rewards/mean is not the score any more; verl only prints a notice.",
        to: "false".into(),
        effect: "the KL counts once, and the logged reward is the score",
        reference: "verl: utils/config.py (validate_config)",
        onset: None,
    })
}

/// The derivative of k1 is that of the log-probability, whose mean over samples of the policy is zero.
fn without_gradient(look: &RuleInput<'_>) -> Option<Conflict> {
    let estimate = look
        .hyperparameter(Hyperparameter::KlType)
        .filter(|estimate| ["k1", "kl"].contains(&estimate.text.as_str()))?;
    let in_loss = look.hyperparameter(Hyperparameter::KlInLoss).filter(|switch| switch.value == 1.0)?;
    let weight = look.hyperparameter(Hyperparameter::KlCoefficient).filter(|weight| weight.value > 0.0)?;
    // AReaL and NeMo-RL name estimates too; they have no switch and are not meant.
    Some(Conflict {
        severity: Severity::Note,
        title: rich!("The KL loss uses the estimate {}, which holds the policy only by chance", estimate.text),
        keys: vec![estimate.key, in_loss.key, weight.key],
        why: "As a loss, the gradient of the k1 estimate is zero on average: it adds noise and does not pull the policy \
              back to the reference.",
        to: "low_var_kl (k3), or k2".into(),
        effect: "the KL term has a gradient towards the reference",
        reference: "verl: trainer/ppo/core_algos.py (kl_penalty); OpenRLHF: cli/train_ppo_ray.py advises k2 or k3",
        onset: None,
    })
}

fn no_reference(look: &RuleInput<'_>) -> Option<Conflict> {
    let weight = look.number("actor.kl_ctl").filter(|weight| *weight > 0.0)?;
    (look.config.get("ref") == Some(&ConfigValue::Null)).then(|| Conflict {
        severity: Severity::Warning,
        title: rich!("actor.kl_ctl is {}, but there is no reference model", number(weight)),
        keys: keys(&["actor.kl_ctl", "ref"]),
        why: "AReaL then takes zero for the reference's log-probabilities, so that the term penalises the policy for \
              every token that it is sure of.",
        to: 0.0.into(),
        effect: "the reward is only the task's; or set ref to the initial model",
        reference: "AReaL: trainer/ppo/actor.py (ref_logp), trainer/rl_trainer.py (kl_ctl and ref)",
        onset: None,
    })
}
