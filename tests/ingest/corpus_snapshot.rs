//! What is understood of every file of the corpus, alone and as part of its folder, compared with the
//! snapshot `tests/golden/corpus.snap`.
//!
//! The snapshot is there to be read: a lost file, a wrong step axis or state, a strange name or number of series shows
//! in it. Of all values there is a checksum, so that no change goes unseen. After a wanted change, run once with
//! `INSTA_UPDATE=always` and read the difference before it is committed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use rundown_ingest::{Ingested, Problem, RunAssembler};
use rundown_run::{Column, Run};

use crate::support::golden::same_as_snapshot;
use crate::support::{corpus, dropped, ingest_folder, read};

/// As large as the slices that the page reads.
const SLICE: usize = 4 << 20;
/// Problems of one drop that are listed; the others are counted.
const LISTED: usize = 40;

#[test]
fn every_file_and_folder_is_understood_as_the_snapshot_says() {
    let Some(root) = corpus("") else { return };
    let mut text = String::new();
    for folder in folders(&root) {
        let name = folder.file_name().unwrap_or_default().display();
        writeln!(text, "# {name}, dropped as a folder\n").unwrap();
        text.push_str(&describe(&ingest_folder(&folder)));
        writeln!(text, "\n# {name}, file by file\n").unwrap();
        text.push_str(&one_by_one(&folder));
        text.push('\n');
    }
    assert!(!text.contains("/work") && !text.contains("/tmp"), "a path of a machine in the snapshot");
    same_as_snapshot("corpus", &text);
}

fn folders(root: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root).expect("the corpus can be listed");
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// Each file dropped alone, by its name. Files that give no run are many, and alike: they are counted.
fn one_by_one(folder: &Path) -> String {
    let mut text = String::new();
    let mut without: BTreeMap<String, (String, usize)> = BTreeMap::new();
    for (path, file) in dropped(folder) {
        let name = file.file_name().unwrap_or_default().display().to_string();
        let outcome = read(&name, &std::fs::read(&file).unwrap(), SLICE);
        let format = outcome.format;
        let mut assembler = RunAssembler::default();
        assembler.add(outcome);
        let ingested = assembler.assemble(Vec::new());
        if ingested.runs.is_empty() {
            let said: String = ingested.problems.iter().map(|problem| say(problem, &name)).collect();
            without.entry(format!("taken for {}\n{said}", format)).or_insert((path, 0)).1 += 1;
        } else {
            writeln!(text, "{path}: taken for {}", format).unwrap();
            text.push_str(&describe(&ingested));
        }
    }
    for (said, (path, count)) in without {
        let others = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        write!(text, "{path}{others}: no run, {said}").unwrap();
    }
    text
}

fn describe(ingested: &Ingested) -> String {
    let mut text = String::new();
    for run in &ingested.runs {
        text.push_str(&of_run(run));
    }
    for problem in ingested.problems.iter().take(LISTED) {
        text.push_str(&say(problem, ""));
    }
    if ingested.problems.len() > LISTED {
        writeln!(text, "  ... {} problems in all", ingested.problems.len()).unwrap();
    }
    text
}

/// One problem; a file that is known from the context is left out.
fn say(problem: &Problem, known: &str) -> String {
    let file = if problem.file == known { "" } else { problem.file.as_str() };
    format!("  {:?} {file} ({}): {} {}\n", problem.weight, problem.place, problem.what, problem.remedy)
}

fn of_run(run: &Run) -> String {
    let mut text = format!("  run {} (id {}), {}", run.name, run.id, run.ending.state.as_str());
    if let Some(code) = run.ending.exit_code {
        write!(text, " with {code}").unwrap();
    }
    if let Some(evidence) = run.ending.evidence.first() {
        write!(text, ": {evidence}").unwrap();
    }
    text.push('\n');
    let of = [("entity", &run.entity), ("project", &run.project), ("group", &run.group), ("job type", &run.job_type)];
    let of = of.into_iter().chain([("sweep", &run.sweep), ("host", &run.host), ("notes", &run.notes)]);
    let mut identity: Vec<String> = of.filter_map(|(what, is)| Some(format!("{what} {}", is.as_ref()?))).collect();
    identity.extend(run.started_at.map(|time| format!("started at {time}")));
    identity.extend(run.tags.iter().map(|tag| format!("tag {tag}")));
    line(&mut text, "of", &identity);
    let files = run.files.iter().map(|file| {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        format!("{name} ({}, {} bytes)", file.format, file.bytes)
    });
    line(&mut text, "from", &few(files.collect()));
    let steps = match run.step_range() {
        Some((first, last)) => format!("{} from {first} to {last}", run.axis.key),
        None => "no steps".to_owned(),
    };
    let timed = run.row_times.iter().filter(|time| time.is_finite()).count();
    line(
        &mut text,
        "rows",
        &[
            format!("{} ({timed} with a time)", run.row_steps.len()),
            steps,
            format!("{} restarts", run.axis.restarts.len()),
        ],
    );
    line(&mut text, "series", &[columns(&run.columns, |row| run.axis.steps.get(row as usize).copied())]);
    line(&mut text, "by first word", &by_first_word(&run.columns));
    let mut beside = vec![format!("config {}", run.config.len()), format!("summary {}", run.summary.len())];
    if !run.tables.is_empty() {
        let read = run.tables.iter().filter_map(|table| table.content.as_ref());
        let rows: usize = read.clone().map(|table| table.rows.len()).sum();
        beside.push(format!("tables {} ({} read, {rows} rows)", run.tables.len(), read.count()));
    }
    let histograms: usize = run.histograms.values().map(Vec::len).sum();
    for (what, number) in [
        ("histograms", histograms),
        ("bands", run.bands.len()),
        ("system metrics", run.system.len()),
        ("system rows", run.system_times.len()),
        ("artifacts", run.artifacts.len()),
        ("metric rules", run.metric_rules.len()),
        ("log lines", run.log.lines.len()),
        ("log lines dropped", run.log.dropped as usize),
    ] {
        if number > 0 {
            beside.push(format!("{what} {number}"));
        }
    }
    line(&mut text, "with", &beside);
    for warning in &run.warnings {
        let step = warning.step().map(|step| format!(" at {step}")).unwrap_or_default();
        writeln!(text, "    warning{step}: {}", warning.message()).unwrap();
    }
    text
}

fn line(text: &mut String, what: &str, items: &[String]) {
    if !items.is_empty() {
        writeln!(text, "    {what} {}", items.join(", ")).unwrap();
    }
}

/// The first items; the others are counted.
fn few(mut items: Vec<String>) -> Vec<String> {
    const SHOWN: usize = 6;
    let others = items.len().saturating_sub(SHOWN);
    items.truncate(SHOWN);
    if others > 0 {
        items.push(format!("{others} more"));
    }
    items
}

/// How many series and points there are, and a checksum of keys, steps and values.
fn columns(columns: &BTreeMap<String, Column>, step: impl Fn(u32) -> Option<f64>) -> String {
    let mut crc = crc32fast::Hasher::new();
    for (key, column) in columns {
        crc.update(key.as_bytes());
        for (row, value) in column.points() {
            crc.update(&step(row).unwrap_or(f64::NAN).to_le_bytes());
            // A NaN has many bit patterns, and none means anything.
            crc.update(&if value.is_nan() { f64::NAN } else { value }.to_le_bytes());
        }
    }
    let points: usize = columns.values().map(Column::len).sum();
    let nonfinite: usize = columns.values().map(Column::nonfinite).sum();
    let rounded = columns.values().filter(|column| column.quantum().is_some()).count();
    let mut text = format!("{}, {points} points", columns.len());
    for (number, what) in [(nonfinite, "not finite"), (rounded, "series rounded")] {
        if number > 0 {
            write!(text, ", {number} {what}").unwrap();
        }
    }
    write!(text, ", checksum {:08x}", crc.finalize()).unwrap();
    text
}

fn by_first_word(columns: &BTreeMap<String, Column>) -> Vec<String> {
    let mut words: BTreeMap<&str, usize> = BTreeMap::new();
    for key in columns.keys() {
        *words.entry(key.split_once('/').map_or("-", |(word, _)| word)).or_default() += 1;
    }
    few(words.into_iter().map(|(word, count)| format!("{word} {count}")).collect())
}
