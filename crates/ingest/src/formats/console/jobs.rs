//! The jobs of one log: SkyPilot prints what all of them write, each line behind the name of its job,
//! `(lr1e-5, pid=2808) step 5/500 loss=0.4`. Read as one training, their rows would be steps of the same counter.
//! As all lines pass here, the W&B run that the log names is noted here too.

use super::log_starts::LogStarts;
use super::segments::without_ray_mark;
use crate::budget::MemoryUse;
use crate::path;
use crate::rows::read_progress::ReadProgress;
use rundown_run::Run;

/// Most jobs of a log that are told apart; lines of further ones are left out.
const MAX_JOBS: usize = 256;
/// What stands before W&B's own lines. Only these name the run of the log: other lines may hold paths to files of other runs.
const WANDB: &[u8] = b"wandb: ";
/// Longest line of W&B that is looked at, in bytes. Most of a long log are rows of metrics, which are longer.
const MAX_WANDB_LINE: usize = 512;

/// Reads the segments of a log into the runs of its jobs.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    /// The first job that printed a line, with the lines of no job.
    first: LogStarts,
    first_name: String,
    others: Vec<(String, LogStarts)>,
    /// Ids of the first two W&B runs that the log names.
    wandb_runs: Vec<String>,
}

impl Jobs {
    /// Adds the next segment.
    pub(crate) fn add(&mut self, segment: &str) {
        self.note_wandb_run(segment);
        if let Some(starts) = self.starts_of(job(segment)) {
            starts.add(segment);
        }
    }

    /// Notes the id in `wandb: Run data is saved locally in …/run-20260101_101500-ID`.
    fn note_wandb_run(&mut self, segment: &str) {
        if segment.len() > MAX_WANDB_LINE || memchr::memmem::find(segment.as_bytes(), WANDB).is_none() {
            return;
        }
        for folder in segment.split_whitespace().filter_map(path::run_folder_in) {
            if self.wandb_runs.len() < 2 && !self.wandb_runs.iter().any(|known| known == folder.id) {
                self.wandb_runs.push(folder.id.to_owned());
            }
        }
    }

    /// The id of the W&B run that the log names as its own; `None` where it names several.
    pub(super) fn wandb_run(&self) -> Option<String> {
        match self.wandb_runs.as_slice() {
            [id] => Some(id.clone()),
            _ => None,
        }
    }

    /// Where the lines of a job go; `None` for a job that is left out.
    fn starts_of(&mut self, job: Option<&str>) -> Option<&mut LogStarts> {
        let Some(name) = job else { return Some(&mut self.first) };
        if self.first_name.is_empty() {
            name.clone_into(&mut self.first_name);
        }
        if self.first_name == name {
            return Some(&mut self.first);
        }
        let starts = match self.others.iter().position(|(other, _)| other == name) {
            Some(place) => self.others.get_mut(place),
            None if self.others.len() < MAX_JOBS => {
                self.others.push((name.to_owned(), LogStarts::default()));
                self.others.last_mut()
            }
            None => None,
        };
        starts.map(|(_, starts)| starts)
    }

    /// Says how far the log has been read.
    pub(crate) fn set_progress(&mut self, progress: ReadProgress) {
        self.first.set_progress(progress);
    }

    /// Says when the segments that follow were printed, in seconds since the start.
    pub(super) fn set_printed(&mut self, seconds: f64) {
        self.first.set_printed(seconds);
    }

    /// True where lines are rows by themselves, as a framework prints them.
    pub(crate) fn has_framework_rows(&self) -> bool {
        self.all().any(LogStarts::has_framework_rows)
    }

    /// True where the progress bar of a training without rows moved.
    pub(crate) fn has_progress(&self) -> bool {
        self.all().any(LogStarts::has_progress)
    }

    /// Lines that look like rows of metrics, whether they are enough for a run or not.
    pub(crate) fn likely_rows(&self) -> usize {
        self.all().map(LogStarts::likely_rows).sum()
    }

    /// What the rows take, about.
    pub(crate) fn memory_use(&self) -> MemoryUse {
        self.all().map(LogStarts::memory_use).sum()
    }

    /// The runs, one at least; those of several jobs that logged rows have the names of their jobs.
    pub(crate) fn finish(self) -> Vec<Run> {
        let all = std::iter::once((self.first_name, self.first)).chain(self.others);
        let mut jobs: Vec<(String, Vec<Run>)> = all.map(|(name, starts)| (name, starts.finish())).collect();
        let has_rows = |runs: &[Run]| runs.iter().any(|run| !run.row_steps.is_empty());
        // The first stays where it is alone, with or without rows.
        if jobs.iter().skip(1).all(|(_, runs)| !has_rows(runs)) {
            return jobs.into_iter().next().map_or_else(Vec::new, |(_, runs)| runs);
        }
        jobs.retain(|(_, runs)| has_rows(runs));
        let named = |(name, runs): (String, Vec<Run>)| {
            let of = runs.len();
            runs.into_iter().enumerate().map(move |(place, run)| {
                let name = if of > 1 { format!("{name} (start {})", place + 1) } else { name.clone() };
                Run { name, ..run }
            })
        };
        jobs.into_iter().flat_map(named).collect()
    }

    fn all(&self) -> impl Iterator<Item = &LogStarts> {
        std::iter::once(&self.first).chain(self.others.iter().map(|(_, starts)| starts))
    }
}

/// The name of the job that printed a line. Ray's marks of a process have no comma before `pid`, and those of SkyPilot for
/// the nodes of one job a rank.
fn job(segment: &str) -> Option<&str> {
    let (name, rest) = without_ray_mark(segment).0.strip_prefix('(')?.split_once(", pid=")?;
    (!name.is_empty() && !name.contains(',') && !rest.contains(',')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(lines: impl Iterator<Item = String>) -> Vec<(String, Vec<f64>)> {
        let mut jobs = Jobs::default();
        lines.for_each(|line| jobs.add(&line));
        let rewards = |run: &Run| run.columns.get("reward").map(|column| column.values().to_vec()).unwrap_or_default();
        jobs.finish().into_iter().map(|run| (run.name.clone(), rewards(&run))).collect()
    }

    fn row(mark: &str, step: usize, reward: usize) -> String {
        format!("{mark}step {step}/6 loss=0.1 reward={reward}")
    }

    #[test]
    fn a_log_names_its_run() {
        let id = |lines: &[&str]| {
            let mut jobs = Jobs::default();
            lines.iter().for_each(|line| jobs.add(line));
            jobs.wandb_run()
        };
        let saved = "wandb: Run data is saved locally in /x/wandb/run-20260101_101500-abc123";
        let found = ["(T pid=1) wandb: Find logs at: wandb/run-20260101_101500-abc123/logs"];
        let long = [&[saved][..], &["text"; 9_000], &found].concat();
        assert_eq!(id(&long).as_deref(), Some("abc123"));
        assert_eq!(id(&[saved, "wandb: Find logs at: wandb/run-20260102_101500-other/logs"]), None);
        assert_eq!(id(&["loads wandb/run-20260101_101500-abc123/files/model"]), None);
    }

    #[test]
    fn each_job_of_a_sweep_is_a_run() {
        let lines = (1..=6).flat_map(|step| [row("(a, pid=7) ", step, step), row("(b, pid=7) ", step, 10 * step)]);
        let found = runs(lines);
        assert_eq!(found.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(found[1].1, [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]);
    }

    #[test]
    fn one_job_and_processes_of_one_training_are_one_run() {
        let single = runs((1..=6).map(|step| row("(task, pid=7) ", step, step)));
        assert_eq!(single, [(String::new(), vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])]);
        let marks = ["(head, rank=0, pid=7) ", "(Trainer pid=8) ", "(worker, rank=1, pid=9) "];
        let of_ray = runs((1..=6).map(|step| row(marks[step % 3], step, step)));
        assert_eq!(of_ray.len(), 1);
        let set_up = ["(set up, pid=3) installing", "(set up, pid=3) done"].map(str::to_owned);
        let with_set_up = runs(set_up.into_iter().chain((1..=6).map(|step| row("(task, pid=7) ", step, step))));
        assert_eq!(with_set_up, [("task".to_owned(), vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])]);
    }
}
