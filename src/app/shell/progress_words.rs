//! How far a reading is: in words, and as a share of all there is to do.

use rundown_format::{bytes, done_of, redact, visible};
use rundown_protocol::{Progress, Work};

/// Share of the bar that reading the bytes takes; the rest is for joining and diagnosing the runs.
const READING: f64 = 0.85;
/// Share at which runs are diagnosed.
const DIAGNOSING: f64 = 0.9;

/// What is being done, in a few words.
pub fn doing(progress: &Progress) -> String {
    match &progress.work {
        Work::Waiting => "Reading…".to_owned(),
        Work::Joining => "Joining files into runs…".to_owned(),
        Work::Fetching { what, .. } => format!("Fetching {what}"),
        Work::Diagnosing { .. } if is_read(progress) => {
            format!("Diagnosing {}…", done_of(progress.runs_done as usize, progress.runs_total as usize, "run"))
        }
        // Runs that are whole are diagnosed between two files.
        Work::Reading { .. } | Work::Diagnosing { .. } => {
            format!("Reading {}…", done_of(progress.files_done as usize, progress.files_total as usize, "file"))
        }
        Work::Answering => String::new(),
    }
}

/// Bytes, and the runs that are fetched.
pub fn amounts(progress: &Progress) -> String {
    let mut parts = Vec::new();
    if progress.files_total > 0 && matches!(progress.work, Work::Fetching { .. }) {
        parts.push(done_of(progress.files_done as usize, progress.files_total as usize, "run"));
    }
    match (progress.bytes_done, progress.bytes_total) {
        (0, 0) => {}
        (done, 0) => parts.push(bytes(done)),
        // A reading ends without the bytes that it had no need of.
        (_, total) if is_read(progress) => parts.push(bytes(total)),
        (done, total) => parts.push(format!("{} of {}", bytes(done.min(total)), bytes(total))),
    }
    if let Work::Reading { file } = &progress.work {
        parts.push(visible(&redact(file)).into_owned());
    }
    parts.join(" · ")
}

/// How much of the work is done, 0 to 1; `None` where that can't be known. It never goes back within a reading.
pub fn share(progress: &Progress) -> Option<f64> {
    let part = |done: u64, total: u64| (total > 0).then(|| (done as f64 / total as f64).min(1.0));
    let runs = || part(u64::from(progress.runs_done), u64::from(progress.runs_total));
    match progress.work {
        Work::Joining => Some(READING),
        Work::Diagnosing { .. } if is_read(progress) => Some(DIAGNOSING + (1.0 - DIAGNOSING) * runs().unwrap_or(0.5)),
        Work::Fetching { .. } => {
            part(u64::from(progress.files_done), u64::from(progress.files_total)).map(|share| READING * share)
        }
        _ => part(progress.bytes_done, progress.bytes_total).map(|share| READING * share),
    }
}

/// True once all bytes are read that are needed.
fn is_read(progress: &Progress) -> bool {
    match progress.work {
        Work::Joining => true,
        Work::Diagnosing { .. } => progress.runs_total > 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_protocol::RunIdentity;

    fn reading(bytes_done: u64, files_done: u32) -> Progress {
        let work = Work::Reading { file: "a.csv".to_owned() };
        Progress { work, bytes_done, bytes_total: 1_000, files_done, files_total: 2_000, ..Progress::default() }
    }

    fn diagnosing(runs_done: u32, runs_total: u32) -> Progress {
        let work = Work::Diagnosing { run: RunIdentity::default(), name: "amber-07".to_owned() };
        Progress { work, runs_done, runs_total, ..reading(400, 120) }
    }

    #[test]
    fn the_bar_goes_forward_to_its_end() {
        let joining = Progress { work: Work::Joining, ..reading(400, 2_000) };
        let steps = [
            reading(0, 0),
            reading(400, 120),
            diagnosing(0, 0),
            reading(2_000, 2_000),
            joining,
            diagnosing(310, 1_000),
            diagnosing(1_000, 1_000),
        ];
        let shares: Vec<f64> = steps.iter().filter_map(share).collect();
        assert_eq!(shares.len(), 7);
        assert!(shares.is_sorted(), "{shares:?}");
        assert_eq!(shares.last(), Some(&1.0));
    }

    #[test]
    fn files_and_runs_are_counted() {
        assert_eq!(doing(&reading(400, 120)), "Reading 120 of 2000 files…");
        assert!(amounts(&reading(400, 120)).ends_with(" · a.csv"));
        assert_eq!(doing(&diagnosing(0, 0)), "Reading 120 of 2000 files…", "runs that are whole, between two files");
        assert_eq!(doing(&diagnosing(310, 1_000)), "Diagnosing 310 of 1000 runs…");
        assert_eq!(doing(&diagnosing(0, 1)), "Diagnosing 0 of 1 run…");
    }

    #[test]
    fn what_is_not_known_is_not_said() {
        assert_eq!(share(&Progress::default()), None);
        assert_eq!(amounts(&Progress::default()), "");
        let words = amounts(&diagnosing(1, 4));
        assert!(!words.contains("400"), "{words}");
        let work = Work::Fetching { what: "a".to_owned(), runs: Vec::new() };
        let fetching = Progress { work, files_done: 1, files_total: 4, ..Progress::default() };
        assert!(amounts(&fetching).starts_with("1 of 4 runs"));
    }
}
