//! Which key to log so that a concept can be judged.

use super::{Concept, Framework};

impl Concept {
    /// The key to log for this concept, as the framework names it; a plain name for an unknown framework.
    pub fn key_hint(self, framework: Framework) -> &'static str {
        match framework {
            Framework::Verl => self.verl_key(),
            Framework::Trl => self.trl_key(),
            Framework::Unknown => self.plain_key(),
        }
    }

    fn trl_key(self) -> &'static str {
        match self {
            Concept::Reward => "train/reward",
            Concept::RewardStd => "train/reward_std",
            Concept::RewardComponent => "train/rewards/{function}/mean",
            Concept::Evaluation => "eval/accuracy",
            Concept::KlToReference => "train/kl",
            Concept::KlCoefficient => "beta",
            Concept::KlToSampler => "train/sampling/sampling_logp_difference/mean",
            Concept::Entropy => "train/entropy",
            Concept::ClipFraction => "train/clip_ratio/region_mean",
            Concept::PolicyLoss => "train/loss",
            Concept::ValueLoss => "loss/value_avg",
            Concept::GradientNorm => "train/grad_norm",
            Concept::LearningRate => "train/learning_rate",
            Concept::ResponseLength => "train/completions/mean_length",
            Concept::ResponseLengthMax => "train/completions/max_length",
            Concept::TruncatedShare => "train/completions/clipped_ratio",
            Concept::ZeroStdGroups => "train/frac_reward_zero_std",
            Concept::AdvantageMean => "advantages/mean",
            Concept::AdvantageMax => "advantages/max",
            Concept::RewardMax => "reward/max",
            Concept::RewardMin => "reward/min",
            Concept::StepTime => "train/step_time",
            Concept::Tokens => "train/num_tokens",
            _ => self.plain_key(),
        }
    }

    fn verl_key(self) -> &'static str {
        match self {
            Concept::Reward => "critic/score/mean",
            Concept::RewardStd => "critic/score/std",
            Concept::RewardComponent => "reward_extra_info/{name}/mean",
            Concept::Evaluation => "val-core/{data}/acc/mean@1",
            Concept::KlToReference => "actor/kl_loss",
            Concept::KlCoefficient => "actor/kl_coef",
            Concept::KlToSampler => "actor/ppo_kl",
            Concept::Entropy => "actor/entropy",
            Concept::ClipFraction => "actor/pg_clipfrac",
            Concept::PolicyLoss => "actor/pg_loss",
            Concept::ValueLoss => "critic/vf_loss",
            Concept::GradientNorm => "actor/grad_norm",
            Concept::LearningRate => "actor/lr",
            Concept::ResponseLength => "response_length/mean",
            Concept::ResponseLengthMax => "response_length/max",
            Concept::TruncatedShare => "response_length/clip_ratio",
            Concept::ZeroStdGroups => "frac_reward_zero_std",
            Concept::AdvantageMean => "critic/advantages/mean",
            Concept::AdvantageMax => "critic/advantages/max",
            Concept::RewardMax => "critic/score/max",
            Concept::RewardMin => "critic/score/min",
            Concept::StepTime => "timing_s/step",
            Concept::Tokens => "perf/total_num_tokens",
            _ => self.plain_key(),
        }
    }
}
