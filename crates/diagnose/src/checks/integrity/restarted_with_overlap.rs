//! The run was started again before the point that it had reached, so that some steps were taken twice.
//!
//! # What it checks
//! The step goes back, and what was logged from there on is logged again. A note; a warning when the learning rate after
//! the restart is another one than before it at that step, by a factor of two.
//!
//! # Why it matters
//! The steps between the checkpoint and the crash are lost work. Their curves are replaced by those of the second pass,
//! and both passes see the same prompts. When the optimiser or the schedule was not restored with the weights, the run
//! goes on with other settings than planned.
//!
//! # Evidence needed
//! Steps; the reward or any other metric; the learning rate for the warning.
//!
//! # Threshold and where it comes from
//! Factor 2: a schedule that goes on changes by less between two steps.
//!
//! # Known false alarms
//! Two processes that log to one run look like many restarts; more than one in twenty rows is not called so. An
//! evaluation that is logged late, under the step of its checkpoint, replaces nothing and is silent.
//!
//! # What to do
//! Save checkpoints more often, with optimiser and schedule; skip the prompts that were already used.
//!
//! # References
//! Search-R1 logs in two files (resumed at 100, steps 101 to 149 twice).

use crate::advice::{Advice, FindingTexts, NewValue};
use crate::context::Context;
use crate::finding::NO_METRICS;
use crate::{Check, Code, Evidence, Finding, Outcome, Severity};
use rundown_format::rich_text::{number, step};
use rundown_format::{RichText, counted, plural, rich};
use rundown_run::Restart;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::RestartedWithOverlap, run);

fn run(context: &Context<'_>) -> Outcome {
    let restarts = &context.run.axis.restarts;
    let replaced = replaced(context);
    let recorded = context.run.warnings.iter().find(|warning| warning.is_restart());
    let writers = context.run.axis.has_several_writers();
    let evidence = vec![
        Evidence::new("times that the step went back", restarts.len() as f64, ""),
        Evidence::new("points that were logged twice", replaced as f64, ""),
    ];
    let (begun, resumed): (Vec<&Restart>, Vec<&Restart>) =
        restarts.iter().filter(|_| replaced > 0 && !writers).partition(|restart| began_anew(context, restart));
    match (widest(&resumed), widest(&begun), recorded) {
        (Some(restart), _, _) => Outcome::Found(vec![finding(context, restart, replaced, evidence)]),
        (None, Some(restart), _) => Outcome::Found(vec![anew(context, restart, replaced, evidence)]),
        // What the reader of the files already replaced.
        (None, None, Some(warning)) => {
            let title = rich!("The files record a restart: {}", warning.message());
            let finding = context.finding(Code::RestartedWithOverlap, Severity::Note, title, warning.step(), &TEXTS);
            Outcome::Found(vec![finding.supported_by(DETAIL, NO_METRICS, evidence, 0.9)])
        }
        (None, None, None) => Outcome::Quiet(evidence),
    }
}

/// The one that goes back by most steps.
fn widest<'r>(restarts: &[&'r Restart]) -> Option<&'r Restart> {
    let width = |restart: &Restart| restart.left_at - restart.resumed_at;
    restarts.iter().copied().max_by(|a, b| width(a).total_cmp(&width(b)))
}

/// True where the step went back to the first one of a log that begins with the training: nothing was resumed.
fn began_anew(context: &Context<'_>, restart: &Restart) -> bool {
    let mut steps = context.run.axis.steps.iter();
    let (Some(first), Some(second)) = (steps.next(), steps.next()) else { return false };
    restart.resumed_at <= *first && *first <= (second - first).max(1.0)
}

/// Points of the reward, or else of the first metric, that a later pass replaced.
fn replaced(context: &Context<'_>) -> usize {
    let key = context.signal(Concept::Reward).map(|signal| signal.key());
    let key = key.or_else(|| context.bindings.iter().next().map(|binding| binding.key.as_str()));
    key.and_then(|key| context.run.series(key)).map_or(0, |series| series.superseded)
}

/// The learning rate of the first pass at the step of the restart, and that of the second.
fn learning_rates(context: &Context<'_>, restart: &Restart) -> Option<(f64, f64)> {
    let run = context.run;
    let column = run.columns.get(context.signal(Concept::LearningRate)?.key())?;
    let step = |row: u32| run.axis.steps.get(row as usize).copied().unwrap_or(f64::NAN);
    let (mut before, mut after) = (None, None);
    for (row, value) in column.points() {
        if row < restart.row && step(row) <= restart.resumed_at {
            before = Some(value);
        } else if row >= restart.row && after.is_none() {
            after = Some(value);
        }
    }
    before.zip(after)
}

const DETAIL: &str = "What the first pass logged there is replaced by the second. Steps that were taken twice are lost work, and their prompts may have been seen twice.";

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[
        Advice::Set {
            keys: &["save_steps", "trainer.save_freq", "save_freq"],
            words: "steps between two checkpoints",
            to: NewValue::Text("half as many"),
            texts: ["fewer steps are taken twice", "more disk, a little time", "steps logged twice"],
        },
        Advice::Do([
            "Restore the optimiser, scheduler and dataloader state together with the weights",
            "the run goes on as if nothing had happened",
            "larger checkpoints",
            "learning rate and KL on both sides of the restart",
        ]),
    ],
    alternative: "Two processes write to one run, or steps were logged out of order.",
    refute: "The scheduler's records show one job without a break.",
    references: &["verl: a resumed run logs overlapping steps again"],
};

/// What is said where nothing was resumed: no checkpoint would have helped.
const DETAIL_ANEW: &str = "The training was begun again at its first step, and nothing was resumed. What the start before it logged is no part of this training.";

const TEXTS_ANEW: FindingTexts = FindingTexts {
    actions: &[Advice::Do([
        "Write each start of the training to a folder of its own",
        "its curves are those of one training",
        "none",
        "the first step, which is logged once",
    ])],
    references: &[],
    ..TEXTS
};

fn anew(context: &Context<'_>, restart: &Restart, replaced: usize, evidence: Vec<Evidence>) -> Finding {
    let title = rich!(
        "Started from the beginning after it had reached step {}: {} of the earlier start {} replaced",
        step(restart.left_at),
        counted(replaced, "point"),
        plural(replaced, "was", "were")
    );
    let onset = Some(restart.resumed_at);
    let mut finding = context.finding(Code::RestartedWithOverlap, Severity::Note, title, onset, &TEXTS_ANEW);
    finding.end = Some(restart.left_at);
    let mut detail = with_earlier_rows(DETAIL_ANEW, context, restart);
    let broken = nonfinite_before(context, context.run.axis.restarts.last().unwrap_or(restart));
    if broken > 0 {
        detail.append(rich!(
            " Of what was logged before, {} {} NaN or infinite.",
            counted(broken, "value"),
            plural(broken, "was", "were")
        ));
    }
    finding.supported_by(detail, &[context.signal(Concept::Reward)], evidence, 0.95)
}

/// The text, and what stands behind the last row where that did not come as far as the rows before the restart.
fn with_earlier_rows(text: &str, context: &Context<'_>, restart: &Restart) -> RichText {
    let mut detail = RichText::from(text);
    if let Some(reached) = context.run.axis.steps.last().filter(|reached| **reached < restart.left_at) {
        detail.append(rich!(
            " The last rows end at step {}: what is shown beyond it was logged before them.",
            step(*reached)
        ));
    }
    detail
}

/// Values of known metrics in the rows before a restart that are NaN or infinite.
fn nonfinite_before(context: &Context<'_>, restart: &Restart) -> usize {
    let columns = context.bindings.iter().filter_map(|binding| context.run.columns.get(&binding.key));
    let is_lost = |(row, value): &(u32, f64)| *row < restart.row && !value.is_finite();
    columns.map(|column| column.points().filter(is_lost).count()).sum()
}

fn finding(context: &Context<'_>, restart: &Restart, replaced: usize, mut evidence: Vec<Evidence>) -> Finding {
    let book = context.rulebook;
    let rates = learning_rates(context, restart);
    let least = book.restart_learning_rate().value;
    let jumped =
        rates.filter(|(before, after)| *before > 0.0 && (*after >= least * before || *after <= before / least));
    let mut title = rich!(
        "Started again at step {} after it had reached step {}: {} points were logged twice",
        step(restart.resumed_at),
        step(restart.left_at),
        replaced
    );
    if let Some((before, after)) = jumped {
        title.append(rich!(", and the learning rate went from {} to {}", number(before), number(after)));
    }
    let severity = if jumped.is_some() { Severity::Warning } else { Severity::Note };
    let onset = Some(restart.resumed_at);
    let mut finding = context.finding(Code::RestartedWithOverlap, severity, title, onset, &TEXTS);
    finding.end = Some(restart.left_at);
    if let Some((before, after)) = rates {
        evidence.push(Evidence::new("learning rate at that step before", before, ""));
        evidence.push(Evidence::new("learning rate after", after, "").above(book.restart_learning_rate()));
    }
    let shown = [context.signal(Concept::Reward), context.signal(Concept::LearningRate)];
    finding.supported_by(with_earlier_rows(DETAIL, context, restart), &shown, evidence, 0.95)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{found, within};
    use rundown_run::{Run, RunWarning};

    /// A run that reached step 149, was started again at 101 and reached 200.
    fn restarted(rate: f64) -> Run {
        let mut run = Run::default();
        for step in (1..150).chain(101..=200_u32) {
            let row = run.push_row(f64::from(step), f64::NAN);
            let pass = if run.row_steps.len() > 149 { rate } else { 1e-5 };
            run.push_value("train/reward", row, f64::from(step * 37 % 11));
            run.push_value("train/learning_rate", row, pass);
        }
        run.choose_axis();
        run
    }

    #[test]
    fn steps_that_were_taken_twice_are_a_note() {
        let again = found(&restarted(1e-5), &CHECK);
        assert_eq!((again[0].severity, again[0].onset, again[0].end), (Severity::Note, Some(101.0), Some(149.0)));
        assert!(again[0].title.to_string().contains("49 points"), "{}", again[0].title);
        assert_eq!(found(&restarted(1e-6), &CHECK)[0].severity, Severity::Warning);
    }

    #[test]
    fn a_start_from_the_beginning_resumes_nothing() {
        let of_starts = |first: u32, second: u32| {
            let mut run = Run::default();
            for step in (0..first).chain(0..second) {
                let row = run.push_row(f64::from(step), f64::NAN);
                run.push_value("train/reward", row, f64::from(step * 37 % 11));
            }
            run.choose_axis();
            found(&run, &CHECK)
        };
        let short = of_starts(5, 2)[0].detail.to_string();
        assert!(short.ends_with("end at step 1: what is shown beyond it was logged before them."), "{short}");
        let found = of_starts(5, 60);
        assert!(!found[0].detail.to_string().contains("beyond"), "{}", found[0].detail);
        let title = found[0].title.to_string();
        assert!(title.starts_with("Started from the beginning after it had reached step 4: 5 points"), "{title}");
        assert_eq!((found[0].severity, found[0].actions.len()), (Severity::Note, 1), "no advice on checkpoints");
    }

    #[test]
    fn a_start_that_was_given_up_for_its_nan_says_so() {
        let mut run = Run::default();
        for (row, step) in (0..5).chain(0..60_u32).enumerate() {
            let number = run.push_row(f64::from(step), f64::NAN);
            run.push_value("train/reward", number, if row < 4 { f64::NAN } else { f64::from(step * 37 % 11) });
        }
        run.choose_axis();
        let detail = found(&run, &CHECK)[0].detail.to_string();
        assert!(detail.ends_with("Of what was logged before, 4 values were NaN or infinite."), "{detail}");
    }

    #[test]
    fn other_orders_of_rows_are_quiet() {
        let mut late = Run::default();
        for step in 1..=100_u32 {
            let row = late.push_row(f64::from(step), f64::NAN);
            late.push_value("train/reward", row, f64::from(step));
            if step % 50 == 0 {
                let row = late.push_row(f64::from(step - 5), f64::NAN);
                late.push_value("eval/accuracy", row, 0.5);
            }
        }
        late.choose_axis();
        assert_eq!(late.axis.restarts.len(), 2);
        assert!(matches!(within(&late, |context| CHECK.outcome(context)), Outcome::Quiet(_)));
    }

    #[test]
    fn rows_that_the_reader_replaced_are_reported() {
        let mut run = Run::default();
        run.warnings.push(RunWarning::Restarted { from: 40.0, to: 90.0 });
        assert_eq!(found(&run, &CHECK)[0].onset, Some(40.0));
    }
}
