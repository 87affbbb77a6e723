//! A folder of runs gives the same runs whether it is dropped loose, in an archive, or partly in each.

use std::path::Path;

use rundown_ingest::{Ingested, RunAssembler};

use crate::support::archives::{gzip, tar, zip};
use crate::support::{corpus, dropped, read};

type Files = Vec<(String, Vec<u8>)>;

fn files_of(folder: &Path) -> Files {
    dropped(folder).into_iter().map(|(path, file)| (path, std::fs::read(file).unwrap())).collect()
}

/// Reads files as one drop, in slices that end anywhere.
fn drop_all(files: &[(String, Vec<u8>)]) -> Ingested {
    let mut assembler = RunAssembler::default();
    files.iter().for_each(|(path, bytes)| assembler.add(read(path, bytes, 100_003)));
    assembler.assemble(Vec::new())
}

fn members(files: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
    files.iter().map(|(path, bytes)| (path.as_str(), &bytes[..])).collect()
}

#[track_caller]
fn assert_same(name: &str, got: &Ingested, loose: &Ingested) {
    let names = |ingested: &Ingested| -> Vec<String> { ingested.runs.iter().map(|run| run.name.clone()).collect() };
    assert_eq!(names(got), names(loose), "{name}");
    for (got, loose) in got.runs.iter().zip(&loose.runs) {
        // Not `==`: a NaN is no other NaN.
        assert!(format!("{got:?}") == format!("{loose:?}"), "{name}: {} differs", loose.name);
    }
    assert_eq!(got.problems, loose.problems, "{name}");
}

#[track_caller]
fn check(folder: &str, runs: usize) {
    let Some(path) = corpus(folder) else { return };
    let files = files_of(&path);
    let loose = drop_all(&files);
    assert_eq!(loose.runs.len(), runs, "{folder}");
    let all = members(&files);
    let archives = [
        ("all.tar", tar(&all, false)),
        ("all.tar", tar(&all, true)),
        ("all.tar.gz", gzip(&tar(&all, false))),
        ("all.zip", zip(&all)),
    ];
    for (name, bytes) in archives {
        assert_same(&format!("{folder} in {name}"), &drop_all(&[(name.to_owned(), bytes)]), &loose);
    }
    // A run's own files come from three places.
    let mut thirds: [Files; 3] = Default::default();
    for (index, file) in files.into_iter().enumerate() {
        thirds[index % 3].push(file);
    }
    let [mut mixed, second, third] = thirds;
    mixed.push(("second.tar.gz".to_owned(), gzip(&tar(&members(&second), true))));
    mixed.insert(0, ("third.zip".to_owned(), zip(&members(&third))));
    assert_same(&format!("{folder} in parts"), &drop_all(&mixed), &loose);
}

#[test]
fn public_logs() {
    check("public-logs", 18);
}

#[test]
fn wandb_files() {
    check("wandb-files", 6);
}

#[test]
fn runs_of_systems() {
    check("systems", 13);
}

#[test]
fn a_run_with_all_that_lies_beside_it() {
    check("tiny-grpo/amber-01", 1);
    check("tiny-grpo/amber-18", 1);
}

#[test]
fn archives_in_an_archive() {
    let Some(folder) = corpus("tiny-grpo/amber-10") else { return };
    let files = files_of(&folder);
    let loose = drop_all(&files);
    let inner = gzip(&tar(&members(&files), false));
    let nested = zip(&[("amber-10.tar.gz", &inner), ("notes.md", b"two runs")]);
    let ingested = drop_all(&[("nested.zip".to_owned(), nested)]);
    assert_eq!((ingested.runs.len(), loose.runs.len()), (1, 1));
    let (got, loose) = (&ingested.runs[0], &loose.runs[0]);
    assert_eq!((&got.id, &got.ending, &got.row_steps), (&loose.id, &loose.ending, &loose.row_steps));
    assert_eq!(format!("{:?}", got.columns), format!("{:?}", loose.columns));
    assert_eq!(got.files.len(), loose.files.len());
}
