//! Tables of each kind, in the exact shape of their tools.

use super::*;
use crate::PartialRun;
use crate::run_limit::MAX_RUNS;
use rundown_run::{RowNumbers, Run, RunState, RunWarning, Thinning};

mod torn_rows;

fn read_in(text: &str, slice: usize) -> (Vec<PartialRun>, Vec<Problem>) {
    read_slices(text, text.as_bytes().chunks(slice))
}

fn read_slices<'s>(text: &str, slices: impl Iterator<Item = &'s [u8]>) -> (Vec<PartialRun>, Vec<Problem>) {
    let mut reader = Box::new(CsvReader::new("t.csv", text.as_bytes()));
    for part in slices {
        reader.push(part);
    }
    reader.finish(&mut FileEnd::default())
}

fn read(text: &str) -> Run {
    let (mut parts, problems) = read_in(text, 5);
    assert_eq!(problems, []);
    parts.remove(0).run
}

#[test]
fn results_on_several_benchmarks_are_no_history() {
    let rows = |head: &str, tasks: [&str; 3]| {
        let rows = tasks.iter().zip([1, 2, 3]).map(|(task, row)| format!("a3,{task},{row},0.{row}\n"));
        let (parts, problems) = read_in(&format!("{head}\n{}", rows.collect::<String>()), 7);
        (parts.len(), problems.iter().filter(|problem| problem.what.contains("several benchmarks")).count())
    };
    assert_eq!(rows("arm,benchmark,n_samples,pass_at_1", ["aime", "math", "aime"]), (0, 1));
    assert_eq!(rows("arm,benchmark,n_samples,pass_at_1", ["aime", "aime", "aime"]), (1, 0));
    assert_eq!(rows("arm,benchmark,step,pass_at_1", ["aime", "math", "aime"]), (1, 0));
}

#[test]
fn a_notebook_table_is_a_run() {
    let run = read("\u{feff}Step,Training Loss,rewards / correct,kl\n1,0.5,No log,nan\n2,-0.000000,1.5,\n\n");
    assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["kl", "loss", "rewards/correct", "step"]);
    assert_eq!(run.columns["loss"].values(), [0.5, 0.0]);
    assert_eq!(run.columns["rewards/correct"].rows(), [1]);
    assert!(run.columns["kl"].values()[0].is_nan());
}

#[test]
fn semicolons_bring_decimal_commas() {
    let run = read("step;loss;name\r\n1;0,5;a,b\r\n2;1e-3;c\r\n");
    assert_eq!(run.columns["loss"].values(), [0.5, 1e-3]);
    assert!(!run.columns.contains_key("name"));
}

#[test]
fn tabs_quotes_and_long_cells_are_read() {
    let long = "x".repeat(200_000);
    let run = read(&format!("step\t\"a\t\"\"b\"\"\"\ttext\n1\t\"2.5\"\t{long}\n2\t3\t\"line\nbreak\"\n"));
    assert_eq!(run.columns["a\t\"b\""].values(), [2.5, 3.0]);
}

#[test]
fn comments_above_the_header_are_skipped_or_are_the_header() {
    let rows = "step,loss,reward\n10,0.5,0.1\n20,0.4,0.2\n";
    for above in ["# ", "#", "# seed 1\n", "# a, b; c\n# d\n\n", "sep=,\n", "# seed 1\n# "] {
        let run = read(&format!("{above}{rows}"));
        assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["loss", "reward", "step"], "{above:?}");
        assert_eq!(run.columns["step"].values(), [10.0, 20.0], "{above:?}");
    }
    assert_eq!(read("sep=;\nstep;loss\n1;0,5\n").columns["loss"].values(), [0.5]);
    let (_, problems) = read_in("# seed 1\nstep,loss\n1,2\n2\n", 3);
    assert_eq!(problems[0].place, Place::Line(4));
}

#[test]
fn columns_go_by_a_later_header() {
    let text = "step,loss,reward\n1,0.5,0.1\nstep,loss,reward\n1,0.5,0.1\nstep,loss,kl,reward\n2,0.6,0.01,0.12\n3,0.7,0.02,0.13\n";
    for slice in [1, 7, text.len()] {
        let (parts, problems) = read_in(text, slice);
        let run = &parts[0].run;
        assert_eq!((run.columns["step"].values(), &problems[..]), (&[1.0, 1.0, 2.0, 3.0][..], &[][..]), "{slice}");
        assert_eq!(run.columns["kl"].rows(), [2, 3]);
        assert_eq!(run.columns["reward"].values(), [0.1, 0.1, 0.12, 0.13]);
    }
    let (parts, _) = read_in("step,a,run,b\n1,2,x,3\nstep,b,run\n2,4,x\nb,step,a\n5,3,6\n", 9);
    let seen: Vec<_> = parts.iter().map(|part| part.run.columns["b"].values()).collect();
    assert_eq!(seen, [&[5.0][..], &[3.0, 4.0]], "rows behind the last header name no run");
}

#[test]
fn a_column_comes_back_with_a_later_header() {
    let (parts, _) = read_in("step,a,b,b\n1,2,3,4\nstep,c,a\n2,4,5\nstep,b,c,a,b\n3,6,7,8,9\n", 9);
    let columns = &parts[0].run.columns;
    assert_eq!((columns["a"].values(), columns["c"].values()), (&[2.0, 5.0, 8.0][..], &[4.0, 7.0][..]));
    assert_eq!((columns["b"].values(), columns["b"].rows().last()), (&[4.0, 9.0][..], Some(2)));
}

#[test]
fn numbers_in_calls_are_numbers() {
    let run = read("step,loss\n1,tensor(0.5)\n2,\"tensor(0.25, device='cuda:0')\"\n3,np.float64(0.125)\n");
    assert_eq!(run.columns["loss"].values(), [0.5, 0.25, 0.125]);
}

#[test]
fn labels_tell_the_runs_of_one_value_a_row_apart() {
    let rows: String =
        (1..5).flat_map(|step| [0, 1].map(|seed| format!("{step},{seed},reward,{seed}.{step}\n"))).collect();
    let (parts, _) = read_in(&format!("step,seed,metric,value\n{rows}"), 9);
    let seen: Vec<_> = parts.iter().map(|part| (part.run.name.as_str(), part.run.columns["reward"].values())).collect();
    assert_eq!(seen, [("seed 0", &[0.1, 0.2, 0.3, 0.4][..]), ("seed 1", &[1.1, 1.2, 1.3, 1.4])]);
    assert_eq!(parts[1].run.config.number(&["seed"]), Some(("seed", 1.0)));
}

#[test]
fn the_steps_of_checkpoints_in_a_column_of_texts_order_the_rows() {
    let read_with = |names: [&str; 3]| {
        let rows = names.map(|name| format!("{name},0.{}\n", name.len()));
        let run = read(&format!("model,acc\n{}", rows.concat()));
        (run.columns.get("step").map(|steps| steps.values().to_vec()), run.columns["acc"].values().to_vec())
    };
    let sorted = read_with(["a-global_step_0", "a-global_step_100", "a-global_step_20"]);
    assert_eq!(sorted, (Some(vec![0.0, 20.0, 100.0]), vec![0.15, 0.16, 0.17]));
    let again = read("model,acc\na_step_0,0.5\na_step_10,0.6\nmodel,acc\na_step_20,0.7\n");
    assert_eq!(again.columns["step"].values(), [0.0, 10.0, 20.0], "a header that stands there again is no row");
    for names in
        [["a_step_1", "b_step_2", "a_step_3"], ["a_step_1", "a_step_2", "a_step_1"], ["run_1", "run_2", "run_3"]]
    {
        assert_eq!(read_with(names).0, None, "{names:?}");
    }
}

#[test]
fn numbered_rows_of_a_sweep_are_runs() {
    let (parts, _) = read_in("lr,gamma,run,mean_reward\n0.01,0.9,0,-4.5\n0.001,0.99,1,-2.5\n", 9);
    let seen: Vec<_> = parts.iter().map(|part| (part.run.name.as_str(), part.run.config.number(&["gamma"]))).collect();
    assert_eq!(seen, [("run 0", Some(("gamma", 0.9))), ("run 1", Some(("gamma", 0.99)))]);
    let (parts, _) =
        read_in("experiment,lr,group_size,prompt,accuracy\nlong,1e-5,8,plain,0.6\nwide,1e-5,16,plain,0.7\n", 9);
    let names: Vec<_> = parts.iter().map(|part| part.run.name.as_str()).collect();
    assert_eq!(names, ["long", "wide"], "one column of prompts beside settings is one of them");
    let (parts, problems) = read_in("run,lr,group_size,prompt,reward\na,1e-5,8,2+2,1\na,1e-5,8,3+3,0\n", 9);
    assert!(parts.is_empty() && problems.len() == 1 && problems[0].weight == Weight::Remark, "samples of one run");
    let (parts, _) = read_in("run_key,lr,group_size,reward\nsmall_s0,1e-5,8,0.5\nsmall_s1,1e-5,8,0.7\n", 9);
    let seen: Vec<_> = parts.iter().map(|part| (part.run.name.as_str(), part.run.config.get("run_key"))).collect();
    assert_eq!(seen, [("small_s0", None), ("small_s1", None)], "a key of the run is its name and no setting");
}

#[test]
fn the_index_of_pandas_is_no_metric() {
    let run = read(",_step,_runtime,_timestamp,train/loss\n0,0,1.5,1790000000.5,2\n1,5,2.5,1790000001.5,1\n");
    assert_eq!(run.row_steps, [0.0, 5.0]);
    assert_eq!(run.row_times, [1_790_000_000.5, 1_790_000_001.5]);
    assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["train/loss"]);
}

#[test]
fn a_chart_export_is_several_runs() {
    let text = "\"Step\",\"a - b - loss\",\"a - b - loss__MIN\",\"a - b - loss__MAX\",\"c - loss\",\"c - loss__MIN\",\"c - loss__MAX\"\n\
                \"0\",\"1\",\"1\",\"1\",\"\",\"\",\"\"\n\"10\",\"2\",\"2\",\"2\",\"3\",\"3\",\"3\"\n";
    let (parts, problems) = read_in(text, 9);
    assert_eq!(problems, []);
    let seen: Vec<_> =
        parts.iter().map(|part| (part.run.name.as_str(), part.run.columns["loss"].values().to_vec())).collect();
    assert_eq!(seen, [("a - b", vec![1.0, 2.0]), ("c", vec![3.0])]);
    assert_eq!(parts[0].run.columns["step"].values(), [0.0, 10.0]);
    assert_eq!(parts[0].run.warnings.len(), 1);
}

#[test]
fn what_is_no_table_of_metrics_says_so() {
    let weight = |text| {
        let (parts, problems) = read_in(text, 100);
        assert!(parts.is_empty());
        problems[0].weight
    };
    assert_eq!(weight("prompt,completion,reward\n2+2,4,1\n"), Weight::Remark);
    assert_eq!(weight("1,2\n3,4\n"), Weight::Lost);
    assert_eq!(weight("step,loss\na,b\n"), Weight::Lost);
    assert_eq!(weight(""), Weight::Lost);
}

#[test]
fn the_band_of_a_chart_is_kept_where_it_is_wider_than_the_line() {
    let text = "\"epoch\",\"a - x\",\"a - x__MIN\",\"a - x__MAX\",\"a - _step\",\"a - _step__MIN\",\"a - _step__MAX\"\n\
                \"0.5\",\"1\",\"0\",\"2\",\"10\",\"10\",\"10\"\n\"1\",\"NaN\",\"\",\"3\",\"20\",\"20\",\"20\"\n";
    let (parts, problems) = read_in(text, 7);
    assert_eq!(problems, []);
    let run = &parts[0].run;
    assert_eq!(run.row_steps, [10.0, 20.0]);
    assert_eq!((run.bands["x"].low.values(), run.bands["x"].high.values()), (&[0.0][..], &[2.0, 3.0][..]));
    assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["epoch", "x"]);
    assert!(run.columns["x"].values()[1].is_nan());
    assert_eq!((run.sampling_of("x"), run.sampling_of("epoch")), (Some(Thinning::Buckets), None));
    let (parts, _) = read_in(&text.replace("\"0\",\"2\"", "\"1\",\"1\""), 7);
    assert_eq!(parts[0].run.sampling, []);
}

#[test]
fn a_table_of_runs_gives_settings_and_last_values() {
    let text = "\"Name\",\"State\",\"Notes\",\"Tags\",\"Created\",\"Runtime\",\"Sweep\",\"ID\",\"Group\",\"lr\",\"optim.name\",\"kl_coef\",\"train/loss\",\"val_loss.min\",\"custom\"\n\
        \"amber-1\",\"finished\",\"\",\"a, b\",\"2026-11-01T00:00:22.000Z\",\"120\",\"\",\"x1\",\"g\",\"0.001\",\"adam\",\"0.05\",\"0.25\",\"1\",\"0.123456789\"\n\
        \"amber-2\",\"crashed\",\"n\",\"\",\"\",\"\",\"s1\",\"x2\",\"\",\"1e-05\",\"\",\"0.1\",\"NaN\",\"\",\"1\"\n";
    let (parts, problems) = read_in(text, 11);
    assert_eq!(problems[0].weight, Weight::Remark);
    let runs: Vec<&Run> = parts.iter().map(|part| &part.run).collect();
    assert_eq!(
        (runs[0].name.as_str(), runs[0].id.as_str(), runs[0].ending.state),
        ("amber-1", "x1", RunState::Finished)
    );
    assert_eq!((runs[1].sweep.as_deref(), runs[1].ending.state), (Some("s1"), RunState::Crashed));
    assert_eq!((&runs[0].tags[..], runs[0].started_at), (&["a".to_owned(), "b".to_owned()][..], Some(1_793_491_222.0)));
    let config: Vec<String> = runs[0].config.iter().map(|(key, value)| format!("{key}={value}")).collect();
    assert_eq!(config, ["kl_coef=0.05", "lr=0.001", "optim.name=adam"]);
    let summary: Vec<String> = runs[0].summary.iter().map(|(key, value)| format!("{key}={value}")).collect();
    assert_eq!(summary, ["_runtime=120", "custom=0.123456789", "train/loss=0.25", "val_loss.min=1"]);
}

#[test]
fn a_table_of_runs_needs_no_state() {
    let text = "Name,Notes,Tags,lr,train/reward\namber,,a,1e-5,0.5\namber,,a,1e-5,0.75\n";
    let (parts, _) = read_in(text, 11);
    let found: Vec<_> = parts.iter().map(|part| (part.run.name.as_str(), part.run.summary.len())).collect();
    assert_eq!(found, [("amber", 1), ("amber", 1)]);
    assert_eq!(read_in(&text.replace("lr", "step"), 11).0.len(), 1);
}

#[test]
fn printed_dicts_of_the_api_guide_are_read() {
    let text = ",summary,config,name\n0,\"{'loss': 0.5, 'nan': nan, '_wandb': {'runtime': 5}}\",\"{'lr': 1e-05, 'a': {'b': None}, 's': \"\"it's\"\"}\",fine-1\n";
    let (parts, _) = read_in(text, 6);
    let run = &parts[0].run;
    assert_eq!(run.name, "fine-1");
    assert_eq!(
        run.config.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>(),
        ["a.b=null", "lr=1e-5", "s=it's"]
    );
    assert_eq!(run.summary.len(), 2);
}

#[test]
fn the_long_form_is_one_run_for_each_id() {
    let text = "run_id,_step,loss,split\nb,0,1,train\na,0,2,train\nb,1,3,eval\n";
    let (parts, problems) = read_in(text, 4);
    assert_eq!(problems, []);
    let seen: Vec<_> =
        parts.iter().map(|f| (f.run.id.as_str(), f.run.name.as_str(), f.run.columns["loss"].values())).collect();
    assert_eq!(seen, [("b", "b", &[1.0][..]), ("a", "a", &[2.0])]);
    assert_eq!(parts[0].run.columns["eval/loss"].values(), [3.0]);
}

#[test]
fn one_value_a_row_becomes_columns() {
    let run = read(
        "key,value,timestamp,step,is_nan,run_uuid\nloss,0.5,1790000000500,1,0,u1\nkl,0,1790000000600,1,1,u1\nloss,0.4,1790000001500,2,0,u1\n",
    );
    assert_eq!((run.id.as_str(), &run.row_steps[..]), ("u1", &[1.0, 2.0][..]));
    assert_eq!(run.columns["loss"].values(), [0.5, 0.4]);
    assert!(run.columns["kl"].values()[0].is_nan());
    assert_eq!(run.row_times[0], 1_790_000_000.5);
}

#[test]
fn axiom_events_may_be_a_table() {
    let run = read(
        "_time,event,data.duration_s,run_name\n2026-11-01T00:00:01Z,rollout_complete,5.5,amber\n2026-11-01T00:00:00Z,rollout_start,,amber\n",
    );
    assert_eq!((run.name.as_str(), run.columns["axiom/rollout/duration_s"].rows()), ("amber", RowNumbers::List(&[1])));
}

#[test]
fn experiments_of_mlflow_are_runs() {
    let text = "run_id,experiment_id,status,artifact_uri,start_time,end_time,metrics.inf,metrics.train/loss,params.lr,params.opt,tags.mlflow.note.content,tags.mlflow.runName,tags.team,tags.mlflow.user\n\
        03cb91a68ffc47ac897b745938a366f7,432,FINISHED,file:///m,2026-11-01 00:00:22.500+00:00,,inf,0.2,1e-05,None,note,amber-1,red,root\n";
    let (parts, _) = read_in(text, 8);
    let run = &parts[0].run;
    assert_eq!(
        (run.name.as_str(), run.project.as_deref(), run.notes.as_deref()),
        ("amber-1", Some("432"), Some("note"))
    );
    assert_eq!((run.ending.state, run.started_at), (RunState::Finished, Some(1_793_491_222.5)));
    assert_eq!(run.summary.number(&["inf"]), Some(("inf", f64::INFINITY)));
    assert_eq!((run.config.number(&["lr"]), &run.tags[..]), (Some(("lr", 1e-5)), &["team: red".to_owned()][..]));
}

#[test]
fn grouped_charts_say_so_and_old_ones_have_no_band() {
    let (parts, _) = read_in(
        "\"Step\",\"Group: g1 - x\",\"Group: g1 - x__MIN\",\"Group: g1 - x__MAX\"\n\"0\",\"1\",\"0\",\"2\"\n",
        9,
    );
    let run = &parts[0].run;
    assert_eq!((run.name.as_str(), run.group.as_deref()), ("Group: g1", Some("g1")));
    assert!(run.warnings == [RunWarning::ChartExport { grouped: true }] && run.bands.contains_key("x"));
    assert_eq!(run.sampling_of("x"), Some(Thinning::Groups));
    let (parts, _) = read_in("\"Step\",\"Name: a - x\",\"Name: b - x\"\n\"0\",\"1\",\"2\"\n", 9);
    assert_eq!(parts.iter().map(|part| part.run.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    let lines = "\"Step\",\"my.key: /a/b - x\",\"my.key: /a/b - x__MIN\",\"my.key: c - x\"\n\"0\",\"1\",\"0\",\"1\"\n";
    let run = read_in(lines, 9).0.remove(0).run;
    assert_eq!(
        (run.name.as_str(), run.config.get("my.key").map(ToString::to_string).as_deref()),
        ("/a/b", Some("/a/b"))
    );
    assert!(run.warnings == [RunWarning::ChartExport { grouped: true }]);
    let run = read_in(&lines.replace("/a/b", "0.1"), 9).0.remove(0).run;
    assert_eq!((run.name.as_str(), run.config.number(&["my.key"])), ("my.key: 0.1", Some(("my.key", 0.1))));
    for name in ["note", "grpo_v2", "2.key"] {
        assert_eq!(read_in(&lines.replace("my.key", name), 9).0.remove(0).run.config.len(), 0, "{name}");
    }
    let (one, _) = read_in("\"Step\",\"my.key: a - x\",\"my.key: a - x__MIN\"\n\"0\",\"1\",\"0\"\n", 9);
    assert_eq!((one[0].run.name.as_str(), one[0].run.config.len()), ("my.key: a", 0), "a name, perhaps");
    let (parts, _) = read_in("\"Step\",\"a - x\",\"b - x\"\n\"0\",\"1\",\"\"\n\"1\",\"\",\"2\"\n", 9);
    assert_eq!(parts.iter().map(|f| f.run.columns["step"].values()[0]).collect::<Vec<_>>(), [0.0, 1.0]);
    assert!(parts.iter().all(|part| part.run.bands.is_empty()));
}

#[test]
fn a_chart_over_wall_time_has_times() {
    let (parts, _) = read_in("\"Wall Time\",\"a - x\",\"a - x__MIN\"\n\"2026-11-01T00:00:22Z\",\"1\",\"1\"\n", 9);
    assert_eq!(parts[0].run.row_times, [1_793_491_222.0]);
    let (parts, _) =
        read_in("\"Relative Time (Process)\",\"a - x\",\"a - _step\"\n\"96.5\",\"1\",\"0\"\n\"120\",\"2\",\"30\"\n", 9);
    assert_eq!((&parts[0].run.row_times[..], &parts[0].run.row_steps[..]), (&[96.5, 120.0][..], &[0.0, 30.0][..]));
    assert_eq!(parts[0].run.columns.keys().collect::<Vec<_>>(), ["x"]);
}

#[test]
fn a_column_of_counts_is_one_of_shares() {
    let run =
        read("step,solved,date,note\n1,12/64,1/30,1/2\n2,n/a,2/31,better\n3, 48 / 64,3/7,\n4,,4/9,\n5,0/32,5/8,x\n");
    assert_eq!(
        (run.columns["solved"].values(), run.columns["solved"].rows()),
        (&[0.1875, 0.75, 0.0][..], RowNumbers::List(&[0, 2, 4]))
    );
    assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["solved", "step"], "dates and notes are none");
    let run = read("step,reward\n1/9,0.5\n2/9,3/4\n");
    assert_eq!(run.columns["reward"].values(), [0.5], "numbers stay");
    let (parts, problems) = read_in("step,reward\n1,3/4\n2,0.5\n", 7);
    assert!(!parts[0].run.columns.contains_key("reward"));
    assert!(problems[0].what.contains("“reward” mixes counts"), "{problems:?}");
}

#[test]
fn rows_with_names_of_runs_and_settings_are_runs() {
    let text = "run,learning_rate,seed,final_reward,eval_accuracy\namber,1e-5,1,0.5,0.25\nbirch,2e-5,1,0.75,0.5\ncedar,4e-5,2,0.125,0.75\n";
    for slice in [3, text.len()] {
        let mut reader = Box::new(CsvReader::new("t.csv", text.as_bytes()));
        text.as_bytes().chunks(slice).for_each(|part| reader.push(part));
        let mut end = FileEnd::default();
        let (parts, _) = reader.finish(&mut end);
        assert_eq!(end.format, FileFormat::RunsTable);
        let names: Vec<_> = parts.iter().map(|part| part.run.name.as_str()).collect();
        assert_eq!(names, ["amber", "birch", "cedar"]);
        let run = &parts[1].run;
        assert_eq!((run.config.len(), run.config.number(&["learning_rate"])), (2, Some(("learning_rate", 2e-5))));
        assert_eq!((run.summary.len(), run.row_steps.len()), (2, 0));
        assert_eq!(run.warnings, [RunWarning::FinalValuesOnly]);
    }
    let (unnamed, _) = read_in(&text.replace("run,", "title,"), 9);
    let names: Vec<_> = unnamed.iter().map(|part| part.run.name.as_str()).collect();
    let told_by_settings = ["learning_rate 1e-5, seed 1, title amber", "learning_rate 2e-5, seed 1, title birch"];
    assert_eq!(names[..2], told_by_settings);
    let history = [
        text.replace("cedar", "birch"),
        text.replace("seed", "epoch"),
        text.replace("amber", "step-1").replace("birch", "step-2"),
    ];
    for text in history {
        let (parts, _) = read_in(&text, 9);
        assert_eq!((parts.len(), parts[0].run.columns["final_reward"].len()), (1, 3), "{text}");
    }
}

#[test]
fn every_table_of_several_runs_is_read_up_to_the_same_limit() {
    let rows = |row: fn(usize) -> String| (0..=MAX_RUNS).map(row).collect::<String>();
    let long = format!("run_id,key,step,value\n{}", rows(|run| format!("r{run},loss,1,0.5\n")));
    let history = format!("run_id,step,loss\n{}", rows(|run| format!("r{run},1,0.5\n")));
    let listed = format!("Name,State,lr\n{}", rows(|run| format!("r{run},finished,0.5\n")));
    let events = format!("_time,event,run_name,v\n{}", rows(|run| format!("2026-11-01T00:00:01Z,x,r{run},1\n")));
    let header: String = (0..=MAX_RUNS).map(|run| format!(",r{run} - loss")).collect();
    let chart = format!("Step{header}\n1{}\n", ",0.5".repeat(MAX_RUNS + 1));
    for (table, thing) in [(long, "row"), (history, "row"), (listed, "run"), (events, "event"), (chart, "column")] {
        let (parts, problems) = read_in(&table, 4096);
        let what = format!("1 {thing} is left out: no more than 20,000 runs are read of one file.");
        assert_eq!(parts.len(), MAX_RUNS, "{thing}");
        assert!(problems.iter().any(|problem| problem.what == what), "{thing}: {problems:?}");
    }
}
