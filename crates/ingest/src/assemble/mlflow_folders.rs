//! The metrics of MLflow's run folders, joined as their files come. Each file has steps and times of its own, which would
//! take twice the memory of its values until the last one is there.

use std::collections::{BTreeMap, BTreeSet};

use super::origin::is_only;
use crate::rows::points::PointCollector;
use crate::{PartKind, PartialRun};
use rundown_run::{FileFormat, Run};
use rundown_stats::CompactSort;

/// Metrics by the folder of their run.
#[derive(Debug, Default)]
pub struct MlflowFolders {
    folders: BTreeMap<String, FolderMetrics>,
}

/// The parts of a folder, joined.
#[derive(Debug)]
struct FolderMetrics {
    /// The first one; once there is another, with the files of all and without its points.
    part: PartialRun,
    /// The points of all, from the second part on.
    points: Option<PointCollector>,
    metrics: BTreeSet<String>,
}

impl MlflowFolders {
    /// Takes metrics of a run folder. Any other part is given back, and so are metrics that the folder has already: two
    /// files of one path may be of two runs.
    pub fn add(&mut self, part: PartialRun) -> Option<PartialRun> {
        let run = &part.run;
        if part.kind != PartKind::History || run.columns.is_empty() || !is_only(run, &[FileFormat::MlflowFolder]) {
            return Some(part);
        }
        match self.folders.get_mut(&part.folder) {
            Some(folder) => folder.add(part),
            None => {
                let metrics = part.run.columns.keys().cloned().collect();
                self.folders.insert(part.folder.clone(), FolderMetrics { part, points: None, metrics });
                None
            }
        }
    }

    /// One part for each folder.
    pub fn into_parts(self) -> Vec<PartialRun> {
        let joined = |FolderMetrics { mut part, points, .. }| {
            if let Some(points) = points {
                part.run = Run { id: part.run.id, files: part.run.files, ..points.into_run() };
                part.run.files.compact_sort_by(|a, b| a.path.cmp(&b.path));
            }
            part
        };
        self.folders.into_values().map(joined).collect()
    }
}

impl FolderMetrics {
    fn add(&mut self, part: PartialRun) -> Option<PartialRun> {
        if part.run.columns.keys().any(|metric| self.metrics.contains(metric)) {
            return Some(part);
        }
        let first = &mut self.part.run;
        let points = self.points.get_or_insert_with(|| {
            let mut points = PointCollector::default();
            let (id, files) = (first.id.clone(), first.files.clone());
            points.add_run(std::mem::replace(first, Run { id, files, ..Run::default() }));
            points
        });
        first.files.extend(part.run.files.iter().cloned());
        self.metrics.extend(part.run.columns.keys().cloned());
        points.add_run(part.run);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ingested, RunAssembler, open};

    const FOLDER: &str = "mlruns/1/0123456789abcdef0123456789abcdef";

    fn assemble(files: &[(&str, &str)]) -> Vec<Run> {
        let mut assembler = RunAssembler::default();
        for (path, text) in files {
            let mut file = open(&format!("{FOLDER}/{path}"), text.len() as u64);
            file.push(text.as_bytes());
            assembler.add(file.finish());
        }
        let Ingested { runs, problems, .. } = assembler.assemble(Vec::new());
        assert!(problems.is_empty(), "{problems:?}");
        runs
    }

    #[test]
    fn the_order_of_the_files_does_not_matter() {
        let files = [
            ("meta.yaml", "run_name: amber\nstatus: 3\n"),
            ("metrics/loss", "1790000001000 0.5 1\n1790000002000 0.4 2\n1790000003000 0.3 3\n"),
            ("metrics/eval", "1790000002500 0.9 2\n"),
            ("metrics/late", "1790000009000 7 4\n1790000000500 6 1\n"),
            ("params/lr", "0.1"),
        ];
        let mut turned = files;
        turned.reverse();
        let (mut run, mut again) = (assemble(&files), assemble(&turned));
        assert_eq!((run.len(), again.len()), (1, 1));
        assert!(run[0].is_same(&mut again[0]));
        assert_eq!((run[0].name.as_str(), &run[0].row_steps[..]), ("amber", &[1.0, 2.0, 3.0, 4.0][..]));
        assert_eq!(run[0].row_times, [1.7900000005e9, 1.790000002e9, 1.790000003e9, 1.790000009e9]);
        assert_eq!(run[0].columns["late"].values(), [6.0, 7.0]);
        assert_eq!(run[0].columns["eval"].rows(), [1]);
    }

    #[test]
    fn another_metric_of_the_same_path_is_of_another_run() {
        let one = ("metrics/loss", "1790000001000 0.5 1\n1790000002000 0.4 2\n");
        assert_eq!(assemble(&[one, one]).len(), 1);
        let runs = assemble(&[one, ("metrics/loss", "1790000001000 0.7 1\n1790000002000 0.6 2\n")]);
        assert_eq!(runs.iter().map(|run| run.columns["loss"].values()).collect::<Vec<_>>(), [[0.5, 0.4], [0.7, 0.6]]);
    }
}
