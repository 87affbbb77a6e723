//! The terminal's `diagnose`: exit codes, where the report and the problems go, and the paths in them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::example::example;
use crate::support::corpus;

/// The header of a W&B run file, which alone makes a run without rows.
const HEADER: &[u8] = b":W&B\xe1\xbe\x00";

fn run(arguments: &[&str], folder: &Path) -> Output {
    Command::new(example()).args(arguments).current_dir(folder).output().expect("the example runs")
}

/// A folder of its own with two runs and a file that nobody reads.
fn folder(name: &str) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    for file in ["drop/b/run-bbbbbbbb.wandb", "drop/a/run-aaaaaaaa.wandb"] {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, HEADER).unwrap();
    }
    std::fs::write(root.join("drop/picture.bin"), [0, 159, 146, 150]).unwrap();
    root
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn a_folder_gives_a_report_with_paths_as_dropped() {
    let root = folder("terminal_json");
    let output = run(&["--format", "json", "drop"], &root);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut files: Vec<&str> = report
        .pointer("/runs")
        .and_then(|runs| runs.as_array())
        .unwrap()
        .iter()
        .filter_map(|run| run.pointer("/files/0")?.as_str())
        .collect();
    files.sort_unstable();
    assert_eq!(files, ["drop/a/run-aaaaaaaa.wandb", "drop/b/run-bbbbbbbb.wandb"]);
    assert!(text(&output.stderr).contains("drop/a/run-aaaaaaaa.wandb"));
    // The same from elsewhere, and with the pieces named one by one.
    let absolute = root.join("drop");
    assert_eq!(run(&["--format=json", absolute.to_str().unwrap()], Path::new("/")).stdout, output.stdout);
    assert_eq!(run(&["--format=json", "."], &absolute).stdout, output.stdout);
}

#[cfg(unix)]
#[test]
fn links_that_lead_nowhere_are_passed_over_in_a_folder() {
    let root = folder("terminal_links");
    let link = root.join("drop/a/debug-core.log");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink("/nowhere/debug-core.log", &link).unwrap();
    let output = run(&["drop"], &root);
    assert!(output.status.success() && !text(&output.stderr).contains("debug-core"), "{}", text(&output.stderr));
    let named = run(&["drop/a/debug-core.log"], &root);
    assert!(text(&named.stderr).contains("could not be read"), "{}", text(&named.stderr));
}

#[test]
fn markdown_is_the_default() {
    let root = folder("terminal_markdown");
    let output = run(&["drop"], &root);
    assert!(text(&output.stdout).starts_with("# 2 runs\n"));
    let one = run(&["--", "drop/a/run-aaaaaaaa.wandb"], &root);
    assert!(text(&one.stdout).starts_with("# Run "));
    assert!(text(&one.stdout).contains("`run-aaaaaaaa.wandb`"));
}

#[test]
fn nothing_to_read_is_a_failure_and_so_is_a_wrong_call() {
    let root = folder("terminal_failures");
    let unread = run(&["drop/picture.bin", "missing"], &root);
    assert_eq!(unread.status.code(), Some(1));
    assert!(unread.stdout.is_empty() && text(&unread.stderr).contains("missing"));
    let wrong_calls = [
        &[][..],
        &["--format", "docx", "drop"],
        &["--format"],
        &["--colour", "drop"],
        &["--fail-on", "note", "drop"],
        &["--fail-on=", "drop"],
        &["drop", "--fail-on"],
    ];
    for wrong in wrong_calls {
        let output = run(wrong, &root);
        assert_eq!(output.status.code(), Some(1), "{wrong:?}");
        assert!(text(&output.stderr).contains("usage"), "{wrong:?}");
    }
    assert_eq!(run(&["--help"], &root).status.code(), Some(0));
}

/// A log of 60 steps that gains; from step 40 on the gradient norm is `tail`.
fn log(folder: &Path, name: &str, tail: &str) {
    let mut text = String::new();
    for step in 1..=60_u32 {
        let norm = if step >= 40 { tail } else { "0.5" };
        let noise = f64::from(step * 37 % 11) / 200.0;
        let reward = 0.2 + 0.01 * f64::from(step) + noise;
        text.push_str(&format!("{{\"step\": {step}, \"reward\": {reward}, \"grad_norm\": {norm}}}\n"));
    }
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join(name), text).unwrap();
}

#[test]
fn the_exit_status_tells_a_pipeline_to_stop() {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("terminal_fail_on");
    log(&root, "good.jsonl", "0.5");
    log(&root, "lost.jsonl", "NaN");
    let status = |arguments: &[&str]| {
        let output = run(arguments, &root);
        assert!(!output.stdout.is_empty(), "the report is printed in any case: {arguments:?}");
        output.status.code()
    };
    assert_eq!(status(&["lost.jsonl"]), Some(0), "without --fail-on a finding is no failure");
    assert_eq!(status(&["--fail-on", "critical", "lost.jsonl"]), Some(2));
    assert_eq!(status(&["--fail-on=warning", "--format=json", "lost.jsonl"]), Some(2));
    assert_eq!(status(&["--fail-on", "warning", "good.jsonl"]), Some(0));
    assert_eq!(status(&["--fail-on", "critical", "good.jsonl", "lost.jsonl"]), Some(2), "any run");
    assert_eq!(status(&["--fail-on", "critical", "good.jsonl", "missing.jsonl"]), Some(1), "it could not look");
    assert_eq!(status(&["--fail-on", "critical", "missing.jsonl", "lost.jsonl"]), Some(2));
}

/// A warning is no critical finding.
#[test]
fn a_warning_stops_only_who_asks_for_warnings() {
    let Some(root) = corpus("tiny-grpo") else { return };
    let status = |severity: &str| run(&["--fail-on", severity, "amber-12"], &root).status.code();
    let report = run(&["--format", "json", "amber-12"], &root).stdout;
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    let findings = report.pointer("/runs/0/findings").and_then(|findings| findings.as_array()).unwrap();
    let has = |severity: &str| findings.iter().any(|finding| finding["severity"] == severity);
    assert_eq!(status("critical"), Some(if has("critical") { 2 } else { 0 }));
    assert_eq!(status("warning"), Some(if has("critical") || has("warning") { 2 } else { 0 }));
    assert!(has("warning") || has("critical"), "its reward breaks");
}

/// The corpus gives a report for every run that its labels name, the same each time.
#[test]
fn the_corpus_gives_the_same_report_twice() {
    let Some(root) = corpus("") else { return };
    let labels = std::fs::read_to_string(root.join("tiny-grpo/labels.json")).unwrap();
    let labels: serde_json::Value = serde_json::from_str(&labels).unwrap();
    let first = run(&["--format", "json", "tiny-grpo"], &root);
    assert_eq!(first.stdout, run(&["--format", "json", "tiny-grpo"], &root).stdout);
    let report: serde_json::Value = serde_json::from_slice(&first.stdout).unwrap();
    let runs = report.pointer("/runs").and_then(|runs| runs.as_array()).unwrap();
    let named = labels.as_object().unwrap().keys().filter(|name| name.contains('-'));
    for name in named {
        let prefix = format!("tiny-grpo/{name}/");
        let of_it = runs.iter().filter(|run| {
            let files = run.pointer("/files").and_then(|files| files.as_array());
            files.is_some_and(|files| {
                files.iter().any(|file| file.as_str().is_some_and(|file| file.starts_with(&prefix)))
            })
        });
        assert_eq!(of_it.count(), 1, "{name}");
    }
}

#[test]
fn options_take_numbers() {
    let root = folder("terminal_price");
    let good = run(&["--price", "2.5", "--gpus=8", "--live", "--format=json", "drop"], &root);
    assert_eq!(good.status.code(), Some(0), "{}", text(&good.stderr));
    assert!(text(&good.stdout).contains("\"cost\""));
    for wrong in [["--price", "much"], ["--gpus", "-1"], ["--price=", "drop"], ["--prices=2", "drop"]] {
        assert_eq!(run(&[wrong[0], wrong[1], "drop"], &root).status.code(), Some(1), "{wrong:?}");
    }
}

#[test]
fn a_metric_can_be_bound_by_hand() {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("terminal_bind");
    std::fs::create_dir_all(&root).unwrap();
    let rows: String = (0..40).map(|step| format!("{step},{}\n", f64::from(step) / 40.0)).collect();
    std::fs::write(root.join("run.csv"), format!("step,zeta\n{rows}")).unwrap();
    let report = |arguments: &[&str]| {
        let output = run(&[&["--format", "json"][..], arguments, &["run.csv"]].concat(), &root);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        serde_json::from_str::<serde_json::Value>(&text(&output.stdout)).expect("JSON")
    };
    let without = report(&[]);
    assert_eq!(without.pointer("/runs/0/unbound"), Some(&serde_json::json!(["zeta"])));
    let with = report(&["--bind", "zeta=evaluation"]);
    let why = with.pointer("/runs/0/bindings/evaluation/why").and_then(serde_json::Value::as_str);
    assert_eq!(why, Some("Chosen by the user."));
    assert_eq!(with.pointer("/runs/0/unbound"), Some(&serde_json::json!([])));
    let wrong = run(&["--bind=zeta=charm", "run.csv"], &root);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(text(&wrong.stderr).contains("there is no concept charm"), "{}", text(&wrong.stderr));
}

/// A folder with runs of three learning rates; the middle one is the best.
fn sweep(name: &str) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&root);
    for (run, rate, gain) in [("low", 1e-5, 0.2), ("middle", 1e-4, 0.6), ("high", 1e-3, 0.3)] {
        let rows: Vec<String> = (0..60)
            .map(|step| {
                let share = f64::from(step) / 60.0;
                let noise = f64::from(step * 37 % 11) / 400.0;
                format!(
                    "{{\"_step\": {step}, \"eval/accuracy\": {}, \"train/reward\": {}}}",
                    0.2 + gain * share + noise,
                    share + noise
                )
            })
            .collect();
        let export = format!(
            "{{\"id\": \"id-{run}\", \"name\": \"{run}\", \"state\": \"finished\", \"created_at\": \"2026-11-02T10:00:00Z\", \
             \"tags\": [\"sweep\"], \"config\": {{\"learning_rate\": {rate}, \"seed\": 1}}, \"summary\": {{}}, \"history\": [{}]}}",
            rows.join(", ")
        );
        let folder = root.join("runs");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{run}.json")), export).unwrap();
    }
    root
}

fn json_of(output: &Output) -> serde_json::Value {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn names(report: &serde_json::Value) -> Vec<String> {
    let runs = report.pointer("/runs").and_then(|runs| runs.as_array()).expect("runs");
    let mut names: Vec<String> = runs.iter().filter_map(|run| Some(run.get("name")?.as_str()?.to_owned())).collect();
    names.sort_unstable();
    names
}

#[test]
fn a_query_selects_runs_and_its_errors_point() {
    let root = sweep("terminal_where");
    let selected = |query: &str| names(&json_of(&run(&["--format=json", "--where", query, "runs"], &root)));
    assert_eq!(selected("config.learning_rate >= 1e-4"), ["high", "middle"]);
    assert_eq!(selected("name ~ /^l/ and tags contains sweep"), ["low"]);
    let wrong = run(&["--where", "config.lr > > 1", "runs"], &root);
    assert_eq!(wrong.status.code(), Some(1));
    let said = text(&wrong.stderr);
    let mut lines = said.lines().skip_while(|line| !line.contains("config.lr > > 1"));
    assert_eq!((lines.next(), lines.next()), (Some("  config.lr > > 1"), Some("              ^")), "{said}");
    let none = run(&["--where", "name == nobody", "runs"], &root);
    assert_eq!(none.status.code(), Some(1));
    assert!(none.stdout.is_empty() && text(&none.stderr).contains("selects none"));
}

#[test]
fn runs_are_compared_by_and_with_what_is_asked_for() {
    let root = sweep("terminal_metric");
    let by = |arguments: &[&str]| {
        let report = json_of(&run(&[&["--format=json"][..], arguments, &["runs"]].concat(), &root));
        let row = report.pointer("/comparison/leaderboard/0").expect("a row").clone();
        (row["measure"].as_str().unwrap().to_owned(), row["direction"].as_str().unwrap().to_owned(), row)
    };
    let (measure, direction, _) = by(&[]);
    assert_eq!((measure.as_str(), direction.as_str()), ("eval/accuracy", "up"));
    let (measure, direction, row) = by(&["--metric", "train/reward:down", "--baseline", "id-low"]);
    assert_eq!((measure.as_str(), direction.as_str()), ("train/reward", "down"));
    assert_eq!(row.pointer("/against_baseline/baseline/name"), Some(&serde_json::json!("low")));
    for wrong in [["--metric", "eval/nothing"], ["--baseline", "nobody"]] {
        let output = run(&[wrong[0], wrong[1], "runs"], &root);
        assert_eq!(output.status.code(), Some(1), "{wrong:?}");
        assert!(text(&output.stderr).contains(wrong[1]), "{wrong:?}");
    }
}

#[test]
fn html_is_one_file_for_one_run_and_for_many() {
    let root = sweep("terminal_html");
    for (path, title) in [("runs", "3 runs"), ("runs/low.json", "Run low")] {
        let output = run(&["--format", "html", path], &root);
        let html = text(&output.stdout);
        assert!(html.starts_with("<!DOCTYPE html>") && html.contains(&format!("<h1>{title}</h1>")), "{path}");
        assert!(html.contains("<svg") && !html.contains("<script"), "{path}");
    }
}

/// What the README's recipe for a cluster does: a report for each run, then one over the reports.
#[test]
fn reports_are_compared_like_the_runs_themselves() {
    let root = sweep("terminal_reports");
    std::fs::create_dir_all(root.join("reports")).unwrap();
    for name in ["low", "middle", "high"] {
        let output = run(&["--format", "json", &format!("runs/{name}.json")], &root);
        std::fs::write(root.join(format!("reports/{name}.json")), json_of(&output).to_string()).unwrap();
    }
    let of_runs = json_of(&run(&["--format=json", "runs"], &root));
    let of_reports = json_of(&run(&["--format=json", "reports"], &root));
    // A report has six digits.
    let rows = |report: &serde_json::Value| {
        let rows = report.pointer("/comparison/leaderboard").and_then(|rows| rows.as_array()).expect("a leaderboard");
        let of = |row: &serde_json::Value| {
            let number = |key: &str| row[key].as_f64().map(|value| (1e4 * value).round());
            let numbers = ["rank", "value", "level", "low", "high", "best", "best_step", "last_step"].map(number);
            (row["name"].clone(), row["verdict"].clone(), row["measure"].clone(), numbers)
        };
        rows.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(rows(&of_runs), rows(&of_reports));
    assert_eq!(of_runs.pointer("/comparison/groups"), of_reports.pointer("/comparison/groups"));
    // A report on reports is read again.
    std::fs::write(root.join("all.json"), of_reports.to_string()).unwrap();
    assert_eq!(rows(&json_of(&run(&["--format=json", "all.json"], &root))), rows(&of_runs));
    // A run beside its own report counts once.
    let mixed = run(&["--format=json", "runs/low.json", "reports"], &root);
    assert_eq!(names(&json_of(&mixed)), ["high", "low", "middle"]);
    let markdown = text(&run(&["reports"], &root).stdout);
    for heading in
        ["# 3 runs", "## Leaderboard", "## Good, bad and ugly", "## Configuration differences", "## Run summaries"]
    {
        assert!(markdown.lines().any(|line| line == heading), "{heading} in {markdown}");
    }
    // A cut report is told, and costs itself alone.
    let whole = std::fs::read(root.join("reports/low.json")).unwrap();
    std::fs::write(root.join("reports/low.json"), &whole[..whole.len() / 2]).unwrap();
    let cut = run(&["--format=json", "reports"], &root);
    assert_eq!(names(&json_of(&cut)), ["high", "middle"]);
    assert!(text(&cut.stderr).contains("low.json") && text(&cut.stderr).contains("ends early"));
    assert_eq!(run(&["--fail-on", "critical", "reports"], &root).status.code(), Some(0));
}

#[test]
fn the_last_steps_are_looked_at_alone() {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("last");
    std::fs::create_dir_all(&root).unwrap();
    let rows: String = (0..60).map(|step| format!("{step},0.5\n")).collect();
    std::fs::write(root.join("run.csv"), format!("step,reward\n{rows}")).unwrap();
    let shown = |arguments: &[&str]| String::from_utf8(run(arguments, &root).stdout).unwrap();
    assert!(shown(&["run.csv"]).contains("Steps: 0 to 59, 60 logged"));
    assert!(shown(&["--last", "20", "run.csv"]).contains("to 59, 2"), "{}", shown(&["--last", "20", "run.csv"]));
}

#[test]
fn names_of_people_are_hidden_when_asked_and_control_characters_and_secrets_never_reach_the_terminal() {
    let root = folder("terminal_names");
    let name = "drop/evil\u{1b}[2J\u{202e}hf_abcdefghijklmnopqrstuvwxyzABCDEFGH.wandb";
    std::fs::write(root.join(name), b"not a run").unwrap();
    let rows: String = (1..=40).map(|step| format!("{{\"step\": {step}, \"reward\": 0.5}}\n")).collect();
    std::fs::create_dir_all(root.join("one")).unwrap();
    std::fs::write(root.join("one/history.jsonl"), rows).unwrap();
    let settings = "username: alice\noutput_dir: /home/alice/out\nserver: 10.20.30.40\n";
    std::fs::write(root.join("one/config.yaml"), settings).unwrap();
    let open = run(&["one"], &root);
    let shared = run(&["--hide-names", "one"], &root);
    assert!(text(&open.stdout).contains("/home/alice"), "{}", text(&open.stdout));
    for name in ["alice", "10.20.30.40"] {
        assert!(!text(&shared.stdout).contains(name), "{name}");
    }
    let printed = text(&run(&["drop"], &root).stderr);
    assert!(printed.contains("evil\u{241b}[2J\\u{202e}(redacted)"), "{printed}");
    assert!(!printed.contains(['\u{1b}', '\u{202e}']) && !printed.contains("abcdefghij"), "{printed}");
}
