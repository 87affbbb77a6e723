//! The files that a run was read from, and the formats that are read.

use std::fmt;

use serde::{Deserialize, Serialize};

use rundown_format::named_enum;

/// A file that a run was read from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// Path relative to what was dropped.
    pub path: String,
    /// Format it was read as.
    pub format: FileFormat,
    /// Size in bytes.
    pub bytes: u64,
    /// CRC-32 of the whole file as read, to tell files apart in a report.
    pub crc32: u32,
}

named_enum! {
    serde name
    /// Format of a file. Written in JSON, in settings and on the page by [`FileFormat::name`].
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    pub enum FileFormat {
        /// A `.wandb` transaction log.
        Wandb = "W&B run file",
        /// One JSON object per line.
        JsonLines = "JSON Lines",
        /// A JSON document with a list of rows, such as `trainer_state.json`.
        JsonDocument = "JSON document",
        /// A table with a header: CSV, TSV.
        Table = "table",
        /// The table that W&B exports from a chart.
        ChartExport = "W&B chart export",
        /// A table with one row a run.
        RunsTable = "runs table",
        /// TensorBoard's download of one tag, as CSV or JSON.
        TensorBoardDownload = "TensorBoard download",
        /// Events of Axiom, exported or as a reply of its query API.
        Axiom = "Axiom events",
        /// One or several runs, exported by a tracker as JSON with config, summary or history.
        RunExport = "run export",
        /// A run exported by Rundown.
        RundownExport = "Rundown export",
        /// A JSON report of Rundown.
        RundownReport = "Rundown report",
        /// A file of an MLflow run folder.
        MlflowFolder = "MLflow run folder",
        /// A Parquet file.
        Parquet = "Parquet",
        /// A TensorBoard event file.
        TensorBoard = "TensorBoard events",
        /// A SwanLab run file.
        SwanLab = "SwanLab run file",
        /// A Jupyter notebook with the output of a training.
        Notebook = "Jupyter notebook",
        /// Console output that goes with a run.
        ConsoleLog = "console log",
        /// gzip, tar or zip: its members were read as files of their own.
        Archive = "archive",
        /// A run as a W&B server returned it.
        WandbApi = "W&B API",
        /// A file that W&B keeps beside a run, such as `config.yaml`.
        #[serde(alias = "W&B side file")]
        Sidecar = "W&B sidecar file",
        /// A file beside a run that holds nothing a diagnosis needs.
        #[serde(alias = "side file")]
        Ignored = "ignored file",
        /// None of these. A later version's export may name a format that this version does not know.
        #[default]
        #[serde(other)]
        Unknown = "unknown file",
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_format_is_its_json() {
        for format in FileFormat::ALL {
            let json = serde_json::to_string(&format).unwrap();
            assert_eq!(json, format!("\"{format}\""));
            assert_eq!(serde_json::from_str::<FileFormat>(&json).unwrap(), *format);
        }
        assert_eq!(serde_json::from_str::<FileFormat>("\"of a later version\"").unwrap(), FileFormat::Unknown);
        assert_eq!(serde_json::from_str::<FileFormat>("\"W&B side file\"").unwrap(), FileFormat::Sidecar);
    }
}
