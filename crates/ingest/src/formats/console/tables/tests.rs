//! Tables and boxes of logs, and text that looks like them.

use super::*;

fn read(lines: &str) -> Run {
    let mut tables = Tables::default();
    lines.lines().for_each(|line| _ = tables.add(line));
    tables.finish()
}

fn values<'r>(run: &'r Run, key: &str) -> &'r [f64] {
    run.columns.get(key).map_or(&[], |column| column.values())
}

#[test]
fn boxes_of_names_and_values_are_rows() {
    let one = |step: u32| {
        format!(
            "----------------------------------\n| rollout/           |          |\n|    ep_rew_mean     | 1.5{step}     |\n\
             | time/              |          |\n|    iterations      | {step}        |\n|    total_timesteps | {}     |\n\
             ----------------------------------\ntext\n",
            2048 * step
        )
    };
    let run = read(&[one(1), one(2), one(3)].concat());
    assert_eq!(values(&run, "rollout/ep_rew_mean"), [1.51, 1.52, 1.53]);
    assert_eq!(values(&run, "step"), [2048.0, 4096.0, 6144.0]);
    assert_eq!(read(&one(1)).row_steps.len(), 0, "settings are printed once");
    let flat = |step: u32| {
        let box_line = "-".repeat(34);
        format!(
            "{box_line}\n| iterations | {step} |\n| total_timesteps | {} |\n| reward | 0.{step} |\n{box_line}\ntext\n",
            128 * step
        )
    };
    let run = read(&[flat(1), flat(2), flat(3)].concat());
    assert_eq!(values(&run, "step"), [128.0, 256.0, 384.0], "without sections");
}

#[test]
fn commas_between_thousands_are_part_of_a_number() {
    let run = read("| Step | reward |\n|---|---|\n| 500 | 0.1 |\n| 1,000 | 0.2 |\n| 1,500 | 0.3 |\n| 1,2 | 0.4 |\n");
    assert_eq!(values(&run, "step"), [500.0, 1000.0, 1500.0]);
    let columns = "step reward kl\n999 0.1 1\n1,000 0.2 2\n1,001 0.3 3\nso, step 3\n1,002 0.3 3\n";
    assert_eq!(values(&read(columns), "step"), [999.0, 1000.0, 1001.0]);
    let one = |step: &str| format!("+---+\n│ total_timesteps │ {step} │\n│ reward │ 0.5 │\n+---+\n");
    let run = read(&[one("512"), one("1,024"), one("2,048")].concat());
    assert_eq!(values(&run, "step"), [512.0, 1024.0, 2048.0]);
}

#[test]
fn a_time_is_no_step_and_the_line_above_names_it() {
    let one = |step: u32, seconds: &str| {
        format!(
            "12:01:10 INFO: Epoch 1/2 Step {}/9 Train step {step}/18 done.\n┌────┬────┐\n│ actor/reward/avg │ 0.{step} │\n\
             │ timeperf/train_step │ {seconds} │\n└────┴────┘\n",
            step + 1
        )
    };
    let run = read(&[one(4, "3.0e+01"), one(5, "3.0e+01"), one(6, "3.1e+01"), one(7, "2.9e+01")].concat());
    assert_eq!(values(&run, "step"), [4.0, 5.0, 6.0, 7.0]);
    assert_eq!(values(&run, "timeperf/train_step").len(), 4);
}

#[test]
fn beside_boxes_with_a_step_as_title_others_are_no_rows() {
    let one = |step: u32| {
        format!(
            "      Step {step}      \n┏━━━┳━━━┓\n┃ Metric ┃ Value ┃\n┡━━━╇━━━┩\n│ env/all/reward/total │ 0.{step} │\n\
             │ entropy │ 0.5{step} │\n└───┴───┘\nwrote metrics\n| Aaron | 1 |\n| Bella | 2 |\n| Cara | 3 |\ntext\n"
        )
    };
    let run = read(&[one(4), one(5), one(6)].concat());
    assert_eq!(values(&run, "env/all/reward/total"), [0.4, 0.5, 0.6]);
    assert_eq!(values(&run, "step"), [4.0, 5.0, 6.0]);
    assert!(!run.columns.contains_key("Aaron"), "{:?}", run.columns.keys());
}

#[test]
fn what_does_not_count_is_no_step() {
    let one = |step: &str| format!("+---+\n| loss | 0.5 |\n| optimizer/step | {step} |\n+---+\n");
    let run = read(&[one("0.5"), one("0.25"), one("0.75")].concat());
    assert!(values(&run, "step").is_empty(), "no whole numbers");
    let run = read(&[one("9"), one("5"), one("2")].concat());
    assert!(values(&run, "step").is_empty(), "they fall");
}

#[test]
fn rows_under_a_head_with_a_step_are_rows() {
    let markdown =
        "| Step | Training Loss | reward |\n|---|:-:|---:|\n| 10 | 0.5 | 1.0 |\n| 20 | 0.4 | 62.5% |\n| 30 | - | 1.2 |";
    let run = read(markdown);
    assert_eq!(values(&run, "reward"), [1.0, 0.625, 1.2]);
    assert_eq!((values(&run, "step"), values(&run, "Training Loss")), (&[10.0, 20.0, 30.0][..], &[0.5, 0.4][..]));
    let drawn =
        "┏━━━━━━┳━━━━━━┓\n┃ epoch ┃ acc ┃\n┡━━━━━━╇━━━━━━┩\n│ 1 │ 0.5 │\n│ 2 │ 0.6 │\n│ 3 │ 0.7 │\n└──────┴──────┘";
    assert_eq!(values(&read(drawn), "acc"), [0.5, 0.6, 0.7]);
}

#[test]
fn a_line_of_dashes_makes_the_one_above_a_head() {
    let run =
        read("text | more\nStep | reward | kl\n-- | :-: | --\n1 | 0.5 | 0.1\n2 | 0.6 | 0.2\n3 | 0.7 | 0.3\n4 | 0.\n");
    assert_eq!((values(&run, "step"), values(&run, "reward")), (&[1.0, 2.0, 3.0][..], &[0.5, 0.6, 0.7][..]));
    for (time, dashes) in [("", "-----------------------"), ("14:32:15 | ", "----------------------")] {
        let lines = ["Step |  Pre |   KL", dashes, "   1 | 0.5 | 0.1", "   2 | 0.6 | 0.2", "   3 | 0.7 | 0.3"];
        let run = read(&lines.map(|line| format!("{time}{line}\n")).concat());
        assert_eq!((values(&run, "step"), values(&run, "Pre")), (&[1.0, 2.0, 3.0][..], &[0.5, 0.6, 0.7][..]));
    }
    let settings = "Name | Value | Default\n----------------\nlr | 1 | 2\nbatch | 3 | 4\nseed | 5 | 6\n";
    assert_eq!(read(settings).row_steps.len(), 0, "no column counts steps");
    let lines = "step | reward\n1 | 0.5\n2 | 0.6\n3 | 0.7\n";
    assert_eq!(read(lines).row_steps.len(), 0, "without the dashes it is text");
}

#[test]
fn rows_of_a_notebook_that_are_shown_again_count_once() {
    let head = "Step | Training Loss | reward | kl\n-- | -- | -- | --\n";
    let row = |step: u32, end: &str| format!("{step} | -0.{step}000 | 1{step}.5 | nan{end}\n");
    let short: String = (1..=4).map(|step| row(step, "")).collect();
    let long: String = (1..=6).map(|step| row(step, " | 0")).collect();
    let more = "\nStep | Training Loss | reward | kl | entropy\n-- | -- | -- | -- | --\n";
    let run = read(&format!("{head}{short}{more}{long}"));
    assert_eq!(values(&run, "step"), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let other = short.replace("-0.", "-2.");
    assert_eq!(read(&format!("{head}{short}{head}{other}")).row_steps.len(), 8, "of another run");
    let other = short.replace("nan", "0.5");
    assert_eq!(read(&format!("{head}{short}{head}{other}")).row_steps.len(), 8, "of one with another divergence");
    assert_eq!(read(&format!("{more}{long}{head}{short}")).row_steps.len(), 6, "the wider one first");
    let wide = "Step | Training Loss | reward | length | kl\n-- | -- | -- | -- | --\n";
    let longer = long.replace(".5 | nan | 0", ".5 | 250.5 | nan");
    let run = read(&format!("{head}{short}\n{wide}{longer}"));
    assert_eq!(values(&run, "step"), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "with more columns between the others");
    assert_eq!((values(&run, "length"), values(&run, "kl").len()), (&[250.5; 6][..], 6));
    let zeros: String = (1..=4).map(|step| format!("{step} | 0.000000 | 0.000000 | 0.000000\n")).collect();
    assert_eq!(read(&format!("{head}{zeros}{head}{zeros}")).row_steps.len(), 8, "it may have begun again");
}

#[test]
fn columns_without_bars_are_rows_where_all_cells_are_numbers() {
    let run =
        read("  step  reward  kl\n   1   0.5  1e-3\n   2   0.6  2e-3\n   3   nan  3e-3\nthe step is done\n1 2 3\n");
    assert_eq!((values(&run, "kl").len(), values(&run, "step")), (3, &[1.0, 2.0, 3.0][..]));
    assert_eq!(read("one step more\n1 2 x\n1 2 3\n").row_steps.len(), 0, "text goes on");
}

#[test]
fn the_step_of_a_range_is_its_end() {
    let run = read("| Steps | reward |\n|---|---|\n| 1–50 | 0.1 |\n| 51 - 100 | 0.2 |\n| **101-150** | 0.3 |\n");
    assert_eq!((values(&run, "step"), values(&run, "reward")), (&[50.0, 100.0, 150.0][..], &[0.1, 0.2, 0.3][..]));
    let other = read("| Step | tasks |\n|---|---|\n| 1 | 1-5 |\n| 2 | 6-9 |\n| 3 | 7-9 |\n");
    assert!(values(&other, "tasks").is_empty(), "{:?}", other.columns.keys());
    assert_eq!(read("| Step | loss |\n|---|---|\n| 9-1 | 1 |\n| 8-2 | 2 |\n| 7-3 | 3 |\n").row_steps.len(), 0);
}

#[test]
fn other_tables_are_none() {
    let models = "| model | size | score |\n|---|---|---|\n| a | 7 | 0.5 |\n| b | 13 | 0.6 |\n| c | 70 | 0.7 |\n";
    assert_eq!(read(models).row_steps.len(), 0);
    let settings = "| lr | 1e-6 |\n| batch | 64 |\n";
    assert_eq!(read(settings).row_steps.len(), 0);
    assert_eq!(read(&"|".repeat(5000)).row_steps.len(), 0);
}
