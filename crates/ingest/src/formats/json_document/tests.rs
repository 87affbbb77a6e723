//! Shapes of JSON documents, and what is no run.

use super::*;
use rundown_run::{ConfigValue, RunState};

fn read(text: &str) -> (Vec<PartialRun>, Vec<Problem>) {
    let mut reader = Box::new(DocumentReader::new("out/trainer_state.json"));
    for part in text.as_bytes().chunks(11) {
        reader.push(part);
    }
    reader.finish(&mut FileEnd::default())
}

const STATE: &str = r#"{
  "best_metric": null, "global_step": 20, "is_world_process_zero": true,
  "log_history": [
    {"epoch": 0.1, "loss": 0.5, "reward": NaN, "kl": null, "step": 10},
    {"epoch": 0.1, "eval_reward": 0.9, "step": 10},
    {"epoch": 0.2, "loss": 0.25, "reward": 1.5, "step": 20},
    {"step": 20, "train_loss": 0.3, "train_runtime": 12.5}
  ],
  "max_steps": 40, "stateful_callbacks": {"TrainerControl": {"args": {"x": true}}}, "train_batch_size": 2 }"#;

#[test]
fn a_trainer_state_is_a_run() {
    let (parts, problems) = read(STATE);
    assert_eq!(problems, []);
    let run = &parts[0].run;
    assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["epoch", "eval_reward", "loss", "reward", "step"]);
    assert_eq!(run.columns["step"].values(), [10.0, 10.0, 20.0]);
    assert_eq!(run.columns["eval_reward"].rows(), [1]);
    assert!(run.columns["reward"].values()[0].is_nan());
    assert_eq!(run.config.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["max_steps", "train_batch_size"]);
    assert_eq!(run.summary.get("train_runtime"), Some(&ConfigValue::Number(12.5)));
    assert_eq!(run.summary.get("global_step"), Some(&ConfigValue::Number(20.0)));
    assert_eq!(run.ending.state, RunState::Finished);
}

#[test]
fn lists_with_steps_of_their_own_are_rows_at_these() {
    let lists = r#""ep_rewards": [1, 2, 3, 4], "ep_timesteps": [5, 9, 14, 20], "eval_rewards": [6, 7, 8], "eval_timesteps": [5, 10, 20]"#;
    let points = |run: &rundown_run::Run, key: &str| {
        let column = &run.columns[key];
        column.points().map(|(row, value)| (run.columns["step"].values()[row as usize], value)).collect::<Vec<_>>()
    };
    let losses = r#"[{"step": 6, "loss": 0.5}, {"step": 12, "loss": 0.25}, {"step": 18, "loss": 0.125}]"#;
    for text in [format!("{{{lists}}}"), format!("{{{lists}, \"losses\": {losses}}}")] {
        let (parts, _) = read(&text);
        assert_eq!(parts.len(), 1);
        assert_eq!(points(&parts[0].run, "ep_rewards"), [(5.0, 1.0), (9.0, 2.0), (14.0, 3.0), (20.0, 4.0)]);
        assert_eq!(points(&parts[0].run, "eval_rewards"), [(5.0, 6.0), (10.0, 7.0), (20.0, 8.0)]);
    }
    let (parts, _) = read(&format!("{{{lists}, \"losses\": {losses}}}"));
    assert_eq!(points(&parts[0].run, "loss"), [(6.0, 0.5), (12.0, 0.25), (18.0, 0.125)]);
    assert!(read(r#"{"ep_rewards": [1, 2, 3, 4], "ep_lengths": [5, 9, 14], "ep_steps": [5, 9, 14]}"#).0.is_empty());
}

#[test]
fn a_list_of_entries_alone_is_a_run_that_ended() {
    let (parts, _) = read(r#"[{"loss": 1, "step": 1}, {"train_runtime": 9.5, "train_loss": 1.5, "step": 2}]"#);
    assert_eq!(parts[0].run.ending.state, RunState::Finished);
}

#[test]
fn rows_without_a_step_are_a_run_where_they_are_a_log() {
    let rows = |row: fn(u32) -> String| format!("[{}]", (1..5).map(row).collect::<Vec<_>>().join(","));
    let episodes = rows(|at| format!(r#"{{"episode": {at}, "score": 0.{at}}}"#));
    assert_eq!(read(&episodes).0[0].run.columns["step"].values(), [1.0, 2.0, 3.0, 4.0]);
    let batches = rows(|at| format!(r#"{{"epoch": 1, "batch_reward": 0.{at}, "loss": {at}}}"#));
    assert_eq!(read(&batches).0[0].run.row_steps.len(), 4);
    let same_episode = rows(|at| format!(r#"{{"episode": 1, "score": 0.{at}}}"#));
    assert!(read(&same_episode).0.is_empty(), "a data set");
    let samples = rows(|at| format!(r#"{{"prompt": "p", "response": "r", "reward": {at}, "loss": 1}}"#));
    assert!(
        read(&samples).0.iter().all(|part| part.run.row_steps.is_empty() || part.run.columns.is_empty()),
        "samples"
    );
}

#[test]
fn a_cut_trainer_state_keeps_its_entries() {
    let (parts, problems) = read(STATE.split("\"loss\": 0.25").next().unwrap());
    assert_eq!(parts[0].run.columns["step"].values(), [10.0, 10.0]);
    assert_eq!(parts[0].run.ending.state, RunState::Unknown);
    assert_eq!(problems[0].weight, Weight::Partial);
}

#[test]
fn an_export_with_history_and_a_bare_list_are_runs() {
    let (parts, _) =
        read(r#"{"name": "n", "config": {"lr": 1}, "history": [{"_step": 5, "loss": 1}], "summary": {"loss": 1}}"#);
    let run = &parts[0].run;
    assert_eq!((run.name.as_str(), run.config.len(), run.summary.len(), &run.row_steps[..]), ("n", 1, 1, &[5.0][..]));
    assert_eq!(read(r#"[{"step": 1, "loss": 1}, {"step": 2, "loss": 0}]"#).0[0].run.row_steps.len(), 2);
}

#[test]
fn any_other_json_is_passed_over_and_says_what_is_read() {
    for text in [r#"{"a": 1}"#, "[1, 2]", r#"[{"id": 1}]"#, "{}", r#"{"runs": [{"x": 1}]}"#, r#"{"a": {"b": [1]}}"#] {
        let (parts, problems) = read(text);
        assert!(parts.is_empty(), "{text}");
        assert_eq!(problems[0].weight, Weight::Remark);
        assert!(problems[0].remedy.contains("trainer_state.json"));
    }
    assert_eq!(read(r#"{"a": "#).1[0].weight, Weight::Lost);
}

fn values(text: &str, key: &str) -> Vec<f64> {
    let (parts, problems) = read(text);
    assert_eq!(problems, [], "{text}");
    parts[0].run.columns.get(key).map(|column| column.values().to_vec()).unwrap_or_default()
}

#[test]
fn every_orientation_of_pandas_is_the_same_run() {
    for text in [
        r#"[{"_step":0,"train\/loss":2.0,"name":"a"},{"_step":5,"train\/loss":null},{"_step":10,"train\/loss":1.5}]"#,
        r#"{"_step":{"0":0,"1":5,"2":10},"train\/loss":{"0":2.0,"1":null,"2":1.5},"name":{"0":"a"}}"#,
        r#"{"columns":["_step","train\/loss","name"],"index":[0,1,2],"data":[[0,2.0,"a"],[5,null,"b"],[10,1.5,"c"]]}"#,
        r#"{"0":{"_step":0,"train\/loss":2.0},"1":{"_step":5,"train\/loss":null},"2":{"_step":10,"train\/loss":1.5}}"#,
        r#"{"schema":{"fields":[{"name":"index","type":"integer"}]},"data":[{"index":0,"_step":0,"train\/loss":2.0},{"index":1,"_step":5},{"index":2,"_step":10,"train\/loss":1.5}]}"#,
        r#"{"_step":[0,5,10],"train\/loss":[2.0,null,1.5]}"#,
        r#"{"id": "x", "config": {}, "history": {"_step":[0,5,10],"train\/loss":[2.0,null,1.5]}}"#,
    ] {
        assert_eq!(values(text, "train/loss"), [2.0, 1.5], "{text}");
    }
}

fn points(text: &str, key: &str) -> Vec<(f64, f64)> {
    let (mut parts, problems) = read(text);
    assert_eq!((parts.len(), &problems[..]), (1, &[][..]), "{text}");
    let run = &mut parts[0].run;
    run.choose_axis();
    assert!(run.axis.restarts.is_empty(), "{text}");
    let step = |row: u32| run.axis.steps[row as usize];
    run.columns[key].points().map(|(row, value)| (step(row), value)).collect()
}

#[test]
fn labels_in_the_file_of_a_curve_are_steps() {
    let rows = br#"{"100": {"em": 0, "f1": 0.1}, "250": {"em": 0.4, "f1": 0.5}, "500": {"em": 0.5, "f1": 0.6}}"#;
    for (file, steps) in [("eval_curve.json", &[100.0, 250.0, 500.0][..]), ("eval_results.json", &[][..])] {
        let mut reader = Box::new(DocumentReader::new(file));
        reader.push(rows);
        let parts = reader.finish(&mut FileEnd::default()).0;
        assert_eq!(parts.first().map_or(&[][..], |part| part.run.columns["step"].values()), steps, "{file}");
    }
}

#[test]
fn labels_that_do_not_just_number_the_rows_are_steps() {
    for text in [
        r#"{"10": {"reward": 1, "kl": 4}, "20": {"reward": 2, "kl": 5}, "30": {"reward": 3, "kl": 6}}"#,
        r#"{"reward": {"10": 1, "20": 2, "30": 3}, "kl": {"10": 4, "30": 6, "20": 5}}"#,
        r#"{"reward": [[10, 1], [20, 2], [30, 3]], "kl": [[10, 4], [20, 5], [30, 6]]}"#,
        r#"{"step_10": {"reward": 1}, "step_30": {"reward": 3}, "step_20": {"reward": 2}}"#,
        r#"{"lr": 0.1, "curves": {"reward": {"10": 1, "20": 2, "30": 3}, "kl": {"10": 4, "20": 5, "30": 6}}}"#,
        r#"{"config": {"lr": 1}, "metrics": {"step": [10, 20, 30], "reward": [1, 2, 3]}}"#,
    ] {
        assert_eq!(points(text, "reward"), [(10.0, 1.0), (20.0, 2.0), (30.0, 3.0)], "{text}");
    }
    let checkpoints =
        r#"{"checkpoint-50": {"acc": 0.1}, "checkpoint-100": {"acc": 0.2}, "checkpoint-150": {"acc": 0.3}}"#;
    assert_eq!(points(checkpoints, "acc"), [(50.0, 0.1), (100.0, 0.2), (150.0, 0.3)]);
    for other in [
        r#"{"1001": {"score": 1}, "1007": {"score": 2}, "1009": {"score": 3}}"#,
        r#"{"rewards": [[1, 2], [5, 4], [3, 9]], "kl": [[9, 4], [2, 5], [3, 6]]}"#,
        r#"{"gpu_0": {"loss": 1, "kl": 2}, "gpu_1": {"loss": 1, "kl": 2}, "gpu_2": {"loss": 1, "kl": 2}}"#,
    ] {
        assert_eq!(read(other).0.len(), 0, "{other}");
    }
}

#[test]
fn evaluations_that_are_kept_apart_come_between_the_rows() {
    for text in [
        r#"{"step": [1, 2, 3, 4], "loss": [5, 4, 3, 2], "eval/acc": {"2": 0.5, "4": 0.6}}"#,
        r#"{"step": [1, 2, 3, 4], "loss": [5, 4, 3, 2], "eval/acc": [[2, 0.5], [4, 0.6], [5, 0.7]]}"#,
        r#"{"train": [{"step": 1, "loss": 5}, {"step": 2, "loss": 4}, {"step": 4, "loss": 2}],
            "eval_history": [{"step": 2, "acc": 0.5}, {"step": 4, "acc": 0.6}]}"#,
        r#"{"train": {"step": [1, 2, 4], "loss": [5, 4, 2]}, "evals": {"step": [2, 4], "acc": [0.5, 0.6]}}"#,
    ] {
        assert_eq!(points(text, "eval/acc")[..2], [(2.0, 0.5), (4.0, 0.6)], "{text}");
        assert_eq!(points(text, "loss")[..2], [(1.0, 5.0), (2.0, 4.0)], "{text}");
    }
}

#[test]
fn a_complete_export_is_a_run_with_everything() {
    let text = r#"{"id": "ab12", "name": "amber", "state": "finished", "created_at": "2026-11-01T00:00:22Z", "tags": ["a", "b"],
        "config": {"lr": {"value": 1e-5, "desc": null}, "_wandb": {"value": {"t": 1}}}, "summary": {"loss": 0.5, "_wandb": {"runtime": 3}},
        "url": "https://wandb.ai/e/p/runs/ab12", "group": null, "history": [{"_step": 0, "loss": NaN}, {"_step": 3, "loss": 0.5}],
        "artifacts": [{"name": "model:v1", "type": "model", "version": "v1", "aliases": ["latest"], "size": 12, "created_at": "2026-11-01T00:00:22Z"}],
        "metrics": {"loss": {"data_points": 1, "values": [{"_step": 3, "value": 9}], "min": 9}}}"#;
    let (parts, problems) = read(text);
    assert_eq!(problems, []);
    let run = &parts[0].run;
    assert_eq!((run.id.as_str(), run.name.as_str(), run.ending.state), ("ab12", "amber", RunState::Finished));
    assert_eq!((run.tags.len(), run.started_at, run.row_steps.len()), (2, Some(1_793_491_222.0), 2));
    assert_eq!(run.columns["loss"].values()[1], 0.5);
    assert_eq!(run.config.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["lr"]);
    assert_eq!(run.summary.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["loss", "url"]);
    assert_eq!((run.artifacts[0].kind.as_str(), run.artifacts[0].bytes), ("model", Some(12.0)));
}

#[test]
fn the_exporter_scripts_file_is_the_run_that_the_api_gives() {
    // As src/wandb/exporter.py writes it; a NaN of scan_history is a word.
    let text = r#"{"id": "ab12", "name": "amber-1", "entity": "team", "project": "tiny", "state": "crashed", "tags": ["a", "b, c"],
        "created_at": "2026-11-01T00:00:22Z", "config": {"_wandb": {"t": {"1": [5]}, "m": [{"1": "train/global_step", "6": [3]}, {"2": "*", "5": 1}]}, "lr": 1e-05, "n": {"a": "x"}, "url": null},
        "summary": {"train/reward": 0.5, "_step": 3, "_wandb": {"runtime": 9}}, "group": "g", "job_type": "train", "sweep_name": "sw1", "notes": "two\nlines",
        "history": [{"_step": 0, "_timestamp": 1793491222.5, "_runtime": 1, "train/global_step": 1, "train/reward": "NaN"}, {"_step": 3, "_timestamp": 1793491223.5, "train/global_step": 2, "train/reward": 0.5, "h": {"_type": "histogram", "values": [1], "bins": [0, 1]}}]}"#;
    let (mut parts, problems) = read(text);
    assert_eq!(problems, []);
    let run = &mut parts[0].run;
    run.choose_axis();
    assert_eq!((run.id.as_str(), run.name.as_str(), run.ending.state), ("ab12", "amber-1", RunState::Crashed));
    let optional = [&run.entity, &run.project, &run.group, &run.job_type, &run.sweep, &run.notes];
    let optional: Vec<_> = optional.into_iter().map(|text| text.as_deref().unwrap_or_default()).collect();
    assert_eq!(optional, ["team", "tiny", "g", "train", "sw1", "two\nlines"]);
    assert_eq!(
        (run.tags.as_slice(), run.started_at),
        (&["a".to_owned(), "b, c".to_owned()][..], Some(1_793_491_222.0))
    );
    assert_eq!(run.config.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["lr", "n.a", "url"]);
    assert_eq!(run.summary.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["_step", "train/reward"]);
    assert_eq!(
        (run.metric_rules.len(), run.axis.key.as_str(), run.axis.why),
        (2, "train/global_step", rundown_run::AxisReason::DefineMetric)
    );
    assert!(run.columns["train/reward"].values()[0].is_nan());
    assert_eq!(run.histograms["h"][0].row, 1);
    assert_eq!((&run.row_steps[..], run.row_times[1]), (&[0.0, 3.0][..], 1_793_491_223.5));
}

#[test]
fn an_address_names_the_run_where_nothing_else_does() {
    let of = |url: &str| {
        let text = format!(
            r#"{{"url": "{url}", "name": "n", "config": {{}}, "summary": {{"a": 1}}, "history": [{{"_step": 0, "a": 1}}]}}"#
        );
        let run = read(&text).0.remove(0).run;
        (run.id, run.entity, run.project)
    };
    let named = ("x1".to_owned(), Some("e".to_owned()), Some("p".to_owned()));
    assert_eq!(of("https://wandb.ai/e/p/runs/x1?nw=u"), named);
    assert_eq!(of("https://example.com/e/p"), (String::new(), None, None));
}

#[test]
fn metrics_with_steps_of_their_own_and_runs_without_history_are_read() {
    let metrics = r#"{"run_id": "x", "run_name": "amber", "x_axis": "_step", "data_points": 2,
        "metrics": {"a": {"values": [{"_step": 1, "value": 2}]}, "b": {"values": [{"_step": 1, "value": 3}, {"_step": 2, "value": 4}]}}}"#;
    assert_eq!(values(metrics, "b"), [3.0, 4.0]);
    let bare = read(r#"{"name": "n", "config": {"lr": 1}, "summary": {"loss": 1}}"#).0;
    assert_eq!((bare[0].run.row_steps.len(), bare[0].run.config.len()), (0, 1));
}

#[test]
fn a_list_of_runs_is_several_runs() {
    let text = r#"[{"id": "a", "config": {"lr": 1}, "summary": {}, "history": [{"_step": 1, "x": 1}]}, {"id": "b", "config": {"lr": 2}, "summary": {"x": 2}}]"#;
    let (parts, problems) = read(text);
    assert_eq!(problems, []);
    let ids: Vec<_> = parts.iter().map(|f| (f.run.id.as_str(), f.run.row_steps.len())).collect();
    assert_eq!(ids, [("a", 1), ("b", 0)]);
    assert_eq!(read(&format!(r#"{{"runs": {text}, "comparison": {{}}}}"#)).0.len(), 2);
}

#[test]
fn a_list_with_one_row_a_run_is_several_runs() {
    let rows = r#"[{"run_name": "a", "lr": 1e-5, "reward": 0.5}, {"run_name": "b", "lr": 2e-5, "reward": 0.75}]"#;
    let lists = ["runs", "results"].map(|key| format!(r#"{{"sweep": "s", "{key}": {rows}, "other": [{{"x": 1}}]}}"#));
    for text in lists.into_iter().chain([rows.to_owned()]) {
        let (parts, problems) = read(&text);
        assert_eq!(problems, []);
        let found: Vec<_> = parts.iter().map(|part| (part.run.name.as_str(), part.run.row_steps.len())).collect();
        assert_eq!(found, [("a", 0), ("b", 0)], "{text}");
    }
    let history = format!(r#"{{"history": [{{"step": 1, "loss": 1}}], "results": {rows}}}"#);
    assert_eq!(read(&history).0[0].run.columns["loss"].values(), [1.0], "the run itself comes before others");
    let steps = rows.replace("lr", "step").replace("1e-5", "1").replace("2e-5", "2");
    assert!(read(&steps).0.iter().all(|part| part.run.row_steps.len() == 1), "rows of two runs");
}

#[test]
fn runs_with_lists_beside_their_settings_are_read_with_both() {
    let text = r#"{"sweep": [{"lr": 1}], "runs": [
        {"tag": "warm", "lr": 1e-5, "model": "m", "peak": 0.4, "reward_trace": [0.1, 0.2, 0.4]},
        {"tag": "cold", "lr": 2e-5, "model": "m", "peak": 0.3, "reward_trace": [0.1, 0.3, 0.2]}]}"#;
    let (parts, _) = read(text);
    let names: Vec<_> = parts.iter().map(|part| part.run.name.as_str()).collect();
    assert_eq!(names, ["warm", "cold"]);
    let run = &parts[1].run;
    assert_eq!(run.columns["reward_trace"].values(), [0.1, 0.3, 0.2]);
    assert_eq!((run.config.number(&["lr"]), run.summary.len()), (Some(("lr", 2e-5)), 1), "{:?}", run.summary);
    let experiments = read(&text.replace("tag", "experiment_id")).0;
    assert_eq!((experiments[0].run.name.as_str(), &experiments[0].run.project), ("warm", &None));
    let results = text.split_once(r#""runs": "#).unwrap().1.trim_end_matches('}');
    assert_eq!(read(results).0.len() + read(&format!(r#"{{"results": {results}}}"#)).0.len(), 4, "in any list");
    let groups = r#"[{"seed": 1, "rewards": [0, 1, 0]}, {"seed": 2, "rewards": [0, 1, 0]}]"#;
    assert!(read(groups).0.iter().all(|part| part.run.columns.is_empty()), "the rewards of groups");
    let samples = r#"{"runs": [{"prompt": "a", "rewards": [0, 1, 0], "completions": ["x", "y", "z"]}]}"#;
    assert!(read(samples).0.iter().all(|part| part.run.row_steps.is_empty()));
}

#[test]
fn a_bare_list_is_the_curve_that_its_file_is_called() {
    let read_as = |path: &str, text: &str| {
        let mut reader = Box::new(DocumentReader::new(path));
        reader.push(text.as_bytes());
        reader.finish(&mut FileEnd::default()).0
    };
    let parts = read_as("out/reward_curve.json", "[0.1, 0.2, null, 0.4, 0.5]");
    assert_eq!(parts[0].run.columns["reward_curve"].values(), [0.1, 0.2, 0.4, 0.5]);
    let none = [("rewards.json", "[1, 0, 1, 1]"), ("reward_curve.json", r#"["a", "b", "c"]"#), ("x.json", "[1, 2, 3]")];
    assert!(none.iter().all(|(path, text)| read_as(path, text).is_empty()), "values of samples, or of anything");
}

#[test]
fn tables_with_the_same_metrics_under_names_of_their_own_are_runs() {
    let table = |last: u32| format!(r#"{{"steps": [1, 2, 3], "reward": [0, 1, {last}], "kl": [0, 0, 0]}}"#);
    let (parts, _) = read(&format!(r#"{{"easy": {}, "hard": {}}}"#, table(5), table(6)));
    let runs: Vec<_> =
        parts.iter().map(|part| (part.run.name.as_str(), part.run.columns["reward"].values()[2])).collect();
    assert_eq!(runs, [("easy", 5.0), ("hard", 6.0)]);
    let (parts, _) = read(&format!(r#"{{"train": {}, "eval": {}}}"#, table(5), table(6)));
    assert_eq!(parts.len(), 1, "an evaluation is no run of its own");
}

#[test]
fn rows_without_a_step_are_counted_where_they_are_of_a_training() {
    let episodes = r#"[{"episode": 5, "reward": 0.5, "tier": "a"}, {"episode": 10, "reward": 0.6, "tier": "b"}]"#;
    assert_eq!((values(episodes, "step"), values(episodes, "reward")), (vec![5.0, 10.0], vec![0.5, 0.6]));
    let bare = r#"[{"loss": 3, "reward": 1}, {"loss": 2, "reward": 2}, {"loss": 1, "reward": 3}]"#;
    assert_eq!(values(bare, "loss"), [3.0, 2.0, 1.0]);
    assert_eq!(values(&format!(r#"{{"log": {bare}}}"#), "loss"), [3.0, 2.0, 1.0]);
    for lists in
        [r#"{"rewards": [1, 2, 3], "kl": [0, 1, 2]}"#, r#"{"history": {"losses": [1, 2, 3], "kl": [0, 1, 2]}}"#]
    {
        assert_eq!(values(lists, "kl"), [0.0, 1.0, 2.0], "{lists}");
    }
    for other in [
        r#"[{"model": "a", "accuracy": 0.5, "score": 1}, {"model": "b", "accuracy": 0.6, "score": 2}, {"model": "c", "score": 3}]"#,
        r#"[{"reward": 1, "length": 5}, {"reward": 0, "length": 6}, {"reward": 1, "length": 7}]"#,
        r#"{"rewards": [1, 2, 3], "kl": [0, 1]}"#,
        r#"{"prompts": ["a", "b", "c"], "rewards": [1, 2, 3], "kl": [0, 1, 2]}"#,
    ] {
        assert_eq!(read(other).0.len(), 0, "{other}");
    }
}

#[test]
fn lists_by_epoch_or_episode_are_a_history() {
    for axis in ["epoch", "episode", "iteration", "Epoch"] {
        let text = format!(r#"{{"lr": 1e-5, "{axis}": [1, 2, 4], "reward": [0.5, 0.25, 0.75]}}"#);
        assert_eq!(points(&text, "reward"), [(1.0, 0.5), (2.0, 0.25), (4.0, 0.75)], "{text}");
    }
    let parts = r#"{"history": {"epoch": [0.5, 1.0, 1.5], "eval_accuracy": [0.5, 0.25, 0.75]}}"#;
    assert_eq!(points(parts, "eval_accuracy")[2], (1.5, 0.75));
    for other in [
        r#"{"epoch": [3, 2, 4], "reward": [1, 2, 3]}"#,
        r#"{"epoch": [1, 1, 2], "reward": [1, 2, 3]}"#,
        r#"{"epoch": [1, 2, 3], "size": [1, 2, 3]}"#,
        r#"{"episode": [1, 2, 3], "reward": [1, 2]}"#,
        r#"{"episode": [1, 2, 3], "prompt": ["a", "b", "c"], "reward": [1, 2, 3]}"#,
    ] {
        assert_eq!(read(other).0.len(), 0, "{other}");
    }
}

#[test]
fn a_closing_row_says_that_the_run_is_finished() {
    let row = r#"{"loss": 0.5, "reward": 1.0, "step": 10}"#;
    let closing = r#"{"train_runtime": 224.3, "train_loss": 0.1, "epoch": 0.5, "step": 10}"#;
    let state = |text: &str| read(text).0[0].run.ending.state;
    assert_eq!(state(&format!("[{row}, {closing}]")), RunState::Finished);
    assert_eq!(state(&format!("[{closing}, {row}]")), RunState::Unknown);
    assert_eq!(state(&format!("[{row}]")), RunState::Unknown);
}

#[test]
fn replies_of_axiom_and_downloads_of_tensorboard_are_read() {
    let legacy = r#"{"status": {"elapsedTime": 1}, "matches": [{"_time": "2026-11-01T00:00:01Z", "_rowId": "r", "data": {"event": "rollout_complete", "duration_s": 5}}],
        "buckets": {"series": [], "totals": [{"group": {"event": "rollout_start"}, "aggregations": [{"op": "count_", "value": 9}]}]}}"#;
    assert_eq!(values(legacy, "axiom/rollout/duration_s"), [5.0]);
    let tabular = r#"{"format": "tabular", "status": {}, "tables": [{"name": "0", "fields": [{"name": "_time", "type": "datetime"}, {"name": "event", "type": "string"}, {"name": "duration_s", "type": "float"}],
        "columns": [["2026-11-01T00:00:01Z"], ["rollout_complete"], [5]]}], "datasetNames": ["d"]}"#;
    assert_eq!(values(tabular, "axiom/rollout/duration_s"), [5.0]);
    let (parts, _) = read("[[1790000000.5, 1, 0.5], [1790000001.5, 2, NaN]]");
    assert_eq!(parts[0].run.row_steps, [1.0, 2.0]);
}

#[test]
fn control_characters_and_duplicate_keys_do_not_matter() {
    assert_eq!(
        values("[{\"step\": 1, \"a\": 1, \"a\": 12345678901234567890, \"t\": \"x\ty\n\"}]", "a"),
        [1.234_567_890_123_456_8e19]
    );
}
