//! Logs of loops of one's own, and text that only looks like one.

use super::*;
use rundown_run::RowNumbers;

pub(super) fn read(text: &str) -> Run {
    let mut lines = RepeatedLines::default();
    for line in text.lines() {
        lines.add(line, LineTime::NONE);
    }
    lines.finish()
}

pub(super) fn values<'r>(run: &'r Run, key: &str) -> &'r [f64] {
    run.columns.get(key).map_or(&[], |column| column.values())
}

/// Lines that `line` gives for each step.
pub(super) fn repeated(steps: u32, line: impl Fn(u32) -> String) -> String {
    (1..=steps).map(line).collect()
}

#[test]
fn a_line_with_a_counter_is_a_row() {
    let text = repeated(9, |step| {
        format!("Epoch:[1/1]({step}/9), Reward: -{step}.5, Avg Response Len: 200.0\nresponse: 7 * 6 = 42\n")
    });
    let run = read(&text);
    assert_eq!(values(&run, "step"), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    assert_eq!(values(&run, "Reward").first(), Some(&-1.5));
    assert_eq!(values(&run, "Avg Response Len").len(), 9);
}

#[test]
fn lines_around_a_step_belong_to_it() {
    let above = repeated(5, |step| format!("Average Reward: 0.{step}\nIteration 1/1, Step {step}/5, loss: 2.0\n"));
    let run = read(&above);
    assert_eq!(values(&run, "Average Reward"), [0.1, 0.2, 0.3, 0.4, 0.5]);
    assert_eq!(
        (values(&run, "step").len(), run.columns["Average Reward"].rows()),
        (5, RowNumbers::List(&[0, 1, 2, 3, 4]))
    );
    let below =
        repeated(5, |step| format!("epoch: 0|step: {step}|act_loss: 0.25\naverage reward score: 0.{step}\n----\n"));
    let run = read(&below);
    assert_eq!(values(&run, "average reward score"), [0.1, 0.2, 0.3, 0.4, 0.5]);
    assert_eq!(run.row_steps.len(), 5);
}

#[test]
fn the_rates_of_two_optimisers_belong_to_the_row_at_which_they_stand() {
    let of = |step: u32, skipped: u32, rate: u32| {
        format!(
            "[INFO] [Rank 0] step={step}, skipped={skipped}, lr=[{rate}e-07, {rate}e-07], mom=[(0.9, 0.95), (0.9, 0.95)]\n"
        )
    };
    let start = of(0, 0, 0) + &of(0, 2, 0);
    let rows = repeated(40, |step| {
        let row = format!("epoch: 0|step: {step}|act_loss: 0.{step}25|cri_loss: 0.5\naverage reward score: 0.{step}\n");
        let updates = step / 2;
        let is_told = step % 10 == 0;
        row + &if is_told { of(updates, 0, updates).repeat(2) + &of(updates, 2, 3 * updates) } else { String::new() }
    });
    let run = read(&(start + &rows));
    assert_eq!(run.row_steps.len(), 40);
    assert_eq!(values(&run, "lr").last(), Some(&15e-7), "that of the row before, as of the line above the first row");
    assert_eq!(values(&run, "critic_learning_rate").last(), Some(&45e-7));
}

#[test]
fn lines_of_a_block_with_a_tab_for_a_sign_are_metrics() {
    let text = repeated(5, |step| {
        format!("Iteration: \t {step}\nMeanRew: \t -25{step}.5 +- 63.2\nMeanEntropy \t 2.{step}\n-----------------\n")
    });
    let run = read(&text);
    assert_eq!(values(&run, "MeanRew"), [-251.5, -252.5, -253.5, -254.5, -255.5]);
    assert_eq!(values(&run, "MeanEntropy"), [2.1, 2.2, 2.3, 2.4, 2.5]);
}

#[test]
fn a_validation_may_print_the_line_of_a_step_many_times() {
    let validation = "Batch reward stats - mean: 9.5, min: 0.1, max: 9.9\n".repeat(13);
    let text = repeated(100, |step| {
        let before = if step % 50 == 1 { validation.as_str() } else { "" };
        format!("{before}Batch reward stats - mean: 0.{step}, min: 0.1, max: 0.8\nepoch 0, step {step}\n")
    });
    let rewards = read(&text);
    assert_eq!((values(&rewards, "reward").len(), values(&rewards, "reward")[0]), (100, 0.1), "the last one counts");
}

#[test]
fn a_step_within_a_larger_one_is_counted_on() {
    let line = |at: u32| {
        let (inner, outer) = (at % 5 + 1, at / 5 + 1);
        format!("Grad step {inner}/5 in train step {outer}/3 completed. Objective: 0.{outer}{inner}\n")
    };
    let mut run = read(&(0..15).map(line).collect::<String>());
    run.choose_axis();
    assert_eq!(run.step_range(), Some((1.0, 15.0)));
    assert_eq!((values(&run, "Objective").len(), values(&run, "outer_step")[7]), (15, 2.0), "{:?}", run.columns.keys());
    let best = |at: u32| format!("Step {at} | loss: 0.{at} | best loss: 0.1 at step {}\n", at / 5 * 5 + 1);
    let run = read(&repeated(15, best));
    assert_eq!((values(&run, "step").len(), run.columns.contains_key("outer_step")), (15, false), "the best so far");
}

#[test]
fn lines_of_one_step_are_one_row() {
    let run = read(&repeated(4, |step| format!("step {step}: loss=0.5\nstep {step}: reward=0.{step}\n")));
    assert_eq!((run.row_steps.len(), values(&run, "reward")), (4, &[0.1, 0.2, 0.3, 0.4][..]));
}

#[test]
fn without_a_counter_the_commonest_line_is_a_row() {
    let lines = |rows, name| repeated(rows, |step| format!("INFO - {name}: 0.{step}, low: 0.5\nsaved\n"));
    let run = read(&lines(12, "rl_loss"));
    assert_eq!((run.row_steps.len(), values(&run, "rl_loss").len()), (12, 12));
    assert!(!run.columns.contains_key("step"));
    assert_eq!(read(&lines(6, "rl_loss")).row_steps.len() + read(&lines(12, "level")).row_steps.len(), 0);
}

#[test]
fn scores_of_single_answers_are_no_rows() {
    let answers = repeated(30, |at| format!("Question: 1 + {at}\nreward: {}.0\nAnswer: ok\n", at % 2));
    assert_eq!(read(&answers).row_steps.len(), 0);
    let batches = repeated(12, |at| format!("Percentage of correct answers: 0.{at}5\n"));
    assert_eq!(read(&format!("{answers}{batches}")).row_steps.len(), 12, "the mean over a batch is one");
}

#[test]
fn answers_that_count_things_are_no_rows() {
    let letter = |at: u32| char::from_u32(u32::from('a') + at).unwrap();
    let things = |at: u32| (0..8).map(|thing| format!("x{}{} = 3\n", letter(at), letter(thing))).collect::<String>();
    let answers = repeated(20, |at| format!("Step {at}: score: {at}\n{}", things(at)));
    assert_eq!(read(&answers).row_steps.len(), 0, "{:?}", read(&answers).columns.keys());
}

#[test]
fn numbers_in_text_are_no_rows() {
    let run = read("x = 5\ny: 7\nThe answer: 12\nStep 3 of the recipe: add 2 eggs\nsum = 19\n");
    assert_eq!(run.row_steps.len(), 0);
    let answers = repeated(9, |step| format!("step: {step} loss: 0.5\nx = {step}\nx = 2\nx = 7\n"));
    assert!(!read(&answers).columns.contains_key("x"), "several a step are no metric");
}

#[test]
fn many_kinds_of_text_do_not_hide_the_rows() {
    let text = repeated(20_000, |line| match line % 100 {
        0 => format!("step: {} reward: 0.5\n", line / 100),
        _ => format!("word{line}: 3\n"),
    });
    let run = read(&text);
    assert_eq!((run.row_steps.len(), run.columns.len()), (200, 2));
}

#[test]
fn rewards_of_samples_are_no_rows_and_their_mean_is() {
    let sample = |right: u32| {
        let rewards = format!("Metrics:  {{'format_reward': 1.0, 'answer_reward': {right}.0, 'reward': {right}.0}}");
        format!("Question:  how many?\nAssistant: <think>\nso it is 7\n{rewards}\nGT Answer:  {right}7\n----\n")
    };
    let text = repeated(12, |step| {
        format!("{}{}Percentage of correct examples:  0.{}\n", sample(step % 2), sample(1), step + 10)
    });
    let run = read(&text);
    assert_eq!(values(&run, "Percentage of correct examples").len(), 12);
    assert!(!run.columns.contains_key("reward"), "{:?}", run.columns.keys());
    let alone = repeated(12, |step| sample(step % 2));
    assert_eq!(read(&alone).row_steps.len(), 0, "samples alone are no training");
    let losses = repeated(12, |step| format!("Question: x\nreward: 0.{step}, kl: 0.5\n"));
    assert_eq!(read(&losses).row_steps.len(), 12, "numbers that take many values are metrics of a loop");
}

#[test]
fn rewards_of_single_responses_between_rows_are_their_mean() {
    let responses = |step: u32| -> String {
        (0..8)
            .map(|at| format!("Reward: 0.{}; Response: {}\n", (at + step) % 10, ["5", "no"][at as usize % 2]))
            .collect()
    };
    let run = read(&repeated(4, |step| format!("{}Step {step}/4 loss: 0.{step}\n", responses(step))));
    // 1 to 8, 2 to 9, 3 to 0, 4 to 1.
    let near = |values: &[f64], expected: [f64; 4]| {
        values.len() == 4 && values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9)
    };
    assert!(near(values(&run, "Reward"), [0.45, 0.55, 0.525, 0.5]), "{:?}", run.columns["Reward"].values());
    assert_eq!((run.row_steps.len(), values(&run, "Reward_std").len()), (4, 4));
    let behind = read(&repeated(4, |step| format!("Step {step}/4 loss: 0.{step}\n{}", responses(step))));
    assert!(near(values(&behind, "Reward"), [0.45, 0.55, 0.525, 0.5]), "{:?}", behind.columns["Reward"].values());
    let shown = read(&repeated(4, |step| format!("Reward: 0.{step}; Response: no\nStep {step}/4 loss: 0.5\n")));
    assert!(!shown.columns.contains_key("Reward_std"), "one sample a step is a line of its row");
    let beside = read(&repeated(4, |step| format!("{}Step {step}/4 reward: 0.5\n", responses(step))));
    assert!(!beside.columns.contains_key("Reward_std"), "the row has the mean");
}

#[test]
fn a_few_lines_of_a_trainer_are_rows() {
    let line = |step: u32| {
        format!(
            "00:27:06 SUCCESS Step {step} | Time: 3.20s | Reward: 0.5 | Seq. Length: 3{step} | Max. Off-Policy Level: 0\n"
        )
    };
    let run = read(&format!("{}Starting step 10\nx = 3\n{}", line(9), line(10)));
    assert_eq!((values(&run, "step"), values(&run, "Seq. Length")), (&[9.0, 10.0][..], &[39.0, 310.0][..]));
    assert!(!run.columns.contains_key("x"));
    let rollout = "rollout 0: {'rollout/response_lengths': 402.5, 'rollout/rewards': 0.0, 'rollout/log_probs': -0.5}";
    assert_eq!(read(rollout).columns["rollout/rewards"].values(), [0.0]);
    let dictionary = "{'reward': 0.5, 'kl': 0.01, 'entropy': 0.3}\n";
    assert_eq!(read(dictionary).row_steps.len(), 1);
    assert_eq!(read(&format!("Answer: 7\n{dictionary}")).row_steps.len(), 0, "of a sample");
    let losses =
        "epoch: 0|step: 3721|ppo_ep: 1|act_loss: nan|cri_loss: nan|unsuper_loss: 0.0\naverage reward score: nan\n";
    assert_eq!(values(&read(losses), "step"), [3721.0]);
    let engine =
        "config: {'name': 'vllm', 'temperature': 1.0, 'top_p': 1, 'prompt_length': 512, 'response_length': 512}";
    assert_eq!(read(&format!("{engine}\n{engine}\n")).row_steps.len(), 0, "settings of an engine");
    assert_eq!(
        read("Results: reward: 0.5, kl: 0.01, entropy: 0.3").row_steps.len(),
        0,
        "neither counted nor a dictionary"
    );
}

#[test]
fn names_of_text_in_a_few_rows_each_are_no_metrics() {
    let text = repeated(8, |step| {
        let answers: String = (0..6).map(|name| format!("Height of tree{step}{name}: {name}\n")).collect();
        format!("Step {step}: the answer\nEpoch: {step}\nStep {step}/9: x = 3\n{answers}")
    });
    assert_eq!(read(&text).row_steps.len(), 0);
}

#[test]
fn rare_lines_do_not_hide_rows_of_several_lines() {
    let text: String = (b'a'..b'm').map(|name| format!("x{}: 3\n", char::from(name))).collect();
    let rows =
        repeated(10, |step| format!("objective/kl: 2{step}.5\nreturns/mean: -0.{step}\nadvantages_mean: 0.5\n---\n"));
    let run = read(&format!("{rows}{text}"));
    assert_eq!((values(&run, "objective/kl").len(), values(&run, "returns/mean").first()), (10, Some(&-0.1)));
    assert!(!run.columns.contains_key("xa"), "{:?}", run.columns.keys());
    let scores = repeated(10, |at| format!("score: {at}\nlevel: 2\n"));
    assert_eq!(read(&format!("{scores}{text}")).row_steps.len(), 0);
}

#[test]
fn rare_lines_do_not_hide_rows_of_a_trainer() {
    let rare = |step: u32| match step % 5 {
        0 => (0..12).map(|place| format!("part{place}: 0.{step}, cache{place}=3%, left{place}=7\n")).collect(),
        _ => String::new(),
    };
    let text = repeated(30, |step| format!("Iter {step} | loss=0.1 | reward mean=0.{step} | kl=0.01\n{}", rare(step)));
    let run = read(&text);
    assert_eq!((run.row_steps.len(), values(&run, "reward mean").len()), (30, 30), "{:?}", run.columns.keys());
    assert!(!run.columns.contains_key("part0"));
}

#[test]
fn of_two_counters_in_a_few_rows_the_one_with_the_larger_total_counts_them() {
    let rows = repeated(4, |row| {
        format!(
            "train | epoch   4 | inner iter:   {}/  4 | global iter:     {}/   160| rl_loss: 3.2{row} | reward: -1.{row} | rev_kl: 2.6\n",
            row - 1,
            68 + row
        )
    });
    let run = read(&rows);
    assert_eq!(values(&run, "step"), [69.0, 70.0, 71.0, 72.0]);
    assert_eq!(values(&run, "reward"), [-1.1, -1.2, -1.3, -1.4]);
}

#[test]
fn steps_in_the_answers_of_a_model_are_no_rows() {
    let rows: Vec<String> = (1..=15)
        .map(|row| {
            let step = row * 10;
            format!(
                "**Step 1:**\n**Step 1: Calculate the score = {row}**\n**Step 2:** Width: 5, Perimeter: {row}\n\
                 [step {step}] avg_loss=0.00{row} acc=0.{row}\n**Step {row}:** length: 3, kl: 2 km\n"
            )
        })
        .collect();
    let run = read(&rows.concat());
    let expected: Vec<f64> = (1..=15).map(|row| f64::from(row) * 10.0).collect();
    assert_eq!(run.columns["step"].values(), expected);
}

#[test]
fn evaluations_of_some_steps_are_rows() {
    let rows = (1..=40).map(|step| {
        let evaluation = if step % 10 == 0 { format!("step {step}: val accuracy=0.{step}\n") } else { String::new() };
        format!("step {step}: reward=0.{step} kl=0.01\n{evaluation}")
    });
    let run = read(&rows.collect::<String>());
    assert_eq!((run.columns["reward"].len(), run.columns["val accuracy"].len(), run.row_steps.len()), (40, 4, 40));
}

#[test]
fn lines_of_the_best_value_hide_no_rows() {
    let log = repeated(30, |at| {
        let evaluation = |at: u32| format!("step batch {at} done, eval_acc: 0.{}\n", 40 + at);
        let best = |at: u32| format!("in step {at} new best eval_acc: 0.{}, save model to best_{at}\n", 40 + at);
        let often = if at % 10 == 0 { evaluation(at) + &best(at) } else { String::new() };
        format!("rollout batch {at} generated, length: 256\nrl_loss: 0.0{at}, mean_reward: 0.{}\n{often}", 10 + at)
    });
    let run = read(&log);
    assert_eq!((values(&run, "mean_reward").len(), values(&run, "eval_acc").len()), (30, 3));
}

#[test]
fn questions_of_an_evaluation_are_no_steps() {
    let rows = (1..=6).map(|step| format!("[step {step}] rewards=[1.0, 0.{step}] loss=-0.0{step}\n"));
    let questions = (1..=20).map(|question| format!("  eval [{question}/20] pred=None gt=18 WRONG\n"));
    let run = read(&rows.chain(questions).collect::<String>());
    assert_eq!(run.columns["step"].values(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(run.columns["reward_group_std"].len(), 6);
}

#[test]
fn the_total_of_the_counter_is_the_plan() {
    let state = |last: u32| {
        let rows = (1..=last).map(|step| format!("Epoch:[1/1]({step}/12), reward: 0.{step}, kl: 0.1\n"));
        let run = read(&rows.collect::<String>());
        (run.ending.state, run.config.number(&["max_steps"]).map(|(_, total)| total))
    };
    assert_eq!(state(12), (rundown_run::RunState::Finished, Some(12.0)));
    assert_eq!(state(9), (rundown_run::RunState::Unknown, Some(12.0)));
    let epochs = |epochs: u32, planned: u32| {
        let rows = (1..=epochs).flat_map(|epoch| (1..=9).map(move |step| (epoch, step)));
        let text = rows.map(|(epoch, step)| format!("Epoch {epoch}/{planned} Step {step}/9: reward=0.{step} kl=0.1\n"));
        let run = read(&text.collect::<String>());
        (run.ending.state, run.config.len())
    };
    assert_eq!(epochs(1, 2), (rundown_run::RunState::Unknown, 0), "the first epoch of two");
    assert_eq!(epochs(2, 2), (rundown_run::RunState::Unknown, 0), "a counter that begins again says nothing");
}

#[test]
fn a_number_behind_words_that_change_with_each_line_is_of_a_sample() {
    let word = |step: u32| ["red", "blue", "green"][step as usize % 3];
    let answers = repeated(12, |step| format!("Baseline: '{}' (reward=0.{step})\n", word(step)));
    assert_eq!(read(&answers).row_steps.len(), 0);
    let ranking =
        repeated(12, |step| format!("Best: item[{step}] (score={step}.5e-06)\nWorst: item[2] (score=-0.{step})\n"));
    assert_eq!(read(&ranking).row_steps.len(), 0);
    let losses = repeated(12, |step| format!("Baseline: '{}' (reward=0.{step}, loss=0.{step})\n", word(step)));
    assert_eq!(read(&losses).row_steps.len(), 12, "several metrics are those of a loop");
    let plain = repeated(12, |step| format!("2026-01-02 10:00:0{step} mean reward: {step}.5e-06\n"));
    assert_eq!(read(&plain).row_steps.len(), 12);
}

#[test]
fn a_counter_that_begins_again_behind_its_total_is_another_training() {
    let training = |label: &str, last: u32| -> String {
        (1..=last).map(|step| format!("{label}[Step {step}/12] loss=0.{step} | reward=0.{step}\n")).collect()
    };
    let starts = |text: &str| {
        let run = read(text);
        (run.starts_at.clone(), run.config.number(&["max_steps"]).map(|(_, total)| total))
    };
    let (whole, cut) = (training("", 12), training("", 9));
    assert_eq!(starts(&format!("{whole}saved\nlr: 0.1\n{whole}{cut}")), (vec![12, 24], Some(12.0)));
    assert_eq!(starts(&format!("{cut}{whole}")), (vec![], None), "it may have been resumed");
    assert_eq!(starts(&format!("{cut}Training complete!\n{whole}")), (vec![9], None), "stopped early");
    let epochs = format!("Epoch 1/2\n{whole}Now epoch 2/2 of the training begins:\n{whole}");
    assert_eq!(starts(&epochs).0, [0_u32; 0], "the batches of an epoch");
    let within = format!("{}{}", training("epoch=0 ", 12), training("epoch=1 ", 12));
    assert_eq!(starts(&within).0, [0_u32; 0]);
}

#[test]
fn few_rows_of_a_training_are_rows_whatever_stands_around_them() {
    let rows =
        repeated(10, |epoch| format!("  Epoch {epoch:>3} | loss=0.0{epoch} | reward= {epoch}.06 [-2.1 … 16.3]\n"));
    let around = "trainable params: 2,162,688 || all params: 496,195,456 || trainable%: 0.4359\n\
                  Phase 4: GRPO Training (10 epochs, G=4 rollouts/scenario)...\n";
    let behind = "Regressions detected: dcs: -0.250, afs: -0.141, stc_score: -0.098\n";
    let run = read(&format!("{around}{rows}{behind}"));
    assert_eq!((run.row_steps.len(), values(&run, "reward").len()), (10, 10), "{:?}", run.columns.keys());
}
