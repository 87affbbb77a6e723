//! Advice to go on with a run that stopped, where nothing more is known of the cause.

use super::Advice;

/// What shows that a run that stopped gets further.
pub(crate) const WATCH: &str = "the run passes this step";
/// Where nothing has to be corrected before the run goes on.
pub(crate) static RESUME: Advice = Advice::Resume {
    saved: [
        "Resume from the last checkpoint",
        "keeps the steps so far",
        "the same error again",
        "the first steps after it",
    ],
    unsaved: [
        "Start again and save more often: by its settings no checkpoint was written yet",
        "the next failure costs fewer steps",
        "the same error again",
        WATCH,
    ],
};
/// Where an error names what has to be corrected.
pub(crate) static CORRECT: Advice = Advice::Resume {
    saved: [
        "Correct what the error names, then resume from the last checkpoint",
        "keeps the steps so far",
        "the same error again, where its cause is another",
        "the first steps after it",
    ],
    unsaved: [
        "Correct what the error names, then start again and save more often: by its settings no checkpoint was written yet",
        "the next failure costs fewer steps",
        "the same error again, where its cause is another",
        WATCH,
    ],
};

/// Where nothing tells what stopped the run.
pub(crate) static RESUME_STOPPED: Advice = Advice::Resume {
    saved: [
        "Find out who or what stopped it (a person, a time limit, memory), then resume from the last checkpoint",
        "keeps the steps so far",
        "it is stopped again",
        "the first steps after it",
    ],
    unsaved: [
        "Find out who or what stopped it (a person, a time limit, memory), then start again and save more often: by its settings no checkpoint was written yet",
        "the next stop costs fewer steps",
        "it is stopped again",
        WATCH,
    ],
};
