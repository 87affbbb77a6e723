//! What became of the primary metric, in one sentence.

use super::{Learning, LearningState};
use crate::measure::SIGNIFICANT;
use crate::measure::level::LevelChange;
use crate::measure::series::MetricSeries;
use rundown_format::rich_text::{metric, number, step};
use rundown_format::{RichText, rich};

pub(super) fn sentence(signal: &MetricSeries<'_>, learning: &Learning, change: &LevelChange) -> RichText {
    let verb = match learning.state {
        LearningState::Improved => "improved",
        LearningState::Flat => "did not improve",
        // Worse than at its best, though not than at its start.
        LearningState::Declined if signal.binding.direction.sign() * change.delta() > 0.0 => "lost most of its gain",
        LearningState::Declined => "got worse",
        LearningState::Unknown if learning.p < SIGNIFICANT => "may have moved beyond its noise",
        LearningState::Unknown if learning.p.is_nan() => "has too few points to tell its noise",
        LearningState::Unknown => "moved within its noise",
    };
    let error =
        if learning.p.is_nan() { RichText::default() } else { rich!("; ± {}", number(change.half_interval())) };
    let tasks = learning.tasks.map_or_else(RichText::default, |tasks| rich!(", {} tasks each", tasks));
    let best = match learning.best_step.is_finite() {
        true => rich!("; best {} at step {}", number(learning.best), step(learning.best_step)),
        false => RichText::default(),
    };
    rich!(
        "{} {}: {} at the start, {} at the end ({}{}{}){}.",
        metric(signal.key()),
        verb,
        number(change.first),
        number(change.last),
        points_of_levels(change.points, signal.len()),
        tasks,
        error,
        best
    )
}

/// Which points the two levels are of.
pub(crate) fn points_of_levels((head, tail): (usize, usize), points: usize) -> RichText {
    match (head, tail) {
        (1, 1) => rich!("the first and the last of {} points", points),
        (1, _) => rich!("the first point and the mean of the last {} of {}", tail, points),
        _ => rich!("means of the first {} and the last {} of {} points", head, tail, points),
    }
}
