//! Work on made-up runs, for an engine that waits for its first file. Browsers compile WebAssembly quickly at first, to code
//! that takes twice the time, and optimise the functions that run often while they run: without this the first file waits
//! for that (docs/decisions/warm-up.md).

use std::fmt::Write as _;

use rundown_ingest::{Budget, RunAssembler};
use rundown_protocol::{Request, RunList};

use super::session::Session;

/// Rounds after which the functions that read and diagnose a run are optimised.
pub const ROUNDS: u32 = 16;

/// Names that the checks know, so that they have something to look at.
const METRICS: [&str; 10] = [
    "train/reward",
    "train/loss",
    "train/kl",
    "train/entropy",
    "train/grad_norm",
    "train/learning_rate",
    "train/completions/mean_length",
    "train/clip_ratio/high_mean",
    "train/frac_reward_zero_std",
    "eval/accuracy",
];
/// Steps of a run: reading and diagnosing it takes a few milliseconds, after which the engine takes messages.
const STEPS: u32 = 250;

/// Reads a made-up run, as JSON Lines and as CSV in turns, diagnoses it, and answers what the page asks first. Gives the
/// list of runs.
pub fn round(round: u32) -> RunList {
    let (path, text) = if round.is_multiple_of(2) { ("run.jsonl", json_lines(round)) } else { ("run.csv", csv(round)) };
    let mut session = Session::default();
    let mut file = session.open_file(&Budget::default(), path, text.len() as u64, None);
    file.push(text.as_bytes());
    let mut assembler = RunAssembler::default();
    assembler.add(file.finish());
    session.add(assembler, 1, text.len() as u64);
    while let Some(pending) = session.next_pending() {
        session.diagnose(pending.number);
        session.answer(&Request::OpenRun { run: pending.number, last_steps: 0 });
    }
    session.run_list()
}

fn json_lines(seed: u32) -> String {
    let mut text = String::new();
    for step in 0..STEPS {
        let _ = write!(text, "{{\"step\": {step}");
        for (name, value) in METRICS.iter().zip(values(seed, step)) {
            let _ = write!(text, ", \"{name}\": {value}");
        }
        text.push_str("}\n");
    }
    text
}

fn csv(seed: u32) -> String {
    let mut text = format!("step,{}\n", METRICS.join(","));
    for step in 0..STEPS {
        let _ = write!(text, "{step}");
        for value in values(seed, step) {
            let _ = write!(text, ",{value}");
        }
        text.push('\n');
    }
    text
}

/// A value for each metric: a level that moves slowly, and noise.
fn values(seed: u32, step: u32) -> impl Iterator<Item = f64> {
    (1..=METRICS.len() as u32).map(move |metric| {
        // One step of a linear congruential generator (Numerical Recipes, 3rd edition, 7.1).
        let noise =
            (seed.wrapping_mul(7) ^ step.wrapping_mul(31) ^ metric).wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let noise = f64::from(noise) / f64::from(u32::MAX);
        0.5 + 0.2 * f64::from(step) / f64::from(STEPS * metric) + 0.05 * noise
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_round_reads_and_diagnoses_a_run() {
        for number in 0..ROUNDS {
            let list = round(number);
            assert_eq!((list.runs.len(), list.problems.len()), (1, 0));
            assert_eq!(list.measure, "eval/accuracy");
            assert!(list.runs[0].value.is_some());
        }
    }
}
