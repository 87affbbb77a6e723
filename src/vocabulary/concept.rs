//! The quantities that a check can ask for.

/// A quantity of RL training, whatever a framework calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Concept {
    /// Mean reward of the training batch (total over reward functions).
    Reward,
    /// Spread of the reward. Within groups up to TRL 0.26 and in the whole batch since, so only its zero is telling.
    RewardStd,
    /// Mean of one reward function; several bindings.
    RewardComponent,
    /// Score on held-out tasks: the measure of learning; several bindings, the primary first.
    Evaluation,
    /// KL of the policy to the reference.
    KlToReference,
    /// KL coefficient when it is logged as a metric.
    KlCoefficient,
    /// KL (or its estimate) of the policy to the one that sampled.
    KlToSampler,
    /// Token entropy of the policy.
    Entropy,
    /// Share of clipped ratios.
    ClipFraction,
    /// Policy loss.
    PolicyLoss,
    /// Value loss of a critic.
    ValueLoss,
    /// Gradient norm of the actor before clipping.
    GradientNorm,
    /// Learning rate of the actor.
    LearningRate,
    /// Mean response length in tokens.
    ResponseLength,
    /// Longest response of the batch in tokens.
    ResponseLengthMax,
    /// Share of responses that hit the length limit.
    TruncatedShare,
    /// Share of groups whose rewards are all equal.
    ZeroStdGroups,
    /// Mean advantage.
    AdvantageMean,
    /// Largest advantage.
    AdvantageMax,
    /// Largest reward of the batch.
    RewardMax,
    /// Smallest reward of the batch.
    RewardMin,
    /// Seconds of a training step.
    StepTime,
    /// Tokens seen in all.
    Tokens,
}

impl Concept {
    /// Every concept, in the order of reports.
    pub const ALL: [Concept; 23] = [
        Concept::Reward,
        Concept::RewardStd,
        Concept::RewardComponent,
        Concept::Evaluation,
        Concept::KlToReference,
        Concept::KlCoefficient,
        Concept::KlToSampler,
        Concept::Entropy,
        Concept::ClipFraction,
        Concept::PolicyLoss,
        Concept::ValueLoss,
        Concept::GradientNorm,
        Concept::LearningRate,
        Concept::ResponseLength,
        Concept::ResponseLengthMax,
        Concept::TruncatedShare,
        Concept::ZeroStdGroups,
        Concept::AdvantageMean,
        Concept::AdvantageMax,
        Concept::RewardMax,
        Concept::RewardMin,
        Concept::StepTime,
        Concept::Tokens,
    ];

    /// The concept in words, to start or stand within a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Concept::Reward => "reward",
            Concept::RewardStd => "reward spread",
            Concept::RewardComponent => "reward component",
            Concept::Evaluation => "evaluation",
            Concept::KlToReference => "KL to the reference",
            Concept::KlCoefficient => "KL coefficient",
            Concept::KlToSampler => "KL to the sampler",
            Concept::Entropy => "entropy",
            Concept::ClipFraction => "clip fraction",
            Concept::PolicyLoss => "policy loss",
            Concept::ValueLoss => "value loss",
            Concept::GradientNorm => "gradient norm",
            Concept::LearningRate => "learning rate",
            Concept::ResponseLength => "response length",
            Concept::ResponseLengthMax => "longest response",
            Concept::TruncatedShare => "truncated share",
            Concept::ZeroStdGroups => "zero-variance groups",
            Concept::AdvantageMean => "mean advantage",
            Concept::AdvantageMax => "largest advantage",
            Concept::RewardMax => "largest reward",
            Concept::RewardMin => "smallest reward",
            Concept::StepTime => "step time",
            Concept::Tokens => "tokens",
        }
    }

    /// The stable name, as in the JSON report: `kl_to_reference`.
    pub fn name(self) -> &'static str {
        match self {
            Concept::Reward => "reward",
            Concept::RewardStd => "reward_std",
            Concept::RewardComponent => "reward_component",
            Concept::Evaluation => "evaluation",
            Concept::KlToReference => "kl_to_reference",
            Concept::KlCoefficient => "kl_coefficient",
            Concept::KlToSampler => "kl_to_sampler",
            Concept::Entropy => "entropy",
            Concept::ClipFraction => "clip_fraction",
            Concept::PolicyLoss => "policy_loss",
            Concept::ValueLoss => "value_loss",
            Concept::GradientNorm => "gradient_norm",
            Concept::LearningRate => "learning_rate",
            Concept::ResponseLength => "response_length",
            Concept::ResponseLengthMax => "response_length_max",
            Concept::TruncatedShare => "truncated_share",
            Concept::ZeroStdGroups => "zero_std_groups",
            Concept::AdvantageMean => "advantage_mean",
            Concept::AdvantageMax => "advantage_max",
            Concept::RewardMax => "reward_max",
            Concept::RewardMin => "reward_min",
            Concept::StepTime => "step_time",
            Concept::Tokens => "tokens",
        }
    }
}

/// Unit of a bound metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// A plain number in the reward's own scale.
    Plain,
    /// A share from 0 to 1.
    Share,
    /// Nats, mean over tokens; never negative (k3 or full KL).
    NatsPerToken,
    /// Nats, mean over tokens, signed (k1): positive and negative cancel.
    NatsPerTokenSigned,
    /// Nats, summed over the sequence.
    NatsPerSequence,
    /// Tokens.
    Tokens,
    /// Seconds.
    Seconds,
}

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// More is better.
    Up,
    /// Less is better.
    Down,
    /// Neither.
    Neutral,
}

impl Unit {
    /// The unit as it stands behind a number; empty for a plain one.
    pub fn as_str(self) -> &'static str {
        match self {
            Unit::Plain | Unit::Share => "",
            Unit::NatsPerToken | Unit::NatsPerTokenSigned => "nats/token",
            Unit::NatsPerSequence => "nats/sequence",
            Unit::Tokens => "tokens",
            Unit::Seconds => "s",
        }
    }
}
