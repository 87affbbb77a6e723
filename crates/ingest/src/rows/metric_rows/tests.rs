//! Tests of rows of metrics.

use super::*;
use rundown_run::Thinning;

fn rows(lines: &[&str]) -> Run {
    let mut rows = MetricRows::default();
    for line in lines {
        rows.json_row(line.as_bytes()).unwrap();
    }
    rows.finish()
}

fn values<'r>(run: &'r Run, key: &str) -> &'r [f64] {
    run.columns.get(key).map_or(&[], |column| column.values())
}

#[test]
fn nested_objects_are_dotted_and_wrappers_are_not_there() {
    let run = rows(&[
        r#"{"step": 1, "data": {"actor/kl": 0.1, "timing": {"gen": 2}}}"#,
        r#"{"step": 2, "data": {"actor/kl": NaN, "x": [1], "y": null, "z": "Infinity", "done": true}}"#,
    ]);
    assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["actor/kl", "done", "step", "timing.gen", "z"]);
    assert_eq!(values(&run, "step"), [1.0, 2.0]);
    assert_eq!(values(&run, "z"), [f64::INFINITY]);
    assert!(values(&run, "actor/kl")[1].is_nan());
}

#[test]
fn numbers_written_as_texts_are_read_and_names_are_not() {
    let run = rows(&[r#"{"step": "1e3", "loss": "2.5e-3", "answer": "42", "host": "node-1.2", "tag": "v1.0"}"#]);
    assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["loss", "step"]);
    assert_eq!((values(&run, "step"), values(&run, "loss")), (&[1000.0][..], &[0.0025][..]));
}

#[test]
fn a_list_of_rewards_is_a_group() {
    let run = rows(&[
        r#"{"step": 1, "rewards": [0, 1, 1, 0], "losses": [1, 2]}"#,
        r#"{"step": 2, "rewards": [1, 1], "x": 3}"#,
        r#"{"step": 3, "rewards": [1, [2, {"a": []}], null], "x": 4}"#,
    ]);
    assert_eq!((values(&run, "rewards"), values(&run, "reward_group_std")), (&[0.5, 1.0][..], &[0.5, 0.0][..]));
    assert_eq!(values(&run, "x"), [3.0, 4.0], "what follows is read");
}

#[test]
fn samples_beside_the_metrics_of_an_update_are_a_row() {
    let mut rows = MetricRows::default();
    let row =
        r#"{"step": 5, "avg_reward": -0.7, "avg_loss": -0.5, "completions": ["15", "20"], "rewards": [-0.07, -0.24]}"#;
    rows.json_row(row.as_bytes()).unwrap();
    assert_eq!(rows.samples, 0);
    rows.json_row(br#"{"step": 5, "prompt": "a", "completion": "b", "reward": 0.5, "advantage": 0.1}"#).unwrap();
    assert_eq!(rows.samples, 1);
    let run = rows.finish();
    assert_eq!((values(&run, "avg_reward"), run.columns.contains_key("rewards")), (&[-0.7][..], false));
    assert_eq!(values(&run, "reward_group_std").len(), 1);
}

#[test]
fn a_config_line_is_no_row() {
    let run = rows(&[
        r#"{"type": "config", "args": {"lr": 1e-5, "nested": {"a": 1}}, "device": "cuda"}"#,
        r#"{"step": 0, "loss": 1.5}"#,
    ]);
    assert_eq!(run.row_steps.len(), 1);
    assert_eq!(run.config.number(&["lr"]), Some(("lr", 1e-5)));
    assert_eq!(run.config.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["device", "lr", "nested.a"]);
}

#[test]
fn settings_in_every_row_of_metrics_are_those_of_the_first() {
    let row = |step: u32| format!(r#"{{"training_iteration": {step}, "reward": 0.5, "config": {{"lr": {step}}}}}"#);
    let run = rows(&[&row(1), &row(2)]);
    assert_eq!((values(&run, "step"), run.config.number(&["lr"])), (&[1.0, 2.0][..], Some(("lr", 1.0))));
}

#[test]
fn a_step_with_its_total_is_the_step() {
    let run = rows(&[r#"{"global_step/max_steps": "3/120", "percentage": "2.50%", "loss": 0.5, "epoch": 0.1}"#]);
    assert_eq!(values(&run, "global_step"), [3.0]);
}

#[test]
fn rows_with_step_total_and_elapsed_time_tell_plan_and_times() {
    let row = |step: u32| {
        format!(
            r#"{{"reward": 0.{step}, "global_step/max_steps": "{step}/9", "elapsed_time": "{step}m 20s", "remaining_time": "1h 2s"}}"#
        )
    };
    let run = rows_of(&[row(1), row(2), row(9)]);
    assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["global_step", "reward"]);
    assert_eq!(run.row_times, [80.0, 140.0, 560.0]);
    assert_eq!(run.config.number(&["max_steps"]), Some(("max_steps", 9.0)));
    assert_eq!(run.ending.state, rundown_run::RunState::Finished);
    let running = rows_of(&[row(1), row(2)]);
    assert_eq!((running.config.len(), running.ending.state), (1, rundown_run::RunState::Unknown));
}

#[test]
fn a_last_row_that_is_called_done_is_the_end() {
    let state = |kinds: &[&str]| {
        let row = |(step, kind): (usize, &&str)| format!(r#"{{"event": "{kind}", "step": {step}, "loss": 0.5}}"#);
        rows_of(&kinds.iter().enumerate().map(row).collect::<Vec<_>>()).ending.state
    };
    assert_eq!(state(&["step", "step", "done"]), rundown_run::RunState::Finished);
    assert_eq!(state(&["step", "done", "step"]), rundown_run::RunState::Unknown, "it goes on");
    assert_eq!(state(&["step", "done", "step", "done"]), rundown_run::RunState::Unknown, "the end of each episode");
    let alone = rows(&[r#"{"event": "step", "step": 1, "loss": 0.5}"#, r#"{"event": "Finished"}"#]);
    assert_eq!((alone.ending.state, alone.row_steps.len()), (rundown_run::RunState::Finished, 1));
}

#[test]
fn of_a_key_that_stands_twice_the_last_value_counts() {
    assert_eq!(values(&rows(&[r#"{"step": 1, "loss": 1, "loss": 2}"#]), "loss"), [2.0]);
}

#[test]
fn evaluation_rows_do_not_mix_with_training() {
    let run = rows(&[r#"{"step": 1, "accuracy": 0.5}"#, r#"{"accuracy": 0.9, "log_type": "Eval", "step": 1}"#]);
    assert_eq!((values(&run, "accuracy"), values(&run, "eval/accuracy")), (&[0.5][..], &[0.9][..]));
    assert_eq!(values(&run, "step"), [1.0, 1.0]);
}

#[test]
fn rows_that_a_flag_marks_are_of_an_evaluation() {
    for mark in [
        r#""eval": true"#,
        r#""is_eval": true"#,
        r#""split": "eval""#,
        r#""phase": "eval", "type": "metrics""#,
        r#""mode": "eval""#,
        r#""type": "metrics", "event": "eval""#,
    ] {
        let run = rows(&[
            r#"{"step": 1, "reward": 0.5, "eval": false}"#,
            &format!(r#"{{"step": 2, {mark}, "ndcg@10": 0.25, "reward": 0.75, "val/acc": 1}}"#),
            &format!(r#"{{"ndcg@10": 0.5, "step": 4, {mark}}}"#),
        ]);
        assert_eq!(
            run.columns.keys().collect::<Vec<_>>(),
            ["eval/ndcg@10", "eval/reward", "reward", "step", "val/acc"]
        );
        assert_eq!((values(&run, "eval/ndcg@10"), values(&run, "reward")), (&[0.25, 0.5][..], &[0.5][..]), "{mark}");
    }
    for (split, prefix) in [("val", "val/"), ("test", "test/")] {
        let run = rows(&[&format!(r#"{{"step": 2, "split": "{split}", "recall@10": 0.25}}"#)]);
        assert_eq!(values(&run, &format!("{prefix}recall@10")), [0.25]);
    }
    let trial = rows(&[r#"{"step": 1, "test": true, "reward": 0.5}"#]);
    assert_eq!(values(&trial, "reward"), [0.5], "a row of a trial");
}

#[test]
fn exports_of_wandb_history_keep_their_counter_and_times() {
    let run =
        rows(&[r#"{"_step": 7, "_timestamp": 1.79e9, "_runtime": 3, "epoch": 1, "h": {"size": 3, "_type": "x"}}"#]);
    assert_eq!((&run.row_steps[..], &run.row_times[..]), (&[7.0][..], &[1.79e9][..]));
    assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["epoch"]);
}

#[test]
fn a_full_page_of_history_with_gaps_is_marked_as_sampled() {
    let history = |rows: u32, gap: u32, key: &str| {
        let line = |row: u32| format!(r#"{{"{key}": {}, "loss": 1}}"#, row * gap + row % gap.max(1));
        let lines: Vec<String> = (0..rows).map(line).collect();
        rows_of(&lines).sampling_of("loss")
    };
    assert_eq!(history(500, 3, "_step"), Some(Thinning::Rows));
    assert_eq!((history(500, 1, "_step"), history(499, 3, "_step"), history(500, 3, "step")), (None, None, None));
}

fn rows_of(lines: &[String]) -> Run {
    rows(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn other_names_of_the_step_are_known() {
    assert_eq!(values(&rows(&[r#"{"Iteration": 3, "loss": 1}"#]), "step"), [3.0]);
    assert_eq!(values(&rows(&[r#"{"epoch": 0.5, "loss": 1}"#]), "step"), [0.5]);
    let both = rows(&[r#"{"global_step": 10, "iteration": 3, "loss": 1}"#]);
    assert_eq!((values(&both, "global_step"), values(&both, "iteration")), (&[10.0][..], &[3.0][..]));
}

#[test]
fn a_duration_is_no_time_of_day() {
    let run = rows(&[r#"{"step": 1, "time": 12.5, "timestamp": 1700000000500}"#]);
    assert_eq!(values(&run, "time"), [12.5]);
    assert_eq!(run.row_times, [1_700_000_000.5]);
}

#[test]
fn a_short_name_of_the_time_is_known_by_its_values() {
    let run = rows(&[
        r#"{"step": 1, "ts": 1700000000.5, "loss": 1}"#,
        r#"{"step": 2, "ts": "2026-11-01T00:00:22Z", "loss": 1}"#,
    ]);
    assert_eq!(run.row_times, [1_700_000_000.5, 1_793_491_222.0]);
    assert_eq!(values(&rows(&[r#"{"step": 1, "ts": 12.5}"#]), "ts"), [12.5]);
}

#[test]
fn counts_in_texts_are_shares() {
    let run = rows(&[
        r#"{"step": 1, "correct": "3/16", "eval": {"solved": "1/4"}, "date": "3/16", "epoch": "1/3", "part": "1/2"}"#,
        r#"{"step": 2, "correct": "n/a", "eval": {"solved": "2/4"}, "part": "second"}"#,
        r#"{"step": 3, "correct": "12 / 16", "split": "eval"}"#,
    ]);
    assert_eq!(
        (values(&run, "correct"), run.columns["correct"].rows().iter().collect::<Vec<_>>()),
        (&[0.1875][..], vec![0])
    );
    assert_eq!(values(&run, "eval/correct"), [0.75]);
    assert_eq!(values(&run, "eval.solved"), [0.25, 0.5]);
    assert!(["date", "epoch", "part"].iter().all(|name| !run.columns.contains_key(*name)));
    let fractions = ["1/2", "1/3", "1/5", "1/7", "1/9"].map(|text| format!(r#"{{"step": 1, "answer": "{text}"}}"#));
    assert!(!rows_of(&fractions).columns.contains_key("answer"));
    let mixed = rows(&[r#"{"step": 1, "correct": "3/16"}"#, r#"{"step": 2, "correct": 0.5}"#]);
    assert_eq!(values(&mixed, "correct"), [0.5], "the number may count something else");
}

#[test]
fn samples_are_told_from_metrics() {
    let mut rows = MetricRows::default();
    rows.json_row(br#"{"step": 1, "prompt": "2+2", "completion": "4", "reward": 1}"#).unwrap();
    assert!(rows.are_samples());
    for (row, are_samples) in [
        (r#"{"step": 1, "question": "2+2", "pred": "four", "score": 1}"#, true),
        (r#"{"step": 1, "problem": "2+2", "solution": "four", "reward": 1}"#, true),
        (r#"{"step": 1, "task": "gsm8k", "reward": 1}"#, false),
        (r#"{"step": 1, "question": "2+2", "answer": "four", "loss": 1}"#, false),
    ] {
        let mut rows = MetricRows::default();
        rows.json_row(row.as_bytes()).unwrap();
        assert_eq!(rows.are_samples(), are_samples, "{row}");
    }
}

#[test]
fn a_broken_row_leaves_nothing_behind() {
    let mut rows = MetricRows::default();
    assert!(rows.json_row(br#"{"step": 1, "loss": 2, "kl": "#).is_err());
    assert!(rows.json_row(br#"{"step": 1} {"step": 2}"#).is_err());
    rows.json_row(br#"{"step": 1, "kl": 3}"#).unwrap();
    let run = rows.finish();
    assert_eq!((values(&run, "loss").len(), values(&run, "kl")), (0, &[3.0][..]));
}

#[test]
fn what_is_one_run_by_its_source_keeps_all_rows() {
    let mut rows = MetricRows::default();
    for (seed, step) in [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)] {
        rows.json_row(format!(r#"{{"seed": {seed}, "step": {step}, "reward": 0.5}}"#).as_bytes()).unwrap();
    }
    assert_eq!(rows.finish().columns["reward"].len(), 6);
}

#[test]
fn a_metric_is_named_of_an_evaluation_by_its_whole_first_word() {
    let mut rows = MetricRows::default();
    rows.json_row(br#"{"split": "train", "step": 1, "reward": 0.5, "value_loss": 2}"#).unwrap();
    rows.json_row(br#"{"split": "val", "step": 1, "reward": 0.25, "value_loss": 100, "val/acc": 1}"#).unwrap();
    let run = rows.finish();
    assert_eq!((values(&run, "value_loss"), values(&run, "val/value_loss")), (&[2.0][..], &[100.0][..]));
    assert_eq!((values(&run, "val/reward"), values(&run, "val/acc")), (&[0.25][..], &[1.0][..]));
}

#[test]
fn arrays_of_one_that_were_written_as_texts_are_numbers() {
    let run = rows_of(&[r#"{"step": 1, "loss": "tensor(0.5123, device='cuda:0')", "note": "loss (1)"}"#.to_owned()]);
    assert_eq!((values(&run, "loss"), run.columns.contains_key("note")), (&[0.5123][..], false));
}
