//! Several starts in one file, the epochs of one training, and rows for each sample of a step.

use std::fmt::Write as _;

use rundown_run::Run;

use crate::support::ingest;

/// A line for each step of segments of so many steps, counted from 1 in each; `share` is of the segment.
fn lines(segments: &[usize], line: impl Fn(usize, usize, f64) -> String) -> String {
    let mut text = String::new();
    for (segment, steps) in segments.iter().enumerate() {
        for step in 1..=*steps {
            let noise = ((segment * 31 + step * 7919) % 97) as f64 / 2000.0;
            let _ = writeln!(text, "{}", line(segment, step, step as f64 / *steps as f64 + noise));
        }
    }
    text
}

fn read(name: &str, text: &str) -> Vec<Run> {
    let ingested = ingest([(name, text.as_bytes())]);
    assert!(ingested.problems.is_empty(), "{:?}", ingested.problems);
    ingested.runs
}

#[test]
fn each_start_in_a_file_is_a_run() {
    let json = |_: usize, step: usize, share: f64| {
        format!(r#"{{"step": {step}, "reward": {:.4}, "loss": {:.4}}}"#, 0.2 + 0.4 * share, 0.01 * share)
    };
    let log = |_: usize, step: usize, share: f64| {
        format!(
            "INFO:root:step {step} | loss 0.0100 | reward {:.4} | entropy {:.4}",
            0.2 + 0.4 * share,
            0.6 - 0.2 * share
        )
    };
    for (name, text) in [("many.jsonl", lines(&[30, 45, 120], json)), ("many.log", lines(&[30, 45, 120], log))] {
        let runs = read(name, &text);
        let points: Vec<usize> = runs.iter().map(|run| run.series("reward").unwrap().len()).collect();
        assert_eq!(points, [30, 45, 120], "{name}");
        assert!(runs[1].name.ends_with("(start 2)") && runs[1].id != runs[0].id, "{}", runs[1].name);
        assert!(runs[1].warnings[0].message().contains("holds 3 starts"), "{:?}", runs[1].warnings);
    }
}

#[test]
fn a_file_that_is_dropped_again_gives_no_further_starts() {
    let text = lines(&[30, 45, 120], |_, step, share| format!(r#"{{"step": {step}, "reward": {share:.4}}}"#));
    let twice = ingest([("a/many.jsonl", text.as_bytes()), ("a/many.jsonl", text.as_bytes())]);
    assert_eq!(twice.runs.len(), 3);
}

#[test]
fn the_first_rows_of_an_earlier_start_are_no_run() {
    let text = lines(&[5, 200], |_, step, share| format!("{step},{:.4},{:.4}", 0.2 + 0.4 * share, 0.1 * share));
    let runs = read("rewards.csv", &format!("step,reward,kl\n{text}"));
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0].series("reward").unwrap().len(), 200);
}

#[test]
fn the_epochs_of_a_training_are_one_run() {
    let json = |segment: usize, step: usize, _: f64| {
        format!(r#"{{"epoch": {segment}, "step": {step}, "reward": 0.5, "loss": 0.{step}}}"#)
    };
    let log = |segment: usize, step: usize, _: f64| {
        format!("Epoch {}/4 Batch {step}/50 loss: 0.0{step} reward: 0.5{}", segment + 1, step % 7)
    };
    for (name, text) in [("epochs.jsonl", lines(&[50; 4], json)), ("epochs.log", lines(&[50; 4], log))] {
        let runs = read(name, &text);
        assert_eq!(runs.len(), 1, "{name}");
        let series = runs[0].series("reward").unwrap();
        assert_eq!((series.len(), series.superseded), (200, 0), "{name}: {:?}", runs[0].axis.why);
    }
}

#[test]
fn rows_of_samples_are_means_of_their_steps() {
    let mut text = String::new();
    for step in 1..=40 {
        for rollout in 0..8 {
            let reward = u8::from(rollout < step % 9);
            let _ = writeln!(text, r#"{{"step": {step}, "log_type": "train", "reward": {reward}}}"#);
            let _ = writeln!(text, r#"{{"step": {step}, "log_type": "eval", "reward": 0.25}}"#);
        }
    }
    let runs = read("rollouts.jsonl", &text);
    let reward = runs[0].series("reward").unwrap();
    assert_eq!((reward.len(), reward.values[3]), (40, 0.5));
    assert_eq!(runs[0].series("eval/reward").unwrap().values, vec![0.25; 40]);
}
