//! Whether the training data changed near a step: other prompts, another stage of a curriculum, another epoch.
//!
//! An evaluation that falls from there on may fall because the training moved away from its tasks, and a reward because
//! its prompts became harder; neither is then the optimiser's doing.

use crate::advice::advice;
use crate::context::Context;
use crate::measure::level;
use crate::measure::series::MetricSeries;
use crate::settings::last_part;
use crate::{Code, Evidence, Finding};
use rundown_format::RichText;
use rundown_format::rich;
use rundown_format::rich_text::{metric, number, step};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

/// Points on each side of the step that count as near it: a twentieth of the series, five at least (ours).
const NEAR_PART: usize = 20;
const MIN_NEAR: usize = 5;
/// Points from an abrupt fall within which another change belongs to it: the places of both are known that well (ours).
pub(crate) const AT_ONCE: usize = 2;
/// Standard errors, and part of the length before, that a change of the prompts' length needs (ours).
const SURE: f64 = 4.0;
const VISIBLE: f64 = 0.1;
/// Share of the points that may be near a change of stage or epoch: where most steps are, being near one shows nothing.
const RARE: f64 = 0.25;

/// Last words of the keys of counters that tell which data are trained on.
const COUNTERS: [&str; 6] = ["epoch", "stage", "curriculum", "difficulty", "curriculum_stage", "dataset_index"];

/// What changed in the data, or beside the reward.
struct DataShift<'a> {
    key: &'a str,
    /// False for a metric of which nothing is known.
    is_of_data: bool,
    /// First step after it.
    step: f64,
    before: f64,
    after: f64,
}

/// Says in a finding that the data changed at its onset, and what to compare then, or that a metric of which nothing is known changed
/// with a fall within one step; nothing where none did.
pub(crate) fn add_to(finding: &mut Finding, context: &Context<'_>) {
    let is_abrupt = finding.code == Code::RewardBreak;
    let Some(shift) = finding.onset.and_then(|onset| DataShift::near(context, onset, is_abrupt)) else { return };
    finding.detail.append(shift.words());
    finding.evidence.push(Evidence::new(
        rich!("{} before step {}", metric(shift.key), step(shift.step)),
        shift.before,
        "",
    ));
    finding.evidence.push(Evidence::new(rich!("{} after it", metric(shift.key)), shift.after, ""));
    if shift.is_of_data {
        finding.actions.push(advice(
            rich!(
                "Compare the training prompts before and after step {} with those of the evaluation",
                step(shift.step)
            ),
            "tells a change of the data from damage to the policy",
            "none",
            "reward on prompts from before, with the last checkpoint",
        ));
    }
    finding.show(&[context.signal_of(shift.key)]);
}

impl<'a> DataShift<'a> {
    /// The change of the data near a step, within [`AT_ONCE`] points of an abrupt fall; the length of the prompts is asked first.
    fn near(context: &'a Context<'_>, onset: f64, is_abrupt: bool) -> Option<Self> {
        let most = if is_abrupt { AT_ONCE } else { usize::MAX };
        let length = context.signal(Concept::PromptLength).and_then(|signal| Self::of_length(signal, onset, most));
        let shift = length.or_else(|| {
            let counters = context.run.columns.keys().filter(|key| is_counter(key));
            counters.into_iter().find_map(|key| Self::of_counter(context, key, onset, most))
        });
        // What falls within a step may be scored in another way from there on, and a metric of one's own shows it.
        let switched = || {
            let mut unknown = context.bindings.unbound(context.run).into_iter();
            unknown.find_map(|key| Self::of_switch(context, key, onset))
        };
        if is_abrupt { shift.or_else(switched) } else { shift }
    }

    /// A metric that has one value before an abrupt fall and another one from there on.
    fn of_switch(context: &'a Context<'_>, key: &'a str, onset: f64) -> Option<Self> {
        let series = context.run.series(key)?;
        let before = *series.values.first()?;
        let place = series.values.iter().position(|value| *value != before)?;
        let after = *series.values.get(place)?;
        let holds = series.values.iter().skip(place).all(|value| *value == after);
        let (_, middle, _) = window(&series.steps, onset)?;
        let is_there =
            place >= MIN_NEAR && series.values.len() - place >= MIN_NEAR && place.abs_diff(middle) <= AT_ONCE;
        (holds && is_there).then_some(Self { key, is_of_data: false, step: *series.steps.get(place)?, before, after })
    }

    fn of_length(signal: &MetricSeries<'a>, onset: f64, most: usize) -> Option<Self> {
        let (from, middle, to) = window(&signal.steps, onset)?;
        let values = signal.values.get(from..to)?;
        let change = stats::single_change(values, MIN_NEAR)?;
        let sure = level::change(values, change.index, values.len() - change.index, 0.0)?;
        let visible = sure.delta().abs() >= VISIBLE * change.before.abs();
        let place = from + change.index;
        (visible && sure.z().abs() >= SURE && place.abs_diff(middle) <= most).then(|| Self {
            key: signal.key(),
            is_of_data: true,
            step: signal.step(place),
            before: change.before,
            after: change.after,
        })
    }

    fn of_counter(context: &'a Context<'_>, key: &'a str, onset: f64, most: usize) -> Option<Self> {
        let series = context.run.series(key)?;
        let whole: Vec<f64> = series.values.iter().map(|value| value.floor()).collect();
        let changed = |place: &usize| {
            let pair = whole.get(place - 1).zip(whole.get(*place));
            pair.is_some_and(|(before, after)| before.is_finite() && after.is_finite() && before != after)
        };
        let (from, middle, to) = window(&series.steps, onset)?;
        let changes = (1..whole.len()).filter(changed).count();
        if (changes * (to - from)) as f64 > RARE * whole.len() as f64 {
            return None;
        }
        let place = (from.max(1)..to).find(|place| changed(place) && place.abs_diff(middle) <= most)?;
        let (before, after) = (*whole.get(place - 1)?, *whole.get(place)?);
        Some(Self { key, is_of_data: true, step: *series.steps.get(place)?, before, after })
    }

    fn words(&self) -> RichText {
        let what = match last_part(self.key) {
            "epoch" => "Another pass over the training data begins",
            _ if self.is_of_data => "The training data change",
            _ => "Another metric changes",
        };
        rich!(
            " {} near there: {} went from {} to {} at step {}.",
            what,
            metric(self.key),
            number(self.before),
            number(self.after),
            step(self.step)
        )
    }
}

/// Places of the points near a step, with that of the step between them; `None` where fewer than five lie on a side.
fn window(steps: &[f64], onset: f64) -> Option<(usize, usize, usize)> {
    let middle = steps.partition_point(|step| *step < onset);
    let width = (steps.len() / NEAR_PART).max(MIN_NEAR);
    let (from, to) = (middle.saturating_sub(width), (middle + width).min(steps.len()));
    (middle - from >= MIN_NEAR && to - middle >= MIN_NEAR).then_some((from, middle, to))
}

fn is_counter(key: &str) -> bool {
    COUNTERS.contains(&last_part(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Severity;
    use crate::checks::testing::{Synthetic, change, jump, within};

    /// What is added to a finding that begins at step 200 of 400.
    fn finding_of(run: Synthetic) -> Finding {
        finding_by(Code::Overfitting, run)
    }

    fn finding_by(code: Code, run: Synthetic) -> Finding {
        let mut finding = Finding::new(code, Severity::Warning, "");
        finding.onset = Some(200.0);
        within(&run.build(), |context| add_to(&mut finding, context));
        finding
    }

    #[test]
    fn prompts_of_another_length_at_the_onset_are_reported() {
        let longer =
            |at: f64| Synthetic::healthy(400).noisy("prompt_length/mean", 10.0, move |t| 200.0 + 150.0 * jump(t, at));
        let finding = finding_of(longer(0.5));
        assert!(finding.detail.to_string().contains("prompt_length/mean went from 20"), "{}", finding.detail);
        assert_eq!((finding.evidence.len(), finding.metrics.len()), (2, 1));
        assert!(change(&finding.actions[0]).0.contains("training prompts"));
        assert!(finding_of(longer(0.8)).detail.is_empty(), "it changed elsewhere");
        let noisy = Synthetic::healthy(400).noisy("prompt_length/mean", 40.0, |_| 200.0);
        assert!(finding_of(noisy).detail.is_empty());
    }

    #[test]
    fn a_stage_or_an_epoch_that_begins_there_is_reported_unless_they_begin_everywhere() {
        let staged = Synthetic::healthy(400).every("curriculum/stage", 1, |t| if t < 0.49 { 1.0 } else { 2.0 });
        assert!(finding_of(staged).detail.to_string().contains("curriculum/stage went from 1 to 2"));
        let epochs = |count: f64| Synthetic::healthy(400).every("train/epoch", 1, move |t| count * t);
        assert!(finding_of(epochs(2.0)).detail.to_string().contains("train/epoch went from 0 to 1"));
        assert!(finding_of(epochs(20.0)).detail.is_empty());
    }

    #[test]
    fn what_begins_after_a_fall_within_one_step_is_not_its_cause() {
        let at = |place: f64, code: Code| {
            let epoch = move |t: f64| if t < place { 0.0 } else { 1.0 };
            !finding_by(code, Synthetic::healthy(400).every("train/epoch", 1, epoch)).detail.is_empty()
        };
        assert!(at(0.53, Code::Overfitting), "the onset of a slow fall is an estimate");
        assert!(!at(0.53, Code::RewardBreak));
        assert!(at(0.5, Code::RewardBreak));
        let longer = Synthetic::healthy(400).noisy("prompt_length/mean", 10.0, |t| 200.0 + 150.0 * jump(t, 0.53));
        assert!(finding_by(Code::RewardBreak, longer).detail.is_empty());
    }

    #[test]
    fn a_metric_of_ones_own_that_changes_with_the_reward_is_told() {
        let run =
            |place: f64| Synthetic::healthy(400).every("train/used_human_review", 1, move |t| 1.0 - jump(t, place));
        let finding = finding_by(Code::RewardBreak, run(0.5));
        let told = finding.detail.to_string();
        assert!(told.contains("used_human_review went from 1 to 0 at step 201"), "{told}");
        assert!(finding.actions.is_empty(), "it may be anything");
        assert!(finding_by(Code::RewardBreak, run(0.53)).detail.is_empty(), "later");
        assert!(finding_of(run(0.5)).detail.is_empty(), "a slow fall");
    }
}
