//! What lies together: resumed runs, copies, checkpoints, side files, archives.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use rundown::ingest::{Ingested, RunAssembler, Weight, open};
use rundown::run::{FileFormat, Run, RunState};
use support::archives::{gzip, tar};
use support::{ingest, named, read};

/// Writes a `.wandb` file as the SDK does, as far as these tests need one.
struct Wandb(Vec<u8>);

impl Wandb {
    fn new(id: &str) -> Self {
        let mut file = Self(b":W&B\xe1\xbe\x00".to_vec());
        file.record(17, &bytes_field(1, id.as_bytes()));
        file
    }

    fn row(mut self, step: u32, values: &[(&str, &str)]) -> Self {
        let step = step.to_string();
        let time = format!("17900000{step:0>2}");
        let items = values.iter().copied().chain([("_step", step.as_str()), ("_timestamp", time.as_str())]);
        let row: Vec<u8> = items
            .flat_map(|(key, value)| {
                bytes_field(1, &[bytes_field(2, key.as_bytes()), bytes_field(16, value.as_bytes())].concat())
            })
            .collect();
        self.record(2, &row);
        self
    }

    fn exit(mut self, code: u8) -> Vec<u8> {
        self.record(18, &[0x08, code]);
        self.0
    }

    fn record(&mut self, field: u8, message: &[u8]) {
        let record = bytes_field(field, message);
        let checked = [&[1], record.as_slice()].concat();
        assert!(self.0.len() + checked.len() + 6 < 32 * 1024, "one block is enough here");
        self.0.extend_from_slice(&crc32fast::hash(&checked).to_le_bytes());
        self.0.extend_from_slice(&(record.len() as u16).to_le_bytes());
        self.0.extend_from_slice(&checked);
    }
}

fn bytes_field(field: u8, payload: &[u8]) -> Vec<u8> {
    let varint = |value: usize| {
        if value < 128 { vec![value as u8] } else { vec![(value % 128) as u8 | 0x80, (value / 128) as u8] }
    };
    [varint(usize::from(field) << 3 | 2), varint(payload.len()), payload.to_vec()].concat()
}

fn values<'r>(run: &'r Run, key: &str) -> &'r [f64] {
    run.columns.get(key).map_or(&[], |column| column.values())
}

#[test]
fn a_resumed_run_is_one_run_with_a_restart() {
    let first = Wandb::new("abc").row(0, &[("loss", "3")]).row(1, &[("loss", "2")]).row(2, &[("loss", "9")]).0;
    let second =
        Wandb::new("abc").row(1, &[("loss", "1")]).row(2, &[("loss", "0.5")]).row(3, &[("loss", "0.25")]).exit(0);
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
        assert_eq!(run.series("loss").unwrap().values, [3.0, 1.0, 0.5, 0.25]);
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
    let growing = Wandb::new("abc").row(0, &[("loss", "3")]).row(1, &[("loss", "2")]);
    let older = growing.0.clone();
    let newer = growing.row(2, &[("loss", "1")]).exit(0);
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
    let of = |project: &str, loss: &str| {
        let mut file = Wandb::new("abc");
        file.record(17, &[bytes_field(1, b"abc"), bytes_field(3, project.as_bytes())].concat());
        file.row(0, &[("loss", loss)]).0
    };
    let (a, b) = (of("one", "1"), of("two", "2"));
    assert_eq!(ingest([("a/run-abc.wandb", &a[..]), ("b/run-abc.wandb", &b[..])]).runs.len(), 2);
}

/// A W&B run of the Trainer over three steps, and the trainer state of the same training.
fn trainer_pair(last_reward: &str) -> (Vec<u8>, String) {
    let mut file = Wandb::new("abc");
    for (step, reward) in ["0.25", "0.5", "0.75"].into_iter().enumerate() {
        let global_step = (step + 1).to_string();
        file = file
            .row(step as u32 * 2, &[("profiling/x", "1"), ("train/global_step", &global_step)])
            .row(step as u32 * 2 + 1, &[("train/reward", reward), ("train/global_step", &global_step)]);
    }
    let state = format!(
        r#"{{"global_step": 3, "is_world_process_zero": true, "log_history": [
        {{"step": 1, "reward": 0.25, "extra": 7}}, {{"step": 2, "reward": 0.5}}, {{"step": 2, "eval_acc": 0.9}},
        {{"step": 3, "reward": {last_reward}}}], "max_steps": 3}}"#
    );
    (file.exit(0), state)
}

#[test]
fn a_trainer_state_joins_the_run_that_it_lies_beside() {
    let (wandb, state) = trainer_pair("0.75");
    for place in [
        "out/trainer_state.json",
        "out/checkpoint-3/trainer_state.json",
        "out/wandb/run-20261120_000000-abc/files/trainer_state.json",
    ] {
        let ingested =
            ingest([("out/wandb/run-20261120_000000-abc/run-abc.wandb", &wandb[..]), (place, state.as_bytes())]);
        let [run] = &ingested.runs[..] else { panic!("{place}: {} runs", ingested.runs.len()) };
        assert_eq!(run.files.len(), 2, "{place}");
        // What the run has already is not added again; the rest gets W&B's names, at the rows of its steps.
        assert_eq!(run.columns["train/reward"].len(), 3);
        assert_eq!(run.series("eval/acc").unwrap().steps, [2.0]);
        assert_eq!(run.series("train/extra").unwrap().steps, [1.0]);
        assert!(run.axis.restarts.is_empty() && run.warnings.is_empty());
        assert!(run.ending.evidence.iter().any(|text| text.contains("step 3 of 3")));
    }
}

/// Rows of an export of the run `abc`, from `first` on; W&B's `_step` counts by two.
fn history(first: u32, last: u32, loss: f64) -> String {
    let row = |step: u32| {
        let loss = loss / f64::from(step + 1);
        format!(r#"{{"_step": {}, "_timestamp": {}, "loss": {loss}, "extra": {step}}}"#, step * 2, 1_793_491_222 + step)
    };
    let rows: Vec<String> = (first..last).map(row).collect();
    format!(r#"{{"id": "abc", "name": "n", "config": {{"lr": 1}}, "summary": {{}}, "history": [{}]}}"#, rows.join(", "))
}

#[test]
fn an_export_with_the_id_of_a_run_is_that_run() {
    let run_file = |rows: u32| {
        let loss = |step: u32| (3.0 / f64::from(step + 1)).to_string();
        (0..rows).fold(Wandb::new("abc"), |file, step| file.row(step * 2, &[("loss", &loss(step))])).exit(0)
    };
    let (whole, cut) = (run_file(9), run_file(5));
    let export = history(0, 9, 3.0);
    // Two W&B runs lie around it: only the id says of which it is.
    let other = Wandb::new("xyz").row(0, &[("loss", "7")]).row(2, &[("loss", "8")]).exit(0);
    let beside = |file: &[u8], export: &str| {
        ingest([
            ("w/run-20261120_000000-abc/run-abc.wandb", file),
            ("w/run-20261120_000001-xyz/run-xyz.wandb", &other[..]),
            ("exports/abc.json", export.as_bytes()),
        ])
    };
    for (file, warnings) in [(&whole, 0), (&cut, 1)] {
        let ingested = beside(file, &export);
        assert_eq!((ingested.runs.len(), &ingested.problems[..]), (2, &[][..]));
        let run = named_id(&ingested.runs, "abc");
        assert_eq!((run.files.len(), run.row_steps.len(), run.warnings.len()), (2, 9, warnings), "{:?}", run.warnings);
        assert_eq!(values(run, "loss"), (1..=9).map(|step| 3.0 / f64::from(step)).collect::<Vec<_>>());
        assert_eq!(values(run, "extra"), (0..9).map(f64::from).collect::<Vec<_>>());
        assert_eq!(run.series("extra").unwrap().steps, (0..9).map(|step| f64::from(step * 2)).collect::<Vec<_>>());
        assert!(run.config.get("lr").is_some());
    }
    // Ids are unique in a project only: other numbers are another run.
    assert_eq!(beside(&whole, &history(0, 9, 5.0)).runs.len(), 3);
}

fn named_id<'r>(runs: &'r [Run], id: &str) -> &'r Run {
    runs.iter().find(|run| run.id == id).unwrap()
}

#[test]
fn a_trainer_state_with_other_numbers_is_another_run() {
    let (wandb, _) = trainer_pair("0.75");
    let other =
        r#"{"is_world_process_zero": true, "log_history": [{"step": 1, "reward": 9}, {"step": 2, "reward": 8}]}"#;
    let ingested = ingest([("x/a/run-abc.wandb", &wandb[..]), ("x/b/trainer_state.json", other.as_bytes())]);
    assert_eq!(ingested.runs.iter().map(|run| run.name.as_str()).collect::<Vec<_>>(), ["abc", "b"]);
}

#[test]
fn a_trainer_state_between_two_runs_joins_neither() {
    let (wandb, state) = trainer_pair("0.75");
    let second = Wandb::new("xyz").row(0, &[("loss", "1")]).0;
    let files = [
        ("x/a/run-abc.wandb", &wandb[..]),
        ("x/b/run-xyz.wandb", &second[..]),
        ("x/trainer_state.json", state.as_bytes()),
    ];
    assert_eq!(ingest(files).runs.len(), 3);
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
fn a_console_log_joins_its_run_and_a_lone_one_is_a_remark() {
    let wandb = Wandb::new("abc").row(0, &[("loss", "1")]).0;
    let log = b"starting\n\x1b[31mCUDA out of memory\x1b[0m\n";
    let ingested = ingest([
        ("w/run-20261120_000000-abc/run-abc.wandb", &wandb[..]),
        ("w/run-20261120_000000-abc/files/output.log", log),
    ]);
    let lines: Vec<&str> = ingested.runs[0].log.lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(lines, ["starting", "CUDA out of memory"]);
    assert!(ingested.problems.is_empty());
    let apart = ingest([("w/run-abc.wandb", &wandb[..]), ("other/output.log", log)]);
    assert!(apart.runs[0].log.lines.is_empty());
    assert_eq!(apart.problems[0].weight, Weight::Remark);
}

#[test]
fn side_files_add_to_their_run_and_replace_nothing() {
    let mut file = Wandb::new("abc");
    let config = bytes_field(1, &[bytes_field(1, b"lr"), bytes_field(16, b"0.5")].concat());
    file.record(17, &[bytes_field(1, b"abc"), bytes_field(4, &config)].concat());
    let wandb = file.row(0, &[("loss", "1")]).exit(0);
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
    // A second drop adds nothing, and settings of the project around the runs are none of a run's.
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
    let wandb = Wandb::new("abc").row(0, &[("loss", "1")]).exit(0);
    let mut assembler = RunAssembler::default();
    assembler.add(read("w/run-20261120_000000-abc/run-abc.wandb", &wandb, 100));
    let runs = assembler.assemble(ingested.runs).runs;
    assert_eq!((runs.len(), runs[0].row_steps.len(), runs[0].config.len()), (1, 1, 1));
    assert_eq!(runs[0].summary.number(&["reward"]), Some(("reward", 7.0)));
}

#[test]
fn a_run_file_without_rows_takes_those_of_its_log() {
    let header = b":W&B\xe1\xbe\x00";
    let log = b"step:1 - kl:0.5\nstep:2 - kl:0.25\n";
    let folder = "w/run-20261120_000000-abc";
    let (wandb, output) = (format!("{folder}/run-abc.wandb"), format!("{folder}/files/output.log"));
    let ingested = ingest([(wandb.as_str(), &header[..]), (output.as_str(), &log[..])]);
    let [run] = &ingested.runs[..] else { panic!("{} runs", ingested.runs.len()) };
    assert_eq!((values(run, "kl"), &run.origins["kl"][..]), (&[0.5, 0.25][..], &[1][..]));
    assert_eq!(run.series("kl").unwrap().steps, [1.0, 2.0]);
}

#[test]
fn a_table_with_the_numbers_of_a_run_joins_it() {
    let (wandb, _) = trainer_pair("0.75");
    let csv = "global_step,train/reward,extra\n1,0.25,5\n2,0.5,6\n3,0.75,7\n";
    let other = csv.replace("0.", "8.");
    let ingested = ingest([
        ("out/wandb/run-20261120_000000-abc/run-abc.wandb", &wandb[..]),
        ("out/history.csv", csv.as_bytes()),
        ("out/other.csv", other.as_bytes()),
    ]);
    assert_eq!(ingested.runs.iter().map(|run| run.name.as_str()).collect::<Vec<_>>(), ["other", "abc"]);
    let run = named(&ingested.runs, "abc");
    assert_eq!((run.series("extra").unwrap().steps, &run.origins["extra"][..]), (vec![1.0, 2.0, 3.0], &[1][..]));
    assert_eq!(run.origins["train/reward"], [0, 1]);
}

#[test]
fn side_files_are_not_read_and_not_remarked_on() {
    for path in
        ["w/files/requirements.txt", "w/files/media/images/x.png", "w/logs/debug.log", "w/run-x.wandb.syncstate"]
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

fn one(path: &str, bytes: &[u8], slice: usize) -> Ingested {
    let mut assembler = RunAssembler::default();
    assembler.add(read(path, bytes, slice));
    assembler.assemble(Vec::new())
}

#[test]
fn archives_are_read_as_if_unpacked() {
    let (wandb, state) = trainer_pair("0.75");
    let long = format!("top/{}/metrics.jsonl", "deep/".repeat(30));
    let members: [(&str, &[u8]); 4] = [
        ("top/a/run-20261120_000000-abc/run-abc.wandb", &wandb),
        ("top/a/trainer_state.json", state.as_bytes()),
        (&long, b"{\"step\": 1, \"loss\": 1}\n"),
        ("top/a/media/x.png", &[0; 5000]),
    ];
    for is_pax in [false, true] {
        let plain = tar(&members, is_pax);
        let unpacked = ingest(members);
        for (path, bytes) in
            [("s.tar", plain.clone()), ("s.tar.gz", gzip(&plain)), ("s.tgz", gzip(&plain)), ("s.bin2", gzip(&plain))]
        {
            for slice in [1, 511, 100_000] {
                let ingested = one(path, &bytes, slice);
                assert_eq!(format!("{:?}", ingested.runs), format!("{:?}", unpacked.runs), "{path} {slice}");
                assert_eq!(ingested.problems, []);
            }
        }
    }
    assert_eq!(one("s.tar", &tar(&members, false), 999).runs.len(), 2);
}

#[test]
fn members_without_a_common_folder_get_the_archives_name() {
    let archive = tar(&[("x/m.csv", b"step,a\n1,2\n"), ("y.csv", b"step,a\n1,2\n"), ("z.txt", b"?")], false);
    let ingested = one("drop/old.tar.gz", &gzip(&archive), 4096);
    let paths: Vec<&str> = ingested.runs.iter().map(|run| run.files[0].path.as_str()).collect();
    assert_eq!(paths, ["old/x/m.csv", "old/y.csv"]);
    assert!(ingested.problems.iter().all(|problem| problem.file == "old/z.txt"));
}

#[test]
fn a_damaged_archive_keeps_the_members_before_the_damage() {
    // Text that does not compress, so that the cut falls into the second member.
    let rows = |seed: u64| -> String {
        let mut state = seed;
        let lines = (0..3_000).map(|step| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            format!("{step},0.{}\n", state >> 20)
        });
        format!("step,a\n{}", lines.collect::<String>())
    };
    let (first, second) = (rows(1), rows(2));
    let archive = tar(&[("top/a.csv", first.as_bytes()), ("top/b.csv", second.as_bytes())], false);
    let packed = gzip(&archive);
    for (path, bytes) in [("s.tar", &archive[..archive.len() * 3 / 4]), ("s.tar.gz", &packed[..packed.len() * 3 / 4])] {
        let ingested = one(path, bytes, 1000);
        assert_eq!(values(named(&ingested.runs, "a"), "step").len(), 3_000, "{path}");
        assert!(values(named(&ingested.runs, "b"), "step").len() > 500, "{path}");
        assert!(ingested.problems.iter().any(|problem| problem.weight == Weight::Partial), "{path}");
    }
    let mut flipped = archive.clone();
    let second_header = 512 + 512 + first.len().div_ceil(512) * 512;
    flipped[second_header + 3] ^= 1;
    let ingested = one("s.tar", &flipped, 1000);
    assert_eq!(ingested.runs.len(), 1);
    assert_eq!(ingested.problems.len(), 1);
}

#[test]
fn one_compressed_file_is_that_file() {
    let ingested = one("logs/metrics.jsonl.gz", &gzip(b"{\"step\": 1, \"loss\": 1}\n{\"step\": 2, \"loss\": 2}"), 7);
    assert_eq!(
        (ingested.runs[0].name.as_str(), ingested.runs[0].files[0].path.as_str()),
        ("logs", "logs/metrics.jsonl")
    );
    assert_eq!(ingested.runs[0].row_steps.len(), 2);
}
