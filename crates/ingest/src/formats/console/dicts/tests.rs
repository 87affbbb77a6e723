//! Dictionaries as the Trainer prints them, one training behind another.

use super::*;

fn read(segments: &[&str]) -> Run {
    let mut dicts = Dicts::default();
    for segment in segments {
        dicts.add(segment, LineTime::NONE);
    }
    dicts.finish(None, None)
}

fn values<'r>(run: &'r Run, key: &str) -> &'r [f64] {
    run.columns.get(key).map_or(&[], |column| column.values())
}

#[test]
fn the_bars_beside_rows_give_their_times() {
    let row = |step: u32| {
        let bar = |step: u32| format!(" {step}%|#  | {step}/10 [{step}:0{step}:00<9:00:00, 3661.0s/it]");
        [format!("{}{{'loss': 0.5, 'reward': 0.{step}, 'epoch': 0.{step}}}", bar(step)), bar(step)]
    };
    let lines: Vec<String> = (1..4).flat_map(row).collect();
    let whole: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(read(&whole).row_times, [3660.0, 7320.0, 10_980.0]);
    let closing = "{'train_runtime': 9.5, 'epoch': 0.4}";
    let two = [&whole[..], &[closing], &whole[..]].concat();
    assert_eq!(read(&two).row_times[3..], [14_640.0, 18_300.0, 21_960.0], "the next bar begins at 0");
    let few: Vec<String> = (1..9).map(|step| format!("{{'loss': 0.5, 'epoch': 0.{step}}}")).collect();
    let few: Vec<&str> = few.iter().map(String::as_str).chain([" 80%|## | 8/10 [5:00<1:00, 3.0s/it]"]).collect();
    let run = read(&few);
    assert!(run.row_times.iter().all(|time| time.is_nan()));
    assert_eq!(run.summary.number(&["_runtime"]), Some(("_runtime", 300.0)));
}

#[test]
fn rows_stand_beside_the_bar_that_tells_their_step() {
    let run = read(&[
        "Map: 100%|##| 30/30 [00:01<00:00]",
        " 10%|#  | 10/100 [00:01<00:09]{'loss': 0.5, 'kl': nan, 'epoch': 0.1} 10%|#  | 10/100 [00:01<00:09]",
        " 20%|#  | 20/100 [00:01<00:09]",
        "{'loss': '0.25', 'learning_rate': '1e-05', 'epoch': '0.2'}",
        "{'eval_loss': 0.75, 'eval_runtime': 3.0, 'epoch': 0.2}",
    ]);
    assert_eq!(values(&run, "step"), [10.0, 20.0, 20.0]);
    assert_eq!(values(&run, "loss"), [0.5, 0.25]);
    assert_eq!(run.columns["eval_loss"].rows(), [2]);
    assert!(values(&run, "kl")[0].is_nan());
    assert!(run.warnings.is_empty());
}

#[test]
fn the_last_line_is_a_summary_and_the_metrics_of_the_last_steps() {
    let run = read(&[
        " 50%|#| 5/10 [a]{'loss': 1.0, 'epoch': 0.5}",
        "100%|#| 10/10 [a]{'train_runtime': 9.5, 'train_loss': 0.75, 'reward': 2.0, 'epoch': 1.0}",
    ]);
    assert_eq!((values(&run, "step"), values(&run, "reward")), (&[5.0, 10.0][..], &[2.0][..]));
    assert_eq!(run.summary.number(&["train_runtime"]), Some(("train_runtime", 9.5)));
    assert!(!run.columns.contains_key("train_loss"));
}

#[test]
fn a_step_in_the_dictionary_is_the_step() {
    let run = read(&["INFO {\"step\": 7, \"metrics\": {\"loss\": 0.5}}", "x {\"step\": 9, \"loss\": 0.25}"]);
    assert_eq!((values(&run, "step"), values(&run, "loss")), (&[7.0, 9.0][..], &[0.5, 0.25][..]));
    let run = read(&["{'loss': 0.5, 'epoch': 0.1, 'global_step/max_steps': '5/3766', 'percentage': '0.13%'}"]);
    assert_eq!((values(&run, "global_step"), values(&run, "loss")), (&[5.0][..], &[0.5][..]));
}

#[test]
fn rows_behind_a_closing_line_are_of_another_training() {
    let row =
        |done: u32, total: u32, epoch: &str| format!(" 1%|#| {done}/{total} [a]{{'loss': 0.5, 'epoch': {epoch}}}");
    let closing = "100%|#| 4/4 [a]{'train_runtime': 9.5, 'train_loss': 0.75, 'epoch': 0.1}";
    let (a, b) = (row(2, 4, "0.01"), row(4, 4, "0.02"));
    let (c, d) = (row(1, 3, "0.06"), row(2, 3, "0.12"));
    let run = read(&[&a, &b, closing, "100%|#| 4/4 [a]", " 0%|#| 0/3 [a]", &c, &d]);
    assert_eq!((values(&run, "step"), &run.starts_at[..]), (&[2.0, 4.0, 1.0, 2.0][..], &[2][..]));
    let evaluated = read(&[&a, &b, closing, "{'eval_loss': 0.5, 'epoch': 0.1}"]);
    assert!(evaluated.starts_at.is_empty(), "an evaluation is of the training before it");
}

#[test]
fn each_training_of_a_log_has_its_own_bar_and_totals() {
    let stage = |total: u32, rows: usize| {
        let bar = |done: u32| (total > 0).then(|| format!(" 1%|#| {done}/{total} [a]"));
        let rows = (0..rows).map(|_| "{'loss': 0.5, 'epoch': 0.1}".to_owned());
        let closing = "{'train_runtime': 60.0, 'train_steps_per_second': 0.5, 'epoch': 0.1}".to_owned();
        bar(0).into_iter().chain(rows).chain(bar(total)).chain([closing]).collect::<Vec<_>>()
    };
    let second = |first: Vec<String>, second: Vec<String>| {
        let lines = [first, second].concat();
        let run = read(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        values(&run, "step")[run.starts_at[0] as usize..].to_vec()
    };
    assert_eq!(second(stage(80, 4), stage(40, 4)), [10.0, 20.0, 30.0, 40.0], "the bar of the first is longer");
    assert_eq!(second(stage(4, 4), stage(0, 6)), [5.0, 10.0, 15.0, 20.0, 25.0, 30.0], "no bar: 0.5 a second");
    let mut late = stage(80, 4);
    late.swap(5, 6);
    let lines = [late, stage(40, 4)].concat();
    let run = read(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(values(&run, "step")[..4], [20.0, 40.0, 60.0, 80.0], "its end is drawn behind the closing line");
}

#[test]
fn an_epoch_that_is_the_first_again_is_of_another_training() {
    let row = |epoch: f64| format!("{{'loss': 0.5, 'epoch': {epoch}}}");
    let rows = |epochs: &[f64]| epochs.iter().map(|epoch| row(*epoch)).collect::<Vec<_>>();
    let read = |epochs: &[f64]| read(&rows(epochs).iter().map(String::as_str).collect::<Vec<_>>());
    let run = read(&[0.1, 0.2, 0.3, 0.1, 0.2]);
    assert_eq!((&run.starts_at[..], values(&run, "step")), (&[3][..], &[1.0, 2.0, 3.0, 1.0, 2.0][..]));
    assert!(read(&[0.1, 0.2, 0.3, 0.2, 0.3]).starts_at.is_empty(), "resumed");
    assert!(read(&[0.0, 0.0, 0.0]).starts_at.is_empty(), "too short to be printed");
}

#[test]
fn a_row_without_its_opening_brace_is_a_row() {
    let run = read(&["'loss': -0.0, 'reward': 0.34, 'epoch': 0.0, 'percentage': '0.1%'}"]);
    assert_eq!(values(&run, "reward"), [0.34]);
    assert_eq!(read(&["'loss' is not 'reward': 0.5}"]).row_steps.len(), 0);
}

#[test]
fn planned_steps_give_those_of_a_training_that_finished() {
    let rows = ["{'loss': 1.0, 'epoch': 0.1}"; 4];
    let read = |segments: &[&str]| {
        let mut dicts = Dicts::default();
        segments.iter().for_each(|segment| _ = dicts.add(segment, LineTime::NONE));
        dicts.finish(None, Some(20.0))
    };
    let whole = read(&[&rows[..], &["{'train_runtime': 9.5, 'epoch': 0.4}"]].concat());
    assert_eq!((values(&whole, "step"), whole.warnings.len()), (&[5.0, 10.0, 15.0, 20.0][..], 0));
    assert_eq!(values(&read(&rows), "step"), [1.0, 2.0, 3.0, 4.0], "it may have been stopped");
}

#[test]
fn other_dictionaries_are_no_rows() {
    for text in [
        "{'prompt': 'x', 'answer': 'y', 'step': 1}",
        "{'epoch': 1}",
        "{'lr': 0.1, 'steps': 10}",
        "{'role': 'user', 'content': '{\"loss\": 1}'}",
        "{'loss': 1, 'epoch': ",
        "{'step': 5426, 'reward': 5426, 'loss': 5426}",
    ] {
        assert_eq!(read(&[text]).row_steps.len(), 0, "{text}");
    }
}
