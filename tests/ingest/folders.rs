//! What lies together in a folder: resumed runs, copies, checkpoints, side files, and everything else.

use rundown_ingest::{RunAssembler, Weight, open};
use rundown_run::{FileFormat, RunState};

use crate::made::{losses, values};
use crate::support::{ingest, read};
use crate::wandb_file::{RunRecord, WandbFile};

#[test]
fn a_resumed_run_is_one_run_with_a_restart() {
    let first = losses("abc", &[(0, 3.0), (1, 2.0), (2, 9.0)]).unfinished();
    let second = losses("abc", &[(1, 1.0), (2, 0.5), (3, 0.25)]).finish(0);
    let folders =
        ["wandb/run-20261120_000000-abc/run-abc.wandb", "wandb/offline-run-20261121_000000-abc/run-abc.wandb"];
    // Whatever the order, the time in the folder's name decides.
    for files in
        [[(folders[0], &first[..]), (folders[1], &second[..])], [(folders[1], &second[..]), (folders[0], &first[..])]]
    {
        let ingested = ingest(files);
        let [run] = &ingested.runs[..] else { panic!("{} runs", ingested.runs.len()) };
        assert_eq!(values(run, "loss"), [3.0, 2.0, 9.0, 1.0, 0.5, 0.25]);
        assert_eq!(run.axis.restarts.iter().map(|restart| restart.row).collect::<Vec<_>>(), [3]);
        assert_eq!(run.series("loss").unwrap().values[..], [3.0, 1.0, 0.5, 0.25]);
        assert_eq!((run.ending.state, run.files.len()), (RunState::Finished, 2));
        // Two drops are as good as one.
        let mut assembler = RunAssembler::default();
        assembler.add(read(folders[0], &first, 100));
        let already = ingest([(folders[1], &second[..])]).runs;
        assert_eq!(values(&assembler.assemble(already).runs[0], "loss"), [3.0, 2.0, 9.0, 1.0, 0.5, 0.25]);
    }
}

#[test]
fn a_newer_copy_of_a_file_replaces_the_older_one() {
    let older = losses("abc", &[(0, 3.0), (1, 2.0)]).unfinished();
    let newer = losses("abc", &[(0, 3.0), (1, 2.0), (2, 1.0)]).finish(0);
    for files in [
        [("a/run-abc.wandb", &older[..]), ("b/run-abc.wandb", &newer[..])],
        [("a/run-abc.wandb", &newer), ("b/run-abc.wandb", &older)],
    ] {
        let ingested = ingest(files);
        assert_eq!(ingested.runs.len(), 1);
        assert_eq!(values(&ingested.runs[0], "loss"), [3.0, 2.0, 1.0]);
        assert_eq!(ingested.runs[0].ending.state, RunState::Finished);
    }
    let table = |rows: &str| format!("step,loss\n{rows}");
    let (short, long, other) = (table("1,5\n2,4\n"), table("1,5\n2,4\n3,3\n"), table("1,9\n2,8\n"));
    let first = ingest([("m.csv", short.as_bytes())]).runs;
    let mut assembler = RunAssembler::default();
    assembler.add(read("m.csv", long.as_bytes(), 100));
    let grown = assembler.assemble(first).runs;
    assert_eq!((grown.len(), values(&grown[0], "loss")), (1, &[5.0, 4.0, 3.0][..]));
    // Another file of the same name is another run.
    let mut assembler = RunAssembler::default();
    assembler.add(read("m.csv", other.as_bytes(), 100));
    let both = assembler.assemble(grown).runs;
    assert_eq!(both.iter().map(|run| run.id.as_str()).collect::<Vec<_>>(), ["m.csv", "m.csv (2)"]);
}

#[test]
fn runs_of_one_id_in_two_projects_stay_apart() {
    let of = |project: &str, loss: f64| {
        let mut file = WandbFile::of(&RunRecord { id: "abc", project, ..RunRecord::default() });
        file.row(0, &[("loss", loss)]);
        file.unfinished()
    };
    let (a, b) = (of("one", 1.0), of("two", 2.0));
    assert_eq!(ingest([("a/run-abc.wandb", &a[..]), ("b/run-abc.wandb", &b[..])]).runs.len(), 2);
}

#[test]
fn of_several_checkpoints_the_last_one_counts() {
    let state = |steps: u32| {
        let rows: Vec<String> = (1..=steps).map(|step| format!("{{\"step\": {step}, \"loss\": 1}}")).collect();
        format!(
            r#"{{"global_step": {steps}, "is_world_process_zero": true, "log_history": [{}], "max_steps": 300}}"#,
            rows.join(",")
        )
    };
    let (early, late, middle) = (state(100), state(300), state(200));
    let ingested = ingest([
        ("out/checkpoint-100/trainer_state.json", early.as_bytes()),
        ("out/checkpoint-300/trainer_state.json", late.as_bytes()),
        ("out/checkpoint-200/trainer_state.json", middle.as_bytes()),
    ]);
    let [run] = &ingested.runs[..] else { panic!("{} runs", ingested.runs.len()) };
    assert_eq!((run.name.as_str(), run.row_steps.len(), run.files.len()), ("out", 300, 3));
    assert_eq!(run.ending.state, RunState::Finished);
}

#[test]
fn side_files_add_to_their_run_and_replace_nothing() {
    let mut file = WandbFile::of(&RunRecord { id: "abc", config: &[("lr", "0.5")], ..RunRecord::default() });
    file.row(0, &[("loss", 1.0)]);
    let wandb = file.finish(0);
    let table = br#"{"columns":["p"],"data":[["x"]]}"#;
    let folder = "w/run-20261120_000000-abc";
    let path = |below: &str| format!("{folder}/{below}");
    let files = [
        (path("run-abc.wandb"), &wandb[..]),
        (path("files/config.yaml"), b"wandb_version: 1\n\nlr:\n  desc: null\n  value: 9\nbeta:\n  value: 0.04\n"),
        (path("files/wandb-summary.json"), b"{\"best\": 7, \"_wandb\": {\"runtime\": 3}}"),
        (
            path("files/wandb-metadata.json"),
            b"{\"host\": \"n1\", \"startedAt\": \"2026-11-20T23:57:04Z\", \"gpu\": \"H100\"}",
        ),
        (path("files/media/table/t_0_ab.table.json"), table),
    ];
    let ingested = ingest(files.iter().map(|(path, bytes)| (path.as_str(), *bytes)));
    let [run] = &ingested.runs[..] else { panic!("{} runs", ingested.runs.len()) };
    assert_eq!(run.config.number(&["lr"]), Some(("lr", 0.5)));
    assert_eq!(run.config.number(&["beta"]), Some(("beta", 0.04)));
    assert_eq!(run.summary.number(&["best"]), Some(("best", 7.0)));
    assert_eq!((run.host.as_deref(), run.started_at), (Some("n1"), Some(1_795_219_024.0)));
    assert_eq!(run.summary.get("machine.gpu").unwrap().to_string(), "H100");
    assert!(ingested.problems.is_empty(), "{:?}", ingested.problems);
    // A second drop adds nothing, and settings of the project around the runs are not a run's.
    let mut assembler = RunAssembler::default();
    files.iter().for_each(|(path, bytes)| assembler.add(read(path, bytes, 7)));
    assembler.add(read("w/config.yaml", b"other: 1\n", 100));
    let again = assembler.assemble(ingested.runs.clone()).runs;
    assert_eq!((again[0].files.len(), again[0].config.len()), (run.files.len(), run.config.len()));
}

#[test]
fn a_folder_of_an_old_sdk_is_a_run() {
    let folder = "wandb/run-20200102_030405-old1";
    let path = |name: &str| format!("{folder}/{name}");
    let files: [(String, &[u8]); 6] = [
        (
            path("wandb-history.jsonl"),
            b"{\"loss\": 1, \"_step\": 0, \"_timestamp\": 1577934245}\n{\"loss\": NaN, \"_step\": 1}\n",
        ),
        (path("wandb-events.jsonl"), b"{\"system.cpu\": 5, \"_timestamp\": 1577934250}\n"),
        (path("wandb-summary.json"), b"{\"loss\": 1}"),
        (path("wandb-metadata.json"), b"{\"state\": \"killed\", \"host\": \"n1\"}"),
        (
            path("config.yaml"),
            b"wandb_version: 1\n\n_wandb:\n  desc: null\n  value:\n    t: 1\nlr:\n  desc: null\n  value: 0.1\n",
        ),
        (path("output.log"), b"hello\n"),
    ];
    let ingested = ingest(files.iter().map(|(path, bytes)| (path.as_str(), *bytes)));
    let [run] = &ingested.runs[..] else { panic!("{} runs", ingested.runs.len()) };
    assert_eq!((run.row_steps.len(), run.config.len(), run.summary.len()), (2, 1, 1));
    assert_eq!((run.system["cpu"].values(), &run.system_times[..]), (&[5.0][..], &[1_577_934_250.0][..]));
    assert_eq!((run.ending.state, run.log.lines.len()), (RunState::Killed, 1));
    assert!(ingested.problems.is_empty(), "{:?}", ingested.problems);
}

#[test]
fn a_summary_without_history_is_shown_and_said() {
    let files: [(&str, &[u8]); 2] = [
        ("w/run-20261120_000000-abc/files/config.yaml", b"lr:\n  value: 9\n"),
        ("w/run-20261120_000000-abc/files/wandb-summary.json", b"{\"reward\": 7}"),
    ];
    let ingested = ingest(files);
    assert_eq!((ingested.runs[0].id.as_str(), ingested.runs[0].config.len()), ("abc", 1));
    assert!(ingested.problems[0].what.contains("no history") && ingested.problems[0].weight == Weight::Partial);
    // The run file, dropped later, takes its place.
    let wandb = losses("abc", &[(0, 1.0)]).finish(0);
    let mut assembler = RunAssembler::default();
    assembler.add(read("w/run-20261120_000000-abc/run-abc.wandb", &wandb, 100));
    let runs = assembler.assemble(ingested.runs).runs;
    assert_eq!((runs.len(), runs[0].row_steps.len(), runs[0].config.len()), (1, 1, 1));
    assert_eq!(runs[0].summary.number(&["reward"]), Some(("reward", 7.0)));
}

#[test]
fn a_summary_that_equals_the_last_row_above_it_is_of_that_run() {
    let keys = ["reward", "kl", "entropy", "loss", "time", "length"];
    let row = |step: u32| {
        let members: Vec<String> = keys.iter().zip(1..).map(|(key, n)| format!("\"{key}\": {n}.{step}5")).collect();
        format!("{{\"step\": {step}, {}}}\n", members.join(", "))
    };
    let rows: String = (1..=3).map(row).collect();
    let runs = |last: &str| {
        let files: [(&str, &[u8]); 3] = [
            ("a/metrics.jsonl", rows.as_bytes()),
            ("a/wandb/run-20261120_000000-abc/files/wandb-summary.json", last.as_bytes()),
            (
                "a/wandb/run-20261120_000000-abc/logs/debug.log",
                b"wandb.init called with sweep_config: {}\nconfig: {'lr': 0.5}\n",
            ),
        ];
        let at_root = ingest(files.map(|(path, bytes)| (path.trim_start_matches("a/"), bytes))).runs;
        let runs = ingest(files).runs;
        assert_eq!(at_root.len(), runs.len());
        runs
    };
    let same = runs(&row(3));
    assert_eq!((same.len(), same[0].row_steps.len(), same[0].config.number(&["lr"])), (1, 3, Some(("lr", 0.5))));
    assert_eq!(runs(&row(2)).len(), 2, "another start with the same file");
}

#[test]
fn side_files_are_not_read_and_not_remarked_on() {
    for path in
        ["w/files/requirements.txt", "w/files/media/images/x.png", "w/wandb/debug.log", "w/run-x.wandb.syncstate"]
    {
        let file = open(path, 1_000);
        assert!(!file.wants_bytes(), "{path}");
        let outcome = file.finish();
        assert!(outcome.parts.is_empty() && outcome.problems.is_empty(), "{path}");
        assert_eq!(outcome.format, FileFormat::Ignored);
    }
    assert!(!open("x.csv", 0).wants_bytes());
    let mut assembler = RunAssembler::default();
    assembler.add(open("w/files/requirements.txt", 1_000).finish());
    assembler.add(read("w/files/config.yaml", b"lr:\n  value: 1\n", 100));
    let problems = assembler.assemble(Vec::new()).problems;
    assert_eq!(problems.len(), 1, "without a run beside them they are remarked on");
    assert!(problems[0].what.contains("2 lie beside one"), "{}", problems[0].what);
}

#[test]
fn many_unknown_files_are_one_remark() {
    let files: Vec<String> = (0..50).map(|index| format!("code/{index}.py")).collect();
    let ingested = ingest(files.iter().map(|path| (path.as_str(), &b"print(1)"[..])));
    let remarks: Vec<&str> = ingested.problems.iter().map(|problem| problem.file.as_str()).collect();
    assert_eq!(remarks, ["code/*.py (50 files)"]);
}
