//! Files of other kinds beside a run: which of them are a part of it, and which are runs of their own.

use rundown_diagnose::{Code, Rulebook, diagnose};
use rundown_ingest::Weight;
use rundown_run::Run;

use crate::made::{losses, trainer_pair, values};
use crate::support::{ingest, named};

#[test]
fn a_trainer_state_joins_the_run_that_it_lies_beside() {
    let (wandb, state) = trainer_pair();
    for place in [
        "out/trainer_state.json",
        "out/checkpoint-3/trainer_state.json",
        "out/wandb/run-20261120_000000-abc/files/trainer_state.json",
    ] {
        let ingested =
            ingest([("out/wandb/run-20261120_000000-abc/run-abc.wandb", &wandb[..]), (place, state.as_bytes())]);
        let [run] = &ingested.runs[..] else { panic!("{place}: {} runs", ingested.runs.len()) };
        assert_eq!(run.files.len(), 2, "{place}");
        // What the run has already is not added again; the rest gets W&B's names, at the rows of its steps.
        assert_eq!(run.columns["train/reward"].len(), 3);
        assert_eq!(run.series("eval/acc").unwrap().steps[..], [2.0]);
        assert_eq!(run.series("train/extra").unwrap().steps[..], [1.0]);
        assert!(run.axis.restarts.is_empty() && run.warnings.is_empty());
        assert!(run.ending.evidence.iter().any(|text| text.contains("step 3 of 3")));
    }
}

#[test]
fn histograms_of_a_joined_history_stay_at_their_steps() {
    let steps = 1..=8;
    let rows: Vec<String> =
        steps.clone().map(|step| format!(r#"{{"step": {step}, "loss": 0.{step}, "reward": 0.{step}5}}"#)).collect();
    let state = format!(r#"{{"is_world_process_zero": true, "log_history": [{}], "max_steps": 8}}"#, rows.join(", "));
    let histogram = r#"{"_type": "histogram", "values": [1, 2, 3], "bins": [0, 1, 2, 3]}"#;
    let history: String = steps
        .map(|step| {
            format!("{{\"step\": {step}, \"loss\": 0.{step}, \"reward\": 0.{step}5, \"scores\": {histogram}}}\n")
        })
        .collect();
    let files = [("a/trainer_state.json", state.as_bytes()), ("a/metrics.jsonl", history.as_bytes())];
    let ingested = ingest(files);
    let [run] = &ingested.runs[..] else { panic!("{} runs", ingested.runs.len()) };
    let histograms = &run.histograms["scores"];
    let step = |row: u32| run.axis.steps[row as usize];
    assert_eq!(
        histograms.iter().map(|histogram| step(histogram.row)).collect::<Vec<_>>(),
        [1., 2., 3., 4., 5., 6., 7., 8.]
    );
}

#[test]
fn a_trainer_state_with_other_numbers_is_another_run() {
    let (wandb, _) = trainer_pair();
    let other =
        r#"{"is_world_process_zero": true, "log_history": [{"step": 1, "reward": 9}, {"step": 2, "reward": 8}]}"#;
    let ingested = ingest([("x/a/run-abc.wandb", &wandb[..]), ("x/b/trainer_state.json", other.as_bytes())]);
    assert_eq!(ingested.runs.iter().map(|run| run.name.as_str()).collect::<Vec<_>>(), ["abc", "b"]);
}

#[test]
fn a_trainer_state_between_two_runs_joins_neither() {
    let (wandb, state) = trainer_pair();
    let second = losses("xyz", &[(0, 1.0)]).unfinished();
    let files = [
        ("x/a/run-abc.wandb", &wandb[..]),
        ("x/b/run-xyz.wandb", &second[..]),
        ("x/trainer_state.json", state.as_bytes()),
    ];
    assert_eq!(ingest(files).runs.len(), 3);
}

/// Rows of an export of the run `abc`, from `first` on; W&B's `_step` counts by two.
fn history(first: u32, last: u32, loss: f64) -> String {
    let row = |step: u32| {
        let loss = loss / f64::from(step + 1);
        format!(r#"{{"_step": {}, "_timestamp": {}, "loss": {loss}, "extra": {step}}}"#, step * 2, 1_793_491_222 + step)
    };
    let rows: Vec<String> = (first..last).map(row).collect();
    format!(r#"{{"id": "abc", "name": "n", "config": {{"lr": 1}}, "summary": {{}}, "history": [{}]}}"#, rows.join(", "))
}

#[test]
fn an_export_with_the_id_of_a_run_is_that_run() {
    let run_file = |rows: u32| {
        let rows: Vec<(u64, f64)> = (0..rows).map(|step| (u64::from(step) * 2, 3.0 / f64::from(step + 1))).collect();
        losses("abc", &rows).finish(0)
    };
    let (whole, cut) = (run_file(9), run_file(5));
    let export = history(0, 9, 3.0);
    // Two W&B runs lie around it: only the id says of which it is.
    let other = losses("xyz", &[(0, 7.0), (2, 8.0)]).finish(0);
    let beside = |file: &[u8], export: &str| {
        ingest([
            ("w/run-20261120_000000-abc/run-abc.wandb", file),
            ("w/run-20261120_000001-xyz/run-xyz.wandb", &other[..]),
            ("exports/abc.json", export.as_bytes()),
        ])
    };
    for (file, warnings) in [(&whole, 0), (&cut, 1)] {
        let ingested = beside(file, &export);
        assert_eq!((ingested.runs.len(), &ingested.problems[..]), (2, &[][..]));
        let run = named_id(&ingested.runs, "abc");
        assert_eq!((run.files.len(), run.row_steps.len(), run.warnings.len()), (2, 9, warnings), "{:?}", run.warnings);
        assert_eq!(values(run, "loss"), (1..=9).map(|step| 3.0 / f64::from(step)).collect::<Vec<_>>());
        assert_eq!(values(run, "extra"), (0..9).map(f64::from).collect::<Vec<_>>());
        assert_eq!(run.series("extra").unwrap().steps, (0..9).map(|step| f64::from(step * 2)).collect::<Vec<_>>());
        assert!(run.config.get("lr").is_some());
    }
    // Ids are unique in a project only: other numbers are another run.
    assert_eq!(beside(&whole, &history(0, 9, 5.0)).runs.len(), 3);
}

fn named_id<'r>(runs: &'r [Run], id: &str) -> &'r Run {
    runs.iter().find(|run| run.id == id).unwrap()
}

#[test]
fn a_console_log_joins_its_run_and_a_lone_one_is_a_remark() {
    let wandb = losses("abc", &[(0, 1.0)]).unfinished();
    let log = b"starting\n\x1b[31mCUDA out of memory\x1b[0m\n";
    let ingested = ingest([
        ("w/run-20261120_000000-abc/run-abc.wandb", &wandb[..]),
        ("w/run-20261120_000000-abc/files/output.log", log),
    ]);
    let lines: Vec<&str> = ingested.runs[0].log.lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(lines, ["starting", "CUDA out of memory"]);
    assert!(ingested.problems.is_empty());
    let apart = ingest([("w/run-abc.wandb", &wandb[..]), ("other/output.log", log)]);
    assert!(apart.runs[0].log.lines.is_empty());
    assert_eq!(apart.problems[0].weight, Weight::Remark);
}

#[test]
fn a_lone_log_that_shows_why_nothing_was_tracked_is_a_run() {
    let log = b"$ python train_grpo.py --num-steps 100 --no-wandb\nLoading the model\n";
    let ingested = ingest([("job/train.log", &log[..])]);
    assert_eq!((ingested.runs.len(), &ingested.problems[..]), (1, &[][..]));
    let found = diagnose(&ingested.runs[0], &Rulebook::default());
    let finding = found.findings.iter().find(|finding| finding.code == Code::NoMetrics).unwrap();
    assert_eq!(finding.detail.to_string(), "Line 1 of the log: “--no-wandb”.");
    // W&B has the metrics of this one.
    let started = b"wandb: Tracking run with wandb version 0.19.9\nLoading the model\n";
    let ingested = ingest([("job/train.log", &started[..])]);
    assert_eq!((ingested.runs.len(), ingested.problems.len()), (0, 1));
    // And this one has them itself.
    let rows = b"python train.py --no-wandb\nstep:1 - kl:0.5\nstep:2 - kl:0.25\n";
    let ingested = ingest([("job/train.log", &rows[..])]);
    let found = diagnose(&ingested.runs[0], &Rulebook::default());
    assert!(found.findings.iter().all(|finding| finding.code != Code::NoMetrics));
}

#[test]
fn a_run_file_without_rows_takes_those_of_its_log() {
    let header = b":W&B\xe1\xbe\x00";
    let log = b"step:1 - kl:0.5\nstep:2 - kl:0.25\n";
    let folder = "w/run-20261120_000000-abc";
    let (wandb, output) = (format!("{folder}/run-abc.wandb"), format!("{folder}/files/output.log"));
    let ingested = ingest([(wandb.as_str(), &header[..]), (output.as_str(), &log[..])]);
    let [run] = &ingested.runs[..] else { panic!("{} runs", ingested.runs.len()) };
    assert_eq!((values(run, "kl"), &run.origins["kl"][..]), (&[0.5, 0.25][..], &[1][..]));
    assert_eq!(run.series("kl").unwrap().steps[..], [1.0, 2.0]);
}

#[test]
fn a_table_with_the_numbers_of_a_run_joins_it() {
    let (wandb, _) = trainer_pair();
    let csv = "global_step,train/reward,extra\n1,0.25,5\n2,0.5,6\n3,0.75,7\n";
    let other = csv.replace("0.", "8.");
    let ingested = ingest([
        ("out/wandb/run-20261120_000000-abc/run-abc.wandb", &wandb[..]),
        ("out/history.csv", csv.as_bytes()),
        ("out/other.csv", other.as_bytes()),
    ]);
    assert_eq!(ingested.runs.iter().map(|run| run.name.as_str()).collect::<Vec<_>>(), ["other", "abc"]);
    let run = named(&ingested.runs, "abc");
    assert_eq!(
        (run.series("extra").unwrap().steps.to_vec(), &run.origins["extra"][..]),
        (vec![1.0, 2.0, 3.0], &[1][..])
    );
    assert_eq!(run.origins["train/reward"], [0, 1]);
}

#[test]
fn settings_and_launch_scripts_beside_a_history_are_its_settings() {
    let rows: String = (0..5).map(|step| format!("{{\"step\": {step}, \"reward\": 0.{step}}}\n")).collect();
    let script = "set -x\npython3 train.py --temperature 0.9 \\\n  --learning_rate 2e-6\n";
    let files: [(&str, &[u8]); 4] = [
        ("a/metrics.jsonl", rows.as_bytes()),
        ("a/config.json", b"{\"learning_rate\": 1e-6, \"beta\": 0.04}"),
        ("a/train.sh", script.as_bytes()),
        ("a/model/config.json", b"{\"architectures\": [\"Qwen2ForCausalLM\"], \"hidden_size\": 8}"),
    ];
    let ingested = ingest(files);
    let [run] = &ingested.runs[..] else { panic!("{} runs", ingested.runs.len()) };
    let config: Vec<String> = run.config.iter().map(|(key, value)| format!("{key}={value}")).collect();
    // Of two files that name a setting, the first in the order of names counts.
    assert_eq!(config, ["beta=0.04", "learning_rate=1e-6", "temperature=0.9"]);
}

#[test]
fn logs_of_several_jobs_in_a_folder_are_joined_by_their_names() {
    let error = "Traceback (most recent call last):\n  File \"main.py\", line 1, in run\nNotImplementedError\n";
    let printed = "$ python train_grpo.py --num-steps 100 --no-wandb\nLoading the model\n";
    let mut files: Vec<(String, &str)> = Vec::new();
    for job in 2631..2639 {
        files.push((format!("logs/slurm-{job}.err"), error));
        files.push((format!("logs/slurm-{job}.out"), printed));
    }
    for _ in 0..2 {
        let ingested = ingest(files.iter().map(|(name, text)| (name.as_str(), text.as_bytes())));
        let names: Vec<&str> = ingested.runs.iter().map(|run| run.name.as_str()).collect();
        let expected: Vec<String> = (2631..2639).map(|job| format!("slurm-{job}")).collect();
        assert_eq!((names, &ingested.problems[..]), (expected.iter().map(String::as_str).collect(), &[][..]));
        assert!(ingested.runs.iter().all(|run| run.files.len() == 2));
        files.reverse();
    }
}

#[test]
fn what_a_job_writes_to_its_other_stream_is_of_its_run() {
    let rows = |first: u32| -> String {
        (1..20).map(|step| format!("step:{step} - kl:0.{:03} - loss:{first}.5\n", first * 20 + step)).collect()
    };
    let (one, two) = (rows(1), rows(2));
    let error = b"Traceback (most recent call last):\n  File \"main.py\", line 1, in run\nValueError: no\n";
    let ingested = ingest([
        ("logs/grpo-7.out", one.as_bytes()),
        ("logs/grpo-8.out", two.as_bytes()),
        ("logs/grpo-8.err", &error[..]),
    ]);
    let crashed = |run: &Run| run.ending.state == rundown_run::RunState::Crashed;
    let found: Vec<(&str, usize, bool)> =
        ingested.runs.iter().map(|run| (run.name.as_str(), run.files.len(), crashed(run))).collect();
    assert_eq!(found, [("grpo-7", 1, false), ("grpo-8", 2, true)]);
    // Alone in the folder a run takes the log of its launcher, and not that of another job.
    for (name, runs) in [("logs/stderr.log", 1), ("logs/launcher.log", 1), ("logs/grpo-8.err", 2)] {
        assert_eq!(ingest([("logs/grpo-7.out", one.as_bytes()), (name, &error[..])]).runs.len(), runs, "{name}");
    }
}
