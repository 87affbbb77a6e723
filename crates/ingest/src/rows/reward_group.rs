//! The rewards of the responses to one prompt, logged as a list: their mean, and the spread that tells whether the group has
//! anything to learn from.

use super::names::is_one_of;

/// The name of the spread of the rewards within a group: none of a framework, which would be taken for it.
pub(crate) const SPREAD: &str = "reward_group_std";
/// Names of such lists; lower case.
const GROUP_NAMES: [&str; 2] = ["reward", "rewards"];

/// Most responses to one prompt; longer lists are curves.
const MAX_GROUP: usize = 512;

/// True for the name of a list of rewards.
pub(crate) fn is_group(name: &str) -> bool {
    is_one_of(name, &GROUP_NAMES)
}

/// The mean of a list and its standard deviation over all of it; `None` for fewer than two numbers, or more than a group has.
pub(crate) fn mean_and_spread(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() > MAX_GROUP { None } else { mean_and_spread_of_batch(values) }
}

/// The same of any number of rewards that are known to be those of single responses.
pub(crate) fn mean_and_spread_of_batch(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    Some((mean, (squares / values.len() as f64).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_has_a_mean_and_a_spread() {
        assert_eq!(mean_and_spread(&[0.0, 1.0]), Some((0.5, 0.5)));
        assert_eq!((mean_and_spread(&[1.0; 3]), mean_and_spread(&[1.0])), (Some((1.0, 0.0)), None));
        let many = [0.5; MAX_GROUP + 1];
        assert_eq!((mean_and_spread(&many), mean_and_spread_of_batch(&many)), (None, Some((0.5, 0.0))));
        assert!(is_group("Rewards") && !is_group("rewards_std"));
    }
}
