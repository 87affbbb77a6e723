//! Lines that announce a step, such as `Step 12: sampling 2 responses for prompt 1/1`, above lines that name none.
//!
//! They hold no metric, and text counts steps of its own. So they count only where lines of metrics without a step come about once
//! for each step that is announced, and these are part of no rows without them, as beside rows of each tenth step.

use std::collections::BTreeMap;

use super::line_kind::LineKind;
use super::parts::Parts;
use super::{ENOUGH_UNCOUNTED, LINES_OF_STEP};
use crate::formats::console::labelled::{CounterKind, LabelledNumber};

/// The number of lines differs from that of announced steps by one in so many of these at most: the log may end within a step.
const STEPS_PER_LINE: usize = 10;

/// Lines of metrics that are part of no row come at least this many times as often as rows begin.
const LINES_PER_ROW: usize = 2;

/// The steps that lines of one kind announce.
#[derive(Debug, Clone, Default)]
pub(super) struct Announced {
    last: Option<f64>,
    steps: usize,
    /// A step went back: answers of a model count their own.
    is_text: bool,
}

impl Announced {
    /// Adds a line; false where the lines of this kind are text.
    pub(super) fn add(&mut self, found: &[LabelledNumber<'_>]) -> bool {
        let step = found.first().map_or(f64::NAN, |number| number.value);
        self.is_text |= self.last.is_some_and(|last| step < last);
        self.steps += usize::from(self.last.is_none_or(|last| step > last));
        self.last = Some(step);
        !self.is_text
    }

    fn counts(&self, kind: &LineKind) -> bool {
        !self.is_text && self.steps >= ENOUGH_UNCOUNTED && kind.lines <= LINES_OF_STEP * self.steps
    }
}

/// True for a line of counters alone of which the first is one of steps.
pub(super) fn may_announce(found: &[LabelledNumber<'_>]) -> bool {
    found.first().is_some_and(|number| CounterKind::of(number.name) == CounterKind::Step)
}

/// Takes the kinds of lines that may announce steps out of the others; those that do are returned, with the kinds of lines of
/// metrics that come about once for each of their steps.
pub(super) fn take(
    kinds: &mut BTreeMap<usize, LineKind>,
    announced: &BTreeMap<usize, Announced>,
) -> (BTreeMap<usize, LineKind>, Vec<usize>) {
    let taken: Vec<(usize, &Announced, LineKind)> =
        announced.iter().filter_map(|(number, announced)| Some((*number, announced, kinds.remove(number)?))).collect();
    // Once: a log may have thousands of kinds that announce something.
    let of_metrics = kinds.iter().filter(|(_, kind)| kind.names_a_metric() && !kind.counts_steps());
    let of_metrics: Vec<(usize, usize)> = of_metrics.map(|(number, kind)| (*number, kind.lines)).collect();
    let (mut kept, mut metrics) = (BTreeMap::new(), Vec::new());
    for (number, announced, kind) in taken.into_iter().filter(|(_, announced, kind)| announced.counts(kind)) {
        let is_once = |lines: usize| lines.abs_diff(announced.steps) * STEPS_PER_LINE <= announced.steps;
        let below: Vec<usize> =
            of_metrics.iter().filter(|(_, lines)| is_once(*lines)).map(|(number, _)| *number).collect();
        if !below.is_empty() {
            metrics.extend(below);
            kept.insert(number, kind);
        }
    }
    (kept, metrics)
}

/// True where kinds of lines of metrics are part of no rows, and rows are those of a part of the steps.
pub(super) fn are_missing(metrics: &[usize], kinds: &BTreeMap<usize, LineKind>, parts: &Parts) -> bool {
    let lines = |number: &usize| kinds.get(number).map_or(0, |kind| kind.lines);
    let rows = parts.leads.iter().map(lines).max().unwrap_or(0);
    let is_read = |number: &usize| parts.leads.contains(number) || parts.around.contains_key(number);
    metrics.iter().any(|number| !is_read(number) && lines(number) >= LINES_PER_ROW * rows)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{read, repeated};
    use super::super::{LineTime, RepeatedLines};

    #[test]
    fn lines_below_an_announced_step_are_its_row_beside_rows_of_some_steps() {
        let step = |step: u32| {
            let row = if step.is_multiple_of(10) {
                format!("GRPO step {step}/50 | loss: 0.{step} | KL: 0.1\n")
            } else {
                String::new()
            };
            format!(
                "  Step {step}: sampling 2 responses for prompt 1/1...\n  Rewards: [0.{step}, 1.0] (1/2 done)\n{row}"
            )
        };
        let run = read(&format!("{}  Step 45: sampling 2 responses for prompt 1/1...\n", repeated(44, step)));
        let steps: Vec<f64> = (1..=44).map(f64::from).collect();
        assert_eq!((run.columns["step"].values(), run.columns["Rewards"].len()), (&steps[..], 44));
        assert_eq!(run.columns["loss"].points().map(|(row, _)| row).collect::<Vec<_>>(), [9, 19, 29, 39]);
        assert_eq!(run.config.number(&["max_steps"]), Some(("max_steps", 50.0)));
    }

    #[test]
    fn other_lines_with_a_step_and_words_count_no_rows() {
        let saved = |step: u32| {
            if step.is_multiple_of(10) { format!("Saved checkpoint at step {step} of it\n") } else { String::new() }
        };
        let run = read(&repeated(120, |step| format!("mean reward: 0.{step}\n{}", saved(step))));
        assert_eq!((run.columns["mean reward"].len(), run.columns.contains_key("step")), (120, false));
        let answer = "Step 1: add the two numbers\nStep 2: divide their sum by three\n";
        let run = read(&repeated(12, |step| format!("{answer}mean reward: 0.{step}\n")));
        assert_eq!((run.columns["mean reward"].len(), run.columns.contains_key("step")), (12, false));
    }

    #[test]
    fn lines_that_may_be_text_do_not_count_as_lines_with_numbers() {
        let mut lines = RepeatedLines::default();
        (1..9).for_each(|step| _ = lines.add(&format!("Step {step}: install the next package"), LineTime::NONE));
        (1..9).for_each(|step| lines.add_counted(f64::from(step), LineTime::NONE, "state=the next shard"));
        assert_eq!(lines.len(), 0);
        _ = lines.add("mean reward: 0.5", LineTime::NONE);
        assert_eq!(lines.len(), 1);
    }
}
