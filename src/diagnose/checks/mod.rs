//! The catalogue: one file per check.
//!
//! To add one, write its file, add its line to the codes in `code.rs`, and its `CHECK` to [`ALL`].

mod clip_fraction_high;
mod critic_failure;
mod delayed_lift_off;
mod duplicate_run;
mod entropy_collapse;
mod entropy_collapsed_at_start;
mod entropy_explosion;
mod error_rate_high;
mod format_only_policy;
mod gain_not_established;
mod gradient_dying;
mod gradient_norm_high;
mod gradient_spikes;
mod insufficient_data;
mod invalid_outputs_rising;
mod kl_blow_up;
mod kl_drift;
mod kl_spikes;
mod kl_without_reward;
mod learning_rate_too_high;
mod length_collapse;
mod length_explosion;
mod length_pinned_at_cap;
mod length_reward_coupling;
mod loss_divergence;
mod metric_not_computed;
mod no_learning;
mod nonfinite_values;
mod overfitting;
mod plateau;
mod proxy_only_gain;
mod ratio_drift;
mod reference_mismatch;
mod regression_from_peak;
mod restarted_with_overlap;
mod reward_break;
mod reward_component_dead;
mod reward_hacking;
mod reward_unstable;
mod run_crashed;
pub(crate) mod sampled_history;
mod sampler_mismatch;
mod staleness;
mod stalled;
mod too_aggressive;
mod too_conservative;
mod truncation;
mod warmup_missing;
mod zero_variance_groups;
#[cfg(test)]
pub(crate) mod testing;

use super::Check;

/// Every check, in the order of the catalogue.
pub const ALL: &[Check] = &[
    nonfinite_values::CHECK,
    run_crashed::CHECK,
    stalled::CHECK,
    restarted_with_overlap::CHECK,
    duplicate_run::CHECK,
    metric_not_computed::CHECK,
    sampled_history::CHECK,
    insufficient_data::CHECK,
    kl_blow_up::CHECK,
    kl_drift::CHECK,
    kl_spikes::CHECK,
    kl_without_reward::CHECK,
    reference_mismatch::CHECK,
    too_conservative::CHECK,
    too_aggressive::CHECK,
    clip_fraction_high::CHECK,
    ratio_drift::CHECK,
    entropy_collapse::CHECK,
    entropy_collapsed_at_start::CHECK,
    entropy_explosion::CHECK,
    reward_hacking::CHECK,
    proxy_only_gain::CHECK,
    format_only_policy::CHECK,
    reward_component_dead::CHECK,
    reward_break::CHECK,
    reward_unstable::CHECK,
    zero_variance_groups::CHECK,
    invalid_outputs_rising::CHECK,
    plateau::CHECK,
    regression_from_peak::CHECK,
    overfitting::CHECK,
    gain_not_established::CHECK,
    delayed_lift_off::CHECK,
    no_learning::CHECK,
    gradient_spikes::CHECK,
    gradient_dying::CHECK,
    gradient_norm_high::CHECK,
    loss_divergence::CHECK,
    learning_rate_too_high::CHECK,
    warmup_missing::CHECK,
    critic_failure::CHECK,
    length_explosion::CHECK,
    length_collapse::CHECK,
    truncation::CHECK,
    length_pinned_at_cap::CHECK,
    length_reward_coupling::CHECK,
    sampler_mismatch::CHECK,
    staleness::CHECK,
    error_rate_high::CHECK,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::Code;

    #[test]
    fn checks_are_in_the_order_of_the_catalogue() {
        let codes: Vec<Code> = ALL.iter().map(|check| check.code).collect();
        let catalogue: Vec<Code> = Code::ALL.iter().copied().filter(|code| codes.contains(code)).collect();
        assert_eq!(codes, catalogue);
    }
}
