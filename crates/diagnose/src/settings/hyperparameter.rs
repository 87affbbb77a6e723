//! The settings that matter for a diagnosis, and the keys under which frameworks keep them.
//!
//! Keys are those of the frameworks' own config files and dataclasses, nested ones joined by dots: TRL (with Unsloth,
//! ms-swift and Axolotl's `trl.` section), verl and its forks, OpenRLHF (dotted since 2026, flat before), tunix,
//! NeMo-RL, SkyRL, prime-rl, open-instruct, slime, AReaL, tinker's cookbook, ART, torchtune; and of the loops of classic RL:
//! CleanRL, Stable-Baselines3, OpenAI baselines.

use rundown_run::PLANNED_STEPS_KEYS;

/// What the value of a setting is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SettingKind {
    /// A number; anything else counts as not set.
    Number,
    /// A switch, a word or a list: shown as it is, a switch as 0 or 1 besides.
    Word,
}

macro_rules! hyperparameters {
    ($($(#[doc = $doc:literal])+ $variant:ident $kind:ident $words:literal [$($key:literal)*],)+) => {
        /// A setting that matters for a diagnosis, whatever a framework calls it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Hyperparameter { $($(#[doc = $doc])+ $variant,)+ }

        /// In the order of [`Hyperparameter::ALL`].
        const FACTS: &[HyperparameterFacts] = &[$(HyperparameterFacts { kind: SettingKind::$kind, words: $words, keys: &[$($key),*] },)+];

        impl Hyperparameter {
            /// Every setting, in the order in which a report lists them.
            pub const ALL: &'static [Hyperparameter] = &[$(Hyperparameter::$variant,)+];
        }
    };
}

struct HyperparameterFacts {
    kind: SettingKind,
    words: &'static str,
    keys: &'static [&'static str],
}

/// Of a setting that the table does not have; there is none.
const NONE: HyperparameterFacts = HyperparameterFacts { kind: SettingKind::Word, words: "", keys: &[] };

impl Hyperparameter {
    /// The settings that a headline has room for.
    pub const HEADLINE: &'static [Hyperparameter] = &[
        Hyperparameter::LearningRate,
        Hyperparameter::KlCoefficient,
        Hyperparameter::Generations,
        Hyperparameter::MaxResponse,
        Hyperparameter::Temperature,
        Hyperparameter::MaxGradNorm,
        Hyperparameter::Batch,
    ];

    /// The setting in words, for a run whose config does not have it.
    pub fn words(self) -> &'static str {
        self.facts().words
    }

    /// True for settings that a policy of games or control does not have: it has no reference, tokens or groups, and takes a
    /// clip range as wide downwards as upwards.
    pub fn is_of_language_models(self) -> bool {
        use Hyperparameter::*;
        matches!(self, KlCoefficient | MaxResponse | Generations | Temperature | ClipHigh)
    }

    /// Keys under which frameworks keep it, the more specific first.
    pub(crate) fn keys(self) -> &'static [&'static str] {
        match self {
            Hyperparameter::PlannedSteps => &PLANNED_STEPS_KEYS,
            _ => self.facts().keys,
        }
    }

    pub(super) fn kind(self) -> SettingKind {
        self.facts().kind
    }

    fn facts(self) -> &'static HyperparameterFacts {
        FACTS.get(self as usize).unwrap_or(&NONE)
    }
}

// Model and algorithm, step size, trust region, sampling, batch, duration.
hyperparameters! {
    /// The model that is trained.
    Model Word "model" [
        "model_name_or_path" "actor_rollout_ref.model.path" "actor.model_name_or_path" "pretrain" "policy.model_name"
        "trainer.policy.model.path" "model_config.model_id" "hf_checkpoint" "actor.path" "base_model_path" "base_model"
        "model.name" "model_name" "model.path" "model_path" "_name_or_path" "actor_model_name_or_path"
    ],
    /// Rank of the adapters; 0 for full fine-tuning.
    LoraRank Number "LoRA rank" [
        "lora_rank" "lora_r" "peft_config.r" "actor_rollout_ref.model.lora_rank" "trainer.policy.model.lora.rank"
        "ds.lora.rank" "actor.lora_rank" "trainer.model.lora.rank" "model.lora.rank" "model.lora_rank" "actor_lora_dim"
    ],
    /// How advantages are computed: `grpo`, `gae`, `rloo`.
    AdvantageEstimator Word "advantage estimator" [
        "algorithm.adv_estimator" "algo.advantage.estimator" "trainer.algorithm.advantage_estimator"
        "grpo.adv_estimator.name" "orchestrator.algo.type" "algo.type" "advantage_estimator"
    ],
    /// The form of the policy loss: `grpo`, `dapo`, `cispo`.
    LossType Word "loss type" [
        "loss_type" "trl.loss_type" "actor_rollout_ref.actor.policy_loss.loss_mode" "actor.policy_loss_type"
        "policy_loss_type" "trainer.algorithm.policy_loss_type" "trainer.loss.type" "grpo_config.loss_algo" "loss_fn"
    ],
    /// How token losses become one: over tokens, over responses.
    LossAggregation Word "loss aggregation" [
        "actor_rollout_ref.actor.loss_agg_mode" "trainer.algorithm.loss_reduction" "loss_fn.token_level_loss"
        "grpo_config.loss_agg_mode" "loss_denominator" "calculate_per_token_loss"
    ],
    /// Whether advantages are divided by the spread of their group.
    ScaleRewards Word "advantage scaling (std)" [
        "scale_rewards" "trl.scale_rewards" "algorithm.norm_adv_by_std_in_grpo" "grpo.normalize_rewards"
        "trainer.algorithm.grpo_norm_by_std" "grpo_std_normalization" "advantage_normalization_type"
    ],
    /// Weights of the reward functions.
    RewardWeights Word "reward weights" ["reward_weights" "trl.reward_weights"],
    /// Weight of the KL to the reference.
    KlCoefficient Number "KL coefficient" [
        "beta" "trl.beta" "actor_rollout_ref.actor.kl_loss_coef" "algorithm.kl_ctrl.kl_coef" "algo.kl.init_coef"
        "init_kl_coef" "grpo_config.beta" "ppo_config.beta" "loss_fn.reference_policy_kl_penalty"
        "trainer.algorithm.kl_loss_coef" "actor.kl_ctl" "kl_penalty_coef" "loss.kl_coeff" "training.loss.kl_coeff"
        "kl_coeff" "kl_loss_coef" "kl_coef" "kl_beta" "kl_coefficient" "kl_penalty.coeff" "kl_penalty.coef"
    ],
    /// Whether the KL is a part of the loss.
    KlInLoss Word "KL in the loss" [
        "actor_rollout_ref.actor.use_kl_loss" "algo.kl.use_loss" "trainer.algorithm.use_kl_loss" "use_kl_loss"
    ],
    /// Whether the KL is subtracted from the reward.
    KlInReward Word "KL in the reward" [
        "algorithm.use_kl_in_reward" "trainer.algorithm.use_kl_in_reward" "loss_fn.use_kl_in_reward" "kl_in_reward"
    ],
    /// Which estimate of the KL is used.
    KlType Word "KL estimate" [
        "actor_rollout_ref.actor.kl_loss_type" "algo.kl.estimator" "trainer.algorithm.kl_estimator_type"
        "loss_fn.reference_policy_kl_type" "actor.kl_estimator" "grpo_config.kl_loss_mode" "kl_loss_type" "kl_estimator"
    ],
    /// Learning rate of the actor.
    LearningRate Number "learning rate" [
        "learning_rate" "actor_rollout_ref.actor.optim.lr" "actor.adam.lr" "actor_learning_rate"
        "rl_training_config.actor_optimizer_config.learning_rate" "policy.megatron_cfg.optimizer.lr"
        "policy.optimizer.kwargs.lr" "trainer.policy.optimizer_config.lr" "trainer.optim.lr" "optim.lr"
        "actor.optimizer.lr" "training.optimizer.lr" "optimizer.lr" "lr" "init_lr" "initial_lr"
    ],
    /// Learning rate of the critic.
    CriticLearningRate Number "critic learning rate" [
        "critic.optim.lr" "critic.adam.lr" "critic_learning_rate" "vf_lr"
        "rl_training_config.critic_optimizer_config.learning_rate" "trainer.critic.optimizer_config.lr"
        "critic.optimizer.lr"
    ],
    /// Steps in which only the critic learns.
    CriticWarmup Number "critic warm-up steps" ["trainer.critic_warmup" "critic.freezing_steps" "freezing_actor_steps"],
    /// How the learning rate changes.
    Scheduler Word "learning rate schedule" [
        "lr_scheduler_type" "actor_rollout_ref.actor.optim.lr_scheduler_type"
        "actor_rollout_ref.actor.optim.warmup_style" "actor.lr_scheduler" "lr_scheduler"
        "trainer.policy.optimizer_config.scheduler" "trainer.scheduler.type" "scheduler.type"
        "actor.optimizer.lr_scheduler_type" "lr_decay_style"
    ],
    /// Steps of warm-up.
    Warmup Number "warm-up steps" [
        "warmup_steps" "actor_rollout_ref.actor.optim.lr_warmup_steps" "policy.megatron_cfg.scheduler.lr_warmup_iters"
        "trainer.policy.optimizer_config.num_warmup_steps" "trainer.scheduler.warmup_steps" "scheduler.warmup_steps"
        "rl_training_config.actor_optimizer_config.warmup_steps" "lr_scheduler.num_warmup_steps" "lr_warmup_iters"
        "num_warmup_steps"
    ],
    /// Share of the run that is warm-up.
    WarmupRatio Number "warm-up ratio" [
        "warmup_ratio" "actor_rollout_ref.actor.optim.lr_warmup_steps_ratio" "actor.lr_warmup_ratio" "lr_warmup_ratio"
        "rl_training_config.actor_optimizer_config.warmup_ratio" "actor.optimizer.warmup_steps_proportion"
        "warm_up_ratio" "warmup_fraction"
    ],
    /// Weight decay.
    WeightDecay Number "weight decay" [
        "weight_decay" "actor_rollout_ref.actor.optim.weight_decay" "actor.adam.weight_decay"
        "policy.optimizer.kwargs.weight_decay" "trainer.policy.optimizer_config.weight_decay"
        "trainer.optim.weight_decay" "optim.weight_decay" "actor.optimizer.weight_decay"
        "rl_training_config.actor_optimizer_config.weight_decay" "actor_weight_decay"
    ],
    /// Gradient norm above which gradients are clipped.
    MaxGradNorm Number "max gradient norm" [
        "max_grad_norm" "actor_rollout_ref.actor.grad_clip" "actor.max_norm" "policy.max_grad_norm"
        "trainer.policy.optimizer_config.max_grad_norm" "trainer.optim.max_norm" "optim.max_norm"
        "actor.optimizer.gradient_clipping" "rl_training_config.actor_optimizer_config.max_grad_norm"
        "training.clip_grad_norm" "clip_grad_norm" "clip_grad" "max_norm"
    ],
    /// Clip range (lower, or both).
    ClipLow Number "clip range" [
        "epsilon" "trl.epsilon" "actor_rollout_ref.actor.clip_ratio" "actor_rollout_ref.actor.clip_ratio_low"
        "actor.eps_clip" "eps_clip" "cliprange" "grpo_config.epsilon" "ppo_config.epsilon" "loss_fn.ratio_clip_min"
        "trainer.algorithm.eps_clip_low" "clip_lower" "training.loss.epsilon" "loss.epsilon" "clip_param" "clip_coef"
        "clip_range" "clip_eps" "clip_epsilon" "ppo_clip" "ppo_clip_eps"
    ],
    /// Upper clip range.
    ClipHigh Number "upper clip range" [
        "epsilon_high" "trl.epsilon_high" "actor_rollout_ref.actor.clip_ratio_high" "actor.eps_clip_higher"
        "eps_clip_high" "loss_fn.ratio_clip_max" "trainer.algorithm.eps_clip_high" "clip_higher"
        "grpo_config.epsilon_high"
    ],
    /// Weight of the entropy bonus.
    EntropyCoefficient Number "entropy coefficient" [
        "entropy_coef" "actor_rollout_ref.actor.entropy_coeff" "actor.entropy_coef"
        "trainer.algorithm.entropy_loss_coef" "entropy_loss_coef" "entropy_coeff" "ent_coef"
    ],
    /// Correction of the difference between sampler and trainer by importance weights.
    ImportanceCorrection Word "importance-sampling correction" [
        "vllm_importance_sampling_correction" "trl.vllm_importance_sampling_correction"
        "algorithm.rollout_correction.rollout_is" "actor_rollout_ref.actor.tis_imp_ratio_cap"
        "algo.advantage.is_correction_enable" "enable_vllm_is_correction" "grpo_config.sampler_is"
        "loss_fn.use_importance_sampling_correction" "trainer.algorithm.off_policy_correction.tis_ratio_type"
        "trainer.algorithm.use_tis" "rollout_importance_sampling_mode" "actor.use_decoupled_loss" "use_rho_correction"
        "use_tis"
    ],
    /// Steps by which a sample may be older than the policy.
    AsyncLag Number "max off-policy steps" [
        "trainer.fully_async.max_staleness_steps" "orchestrator.max_off_policy_steps" "max_off_policy_steps"
        "rollout.max_head_offpolicyness" "max_head_offpolicyness" "async_level" "grpo.async_grpo.max_trajectory_age_steps" "train.async_queue_size"
        "async_config.max_steps_off_policy" "async_steps"
    ],
    /// Responses per prompt.
    Generations Number "responses per prompt" [
        "num_generations" "trl.num_generations" "env.rollout.n" "actor_rollout_ref.rollout.n_agent"
        "actor_rollout_ref.rollout.n" "rollout.n_samples_per_prompt" "n_samples_per_prompt"
        "grpo_config.num_generations" "grpo.num_generations_per_prompt" "generator.n_samples_per_prompt"
        "orchestrator.group_size" "orchestrator.rollouts_per_example" "rollouts_per_example"
        "num_samples_per_prompt_rollout" "gconfig.n_samples" "dataset_builder.group_size" "inference.group_size"
        "num_samples_per_prompt" "samples_per_prompt" "responses_per_prompt" "rollouts_per_prompt" "grpo_samples"
        "samples_per_group" "num_pre_Q" "group_size" "num_rollouts" "n_rollouts"
    ],
    /// Sampling temperature.
    Temperature Number "sampling temperature" [
        "temperature" "trl.temperature" "actor_rollout_ref.rollout.temperature" "rollout.temperature"
        "rollout_config.temperature" "policy.generation.temperature" "generator.sampling_params.temperature"
        "orchestrator.train.sampling.temperature" "orchestrator.sampling.temperature" "train.sampling.temperature"
        "sampling.temperature" "rollout_temperature" "gconfig.temperature" "inference.temperature"
    ],
    /// Temperature at which the trainer computes log-probabilities, where it has a setting of its own.
    TrainTemperature Number "temperature of log-probabilities" ["trainer.algorithm.temperature" "actor.temperature"],
    /// Probability mass that sampling keeps.
    TopP Number "top-p" [
        "top_p" "trl.top_p" "actor_rollout_ref.rollout.top_p" "rollout.top_p" "rollout_config.top_p"
        "policy.generation.top_p" "generator.sampling_params.top_p" "vllm_top_p" "rollout_top_p" "gconfig.top_p"
    ],
    /// Tokens that sampling keeps.
    TopK Number "top-k" [
        "top_k" "trl.top_k" "actor_rollout_ref.rollout.top_k" "rollout_config.top_k" "policy.generation.top_k"
        "generator.sampling_params.top_k" "rollout_top_k" "gconfig.top_k"
    ],
    /// Longest prompt in tokens.
    MaxPrompt Number "max prompt length" [
        "max_prompt_length" "data.max_prompt_length" "actor_rollout_ref.rollout.prompt_length" "prompt_max_len"
        "rollout_config.max_prompt_length" "trainer.max_prompt_length" "rollout_max_prompt_len"
        "max_prompt_token_length" "max_prompt_seq_len"
    ],
    /// Longest response in tokens.
    MaxResponse Number "max completion length" [
        "max_completion_length" "trl.max_completion_length" "data.max_response_length"
        "actor_rollout_ref.rollout.response_length" "rollout.max_new_tokens" "generate_max_len"
        "max_generation_steps" "rollout_config.total_generation_steps" "policy.generation.max_new_tokens"
        "generator.sampling_params.max_generate_length" "orchestrator.train.sampling.max_completion_tokens"
        "orchestrator.sampling.max_tokens" "train.sampling.max_completion_tokens" "rollout_max_response_len"
        "gconfig.max_new_tokens" "inference.max_generated_tokens" "max_generated_tokens" "response_length"
        "max_new_tokens" "max_tokens" "max_answer_seq_len"
    ],
    /// Longest prompt and response together in tokens.
    ModelContext Number "context length" [
        "actor_rollout_ref.rollout.max_model_len" "vllm_max_model_length" "vllm_max_model_len"
        "policy.max_total_sequence_length" "max_position_embeddings"
    ],
    /// Whether responses that were cut off are left out of the loss.
    MaskTruncated Word "masking of truncated responses" [
        "mask_truncated_completions" "trl.mask_truncated_completions" "overlong_filter" "grpo.overlong_filtering"
        "generator.apply_overlong_filtering"
    ],
    /// Whether retrieved text is left out of the loss (Search-R1).
    RetrievedMask Word "masking of retrieved text" ["actor_rollout_ref.actor.state_masking"],
    /// Whether zero-variance groups are left out or sampled again.
    FilterGroups Word "dynamic sampling" [
        "algorithm.filter_groups.enable" "algo.dynamic_filtering_enable" "dynamic_filtering" "dynamic_sample"
        "grpo.use_dynamic_sampling" "trainer.algorithm.dynamic_sampling.type" "trainer.algorithm.zero_variance_filter"
        "active_sampling" "filter_zero_std_samples" "remove_constant_reward_groups"
    ],
    /// Prompts or samples per step.
    Batch Number "batch size" [
        "generation_batch_size" "data.train_batch_size" "rollout.batch_size" "rollout_batch_size"
        "grpo.num_prompts_per_step" "trainer.train_batch_size" "orchestrator.batch_size" "num_unique_prompts_rollout"
        "train_dataset.batch_size" "dataset_builder.groups_per_batch" "groups_per_batch" "num_groups_per_step"
        "per_device_train_batch_size" "train_batch_size" "batch_size"
    ],
    /// Prompts or samples per optimiser update.
    MinibatchSize Number "mini-batch size" [
        "actor_rollout_ref.actor.ppo_mini_batch_size" "trainer.policy_mini_batch_size"
        "policy.train_global_batch_size" "train.batch_size" "mini_batch_size" "global_batch_size" "ppo_batch_size"
        "minibatch_size"
    ],
    /// Optimiser updates into which a batch is split.
    Minibatches Number "mini-batches per batch" [
        "num_mini_batches" "actor.ppo_n_minibatches" "num_steps_per_rollout" "num_substeps" "num_minibatches"
        "n_minibatches" "nminibatches" "mini_batch_per_epoch"
    ],
    /// How many times each rollout batch is trained on.
    EpochsPerBatch Number "epochs per batch" [
        "update_epochs" "num_iterations" "trl.num_iterations" "actor_rollout_ref.actor.ppo_epochs" "num_ppo_epochs"
        "train.max_epochs" "grpo_config.num_iterations" "ppo_config.num_iterations" "trainer.update_epochs_per_batch"
        "training.ppo_epochs" "ppo_epochs" "ppo_epoch" "noptepochs" "n_epochs"
    ],
    /// Batches whose gradients are added up for one update.
    Accumulation Number "gradient accumulation" ["gradient_accumulation_steps"],
    /// Discount of later rewards.
    Discount Number "discount" ["gamma" "algorithm.gamma" "algo.advantage.gamma" "trainer.algorithm.gamma"],
    /// Lambda of generalised advantage estimation.
    Lambda Number "GAE lambda" ["lam" "algorithm.lam" "algo.advantage.lambd" "trainer.algorithm.lambd" "lambd" "gae_lambda"],
    /// Steps that the run was to take: under [`PLANNED_STEPS_KEYS`], for which the readers of files ask too.
    PlannedSteps Number "planned steps" [],
    /// Passes over the data.
    Epochs Number "epochs" ["num_train_epochs" "trainer.total_epochs" "train.num_episodes" "total_train_epochs"],
    /// Seed of the run.
    Seed Number "seed" ["seed" "train.seed" "trainer.seed" "grpo.seed"],
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::setting;
    use rundown_run::{Config, ConfigValue};

    #[test]
    fn steps_are_planned_under_the_name_of_the_method_and_in_the_schedule_of_the_optimiser() {
        let planned = |pairs: &[(&str, f64)]| {
            let mut config = Config::default();
            pairs.iter().for_each(|(key, steps)| config.insert(*key, ConfigValue::Number(*steps)));
            setting(&config, Hyperparameter::PlannedSteps).map(|setting| setting.value)
        };
        assert_eq!(planned(&[("n_grpo_steps", 200.0)]), Some(200.0));
        // verl fills it in where only epochs are set, and writes -1 before.
        let of_optimiser = "actor_rollout_ref.actor.optim.total_training_steps";
        assert_eq!(planned(&[(of_optimiser, 560.0)]), Some(560.0));
        assert_eq!(planned(&[(of_optimiser, 560.0), ("trainer.total_training_steps", 100.0)]), Some(100.0));
        assert_eq!(planned(&[(of_optimiser, -1.0)]), None);
        assert_eq!(planned(&[("n_eval_steps", 50.0), ("num_warmup_steps", 10.0)]), None);
        assert_eq!(planned(&[("num_steps", 1024.0), ("num_env_steps", 1e6)]), None, "the length of a rollout");
    }

    #[test]
    fn a_rate_that_is_only_the_first_one_counts_last() {
        let mut config = Config::default();
        config.insert("init_lr", ConfigValue::Number(1e-5));
        let rate = |config: &Config| setting(config, Hyperparameter::LearningRate).map(|setting| setting.value);
        assert_eq!(rate(&config), Some(1e-5));
        config.insert("lr", ConfigValue::Number(2e-5));
        assert_eq!(rate(&config), Some(2e-5));
    }

    #[test]
    fn the_names_of_classic_rl_are_known() {
        let of = |pairs: &[(&str, f64)], wanted| {
            let mut config = Config::default();
            pairs.iter().for_each(|(key, value)| config.insert(*key, ConfigValue::Number(*value)));
            setting(&config, wanted).map(|setting| setting.value)
        };
        let clean = [("num_iterations", 8.0), ("update_epochs", 4.0), ("num_minibatches", 32.0), ("clip_coef", 0.2)];
        assert_eq!(of(&clean, Hyperparameter::EpochsPerBatch), Some(4.0), "not the iterations of the run");
        assert_eq!(of(&clean, Hyperparameter::Minibatches), Some(32.0));
        assert_eq!(of(&clean, Hyperparameter::ClipLow), Some(0.2));
        assert_eq!(of(&[("n_epochs", 10.0), ("n_steps", 2048.0)], Hyperparameter::EpochsPerBatch), Some(10.0));
        assert_eq!(of(&[("n_epochs", 10.0)], Hyperparameter::EpochsPerBatch), None, "passes over the data, perhaps");
        assert_eq!(of(&[("lmbda", 0.5)], Hyperparameter::Lambda), None, "TRL's GKD: the share of on-policy data");
    }

    #[test]
    fn no_key_stands_for_two_settings() {
        let mut keys: Vec<&str> =
            Hyperparameter::ALL.iter().flat_map(|hyperparameter| hyperparameter.keys()).copied().collect();
        let all = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), all);
        assert_eq!(Hyperparameter::Seed.words(), "seed");
        assert_eq!(Hyperparameter::Seed.keys().first(), Some(&"seed"));
    }

    #[test]
    fn a_small_number_of_rollouts_is_that_of_a_prompt() {
        let of = |rollouts: f64| {
            let mut config = rundown_run::Config::default();
            config.insert("num_rollouts", rundown_run::ConfigValue::Number(rollouts));
            crate::setting(&config, Hyperparameter::Generations).map(|found| found.value)
        };
        assert_eq!((of(64.0), of(1.0), of(500.0)), (Some(64.0), None, None));
    }
}
