//! Where the heading of a log ends: settings that are printed there are those of the run, and behind it they may be a part of
//! anything, such as answers of the model.

use super::LogMetrics;
use crate::formats::console::head_settings::HeadSettings;

/// Lines behind the first row of a loop that may still be the heading of a training. Ours: a loop that makes the data prints a row a
/// shard; without a limit all text of a long log of answers is searched for settings, which took a third of its time.
const LINES_BEHIND_LOOP: usize = 2_000;

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

    /// True before the first row of a framework, and not long behind the first one of a loop.
    pub(super) fn is_head(&self) -> bool {
        let is_near = |before: &HeadSettings| self.head.lines() < before.lines() + LINES_BEHIND_LOOP;
        !self.is_begun && !self.has_framework_rows() && self.head_before_loop.as_ref().is_none_or(is_near)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::Run;

    fn read(text: &str) -> Run {
        let mut metrics = LogMetrics::default();
        text.lines().for_each(|line| metrics.add(line));
        metrics.finish()
    }

    #[test]
    fn a_banner_before_the_rows_is_the_config() {
        let rows = "{'loss': 1, 'epoch': 1}\n{'loss': 1, 'epoch': 1}\n";
        let banner = "  KL coef: 0.01\n  Rollouts per prompt: 4\n";
        let run = read(&format!("{banner}{rows}Batch size: 8"));
        assert_eq!((run.config.number(&["kl_coef"]), run.config.len()), (Some(("kl_coef", 0.01)), 2));
        assert!(read(&format!("{rows}{banner}")).config.is_empty(), "text behind rows is none");
        let loop_of_its_own: String =
            (1..=9).map(|step| format!("step {step}: reward=0.{step} batch_size=8 lr=1e-{step}\n")).collect();
        assert!(read(&loop_of_its_own).config.is_empty());
        assert_eq!(read(&format!("{banner}{loop_of_its_own}")).config.len(), 2);
        assert!(read(&format!("{loop_of_its_own}{banner}")).config.is_empty(), "text behind rows is none");
        let before_training = "step 1: reward=0.5 made=3\nstep 2: reward=0.7 made=5\n";
        assert_eq!(read(&format!("{before_training}{banner}{rows}")).config.len(), 2, "rows of another loop");
        let text = "an answer of the model\n".repeat(LINES_BEHIND_LOOP);
        assert!(read(&format!("{before_training}{text}{banner}{rows}")).config.is_empty(), "long behind them");
    }
}
