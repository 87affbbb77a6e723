//! What must hold for any bytes: no panic, memory in proportion, the same result however the bytes are sliced, reports
//! that are read back, and no secret that survives redaction.

use rundown_run::FileFormat;

mod files;
mod redaction;
mod servers;
mod texts;
mod whole;

/// A fuzz target.
pub struct Target {
    /// Name of the program, and of the folders of its seeds and finds.
    pub name: &'static str,
    /// Panics where a property does not hold for these bytes.
    pub check: fn(&[u8]),
    /// Bytes of memory that one byte of input may take, beyond those that any input may.
    memory_per_byte: usize,
}

/// Bytes that any input may take.
const MEMORY: usize = 64 << 20;
/// A byte of text becomes a value with its key.
const TEXT: usize = 1 << 10;
/// Deflate unpacks a byte to at most 1,032.
const PACKED: usize = 16 << 10;
/// A run-length of Parquet stands for any number of rows; what bounds it is the budget of a drop.
const UNBOUNDED: usize = 1 << 40;

/// All targets.
pub const TARGETS: [Target; 15] = [
    Target { name: "ingest", check: files::ingest, memory_per_byte: UNBOUNDED },
    Target {
        name: "wandb_file",
        check: |input| files::forced("run-x.wandb", FileFormat::Wandb, input),
        memory_per_byte: TEXT,
    },
    Target {
        name: "tensorboard",
        check: |input| files::forced("events.out.tfevents.1.x", FileFormat::TensorBoard, input),
        memory_per_byte: TEXT,
    },
    Target {
        name: "parquet",
        check: |input| files::forced("history.parquet", FileFormat::Parquet, input),
        memory_per_byte: UNBOUNDED,
    },
    Target {
        name: "swanlab",
        check: |input| files::forced("run-x/backup.swanlab", FileFormat::SwanLab, input),
        memory_per_byte: TEXT,
    },
    Target { name: "zip", check: |input| files::named("runs.zip", input), memory_per_byte: UNBOUNDED },
    Target { name: "tar", check: |input| files::named("runs.tar", input), memory_per_byte: UNBOUNDED },
    Target { name: "gzip", check: |input| files::named("metrics.csv.gz", input), memory_per_byte: PACKED },
    Target { name: "whole", check: whole::whole, memory_per_byte: UNBOUNDED },
    Target { name: "query", check: texts::query, memory_per_byte: TEXT },
    Target { name: "settings", check: texts::settings, memory_per_byte: TEXT },
    Target { name: "reports", check: whole::reports, memory_per_byte: TEXT },
    Target { name: "redact", check: redaction::redaction, memory_per_byte: TEXT },
    Target { name: "wandb_server", check: servers::wandb, memory_per_byte: UNBOUNDED },
    Target { name: "axiom_server", check: servers::axiom, memory_per_byte: TEXT },
];

/// The target of that name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

impl Target {
    /// Bytes of memory that an input of this length may take.
    pub fn memory_limit(&self, length: usize) -> usize {
        MEMORY.saturating_add(self.memory_per_byte.saturating_mul(length)).min(1500 << 20)
    }
}
