//! The run crashed, failed, was killed or was interrupted.
//!
//! # What it checks
//! An exit code other than 0, a state of crashed or failed, or a log that ends in a traceback (critical); a killed
//! run, or no exit record where the tracker writes one and before the planned steps (warning). A run that someone stopped from the
//! keyboard, whose program failed when all planned steps had been taken, that was killed when 95 % of them had been taken, or that
//! has no exit record while no planned step is known to be missing, or before any step, is a note: the verdict goes by its metrics. So
//! is a console log that ends in a traceback behind the end of the training. Of a run of final values alone, whose steps are not in the
//! files, a crash is a warning.
//!
//! # Why it matters
//! What follows from the curves of such a run holds up to its last step; its final checkpoint may not exist.
//!
//! # Evidence needed
//! The exit record, the state, or the console log.
//!
//! # Threshold and where it comes from
//! None. The W&B SDK writes an exit record at the end of every run that it saw ending.
//!
//! # Known false alarms
//! Files copied while the run was still going have no exit record, and those of a run whose machine was lost look the same: so
//! it is a warning at most, and says both.
//!
//! # What to do
//! Read the traceback; after an out-of-memory error, shorten responses or batches; resume from the last checkpoint.
//!
//! # References
//! wandb SDK 0.31, `RunExitRecord`.

mod abnormal_end;
mod actions;
mod first_cause;
mod last_error;
mod phase;
mod traceback;

use self::abnormal_end::{AbnormalEnd, has_no_history, reached_plan, took_part_of_plan};
use self::actions::{Reached, actions};
use self::first_cause::{first_cause, with_worker};
use self::last_error::{ErrorKind, LastError, is_interrupt, last_error};
use self::phase::Phase;
use self::traceback::fails_at_end;
use crate::advice::FindingTexts;
use crate::context::Context;
use crate::settings::saved_every;
use crate::{Check, Code, Evidence, Finding, Need, Outcome, Relation};
use rundown_format::rich_text::{number, percent, step};
use rundown_format::{RichText, counted, rich};
use rundown_run::{Ending, RunState};

pub const CHECK: Check = Check::of_run(Code::RunCrashed, run);

/// Steps before which a run has no checkpoint: hardly any loop saves more often than every ten steps (TRL: 500 by default).
const EARLY_STEPS: f64 = 10.0;
/// The same as a share of the planned steps, of which nobody keeps more than a hundred checkpoints.
const EARLY_SHARE: f64 = 0.01;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[],
    // By how it ended.
    alternative: "",
    refute: "A checkpoint or a log line of a later step.",
    references: &["wandb SDK: RunExitRecord"],
};

fn run(context: &Context<'_>) -> Outcome {
    let ending = &context.run.ending;
    let has_crashed = matches!(ending.state, RunState::Crashed | RunState::Failed);
    let log = &context.run.log;
    let error = last_error(log, has_crashed).map(|error| with_worker(log, error));
    // Without any step it may just have begun.
    let falls_short = took_part_of_plan(context, 1.0) == Some(false);
    let end = match ending.state {
        // An exit code of an interrupt is not 0 either.
        _ if is_interrupted(context) => AbnormalEnd::ByHand,
        _ if error_code(ending).is_some() => AbnormalEnd::by_error(context),
        RunState::Crashed | RunState::Failed => AbnormalEnd::by_error(context),
        RunState::Killed => AbnormalEnd::by_kill(context),
        // The training is done, and something failed after it, such as saving the model.
        RunState::Finished if ending.expects_exit && ending.exit_code.is_none() && error.is_some() => {
            AbnormalEnd::by_error(context)
        }
        // A console log that goes on behind the end of the training.
        RunState::Finished if !ending.expects_exit && ending.exit_code.is_none() && fails_at_end(log) => {
            AbnormalEnd::AfterTraining
        }
        RunState::Finished | RunState::Running => return Outcome::Quiet(quiet(context)),
        RunState::Unknown if error.is_some() => AbnormalEnd::by_error(context),
        RunState::Unknown if ending.expects_exit => AbnormalEnd::NoRecord { falls_short },
        RunState::Unknown => {
            let hint = "The source does not say how the run ended; add its .wandb file or its console log.".into();
            return Outcome::Skipped(Need { concepts: Vec::new(), hint });
        }
    };
    Outcome::Found(vec![finding(context, end, error.as_ref())])
}

/// The exit code of a program that failed: that of a launcher is 0 where its workers did.
fn error_code(ending: &Ending) -> Option<i32> {
    ending.exit_code.filter(|code| *code != 0)
}

/// True for a run that was stopped from the keyboard: its source says so, or its log ends with that alone.
fn is_interrupted(context: &Context<'_>) -> bool {
    let ending = &context.run.ending;
    if matches!(ending.state, RunState::Finished | RunState::Running) {
        return false;
    }
    ending.interrupted || is_interrupt(&context.run.log)
}

fn quiet(context: &Context<'_>) -> Vec<Evidence> {
    let code = context.run.ending.exit_code.map(|code| Evidence::new("exit code", f64::from(code), ""));
    code.into_iter().chain(last_step(context)).collect()
}

/// `None` for a run that logged no step.
fn last_step(context: &Context<'_>) -> Option<Evidence> {
    let last = Some(context.last_step()).filter(|last| last.is_finite());
    last.map(|last| match context.counts_rows() {
        true => Evidence::new("logged rows", context.run.axis.steps.len() as f64, ""),
        false => Evidence::new("last step", last, "steps"),
    })
}

fn finding(context: &Context<'_>, end: AbnormalEnd, error: Option<&LastError>) -> Finding {
    let ending = &context.run.ending;
    let error_code = error_code(ending);
    let last = context.last_step();
    let place = place(context);
    let title = match (end, error) {
        (AbnormalEnd::ByHand, _) => rich!("Stopped by hand {}", place),
        (AbnormalEnd::AfterTraining, error) => {
            let what = error.map_or("Failed", |error| error.class.as_str());
            let is_finished = ending.state == RunState::Finished;
            rich!("{} after the {}", what, if is_finished { "training" } else { "last planned step" })
        }
        (AbnormalEnd::Failed | AbnormalEnd::NoHistory, error) => match (error, error_code) {
            (Some(error), _) if error.kind == ErrorKind::OutOfMemory => {
                rich!("Out of memory {}{}", Phase::of(context.run).map_or("", Phase::words), place)
            }
            (Some(error), _) => rich!("Stopped by {} {}", error.class.as_str(), place),
            (None, Some(code)) => rich!("Ended with exit code {} {}", code.to_string(), place),
            (None, None) => rich!("{} {}", capitalised(ending.state.as_str()), place),
        },
        (AbnormalEnd::Killed { .. }, _) => rich!("Killed {}", place),
        (AbnormalEnd::NoRecord { .. }, _) => {
            rich!("No exit record: the file ends {}", place)
        }
    };
    let onset = last.is_finite().then_some(last);
    let mut finding = context.finding(Code::RunCrashed, end.severity(), title, onset, &TEXTS);
    finding.detail = match (end, error) {
        (AbnormalEnd::ByHand, _) => {
            "Someone interrupted it; that says nothing of how well it learned up to there.".into()
        }
        (_, Some(error)) => quoted(error),
        (AbnormalEnd::NoRecord { .. }, None) => {
            "The run crashed, was killed, or was still running when the files were copied.".into()
        }
        (_, None) => ending.evidence.iter().map(|sentence| sentence_of(sentence)).collect::<Vec<_>>().join(" ").into(),
    };
    if end == AbnormalEnd::AfterTraining {
        finding
            .detail
            .append(" What the program writes at its end, such as results or the final model, may be missing.");
    }
    if let Some(cause) = error.filter(|_| onset.is_none()).and_then(|error| first_cause(&context.run.log, error)) {
        finding.detail.append(cause);
    }
    finding.evidence.extend(last_step(context));
    if let Some(planned) = context.comparable_plan() {
        finding.evidence.push(Evidence::new("planned steps", planned, "steps"));
    }
    if let Some(code) = error_code {
        finding.evidence.push(Evidence::new("exit code", f64::from(code), "").limited(
            Relation::Unequal,
            0.0,
            "wandb SDK: 0 when a run ends well",
        ));
    }
    let reached = match onset {
        None if has_no_history(context) => Reached::SomeSteps,
        None => Reached::NoStep,
        Some(_) if reached_plan(context) => Reached::AllSteps,
        Some(last) if is_early(context, last) => Reached::FirstSteps,
        Some(_) => Reached::SomeSteps,
    };
    finding.actions = context.actions(actions(context.run, end, error, reached), onset);
    if reached == Reached::NoStep {
        finding.refute = "A checkpoint or a log line of any step.".into();
    }
    finding.alternative = end.alternative(context).into();
    finding.confidence = if end == AbnormalEnd::Failed { 0.97 } else { 0.8 };
    finding
}

/// True at step 0, and so soon after the start that hardly any trainer has written a checkpoint where no setting says how often this
/// one does.
fn is_early(context: &Context<'_>, last: f64) -> bool {
    let is_begun = |planned: f64| last < EARLY_STEPS && last < EARLY_SHARE * planned;
    let may_tell = saved_every(&context.run.config).is_none();
    context.counts_steps() && (last <= 0.0 || (may_tell && context.comparable_plan().is_some_and(is_begun)))
}

/// The error in the words of the log.
fn quoted(error: &LastError) -> RichText {
    let mut text = rich!("The log ends with “{}”", error.line.as_str());
    if let Some(statement) = &error.statement {
        text.append(rich!(", raised by “{}”", statement.as_str()));
    }
    text.append(".");
    if let Some(cause) = &error.cause {
        text.append(rich!(" It was raised while “{}” was handled.", cause.as_str()));
    }
    if let Some(of_worker) = &error.of_worker {
        text.append(rich!(" Near its end it also has “{}”, which may be the cause.", of_worker.as_str()));
    }
    text.append(held(error));
    text
}

/// How much of the GPU's memory the process held that found none left.
fn held(error: &LastError) -> RichText {
    let Some(memory) = error.gpu_memory else { return RichText::default() };
    rich!(" PyTorch held {} of {} GiB there.", number(memory.held), number(memory.capacity))
}

/// "at step 230 of 400 (57 %)"; "after 31 rows" where no steps were logged.
fn place(context: &Context<'_>) -> RichText {
    let last = context.last_step();
    if has_no_history(context) || context.logs_to_trackers_alone() {
        return "at a step that these files do not show".into();
    }
    if !last.is_finite() {
        return "before the first logged step".into();
    }
    if context.counts_rows() {
        return rich!("after {}", counted(context.run.axis.steps.len(), "row"));
    }
    match context.comparable_plan() {
        Some(planned) if planned > 0.0 && last <= planned => {
            rich!("at step {} of {} ({})", step(last), step(planned), percent(last / planned))
        }
        _ => rich!("at step {}", step(last)),
    }
}

/// The evidence as a sentence of its own.
fn sentence_of(evidence: &str) -> String {
    format!("{}.", capitalised(evidence.trim_end_matches('.')))
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests;
