//! The catalogue: one file per check.
//!
//! To add one, write its file, add its line to the codes in `code.rs`, and its `CHECK` to [`ALL`].

mod delayed_lift_off;
mod duplicate_run;
mod entropy_collapse;
mod error_rate_high;
mod format_only_policy;
mod gain_not_established;
mod gradient_spikes;
mod insufficient_data;
mod invalid_outputs_rising;
mod kl_blow_up;
mod length_collapse;
mod length_explosion;
mod length_pinned_at_cap;
mod length_reward_coupling;
mod metric_not_computed;
mod no_learning;
mod nonfinite_values;
mod overfitting;
mod plateau;
mod proxy_only_gain;
mod regression_from_peak;
mod restarted_with_overlap;
mod reward_break;
mod reward_component_dead;
mod reward_hacking;
mod reward_unstable;
mod run_crashed;
pub(crate) mod sampled_history;
mod stalled;
#[cfg(test)]
pub(crate) mod testing;
mod too_conservative;
mod truncation;
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
    too_conservative::CHECK,
    entropy_collapse::CHECK,
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
    length_explosion::CHECK,
    length_collapse::CHECK,
    truncation::CHECK,
    length_pinned_at_cap::CHECK,
    length_reward_coupling::CHECK,
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
