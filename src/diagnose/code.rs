//! The stable names of everything that Rundown can find.

use serde::{Serialize, Serializer};

/// A lane of the incident timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// The data and the process itself.
    Integrity,
    /// How far and how fast the policy moves.
    Policy,
    /// Entropy.
    Exploration,
    /// Reward and its parts.
    Reward,
    /// Whether the task is learned.
    Progress,
    /// Gradients, loss, learning rate, critic.
    Optimiser,
    /// Response lengths.
    Lengths,
    /// Sampler against trainer, staleness.
    OffPolicy,
    /// Time, failures, memory.
    Pipeline,
    /// Parsed outputs.
    Extraction,
    /// Prefix and prompt caches.
    Cache,
    /// Elo and opponents.
    League,
    /// Power laws of compute.
    Scaling,
    /// Settings that contradict each other.
    Config,
    /// Rubric criteria.
    Rubric,
}

impl Group {
    /// The word for it, as on the timeline.
    pub fn as_str(self) -> &'static str {
        match self {
            Group::Integrity => "integrity",
            Group::Policy => "policy",
            Group::Exploration => "exploration",
            Group::Reward => "reward",
            Group::Progress => "progress",
            Group::Optimiser => "optimiser",
            Group::Lengths => "lengths",
            Group::OffPolicy => "off-policy",
            Group::Pipeline => "pipeline",
            Group::Extraction => "extraction",
            Group::Cache => "cache",
            Group::League => "league",
            Group::Scaling => "scaling",
            Group::Config => "config",
            Group::Rubric => "rubric",
        }
    }
}

macro_rules! codes {
    ($($group:ident { $($variant:ident $name:literal $words:literal,)+ })+) => {
        /// What was found. Tests, reports and users refer to the names, so they never change.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[expect(missing_docs, reason = "the check of the same name documents it")]
        pub enum Code { $($($variant,)+)+ }

        impl Code {
            /// Every code, in the order of the catalogue.
            pub const ALL: &'static [Code] = &[$($(Code::$variant,)+)+];

            /// The stable name.
            pub fn as_str(self) -> &'static str {
                match self { $($(Code::$variant => $name,)+)+ }
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

// Only what has a check stands here; later checks add their line (catalogue: DESIGN.md section 5).
codes! {
    Integrity {
        NonfiniteValues "nonfinite_values" "Non-finite values",
        RunCrashed "run_crashed" "Run crashed",
        MetricNotComputed "metric_not_computed" "Metric not computed",
        SampledHistory "sampled_history" "Sampled history",
        InsufficientData "insufficient_data" "Too little data",
    }
    Policy {
        KlBlowUp "kl_blow_up" "KL blow-up",
        TooConservative "too_conservative" "Too conservative",
    }
    Exploration {
        EntropyCollapse "entropy_collapse" "Entropy collapse",
    }
    Reward {
        RewardHacking "reward_hacking" "Reward hacking",
        RewardBreak "reward_break" "Reward break",
        ZeroVarianceGroups "zero_variance_groups" "Zero-variance groups",
    }
    Optimiser {
        GradientSpikes "gradient_spikes" "Gradient spikes",
    }
    Lengths {
        LengthExplosion "length_explosion" "Length explosion",
    }
}

impl Code {
    /// The name within a sentence: lower-case but for abbreviations, such as `KL blow-up`.
    pub fn phrase(self) -> String {
        let words = self.words();
        let mut letters = words.chars();
        match (letters.next(), letters.next()) {
            (Some(first), Some(second)) if second.is_lowercase() => {
                first.to_lowercase().chain(words.chars().skip(1)).collect()
            }
            _ => words.to_owned(),
        }
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
