//! Where one program trains in stages: what reads on behind the closing line of a training, and whether another one begins there.

use super::LogMetrics;

/// Rows of a training behind which another stage of a program may follow. Shorter ones may be the rounds of one training.
const MIN_STAGE: usize = 10;

impl LogMetrics {
    /// True behind the closing line of a training of some length, until a row of another one comes.
    pub(crate) fn is_closed(&self) -> bool {
        self.dicts.closed.is_some() && self.dicts.len() >= MIN_STAGE
    }

    /// What reads on from here without the rows so far.
    pub(crate) fn without_rows(&self) -> Self {
        Self { times: self.times.clone(), ..Self::default() }
    }

    /// True where the first row is one of a training; `None` without a row.
    pub(crate) fn has_begun(&self) -> Option<bool> {
        self.has_framework_rows().then(|| self.dicts.epochs.is_some())
    }

    /// True where settings stand before the rows.
    pub(crate) fn has_heading(&self) -> bool {
        self.head.has_config()
    }
}
