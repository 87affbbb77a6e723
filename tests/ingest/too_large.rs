//! What is too large ends with a problem that says so, and with what was read until then.
//!
//! Small limits stand in for those of a page, so that small files reach them. `attacks` reads the files of a folder with
//! the real ones, each in a process of its own, and prints what they take.

use std::path::{Path, PathBuf};
use std::time::Instant;

use rundown_ingest::{Budget, FileOutcome, Limits, Problem, Weight, open_within};

use crate::support::archives::{gzip, tar, zip};

fn small() -> Limits {
    Limits {
        kept: 60_000_000,
        kept_of_file: 40_000_000,
        kept_ratio: 2,
        unpacked: 9_000_000,
        unpacked_of_file: 3_000_000,
        unpacked_ratio: 2,
        members: 50,
    }
}

fn read(budget: &Budget, path: &str, bytes: &[u8], slice: usize) -> FileOutcome {
    let mut file = open_within(budget, path, bytes.len() as u64);
    for part in bytes.chunks(slice) {
        if file.wants_bytes() {
            file.push(part);
        }
    }
    file.finish()
}

fn too_large(outcome: &FileOutcome) -> Vec<&Problem> {
    outcome.problems.iter().filter(|problem| problem.what.starts_with("Too large: ")).collect()
}

fn table(rows: usize) -> Vec<u8> {
    let rows: String = (0..rows).map(|row| format!("{row},{}.25,7\n", row % 10)).collect();
    format!("step,loss,reward\n{rows}").into_bytes()
}

/// Reads a file in several slices: they all give the same, one problem with its limit, and the first rows.
fn first_rows(limits: Limits, path: &str, bytes: &[u8], limit: &str) -> usize {
    let mut rows = Vec::new();
    for slice in [997, 65_536, bytes.len()] {
        let outcome = read(&Budget::with(limits), path, bytes, slice);
        let [problem] = outcome.problems.as_slice() else { panic!("{path} by {slice}: {:#?}", outcome.problems) };
        assert!(problem.what.contains(limit), "{path}: {}", problem.what);
        assert_eq!((problem.weight, problem.what.starts_with("Too large: ")), (Weight::Partial, true), "{problem}");
        let run = &outcome.parts[0].run;
        assert!(run.columns["loss"].values().starts_with(&[0.25, 1.25, 2.25]));
        rows.push(run.row_steps.len());
    }
    assert!(rows.windows(2).all(|pair| pair[0] == pair[1]), "{path}: {rows:?}");
    rows[0]
}

#[test]
fn archives_are_read_up_to_what_they_may_unpack_to() {
    let table = table(400_000);
    let rows = first_rows(small(), "a.csv.gz", &gzip(&table[..]), "more than 3");
    assert!((100_000..250_000).contains(&rows), "{rows}");
    first_rows(small(), "a.zip", &zip(&[("x/s.png", b"nothing"), ("x/a.csv", &table)]), "more than 3");
    first_rows(small(), "a.tar.gz", &gzip(&tar(&[("x/a.csv", &table)], false)), "more than 3");
    let nested = zip(&[("x/s.png", b"nothing"), ("x/b.csv.gz", &gzip(&table))]);
    first_rows(small(), "nested.zip", &nested, "more than 3");
}

#[test]
fn values_are_read_up_to_what_they_may_take() {
    // Each cell of two bytes becomes a value of twelve.
    let cells: String = (0..60_000).map(|row| format!("{}.25,{row},1,1,1,1,1,1,1,1,1,1\n", row % 10)).collect();
    let names: Vec<String> = (0..10).map(|column| format!("c{column}")).collect();
    let csv = format!("loss,step,{}\n{cells}", names.join(","));
    first_rows(Limits { kept_of_file: 3_000_000, ..small() }, "a.csv", csv.as_bytes(), "more than 3.7 MB");
    let rows: Vec<String> = (0..200_000).map(|row| format!("{{\"step\":{row},\"loss\":{}.25}}", row % 10)).collect();
    first_rows(small(), "a.jsonl.gz", &gzip(rows.join("\n").as_bytes()), "more than 3");
    let list = format!("[{}]", rows[..90_000].join(","));
    let unpacked =
        Limits { unpacked_of_file: 100_000_000, kept_of_file: 2_000_000, kept_ratio: 1, ..Limits::default() };
    let outcome = read(&Budget::with(unpacked), "a.json.gz", &gzip(list.as_bytes()), 4096);
    assert_eq!(outcome.problems.len(), 1, "{:#?}", outcome.problems);
    assert!(outcome.problems[0].what.contains("2 MB of memory"), "{}", outcome.problems[0]);
    assert!((10_000..90_000).contains(&outcome.parts[0].run.row_steps.len()));
}

#[test]
fn a_drop_is_limited_as_a_whole_and_the_files_before_stay() {
    let budget = Budget::with(Limits { kept: 3_000_000, ..Limits::default() });
    let table = table(40_000);
    let outcomes: Vec<FileOutcome> =
        (0..4).map(|file| read(&budget, &format!("{file}.csv"), &table, 100_000)).collect();
    let parts: Vec<usize> = outcomes.iter().map(|outcome| outcome.parts.len()).collect();
    assert_eq!(parts, [1, 1, 0, 0]);
    assert!(outcomes[0].problems.is_empty());
    for outcome in &outcomes[2..] {
        assert_eq!((too_large(outcome).len(), outcome.problems[0].weight), (1, Weight::Lost));
        assert!(outcome.problems[0].what.contains("3 MB"), "{}", outcome.problems[0]);
    }
}

#[test]
fn members_are_counted_over_a_drop() {
    let names: Vec<String> = (0..40).map(|member| format!("x/{member}.csv")).collect();
    let members: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"step,a\n1,2\n"[..])).collect();
    let budget = Budget::with(small());
    assert_eq!(read(&budget, "a.zip", &zip(&members), 1000).parts.len(), 40);
    let second = read(&budget, "b.tar", &tar(&members, false), 1000);
    assert_eq!((second.parts.len(), second.problems.len()), (10, 1), "{:#?}", second.problems);
    assert!(second.problems[0].what.contains("more than 50 files"), "{}", second.problems[0]);
}

#[test]
fn a_reward_in_the_last_of_very_many_columns_is_read() {
    let names: String = (0..300_000).map(|column| format!("c{column},")).collect();
    let cells = "1,".repeat(300_000);
    let csv = format!("step,{names}reward\n1,{cells}0.5\n2,{cells}0.75\n");
    let outcome = read(&Budget::default(), "a.csv", csv.as_bytes(), 1 << 20);
    let run = &outcome.parts[0].run;
    assert_eq!(run.columns["reward"].values(), [0.5, 0.75]);
    assert_eq!(run.columns["step"].values(), [1.0, 2.0]);
    assert_eq!(too_large(&outcome).len(), 1, "{:#?}", outcome.problems);
    assert!(outcome.problems[0].what.contains("262144 columns"), "{}", outcome.problems[0]);
}

#[test]
fn parquet_counts_rows_before_it_makes_them() {
    let path = format!("{}/tests/fixtures/parquet/snappy.parquet", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(path).unwrap();
    let budget = Budget::with(Limits { kept_of_file: 200, kept_ratio: 1, ..Limits::default() });
    let outcome = read(&budget, "a.parquet", &bytes, 1000);
    assert_eq!(too_large(&outcome).len(), 1, "{:#?}", outcome.problems);
    assert!(outcome.problems.iter().filter(|problem| problem.weight != Weight::Remark).count() == 1);
}

/// Files of the folders in `RUNDOWN_ATTACKS`, separated by colons.
fn attacks() -> Vec<PathBuf> {
    let folders = std::env::var("RUNDOWN_ATTACKS").unwrap_or_default();
    let entries =
        folders.split(':').filter(|folder| !folder.is_empty()).flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
}

/// Reads the file named by `RUNDOWN_ATTACK`, and prints a line of JSON; for [`attacks_are_survived`].
#[test]
#[ignore = "reads a file that another test names"]
fn one_attack() {
    let Ok(path) = std::env::var("RUNDOWN_ATTACK") else { return };
    let path = Path::new(&path);
    let name = path.file_name().unwrap().to_string_lossy();
    let began = Instant::now();
    let mut content = std::fs::File::open(path).unwrap();
    let size = content.metadata().unwrap().len();
    let mut file = open_within(&Budget::default(), &name, size);
    let mut slice = vec![0; 4 << 20];
    let mut longest = 0.0_f64;
    while file.wants_bytes() {
        let length = std::io::Read::read(&mut content, &mut slice).unwrap();
        if length == 0 {
            break;
        }
        let mut since = Instant::now();
        file.begin(&slice[..length]);
        while file.work() {
            longest = longest.max(since.elapsed().as_secs_f64());
            since = Instant::now();
        }
        longest = longest.max(since.elapsed().as_secs_f64());
    }
    let outcome = file.finish();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    let first = outcome.problems.first().map_or(String::new(), |problem| problem.what.clone());
    println!(
        "{{\"table\": \"attacks\", \"file\": {name:?}, \"bytes\": {size}, \"runs\": {}, \"problems\": {}, \"first\": {}, \
         \"peak_mb\": {}, \"seconds\": {:.1}, \"longest_step_ms\": {:.0}}}",
        outcome.parts.len(),
        outcome.problems.len(),
        serde_json::to_string(&first).unwrap(),
        peak.unwrap_or_default() / 1000,
        began.elapsed().as_secs_f64(),
        longest * 1e3,
    );
}

/// For `make hardening`: each file of the folders in `RUNDOWN_ATTACKS` in a process of its own, a line of JSON for each.
#[test]
#[ignore = "needs a folder of attacks"]
fn attacks_are_survived() {
    let program = std::env::current_exe().unwrap();
    for path in attacks() {
        let output = std::process::Command::new(&program)
            .args(["too_large::one_attack", "--exact", "--ignored", "--nocapture"])
            .env("RUNDOWN_ATTACK", &path)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout);
        text.lines()
            .filter_map(|line| line.find("{\"table\"").and_then(|start| line.get(start..)))
            .for_each(|line| println!("{line}"));
    }
}
