//! Console logs as runs of their own, and beside other files of their run.

use std::fmt::Write as _;

use rundown_ingest::{RunAssembler, Weight};
use rundown_run::RunState;

use crate::made::{one, values};
use crate::support::{corpus, files_below, ingest, read};

/// A log of the Trainer as a terminal gets it: the bar, a row every fifth step, the bar again.
fn trainer_log(steps: u32) -> String {
    let mut log =
        "Loading shards: 100%|##| 2/2 [00:01<00:00, 1it/s]\r\n  0%|          | 0/40 [00:00<?, ?it/s]".to_owned();
    for step in 1..=steps {
        let bar = format!(" {}%|#   | {step}/40 [00:01<00:09, 1.0s/it]", step * 100 / 40);
        _ = write!(log, "\r{bar}");
        if step % 5 == 0 {
            _ = write!(
                log,
                "\r          \r{{'loss': '{:.4}', 'reward': {}, 'kl': {}, 'epoch': {:.2}}}\n\r{bar}",
                1.0 / f64::from(step),
                f64::from(step) / 10.0,
                if step == 10 { "nan" } else { "0.001" },
                f64::from(step) / 40.0
            );
        }
    }
    log
}

/// A log of verl with Ray's marks and colours, and three decimals.
fn verl_log(steps: u32) -> String {
    let mut log = "\u{1b}[36m(TaskRunner pid=7)\u{1b}[0m {'actor_rollout_ref': {'actor': {'clip_ratio': 0.2,\n\
                   noise of another process\n\
                   \u{1b}[36m(TaskRunner pid=7)\u{1b}[0m                                  'optim': {'lr': 1e-06}}},\n\
                   \u{1b}[36m(TaskRunner pid=7)\u{1b}[0m  'trainer': {'total_epochs': 3}}\n"
        .to_owned();
    for step in 0..=steps {
        if step % 5 == 0 {
            _ = writeln!(log, "\u{1b}[36m(TaskRunner pid=7)\u{1b}[0m step:{step} - val/gsm8k/mean@1:0.2{step:02}");
        }
        if step > 0 {
            let kl = f64::from(step) / 1000.0;
            _ = writeln!(
                log,
                "\u{1b}[36m(TaskRunner pid=7)\u{1b}[0m step:{step} - actor/kl:{kl:.3} - actor/lr(1e-4):0.010 - \
                 training/global_step:{step}.000\u{1b}[32m [repeated 2x across cluster]\u{1b}[0m"
            );
        }
    }
    log
}

#[test]
fn a_log_of_the_trainer_is_a_run() {
    let log = trainer_log(40) + "\n{'train_runtime': 12.5, 'train_loss': 0.5, 'epoch': 1.0}\n";
    let ingested = one("runs/amber/train.log", &log, 1 << 20);
    let [run] = &ingested.runs[..] else { panic!("{} runs", ingested.runs.len()) };
    assert_eq!(values(run, "step"), [5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0]);
    assert_eq!(run.series("reward").unwrap().values[..3], [0.5, 1.0, 1.5]);
    assert_eq!(values(run, "loss")[0], 0.2);
    assert_eq!(run.columns["kl"].nonfinite(), 1);
    assert_eq!((run.name.as_str(), run.ending.state), ("amber", RunState::Finished));
    assert_eq!(run.origins["reward"], [0]);
    assert!(ingested.problems.is_empty(), "{:?}", ingested.problems);
    assert!(run.log.lines.iter().any(|line| line.text.contains("train_runtime")));
}

#[test]
fn a_log_of_verl_is_a_run_with_its_settings() {
    let run = one("slurm-123.out", verl_log(20), 1 << 20).runs.remove(0);
    assert_eq!(run.series("actor/kl").unwrap().steps.len(), 20);
    assert_eq!(run.series("val/gsm8k/mean@1").unwrap().steps[..], [0.0, 5.0, 10.0, 15.0, 20.0]);
    assert_eq!(run.config.number(&["actor_rollout_ref.actor.optim.lr"]).unwrap().1, 1e-6);
    assert!((run.series("actor/kl").unwrap().printed_quantum.unwrap() - 1e-3).abs() < 1e-12);
    assert_eq!(run.axis.key, "step");
}

#[test]
fn results_do_not_depend_on_slices() {
    for text in [trainer_log(37), verl_log(17), "step=1 loss=2\r\nstep=2 loss=1\r\nstep=3 loss=0".to_owned()] {
        let whole = format!("{:?}", one("a/b.log", &text, text.len()).runs);
        for slice in [1, 2, 3, 7, 61, 1009] {
            assert_eq!(format!("{:?}", one("a/b.log", &text, slice).runs), whole, "{slice}");
        }
    }
}

#[test]
fn windows_texts_are_read() {
    let text = "step: 1 loss: 3\r\nstep: 2 loss: 2\r\nstep: 3 loss: 1\r\n";
    let utf16: Vec<u8> =
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(|unit: u16| unit.to_le_bytes()).collect();
    let marked = format!("\u{feff}{text}");
    for bytes in [&utf16[..], marked.as_bytes()] {
        let runs = ingest([("train.txt", bytes)]).runs;
        assert_eq!(values(&runs[0], "loss"), [3.0, 2.0, 1.0]);
    }
}

#[test]
fn a_text_without_metrics_is_no_log() {
    for (path, text) in [
        ("notes.txt", "Step 1: buy milk\nstep 2: done\n"),
        ("LICENSE", "Permission is hereby granted, free of charge\n"),
        ("train.log", "starting\nstep 1 of the plan\n"),
    ] {
        let ingested = ingest([(path, text.as_bytes())]);
        assert!(ingested.runs.is_empty(), "{path}");
        assert_eq!(ingested.problems.len(), 1, "{path}");
        assert_eq!(ingested.problems[0].weight, Weight::Remark, "{path}");
    }
}

/// The state that the Trainer saves, with the numbers of [`trainer_log`] in full.
fn trainer_state(steps: u32) -> String {
    let rows: Vec<String> = (1..=steps / 5)
        .map(|row| {
            let step = row * 5;
            format!(
                "{{\"step\": {step}, \"loss\": {}, \"reward\": {}, \"epoch\": {}}}",
                1.0 / f64::from(step),
                f64::from(step) / 10.0,
                f64::from(step) / 40.0
            )
        })
        .collect();
    format!("{{\"global_step\": {steps}, \"is_world_process_zero\": true, \"log_history\": [{}]}}", rows.join(","))
}

#[test]
fn rounded_numbers_of_a_log_never_replace_exact_ones() {
    let (state, log) = (trainer_state(40), trainer_log(40));
    let ingested = ingest([("out/trainer_state.json", state.as_bytes()), ("out/train.log", log.as_bytes())]);
    let [run] = &ingested.runs[..] else { panic!("{} runs", ingested.runs.len()) };
    assert_eq!(values(run, "loss")[2], 1.0 / 15.0);
    // Only the log has it.
    assert_eq!(values(run, "kl").len(), 8);
    assert_eq!((&run.origins["kl"][..], &run.origins["loss"][..]), (&[1][..], &[0, 1][..]));
    assert_eq!(run.files.len(), 2);
    assert!(!run.log.lines.is_empty());
}

#[test]
fn a_log_with_other_numbers_is_another_run() {
    let state = trainer_state(40).replace("\"reward\": ", "\"reward\": 7").replace("\"loss\": 0", "\"loss\": 9");
    let log = trainer_log(40);
    let ingested = ingest([("out/trainer_state.json", state.as_bytes()), ("out/other.log", log.as_bytes())]);
    assert_eq!(ingested.runs.iter().map(|run| run.name.as_str()).collect::<Vec<_>>(), ["other", "out"]);
    // Again, onto what is there: nothing is added.
    let mut assembler = RunAssembler::default();
    assembler.add(read("out/other.log", log.as_bytes(), 1000));
    assert_eq!(assembler.assemble(ingested.runs).runs.len(), 2);
}

#[test]
fn a_log_with_a_newer_copy_is_one_run() {
    let first = ingest([("a/train.log", trainer_log(20).as_bytes())]).runs;
    let mut assembler = RunAssembler::default();
    assembler.add(read("a/train.log", trainer_log(40).as_bytes(), 1000));
    let runs = assembler.assemble(first).runs;
    assert_eq!((runs.len(), values(&runs[0], "step").len()), (1, 8));
}

#[test]
fn the_end_of_a_crash_is_kept() {
    let log = verl_log(10) + &"x\n".repeat(5_000) + "Traceback (most recent call last):\nValueError: broken\n";
    let run = one("crash.log", &log, 4096).runs.remove(0);
    assert_eq!(run.log.lines.back().unwrap().text, "ValueError: broken");
    assert_eq!(run.ending.state, RunState::Unknown);
    assert!(run.log.dropped > 0);
}

#[test]
fn long_logs_cost_linear_time() {
    // 16 MB in lines that look like each family and belong to none: a quadratic reader would not come back.
    let mut assembler = RunAssembler::default();
    let mut file = rundown_ingest::open("big.log", 16 << 20);
    let line = "{'a': {'b': [1, step:x - %| | 3/ {\"loss\": key=1.2.3 step 5\n".repeat(1_000);
    for _ in 0..(16 << 20) / line.len() {
        file.push(line.as_bytes());
    }
    // And lines just short enough to be looked at.
    for part in ["{'", "{'a':", "step:1 - ", "step:1 - x! ", "1%|| 1/", "a=", "{'a': [("] {
        file.push(b"\n");
        file.push(part.repeat((4 << 20) / part.len()).as_bytes());
    }
    file.push(b"\n");
    // And one line of 20 MB without an end.
    for part in ["{'", "step:1 - ", "step:1 - x! ", "%|| ", "a=", "[("] {
        for _ in 0..100 {
            file.push(part.repeat(40_000 / part.len()).as_bytes());
        }
    }
    assembler.add(file.finish());
    let ingested = assembler.assemble(Vec::new());
    assert!(ingested.runs.len() <= 1);
    assert!(ingested.problems.iter().any(|problem| problem.what.contains("longer than 4 MB")));
}

#[test]
fn public_logs_do_not_depend_on_slices() {
    let Some(folder) = corpus("public-logs") else { return };
    for file in files_below(&folder).iter().filter(|file| file.extension().is_some_and(|end| end == "log")) {
        let bytes = std::fs::read(file).unwrap();
        let runs = |slice| {
            let mut assembler = RunAssembler::default();
            assembler.add(read("x.log", &bytes, slice));
            format!("{:?}", assembler.assemble(Vec::new()).runs)
        };
        assert_eq!(runs(4 << 20), runs(10_007), "{}", file.display());
    }
}

#[test]
fn logs_that_agree_where_both_have_rows_are_one_run() {
    let whole = verl_log(30);
    let half = |from: u32, to: u32| -> String {
        let is_wanted = |line: &&str| {
            let step = line.split_once("step:").and_then(|(_, rest)| rest.split(' ').next()?.parse::<u32>().ok());
            step.is_none_or(|step| (from..to).contains(&step))
        };
        whole.lines().filter(is_wanted).map(|line| format!("{line}\n")).collect()
    };
    let (first, second) = (half(0, 15), half(11, 31));
    let logs = |names: [&str; 2]| ingest([(names[0], first.as_bytes()), (names[1], second.as_bytes())]);
    // They lose nothing, in either order.
    for names in [["l/monday.log", "l/tuesday.log"], ["l/b.log", "l/a.log"]] {
        let ingested = logs(names);
        assert_eq!((ingested.runs.len(), ingested.runs[0].step_range()), (1, Some((0.0, 30.0))));
        assert_eq!(ingested.runs[0].series("actor/kl").unwrap().len(), 30);
    }
    let other = second.replace(":0.0", ":0.9");
    assert_eq!(ingest([("l/monday.log", first.as_bytes()), ("l/tuesday.log", other.as_bytes())]).runs.len(), 2);
    let second = half(15, 31);
    let apart = ingest([("l/monday.log", first.as_bytes()), ("l/tuesday.log", second.as_bytes())]);
    assert_eq!(apart.runs.len(), 2);
}

#[test]
fn the_resumed_run_of_the_public_logs_is_one_run() {
    let Some(folder) = corpus("public-logs") else { return };
    let names =
        ["search-r1-grpo-pre_resume_step100.log", "search-r1-grpo-resume_from100.log", "verl-gpg-math-qwen2-7b.log"];
    let files: Vec<(String, Vec<u8>)> =
        names.iter().map(|name| ((*name).to_owned(), std::fs::read(folder.join(name)).unwrap())).collect();
    let ingested = ingest(files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())));
    assert_eq!(ingested.runs.len(), 2, "{:?}", ingested.problems);
    let run = ingested.runs.iter().find(|run| run.files.len() == 2).unwrap();
    assert_eq!((run.step_range(), run.axis.restarts.len()), (Some((0.0, 300.0)), 1));
    assert_eq!((run.axis.restarts[0].left_at, run.axis.restarts[0].resumed_at), (149.0, 101.0));
}

#[test]
fn a_log_with_settings_and_a_bar_and_no_metrics_is_a_run() {
    let settings = verl_log(0).replace("step:0 - val", "no step - val");
    let bar = |step: u32| {
        format!("\u{1b}[36m(TaskRunner pid=7)\u{1b}[0m Training Progress: 0%| | {step}/90 [00:01<9:00, 66s/it]\n")
    };
    let log = format!("{settings}{}\n[score] -3.5\n{}", bar(0), bar(33));
    let ingested = one("runs/amber/train.log", &log, 1 << 20);
    let [run] = &ingested.runs[..] else { panic!("{:?}", ingested.problems) };
    assert_eq!((run.ending.state, run.row_steps.len()), (RunState::Unknown, 0));
    assert_eq!(run.ending.evidence, ["the progress bar ended at step 33 of 90"]);
    assert!(run.config.number(&["actor_rollout_ref.actor.optim.lr"]).is_some());
    for other in [format!("{settings}{}", bar(0)), bar(33)] {
        assert!(one("runs/amber/train.log", &other, 1 << 20).runs.is_empty(), "{other}");
    }
}
