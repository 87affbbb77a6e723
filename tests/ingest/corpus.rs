//! The corpus of real runs, read as if dropped, against what its READMEs and its reference statistics say.

use rundown_ingest::json::Json;
use rundown_ingest::{RunAssembler, Weight};
use rundown_run::{AxisReason, ConfigValue, LoggedCell, Run, RunState};

use crate::support::{corpus, dropped, ingest, ingest_folder, named, read};

#[test]
fn a_folder_of_27_runs_is_27_runs() {
    let Some(folder) = corpus("tiny-grpo") else { return };
    let ingested = ingest_folder(&folder);
    let names: Vec<&str> = ingested.runs.iter().map(|run| run.name.as_str()).collect();
    let expected: Vec<String> =
        (1..=18).map(|n| format!("amber-{n:02}")).chain((1..=9).map(|n| format!("sweep-{n:02}"))).collect();
    assert_eq!(names, expected);
    for run in &ingested.runs {
        assert_eq!(run.axis.key, "train/global_step", "{}", run.name);
        assert!(run.axis.restarts.is_empty(), "{}", run.name);
        assert!(run.warnings.is_empty(), "{}: {:?}", run.name, run.warnings);
        assert!(run.config.get("learning_rate").is_some(), "{}", run.name);
        assert!(run.columns["train/reward"].len() >= 58, "{}", run.name);
    }
    // The run itself, and what belongs to it.
    let amber = named(&ingested.runs, "amber-01");
    let formats: Vec<&str> = amber.files.iter().map(|file| file.format.name()).collect();
    assert_eq!(formats, ["W&B run file", "JSON document", "TensorBoard events", "console log"]);
    assert_eq!(amber.columns.len(), 40, "the trainer state holds nothing that the run does not");
    assert_eq!(amber.series("train/reward").unwrap().len(), 600);
    assert_eq!(amber.config.get("train_batch_size"), Some(&ConfigValue::Number(32.0)));
    assert_eq!(named(&ingested.runs, "amber-10").ending.state, RunState::Crashed);
    assert_eq!(named(&ingested.runs, "amber-11").ending.state, RunState::Unknown);
    let tables = &named(&ingested.runs, "amber-17").tables;
    assert_eq!(tables.len(), 61);
    assert!(tables.iter().all(|table| table.content.as_ref().is_some_and(|content| !content.rows.is_empty())));
    let lost: Vec<&str> = ingested
        .problems
        .iter()
        .filter(|problem| problem.weight == Weight::Lost)
        .map(|problem| problem.file.as_str())
        .collect();
    assert_eq!(lost, [""; 0], "labels.json is no run, and no loss");
}

#[test]
fn neither_order_nor_slices_matter() {
    let Some(folder) = corpus("tiny-grpo") else { return };
    let mut files: Vec<(String, Vec<u8>)> = dropped(&folder)
        .into_iter()
        .filter(|(path, _)| path.contains("amber-0"))
        .map(|(path, file)| (path, std::fs::read(file).unwrap()))
        .collect();
    let mut assemble = |slice: usize| {
        files.reverse();
        let mut assembler = RunAssembler::default();
        files.iter().for_each(|(path, bytes)| assembler.add(read(path, bytes, slice)));
        assembler.assemble(Vec::new())
    };
    let (forward, backward) = (assemble(4 << 20), assemble(10_007));
    assert_eq!(forward.problems, backward.problems);
    assert_eq!(format!("{:?}", forward.runs), format!("{:?}", backward.runs));
}

#[test]
fn a_second_drop_of_the_same_files_adds_nothing() {
    let Some(folder) = corpus("tiny-grpo/amber-03") else { return };
    let first = ingest_folder(&folder);
    let mut assembler = RunAssembler::default();
    for (path, file) in dropped(&folder) {
        assembler.add(read(&path, &std::fs::read(file).unwrap(), 4 << 20));
    }
    let second = assembler.assemble(first.runs.clone());
    assert_eq!(second.runs.len(), 1);
    assert_eq!(second.runs[0].columns, first.runs[0].columns);
    assert_eq!(second.runs[0].files, first.runs[0].files);
    assert_eq!(second.runs[0].ending, first.runs[0].ending);
    assert_eq!(second.runs[0].row_steps.len(), first.runs[0].row_steps.len());
}

#[test]
fn public_logs_have_the_rows_that_their_readme_names() {
    let Some(folder) = corpus("public-logs") else { return };
    let ingested = ingest_folder(&folder);
    for (name, rows, last_step, keys) in [
        ("unsloth-grpo-250", 250, 250.0, &["reward", "kl", "rewards/correctness_reward_func"][..]),
        ("trl-wordle-4090-400", 400, 400.0, &["reward", "kl", "entropy", "learning_rate"]),
        ("trl-verilog-mp-lr2e-5-r64-280", 56, 280.0, &["completions/mean_length", "completions/clipped_ratio"]),
        ("trl-verilog-mp-lr2e-5-r64-40", 40, 40.0, &["reward"]),
        ("unsloth-nb-Llama3.1__8B_-GRPO.1", 250, 250.0, &["reward", "loss", "rewards/xmlcount_reward_func"]),
        ("unsloth-nb-Mistral_v0.3__7B_-GRPO.1", 250, 250.0, &["rewards/correctness_reward_func"]),
        ("unsloth-nb-Qwen2.5__3B_-GRPO.1", 250, 250.0, &["reward", "kl"]),
        ("unsloth-nb-Phi_4__14B_-GRPO.1", 100, 100.0, &["completion_length"]),
        ("trl-countdown-grpo", 49, 480.0, &["frac_reward_zero_std", "reward"]),
        ("custom-countdown-grpo", 500, 500.0, &["entropy", "approx_kl"]),
        ("verifier-as-reward-training_log_qwen05b_naive_seed8", 21, 400.0, &["accuracy"]),
    ] {
        let run = named(&ingested.runs, name);
        assert_eq!(run.row_steps.len(), rows, "{name}");
        assert_eq!(run.axis.key, "step", "{name}");
        assert_eq!(run.step_range().unwrap().1, last_step, "{name}");
        for key in keys {
            assert!(run.columns.contains_key(*key), "{name}: {key} of {:?}", run.columns.keys());
        }
    }
    // Console logs: rows of training and of validation, and the step of the last one.
    for (name, rows, last_step, keys) in [
        ("verl-gpg-math-qwen2-7b", 211, 210.0, &["actor/entropy", "val-core/openai/gsm8k/reward/mean@1"][..]),
        ("verl-ppo-gsm8k-gemma2-2b-0.640", 107, 105.0, &["critic/lr(1e-4)", "val/test_score/openai/gsm8k"]),
        ("verl-ppo-gsm8k-qwen2.5-0.5b-0.567", 435, 434.0, &["critic/grad_norm"]),
        ("verl-gui-cursor-demo", 2, 2.0, &["rollout/too_bad_sample_ratio"]),
        // Two logs of one run: it was resumed at step 100.
        ("search-r1-grpo-pre_resume_step100", 350, 300.0, &["val/success_rate", "actor/kl_loss"]),
        ("trl-hotpotqa-grpo", 94, 1875.0, &["kl", "rewards/combined_reward"]),
        ("trl-hotpotqa-grpo_v2", 46, 920.0, &["kl"]),
    ] {
        let run = named(&ingested.runs, name);
        assert_eq!((run.axis.key.as_str(), run.step_range().unwrap().1), ("step", last_step), "{name}");
        assert_eq!(run.row_steps.len(), rows, "{name}");
        for key in keys {
            assert!(run.columns.contains_key(*key), "{name}: {key} of {:?}", run.columns.keys());
        }
    }
    assert_eq!(ingested.runs.len(), 18);
    let resumed = named(&ingested.runs, "search-r1-grpo-pre_resume_step100");
    assert_eq!((resumed.files.len(), resumed.axis.restarts.len(), resumed.ending.state), (2, 1, RunState::Finished));
    assert_eq!(resumed.config.number(&["actor_rollout_ref.actor.kl_loss_coef"]).map(|(_, value)| value), Some(0.001));

    let value = |name: &str, key: &str, last: bool| {
        let series = named(&ingested.runs, name).series(key).unwrap();
        *if last { series.values.last() } else { series.values.first() }.unwrap()
    };
    // "healthy: correctness 0 -> 1.67", "zero-std groups .25 -> .5", "length explosion 163 -> 1917".
    assert_eq!(value("unsloth-grpo-250", "rewards/correctness_reward_func", false), 0.0);
    assert_eq!(value("trl-countdown-grpo", "frac_reward_zero_std", false), 0.25);
    let constant = &named(&ingested.runs, "custom-countdown-grpo").columns["entropy"];
    assert!(constant.len() == 500 && constant.values().iter().all(|value| *value == 0.0));
    // The first line is the config; null metrics are missing, not zero.
    let verifier = named(&ingested.runs, "verifier-as-reward-training_log_qwen05b_naive_seed8");
    assert_eq!(verifier.config.number(&["batch_size"]), Some(("batch_size", 8.0)));
    assert_eq!(verifier.config.get("eval_checkpoint"), Some(&ConfigValue::Null));
    assert_eq!(verifier.columns["accuracy"].len(), 21);
    assert!(verifier.columns["mean_reward"].len() < 21);
    let range = verifier.columns["accuracy"]
        .values()
        .iter()
        .fold((1.0_f64, 0.0_f64), |(low, high), value| (low.min(*value), high.max(*value)));
    assert!(range.0 <= 0.475 && range.1 >= 0.6, "{range:?}");
}

#[test]
fn public_series_equal_their_reference_statistics() {
    let Some(folder) = corpus("public-logs") else { return };
    let golden = std::fs::read(folder.join("golden_stats.json")).unwrap();
    // Not serde_json, which rounds the last digit of some numbers.
    let Json::Object(golden) = Json::parse(&golden).unwrap() else { panic!("no object") };
    let mut compared = 0;
    for (series, expected) in &golden {
        let (file, key) = series.split_once(" :: ").unwrap();
        let bytes = std::fs::read(folder.join(file)).unwrap();
        let run = ingest([(file, &bytes[..])]).runs.remove(0);
        let values = run.series(&key.replace(" / ", "/")).unwrap().finite().values;
        let number = |name: &str| expected.get(name).and_then(Json::metric).unwrap();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        assert_eq!(values.len() as f64, number("n"), "{series}");
        assert!((mean - number("mean")).abs() <= 1e-9 * number("mean").abs().max(1.0), "{series}: mean {mean}");
        assert_eq!(values.iter().copied().reduce(f64::min), Some(number("min")), "{series}");
        assert_eq!(values.iter().copied().reduce(f64::max), Some(number("max")), "{series}");
        compared += 1;
    }
    assert!(compared >= 20, "{compared}");
}

#[test]
fn every_kind_of_value_of_a_wandb_file_has_its_place() {
    let Some(folder) = corpus("wandb-files") else { return };
    let ingested = ingest_folder(&folder);
    let kinds = named(&ingested.runs, "fixture-kinds");
    assert_eq!((kinds.id.as_str(), kinds.project.as_deref()), ("iwiqa0cz", Some("fixture-project")));
    assert_eq!((kinds.group.as_deref(), kinds.job_type.as_deref()), (Some("g1"), Some("train")));
    assert_eq!(kinds.tags, ["fixture", "grpo"]);
    assert_eq!(kinds.axis.key, "train/global_step");
    assert!(kinds.axis.why == AxisReason::DefineMetric, "{:?}", kinds.axis.why);
    assert_eq!(kinds.columns["bool"].values()[..2], [1.0, 0.0]);
    assert_eq!(kinds.columns["nested.y.z"].values()[..2], [0.0, 2.0]);
    assert_eq!(kinds.columns["dotted.key"].values()[..2], [0.0, 1.0]);
    assert!(kinds.columns["train/loss"].nonfinite() > 0);
    assert!(kinds.columns["train/grad_norm"].values().contains(&f64::NEG_INFINITY));
    assert_eq!(kinds.histograms["hist"].len(), 6);
    assert!(kinds.histograms["hist"].iter().all(|histogram| histogram.edges.len() == 65));
    assert!(!kinds.columns.keys().any(|key| key.starts_with("hist") || key.starts_with("samples")));
    assert_eq!((kinds.tables[0].key.as_str(), kinds.tables[0].rows), ("samples", Some(3)));
    // The last of the tables has its file in the corpus, in a folder of another name.
    let content = kinds.tables.iter().find_map(|table| table.content.as_ref()).unwrap();
    assert_eq!(
        (&content.columns[..], content.rows.len()),
        (&["prompt", "completion", "reward"].map(String::from)[..], 3)
    );
    assert!(matches!(content.rows[1][2], LoggedCell::Number(value) if value.is_nan()));
    // Integers beyond 2^53 stay exact where they are shown.
    assert_eq!(kinds.summary.get("big"), Some(&ConfigValue::Text("9007199254741051".into())));
    assert_eq!(kinds.config.number(&["inf"]), Some(("inf", f64::INFINITY)));
    assert_eq!(kinds.row_steps.last(), Some(&500.0));
    assert!(kinds.row_times.iter().all(|time| (1.79e9..1.8e9).contains(time)));
    assert_eq!(kinds.ending.state, RunState::Finished);
    assert_eq!(kinds.log.lines[0].text, "step 0 loss 1.0");

    let killed = named(&ingested.runs, "fixture-killed");
    assert_eq!((killed.row_steps.len(), killed.ending.state), (595, RunState::Unknown));
    assert!(killed.ending.expects_exit && killed.ending.evidence[0].contains("no exit record"));
    assert_eq!(named(&ingested.runs, "fixture-longrow").columns.len(), 5000);
    assert_eq!(named(&ingested.runs, "g9dvvkua").system["network.sent"].values(), [260_096.0]);
    assert!(named(&ingested.runs, "header-only").row_steps.is_empty());
    let partial: Vec<&str> = ingested
        .problems
        .iter()
        .filter(|problem| problem.weight == Weight::Partial)
        .map(|problem| problem.file.as_str())
        .collect();
    assert_eq!(partial, ["wandb-files/header-only.wandb", "wandb-files/killed.wandb"]);
}

#[test]
fn simulated_systems_keep_their_histograms_and_tables() {
    let Some(folder) = corpus("systems") else { return };
    let ingested = ingest_folder(&folder);
    assert_eq!(ingested.runs.len(), 13);
    let rubric = named(&ingested.runs, "lattice-10");
    assert_eq!(rubric.histograms.values().map(Vec::len).sum::<usize>(), 60);
    assert!(rubric.columns.contains_key("criteria/rubric/math/final_answer_mean"));
    assert_eq!(rubric.config.get("use_lora"), Some(&ConfigValue::Bool(true)));
    let is_simulated = |run: &&Run| run.name.starts_with("lattice");
    let has_table = |run: &Run| run.tables.len() == 1 && run.tables[0].content.is_some();
    assert!(ingested.runs.iter().filter(is_simulated).all(has_table));
}
