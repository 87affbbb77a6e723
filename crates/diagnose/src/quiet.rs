//! A check that found nothing: its numbers, and why they make no finding where they meet their limits.

use crate::{Code, Evidence, Group};
use rundown_stats::CompactSort as _;

/// A check that looked and found nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Quiet {
    /// The check.
    pub code: Code,
    /// The numbers that made it so.
    pub evidence: Vec<Evidence>,
    /// Why it found nothing though a number meets its limit, or all of them do; `None` where no number does.
    pub reason: Option<QuietReason>,
}

/// Why a check found nothing though a number of it meets its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuietReason {
    /// Not all of its conditions are met, of which not every one is a number.
    OtherConditions,
    /// Performance on the task improved meanwhile.
    Improved,
    /// The task is at its ceiling: there is nothing to gain.
    AtCeiling,
    /// No harm shows: performance on the task is not known to have suffered.
    NoHarm,
    /// The reward rose.
    RewardRose,
    /// Too few points to tell.
    TooFewPoints,
    /// Whether the task is learned is not decided.
    Undecided,
    /// One sign of several that have to come together.
    SingleSign,
    /// At its limit, not beyond.
    AtLimit,
    /// No value stands out from those around it.
    NoSpike,
    /// The gradient norm is not far below the one to which gradients are clipped.
    Clipped,
    /// It is not steady, or does not last to the end.
    NotLasting,
    /// The length or the number of responses explains it.
    ExplainedByResponses,
    /// Nothing shows that responses end before the length limit.
    LengthLimit,
    /// What would be missing was logged.
    Logged,
    /// The number is beyond its limit by no more than its noise.
    WithinNoise,
    /// The points are few, and all the same enough to tell whether the run learns.
    EnoughToTell,
    /// The mean changed because fewer responses are cut off: complete ones are as long as before.
    FewerTruncated,
    /// Another finding says the same, or more.
    CoveredBy(Code),
    /// It matters only beside another finding, which was not made.
    OnlyBeside(Code),
}

impl Quiet {
    /// A check that found nothing, with the reason that it gave.
    pub fn new(code: Code, evidence: Vec<Evidence>, reason: Option<QuietReason>) -> Self {
        let mut met = evidence.iter().filter(|evidence| evidence.is_met() == Some(true)).peekable();
        let is_met = met.peek().is_some();
        let is_at_limit =
            |evidence: &Evidence| evidence.limit.as_ref().is_some_and(|limit| limit.value == evidence.value);
        let otherwise = if met.all(is_at_limit) { QuietReason::AtLimit } else { QuietReason::OtherConditions };
        Self { code, evidence, reason: is_met.then(|| reason.unwrap_or(otherwise)) }
    }

    /// The finding that says the same, where there is one.
    pub fn covered_by(&self) -> Option<Code> {
        if let Some(QuietReason::CoveredBy(code)) = self.reason { Some(code) } else { None }
    }
}

/// Quiet checks in the order of what a person asks first: the main check of each group about the model, then the others
/// group by group: reward, responses, policy and optimiser; housekeeping last.
pub fn by_interest<'q>(quiet: impl IntoIterator<Item = &'q Quiet>) -> Vec<&'q Quiet> {
    const LAST: [Group; 3] = [Group::Config, Group::Integrity, Group::Pipeline];
    const FIRST: [Group; 6] =
        [Group::Reward, Group::Lengths, Group::Policy, Group::Optimiser, Group::Exploration, Group::Progress];
    let mut seen: Vec<Group> = Vec::new();
    let mut ordered: Vec<((bool, usize, usize), &Quiet)> = Vec::new();
    for quiet in quiet {
        let group = quiet.code.group();
        let first = FIRST.iter().position(|known| *known == group);
        let last = LAST.iter().position(|known| *known == group).map_or(0, |place| LAST.len() - place);
        let is_main = first.is_some() && !quiet.evidence.is_empty() && !seen.contains(&group);
        if is_main {
            seen.push(group);
        }
        ordered.push(((!is_main, first.unwrap_or(FIRST.len()), last), quiet));
    }
    ordered.compact_sort_by_key(|(place, _)| *place);
    ordered.into_iter().map(|(_, quiet)| quiet).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Relation;

    #[test]
    fn what_a_person_asks_first_comes_first() {
        let measured_quiet = |code: Code| Quiet::new(code, vec![Evidence::new("x", 1.0, "")], None);
        let quiet = [
            measured_quiet(Code::NonfiniteValues),
            measured_quiet(Code::KlBlowUp),
            Quiet::new(Code::RewardHacking, Vec::new(), None),
            measured_quiet(Code::RewardBreak),
            measured_quiet(Code::RewardUnstable),
            measured_quiet(Code::LengthCollapse),
            measured_quiet(Code::RolloutSlow),
            measured_quiet(Code::CacheDisabled),
        ];
        let order: Vec<Code> = by_interest(&quiet).into_iter().map(|quiet| quiet.code).collect();
        let expected = [
            Code::RewardBreak,
            Code::LengthCollapse,
            Code::KlBlowUp,
            Code::RewardHacking,
            Code::RewardUnstable,
            Code::CacheDisabled,
            Code::RolloutSlow,
            Code::NonfiniteValues,
        ];
        assert_eq!(order, expected);
    }

    #[test]
    fn only_a_number_that_meets_its_limit_needs_a_reason() {
        let of = |value: f64, reason| {
            let evidence = Evidence::new("entropy at the end", value, "").limited(Relation::Below, 0.1, "a source");
            Quiet::new(Code::EntropyCollapse, vec![evidence], reason).reason
        };
        assert_eq!(of(0.5, Some(QuietReason::Improved)), None);
        assert_eq!(of(0.05, Some(QuietReason::Improved)), Some(QuietReason::Improved));
        assert_eq!(of(0.05, None), Some(QuietReason::OtherConditions));
        let at_limit = Evidence::new("share", 0.5, "").limited(Relation::Above, 0.5, "a source");
        assert_eq!(Quiet::new(Code::Truncation, vec![at_limit], None).reason, Some(QuietReason::AtLimit));
    }
}
