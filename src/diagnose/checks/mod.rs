//! The catalogue: one file per check.
//!
//! To add one, write its file, add its line to the codes in `code.rs`, and its `CHECK` to [`ALL`].

mod config_conflict;
mod config_unusual;
mod entropy_collapse;
mod error_rate_high;
mod gradient_spikes;
mod insufficient_data;
mod kl_blow_up;
mod length_explosion;
mod metric_not_computed;
mod nonfinite_values;
mod reward_break;
mod reward_hacking;
mod run_crashed;
pub(crate) mod sampled_history;
#[cfg(test)]
pub(crate) mod testing;
mod too_conservative;
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
    error_rate_high::CHECK,
    config_conflict::CHECK,
    config_unusual::CHECK,
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
