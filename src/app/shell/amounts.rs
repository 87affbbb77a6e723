//! How far a reading is: in words, and as a share of all there is to do.

use crate::format::{bytes, counted};
use crate::protocol::{Progress, Work};

/// Share of the bar that reading the bytes takes; the rest is for joining and diagnosing the runs.
const READING: f64 = 0.85;
/// Share at which runs are diagnosed.
const DIAGNOSING: f64 = 0.9;

/// What is being done, in a few words.
pub fn doing(progress: &Progress) -> String {
    match &progress.work {
        Work::Waiting => "Reading…".to_owned(),
        Work::Joining => "Joining files into runs…".to_owned(),
        Work::Diagnosing { name, .. } => format!("Diagnosing {name}"),
        Work::Fetching { what, .. } => format!("Fetching {what}"),
        work => work.subject().to_owned(),
    }
}

/// Files and bytes.
pub fn amounts(progress: &Progress) -> String {
    let mut parts = Vec::new();
    if progress.files_total > 0 {
        let noun = if matches!(progress.work, Work::Fetching { .. }) { "run" } else { "file" };
        parts.push(format!("{} of {}", progress.files_done, counted(progress.files_total as usize, noun)));
    }
    match (progress.bytes_done, progress.bytes_total) {
        (0, 0) => {}
        (done, 0) => parts.push(bytes(done)),
        // A reading ends without the bytes that it had no need of.
        (_, total) if is_read(progress) => parts.push(bytes(total)),
        (done, total) => parts.push(format!("{} of {}", bytes(done.min(total)), bytes(total))),
    }
    parts.join(" · ")
}

/// How much of the work is done, 0 to 1; `None` where that can't be known. It never goes back within a reading.
pub fn share(progress: &Progress) -> Option<f64> {
    let part = |done: u64, total: u64| (total > 0).then(|| (done as f64 / total as f64).min(1.0));
    let (files_done, files_total) = (u64::from(progress.files_done), u64::from(progress.files_total));
    match progress.work {
        Work::Joining => Some(READING),
        Work::Diagnosing { .. } => Some(DIAGNOSING + (1.0 - DIAGNOSING) * part(files_done, files_total).unwrap_or(0.5)),
        Work::Fetching { .. } => part(files_done, files_total).map(|share| READING * share),
        _ => part(progress.bytes_done, progress.bytes_total).map(|share| READING * share),
    }
}

/// True once all bytes are read that are needed.
fn is_read(progress: &Progress) -> bool {
    matches!(progress.work, Work::Joining | Work::Diagnosing { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::RunIdentity;

    fn at(work: Work, bytes_done: u64, files_done: u32) -> Progress {
        Progress { work, bytes_done, bytes_total: 1_000, files_done, files_total: 4 }
    }

    fn diagnosing() -> Work {
        Work::Diagnosing { run: RunIdentity::default(), name: "amber-07".to_owned() }
    }

    #[test]
    fn the_bar_goes_forward_to_its_end() {
        let reading = |bytes| at(Work::Reading { file: "a.csv".to_owned() }, bytes, 0);
        let steps = [reading(0), reading(400), reading(2_000), at(Work::Joining, 400, 4), at(diagnosing(), 400, 4)];
        let shares: Vec<f64> = steps.iter().filter_map(share).collect();
        assert_eq!(shares.len(), 5);
        assert!(shares.is_sorted(), "{shares:?}");
        assert!(shares[4] > 0.99);
    }

    #[test]
    fn what_is_not_known_is_not_said() {
        assert_eq!(share(&Progress::default()), None);
        assert_eq!(amounts(&Progress::default()), "");
        let words = amounts(&at(diagnosing(), 400, 4));
        assert!(words.starts_with("4 of 4 files") && !words.contains("400"), "{words}");
        let fetching = Work::Fetching { what: "a".to_owned(), runs: Vec::new() };
        assert!(amounts(&at(fetching, 400, 1)).starts_with("1 of 4 runs"));
    }
}
