//! Tests of runs that did not end well.

use super::*;
use crate::Severity;
use crate::checks::testing::{Synthetic, change, found};
use rundown_run::{AxisReason, Config, ConfigValue, LogLine, Stream};

fn with_ending(state: RunState, code: Option<i32>, expects_exit: bool, log: &[&str]) -> Synthetic {
    let mut synthetic = Synthetic::healthy(100).config("max_steps", 200.0);
    synthetic.run.ending.state = state;
    synthetic.run.ending.exit_code = code;
    synthetic.run.ending.expects_exit = expects_exit;
    for text in log {
        synthetic.run.log.push(LogLine { stream: Stream::Error, text: (*text).to_owned() });
    }
    synthetic
}

#[test]
fn a_run_without_a_checkpoint_starts_again() {
    let advised = |every: f64, log: &[&str]| {
        let run = with_ending(RunState::Crashed, Some(1), true, log).config("save_steps", every);
        change(&run.finding(&CHECK).actions[0]).0
    };
    let error = ["Traceback (most recent call last):", "ValueError: no tokens"];
    assert!(advised(50.0, &error).ends_with("then resume from the last checkpoint"));
    assert!(advised(500.0, &error).contains("no checkpoint was written yet"), "{}", advised(500.0, &error));
    assert!(advised(500.0, &[]).starts_with("Start again"), "{}", advised(500.0, &[]));
    let done = with_ending(RunState::Unknown, None, true, &[]).config("save_steps", 500.0).config("max_steps", 100.0);
    assert!(change(&done.finding(&CHECK).actions[0]).0.starts_with("Check that the final model was saved"));
}

#[test]
fn an_exit_code_with_a_traceback_is_critical() {
    let log = [
        "Traceback (most recent call last):",
        "  File \"train.py\", line 3, in <module>",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
    ];
    let finding = with_ending(RunState::Crashed, Some(1), true, &log).finding(&CHECK);
    assert_eq!(finding.severity, Severity::Critical);
    assert_eq!(finding.title.to_string(), "Out of memory at step 100 of 200 (50 %)");
    assert!(finding.detail.to_string().contains("Tried to allocate"), "{}", finding.detail);
    assert!(change(finding.actions.first().unwrap()).0.contains("batch"));
    let alternative = |planned: f64| {
        let run = with_ending(RunState::Crashed, Some(1), true, &log).config("max_steps", planned);
        run.finding(&CHECK).alternative.to_string()
    };
    assert!(!alternative(200.0).contains("shutdown") && alternative(104.0).contains("shutdown"));
}

#[test]
fn the_step_is_not_known_where_the_metrics_went_to_a_tracker() {
    let title = |loggers: &str| {
        let mut run = Synthetic::new(0);
        run.run.ending.state = RunState::Crashed;
        let error = ["  File \"train.py\", line 3, in <module>", "torch.OutOfMemoryError: CUDA out of memory."];
        for text in ["Traceback (most recent call last):"].into_iter().chain(error) {
            run.run.log.push(LogLine { stream: Stream::Error, text: text.to_owned() });
        }
        run.run.config.insert(Config::LOGGERS, ConfigValue::Text(loggers.to_owned()));
        run.finding(&CHECK).title.to_string()
    };
    assert_eq!(title("['wandb']"), "Out of memory at a step that these files do not show");
    assert_eq!(title("['console']"), "Out of memory before the first logged step");
}

#[test]
fn a_run_that_was_stopped_from_the_keyboard_is_judged_by_its_metrics() {
    let interrupt = ["Traceback (most recent call last):", "KeyboardInterrupt"];
    for (state, code) in [(RunState::Killed, None), (RunState::Crashed, Some(255)), (RunState::Unknown, None)] {
        let finding = with_ending(state, code, true, &interrupt).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note, "{}", finding.title);
        assert_eq!(finding.title.to_string(), "Stopped by hand at step 100 of 200 (50 %)");
    }
    let mut notebook = with_ending(RunState::Killed, None, false, &[]);
    notebook.run.ending.interrupted = true;
    assert_eq!(notebook.finding(&CHECK).severity, Severity::Note);
    let killed = with_ending(RunState::Killed, None, false, &["Killed"]).finding(&CHECK);
    assert_eq!(killed.severity, Severity::Warning, "by the system");
    let at_end = with_ending(RunState::Killed, None, false, &["Killed"]).config("max_steps", 104.0);
    assert_eq!(at_end.finding(&CHECK).severity, Severity::Note, "nearly all steps were taken");
    let log = ["torch.OutOfMemoryError: CUDA out of memory.", "KeyboardInterrupt"];
    let failed = with_ending(RunState::Crashed, Some(1), true, &log).finding(&CHECK);
    assert_eq!(failed.severity, Severity::Critical, "the interrupt is the clean-up after an error");
}

#[test]
fn vllm_gives_memory_back_where_it_runs() {
    let log = ["torch.OutOfMemoryError: CUDA out of memory."];
    let advised = |run: Synthetic| {
        let finding = run.finding(&CHECK);
        finding.actions.iter().map(|action| change(action).0).collect::<Vec<_>>().join("; ")
    };
    let crashed = || with_ending(RunState::Crashed, Some(1), true, &log);
    assert!(!advised(crashed()).contains("vLLM"), "{}", advised(crashed()));
    let share = "vllm_gpu_memory_utilization";
    assert!(advised(crashed().config(share, 0.9)).contains(share));
    assert!(!advised(crashed().config(share, 0.4)).contains(share), "that would be more");
}

#[test]
fn a_run_of_a_few_steps_of_many_has_no_checkpoint_to_go_back_to() {
    let ended = |state: RunState, text: &str, steps: usize, planned: f64| {
        let mut run = Synthetic::healthy(steps).config("max_steps", planned);
        run.run.ending.state = state;
        run.run.log.push(LogLine { stream: Stream::Error, text: text.to_owned() });
        let finding = run.finding(&CHECK);
        finding.actions.iter().map(|action| change(action).0).collect::<Vec<_>>().join("; ")
    };
    let advised =
        |steps, planned| ended(RunState::Crashed, "torch.OutOfMemoryError: CUDA out of memory.", steps, planned);
    assert!(!advised(5, 2000.0).contains("checkpoint"), "{}", advised(5, 2000.0));
    for (steps, planned) in [(5, 100.0), (50, 20000.0)] {
        assert!(advised(steps, planned).contains("Resume from the last checkpoint"), "{steps} of {planned}");
    }
    for (state, text, advice) in [
        (RunState::Crashed, "ValueError: no tokens", "Correct what the error names, then start again"),
        (
            RunState::Killed,
            "Killed",
            "Find out who or what stopped it (a person, a time limit, memory), then start again",
        ),
        (RunState::Killed, "KeyboardInterrupt", "Start again, unless it was stopped for a reason"),
    ] {
        assert_eq!(ended(state, text, 3, 2000.0), advice);
    }
}

#[test]
fn a_few_epochs_are_no_first_steps() {
    let advised = |why: AxisReason| {
        let mut run = Synthetic::healthy(5).config("max_steps", 2000.0).build();
        run.ending.state = RunState::Crashed;
        run.log.push(LogLine { stream: Stream::Error, text: "ValueError: no tokens".to_owned() });
        run.axis.why = why;
        change(&found(&run, &CHECK)[0].actions[0]).0
    };
    assert!(advised(AxisReason::TrainerCounter).ends_with("then start again"));
    assert!(advised(AxisReason::CoarseCounter).ends_with("resume from the last checkpoint"));
}

#[test]
fn a_run_that_stopped_at_step_0_has_no_checkpoint() {
    let advised = |step: f64| {
        let mut run = Synthetic::new(1).build();
        run.ending.state = RunState::Crashed;
        run.log.push(LogLine { stream: Stream::Error, text: "ValueError: no tokens".to_owned() });
        run.axis.steps = vec![step];
        change(&found(&run, &CHECK)[0].actions[0]).0
    };
    assert!(advised(0.0).ends_with("then start again"));
    assert!(advised(1.0).ends_with("resume from the last checkpoint"), "how often it saves and its plan are unknown");
}

#[test]
fn an_error_is_read_after_the_prefix_of_its_line() {
    for prefix in ["[rank0]: ", "2026-11-25T10:00:00.1Z ", "2026-11-25 10:00:00,123 - ERROR - ", "pod/trainer-0 | "] {
        let log = format!("{prefix}torch.OutOfMemoryError: CUDA out of memory.");
        let finding = with_ending(RunState::Crashed, Some(1), true, &[&log]).finding(&CHECK);
        assert_eq!(finding.title.to_string(), "Out of memory at step 100 of 200 (50 %)", "{prefix}");
    }
}

#[test]
fn the_first_exception_of_a_chain_is_quoted_too() {
    let log = [
        "Traceback (most recent call last):",
        "RuntimeError: PytorchStreamWriter failed writing file data/721: file write failed",
        "",
        "During handling of the above exception, another exception occurred:",
        "Traceback (most recent call last):",
        "RuntimeError: unexpected pos 7 vs 5",
    ];
    let finding = with_ending(RunState::Crashed, Some(1), true, &log).finding(&CHECK);
    let detail = finding.detail.to_string();
    assert!(detail.contains("unexpected pos 7") && detail.contains("file write failed” was handled"), "{detail}");
    assert!(change(&finding.actions[0]).0.contains("disk space"), "{:?}", finding.actions);
    let log = ["  File \"a.py\", line 3, in step", "    assert len(a) == len(b)", "AssertionError"];
    let detail = with_ending(RunState::Crashed, None, false, &log).finding(&CHECK).detail.to_string();
    assert_eq!(detail, "The log ends with “AssertionError”, raised by “assert len(a) == len(b)”.");
}

#[test]
fn a_missing_exit_record_is_a_warning_before_the_planned_steps_and_finishing_is_quiet() {
    let finding = with_ending(RunState::Unknown, None, true, &[]).finding(&CHECK);
    assert_eq!(finding.severity, Severity::Warning);
    let mut unplanned = Synthetic::healthy(100);
    unplanned.run.ending.expects_exit = true;
    unplanned.run.ending.state = RunState::Unknown;
    assert_eq!(unplanned.finding(&CHECK).severity, Severity::Note, "nobody knows whether it is over");
    assert!(with_ending(RunState::Finished, Some(0), true, &[]).quiet(&CHECK));
    let unknown = with_ending(RunState::Unknown, None, false, &["step 3"]).check(&CHECK);
    assert!(matches!(unknown, Outcome::Skipped(_)));
}

#[test]
fn counted_rows_are_not_compared_with_the_planned_steps() {
    let of_rows = |state, code| {
        let mut run = with_ending(state, code, true, &[]).build();
        run.columns.remove("train/global_step");
        run.choose_axis();
        found(&run, &CHECK).remove(0)
    };
    let open = of_rows(RunState::Unknown, None);
    assert_eq!(open.title.to_string(), "No exit record: the file ends after 100 rows");
    assert_eq!(open.severity, Severity::Note, "whether steps are missing is not known");
    assert_eq!(of_rows(RunState::Crashed, Some(1)).title.to_string(), "Ended with exit code 1 after 100 rows");
}

#[test]
fn a_run_that_died_before_its_first_step_has_no_checkpoint() {
    let ended = |line: &str| {
        let mut run = Synthetic::new(0);
        let is_killed = line == "KeyboardInterrupt";
        run.run.ending.state = if is_killed { RunState::Killed } else { RunState::Crashed };
        run.run.log.push(LogLine { stream: Stream::Error, text: line.to_owned() });
        run.finding(&CHECK)
    };
    for line in ["ValueError: no such model", "torch.OutOfMemoryError: CUDA out of memory"] {
        let finding = ended(line);
        assert!(finding.evidence.iter().all(|number| number.value.is_finite()), "{:?}", finding.evidence);
        let actions: Vec<String> = finding.actions.iter().map(|action| change(action).0).collect();
        assert!(!actions.is_empty() && actions.iter().all(|action| !action.contains("checkpoint")), "{actions:?}");
        assert!(!finding.alternative.to_string().contains("after the training"), "{}", finding.alternative);
    }
    let finding = ended("KeyboardInterrupt");
    assert_eq!(finding.severity, Severity::Note);
    assert!(finding.title.to_string().contains("by hand before the first"), "{}", finding.title);
    assert!(change(&finding.actions[0]).0.contains("Start again"), "{:?}", finding.actions);
}

#[test]
fn an_error_after_the_training_counts_without_an_exit_record() {
    let log = ["Traceback (most recent call last):", "OSError: [Errno 28] No space left on device"];
    let finding = with_ending(RunState::Finished, None, true, &log).finding(&CHECK);
    assert_eq!(finding.severity, Severity::Critical);
    assert!(change(&finding.actions[0]).0.contains("disk space"), "{:?}", finding.actions);
    assert!(with_ending(RunState::Finished, None, true, &[]).quiet(&CHECK));
    assert!(with_ending(RunState::Finished, Some(0), true, &log).quiet(&CHECK), "the exit record decides");
}

#[test]
fn an_error_behind_the_last_planned_step_is_a_note() {
    let log = ["Traceback (most recent call last):", "ConfigAttributeError: Missing key save_dir"];
    let run = |planned: f64| with_ending(RunState::Crashed, Some(1), true, &log).config("max_steps", planned);
    let finding = run(100.0).finding(&CHECK);
    assert_eq!(finding.severity, Severity::Note);
    assert_eq!(finding.title.to_string(), "ConfigAttributeError after the last planned step");
    assert!(change(&finding.actions[0]).0.contains("was saved"), "{:?}", finding.actions);
    assert_eq!(run(101.0).finding(&CHECK).severity, Severity::Critical);
}

#[test]
fn models_that_do_not_fit_when_they_are_loaded_are_spread() {
    let ended = |call: &str| {
        let mut run = Synthetic::new(0);
        run.run.ending.state = RunState::Crashed;
        for text in ["Traceback (most recent call last):", call, "torch.OutOfMemoryError: CUDA out of memory."] {
            run.run.log.push(LogLine { stream: Stream::Error, text: text.to_owned() });
        }
        change(&run.finding(&CHECK).actions[0]).0
    };
    assert!(ended("    self.actor_rollout_wg.init_model()").starts_with("Spread the models"));
    assert!(ended("    self.trainer.step()").starts_with("Lower the max completion length"));
}

#[test]
fn what_frees_memory_depends_on_what_was_done_when_it_ran_out() {
    let told = |functions: &[&str]| {
        let mut log = vec!["Traceback (most recent call last):".to_owned()];
        log.extend(functions.iter().map(|name| format!("  File \"/a/b.py\", line 7, in {name}")));
        log.push("torch.OutOfMemoryError: CUDA out of memory.".to_owned());
        let log: Vec<&str> = log.iter().map(String::as_str).collect();
        let run = with_ending(RunState::Crashed, Some(1), true, &log).config("vllm_gpu_memory_utilization", 0.9);
        let finding = run.finding(&CHECK);
        let actions: Vec<String> = finding.actions.iter().map(|action| change(action).0).collect();
        (finding.title.to_string(), actions.join("; "))
    };
    let (title, advised) = told(&["fit", "generate_sequences", "forward"]);
    assert_eq!(title, "Out of memory while responses were sampled, at step 100 of 200 (50 %)");
    assert!(advised.contains("max_num_seqs") && advised.contains("utilization"), "{advised}");
    let (title, advised) = told(&["generate_sequences", "compute_log_prob", "forward"]);
    assert!(title.contains("log-probabilities") && advised.contains("log_prob_micro_batch_size"), "{advised}");
    let xla = ["update_critic", "_optimizer_step"].map(|name| format!("  File \"/a/b.py\", line 7, in {name}"));
    let tables = vec!["     Allocation type: HLO temp"; 160];
    let error = "RuntimeError: Ran out of memory in memory space hbm.";
    let log: Vec<&str> = xla.iter().map(String::as_str).chain([error]).chain(tables).collect();
    let title = with_ending(RunState::Crashed, Some(1), true, &log).finding(&CHECK).title.to_string();
    assert!(title.starts_with("Out of memory while the loss or its gradient was computed"), "{title}");
    let lines = vec!["step:7 - reward:0.5"; 160];
    let own = ["  File \"/a/c.py\", line 9, in save", "torch.OutOfMemoryError: CUDA out of memory."];
    let log: Vec<&str> = xla.iter().map(String::as_str).chain(lines).chain(own).collect();
    let title = with_ending(RunState::Crashed, Some(1), true, &log).finding(&CHECK).title.to_string();
    assert!(title.starts_with("Out of memory") && !title.contains("loss"), "frames of an older one: {title}");
    let (_, advised) = told(&["update_actor", "update_policy", "forward"]);
    assert!(advised.contains("per_device_train_batch_size") && advised.contains("utilization"), "{advised}");
}

#[test]
fn the_batch_of_a_device_is_named_where_the_config_tells_it() {
    let first = |function: &str, settings: &[(&str, ConfigValue)]| {
        let frame = format!("  File \"/a/b.py\", line 7, in {function}");
        let log = ["Traceback (most recent call last):", frame.as_str(), "torch.OutOfMemoryError: CUDA out of memory."];
        let mut run = with_ending(RunState::Crashed, Some(1), true, &log);
        for (key, value) in settings {
            run.run.config.insert(*key, value.clone());
        }
        change(&run.finding(&CHECK).actions[0])
    };
    let actor = |key: &str| format!("actor_rollout_ref.actor.{key}");
    let (batch, gpu) = (actor("ppo_micro_batch_size"), actor("ppo_micro_batch_size_per_gpu"));
    let verl = [(gpu.as_str(), ConfigValue::Null), (batch.as_str(), ConfigValue::Number(64.0))];
    assert_eq!(first("update_actor", &verl), (batch.clone(), "64".to_owned(), "half as many".to_owned()));
    assert!(first("update_critic", &verl).0.starts_with("Halve the batch per device"), "of the policy");
    let one = [("per_device_train_batch_size", ConfigValue::Number(1.0))];
    assert!(first("compute_loss", &one).0.contains("lower the limits"), "it has no half");
    let (dynamic, tokens) = (actor("use_dynamic_bsz"), actor("ppo_max_token_len_per_gpu"));
    let dynamic = [(dynamic.as_str(), ConfigValue::Bool(true)), (tokens.as_str(), ConfigValue::Number(16384.0))];
    assert_eq!(first("backward", &dynamic).0, tokens);
}

#[test]
fn a_run_that_was_stopped_has_no_error_to_correct() {
    let first = |line: &str| {
        let run = with_ending(RunState::Killed, None, true, &[line]);
        change(&run.finding(&CHECK).actions[0]).0
    };
    let hung_up = "torch.distributed.elastic.multiprocessing.api.SignalException: Process 12152 got signal: 1";
    assert!(first(hung_up).contains("tmux") && !first(hung_up).contains("nohup"), "{}", first(hung_up));
    let terminated = hung_up.replace("signal: 1", "signal: 15");
    assert!(first(&terminated).starts_with("Find out who or what stopped it"), "{}", first(&terminated));
}

#[test]
fn an_error_that_says_only_that_a_worker_is_gone_names_nothing_to_correct() {
    let gone = "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.";
    let finding = |lines: &[&str]| with_ending(RunState::Crashed, None, false, lines).finding(&CHECK);
    let first = |finding: &Finding| change(&finding.actions[0]).0;
    assert!(first(&finding(&[gone])).starts_with("Find out who or what stopped it"));
    let known = finding(&["(Worker pid=7)     load()", "(Worker pid=7) ValueError: no such segments", gone]);
    assert!(known.detail.to_string().contains("“ValueError: no such segments”"), "{}", known.detail);
    assert!(first(&known).starts_with("Correct what the error names"), "{}", first(&known));
    let full =
        finding(&["(Worker pid=7)     load()", "(Worker pid=7) torch.OutOfMemoryError: CUDA out of memory.", gone]);
    assert!(full.title.to_string().starts_with("Out of memory"), "{}", full.title);
}

#[test]
fn a_traceback_behind_the_end_of_a_training_is_a_note() {
    let log = ["Traceback (most recent call last):", "  File \"a.py\", line 3", "TypeError: not JSON serializable"];
    let finding = with_ending(RunState::Finished, None, false, &log).finding(&CHECK);
    assert_eq!(finding.severity, Severity::Note);
    assert_eq!(finding.title.to_string(), "TypeError after the training");
    assert!(finding.detail.to_string().contains("may be missing"), "{}", finding.detail);
    assert!(with_ending(RunState::Finished, None, false, &["TypeError: printed"]).quiet(&CHECK));
}

#[test]
fn a_crashed_run_of_final_values_alone_did_not_end_before_its_first_step() {
    let mut row = Synthetic::new(0);
    row.run.ending.state = RunState::Crashed;
    row.run.warnings.push(rundown_run::RunWarning::FinalValuesOnly);
    let finding = row.finding(&CHECK);
    assert_eq!(finding.severity, Severity::Warning);
    assert_eq!(finding.title.to_string(), "Crashed at a step that these files do not show");
    assert!(change(&finding.actions[0]).0.contains("checkpoint"), "{:?}", finding.actions);
}

#[test]
fn a_run_without_a_step_or_an_exit_record_may_just_have_begun_planned_or_not() {
    for planned in [None, Some(500.0)] {
        let mut run = planned.into_iter().fold(Synthetic::new(0), |run, steps| run.config("max_steps", steps));
        run.run.ending.state = RunState::Unknown;
        run.run.ending.expects_exit = true;
        assert_eq!(run.finding(&CHECK).severity, Severity::Note, "{planned:?}");
    }
}
