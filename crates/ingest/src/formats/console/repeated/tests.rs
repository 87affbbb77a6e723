//! Logs of loops of one's own, and text that only looks like one.

use super::*;

fn read(text: &str) -> Run {
    let mut lines = RepeatedLines::default();
    text.lines().for_each(|line| lines.take(line));
    lines.finish()
}

fn values<'r>(run: &'r Run, key: &str) -> &'r [f64] {
    run.columns.get(key).map_or(&[], |column| column.values())
}

/// Lines that `line` gives for each step.
fn repeated(steps: u32, line: impl Fn(u32) -> String) -> String {
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
    assert_eq!((values(&run, "step").len(), run.columns["Average Reward"].rows()), (5, &[0, 1, 2, 3, 4][..]));
    let below =
        repeated(5, |step| format!("epoch: 0|step: {step}|act_loss: 0.25\naverage reward score: 0.{step}\n----\n"));
    let run = read(&below);
    assert_eq!(values(&run, "average reward score"), [0.1, 0.2, 0.3, 0.4, 0.5]);
    assert_eq!(run.row_steps.len(), 5);
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
