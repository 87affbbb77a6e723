//! What Hydra prints where it cannot put the configuration of a program together: a message, and a hint as the last line.
//! No traceback shows this error, as the program was not started.

use rundown_format::redact::cut;

/// What Hydra prints last where it fails itself, and where the program that it called raised, however long the message of the
/// exception is.
pub(super) const HINT: &str = "Set the environment variable HYDRA_FULL_ERROR=1";
/// What its messages begin with (hydra 1.3, `config_loader_impl.py` and `config_repository.py`; omegaconf's below them).
const MESSAGES: [&str; 9] = [
    "In '", "Ambiguous value", "Cannot find", "Could not", "Error merging", "Key '", "Multiple values for",
    "Primary config", "You must specify",
];
/// Characters of the message that are kept.
const QUOTED: usize = 160;

/// Looks for such a message in a log without rows.
#[derive(Debug, Default)]
pub(super) struct HydraError {
    message: String,
    /// The last segment is the hint.
    is_last: bool,
}

impl HydraError {
    /// Adds a segment.
    pub(super) fn add(&mut self, text: &str) {
        self.is_last = text.starts_with(HINT);
        if MESSAGES.iter().any(|start| text.starts_with(start)) {
            self.message = cut(text.trim_end(), QUOTED).into_owned();
        }
    }

    /// What the log says where it ends with the hint.
    pub(super) fn evidence(self) -> Option<String> {
        let Self { message, is_last } = self;
        let said = "the log ends with an error of Hydra: it could not put the configuration together";
        is_last.then(|| if message.is_empty() { said.to_owned() } else { format!("{said} (“{message}”)") })
    }
}
