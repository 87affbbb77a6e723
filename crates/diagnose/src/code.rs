//! The stable names of everything that Rundown can find.

use rundown_format::{lower_first, named_enum};

named_enum! {
    as_str
    /// A lane of the incident timeline.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Group {
        /// The data and the process itself.
        Integrity = "integrity",
        /// How far and how fast the policy moves.
        Policy = "policy",
        /// Entropy.
        Exploration = "exploration",
        /// Reward and its parts.
        Reward = "reward",
        /// Whether the task is learned.
        Progress = "progress",
        /// Gradients, loss, learning rate, critic.
        Optimiser = "optimiser",
        /// Response lengths.
        Lengths = "lengths",
        /// Sampler against trainer, staleness.
        OffPolicy = "off-policy",
        /// Time, failures, memory.
        Pipeline = "pipeline",
        /// Parsed outputs.
        Extraction = "extraction",
        /// Prefix and prompt caches.
        Cache = "cache",
        /// Elo and opponents.
        League = "league",
        /// Power laws of compute.
        Scaling = "scaling",
        /// Settings that contradict each other.
        Config = "config",
        /// Rubric criteria.
        Rubric = "rubric",
    }
}

/// The catalogue of checks, which it gives to a macro: by group and its folder, each code with the file of its check, whose name
/// is the stable one, and the words for it.
macro_rules! catalogue {
    ($receiver:ident) => {
        $receiver! {
            Integrity integrity {
                NonfiniteValues nonfinite_values "Non-finite values",
                RunCrashed run_crashed "Abnormal end",
                Stalled stalled "Stalled",
                RestartedWithOverlap restarted_with_overlap "Restarted with overlap",
                DuplicateRun duplicate_run "Duplicate metrics",
                MetricNotComputed metric_not_computed "Metric not computed",
                NoMetrics no_metrics "No metrics",
                RubricNotLogged rubric_not_logged "Rubric not logged",
                HistogramsMissing histograms_missing "Histograms missing",
                SampledHistory sampled_history "Sampled history",
                InsufficientData insufficient_data "Too little data",
            }
            Policy policy {
                KlBlowUp kl_blow_up "KL blow-up",
                KlDrift kl_drift "KL drift",
                KlSpikes kl_spikes "KL spikes",
                KlWithoutReward kl_without_reward "KL without reward",
                ReferenceMismatch reference_mismatch "Reference mismatch",
                TooConservative too_conservative "Too conservative",
                TooAggressive too_aggressive "Too aggressive",
                ClipFractionHigh clip_fraction_high "Clip fraction high",
                RatioDrift ratio_drift "Ratio drift",
            }
            Exploration exploration {
                EntropyCollapse entropy_collapse "Entropy collapse",
                EntropyCollapsedAtStart entropy_collapsed_at_start "Entropy collapsed at the start",
                EntropyExplosion entropy_explosion "Entropy explosion",
            }
            Reward reward {
                RewardHacking reward_hacking "Reward hacking",
                ProxyOnlyGain proxy_only_gain "Proxy-only gain",
                FormatOnlyPolicy format_only_policy "Format-only policy",
                RewardComponentDead reward_component_dead "Dead reward component",
                RewardBreak reward_break "Sudden reward drop",
                RewardUnstable reward_unstable "Unstable reward",
                RewardSpreadGrowing reward_spread_growing "Reward spread growing",
                ZeroVarianceGroups zero_variance_groups "Zero-variance groups",
                PenalisedRewardFalling penalised_reward_falling "Penalised reward falling",
                InvalidOutputsRising invalid_outputs_rising "Invalid outputs rising",
            }
            Progress progress {
                Plateau plateau "Plateau",
                RegressionFromPeak regression_from_peak "Regression from the peak",
                Overfitting overfitting "Overfitting",
                GainNotEstablished gain_not_established "Gain not significant",
                DelayedLiftOff delayed_lift_off "Delayed lift-off",
                NoLearning no_learning "No learning",
            }
            Optimiser optimiser {
                GradientSpikes gradient_spikes "Gradient spikes",
                GradientDying gradient_dying "Gradient norm fading",
                GradientNormHigh gradient_norm_high "Gradient norm high",
                LossDivergence loss_divergence "Loss divergence",
                LossSpikes loss_spikes "Loss spikes",
                LearningRateTooHigh learning_rate_too_high "Learning rate too high",
                LearningRateZero learning_rate_zero "Learning rate zero",
                WarmupMissing warmup_missing "Warm-up missing",
                CriticFailure critic_failure "Critic failure",
            }
            Lengths lengths {
                LengthExplosion length_explosion "Length explosion",
                LengthCollapse length_collapse "Length collapse",
                Truncation truncation "Truncation",
                LengthPinnedAtCap length_pinned_at_cap "Length pinned at the cap",
                EndTokenMissing end_token_missing "EOS token missing",
                LengthRewardCoupling length_reward_coupling "Length coupled to reward",
            }
            OffPolicy off_policy {
                SamplerMismatch sampler_mismatch "Training-inference mismatch",
                Staleness staleness "Staleness",
            }
            Pipeline pipeline {
                RolloutSlow rollout_slow "Slow rollouts",
                RolloutFailures rollout_failures "Failed rollouts",
                VolumeReloadSlow volume_reload_slow "Slow volume reload",
                StepTimeOutliers step_time_outliers "Step-time outliers",
                ThroughputRegression throughput_regression "Throughput regression",
                TrainerBound trainer_bound "Trainer-bound",
                RolloutBound rollout_bound "Rollout-bound",
                LowOverlap low_overlap "Low overlap",
                MemoryCreep memory_creep "Memory creep",
                ErrorRateHigh error_rate_high "Error rate high",
            }
            Extraction extraction {
                ExtractionRateLow extraction_rate_low "Extraction rate low",
                EmptyResponses empty_responses "Empty responses",
                PartialResponses partial_responses "Partial responses",
            }
            Cache cache {
                CacheDisabled cache_disabled "Cache disabled",
                CacheHitRateLow cache_hit_rate_low "Cache hit rate low",
                CacheNotWarming cache_not_warming "Cache not warming",
                CacheHotButSlow cache_hot_but_slow "High cache hit rate but slow rollouts",
            }
            League league {
                EloStagnant elo_stagnant "Elo stagnant",
                ReferenceEloRising reference_elo_rising "Reference Elo rising",
                EloGapShrinking elo_gap_shrinking "Elo gap shrinking",
                OnlyMovingOpponents only_moving_opponents "Only moving opponents",
                TooFewGames too_few_games "Too few games",
                WeakAgainstOpponent weak_against_opponent "Weak against an opponent",
            }
            Scaling scaling {
                PowerLawFit power_law_fit "Power-law fit",
                ScalingSaturated scaling_saturated "Scaling saturated",
                ComputePerStepUneven compute_per_step_uneven "Compute per step uneven",
            }
            Config config {
                ConfigConflict config_conflict "Config conflict",
                ConfigUnusual config_unusual "Config unusual",
            }
            Rubric rubric {
                CriterionStuck criterion_stuck "Criterion stuck",
                CriterionRegressed criterion_regressed "Criterion regressed",
            }
        }
    };
}
pub(crate) use catalogue;

macro_rules! codes {
    ($($group:ident $folder:ident { $($variant:ident $file:ident $words:literal,)+ })+) => {
        /// What was found. Tests, reports and users refer to the names, so they never change.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[expect(missing_docs, reason = "the check of the same name documents it")]
        pub enum Code { $($($variant,)+)+ }

        impl Code {
            /// Every code, in the order of the catalogue.
            pub const ALL: &'static [Code] = &[$($(Code::$variant,)+)+];

            /// The stable name.
            pub fn as_str(self) -> &'static str {
                match self { $($(Code::$variant => stringify!($file),)+)+ }
            }

            /// The code of this name.
            pub fn from_name(name: &str) -> Option<Code> {
                Code::ALL.iter().copied().find(|code| code.as_str() == name)
            }

            /// The name as a person says it.
            pub fn words(self) -> &'static str {
                match self { $($(Code::$variant => $words,)+)+ }
            }

            /// The lane that it belongs to.
            pub fn group(self) -> Group {
                match self { $($(Code::$variant => Group::$group,)+)+ }
            }
        }
    };
}

catalogue!(codes);

impl Code {
    /// The name within a sentence: lower-case but for abbreviations, such as `KL blow-up`.
    pub fn phrase(self) -> String {
        lower_first(self.words())
    }
}
