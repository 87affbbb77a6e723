//! The catalogue: one file per check.
//!
//! To add one, write its file, add its line to the codes in `code.rs`, and its `CHECK` to [`ALL`].

mod cache_disabled;
mod cache_hit_rate_low;
mod cache_hot_but_slow;
mod cache_not_warming;
mod clip_fraction_high;
mod compute_per_step_uneven;
mod config_conflict;
mod config_unusual;
mod criterion_regressed;
mod criterion_stuck;
mod critic_failure;
mod delayed_lift_off;
mod duplicate_run;
mod elo_gap_shrinking;
mod elo_stagnant;
mod empty_responses;
mod entropy_collapse;
mod entropy_collapsed_at_start;
mod entropy_explosion;
mod error_rate_high;
mod extraction_rate_low;
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
mod low_overlap;
mod memory_creep;
mod metric_not_computed;
mod no_learning;
mod nonfinite_values;
mod only_moving_opponents;
mod overfitting;
mod partial_responses;
mod plateau;
mod power_law_fit;
mod proxy_only_gain;
mod ratio_drift;
mod reference_elo_rising;
mod reference_mismatch;
mod regression_from_peak;
mod restarted_with_overlap;
mod reward_break;
mod reward_component_dead;
mod reward_hacking;
mod reward_unstable;
mod rollout_bound;
mod rollout_failures;
mod rollout_slow;
mod run_crashed;
pub(crate) mod sampled_history;
mod sampler_mismatch;
mod scaling_saturated;
mod staleness;
mod stalled;
mod step_time_outliers;
#[cfg(test)]
pub(crate) mod testing;
mod throughput_regression;
mod too_aggressive;
mod too_conservative;
mod too_few_games;
mod trainer_bound;
mod truncation;
mod volume_reload_slow;
mod warmup_missing;
mod weak_against_opponent;
mod zero_variance_groups;

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
    rollout_slow::CHECK,
    rollout_failures::CHECK,
    volume_reload_slow::CHECK,
    step_time_outliers::CHECK,
    throughput_regression::CHECK,
    trainer_bound::CHECK,
    rollout_bound::CHECK,
    low_overlap::CHECK,
    memory_creep::CHECK,
    error_rate_high::CHECK,
    extraction_rate_low::CHECK,
    empty_responses::CHECK,
    partial_responses::CHECK,
    cache_disabled::CHECK,
    cache_hit_rate_low::CHECK,
    cache_not_warming::CHECK,
    cache_hot_but_slow::CHECK,
    elo_stagnant::CHECK,
    reference_elo_rising::CHECK,
    elo_gap_shrinking::CHECK,
    only_moving_opponents::CHECK,
    too_few_games::CHECK,
    weak_against_opponent::CHECK,
    power_law_fit::CHECK,
    scaling_saturated::CHECK,
    compute_per_step_uneven::CHECK,
    config_conflict::CHECK,
    config_unusual::CHECK,
    criterion_stuck::CHECK,
    criterion_regressed::CHECK,
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
