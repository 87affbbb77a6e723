//! The catalogue: one file per check.
//!
//! To add one, write its file, add its line to the codes in `code.rs`, and its `CHECK` to [`ALL`].

mod cache;
mod config;
mod exploration;
mod extraction;
mod integrity;
mod league;
mod lengths;
mod off_policy;
mod optimiser;
mod pipeline;
mod policy;
mod progress;
mod reward;
mod rubric;
mod scaling;
#[cfg(test)]
pub(crate) mod testing;

use super::Check;
pub(super) use integrity::sampled_history::lower_confidence;

/// Every check, in the order of the catalogue.
pub const ALL: &[Check] = &[
    integrity::nonfinite_values::CHECK,
    integrity::run_crashed::CHECK,
    integrity::stalled::CHECK,
    integrity::restarted_with_overlap::CHECK,
    integrity::duplicate_run::CHECK,
    integrity::metric_not_computed::CHECK,
    integrity::no_metrics::CHECK,
    integrity::rubric_not_logged::CHECK,
    integrity::histograms_missing::CHECK,
    integrity::sampled_history::CHECK,
    integrity::insufficient_data::CHECK,
    policy::kl_blow_up::CHECK,
    policy::kl_drift::CHECK,
    policy::kl_spikes::CHECK,
    policy::kl_without_reward::CHECK,
    policy::reference_mismatch::CHECK,
    policy::too_conservative::CHECK,
    policy::too_aggressive::CHECK,
    policy::clip_fraction_high::CHECK,
    policy::ratio_drift::CHECK,
    exploration::entropy_collapse::CHECK,
    exploration::entropy_collapsed_at_start::CHECK,
    exploration::entropy_explosion::CHECK,
    reward::reward_hacking::CHECK,
    reward::proxy_only_gain::CHECK,
    reward::format_only_policy::CHECK,
    reward::reward_component_dead::CHECK,
    reward::reward_break::CHECK,
    reward::reward_unstable::CHECK,
    reward::reward_spread_growing::CHECK,
    reward::zero_variance_groups::CHECK,
    reward::penalised_reward_falling::CHECK,
    reward::invalid_outputs_rising::CHECK,
    progress::plateau::CHECK,
    progress::regression_from_peak::CHECK,
    progress::overfitting::CHECK,
    progress::gain_not_established::CHECK,
    progress::delayed_lift_off::CHECK,
    progress::no_learning::CHECK,
    optimiser::gradient_spikes::CHECK,
    optimiser::gradient_dying::CHECK,
    optimiser::gradient_norm_high::CHECK,
    optimiser::loss_divergence::CHECK,
    optimiser::loss_spikes::CHECK,
    optimiser::learning_rate_too_high::CHECK,
    optimiser::warmup_missing::CHECK,
    optimiser::critic_failure::CHECK,
    lengths::length_explosion::CHECK,
    lengths::length_collapse::CHECK,
    lengths::truncation::CHECK,
    lengths::length_pinned_at_cap::CHECK,
    lengths::length_reward_coupling::CHECK,
    off_policy::sampler_mismatch::CHECK,
    off_policy::staleness::CHECK,
    pipeline::rollout_slow::CHECK,
    pipeline::rollout_failures::CHECK,
    pipeline::volume_reload_slow::CHECK,
    pipeline::step_time_outliers::CHECK,
    pipeline::throughput_regression::CHECK,
    pipeline::trainer_bound::CHECK,
    pipeline::rollout_bound::CHECK,
    pipeline::low_overlap::CHECK,
    pipeline::memory_creep::CHECK,
    pipeline::error_rate_high::CHECK,
    extraction::extraction_rate_low::CHECK,
    extraction::empty_responses::CHECK,
    extraction::partial_responses::CHECK,
    cache::cache_disabled::CHECK,
    cache::cache_hit_rate_low::CHECK,
    cache::cache_not_warming::CHECK,
    cache::cache_hot_but_slow::CHECK,
    league::elo_stagnant::CHECK,
    league::reference_elo_rising::CHECK,
    league::elo_gap_shrinking::CHECK,
    league::only_moving_opponents::CHECK,
    league::too_few_games::CHECK,
    league::weak_against_opponent::CHECK,
    scaling::power_law_fit::CHECK,
    scaling::scaling_saturated::CHECK,
    scaling::compute_per_step_uneven::CHECK,
    config::config_conflict::CHECK,
    config::config_unusual::CHECK,
    rubric::criterion_stuck::CHECK,
    rubric::criterion_regressed::CHECK,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    #[test]
    fn checks_are_in_the_order_of_the_catalogue() {
        let codes: Vec<Code> = ALL.iter().map(|check| check.code).collect();
        let catalogue: Vec<Code> = Code::ALL.iter().copied().filter(|code| codes.contains(code)).collect();
        assert_eq!(codes, catalogue);
    }
}
