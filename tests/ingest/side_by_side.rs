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
fn an_adapter_of_a_checkpoint_says_how_its_run_was_trained() {
    let ingested = ingest([
        ("out/metrics.csv", table("reward", 0.0).as_bytes()),
        ("out/checkpoint-20/adapter_config.json", b"{\"r\": 16, \"lora_alpha\": 32}"),
    ]);
    assert_eq!(settings(&ingested.runs[0]), ["peft_config.lora_alpha=32", "peft_config.r=16"]);
}
