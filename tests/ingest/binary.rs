//! Binary formats: fixtures written by the real tools (`tests/fixtures/make.py`), value by value against what the
//! tools' own readers say, and the same files damaged.

use std::io::Write as _;
use std::path::PathBuf;

use rundown_ingest::json::Json;
use rundown_ingest::{Ingested, Problem, Weight};
use rundown_run::{ConfigValue, FileFormat, LoggedCell, Run, RunState};

use crate::support::{corpus, files_below, ingest_folder, named, read};

fn fixture(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(path)
}

/// What the tools' own readers say of a file or folder.
fn expected(path: &str) -> Vec<Json> {
    let text = std::fs::read(fixture("expected.json")).unwrap();
    match Json::parse(&text).unwrap().get(path) {
        Some(Json::List(runs)) => runs.clone(),
        _ => panic!("nothing expected of {path}"),
    }
}

fn members(json: &Json, key: &str) -> Vec<(String, Vec<f64>)> {
    let Some(Json::Object(members)) = json.get(key) else { panic!("no {key}") };
    let numbers = |list: &Json| match list {
        Json::List(values) => values.iter().map(|value| value.metric().unwrap()).collect(),
        _ => panic!("no list"),
    };
    members.iter().map(|(key, list)| (key.clone(), numbers(list))).collect()
}

/// Equal, NaN included.
fn assert_equal(found: &[f64], expected: &[f64], what: &str) {
    let is_equal =
        found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| a == b || (a.is_nan() && b.is_nan()));
    assert!(is_equal, "{what}: {found:?} is not {expected:?}");
}

/// Every column of the run, no more and no fewer, at the rows or steps expected.
fn assert_run(run: &Run, expected: &Json, places: &str, added: &[&str], what: &str) {
    let values = members(expected, "values");
    let keys: Vec<&String> = run.columns.keys().filter(|key| !added.contains(&key.as_str())).collect();
    assert_eq!(keys, values.iter().map(|(key, _)| key).collect::<Vec<_>>(), "{what}");
    for ((key, values), (_, places_of)) in values.iter().zip(members(expected, places)) {
        let what = format!("{what}, {key}");
        assert_equal(run.columns[key].values(), values, &what);
        let at = run.columns[key].rows().iter().map(|row| match places {
            "rows" => f64::from(row),
            _ => run.row_steps[row as usize],
        });
        assert_equal(&at.collect::<Vec<_>>(), &places_of, &what);
    }
}

fn ingest_fixture(path: &str) -> Ingested {
    ingest_folder(&fixture(path))
}

/// The tables hold a column of lists, which is no metric.
fn is_of_list(problem: &Problem) -> bool {
    problem.weight == Weight::Remark && problem.what.starts_with("The column list holds no plain numbers")
}

#[test]
fn parquet_of_every_codec_and_encoding_gives_pyarrows_values() {
    let names = ["snappy", "gzip", "zstd-v2", "lz4", "plain-small-pages", "delta", "delta-length", "pandas"];
    for name in names {
        let file = format!("parquet/{name}.parquet");
        let bytes = std::fs::read(fixture(&file)).unwrap();
        let expected = expected(if name == "pandas" { &file } else { "parquet" });
        for slice in [bytes.len(), 1021] {
            let outcome = read(&file, &bytes, slice);
            assert!(outcome.problems.iter().all(is_of_list), "{file}: {:?}", outcome.problems);
            let run = &outcome.parts[0].run;
            assert_run(run, &expected[0], "rows", &[], &file);
            assert_eq!(run.row_steps, (0..60).map(f64::from).collect::<Vec<_>>());
            assert_eq!(run.row_times[3], 1.79e9 + 6.0);
            assert_eq!(run.files[0].format, FileFormat::Parquet);
        }
    }
}

#[test]
fn parts_of_an_exported_history_are_one_run() {
    let folder = fixture("parquet");
    let mut assembler = rundown_ingest::RunAssembler::default();
    for part in [2, 0, 1] {
        let name = format!("team_my_project_ab12cd34_{part}.runhistory.parquet");
        assembler.add(read(&name, &std::fs::read(folder.join(&name)).unwrap(), 4096));
    }
    let ingested = assembler.assemble(Vec::new());
    assert!(ingested.runs.len() == 1 && ingested.problems.iter().all(is_of_list), "{:?}", ingested.problems);
    let run = &ingested.runs[0];
    assert_eq!((run.id.as_str(), run.name.as_str(), run.files.len()), ("ab12cd34", "ab12cd34", 3));
    assert_run(run, &expected("parquet")[0], "rows", &[], "parts");
    assert!(run.axis.restarts.is_empty());
}

#[test]
fn a_long_table_holds_several_runs() {
    let outcome = read("histories.parquet", &std::fs::read(fixture("parquet/histories.parquet")).unwrap(), 4096);
    let mut runs: Vec<&Run> = outcome.parts.iter().map(|part| &part.run).collect();
    runs.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(runs.iter().map(|run| run.name.as_str()).collect::<Vec<_>>(), ["aaa", "bbb"]);
    assert_equal(runs[0].columns["loss"].values(), &[5.0, 4.0, 2.0, 1.0], "pandas writes NaN as null");
    assert_eq!(runs[0].row_steps, [0.0, 1.0, 3.0, 4.0]);
    assert_eq!(runs[1].columns["loss"].values(), [9.0, 8.0, 7.0, 6.0]);
}

#[test]
fn labels_of_a_table_tell_its_runs_apart() {
    let outcome = read("labelled.parquet", &std::fs::read(fixture("parquet/labelled.parquet")).unwrap(), 4096);
    let runs: Vec<&Run> = outcome.parts.iter().map(|part| &part.run).collect();
    let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    assert_eq!(names, ["grpo, seed 1", "grpo, seed 2", "ppo, seed 1", "ppo, seed 2"]);
    assert_eq!(runs[2].columns["reward"].values(), [8.0, 9.0, 10.0, 11.0]);
}

#[test]
fn histograms_and_tables_of_an_exported_history_are_media() {
    let outcome = read("media.parquet", &std::fs::read(fixture("parquet/media.parquet")).unwrap(), 4096);
    let run = &outcome.parts[0].run;
    assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["loss"]);
    let [first, second] = &run.histograms["grads"][..] else { panic!("{:?}", run.histograms) };
    assert_eq!((first.row, &first.counts[..]), (0, &[1.0, 1.0, 3.0][..]));
    assert_eq!((second.row, &second.edges[..]), (2, &first.edges[..]));
    assert_eq!((run.tables[0].row, run.tables[0].rows, run.tables[0].key.as_str()), (1, Some(2), "table"));
    assert_eq!(run.row_steps, [0.0, 1.0, 2.0, 3.0]);
}

#[test]
fn completions_become_tables_of_their_run() {
    let ingested = ingest_fixture("completions");
    assert_eq!(ingested.problems, []);
    assert_eq!(ingested.runs.len(), 1);
    let run = &ingested.runs[0];
    assert_eq!(run.tables.iter().map(|table| table.row).collect::<Vec<_>>(), [0, 1]);
    let table = run.tables[1].content.as_ref().unwrap();
    assert_eq!(table.columns, ["step", "prompt", "completion", "correct", "advantage"]);
    assert_eq!(table.rows.len(), 3);
    assert_eq!(table.rows[1][2], LoggedCell::Text(r#"[{"role": "assistant", "content": "it is \"3\""}]"#.into()));
    assert_eq!((&table.rows[0][3], &table.rows[2][3]), (&LoggedCell::Number(1.0), &LoggedCell::Null));
    assert_eq!(run.files.len(), 3);
}

#[test]
fn trackios_files_are_runs_with_settings_and_machine_metrics() {
    let ingested = ingest_fixture("trackio");
    assert_eq!(ingested.problems, []);
    assert_eq!(ingested.runs.len(), 2);
    for expected in expected("trackio") {
        let name = expected.get("name").and_then(Json::text).unwrap();
        let run = named(&ingested.runs, name);
        assert_run(run, &expected, "rows", &[], name);
        assert!(run.config.number(&["learning_rate"]).is_some(), "{name}");
        assert_eq!(run.config.get("model"), Some(&ConfigValue::Text("tiny".into())));
        assert_eq!(run.system.len(), 1, "{:?}", run.system.keys());
        assert!(run.row_times.iter().all(|time| *time > 1.7e9));
        assert_eq!(run.files.len(), 3);
    }
}

#[test]
fn event_files_give_tensorboards_values() {
    for name in ["plain", "tensors", "restart", "x"] {
        let ingested = ingest_fixture(&format!("tensorboard/{name}"));
        assert_eq!(ingested.problems, [], "{name}");
        assert_eq!(ingested.runs.len(), 1, "{name}");
        let run = &ingested.runs[0];
        // The hyperparameters' folder has a number of its own.
        let added = ["step", "final/reward", "hp/final/reward"];
        assert_run(run, &expected(&format!("tensorboard/{name}"))[0], "steps", &added, name);
        assert_eq!((run.name.as_str(), run.axis.key.as_str()), (name, "step"));
        assert!(run.axis.restarts.is_empty());
        assert!(run.row_times.iter().all(|time| *time >= 1.79e9));
        assert_eq!(run.files[0].format, FileFormat::TensorBoard);
    }
}

#[test]
fn event_files_and_the_trainer_state_of_their_training_are_one_run() {
    let name = "events.out.tfevents.1790000000.host.1.0";
    let events = std::fs::read(fixture("tensorboard/plain").join(name)).unwrap();
    let alone = ingest_fixture("tensorboard/plain").runs.remove(0);
    let reward = alone.series("train/reward").unwrap();
    let state = |scale: f64| {
        let entry =
            |(step, value): (&f64, &f64)| format!(r#"{{"step": {step}, "reward": {}, "extra": 1}}"#, value * scale);
        let entries: Vec<String> =
            reward.steps.iter().zip(reward.values.iter()).filter(|(_, v)| v.is_finite()).map(entry).collect();
        format!(r#"{{"is_world_process_zero": true, "global_step": 45, "log_history": [{}]}}"#, entries.join(", "))
    };
    for place in ["out/trainer_state.json", "out/checkpoint-45/trainer_state.json"] {
        for (scale, runs) in [(1.0, 1), (2.0, 2)] {
            let mut assembler = rundown_ingest::RunAssembler::default();
            assembler.add(read(&format!("out/runs/Nov21_host/{name}"), &events, 999));
            assembler.add(read(place, state(scale).as_bytes(), 999));
            let ingested = assembler.assemble(Vec::new());
            assert_eq!(ingested.runs.len(), runs, "{place} {scale}");
            let files: usize = ingested.runs.iter().map(|run| run.files.len()).sum();
            assert_eq!(files, 2);
            let has = |key: &str| ingested.runs.iter().any(|run| run.columns.contains_key(key));
            assert!(has("train/kl") && (has("extra") || has("train/extra")));
        }
    }
}

#[test]
fn event_files_hold_histograms_and_settings() {
    let tensors = ingest_fixture("tensorboard/tensors").runs.remove(0);
    let weights = &tensors.histograms["weights"][0];
    assert_eq!((weights.edges.len(), weights.counts.iter().sum::<f64>()), (6, 100.0));
    assert_eq!(tensors.row_steps[weights.row as usize], 3.0);
    let old = &tensors.histograms["old_weights"][0];
    assert_eq!((&old.edges[..], &old.counts[..]), (&[0.0, 1.0, 2.0, 4.0][..], &[1.0, 2.0, 3.0][..]));
    let x = ingest_fixture("tensorboard/x").runs.remove(0);
    assert_eq!(x.histograms["lengths"].len(), 5);
    assert_eq!(x.histograms["lengths"][2].counts.iter().sum::<f64>(), 50.0);
    assert_eq!(x.config.number(&["learning_rate"]), Some(("learning_rate", 1e-5)));
    assert_eq!(x.config.get("use_lora"), Some(&ConfigValue::Bool(true)));
    let restart = ingest_fixture("tensorboard/restart").runs.remove(0);
    assert_eq!(restart.warnings.len(), 1);
    assert_eq!(restart.files.len(), 2);
}

#[test]
fn event_files_of_the_corpus_belong_to_their_wandb_run() {
    let Some(folder) = corpus("tiny-grpo/amber-07") else { return };
    let ingested = ingest_folder(&folder);
    assert_eq!(ingested.runs.len(), 1);
    let formats: Vec<&str> = ingested.runs[0].files.iter().map(|file| file.format.name()).collect();
    assert!(formats.contains(&"TensorBoard events"), "{formats:?}");
    let alone = ingest_folder(&folder.join("tensorboard")).runs.remove(0);
    let (whole, alone) = (ingested.runs[0].series("train/reward").unwrap(), alone.series("train/reward").unwrap());
    assert_eq!(whole.len(), alone.len());
    for (exact, single) in whole.values.iter().zip(alone.values.iter()) {
        assert!((exact - single).abs() <= 1e-6 * exact.abs().max(1e-3), "{exact} {single}");
    }
}

#[test]
fn the_history_artifact_of_the_corpus_is_read() {
    let Some(folder) = corpus("wandb-files") else { return };
    let bytes = std::fs::read(folder.join("history.parquet")).unwrap();
    let outcome = read("history.parquet", &bytes, 4096);
    assert_eq!(outcome.problems, []);
    let run = &outcome.parts[0].run;
    assert_eq!(run.row_steps.len(), 999);
    assert!(run.row_steps.is_sorted());
    assert!(run.columns.values().all(|column| !column.is_empty()));
}

#[test]
fn zips_are_taken_apart() {
    for (archive, names) in [("runs.zip", ["läufe/a", "läufe/b"]), ("piped.zip", ["p/a", "p/b"])] {
        let bytes = std::fs::read(fixture("zip").join(archive)).unwrap();
        for slice in [bytes.len(), 1, 100] {
            let outcome = read(archive, &bytes, slice);
            assert_eq!(outcome.problems, [], "{archive}");
            let folders: Vec<&str> = outcome.parts.iter().map(|part| part.folder.as_str()).collect();
            assert_eq!(folders, names);
            for part in &outcome.parts {
                assert_eq!(part.run.columns["loss"].len(), 200);
            }
        }
    }
}

#[test]
fn a_zip_that_unpacks_to_far_too_much_is_left() {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    let zeros = vec![0; 1 << 20];
    (0..400).for_each(|_| encoder.write_all(&zeros).unwrap());
    let packed = encoder.finish().unwrap();
    // Without a size in its header the member must be unpacked to find its end.
    let header = b"PK\x03\x04\x14\x00\x08\x00\x08\x00\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x05\x00\x00\x00a.csv";
    let outcome = read("bomb.zip", &[&header[..], &packed].concat(), 1 << 20);
    assert!(outcome.parts.is_empty());
    assert!(outcome.problems.iter().any(|problem| problem.what.contains("more than 256 MB")), "{:?}", outcome.problems);
}

#[test]
fn swanlabs_run_file_is_read() {
    let ingested = ingest_fixture("swanlab");
    assert_eq!((ingested.runs.len(), &ingested.problems[..]), (1, &[][..]));
    let run = &ingested.runs[0];
    assert!(run.log.lines.iter().any(|line| line.text == "a printed line"));
    assert_run(run, &expected("swanlab")[0], "steps", &["step"], "swanlab");
    assert_eq!((run.name.as_str(), run.project.as_deref()), ("exp-a", Some("proj")));
    assert_eq!(run.ending.state, RunState::Finished);
    assert_eq!(run.tags, ["t1"]);
    // Its id is its own, not its path; its settings lie beside it, wrapped as SwanLab wraps them.
    assert!(!run.id.is_empty() && !run.id.contains('/'), "{}", run.id);
    assert_eq!(run.config.number(&["learning_rate"]), Some(("learning_rate", 1e-5)));
    assert_eq!(run.config.number(&["nested.a"]), Some(("nested.a", 1.0)));
    assert_eq!(run.files.len(), 2);
}

#[test]
fn swanlabs_old_run_file_is_read() {
    let ingested = ingest_fixture("swanlab-old");
    assert_eq!(ingested.problems, []);
    let run = &ingested.runs[0];
    let reward: Vec<f64> = (0..12).map(|step| f64::from(step) * 0.5).collect();
    assert_equal(run.columns["train/reward"].values(), &reward, "reward");
    let kl = run.columns["kl"].values();
    assert!(kl[3].is_nan() && kl[4] == f64::INFINITY && kl[5] == 0.25, "{kl:?}");
    assert_eq!(run.row_steps, (0..12).map(|step| f64::from(step) * 10.0).collect::<Vec<_>>());
    assert!(run.row_times.iter().all(|time| *time > 1.7e9));
    assert_eq!(
        (run.name.as_str(), run.project.as_deref(), run.ending.state),
        ("exp-old", Some("proj"), RunState::Finished)
    );
}

/// Files of every binary format.
fn binaries() -> Vec<(String, Vec<u8>)> {
    let is_binary = |path: &str| {
        path.contains("tfevents") || [".parquet", ".zip", ".swanlab"].iter().any(|end| path.ends_with(end))
    };
    files_below(&fixture(""))
        .into_iter()
        .map(|file| (file.strip_prefix(fixture("")).unwrap().display().to_string(), file))
        .filter(|(path, _)| is_binary(path))
        .map(|(path, file)| (path, std::fs::read(file).unwrap()))
        .collect()
}

fn values(outcome: &rundown_ingest::FileOutcome) -> usize {
    let runs = outcome.parts.iter().map(|part| &part.run);
    runs.flat_map(|run| run.columns.values()).map(rundown_run::Column::len).sum()
}

#[test]
fn a_cut_file_says_so_and_keeps_what_can_be_kept() {
    for (name, bytes) in binaries() {
        let whole = values(&read(&name, &bytes, 4096));
        let step = (bytes.len() / 60).max(1);
        for cut in (1..bytes.len()).step_by(step) {
            let outcome = read(&name, &bytes[..cut], 999);
            let kept = values(&outcome);
            assert!(kept <= whole, "{name} cut at {cut}");
            if name.ends_with(".parquet") {
                let is_lost = outcome.problems.iter().any(|problem| problem.weight != Weight::Partial);
                assert!(kept == 0 && is_lost, "{name} cut at {cut}: {:?}", outcome.problems);
            } else if kept < whole {
                let is_boundary = name.contains("tfevents") || name.contains("swanlab");
                assert!(is_boundary || !outcome.problems.is_empty(), "{name} cut at {cut}: silent loss");
            }
        }
        if name.contains("tfevents") || name.contains(".swanlab") || name.contains("zip/") {
            let most = values(&read(&name, &bytes[..bytes.len() * 9 / 10], 999));
            assert!(whole == 0 || most * 2 > whole || whole < 10, "{name}: {most} of {whole} values are kept");
        }
    }
}

#[test]
fn flipped_bytes_never_panic_and_slices_never_matter() {
    for (name, bytes) in binaries() {
        let step = (bytes.len() / 150).max(1);
        for place in (0..bytes.len()).step_by(step) {
            for mask in [0x01, 0x80, 0xFF] {
                let mut broken = bytes.clone();
                broken[place] ^= mask;
                let whole = read(&name, &broken, broken.len());
                if place % 7 == 0 {
                    let sliced = read(&name, &broken, 61);
                    assert_eq!(whole.problems, sliced.problems, "{name} flipped at {place}");
                    assert_eq!(format!("{:?}", whole.parts), format!("{:?}", sliced.parts));
                }
                for part in whole.parts {
                    let run = part.run;
                    assert_eq!(run.row_steps.len(), run.row_times.len());
                    for (key, column) in &run.columns {
                        assert!(column.rows().iter().is_sorted_by(|a, b| a < b), "{name} flipped at {place}: {key}");
                        assert!(column.rows().last().is_some_and(|row| (row as usize) < run.row_steps.len()));
                    }
                }
            }
        }
    }
}
