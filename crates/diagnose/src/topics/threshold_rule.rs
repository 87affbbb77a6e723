//! A metric on the wrong side of a threshold: the form that many checks share.
//!
//! Single points never count. The curve is smoothed by running medians, and a stretch beyond the threshold must last
//! for a tenth of the run, or hold to its end. Each check says in its own file what it compares and why.

use crate::advice::FindingTexts;
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::{Code, Evidence, Finding, LearningState, Relation, Rulebook, Severity, Threshold};
use rundown_format::rich_text::{metric, quantity, step};
use rundown_format::{RichText, Span, rich};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Direction, Unit};

/// Fewest points that are compared: the median of fewer is a single point.
const POINTS: usize = 5;
/// Share of the points that a stretch must last, when it does not hold to the end.
const LASTING: f64 = 0.1;
/// A stretch is over when none of the last points, one in so many, belongs to it.
const LAST_DIVISOR: usize = 3;
/// Widest running median, in points.
const WIDEST: usize = 51;

/// A level so many times the threshold has begun where a part of itself is passed, not where the threshold is.
const FAR: f64 = 4.0;

/// Neighbours on each side in the medians of a first stretch, and the points that it must last.
const NARROW: usize = 2;
const FIRST: usize = 10;

/// A threshold of the rulebook.
pub(crate) type LimitOf = fn(&Rulebook) -> &Threshold;

/// A threshold on one concept.
pub(crate) struct ThresholdRule {
    /// What is found.
    pub code: Code,
    /// The quantity that is compared.
    pub concept: Concept,
    /// The wrong side: [`Direction::Up`] for values above the threshold.
    pub wrong: Direction,
    /// Where a note begins, if one does before a warning.
    pub note: Option<LimitOf>,
    /// Where a warning begins.
    pub warning: LimitOf,
    /// Where it is critical, if anywhere.
    pub critical: Option<LimitOf>,
    /// Share of the points at the start that is not checked: a cache that is cold, a critic that is new.
    pub warm_up: f64,
    /// What the title says of the metric; its level and the step follow: `The error rate is`.
    pub title: &'static str,
    /// One or two sentences: what it means.
    pub detail: &'static str,
    /// The other texts.
    pub words: FindingTexts,
    /// How sure the finding is.
    pub confidence: f64,
}

/// A stretch of a metric on the wrong side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stretch {
    /// First step of it.
    pub from: f64,
    /// Last step of it.
    pub to: f64,
    /// Median value within.
    pub level: f64,
    /// Share of the checked points on the wrong side, smoothed.
    pub share: f64,
    /// True when it lasts to the end of the run.
    pub holds: bool,
}

impl Stretch {
    /// Its steps as a title says them: to the end of the run, or to its own.
    pub fn period(&self) -> RichText {
        match self.holds {
            true => rich!("from step {} on", step(self.from)),
            false => rich!("from step {} to {}", step(self.from), step(self.to)),
        }
    }

    /// Its last step, where the run went on after it.
    pub fn end(&self) -> Option<f64> {
        (!self.holds).then_some(self.to)
    }

    /// True where it was over before the last third of the run.
    pub fn is_over(&self, signal: &MetricSeries<'_>) -> bool {
        let points = signal.steps.len();
        let last = signal.steps.get(points - points / LAST_DIVISOR..);
        last.is_some_and(|last| last.iter().all(|step| *step > self.to))
    }

    /// The same where no decline of the task set in before its end.
    pub fn is_over_without_harm(&self, context: &Context<'_>, signal: &MetricSeries<'_>) -> bool {
        let learning = &context.learning;
        let harmed = learning.state == LearningState::Declined && learning.best_step <= self.to;
        self.is_over(signal) && !harmed
    }
}

impl ThresholdRule {
    /// The thresholds of a warning and of a note, in the order in which they are asked: a stretch beyond the first is no part of
    /// a longer one beyond the other.
    pub fn lines(&self, context: &Context<'_>) -> impl Iterator<Item = f64> {
        let book = context.rulebook;
        std::iter::once(self.warning).chain(self.note).map(|line| line(book).value)
    }

    /// The stretch of a signal beyond the threshold of a warning, or else of a note, if there is one that lasts.
    pub fn beyond(&self, context: &Context<'_>, signal: &MetricSeries<'_>) -> Option<Stretch> {
        self.lines(context).find_map(|line| self.beyond_line(signal, line))
    }

    /// The stretch of a signal beyond one threshold.
    pub fn beyond_line(&self, signal: &MetricSeries<'_>, line: f64) -> Option<Stretch> {
        let skipped = (self.warm_up * signal.len() as f64) as usize;
        let found = stretch(signal, skipped, self.wrong, line)?;
        // A usual level close to the threshold passes it now and then, before the true change.
        let far = found.level / FAR;
        if self.wrong == Direction::Up && line > 0.0 && far > line {
            let clear = stretch(signal, skipped, self.wrong, far).filter(|clear| clear.holds == found.holds);
            return Some(clear.map_or(found, |clear| Stretch { from: clear.from.max(found.from), ..found }));
        }
        Some(found)
    }

    /// The finding of a stretch that [`Self::beyond`] gave.
    pub fn finding(&self, context: &Context<'_>, signal: &MetricSeries<'_>, stretch: Stretch) -> Finding {
        let book = context.rulebook;
        let is_passed = |line: &LimitOf| is_beyond(stretch.level, self.wrong, line(book).value);
        let (severity, line) = match (self.critical.filter(is_passed), self.note) {
            (Some(critical), _) => (Severity::Critical, critical),
            (None, Some(note)) if !is_passed(&self.warning) => (Severity::Note, note),
            _ => (Severity::Warning, self.warning),
        };
        let place = if stretch.holds { "from step" } else { "beginning at step" };
        let title = rich!("{} {} {} {}", self.title, value_with_unit(signal, stretch.level), place, step(stretch.from));
        let mut finding = context.finding(self.code, severity, title, Some(stretch.from), &self.words);
        finding.end = Some(stretch.to);
        let unit = signal.binding.unit.as_str();
        let evidence = vec![
            Evidence::new("median while beyond", stretch.level, unit).compared(self.relation(), line(book)),
            Evidence::new("share of the points beyond", stretch.share, ""),
            Evidence::new("median of the run", stats::median(&signal.values).unwrap_or(f64::NAN), unit),
        ];
        let detail = rich!("{}: {}", metric(signal.key()), self.detail);
        finding.supported_by(detail, &[signal], evidence, self.confidence)
    }

    /// The number that makes a signal quiet.
    pub fn calm(&self, context: &Context<'_>, signal: &MetricSeries<'_>) -> Evidence {
        Evidence::new(rich!("{} at the end", metric(signal.key())), signal.end_level(), signal.binding.unit.as_str())
            .compared(self.relation(), self.note.unwrap_or(self.warning)(context.rulebook))
    }

    fn relation(&self) -> Relation {
        if self.wrong == Direction::Up { Relation::Above } else { Relation::Below }
    }
}

/// The longest stretch of the smoothed signal beyond `threshold`, if it lasts a tenth of the points or to the end.
pub(crate) fn stretch(signal: &MetricSeries<'_>, skipped: usize, wrong: Direction, threshold: f64) -> Option<Stretch> {
    let values = signal.values.get(skipped..)?;
    let steps = signal.steps.get(skipped..)?;
    if values.len() < POINTS {
        return None;
    }
    let width = (values.len() / 20).clamp(1, WIDEST / 2);
    let lasting = ((LASTING * values.len() as f64) as usize).max(2 * width + 1).max(3);
    // Half of each window must be beyond, so a quarter of the shortest stretch must: most curves end here.
    if 8 * values.iter().filter(|value| is_beyond(**value, wrong, threshold)).count() < lasting {
        return None;
    }
    let smooth = stats::running_medians_beyond(values, width, threshold, wrong == Direction::Up);
    let mut longest: Option<(usize, usize)> = None;
    let (mut start, mut total) = (None, 0_usize);
    // One more, so that a stretch to the end is closed.
    for (index, beyond) in smooth.iter().copied().chain([false]).enumerate() {
        total += usize::from(beyond);
        match (beyond, start) {
            (true, None) => start = Some(index),
            (false, Some(from)) => {
                start = None;
                let holds = index == smooth.len();
                let known = longest.map_or(0, |(from, to)| to - from);
                let enough = index - from >= lasting || (holds && index - from > lasting / 2);
                // Of two, the longer; the last one when it holds.
                if enough && (index - from > known || holds) {
                    longest = Some((from, index));
                }
            }
            _ => {}
        }
    }
    let (from, to) = longest?;
    Some(Stretch {
        from: steps.get(from).copied().unwrap_or(f64::NAN),
        to: steps.get(to - 1).copied().unwrap_or(f64::NAN),
        level: stats::median(values.get(from..to)?)?,
        share: total as f64 / values.len() as f64,
        holds: to == values.len(),
    })
}

/// The first stretch of the signal beyond `threshold`, by medians over few points, if it lasts for some.
///
/// Both are numbers of points and no shares of the run: what was found is found again however long the run becomes.
pub(crate) fn first_stretch(signal: &MetricSeries<'_>, wrong: Direction, threshold: f64) -> Option<Stretch> {
    let smooth = stats::running_medians_beyond(&signal.values, NARROW, threshold, wrong == Direction::Up);
    let mut start = None;
    for (index, beyond) in smooth.iter().copied().chain([false]).enumerate() {
        match (beyond, start) {
            (true, None) => start = Some(index),
            (false, Some(from)) if index - from < FIRST => start = None,
            (false, Some(from)) => {
                return Some(Stretch {
                    from: signal.step(from),
                    to: signal.step(index - 1),
                    level: stats::median(signal.values.get(from..index)?)?,
                    share: (index - from) as f64 / signal.len() as f64,
                    holds: index == signal.len(),
                });
            }
            _ => {}
        }
    }
    None
}

fn is_beyond(value: f64, wrong: Direction, threshold: f64) -> bool {
    if wrong == Direction::Up { value > threshold } else { value < threshold }
}

/// A value of a metric for a sentence: shares as percentages, the others with their unit.
pub(crate) fn value_with_unit(signal: &MetricSeries<'_>, value: f64) -> Span {
    match signal.binding.unit {
        Unit::Share => quantity(100.0 * value, "%"),
        unit => quantity(value, unit.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::Series;
    use rundown_vocabulary::Binding;

    fn binding() -> Binding {
        Binding::unscaled(Concept::ErrorRate, "errors/rate", Unit::Share, Direction::Down)
    }

    fn signal(binding: &Binding, values: Vec<f64>) -> MetricSeries<'_> {
        let steps: Vec<f64> = (0..values.len()).map(|step| step as f64).collect();
        MetricSeries::new(binding, Series::new(steps, values))
    }

    #[test]
    fn only_what_lasts_counts() {
        let binding = binding();
        let at = |from: usize, to: usize| {
            let values = (0..100).map(|step| if (from..to).contains(&step) { 0.2 } else { 0.01 }).collect();
            stretch(&signal(&binding, values), 0, Direction::Up, 0.05)
        };
        assert_eq!(at(40, 44), None, "four points of a hundred are an excursion");
        let lasting = at(40, 70).unwrap();
        assert_eq!((lasting.from, lasting.to, lasting.holds), (40.0, 69.0, false));
        let end = at(60, 100).unwrap();
        assert_eq!((end.from, end.to, end.level), (60.0, 99.0, 0.2));
        assert!(end.holds && (end.share - 0.4).abs() < 1e-9);
    }

    #[test]
    fn few_points_and_a_warm_up_are_not_assessed() {
        let binding = binding();
        assert_eq!(stretch(&signal(&binding, vec![1.0; 4]), 0, Direction::Up, 0.05), None);
        let values: Vec<f64> = (0..100).map(|step| if step < 20 { 0.1 } else { 0.9 }).collect();
        assert!(stretch(&signal(&binding, values.clone()), 0, Direction::Down, 0.3).is_some());
        assert_eq!(stretch(&signal(&binding, values), 20, Direction::Down, 0.3), None);
    }
}
