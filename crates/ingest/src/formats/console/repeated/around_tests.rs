//! Tests of which lines around rows belong to them.

use super::tests::{read, repeated, values};

#[test]
fn lines_of_evaluations_come_now_and_then() {
    let text = repeated(120, |step| {
        let evaluation =
            if step % 40 == 1 { format!("eval_return_mean=5.{step}\nother_mean=0.{step}\n") } else { String::new() };
        format!("Epoch: {step}, global_step={}\n{evaluation}SPS: 98{step}, pg_loss=-0.00{step}\n", 256 * step)
    });
    let run = read(&text);
    assert_eq!(values(&run, "eval_return_mean"), [5.1, 5.41, 5.81]);
    assert!(values(&run, "other_mean").is_empty());
}

#[test]
fn the_heading_of_a_log_is_no_part_of_its_rows() {
    let heading = "Training samples: 32\nPopulation size: 30, Rounds: 15\nSigma: 0.001, Alpha: 0.0005\nKL coef: 0.1\n\
                   Parallel threads: 8\nMax new tokens: 256\nEvaluation every: 10\nBase accuracy: 2.5%\n\
                   KL target: 0.1\nReward scale: 10\nScore threshold: 0.5\nReward weight: 1\nTarget accuracy: 90%\n";
    let rows = repeated(9, |step| format!("Iteration {step}/9, Time: 11.5s, Mean: 0.0{step}, Min: 0.01, Max: 0.25\n"));
    let run = read(&format!("{heading}{rows}"));
    assert_eq!((run.row_steps.len(), values(&run, "Mean").len()), (9, 9));
    assert_eq!(values(&run, "Base accuracy"), [2.5], "that of the model before its training");
    for setting in
        ["Sigma", "KL coef", "KL target", "Reward scale", "Score threshold", "Reward weight", "Target accuracy"]
    {
        assert!(!run.columns.contains_key(setting), "{setting}");
    }
}

#[test]
fn a_few_rows_may_lack_the_metrics_of_updates_that_were_skipped() {
    let skipped = repeated(3, |step| format!("[step {step}] SKIP rewards=[1, 1] rollout=35{step}s elapsed=9{step}s\n"));
    let whole = "[step 4] rewards=[1, 0] loss=5.2 kl=-0.01 scale=0.05 grad=0.1 update=51.7s total=80.1s level=0.83\n";
    let run = read(&format!("{skipped}{whole}"));
    assert_eq!((values(&run, "rewards"), values(&run, "loss")), (&[1.0, 1.0, 1.0, 0.5][..], &[5.2][..]));
}

#[test]
fn what_is_measured_before_the_training_is_no_value_of_its_first_row() {
    let read_from = |first: u32| {
        let row = |row: u32| format!("Iteration {} | reward: 0.{row} | accuracy: 0.{row}5\n", row - 1 + first);
        let run = read(&format!("Before the training | accuracy: 0.05\n{}", repeated(9, row)));
        (values(&run, "step").to_vec(), values(&run, "accuracy").to_vec(), values(&run, "reward").len())
    };
    let (steps, accuracies, rewards) = read_from(1);
    assert_eq!((&steps[..3], &accuracies[..3], rewards), (&[0.0, 1.0, 2.0][..], &[0.05, 0.15, 0.25][..], 9));
    let (steps, accuracies, _) = read_from(0);
    assert_eq!((steps.len(), accuracies[0]), (9, 0.15), "no step is before it");
    let tens = |row: u32| format!("Iteration {} | reward: 0.{row} | accuracy: 0.{row}5\n", 10 * row);
    let run = read(&format!("Before the training | accuracy: 0.05\n{}", repeated(9, tens)));
    assert_eq!((values(&run, "step").len(), &values(&run, "step")[..2]), (10, &[0.0, 10.0][..]));
}

#[test]
fn what_is_measured_above_each_row_is_no_row_of_the_model_before_its_training() {
    let row =
        |step: u32| format!("Rollout | reward: 0.{step} | length: 9{step}\nIteration {step} | reward: 0.{step}5\n");
    let run = read(&repeated(9, row));
    let of_rows = |key: &str| (values(&run, key).len(), values(&run, key)[0]);
    assert_eq!((of_rows("step"), of_rows("reward"), of_rows("length")), ((9, 1.0), (9, 0.15), (9, 91.0)));
}

#[test]
fn a_metric_of_many_samples_among_changing_words_is_none_of_the_row() {
    let word = |at: u32| char::from_u32(u32::from('a') + at % 26).unwrap();
    let sample = |step: u32, at: u32| format!("  reward: 0.{at} | {} = {at}\n", word(step * 11 + at));
    let samples = |step: u32| (0..8).map(|at| sample(step, at)).collect::<String>();
    let row = |step: u32| format!("{}mean reward: 0.{step}\nstep {step}: loss = 0.{step}\n", samples(step));
    let run = read(&repeated(12, row));
    assert_eq!((values(&run, "loss").len(), values(&run, "mean reward").len()), (12, 12));
    assert!(!run.columns.contains_key("reward"), "{:?}", run.columns.keys());
}
