//! Tables, exports and events as their tools write them, dropped as a user drops them.

use std::fmt::Write as _;

use rundown_diagnose::{Code, Rulebook, diagnose};
use rundown_ingest::{Ingested, Weight};
use rundown_report::{Secrets, run_export};
use rundown_run::{RowNumbers, Run, RunState};

use crate::support::{corpus, ingest, ingest_folder, named, read};

fn drop_texts(files: &[(&str, &str)]) -> Ingested {
    ingest(files.iter().map(|(path, text)| (*path, text.as_bytes())))
}

fn format_of(path: &str, text: &str) -> String {
    let outcome = read(path, text.as_bytes(), 7);
    outcome.parts[0].run.files[0].format.to_string()
}

const CHART: &str = "\"Step\",\"amber - 1 - train/reward\",\"amber - 1 - train/reward__MIN\",\"amber - 1 - train/reward__MAX\",\"amber - 2 - train/reward\",\"amber - 2 - train/reward__MIN\",\"amber - 2 - train/reward__MAX\"\n\
\"0\",\"0.1\",\"0.05\",\"0.2\",\"\",\"\",\"\"\n\"10\",\"0.3\",\"0.25\",\"0.4\",\"NaN\",\"\",\"\"\n";

#[test]
fn charts_of_one_project_become_one_run_for_each_name() {
    let kl = CHART.replace("train/reward", "train/kl").replace("\"10\"", "\"20\"");
    let ingested = drop_texts(&[
        ("dl/wandb_export_2026-03-16T20_50_07.910+01_00.csv", CHART),
        ("dl/wandb_export_2026-03-16T20_51_00.000+01_00.csv", &kl),
    ]);
    assert_eq!(ingested.problems, []);
    assert_eq!(ingested.runs.len(), 2);
    let run = named(&ingested.runs, "amber - 1");
    assert_eq!(
        (run.series("train/reward").unwrap().steps.into_owned(), run.series("train/kl").unwrap().steps.into_owned()),
        (vec![0.0, 10.0], vec![0.0, 20.0])
    );
    assert_eq!(run.files.len(), 2);
    assert_eq!(run.bands["train/kl"].low.values(), [0.05, 0.25]);
    assert!(named(&ingested.runs, "amber - 2").columns["train/kl"].values()[0].is_nan());
}

#[test]
fn charts_of_equal_names_and_other_numbers_stay_apart() {
    let other = CHART.replace("0.3", "0.9");
    let ingested = drop_texts(&[("a.csv", CHART), ("b.csv", &other)]);
    let names: Vec<&str> = ingested.runs.iter().map(|run| run.name.as_str()).collect();
    assert!(names.contains(&"amber - 1 (a)") && names.contains(&"amber - 1 (b)"), "{names:?}");
}

#[test]
fn a_spreadsheet_may_save_a_chart_again() {
    let saved = CHART.replace('"', "").replace(',', ";").replace('.', ",").replace('\n', "\r\n");
    let ingested = drop_texts(&[("chart.csv", &format!("\u{feff}{saved}"))]);
    assert_eq!(named(&ingested.runs, "amber - 1").columns["train/reward"].values(), [0.1, 0.3]);
}

#[test]
fn each_kind_of_file_says_what_it_is() {
    for (path, text, format) in [
        ("a.csv", CHART, "W&B chart export"),
        ("a.csv", "Name,State,lr\nx,finished,1\n", "runs table"),
        ("run-x-tag-loss.csv", "Wall time,Step,Value\n1790000000.5,1,2\n", "TensorBoard download"),
        ("run-x-tag-loss.json", "[[1790000000.5, 1, 2]]", "TensorBoard download"),
        ("a.csv", "step,loss\n1,2\n", "table"),
        ("a.ndjson", "{\"_time\": \"2026-11-01T00:00:00Z\", \"event\": \"x\"}", "Axiom events"),
        ("a.json", "{\"id\": \"x\", \"config\": {}, \"history\": [{\"_step\": 1, \"a\": 1}]}", "run export"),
        ("a.jsonl", "{\"step\": 1, \"a\": 1}", "JSON Lines"),
        ("a.json", "{\"rundown_run\": 1, \"id\": \"x\"}", "Rundown export"),
    ] {
        assert_eq!(format_of(path, text), format, "{text}");
    }
}

#[test]
fn tags_downloaded_from_tensorboard_are_one_run() {
    let ingested = drop_texts(&[
        ("dl/run-amber-tag-loss.csv", "Wall time,Step,Value\n1790000000.5,1,0.5\n1790000001.5,2,0.25\n"),
        ("dl/run-amber-tag-kl.json", "[[1790000001.5, 2, 0.125]]"),
    ]);
    assert_eq!(ingested.problems, []);
    assert_eq!(ingested.runs.len(), 1);
    let run = named(&ingested.runs, "amber");
    assert_eq!(
        (run.columns["loss"].rows(), run.columns["kl"].rows()),
        (RowNumbers::List(&[0, 1]), RowNumbers::List(&[1]))
    );
    assert_eq!((run.axis.key.as_str(), run.series("kl").unwrap().steps.to_vec()), ("step", vec![2.0]));
}

#[test]
fn an_mlflow_folder_is_its_runs() {
    let (a, b) = ("mlruns/1/0123456789abcdef0123456789abcdef", "mlruns/1/fedcba98765432100123456789abcdef");
    let files: Vec<(String, &str)> = vec![
        ("mlruns/1/meta.yaml".into(), "name: countdown\nexperiment_id: '1'\n"),
        (
            format!("{a}/meta.yaml"),
            "run_id: 0123456789abcdef0123456789abcdef\nrun_name: amber\nstatus: 3\nstart_time: 1790000000000\nend_time: null\n",
        ),
        (format!("{a}/metrics/train/loss"), "1790000001000 0.5 1\n1790000002000 nan 2\n"),
        (format!("{a}/metrics/kl"), "1790000002000 0.01 2\n"),
        (format!("{a}/params/lr"), "1e-05"),
        (format!("{a}/params/empty"), ""),
        (format!("{a}/tags/mlflow.runName"), "amber"),
        (format!("{a}/tags/mlflow.note.content"), ""),
        (format!("{b}/metrics/kl"), "1790000002000 0.5 7\n"),
    ];
    let ingested = ingest(files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())));
    assert_eq!(ingested.problems, []);
    assert_eq!(ingested.runs.len(), 2);
    let run = named(&ingested.runs, "amber");
    assert_eq!((run.id.as_str(), run.ending.state), ("0123456789abcdef0123456789abcdef", RunState::Finished));
    assert!(ingested.runs.iter().all(|run| run.project.as_deref() == Some("countdown")));
    assert_eq!(run.config.number(&["lr"]), Some(("lr", 1e-5)));
    assert_eq!(run.series("kl").unwrap().steps[..], [2.0]);
    assert!(run.series("train/loss").unwrap().values[1].is_nan());
    assert_eq!(run.axis.key, "step");
}

#[test]
fn runs_and_their_histories_in_two_files_are_joined() {
    let ingested = drop_texts(&[
        (
            "dr/runs.jsonl",
            "{\"run_id\": \"a\", \"name\": \"amber\", \"state\": \"crashed\", \"config\": {\"lr\": 1}, \"summary\": {\"x\": 2}}\n{\"run_id\": \"b\", \"name\": \"blue\", \"config\": {\"lr\": 2}, \"summary\": {}}\n",
        ),
        (
            "dr/history.jsonl",
            "{\"run_id\": \"a\", \"_step\": 0, \"x\": 1}\n{\"run_id\": \"b\", \"_step\": 0, \"x\": 5}\n{\"run_id\": \"a\", \"_step\": 1, \"x\": 2}\n",
        ),
    ]);
    assert_eq!(ingested.runs.len(), 2);
    let run = named(&ingested.runs, "amber");
    assert_eq!(
        (run.id.as_str(), run.ending.state, run.columns["x"].values()),
        ("a", RunState::Crashed, &[1.0, 2.0][..])
    );
    assert_eq!(named(&ingested.runs, "blue").config.number(&["lr"]), Some(("lr", 2.0)));
}

#[test]
fn axiom_events_of_the_corpus_are_runs_with_times() {
    let Some(folder) = corpus("systems") else { return };
    for (name, lines) in [("axiom-healthy", 2532.0), ("axiom-slow", 2664.0)] {
        let ingested = ingest_folder(&folder.join(format!("{name}.ndjson")));
        assert_eq!(ingested.problems, []);
        assert_eq!(ingested.runs.len(), 1);
        let run = named(&ingested.runs, name);
        assert_eq!(run.summary.number(&["axiom/events"]), Some(("axiom/events", lines)));
        let mut durations = run.columns["axiom/rollout/duration_s"].values().to_vec();
        durations.sort_by(f64::total_cmp);
        let p95 = durations[durations.len() * 95 / 100];
        let success = run.columns["axiom/extraction/success"].values();
        let rate = success.iter().sum::<f64>() / success.len() as f64;
        let speed = run.columns["axiom/inference/output_tokens_per_second"].values();
        let speed = speed.iter().sum::<f64>() / speed.len() as f64;
        // The README's figures: p95 about 95 s and 210 s, extraction .985 and .90, 80 and 31 tok/s.
        let (seconds, extracted, tokens) =
            if name == "axiom-healthy" { (95.0, 0.985, 80.0) } else { (210.0, 0.90, 31.0) };
        assert!((p95 / seconds - 1.0_f64).abs() < 0.15, "{name}: p95 {p95}");
        assert!((rate - extracted).abs() < 0.02, "{name}: {rate}");
        assert!((speed - tokens).abs() < 2.0, "{name}: {speed}");
        assert!(run.row_times.windows(2).all(|pair| pair[0] <= pair[1]));
        assert!(run.columns.contains_key("axiom/error/count") == (name == "axiom-slow") || name == "axiom-healthy");
    }
}

#[test]
fn events_join_the_run_that_they_name() {
    let history = "{\"run_name\": \"amber\", \"_step\": 0, \"_timestamp\": 1793491200, \"loss\": 1}\n{\"run_name\": \"amber\", \"_step\": 10, \"_timestamp\": 1793491210, \"loss\": 0.5}\n";
    let events = "{\"_time\": \"2026-11-01T00:00:05Z\", \"event\": \"rollout_complete\", \"duration_s\": 4, \"run_name\": \"amber\"}\n{\"_time\": \"2026-11-01T00:00:06Z\", \"event\": \"other\"}\n";
    let ingested = drop_texts(&[("h.jsonl", history), ("e.ndjson", events)]);
    assert_eq!(ingested.problems, []);
    assert_eq!(ingested.runs.len(), 1);
    let run = named(&ingested.runs, "amber");
    assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["loss"]);
    assert_eq!(run.system_series("axiom/rollout/duration_s").unwrap().steps[..], [5.0]);
    assert_eq!((run.files.len(), run.summary.number(&["axiom/events"])), (2, Some(("axiom/events", 2.0))));
    // Of another day they are of another run.
    let late = events.replace("2026-11-01", "2026-12-01");
    assert_eq!(drop_texts(&[("h.jsonl", history), ("e.ndjson", &late)]).runs.len(), 2);
}

#[test]
fn results_do_not_depend_on_slices() {
    let mut run = Run { name: "n".into(), ..Run::default() };
    let row = run.push_row(1.0, 2.0);
    run.push_value("x", row, 3.0);
    let export = run_export(&run, &[], Secrets::Keep).unwrap();
    let texts = [
        ("a.csv", CHART.to_owned()),
        ("a.csv", "Name;State;lr\r\nx;finished;0,5\r\n".to_owned()),
        ("a.json", export),
        ("a.json", "{\"columns\": [\"step\", \"a\"], \"data\": [[1, 2], [2, 3]]}".to_owned()),
        (
            "a.jsonl",
            "{\"run_id\": \"a\", \"step\": 1, \"x\": 2}\n{\"run_id\": \"b\", \"step\": 1, \"x\": 2}\n".to_owned(),
        ),
        ("mlruns/1/0123456789abcdef0123456789abcdef/metrics/a", "1790000001000 0.5 1\n1790000002000 nan 2".to_owned()),
        ("a.ndjson", "{\"_time\": \"2026-11-01T00:00:00Z\", \"event\": \"x\", \"v\": 1}\n".repeat(3)),
    ];
    for (path, text) in texts {
        let whole = read(path, text.as_bytes(), text.len());
        assert!(!whole.parts.is_empty(), "{path}: {:?}", whole.problems);
        for slice in [1, 3, 13] {
            let parts = read(path, text.as_bytes(), slice);
            assert_eq!(format!("{parts:?}"), format!("{whole:?}"), "{path} in slices of {slice}");
        }
    }
}

#[test]
fn nothing_cut_or_flipped_panics() {
    let texts = [
        ("a.csv", CHART),
        ("a.csv", ",summary,config,name\n0,\"{'loss': 0.5}\",\"{'lr': [1, (2,)]}\",fine-1\n"),
        ("a.csv", "_time,event,x\n2026-11-01T00:00:00Z,e,1\n"),
        (
            "a.json",
            "{\"id\": \"x\", \"config\": {\"a\": {\"value\": 1}}, \"history\": {\"_step\": [1, 2], \"a\": {\"0\": 1}}, \"metrics\": {\"a\": {\"values\": [{\"_step\": 1, \"value\": 2}]}}}",
        ),
        (
            "a.json",
            "{\"matches\": [{\"_time\": \"2026-11-01T00:00:00Z\", \"data\": {\"event\": \"e\"}}], \"buckets\": {\"series\": [{\"groups\": [{}]}], \"totals\": [1]}, \"tables\": [{\"fields\": [], \"columns\": [[]]}]}",
        ),
        ("mlruns/1/0123456789abcdef0123456789abcdef/meta.yaml", "run_name: 'x'\nstatus: 3\n"),
    ];
    for (path, text) in texts {
        for place in 0..text.len() {
            read(path, &text.as_bytes()[..place], 5);
            for flip in [0x01, 0x80, 0x22] {
                let mut bytes = text.as_bytes().to_vec();
                bytes[place] ^= flip;
                read(path, &bytes, 9);
            }
        }
    }
}

#[test]
fn wide_and_long_tables_cost_what_they_hold() {
    // 5,000 columns and few rows; few columns and many rows; many runs side by side.
    let mut wide = String::from("step");
    (0..5_000).for_each(|column| write!(wide, ",metric/{column}").unwrap());
    for step in 0..20 {
        write!(wide, "\n{step}").unwrap();
        (0..5_000).for_each(|column| write!(wide, ",{}", column % 7).unwrap());
    }
    let outcome = read("wide.csv", wide.as_bytes(), 65_536);
    assert_eq!(outcome.parts[0].run.columns.len(), 5_001);
    let mut long = String::from("step,loss,kl\n");
    (0..200_000).for_each(|step| writeln!(long, "{step},0.5,").unwrap());
    assert_eq!(read("long.csv", long.as_bytes(), 65_536).parts[0].run.columns["loss"].len(), 200_000);
    let mut chart = String::from("\"Step\"");
    (0..1_500)
        .for_each(|run| write!(chart, ",\"run {run} - x\",\"run {run} - x__MIN\",\"run {run} - x__MAX\"").unwrap());
    for step in 0..40 {
        write!(chart, "\n{step}").unwrap();
        (0..1_500).for_each(|run| write!(chart, ",{run},{run},{run}").unwrap());
    }
    assert_eq!(read("chart.csv", chart.as_bytes(), 65_536).parts.len(), 1_500);
}

#[test]
fn unknown_json_is_a_remark() {
    let ingested = drop_texts(&[
        ("package.json", "{\"name\": \"x\", \"version\": \"1\", \"scripts\": {\"a\": \"b\"}}"),
        ("list.json", "[{\"id\": 1, \"text\": \"x\"}]"),
    ]);
    assert!(ingested.runs.is_empty());
    assert!(ingested.problems.iter().all(|problem| problem.weight == Weight::Remark), "{:?}", ingested.problems);
}

#[test]
fn a_table_or_a_dictionary_is_no_measure_of_learning() {
    let table = r#"{"_type": "table-file", "path": "media/table/x.table.json", "nrows": 3, "ncols": 2, "size": 421}"#;
    let row = |step: u32| {
        format!(
            "{{\"step\": {step}, \"train/reward\": {}, \"eval/summary_table\": {table}, \
             \"eval/games\": {{\"played\": {step}, \"draws\": 3}}}}\n",
            f64::from(step % 7) / 7.0
        )
    };
    let rows: String = (0..60).map(row).collect();
    let export = format!(
        "{{\"id\": \"a\", \"name\": \"a\", \"config\": {{}}, \"summary\": {{\"eval/summary_table\": {table}}}, \"history\": [{}]}}",
        rows.trim_end().replace('\n', ", ")
    );
    let csv = "Name,State,eval/summary_table,eval/score\na,finished,\"{'_type': 'table-file', 'nrows': 3}\",0.5\n";
    for (file, text) in [("a.jsonl", rows.as_str()), ("a.json", export.as_str()), ("runs.csv", csv)] {
        let ingested = ingest([(file, text.as_bytes())]);
        let run = &ingested.runs[0];
        let is_of_table = |key: &str| key.starts_with("eval/summary_table");
        assert!(!run.columns.keys().any(|key| is_of_table(key)), "{file}");
        assert!(!run.final_values().any(|(key, _)| is_of_table(key)), "{file}");
        let diagnosis = diagnose(run, &Rulebook::default());
        let measure = diagnosis.learning.measure.map(|measure| measure.key);
        assert!(measure.as_deref().is_none_or(|key| key == "train/reward"), "{file}: {measure:?}");
    }
}

#[test]
fn gaps_of_an_export_are_no_nan_and_a_logged_nan_stays_one() {
    let row = |step: u32, lost_from: u32| {
        let at = |is_set: bool, value: f64| if is_set { value.to_string() } else { "NaN".to_owned() };
        let (is_eval, share) = (step % 10 == 9, f64::from(step) / 400.0);
        let histogram = r#"{"_type": "histogram", "values": [1], "bins": [0, 1]}"#;
        format!(
            "{{\"_step\": {step}, \"train/reward\": {}, \"train/loss\": {}, \"eval/accuracy\": {}, \"h\": {}}}",
            at(!is_eval, share),
            at(!is_eval && step < lost_from, 0.5),
            at(is_eval, share),
            if step.is_multiple_of(50) { histogram } else { "NaN" },
        )
    };
    let rows = |lost_from: u32| (0..400).map(|step| row(step, lost_from)).collect::<Vec<_>>();
    let export = |lost_from: u32| {
        let rows = rows(lost_from).join(", ");
        format!("{{\"id\": \"a\", \"name\": \"a\", \"config\": {{}}, \"summary\": {{}}, \"history\": [{rows}]}}")
    };
    let found = |file: &str, text: &str| {
        let ingested = ingest([(file, text.as_bytes())]);
        let diagnosis = diagnose(&ingested.runs[0], &Rulebook::default());
        let finding = diagnosis.findings.iter().find(|finding| finding.code == Code::NonfiniteValues);
        (diagnosis.nonfinite, finding.map(|finding| (finding.metrics.clone(), finding.onset)))
    };
    assert_eq!(found("a.json", &export(400)), (0, None));
    let lost = Some((vec!["train/loss".to_owned()], Some(300.0)));
    assert_eq!(found("a.json", &export(300)), (90, lost.clone()));
    // Lines of a trainer that logs every key in every row.
    let line = |step: u32| {
        let loss = if step < 300 { "0.5" } else { "NaN" };
        format!("{{\"step\": {step}, \"train/reward\": {}, \"train/loss\": {loss}}}\n", f64::from(step) / 400.0)
    };
    let lines: String = (0..400).map(line).collect();
    assert_eq!(found("a.jsonl", &lines), (100, lost));
}
