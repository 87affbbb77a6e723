//! Files in two slices, cut at every byte: what a reader holds between two slices is what it holds within one.
//!
//! Slices of one length seldom end where a reader's state is unusual, such as behind the quote that begins a row.

use std::path::Path;

use rundown_ingest::open;

use crate::support::{dropped, read};

/// Largest file that is cut at every byte.
const MAX_BYTES_CUT_EVERYWHERE: usize = 2_000;
/// Cuts of a larger file.
const CUTS: usize = 300;
/// Largest file that is cut.
const MAX_BYTES: usize = 60_000;

fn in_two(path: &str, bytes: &[u8], at: usize) -> String {
    let mut file = open(path, bytes.len() as u64);
    let (start, end) = bytes.split_at(at);
    for slice in [start, end] {
        if file.wants_bytes() {
            file.push(slice);
        }
    }
    format!("{:?}", file.finish())
}

/// The first cut that changes what is read.
fn first_difference(path: &str, bytes: &[u8]) -> Option<usize> {
    let whole = format!("{:?}", read(path, bytes, bytes.len().max(1)));
    let step = if bytes.len() <= MAX_BYTES_CUT_EVERYWHERE { 1 } else { bytes.len().div_ceil(CUTS) };
    (1..bytes.len()).step_by(step).find(|at| in_two(path, bytes, *at) != whole)
}

#[test]
fn a_cut_between_slices_changes_nothing() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut failed = Vec::new();
    for (path, file) in dropped(&fixtures) {
        let bytes = std::fs::read(file).unwrap();
        if bytes.len() > MAX_BYTES {
            continue;
        }
        if let Some(at) = first_difference(&path, &bytes) {
            failed.push(format!("{path} cut at {at}"));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
