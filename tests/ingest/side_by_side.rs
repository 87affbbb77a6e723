//! Files side by side in one folder: settings of several runs, and one training in several files.

use rundown_run::Run;

use crate::support::{ingest, named};

/// A table of a metric that changes with each step.
fn table(metric: &str, start: f64) -> String {
    let rows: String = (1..=20).map(|step| format!("{step},{}\n", start + f64::from(step) / 7.0)).collect();
    format!("step,{metric}\n{rows}")
}

fn settings(run: &Run) -> Vec<String> {
    run.config.iter().map(|(key, value)| format!("{key}={value}")).collect()
}

#[test]
fn settings_beside_several_runs_are_those_of_all() {
    let (amber, birch) = (table("reward", 0.0), table("reward", 9.0));
    let beside = |name: &'static str, config: &'static str| {
        ingest([("x/amber.csv", amber.as_bytes()), ("x/birch.csv", birch.as_bytes()), (name, config.as_bytes())])
    };
    for (name, config) in [
        ("x/config.json", "{\"learning_rate\": 0.5}"),
        ("x/config.yaml", "learning_rate: 0.5\n"),
        ("x/resolved_config.yaml", "learning_rate: 0.5\n"),
        ("x/resolved_config.json", "{\"learning_rate\": 0.5}"),
        ("x/run_args.json", "{\"learning_rate\": 0.5}"),
        ("x/training_args.json", "{\"learning_rate\": 0.5}"),
    ] {
        let ingested = beside(name, config);
        assert_eq!((ingested.runs.len(), ingested.problems.len()), (2, 0), "{name}");
        assert!(ingested.runs.iter().all(|run| settings(run) == ["learning_rate=0.5"]), "{name}");
    }
    let ingested = beside("x/config.json", "{\"output_dir\": \"out/birch/\"}");
    assert!(named(&ingested.runs, "amber").config.is_empty(), "it names the other");
    assert_eq!(settings(named(&ingested.runs, "birch")), ["output_dir=out/birch/"]);
    let ingested = beside("config.json", "{\"learning_rate\": 0.5}");
    assert!(ingested.runs.iter().all(|run| run.config.is_empty()), "runs of a folder below have their own");
}

#[test]
fn settings_beside_runs_that_have_their_own_are_of_none() {
    let amber = table("reward", 0.0);
    let birch =
        "{\"config\": {\"learning_rate\": 0.1}, \"history\": [{\"step\": 1, \"a\": 1}, {\"step\": 2, \"a\": 3}]}";
    let ingested = ingest([
        ("x/amber.csv", amber.as_bytes()),
        ("x/birch.json", birch.as_bytes()),
        ("x/config.json", b"{\"learning_rate\": 0.5}"),
    ]);
    assert_eq!(ingested.runs.len(), 2);
    assert!(named(&ingested.runs, "amber").config.is_empty());
    assert_eq!(settings(named(&ingested.runs, "birch")), ["learning_rate=0.1"]);
}

#[test]
fn settings_around_the_only_run_are_its_own() {
    let amber = table("reward", 0.0);
    let birch =
        "{\"config\": {\"learning_rate\": 0.1}, \"history\": [{\"step\": 1, \"a\": 1}, {\"step\": 2, \"a\": 3}]}";
    let files: [(&str, &[u8]); 3] = [
        ("x/config.json", b"{\"beta\": 0.04}"),
        ("x/logs/amber.csv", amber.as_bytes()),
        ("x/other/birch.json", birch.as_bytes()),
    ];
    let ingested = ingest(files.into_iter().take(2));
    assert_eq!(settings(&ingested.runs[0]), ["beta=0.04"]);
    assert_eq!(ingested.without_run, [""; 0]);
    let second: (&str, &[u8]) = ("x/args.json", b"{\"learning_rate\": 0.5}");
    let ingested = ingest(files.into_iter().take(2).chain([second]));
    assert_eq!(settings(&ingested.runs[0]), ["beta=0.04", "learning_rate=0.5"], "of two files");
    // A project may have settings, runs that bring theirs, and an old table that is of none of them.
    let ingested = ingest(files);
    assert!(named(&ingested.runs, "amber").config.is_empty(), "of two runs, one with its own");
    assert_eq!(settings(named(&ingested.runs, "birch")), ["learning_rate=0.1"]);
    assert_eq!(ingested.without_run, ["x/config.json"]);
}

#[test]
fn yaml_of_any_name_brings_the_settings_of_a_training() {
    let (amber, birch) = (table("reward", 0.0), table("reward", 9.0));
    let settings_at = |rate: &str| format!("# GRPO\nlearning_rate: {rate}\nnum_generations: 8\nbeta: 0.04\n");
    let (first, second) = (settings_at("0.5"), settings_at("0.25"));
    let of = |rate: &str| ["beta=0.04".to_owned(), format!("learning_rate={rate}"), "num_generations=8".to_owned()];

    let ingested = ingest([("x/metrics.csv", amber.as_bytes()), ("x/grpo_gsm8k.yaml", first.as_bytes())]);
    assert_eq!((settings(&ingested.runs[0]), ingested.problems.len()), (of("0.5").to_vec(), 0));

    let two = [("x/amber.csv", amber.as_bytes()), ("x/birch.csv", birch.as_bytes())];
    let named_as_runs = [("x/amber.yaml", first.as_bytes()), ("x/birch.yaml", second.as_bytes())];
    let ingested = ingest(two.into_iter().chain(named_as_runs));
    assert_eq!(settings(named(&ingested.runs, "amber")), of("0.5"));
    assert_eq!(settings(named(&ingested.runs, "birch")), of("0.25"));

    let dotted = [("x/beta0.04.csv", amber.as_bytes()), ("x/beta0.1.csv", birch.as_bytes())];
    let named_as_runs = [("x/beta0.04.yaml", first.as_bytes()), ("x/beta0.1.yaml", second.as_bytes())];
    let ingested = ingest(dotted.into_iter().chain(named_as_runs));
    assert_eq!(settings(named(&ingested.runs, "beta0.04")), of("0.5"), "a dot in the name of a run");

    // Which of two trainings it was, nothing says.
    let ingested = ingest([two[0], ("x/base.yaml", first.as_bytes()), ("x/large.yaml", second.as_bytes())]);
    assert!(ingested.runs[0].config.is_empty());
    // What is named as settings always are goes before.
    let ingested = ingest([two[0], ("x/base.yaml", first.as_bytes()), ("x/config.yaml", second.as_bytes())]);
    assert_eq!(settings(&ingested.runs[0]), of("0.25"));
    let ingested = ingest([two[0], ("x/tests.yml", b"name: tests\non: [push]\njobs: {}\n")]);
    assert!(ingested.runs[0].config.is_empty());
}

#[test]
fn json_of_any_name_brings_the_settings_of_a_training() {
    let (third, fourth) = (table("reward", 0.0), table("reward", 9.0));
    let settings_at = |rate: &str| format!("{{\"learning_rate\": {rate}, \"max_steps\": 20, \"beta\": 0.04}}");
    let (first, second) = (settings_at("0.5"), settings_at("0.25"));
    let of = |rate: &str| ["beta=0.04".to_owned(), format!("learning_rate={rate}"), "max_steps=20".to_owned()];

    for name in ["x/ppo_grpo_v2.json", "x/run_manifest.json", "x/train_args.json"] {
        let ingested = ingest([("x/metrics.csv", third.as_bytes()), (name, first.as_bytes())]);
        assert_eq!((settings(&ingested.runs[0]), ingested.problems.len()), (of("0.5").to_vec(), 0), "{name}");
    }
    let two = [("x/seed3.csv", third.as_bytes()), ("x/seed4.csv", fourth.as_bytes())];
    let ingested = ingest(two.into_iter().chain([("x/exp_config_final.json", first.as_bytes())]));
    assert!(ingested.runs.iter().all(|run| settings(run) == of("0.5")), "of all");
    let named_as_runs = [("x/seed3.json", first.as_bytes()), ("x/hparams_seed4.json", second.as_bytes())];
    let ingested = ingest(two.into_iter().chain(named_as_runs));
    assert_eq!(settings(named(&ingested.runs, "seed3")), of("0.5"));
    assert_eq!(settings(named(&ingested.runs, "seed4")), of("0.25"));
    let ingested = ingest(two.into_iter().chain([named_as_runs[0]]));
    assert!(named(&ingested.runs, "seed4").config.is_empty(), "it names the other");
    let ingested = ingest([two[1], named_as_runs[0]]);
    assert!(ingested.runs[0].config.is_empty(), "it names another");
    assert_eq!(ingested.without_run, ["x/seed3.json"]);
    let generation = b"{\"temperature\": 0.6, \"top_p\": 0.95, \"top_k\": 20, \"max_new_tokens\": 2048}";
    let ingested = ingest([two[0], ("x/generation_config.json", &generation[..])]);
    assert!(ingested.runs[0].config.is_empty(), "of the model");
}

#[test]
fn an_adapter_of_a_checkpoint_says_how_its_run_was_trained() {
    let ingested = ingest([
        ("out/metrics.csv", table("reward", 0.0).as_bytes()),
        ("out/checkpoint-20/adapter_config.json", b"{\"r\": 16, \"lora_alpha\": 32}"),
    ]);
    assert_eq!(settings(&ingested.runs[0]), ["peft_config.lora_alpha=32", "peft_config.r=16"]);
}

/// The same training three times: as a list of rows, as lines, and as a table.
const REWARDS: &str =
    "[{\"step\": 10, \"reward\": 0.1}, {\"step\": 20, \"reward\": 0.3}, {\"step\": 30, \"reward\": 0.6}]";
const LOSSES: &str = "step,loss,kl\n10,0.5,0.01\n20,0.25,0.02\n30,0.125,0.03\n";
const EVALUATIONS: &str =
    "{\"step\": 0, \"accuracy\": 0.2}\n{\"step\": 15, \"accuracy\": 0.4}\n{\"step\": 30, \"accuracy\": 0.5}\n";

#[test]
fn metrics_of_one_training_in_a_file_each_are_one_run() {
    let files = [
        ("out/amber/rewards.json", REWARDS.as_bytes()),
        ("out/amber/losses.csv", LOSSES.as_bytes()),
        ("out/amber/eval_results.jsonl", EVALUATIONS.as_bytes()),
        ("out/amber/config.json", b"{\"learning_rate\": 0.5}"),
    ];
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2]] {
        let ingested = ingest(order.map(|place| files[place]));
        let [run] = &ingested.runs[..] else { panic!("{} runs", ingested.runs.len()) };
        assert_eq!(
            (run.name.as_str(), run.files.len(), settings(run)),
            ("amber", 4, vec!["learning_rate=0.5".to_owned()])
        );
        assert_eq!(run.axis.steps, [0.0, 10.0, 15.0, 20.0, 30.0]);
        let series = |key: &str| run.series(key).map(|series| (series.steps.to_vec(), series.values.to_vec()));
        assert_eq!(series("reward"), Some((vec![10.0, 20.0, 30.0], vec![0.1, 0.3, 0.6])));
        assert_eq!(series("loss"), Some((vec![10.0, 20.0, 30.0], vec![0.5, 0.25, 0.125])));
        assert_eq!(series("eval/accuracy"), Some((vec![0.0, 15.0, 30.0], vec![0.2, 0.4, 0.5])));
        assert!(run.axis.restarts.is_empty() && run.warnings.is_empty(), "{:?}", run.warnings);
    }
}

#[test]
fn files_that_may_be_other_trainings_stay_apart() {
    let count = |files: &[(&str, &str)]| ingest(files.iter().map(|(name, text)| (*name, text.as_bytes()))).runs.len();
    let longer = LOSSES.replace("30,", "300,");
    let same_metric = LOSSES.replace("loss", "reward");
    for (why, files) in [
        ("a file has the name of a run", [("a/rewards.json", REWARDS), ("a/ppo.csv", LOSSES)]),
        ("other folders", [("a/rewards.json", REWARDS), ("b/losses.csv", LOSSES)]),
        ("other steps", [("a/rewards.json", REWARDS), ("a/losses.csv", &longer)]),
        ("other values of one metric", [("a/rewards.json", REWARDS), ("a/metrics.csv", &same_metric)]),
        ("numbers tell runs apart", [("a/rewards_1.json", REWARDS), ("a/losses_2.csv", LOSSES)]),
        ("another counter", [("a/rewards.json", REWARDS), ("a/losses.csv", &LOSSES.replace("step", "epoch"))]),
        (
            "an evaluation beyond the end",
            [("a/losses.csv", LOSSES), ("a/eval.jsonl", &EVALUATIONS.replace("30", "90"))],
        ),
    ] {
        assert_eq!(count(&files), 2, "{why}");
    }
}

#[test]
fn a_part_may_have_its_evaluations_in_rows_of_their_own() {
    let rows = |phase: &str| {
        let row = |step: usize, reward: f64| format!("{{{phase}\"step\": {step}, \"reward\": {reward}}}\n");
        [0.1, 0.35, 0.42, 0.7].iter().enumerate().map(|(step, reward)| row(step, *reward)).collect::<String>()
    };
    let joined = |last: &str| {
        let all = format!("{}{last}\n", rows("\"phase\": \"train\", "));
        ingest([("a/train_metrics.jsonl", rows("").as_bytes()), ("a/training.jsonl", all.as_bytes())]).runs
    };
    let runs = joined("{\"phase\": \"eval\", \"step\": 3, \"reward\": 0.5}");
    let [run] = &runs[..] else { panic!("{} runs", runs.len()) };
    assert_eq!((run.columns["reward"].len(), run.columns["eval/reward"].values()), (4, &[0.5][..]));
    assert_eq!(run.axis.steps, [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(joined("{\"phase\": \"train\", \"step\": 3, \"reward\": 0.5}").len(), 2, "two rewards of a step");
    let beyond =
        "{\"phase\": \"train\", \"step\": 4, \"reward\": 0.8}\n{\"phase\": \"eval\", \"step\": 4, \"reward\": 0.5}";
    assert_eq!(joined(beyond)[0].axis.steps, [0.0, 1.0, 2.0, 3.0, 4.0], "two rows of a new step are one");
}

/// A trainer's state with this many rows of a log.
fn trainer_state(rows: u32, factor: f64) -> String {
    let entry = |step: u32| format!("{{\"step\": {step}, \"reward\": {}}}", factor * f64::from(step * step % 17) / 7.0);
    let entries: Vec<String> = (1..=rows).map(entry).collect();
    format!("{{\"is_world_process_zero\": true, \"global_step\": {rows}, \"log_history\": [{}]}}", entries.join(", "))
}

#[test]
fn copies_of_a_trainer_state_are_one_run() {
    let (short, long) = (trainer_state(10, 1.0), trainer_state(20, 1.0));
    for (first, second) in [
        ("trainer_state_500.json", "trainer_state_1000.json"),
        ("checkpoint-500_trainer_state.json", "checkpoint-1000_trainer_state.json"),
        ("trainer_state.json", "trainer_state_1000.json"),
        ("trainer_state_500.json", "trainer_state.json"),
    ] {
        let (first, second) = (format!("out/amber/{first}"), format!("out/amber/{second}"));
        let mut files = [(first.as_str(), short.as_bytes()), (second.as_str(), long.as_bytes())];
        for _ in 0..2 {
            let ingested = ingest(files);
            let [run] = &ingested.runs[..] else { panic!("{first}: {} runs", ingested.runs.len()) };
            assert_eq!((run.name.as_str(), run.row_steps.len(), run.files.len()), ("amber", 20, 2), "{first}");
            let origin = run.origins["reward"].iter().map(|place| run.files[*place].path.as_str());
            assert_eq!(origin.collect::<Vec<_>>(), [second.as_str()], "the rows are from the longer one");
            files.reverse();
        }
    }
    let other = trainer_state(20, 2.0);
    let apart = ingest([("a/trainer_state_1.json", short.as_bytes()), ("a/trainer_state_2.json", other.as_bytes())]);
    assert_eq!(apart.runs.len(), 2, "another training");
    let folders = ingest([("a/x_trainer_state.json", short.as_bytes()), ("b/x_trainer_state.json", long.as_bytes())]);
    assert_eq!(folders.runs.len(), 2, "other folders");
    let longest = trainer_state(40, 1.0);
    let elsewhere = |other: &str| {
        let files = [("a/checkpoint-20/trainer_state.json", long.as_str()), ("a/best/trainer_state.json", other)];
        let runs = ingest(files.map(|(name, text)| (name, text.as_bytes()))).runs;
        runs.iter().map(|run| (run.name.clone(), run.row_steps.len(), run.files.len())).collect::<Vec<_>>()
    };
    let copied = "a checkpoint that was copied to another folder: the run lies where its own checkpoints do";
    assert_eq!(elsewhere(&longest), [("a".to_owned(), 40, 2)], "{copied}");
    assert_eq!(elsewhere(&trainer_state(40, 2.0)).len(), 2, "another training");
    assert_eq!(elsewhere(&short).len(), 2, "too few rows to tell");
    let planned = longest.replace("{\"is_world", "{\"max_steps\": 90, \"is_world");
    assert_eq!(elsewhere(&planned).len(), 2, "a training that went on for more steps");
}

/// The lines that a loop prints of a table, with fewer digits.
fn printed(table: &str, metric: &str, digits: usize) -> String {
    let rows = table.lines().skip(1).filter_map(|row| row.split_once(','));
    rows.map(|(step, value)| format!("step {step}: {metric}={:.digits$} lr=1e-6\n", value.parse::<f64>().unwrap()))
        .collect()
}

#[test]
fn a_table_and_the_log_that_prints_its_rows_are_one_run() {
    let noisy = |factor: f64| {
        let rows: String =
            (1..=30).map(|step| format!("{step},{}\n", factor * f64::from(step * step % 17) / 7.0)).collect();
        format!("step,reward\n{rows}")
    };
    let (one, other) = (noisy(1.0), noisy(1.2));
    for digits in [2, 4] {
        let log = printed(&one, "reward", digits);
        for order in [[0, 1], [1, 0]] {
            let files = [("x/metrics.csv", one.as_bytes()), ("x/train.log", log.as_bytes())];
            let ingested = ingest(order.map(|place| files[place]));
            let [run] = &ingested.runs[..] else { panic!("{} runs", ingested.runs.len()) };
            assert_eq!((run.row_steps.len(), run.files.len(), &run.origins["reward"][..]), (30, 2, &[0, 1][..]));
        }
        let apart = ingest([("x/metrics.csv", other.as_bytes()), ("x/train.log", log.as_bytes())]);
        assert_eq!(apart.runs.len(), 2, "other numbers");
        // Of several runs in a folder the log is of the one with its numbers.
        let ingested = ingest([
            ("x/amber.csv", one.as_bytes()),
            ("x/birch.csv", other.as_bytes()),
            ("x/amber.log", log.as_bytes()),
            ("x/birch.log", printed(&other, "Reward", digits).as_bytes()),
        ]);
        let files = |name: &str| named(&ingested.runs, name).files.len();
        assert_eq!((ingested.runs.len(), files("amber"), files("birch")), (2, 2, 2));
    }
}

#[test]
fn saved_states_and_samples_are_no_runs() {
    let metrics = table("reward", 0.0);
    let samples = "{\"step\": 1, \"question\": \"2+2\", \"pred\": \"four\", \"score\": 1}\n".repeat(5);
    for (name, text) in [
        ("training_state.json", "{\"step\": 40, \"epoch\": 2, \"best_reward\": 0.6}"),
        ("state.json", "{\"step\": 40, \"loss\": 0.1}"),
        ("rng_state.json", "{\"seed\": 42, \"step\": 40}"),
        ("scheduler_state.json", "{\"last_epoch\": 40, \"_last_lr\": [1e-7]}"),
        ("generations.jsonl", &samples),
    ] {
        let beside = ingest([("x/metrics.csv", metrics.as_bytes()), (&format!("x/{name}"), text.as_bytes())]);
        assert_eq!(beside.runs.iter().map(|run| run.row_steps.len()).collect::<Vec<_>>(), [20], "{name}");
        let alone = ingest([(name, text.as_bytes())]);
        assert_eq!((alone.runs.len(), alone.problems.len()), (0, 1), "{name}: what it is must be said");
    }
    // A history under such a name is one.
    let rows = "[{\"step\": 1, \"reward\": 0.5}, {\"step\": 2, \"reward\": 0.7}]";
    assert_eq!(ingest([("training_state.json", rows.as_bytes())]).runs.len(), 1);
    let result = b"{\"step\": 40, \"accuracy\": 0.6}";
    assert_eq!(ingest([("eval_checkpoint.json", &result[..])]).runs.len(), 1, "an evaluation is no state");
}

#[test]
fn a_log_that_counts_its_rows_in_another_way_joins_their_table() {
    let value = |step: u32| f64::from(step * step % 17) / 7.0;
    let log = |first: u32, factor: f64| -> String {
        let line = |step: u32| format!("step {}: reward={:.3} lr=1e-6\n", step - 1 + first, factor * value(step));
        (1..=20).map(line).collect()
    };
    let counted: String = (1..=20).map(|step| format!("{step},{}\n", value(step))).collect();
    let counted = format!("step,reward\n{counted}");
    let bare: String = (1..=20).map(|step| format!("{},0.5\n", value(step))).collect();
    let bare = format!("reward,kl\n{bare}");
    for (table, first) in [(&counted, 0), (&counted, 2), (&bare, 1), (&bare, 10)] {
        let files = |log: &str| ingest([("x/metrics.csv", table.as_bytes()), ("x/train.log", log.as_bytes())]).runs;
        let runs = files(&log(first, 1.0));
        let [run] = &runs[..] else { panic!("{first}: {} runs", runs.len()) };
        let steps = run.series("reward").unwrap().steps.to_vec();
        let from = if table == &bare { f64::from(first) } else { 1.0 };
        assert_eq!((steps[0], steps.len(), run.warnings.len()), (from, 20, 0), "{first}");
        assert_eq!(files(&log(first, 1.3)).len(), 2, "other numbers");
    }
    let runs = ingest([("x/metrics.csv", counted.as_bytes()), ("x/train.log", log(4, 1.0).as_bytes())]).runs;
    assert_eq!(runs.len(), 2, "three steps later is another row");
}
