//! Ends of logs, line by line.

use super::*;

fn ending(lines: &[&str]) -> Ending {
    let mut ending = EndingDetector::default();
    lines.iter().for_each(|line| ending.add("", line));
    ending.finish()
}

fn state(lines: &[&str]) -> RunState {
    ending(lines).state
}

#[test]
fn a_signal_to_the_main_process_ends_the_run_and_one_to_a_worker_does_not() {
    let line = "[2026-08-16 16:09:52,684 E 654151 654151] logging.cc:474: *** SIGTERM received at time=1786896592 on cpu 78 ***";
    let frame = "[2026-08-16 16:09:52,685 E 654151 654151] logging.cc:474:     @     0x78d9538d6330  (unknown)";
    let lines: Vec<&str> = std::iter::once(line).chain([frame; 20]).collect();
    assert_eq!(state(&lines), RunState::Killed);
    let mut of_worker = EndingDetector::default();
    lines.iter().for_each(|line| of_worker.add("(AgentLoopWorker pid=7)", line));
    assert_eq!(of_worker.finish().state, RunState::Unknown);
    assert_eq!(state(&["*** SIGNIFICANT received at time ***"]), RunState::Unknown);
}

#[test]
fn the_end_is_told_from_an_error() {
    let end = "Training Progress: 100%|##| 2/2 [00:01<00:00]";
    assert_eq!([state(&[end]), state(&["('Final validation metrics: '"])], [RunState::Finished; 2]);
    assert_eq!(state(&[end, "Traceback (most recent call last):"]), RunState::Unknown);
    assert_eq!(state(&["Training Progress:  50%|#| 1/2 [00:01<00:00]"]), RunState::Unknown);
}

#[test]
fn a_line_may_say_that_the_training_is_complete() {
    assert_eq!(state(&["Training complete"]), RunState::Finished);
    let mut ending = EndingDetector::default();
    ending.totals();
    ending.add("", "Training complete");
    assert!(ending.finish().evidence[0].contains("train_runtime"));
    let mut ending = EndingDetector::default();
    ending.add("", "Training complete");
    ending.goes_on();
    assert_eq!(ending.finish().state, RunState::Unknown, "another training began");
}

#[test]
fn hydra_says_that_there_is_no_configuration() {
    let hint = "Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.";
    let message = "In 'a': Could not find 'b/c'";
    let ended = ending(&[message, "Config search path:", "\tprovider=main, path=file:///x", hint]);
    assert_eq!(ended.state, RunState::Crashed);
    assert!(ended.evidence[0].contains(message), "{:?}", ended.evidence);
    assert_eq!(state(&[message, hint, "loading the model"]), RunState::Unknown, "another program went on");
    let error = ["Traceback (most recent call last):", "  File \"x.py\", line 1", "ValueError: oops"];
    assert!(ending(&[&error[..], &[hint]].concat()).evidence[0].ends_with("ValueError"), "of the program");
}

#[test]
fn a_launcher_or_a_script_says_how_the_training_ended() {
    let exits = "[2023-04-18 10:57:13,437] [INFO] [launch.py:460:main] Process 3034 exits successfully.";
    assert_eq!(state(&[exits, exits]), RunState::Finished);
    assert_eq!(state(&["saved", "Python script failed"]), RunState::Crashed);
    assert_eq!(state(&["Training failed", "trying again"]), RunState::Unknown);
    let error = ["Traceback (most recent call last):", "  File \"x.py\", line 1", "a.b.RuntimeError: oops"];
    let ended = ending(&[error[0], error[1], error[2], "Training failed"]);
    assert!(ended.evidence[0].ends_with("RuntimeError"), "{:?}", ended.evidence);
}

#[test]
fn an_error_counts_where_the_log_ends_with_it() {
    let error = ["Traceback (most recent call last):", "  File \"x.py\", line 1", "a.b.RuntimeError: oops"];
    assert_eq!(state(&error), RunState::Crashed);
    assert_eq!(state(&["ValueError: printed by something else"]), RunState::Unknown);
    let frame = "File \"/a/x.py\", line 2, in f";
    assert_eq!(state(&[frame, "    y()", error[2]]), RunState::Crashed, "the start was cut off");
    assert_eq!(state(&[error[1], "    y =", "SyntaxError: of a model's code"]), RunState::Unknown);
    let stopped = ending(&[error[0], error[1], "KeyboardInterrupt"]);
    assert_eq!((stopped.state, stopped.interrupted), (RunState::Killed, true));
    assert!(!ending(&error).interrupted && !ending(&["Killed"]).interrupted);
    assert_eq!(state(&[error[0], error[1], "ok", "ValueError: printed"]), RunState::Unknown);
    let mut long = error.to_vec();
    long.extend(["wandb: kl 0.1"; 100]);
    assert_eq!(state(&long), RunState::Crashed);
    long.extend(["goes on"; 100]);
    assert_eq!(state(&long), RunState::Unknown);
    long.push("Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.");
    assert_eq!(state(&long), RunState::Crashed, "the message of the error was long");
    let mut ending = EndingDetector::default();
    error.iter().for_each(|line| ending.add("", line));
    ending.row();
    assert_eq!(ending.finish().state, RunState::Unknown);
    let mut ending = EndingDetector::default();
    error.iter().for_each(|line| ending.add("(Worker pid=1)", line));
    assert_eq!(ending.finish().state, RunState::Unknown, "a worker's error need not end the run");
    let mut ending = EndingDetector::default();
    ending.totals();
    error.iter().for_each(|line| ending.add("", line));
    assert_eq!(ending.finish().state, RunState::Unknown, "the training was done before");
}

#[test]
fn lines_of_a_traceback_may_have_a_prefix() {
    let prefixed = |prefixes: &[&str]| {
        let lines = ["Traceback (most recent call last):", "  File \"x.py\", line 1", "    y()", "RuntimeError: oops"];
        let of = |(place, line): (usize, &&str)| format!("{}{line}", prefixes[place % prefixes.len()]);
        let lines: Vec<String> = lines.iter().enumerate().map(of).collect();
        state(&lines.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert_eq!([prefixed(&["[rank0]: "]), prefixed(&["[rank0]: ", "[rank3]: "])], [RunState::Crashed; 2]);
    assert_eq!(prefixed(&["2026-11-25T10:00:00.1Z ", "2026-11-25T10:00:01.2Z "]), RunState::Crashed);
    assert_eq!(prefixed(&["ERROR: ", ""]), RunState::Crashed);
    assert_eq!(prefixed(&["reward 3 failed: ", "reward 3: no, "]), RunState::Unknown);
}

#[test]
fn an_error_of_ray_that_nothing_fetched_is_one_and_one_that_python_ignores_is_none() {
    let head = "Unhandled error (suppress with 'RAY_IGNORE_UNHANDLED_ERRORS=1'): ray::Worker.update() (pid=7)";
    let below = ["  File \"x.py\", line 1", "    y()", "torch.OutOfMemoryError: CUDA out of memory."];
    let ended = |head: &[&str]| ending(&[head, &below].concat());
    assert!(ended(&[head]).evidence[0].ends_with("OutOfMemoryError"));
    let ignored = ["Exception ignored in: <function Pool.__del__ at 0x7f>", "Traceback (most recent call last):"];
    assert_eq!(ended(&ignored).state, RunState::Unknown);
    let crash = ["Traceback (most recent call last):", "  File \"x.py\", line 1", "RuntimeError: oops"];
    assert!(ended(&[&crash[..], &ignored[..]].concat()).evidence[0].ends_with("RuntimeError"));
}

#[test]
fn signals_and_schedulers_are_known() {
    for line in [
        "Killed",
        "run.sh: line 3: 4242 Killed                  python train.py",
        "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***",
        "x.api.SignalException: Process 12152 got signal: 1",
    ] {
        assert_eq!(state(&["Traceback (most recent call last):", line]), RunState::Killed, "{line}");
    }
    assert_eq!(state(&["Killed the old server", "the signal is strong"]), RunState::Unknown);
}

#[test]
fn launchers_and_shells_say_how_a_process_failed() {
    let elastic = |code: &str| {
        format!(
            "E1125 10:12:14 42 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: {code}) local_rank: 0"
        )
    };
    assert_eq!(["1", "-9"].map(|code| state(&[&elastic(code)])), [RunState::Crashed, RunState::Killed]);
    let watchdog =
        "[rank0]:[E1125 ProcessGroupNCCL.cpp:629] [Rank 0] Watchdog caught collective operation timeout: Work";
    assert_eq!(state(&[watchdog]), RunState::Crashed);
    let end = "Training Progress: 100%|##| 2/2 [00:01<00:00]";
    assert_eq!(state(&[end, &elastic("1")]), RunState::Finished);
    for line in
        ["Segmentation fault (core dumped)", "run.sh: line 3:  4242 Aborted                 (core dumped) python x.py"]
    {
        assert_eq!(state(&[line]), RunState::Crashed, "{line}");
        assert_eq!(state(&[line, "1", "2", "3", "4", "5", "6"]), RunState::Unknown, "{line}");
    }
    assert_eq!(state(&["the tool failed with a Segmentation fault"]), RunState::Unknown);
}

#[test]
fn a_run_that_goes_on_has_not_ended() {
    let mut ending = EndingDetector::default();
    ending.add("", "Killed");
    ending.row();
    assert_eq!(ending.finish().state, RunState::Unknown);
}
