//! Tables whose labels tell runs apart, and tables whose labels do not.

use crate::open;
use rundown_run::{ConfigValue, Run};

/// The runs of a table, by name, each with its rewards.
fn runs_of(file: &str, text: &str) -> Vec<Run> {
    let mut reading = open(file, text.len() as u64);
    reading.push(text.as_bytes());
    reading.finish().parts.into_iter().map(|part| part.run).collect()
}

fn rewards(file: &str, text: &str) -> Vec<(String, Vec<f64>)> {
    runs_of(file, text).into_iter().map(|run| (run.name.clone(), run.columns["reward"].values().to_vec())).collect()
}

fn named(name: &str, values: &[f64]) -> (String, Vec<f64>) {
    (name.to_owned(), values.to_vec())
}

#[test]
fn a_column_of_algorithms_names_the_runs_of_a_table() {
    let one_below_the_other = "algo,step,reward\nppo,0,1\nppo,1,2\nppo,2,3\ngrpo,0,4\ngrpo,1,5\ngrpo,2,6\n";
    let expected = [named("ppo", &[1.0, 2.0, 3.0]), named("grpo", &[4.0, 5.0, 6.0])];
    assert_eq!(rewards("r.csv", one_below_the_other), expected);
    let by_step = "algo,step,reward\nppo,0,1\ngrpo,0,4\nppo,1,2\ngrpo,1,5\nppo,2,3\ngrpo,2,6\n";
    assert_eq!(rewards("r.csv", by_step), expected);
    let lines: String = one_below_the_other
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(','))
        .filter_map(|(algo, rest)| Some((algo, rest.split_once(',')?)))
        .map(|(algo, (step, reward))| format!("{{\"algo\": \"{algo}\", \"step\": {step}, \"reward\": {reward}}}\n"))
        .collect();
    assert_eq!(rewards("r.jsonl", &lines), expected);
}

#[test]
fn labelled_runs_below_one_another_may_begin_at_different_steps() {
    let table = |first: usize, every: usize| {
        let mut table = "algo,step,reward\n".to_owned();
        (0..20).for_each(|row| table += &format!("ppo,{},1\n", 5 + row * 5));
        (0..10).for_each(|row| table += &format!("grpo,{},2\n", first + row * every));
        rewards("r.csv", &table).into_iter().map(|(name, values)| (name, values.len())).collect::<Vec<_>>()
    };
    assert_eq!(table(10, 10), [("ppo".to_owned(), 20), ("grpo".to_owned(), 10)]);
    assert_eq!(table(90, 10).len(), 1, "gone on with");
}

#[test]
fn a_run_is_named_by_what_tells_it_from_the_others() {
    let mut table = "method,model,seed,learning_rate,episode,reward\n".to_owned();
    for (method, seed, rate) in [("a", 1, "1e-5"), ("a", 2, "1e-5"), ("b", 1, "2e-5"), ("b", 2, "2e-5")] {
        for episode in 0..4 {
            table += &format!("{method},tiny,{seed},{rate},{episode},0.{episode}\n");
        }
    }
    let runs = runs_of("r.csv", &table);
    let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    assert_eq!(names, ["a, seed 1", "a, seed 2", "b, seed 1", "b, seed 2"]);
    let mut by_step: Vec<&str> = table.lines().skip(1).collect();
    by_step.sort_by_key(|row| row.split(',').nth(4).map(str::to_owned));
    let header = table.lines().next().unwrap();
    let again = runs_of("r.csv", &format!("{header}\n{}\n", by_step.join("\n")));
    assert_eq!(again.iter().map(|run| run.name.as_str()).collect::<Vec<_>>(), names, "all runs of a step together");
    let config = &runs[2].config;
    assert_eq!(config.get("learning_rate"), Some(&ConfigValue::Number(2e-5)));
    assert_eq!(config.get("method"), Some(&ConfigValue::Text("b".to_owned())));
    let by_rate = "lr,step,reward\n1e-5,0,1\n1e-5,1,2\n1e-5,2,3\n2e-5,0,4\n2e-5,1,5\n2e-5,2,6\n";
    assert_eq!(rewards("r.csv", by_rate), [named("lr 1e-5", &[1.0, 2.0, 3.0]), named("lr 2e-5", &[4.0, 5.0, 6.0])]);
    assert!(!runs[2].columns.contains_key("seed") && runs[2].columns["step"].len() == 4);
}

#[test]
fn labels_that_do_not_explain_the_steps_are_no_runs() {
    for (what, table) in [
        ("the steps rise", "method,step,reward\na,0,1\na,1,2\na,2,3\nb,3,4\nb,4,5\nb,5,6\n"),
        ("a step is taken twice", "method,step,reward\na,0,1\na,0,2\nb,0,3\nb,0,4\na,1,5\nb,1,6\n"),
        ("gone on with", "method,step,reward\na,0,1\na,1,2\na,2,3\nb,2,4\nb,3,5\nb,4,6\n"),
        ("one label a row", "method,step,reward\na,0,1\nb,0,2\nc,0,3\na,1,1\nb,1,2\nc,1,3\n"),
        ("a row without a label", "method,step,reward\na,0,1\na,1,2\na,2,3\n,0,4\nb,1,5\nb,2,6\n"),
        ("seeds of samples", "seed,step,reward\n7,0,1\n8,0,2\n7,1,3\n8,1,4\n7,2,5\n8,2,6\n"),
        ("benchmarks", "benchmark,step,reward\na,0,1\na,1,2\na,2,3\nb,0,4\nb,1,5\nb,2,6\n"),
    ] {
        let runs = runs_of("r.csv", table);
        assert_eq!(runs.len(), 1, "{what}");
        assert_eq!(runs[0].columns["reward"].len(), 6, "{what}");
    }
}

#[test]
fn a_learning_rate_that_a_resumed_run_lowers_begins_no_other_run() {
    let mut table = "step,learning_rate,reward\n".to_owned();
    for (from, rate) in [(0, "1e-5"), (8, "5e-6")] {
        (from..from + 12).for_each(|step| table += &format!("{step},{rate},0.5\n"));
    }
    assert_eq!(runs_of("r.csv", &table).len(), 1);
}

#[test]
fn runs_are_told_apart_by_the_counter_that_each_row_has() {
    let rows = |method: &str| {
        (0..6).map(|row| format!("{method},{row},{},0.5\n", if row % 2 == 0 { "" } else { "7" })).collect::<String>()
    };
    let table = format!("method,iteration,optimizer_step,reward\n{}{}", rows("ppo"), rows("grpo"));
    let found: Vec<_> = runs_of("r.csv", &table).into_iter().map(|run| run.row_steps.len()).collect();
    assert_eq!(found, [6, 6]);
}

#[test]
fn a_setting_that_never_changes_is_one_of_the_run() {
    let table = |rows: usize, rate: fn(usize) -> f64| {
        let mut table = "step,lr,num_generations,reward\n".to_owned();
        (0..rows).for_each(|step| table += &format!("{step},{},8,0.5\n", rate(step)));
        let run = runs_of("r.csv", &table).remove(0);
        (run.config.number(&["lr"]).map(|(_, rate)| rate), run.config.number(&["num_generations"]).map(|(_, n)| n))
    };
    assert_eq!(table(12, |_| 1e-5), (Some(1e-5), Some(8.0)));
    assert_eq!(table(12, |step| 1e-5 * step as f64), (None, Some(8.0)), "a schedule");
    assert_eq!(table(12, |_| 0.0), (None, Some(8.0)), "rounded, perhaps");
    assert_eq!(table(4, |_| 1e-5), (None, None), "too early to say");
}

#[test]
fn steps_of_an_episode_are_not_those_that_were_planned() {
    let planned = |steps: usize| {
        let row = |step: usize| format!("{{\"step\": {step}, \"num_steps\": {steps}, \"reward\": 0.5}}\n");
        let run = runs_of("r.jsonl", &(0..40).map(row).collect::<String>()).remove(0);
        run.config.number(&["max_steps"]).map(|(_, planned)| planned)
    };
    assert_eq!((planned(20), planned(100)), (None, Some(100.0)));
}

#[test]
fn settings_may_stand_in_the_rows_of_one_kind() {
    let settings = |steps: std::ops::Range<usize>| {
        let row = |step: usize| {
            let rollout = format!("{{\"type\": \"rollout\", \"step\": {step}, \"reward\": 0.5}}\n");
            let update = format!("{{\"step\": {step}, \"loss\": 0.1, \"lr\": 4e-5, \"loss_type\": \"no_clip\"}}\n");
            if steps.contains(&step) { rollout + &update } else { rollout }
        };
        let run = runs_of("r.jsonl", &(0..40).map(row).collect::<String>()).remove(0);
        (run.config.number(&["lr"]).map(|(_, rate)| rate), run.config.get("loss_type").cloned())
    };
    assert_eq!(settings(0..40), (Some(4e-5), Some(ConfigValue::Text("no_clip".to_owned()))));
    assert_eq!(settings(0..20), (None, None), "of a stage");
    let judged = |step: usize| {
        let judge = format!("{{\"type\": \"judge\", \"step\": {step}, \"model\": \"gpt-4o\", \"score\": 0.5}}\n");
        format!("{{\"step\": {step}, \"loss\": 0.1}}\n") + &judge
    };
    let run = runs_of("r.jsonl", &(0..40).map(judged).collect::<String>()).remove(0);
    assert_eq!(run.config.get("model_name"), None, "the judge's");
}

#[test]
fn a_label_that_all_rows_of_a_named_run_share_is_a_setting_of_it() {
    let rows = |name: &str| {
        let row = |step: usize| format!("{name},{name}_a,{step},0.5\n{name},{name}_b,{step},0.5\n");
        (0..4).map(row).collect::<String>()
    };
    let table = format!("algorithm,run_id,step,reward\n{}{}", rows("ppo"), rows("grpo"));
    let algorithm = |run: &Run| run.config.get("algorithm").map(ToString::to_string);
    let found: Vec<_> = runs_of("r.csv", &table).iter().map(algorithm).collect();
    assert_eq!(found, ["ppo", "ppo", "grpo", "grpo"].map(|name| Some(name.to_owned())));
    let changing = "algorithm,run_id,step,reward\nppo,a,0,1\nppo,a,1,2\ngrpo,a,2,3\ngrpo,b,0,4\n,b,1,5\n";
    let found: Vec<_> = runs_of("r.csv", changing).iter().map(algorithm).collect();
    assert_eq!(found, [None, None], "it changes, or is not in all rows");
}

#[test]
fn a_label_that_all_rows_of_the_only_run_share_is_a_setting_unless_it_counts() {
    let config = |label: &str, text: &str| {
        let rows: String = (0..4).map(|step| format!("{text},{step},0.5\n")).collect();
        runs_of("r.csv", &format!("{label},step,reward\n{rows}"))[0].config.get(label).map(ToString::to_string)
    };
    assert_eq!(config("algorithm", "ppo").as_deref(), Some("ppo"));
    assert_eq!(config("seed", "s1").as_deref(), Some("s1"));
    assert_eq!([config("rep", "rep1"), config("fold", "fold_2"), config("job", "job7")], [None, None, None]);
}
