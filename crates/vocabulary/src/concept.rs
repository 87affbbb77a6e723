//! The quantities that a check can ask for.

use rundown_format::named_enum;

/// What only the log of a language model holds. A KL to the reference is not among them: its name may be another KL's.
pub const OF_LANGUAGE_MODELS: [Concept; 6] = [
    Concept::ResponseLength,
    Concept::ResponseLengthMax,
    Concept::PromptLength,
    Concept::TruncatedShare,
    Concept::Tokens,
    Concept::ZeroVarianceGroups,
];

macro_rules! concepts {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $words:literal $direction:ident $unit:ident $key:literal,)+) => {
        /// A quantity of RL training, whatever a framework calls it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Concept { $($(#[doc = $doc])+ $variant,)+ }

        impl Concept {
            /// Every concept, in the order of reports.
            pub const ALL: &'static [Concept] = &[$(Concept::$variant,)+];

            /// The stable name, as in the JSON report: `kl_to_reference`.
            pub fn name(self) -> &'static str {
                match self { $(Concept::$variant => $name,)+ }
            }

            /// The concept of a stable name.
            pub fn from_name(name: &str) -> Option<Concept> {
                Concept::ALL.iter().copied().find(|concept| concept.name() == name)
            }

            /// The concept in words, to start or stand within a sentence.
            pub fn words(self) -> &'static str {
                match self { $(Concept::$variant => $words,)+ }
            }

            /// Which way is better, where it does not depend on the run.
            pub fn direction(self) -> Direction {
                match self { $(Concept::$variant => Direction::$direction,)+ }
            }

            /// The unit in which it is usually logged.
            pub const fn unit(self) -> Unit {
                match self { $(Concept::$variant => Unit::$unit,)+ }
            }

            /// A plain name for a key of it, for a run of no known framework. Names in braces stand for any name.
            pub fn plain_key(self) -> &'static str {
                match self { $(Concept::$variant => $key,)+ }
            }
        }
    };
}

concepts! {
    /// Mean reward of the training batch (total over reward functions).
    Reward "reward" "reward" Up Plain "reward/mean",
    /// Spread of the reward. Within groups up to TRL 0.26 and in the whole batch since, so only its zero is telling.
    RewardStd "reward_std" "reward spread" Neutral Plain "reward/std",
    /// Largest reward of the batch.
    RewardMax "reward_max" "largest reward" Neutral Plain "reward/max",
    /// Smallest reward of the batch.
    RewardMin "reward_min" "smallest reward" Neutral Plain "reward/min",
    /// Mean of one reward function; several bindings.
    RewardComponent "reward_component" "reward component" Up Plain "rewards/{function}/mean",
    /// Share of groups whose rewards are all equal.
    ZeroVarianceGroups "zero_std_groups" "zero-variance groups" Down Share "frac_reward_zero_std",
    /// Share of groups whose responses are all right.
    SolvedGroups "solved_groups" "groups all solved" Neutral Share "groups/all_solved",
    /// Share of groups whose responses are all wrong.
    FailedGroups "failed_groups" "groups all failed" Neutral Share "groups/all_failed",
    /// Mean advantage.
    AdvantageMean "advantage_mean" "mean advantage" Neutral Plain "advantages/mean",
    /// Largest advantage.
    AdvantageMax "advantage_max" "largest advantage" Neutral Plain "advantages/max",
    /// Smallest advantage, the most negative one.
    AdvantageMin "advantage_min" "smallest advantage" Neutral Plain "advantages/min",
    /// Spread of the advantages of the batch; 0 where no group has any variance.
    AdvantageStd "advantage_std" "advantage spread" Neutral Plain "advantages/std",
    /// Score on held-out tasks: the primary metric; several bindings, the primary first.
    Evaluation "evaluation" "evaluation" Up Plain "eval/accuracy",
    /// KL of the policy to the reference.
    KlToReference "kl_to_reference" "KL to the reference" Neutral NatsPerToken "kl",
    /// KL coefficient when it is logged as a metric.
    KlCoefficient "kl_coefficient" "KL coefficient" Neutral Plain "kl_coef",
    /// KL divergence of the policy to the teacher of an on-policy distillation, or its loss: what such a run minimises.
    TeacherKl "teacher_kl" "KL to the teacher" Down NatsPerToken "teacher_kl",
    /// KL (or its estimate) of the policy to the one that sampled, over the updates of a batch.
    KlToSampler "kl_to_sampler" "KL to the old policy" Neutral NatsPerToken "approx_kl",
    /// Token entropy of the policy.
    Entropy "entropy" "entropy" Neutral NatsPerToken "entropy",
    /// Share of clipped ratios, both sides.
    ClipFraction "clip_fraction" "clip fraction" Neutral Share "clip_fraction",
    /// Share of ratios clipped at the upper bound.
    ClipFractionHigh "clip_fraction_high" "upper clip fraction" Neutral Share "clip_ratio/high_mean",
    /// Share of ratios clipped at the lower bound. Not verl's `pg_clipfrac_lower`, which is the dual clip.
    ClipFractionLow "clip_fraction_low" "lower clip fraction" Neutral Share "clip_ratio/low_mean",
    /// Mean importance ratio of the update: policy to the one that sampled.
    RatioMean "ratio_mean" "importance ratio" Neutral Plain "ratio/mean",
    /// Largest importance ratio of the update.
    RatioMax "ratio_max" "largest importance ratio" Neutral Plain "ratio/max",
    /// Policy loss.
    PolicyLoss "policy_loss" "policy loss" Neutral Plain "policy_loss",
    /// Value loss of a critic.
    ValueLoss "value_loss" "value loss" Neutral Plain "value_loss",
    /// Share of clipped value predictions of a critic.
    ValueClipFraction "value_clip_fraction" "value clip fraction" Neutral Share "value_clip_fraction",
    /// Explained variance of a critic: 1 - Var(return - value) / Var(return).
    ExplainedVariance "explained_variance" "explained variance" Up Plain "critic/explained_variance",
    /// Mean value that a critic predicts.
    ValueMean "value_mean" "mean value" Neutral Plain "critic/values/mean",
    /// Mean return that a critic is to predict.
    ReturnMean "return_mean" "mean return" Neutral Plain "critic/returns/mean",
    /// Gradient norm of the actor before clipping.
    GradientNorm "gradient_norm" "gradient norm" Neutral Plain "grad_norm",
    /// Learning rate of the actor.
    LearningRate "learning_rate" "learning rate" Neutral Plain "learning_rate",
    /// Gradient norm of the critic.
    CriticGradientNorm "critic_gradient_norm" "gradient norm of the critic" Neutral Plain "critic/grad_norm",
    /// Learning rate of the critic.
    CriticLearningRate "critic_learning_rate" "learning rate of the critic" Neutral Plain "critic/lr",
    /// Load imbalance of a mixture of experts: (largest load - balanced load) / balanced load.
    ExpertImbalance "expert_imbalance" "expert imbalance" Down Plain "max_vio/mean",
    /// Mean response length in tokens.
    ResponseLength "response_length" "response length" Neutral Tokens "response_length/mean",
    /// Longest response of the batch in tokens.
    ResponseLengthMax "response_length_max" "longest response" Neutral Tokens "response_length/max",
    /// Shortest response of the batch in tokens.
    ResponseLengthMin "response_length_min" "shortest response" Neutral Tokens "response_length/min",
    /// Mean length of the responses that ended by themselves, in tokens.
    TerminatedLength "terminated_length" "length of terminated responses" Neutral Tokens "completions/mean_terminated_length",
    /// Mean length of responses with a right answer, in tokens.
    CorrectLength "correct_length" "length of right answers" Neutral Tokens "response_length/correct",
    /// Mean length of responses with a wrong answer, in tokens.
    IncorrectLength "incorrect_length" "length of wrong answers" Neutral Tokens "response_length/incorrect",
    /// Mean prompt length in tokens.
    PromptLength "prompt_length" "prompt length" Neutral Tokens "prompt_length/mean",
    /// Tokens of all sequences of a step on one data-parallel rank, as a mean over the ranks.
    GlobalSequenceLength "global_sequence_length" "global sequence length" Neutral Tokens "global_seqlen/mean",
    /// Share of responses that hit the length limit.
    TruncatedShare "truncated_share" "truncation rate" Down Share "truncated_share",
    /// Share of responses that repeat themselves.
    RepetitionShare "repetition_share" "repetition rate" Down Share "repetition_frac",
    /// Mean turns (or tool calls) of an episode.
    Turns "turns" "turns" Neutral Count "num_turns/mean",
    /// Share of outputs that could not be parsed or were not allowed: actions, tool calls, drafts, formats.
    InvalidOutputs "invalid_outputs" "invalid outputs" Down Share "invalid_rate",
    /// Share of answers that do not have the form asked for, such as tags that are missing.
    FormatFailures "format_failures" "format failures" Down Share "format_failure_rate",
    /// Share of answers in the right form whose result is wrong: arithmetic, numbers, equations.
    WrongAnswers "wrong_answers" "wrong answers" Down Share "wrong_arithmetic_rate",
    /// Share of outputs that could be parsed and were allowed, or of episodes that finished.
    ValidOutputs "valid_outputs" "valid outputs" Up Share "valid_rate",
    /// Share of answers or episodes that break a rule or a limit of the task.
    Violations "violations" "rule violations" Down Share "violation_rate",
    /// Answers that game the reward, as the run's own detector counts them: a share, or a number.
    DetectedHacks "detected_hacks" "detected reward hacks" Down Share "hacking_rate",
    /// KL of the trainer's policy to the sampling engine's, of the same weights; nats per token.
    MismatchKl "mismatch_kl" "training-inference KL" Down NatsPerToken "rollout_corr/kl",
    /// Mean absolute difference of token probabilities between sampling engine and trainer.
    MismatchProbability "mismatch_probability" "training-inference probability difference" Down Plain "training/rollout_probs_diff_mean",
    /// Mean absolute difference of token log-probabilities between sampling engine and trainer, in nats.
    MismatchLogprob "mismatch_logprob" "training-inference log-probability difference" Down NatsPerToken "sampling/sampling_logp_difference/mean",
    /// Pearson correlation of token probabilities of sampling engine and trainer.
    MismatchCorrelation "mismatch_correlation" "training-inference correlation" Up Plain "training/rollout_actor_probs_pearson_corr",
    /// Effective sample size of the importance weights, as a share.
    MismatchSampleSize "mismatch_sample_size" "effective sample size" Up Share "rollout_corr/rollout_is_eff_sample_size",
    /// Mean importance weight that corrects the sampling engine's policy to the trainer's; 1 where they agree.
    MismatchRatio "mismatch_ratio" "training-inference importance ratio" Neutral Plain "sampling/importance_sampling_ratio/mean",
    /// Mean factor between token probabilities of sampling engine and trainer, the exponential of the absolute
    /// log-difference; 1 where they agree.
    MismatchFactor "mismatch_factor" "training-inference probability factor" Down Plain "token_mult_prob_error",
    /// Chi-square divergence of the sampling engine's policy from the trainer's, over tokens.
    MismatchChiSquare "mismatch_chi_square" "training-inference chi-square" Down Plain "rollout_corr/chi2_token",
    /// Mean age of the trained samples in policy updates.
    Staleness "staleness" "staleness" Down Count "staleness/mean",
    /// Age of the oldest trained sample in policy updates.
    StalenessMax "staleness_max" "largest staleness" Down Count "staleness/max",
    /// Share of samples dropped for their age.
    DroppedStale "dropped_stale" "dropped stale samples" Down Share "staleness/dropped_share",
    /// Seconds of a training step.
    StepTime "step_time" "step time" Down Seconds "step_time",
    /// Seconds that sampling takes of a step.
    RolloutTime "rollout_time" "rollout time" Down Seconds "timing/rollout",
    /// 95th percentile of the duration of a rollout, in seconds.
    RolloutTimeP95 "rollout_time_p95" "rollout duration, p95" Down Seconds "rollout/duration_p95",
    /// Seconds of single rollouts, one point each, as exported event logs have them.
    RolloutDuration "rollout_duration" "rollout duration" Down Seconds "rollout/duration_s",
    /// Seconds that updates take of a step.
    TrainTime "train_time" "training time" Down Seconds "timing/train",
    /// Seconds that rewards take of a step.
    RewardTime "reward_time" "reward time" Down Seconds "timing/reward",
    /// Seconds until the sampling engine has the new weights: weight sync, volume reload, adapter load.
    ReloadTime "reload_time" "weight reload time" Down Seconds "timing/weight_sync",
    /// Seconds of evaluation or checkpointing within a step, logged only at such steps.
    UpkeepTime "upkeep_time" "evaluation and checkpoint time" Neutral Seconds "timing/testing",
    /// Share of a step, or seconds, that the trainer waits for rollouts.
    TrainerIdle "trainer_idle" "trainer idle time" Down Seconds "time/wait_for_batch",
    /// Share of a step, or seconds, that the sampler waits for the trainer.
    SamplerIdle "sampler_idle" "sampler waiting" Down Seconds "time/wait_for_policy",
    /// Share of sampling that runs while the trainer trains.
    Overlap "overlap" "overlap" Up Share "pipeline/overlap",
    /// Tokens (or trajectories) per second.
    Throughput "throughput" "throughput" Up TokensPerSecond "perf/throughput",
    /// Share of the hardware's arithmetic that training uses (MFU).
    Utilisation "utilisation" "model FLOPs utilisation (MFU)" Up Share "perf/mfu/actor",
    /// GPU memory in use.
    Memory "memory" "GPU memory" Neutral Gigabytes "perf/max_memory_allocated_gb",
    /// Memory of the host in use.
    HostMemory "host_memory" "host memory" Neutral Gigabytes "perf/cpu_memory_used_gb",
    /// Rollouts that failed: a number, or a share.
    FailedRollouts "failed_rollouts" "failed rollouts" Down Count "rollout/failed",
    /// 1 for a rollout that completed and 0 for one that failed, or their share.
    CompletedRollouts "completed_rollouts" "completed rollouts" Up Share "rollout/success",
    /// Trajectories (episodes) of a step.
    Trajectories "trajectories" "trajectories" Neutral Count "rollout/trajectories",
    /// Share of events, requests or episodes that ended in an error.
    ErrorRate "error_rate" "error rate" Down Share "errors/rate",
    /// Share of expected outputs that were extracted from the responses.
    ExtractionRate "extraction_rate" "extraction rate" Up Share "extraction/rate",
    /// Outputs that the responses of a step should hold.
    ExpectedOutputs "expected_outputs" "expected outputs" Neutral Count "extraction/expected",
    /// Outputs that were extracted from the responses of a step.
    ExtractedOutputs "extracted_outputs" "extracted outputs" Neutral Count "extraction/extracted",
    /// Share of responses without any output.
    EmptyResponses "empty_responses" "empty responses" Down Share "extraction/empty_rate",
    /// Share of responses with some of their outputs missing.
    PartialResponses "partial_responses" "partial responses" Down Share "extraction/partial_rate",
    /// Share of prompt tokens, or of requests, that were in the prefix cache.
    CacheHitRate "cache_hit_rate" "cache hit rate" Up Share "cache/hit_rate",
    /// 1 where prefix caching is on, 0 where it is off.
    CacheEnabled "cache_enabled" "caching" Neutral Plain "cache/enabled",
    /// Prompt tokens that the cache was asked for.
    CacheTokens "cache_tokens" "cached prompt tokens" Neutral Tokens "cache/prompt_tokens",
    /// Times that the prefix cache was asked, in all.
    CacheQueries "cache_queries" "cache queries" Neutral Count "cache/total_queries",
    /// Times that the prefix cache had what was asked for, in all.
    CacheHits "cache_hits" "cache hits" Neutral Count "cache/total_hits",
    /// Batches that the sampling engine worked on.
    CacheBatches "cache_batches" "inference batches" Neutral Count "cache/batches",
    /// Share of the KV cache in use.
    CacheUsage "cache_usage" "KV cache usage" Neutral Share "inference/kv_cache_usage",
    /// Requests that wait for the sampling engine.
    RequestsWaiting "requests_waiting" "waiting requests" Down Count "inference/num_requests_waiting",
    /// Elo of the policy under training, or of one of its checkpoints; several bindings, named by agent.
    Elo "elo" "Elo of the policy" Up Elo "elo/policy",
    /// Elo of an opponent that never changes; several bindings, named by agent.
    ReferenceElo "reference_elo" "Elo of a fixed reference" Down Elo "elo/base_model",
    /// Elo of the best checkpoint minus that of the base model.
    EloGap "elo_gap" "Elo gap" Up Elo "league/elo_gap",
    /// Share of games won against a named opponent; several bindings.
    WinRate "win_rate" "win rate" Up Share "eval/vs_{opponent}/win_rate",
    /// Games played, in all or against a named opponent; several bindings.
    Games "games" "games" Neutral Count "league/games",
    /// Checkpoints that play in the league.
    LeagueCheckpoints "league_checkpoints" "checkpoints in the league" Neutral Count "league/num_checkpoints",
    /// Exponent of a power law as the run itself fitted it.
    PowerLawExponent "power_law_exponent" "power-law exponent" Neutral Plain "power_law/exponent",
    /// Cumulative compute: FLOPs, GPU-hours or simulated games.
    Compute "compute" "compute" Neutral Plain "power_law/compute",
    /// Compute that one step takes.
    ComputePerStep "compute_per_step" "compute per step" Neutral Plain "power_law/compute_per_step",
    /// Tokens seen: in all, or in the step.
    Tokens "tokens" "tokens" Neutral Tokens "num_tokens",
    /// Mean score of one criterion of a rubric; several bindings.
    Criterion "criterion" "rubric criterion" Up Plain "criteria/{rubric}/{criterion}_mean",
    /// A score that is written once at the end; several bindings.
    FinalScore "final_score" "final score" Up Plain "final/{name}_mean",
}

named_enum! {
    name
    /// Unit of a bound metric.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Unit {
        /// A plain number in the reward's own scale.
        Plain = "plain",
        /// A share from 0 to 1.
        Share = "share",
        /// Nats, mean over tokens; never negative (k3 or full KL).
        NatsPerToken = "nats_per_token",
        /// Nats, mean over tokens, signed (k1): positive and negative cancel.
        NatsPerTokenSigned = "nats_per_token_signed",
        /// Nats, mean over the actions of a policy that is no language model.
        Nats = "nats",
        /// Nats, summed over the sequence.
        NatsPerSequence = "nats_per_sequence",
        /// Tokens.
        Tokens = "tokens",
        /// Seconds.
        Seconds = "seconds",
        /// A number of things.
        Count = "count",
        /// Gigabytes.
        Gigabytes = "gigabytes",
        /// Tokens per second.
        TokensPerSecond = "tokens_per_second",
        /// Elo points.
        Elo = "elo",
    }
}

named_enum! {
    name
    /// Which way is better.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Direction {
        /// More is better.
        Up = "up",
        /// Less is better.
        Down = "down",
        /// Neither.
        Neutral = "neutral",
    }
}

impl Direction {
    /// -1 where less is better, else 1: what a change is multiplied with, so that better is positive.
    pub fn sign(self) -> f64 {
        if self == Direction::Down { -1.0 } else { 1.0 }
    }
}

impl Unit {
    /// The unit as it stands behind a number; empty for a plain one.
    pub fn as_str(self) -> &'static str {
        match self {
            Unit::Plain | Unit::Share => "",
            Unit::NatsPerToken | Unit::NatsPerTokenSigned => "nats/token",
            Unit::Nats => "nats",
            Unit::NatsPerSequence => "nats/sequence",
            Unit::Tokens => "tokens",
            Unit::Seconds => "s",
            Unit::Count => "",
            Unit::Gigabytes => "GB",
            Unit::TokensPerSecond => "tokens/s",
            Unit::Elo => "Elo",
        }
    }

    /// The unit within a sentence: `nats per token`.
    pub fn words(self) -> &'static str {
        match self {
            Unit::NatsPerToken | Unit::NatsPerTokenSigned => "nats per token",
            Unit::NatsPerSequence => "nats per sequence",
            Unit::TokensPerSecond => "tokens per second",
            other => other.as_str(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_concept_has_its_own_facts() {
        let mut names: Vec<&str> = Concept::ALL.iter().map(|concept| concept.name()).collect();
        assert_eq!(Concept::KlToReference.name(), "kl_to_reference");
        assert_eq!(Concept::from_name("kl_to_reference"), Some(Concept::KlToReference));
        assert_eq!((Concept::from_name("KlToReference"), Unit::from_name("parsecs")), (None, None));
        assert_eq!(Concept::FinalScore.words(), "final score");
        assert_eq!(Concept::ErrorRate.direction(), Direction::Down);
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Concept::ALL.len());
    }
}
