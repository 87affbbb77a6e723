//! The metrics of MLflow's run folders, joined as their files come. Each file has steps and times of its own, which would
//! take twice the memory of its values until the last one is there.

use std::collections::BTreeMap;

use super::origin::is_only;
use crate::rows::points::PointCollector;
use crate::{PartKind, PartialRun};
use rundown_run::{FileFormat, Run, SourceFile};
use rundown_stats::CompactSort;

/// Metrics by the folder of their run.
#[derive(Debug, Default)]
pub(super) struct MlflowFolders {
    folders: BTreeMap<String, FolderMetrics>,
}

#[derive(Debug, Default)]
struct FolderMetrics {
    id: String,
    points: PointCollector,
    /// The file of each metric.
    files: BTreeMap<String, SourceFile>,
}

impl MlflowFolders {
    /// Takes the metric of a run folder. Any other part is given back, and so is a metric that the folder has already:
    /// two files of one path may be of two runs.
    pub(super) fn add(&mut self, part: PartialRun) -> Option<PartialRun> {
        if part.kind != PartKind::History || !is_only(&part.run, &[FileFormat::MlflowFolder]) {
            return Some(part);
        }
        let (Some(metric), [file]) = (part.run.columns.keys().next().cloned(), &part.run.files[..]) else {
            return Some(part);
        };
        let file = file.clone();
        if self.folders.get(&part.folder).is_some_and(|folder| folder.files.contains_key(&metric)) {
            return Some(part);
        }
        let folder = self.folders.entry(part.folder).or_default();
        folder.id.clone_from(&part.run.id);
        folder.files.insert(metric, file);
        folder.points.add_run(part.run);
        None
    }

    /// One part for each folder.
    pub(super) fn into_parts(self) -> impl Iterator<Item = PartialRun> {
        self.folders.into_iter().map(|(name, FolderMetrics { id, points, files })| {
            let mut files: Vec<SourceFile> = files.into_values().collect();
            files.compact_sort_by(|a, b| a.path.cmp(&b.path));
            PartialRun { run: Run { id, files, ..points.into_run() }, kind: PartKind::History, folder: name }
        })
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
