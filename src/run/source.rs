//! The files that a run was read from, and the formats that are read.

use std::fmt;

use serde::{Deserialize, Serialize};

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

/// Format of a file. Written in JSON, in settings and on the page by [`FileFormat::name`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub enum FileFormat {
    /// A `.wandb` transaction log.
    #[serde(rename = "W&B run file")]
    Wandb,
    /// One JSON object per line.
    #[serde(rename = "JSON Lines")]
    JsonLines,
    /// A JSON document with a list of rows, such as `trainer_state.json`.
    #[serde(rename = "JSON document")]
    JsonDocument,
    /// A table with a header: CSV, TSV.
    #[serde(rename = "table")]
    Table,
    /// The table that W&B exports from a chart.
    #[serde(rename = "W&B chart export")]
    ChartExport,
    /// A table with one row a run.
    #[serde(rename = "runs table")]
    RunsTable,
    /// TensorBoard's download of one tag, as CSV or JSON.
    #[serde(rename = "TensorBoard download")]
    TensorBoardDownload,
    /// Events of Axiom, exported or as a reply of its query API.
    #[serde(rename = "Axiom events")]
    Axiom,
    /// One or several runs, exported by a tracker as JSON with config, summary or history.
    #[serde(rename = "run export")]
    RunExport,
    /// A run exported by Rundown.
    #[serde(rename = "Rundown export")]
    RundownExport,
    /// A JSON report of Rundown.
    #[serde(rename = "Rundown report")]
    RundownReport,
    /// A file of an MLflow run folder.
    #[serde(rename = "MLflow run folder")]
    MlflowFolder,
    /// A Parquet file.
    #[serde(rename = "Parquet")]
    Parquet,
    /// A TensorBoard event file.
    #[serde(rename = "TensorBoard events")]
    TensorBoard,
    /// A SwanLab run file.
    #[serde(rename = "SwanLab run file")]
    SwanLab,
    /// A Jupyter notebook with the output of a training.
    #[serde(rename = "Jupyter notebook")]
    Notebook,
    /// Console output that goes with a run.
    #[serde(rename = "console log")]
    ConsoleLog,
    /// gzip, tar or zip: its members were read as files of their own.
    #[serde(rename = "archive")]
    Archive,
    /// A run as a W&B server returned it.
    #[serde(rename = "W&B API")]
    WandbApi,
    /// A file that W&B keeps beside a run, such as `config.yaml`.
    #[serde(rename = "W&B sidecar file", alias = "W&B side file")]
    Sidecar,
    /// A file beside a run that holds nothing a diagnosis needs.
    #[serde(rename = "ignored file", alias = "side file")]
    Ignored,
    /// None of these. A later version's export may name a format that this version does not know.
    #[default]
    #[serde(rename = "unknown file", other)]
    Unknown,
}

impl FileFormat {
    /// Every format.
    pub const ALL: [FileFormat; 22] = [
        FileFormat::Wandb,
        FileFormat::JsonLines,
        FileFormat::JsonDocument,
        FileFormat::Table,
        FileFormat::ChartExport,
        FileFormat::RunsTable,
        FileFormat::TensorBoardDownload,
        FileFormat::Axiom,
        FileFormat::RunExport,
        FileFormat::RundownExport,
        FileFormat::RundownReport,
        FileFormat::MlflowFolder,
        FileFormat::Parquet,
        FileFormat::TensorBoard,
        FileFormat::SwanLab,
        FileFormat::Notebook,
        FileFormat::ConsoleLog,
        FileFormat::Archive,
        FileFormat::WandbApi,
        FileFormat::Sidecar,
        FileFormat::Ignored,
        FileFormat::Unknown,
    ];

    /// The formats that a user may force on a file that was recognised wrongly or not at all.
    pub const CHOICES: [FileFormat; 4] =
        [FileFormat::Table, FileFormat::JsonLines, FileFormat::JsonDocument, FileFormat::ConsoleLog];

    /// The name of the format, for people and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            FileFormat::Wandb => "W&B run file",
            FileFormat::JsonLines => "JSON Lines",
            FileFormat::JsonDocument => "JSON document",
            FileFormat::Table => "table",
            FileFormat::ChartExport => "W&B chart export",
            FileFormat::RunsTable => "runs table",
            FileFormat::TensorBoardDownload => "TensorBoard download",
            FileFormat::Axiom => "Axiom events",
            FileFormat::RunExport => "run export",
            FileFormat::RundownExport => "Rundown export",
            FileFormat::RundownReport => "Rundown report",
            FileFormat::MlflowFolder => "MLflow run folder",
            FileFormat::Parquet => "Parquet",
            FileFormat::TensorBoard => "TensorBoard events",
            FileFormat::SwanLab => "SwanLab run file",
            FileFormat::Notebook => "Jupyter notebook",
            FileFormat::ConsoleLog => "console log",
            FileFormat::Archive => "archive",
            FileFormat::WandbApi => "W&B API",
            FileFormat::Sidecar => "W&B sidecar file",
            FileFormat::Ignored => "ignored file",
            FileFormat::Unknown => "unknown file",
        }
    }

    /// The format that a user may force under this name; `None` for any other text.
    pub fn choice(name: &str) -> Option<FileFormat> {
        Self::CHOICES.into_iter().find(|format| format.name() == name)
    }

    /// The format of this name; [`FileFormat::Unknown`] for any other text.
    pub fn from_name(name: &str) -> FileFormat {
        match name {
            // Names of schema 1.
            "W&B side file" => FileFormat::Sidecar,
            "side file" => FileFormat::Ignored,
            _ => Self::ALL.into_iter().find(|format| format.name() == name).unwrap_or(FileFormat::Unknown),
        }
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
            assert_eq!(serde_json::from_str::<FileFormat>(&json).unwrap(), format);
            assert_eq!(FileFormat::from_name(format.name()), format);
        }
        assert_eq!(serde_json::from_str::<FileFormat>("\"of a later version\"").unwrap(), FileFormat::Unknown);
        assert_eq!(serde_json::from_str::<FileFormat>("\"W&B side file\"").unwrap(), FileFormat::Sidecar);
    }
}
