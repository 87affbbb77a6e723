//! Where the heading of a log ends: settings that are printed there are those of the run, and behind it they may be a part of
//! anything, such as answers of the model.

use super::LogMetrics;

impl LogMetrics {
    /// Begins the training, whose rows are shown elsewhere: what is printed from here on is no heading. It may be answers of the
    /// model, in which `β = 4` is no setting.
    pub(crate) fn begin_training(&mut self) {
        self.is_begun = true;
    }

    /// Keeps the heading so far at the first line that looks like a row of a loop. Such a loop may come before the training, as one
    /// that makes the data: the heading of a framework's rows ends where these begin.
    pub(super) fn begin_loop(&mut self) {
        if self.head_before_loop.is_none() {
            self.head_before_loop = Some(self.head.clone());
        }
    }

    /// True before the first row of a framework.
    pub(super) fn is_head(&self) -> bool {
        !self.is_begun && !self.has_framework_rows()
    }
}
