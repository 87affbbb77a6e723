//! The catalogue: one file per check.
//!
//! To add one, write its file, add its line to the codes in `code.rs`, and its `CHECK` to [`ALL`].

mod cache_disabled;
mod cache_hit_rate_low;
mod cache_hot_but_slow;
mod cache_not_warming;
mod compute_per_step_uneven;
mod criterion_regressed;
mod criterion_stuck;
mod elo_gap_shrinking;
mod elo_stagnant;
mod empty_responses;
mod entropy_collapse;
mod error_rate_high;
mod extraction_rate_low;
mod gradient_spikes;
mod insufficient_data;
mod kl_blow_up;
mod length_explosion;
mod low_overlap;
mod memory_creep;
mod metric_not_computed;
mod nonfinite_values;
mod only_moving_opponents;
mod partial_responses;
mod power_law_fit;
mod reference_elo_rising;
mod reward_break;
mod reward_hacking;
mod rollout_bound;
mod rollout_failures;
mod rollout_slow;
mod run_crashed;
pub(crate) mod sampled_history;
mod scaling_saturated;
mod step_time_outliers;
#[cfg(test)]
pub(crate) mod testing;
mod throughput_regression;
mod too_conservative;
mod too_few_games;
mod trainer_bound;
mod volume_reload_slow;
mod weak_against_opponent;
mod zero_variance_groups;

use super::Check;

/// Every check, in the order of the catalogue.
pub const ALL: &[Check] = &[
    nonfinite_values::CHECK,
    run_crashed::CHECK,
    metric_not_computed::CHECK,
    sampled_history::CHECK,
    insufficient_data::CHECK,
    kl_blow_up::CHECK,
    too_conservative::CHECK,
    entropy_collapse::CHECK,
    reward_hacking::CHECK,
    reward_break::CHECK,
    zero_variance_groups::CHECK,
    gradient_spikes::CHECK,
    length_explosion::CHECK,
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
