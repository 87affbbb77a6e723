//! Advice to go on with a run that stopped, where nothing more is known of the cause.

use super::Advice;

/// What shows that a run that stopped gets further.
pub(crate) const WATCH: &str = "the run passes this step";

/// To go on from a checkpoint, or to start again where none was written: each with its effect, and the risk of both.
pub(crate) const fn resume(
    risk: &'static str,
    [saved, keeps]: [&'static str; 2],
    [unsaved, gains]: [&'static str; 2],
) -> Advice {
    Advice::Resume { saved: [saved, keeps, risk, "the first steps after it"], unsaved: [unsaved, gains, risk, WATCH] }
}

/// Where nothing has to be corrected before the run goes on.
pub(crate) static RESUME: Advice = resume(
    "the same error again",
    ["Resume from the last checkpoint", "keeps the steps so far"],
    [
        "Start again and save more often: by its settings no checkpoint was written yet",
        "the next failure costs fewer steps",
    ],
);
/// Where an error names what has to be corrected.
pub(crate) static CORRECT: Advice = resume(
    "the same error again, where its cause is another",
    ["Correct what the error names, then resume from the last checkpoint", "keeps the steps so far"],
    [
        "Correct what the error names, then start again and save more often: by its settings no checkpoint was written yet",
        "the next failure costs fewer steps",
    ],
);

/// Where nothing tells what stopped the run.
pub(crate) static RESUME_STOPPED: Advice = resume(
    "it is stopped again",
    [
        "Find out who or what stopped it (a person, a time limit, memory), then resume from the last checkpoint",
        "keeps the steps so far",
    ],
    [
        "Find out who or what stopped it (a person, a time limit, memory), then start again and save more often: by its settings no checkpoint was written yet",
        "the next stop costs fewer steps",
    ],
);
