//! The line with which a shell or a script says that the training failed.

/// Faults of a process by a shell's words.
const FAULTS: [(&str, &str); 3] = [
    ("Segmentation fault", "the shell says that the process ended with a segmentation fault"),
    ("Aborted", "the shell says that the process aborted"),
    ("Bus error", "the shell says that the process ended with a bus error, as when shared memory runs out"),
];

/// What a shell says of a process that ended by a fault: `run.sh: line 3: 4242 Aborted (core dumped) python train.py`.
pub(super) fn fault(text: &str) -> Option<&'static str> {
    let is_of_script = text.contains(": line ");
    let is_shells = |word: &str| {
        text.strip_prefix(word).is_some_and(|rest| rest == " (core dumped)")
            || (is_of_script && text.contains(&format!(" {word} ")))
    };
    FAULTS.iter().find(|(word, _)| is_shells(word)).map(|(_, evidence)| *evidence)
}

/// What the last line of a log says of a program that failed or was not started.
pub(super) fn last_words(text: &str, has_rows: bool) -> Option<&'static str> {
    if !has_rows && text.starts_with("srun: error: Unable to ") {
        return Some("the last line of the log is Slurm's: it could not start the program");
    }
    says_failed(text).then_some("the last line of the log says that the training failed")
}

/// What `conda run` logs of a command that failed (its `main_run.py`). Without `--no-capture-output` all that the
/// command wrote to its standard output follows.
pub(super) const FAILED_IN_CONDA: &str = "ERROR conda.cli.main_run:execute(";

/// What fails, and words that say it, lower case.
const WHAT_FAILS: [&str; 6] = ["script", "training", "trainer", "run", "job", "program"];
const FAILURES: [&str; 3] = ["failed", "aborted", "crashed"];
/// Words between the two, and before or behind them, that do not change what is said.
const HELPERS: [&str; 3] = ["was", "has", "is"];
const AROUND: [&str; 15] = [
    "error", "fatal", "warning", "info", "the", "a", "python", "grpo", "ppo", "rl", "with", "exit", "code", "status",
    "exiting",
];
/// Longest line that is looked at, in bytes.
const MAX_BYTES: usize = 80;

/// True for a short line that says that a script or a training failed, and nothing else: `Python script failed`.
fn says_failed(text: &str) -> bool {
    // Nearly every line ends here, before it is copied and split into words.
    if text.len() > MAX_BYTES
        || !["ailed", "borted", "rashed", "AILED", "BORTED", "RASHED"].iter().any(|part| text.contains(part))
    {
        return false;
    }
    let text = text.to_ascii_lowercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty()).collect();
    let Some(at) = words.iter().position(|word| FAILURES.contains(word)) else { return false };
    let (before, after) = words.split_at_checked(at).unwrap_or_default();
    let (mut before, mut after) = (before.iter().rev().skip_while(|word| HELPERS.contains(word)), after.iter().skip(1));
    let is_around = |word: &&str| AROUND.contains(word);
    let is_alone = words.len() == 1 && words.first() == Some(&"aborted");
    let what = before.next().is_some_and(|word| WHAT_FAILS.contains(word));
    is_alone || (what && before.all(&is_around) && after.all(is_around))
}

#[cfg(test)]
mod tests {
    use super::super::EndingDetector;
    use super::*;
    use crate::formats::console::LogMetrics;
    use rundown_run::RunState;

    const FAILED: &str =
        "ERROR conda.cli.main_run:execute(49): `conda run python train.py` failed. (See above for error)";

    #[test]
    fn a_command_that_failed_in_conda_is_told_before_its_output() {
        let error = ["Traceback (most recent call last):", "  File \"x.py\", line 1", "RuntimeError: oops"];
        let ended = |lines: &[&str], output: &str| {
            let mut ending = EndingDetector::default();
            lines.iter().for_each(|line| ending.add("", line));
            (0..300).for_each(|_| ending.add("", output));
            ending.finish()
        };
        let crashed = ended(&[&error[..], &[FAILED]].concat(), "loading");
        assert!(crashed.evidence[0].ends_with("RuntimeError"), "{:?}", crashed.evidence);
        assert_eq!(ended(&[FAILED], "loading").state, RunState::Crashed);
        assert_eq!(ended(&error, "loading").state, RunState::Unknown);
        assert_eq!(ended(&[FAILED], "Training complete").state, RunState::Finished);
        let mut of_worker = EndingDetector::default();
        of_worker.add("(Worker pid=1)", FAILED);
        assert_eq!(of_worker.finish().state, RunState::Unknown);
    }

    #[test]
    fn rows_behind_a_failure_in_conda_were_printed_before_it() {
        let state = |lines: &[&str]| {
            let mut metrics = LogMetrics::default();
            lines.iter().for_each(|line| metrics.add(line));
            metrics.finish().ending.state
        };
        for row in ["{'loss': 0.5, 'reward': 0.5, 'epoch': 0.1}", "step:1 - actor/kl:0.1 - critic/score/mean:0.5"] {
            let next = &row.replace("0.1", "0.2");
            assert_eq!(state(&[FAILED, row, next]), RunState::Crashed, "{row}");
            assert_eq!(state(&[row, FAILED, next]), RunState::Unknown, "of another attempt: {row}");
            assert_eq!(state(&[FAILED, "+ python train.py --lr 1", row]), RunState::Unknown, "{row}");
        }
    }

    #[test]
    fn slurm_says_that_it_could_not_start_a_program() {
        let line = "srun: error: Unable to create step for job 42: Invalid generic resource (gres) specification";
        assert!(last_words(line, false).is_some_and(|words| words.contains("could not start")));
        assert_eq!(last_words("srun: job 42 queued and waiting for resources", false), None);
        assert_eq!(last_words(line, true), None, "of another program than the one that trained");
    }

    #[test]
    fn a_short_line_says_that_a_training_failed() {
        for line in [
            "Python script failed",
            "Training failed",
            "ERROR: Training failed with exit code 1",
            "[2026-01-01 12:00:00] GRPO training was aborted!",
            "Aborted.",
            "=== TRAINING FAILED ===",
        ] {
            assert!(says_failed(line), "{line}");
        }
        for line in [
            "failed",
            "0 failed",
            "Training failed to improve, going on",
            "if the training failed, look here",
            "reward function failed",
            "2 of 8 runs failed",
            "The run has not failed",
            "test_training failed: expected 3",
        ] {
            assert!(!says_failed(line), "{line}");
        }
    }
}
