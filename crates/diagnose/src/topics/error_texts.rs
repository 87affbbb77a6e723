//! The error texts of a run's event log in the advice of a finding.

use crate::advice::advice;
use crate::context::Context;
use crate::{Finding, Outcome};
use rundown_format::rich;
use rundown_format::rich_text::key;
use rundown_run::ErrorText;

/// Makes "read the error texts" the first action of each finding, with the most frequent text of the events that belong
/// to it. Nothing without such an event.
pub(crate) fn name_most_frequent(context: &Context<'_>, outcome: &mut Outcome, belongs: fn(&ErrorText) -> bool) {
    let Outcome::Found(findings) = outcome else { return };
    findings.iter_mut().for_each(|finding| name_in(context, finding, belongs));
}

fn name_in(context: &Context<'_>, finding: &mut Finding, belongs: fn(&ErrorText) -> bool) {
    let events = &context.run.events;
    let mut found = events.errors.iter().filter(|error| belongs(error)).peekable();
    let Some(most) = found.peek().copied() else { return };
    let all: u64 = found.map(|error| error.count).sum();
    let text = if most.text.is_empty() { &most.event } else { &most.text };
    let counts = format!("{} of {all}", most.count);
    let read = rich!("Read the error texts, the most frequent first: {} ({} error events)", key(text), counts);
    let effect = "shows which part fails, and whether it is one fault or several";
    let action = advice(read, effect, "none", "number of error events with this text");
    match finding.actions.first_mut() {
        Some(first) => *first = action,
        None => finding.actions.push(action),
    }
}

/// True for an event of a rollout.
pub(crate) fn is_of_rollout(error: &ErrorText) -> bool {
    error.event.starts_with("rollout_")
}
