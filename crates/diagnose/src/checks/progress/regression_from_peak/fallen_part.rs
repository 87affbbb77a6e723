//! The part of the reward that its fall is of, and whether a schedule lowers that part.

use crate::advice::advice;
use crate::context::Context;
use crate::measure::series::{Fifth, MetricSeries};
use crate::topics::drop_from_peak::DropFromPeak;
use crate::{Finding, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{metric, number};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

/// Part of the fall that one part of the reward has to have for it to be the one. Ours.
const MOST: f64 = 0.8;
/// Part of the fall by which the parts together may differ from the total, before it is taken for one of weighted parts. Ours.
const WEIGHTED: f64 = 0.2;
/// Share of the points of a schedule that lie on its line, and how far from it a point may be, as a part of the range. Ours: a part that
/// nearly every answer earns differs from its weight in a few steps alone, and what a policy learns scatters.
const ON_LINE: f64 = 0.8;
const NEAR_LINE: f64 = 0.01;

/// Says which part of the reward accounts for its fall. Where that is a straight line over the steps, the fall is a note: the weight
/// of the part is lowered, and nothing that was learned is lost.
pub(super) fn tell(finding: &mut Finding, context: &Context<'_>, signal: &MetricSeries<'_>, fall: &DropFromPeak) {
    if signal.binding.concept != Concept::Reward {
        return;
    }
    let Some(total) = change(signal, signal, fall.peak_step).filter(|total| total.by() < 0.0) else { return };
    let parts = context.signals(Concept::RewardComponent).iter();
    let parts: Vec<_> = parts.filter_map(|part| Some((part, change(part, signal, fall.peak_step)?))).collect();
    let sum: f64 = parts.iter().map(|(_, change)| change.by()).sum();
    let most = parts.iter().min_by(|(_, a), (_, b)| a.by().total_cmp(&b.by()));
    let Some((part, change)) = most.filter(|(_, change)| change.by() <= MOST * total.by()) else { return };
    if (sum - total.by()).abs() > WEIGHTED * total.by().abs() {
        return;
    }
    let told = rich!(
        "{} accounts for it: it fell from {} to {}, while the other parts of the reward together changed by {}.",
        metric(part.key()),
        number(change.before),
        number(change.after),
        number(sum - change.by())
    );
    if is_straight(part) {
        finding.severity = Severity::Note;
        finding.detail = told;
        finding.detail.append(
            " It lies on a straight line over the steps, as where a schedule lowers its weight: nothing that was learned \
             is lost.",
        );
        finding.causes.clear();
        finding.actions = vec![advice(
            rich!("Judge the run by the other parts of the reward, or divide {} by its weight", metric(part.key())),
            "leaves the schedule out",
            "none",
            "the parts of the reward that no schedule changes",
        )];
    } else {
        finding.detail.append(" ");
        finding.detail.append(told);
    }
    finding.show(&[Some(*part)]);
}

/// A metric around the best level of the reward and at the end.
struct PartChange {
    before: f64,
    after: f64,
}

impl PartChange {
    fn by(&self) -> f64 {
        self.after - self.before
    }
}

/// The change of a metric with the points of the reward; `None` where it has others.
fn change(part: &MetricSeries<'_>, reward: &MetricSeries<'_>, peak_step: f64) -> Option<PartChange> {
    let width = reward.len() / 5;
    let middle = reward.steps.partition_point(|step| *step < peak_step);
    let start = middle.saturating_sub(width / 2).min(reward.len() - width);
    let around = part.values.get(start..start + width).filter(|_| part.steps == reward.steps)?;
    Some(PartChange { before: stats::mean(around)?, after: part.level(Fifth::Last) })
}

/// True where nearly all points lie on one line that is not level.
fn is_straight(part: &MetricSeries<'_>) -> bool {
    let points = || part.steps.iter().zip(part.values.iter());
    let slopes = points().zip(points().skip(1)).map(|((step, value), (next, then))| (then - value) / (next - step));
    let slopes: Vec<f64> = slopes.filter(|slope| slope.is_finite()).collect();
    let Some(slope) = stats::median(&slopes).filter(|slope| *slope != 0.0) else { return false };
    let starts: Vec<f64> = points().map(|(step, value)| value - slope * step).collect();
    let near = NEAR_LINE * (part.max() - part.min());
    let Some(start) = stats::median(&starts) else { return false };
    let on_line = starts.iter().filter(|other| (*other - start).abs() <= near).count();
    on_line as f64 >= ON_LINE * starts.len() as f64
}

#[cfg(test)]
mod tests {
    use super::super::CHECK;
    use crate::checks::testing::{Synthetic, change, within};
    use crate::summary::headline;
    use crate::{Finding, Severity, Verdict};

    fn found(form: impl Fn(f64) -> f64 + Copy + 'static) -> Finding {
        let task = |t: f64| 0.5 + 0.2 * libm::sin(7919.0 * t);
        let run = Synthetic::new(200).every("train/reward", 1, move |t| form(t) + task(t));
        let run = run.every("train/rewards/format/mean", 1, form).every("train/rewards/tools/mean", 1, task);
        run.finding(&CHECK)
    }

    #[test]
    fn the_part_that_fell_is_named_and_a_schedule_is_no_loss() {
        let learned = found(|t| 1.0 - 0.9 * t + 0.1 * libm::sin(4001.0 * t));
        let detail = learned.detail.to_string();
        assert_eq!(learned.severity, Severity::Warning);
        assert!(detail.contains("train/rewards/format/mean accounts for it: it fell from 0."), "{detail}");
        assert!(!detail.contains("straight line"), "{detail}");
        let scheduled = found(|t| 1.0 - 0.9 * t);
        let detail = scheduled.detail.to_string();
        assert_eq!((scheduled.severity, scheduled.actions.len()), (Severity::Note, 1));
        assert!(detail.contains("straight line") && !detail.contains("initial weights"), "{detail}");
        assert!(change(&scheduled.actions[0]).0.contains("other parts"), "{:?}", scheduled.actions);
        let told = |finding: Finding| {
            let run = Synthetic::new(200).every("train/reward", 1, |t| 1.5 - 0.9 * t + 0.2 * libm::sin(7919.0 * t));
            within(&run.build(), |context| {
                let findings = [finding];
                let headline = headline(context, Verdict::Undecided, &findings).to_string();
                (context.is_lowered_by_schedule(&findings), headline.contains("as the weight of one of its parts"))
            })
        };
        assert_eq!((told(scheduled), told(learned)), ((true, true), (false, false)));
    }
}
