//! What the tests of reading share: files that are made here, one file read alone, and the values of a metric.

use rundown_ingest::{Ingested, RunAssembler};
use rundown_run::Run;

use crate::support::read;
use crate::wandb_file::{RunRecord, WandbFile};

/// One file, read in slices of `slice`.
pub fn one(path: &str, bytes: impl AsRef<[u8]>, slice: usize) -> Ingested {
    let mut assembler = RunAssembler::default();
    assembler.add(read(path, bytes.as_ref(), slice));
    assembler.assemble(Vec::new())
}

/// The values of a metric, none where the run lacks it.
pub fn values<'r>(run: &'r Run, key: &str) -> &'r [f64] {
    run.columns.get(key).map_or(&[], |column| column.values())
}

/// A `.wandb` file with the loss at each of these steps.
pub fn losses(id: &str, rows: &[(u64, f64)]) -> WandbFile {
    let mut file = WandbFile::of(&RunRecord { id, ..RunRecord::default() });
    for (step, loss) in rows {
        file.row(*step, &[("loss", *loss)]);
    }
    file
}

/// A W&B run of the Trainer over three steps, and the trainer state of the same training.
pub fn trainer_pair() -> (Vec<u8>, &'static str) {
    let mut file = WandbFile::of(&RunRecord { id: "abc", ..RunRecord::default() });
    for (row, reward) in [(0, 0.25), (2, 0.5), (4, 0.75)] {
        let step = ("train/global_step", (row / 2 + 1) as f64);
        file.row(row, &[("profiling/x", 1.0), step]);
        file.row(row + 1, &[("train/reward", reward), step]);
    }
    let state = r#"{"global_step": 3, "is_world_process_zero": true, "log_history": [
        {"step": 1, "reward": 0.25, "extra": 7}, {"step": 2, "reward": 0.5}, {"step": 2, "eval_acc": 0.9},
        {"step": 3, "reward": 0.75}], "max_steps": 3}"#;
    (file.finish(0), state)
}
