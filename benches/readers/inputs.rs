//! The inputs of the table of readers: the same numbers in every text format, written once into a folder.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::synthetic::value;

/// About how long the largest inputs are, in bytes.
pub const LARGEST: u64 = 50 << 20;

/// Bytes of a value in a table, roughly.
const CELL: u64 = 20;
/// Bytes of a value with its name, roughly.
const PAIR: u64 = 42;

/// Names as trainers give them; `metric` counts from 0.
fn name(metric: u64) -> String {
    const KNOWN: [&str; 10] = [
        "train/loss",
        "train/reward",
        "train/kl",
        "train/grad_norm",
        "train/entropy",
        "train/learning_rate",
        "train/completions/mean_length",
        "train/clip_ratio/high_mean",
        "train/reward_std",
        "train/frac_reward_zero_std",
    ];
    let known = usize::try_from(metric).ok().and_then(|metric| KNOWN.get(metric));
    known.map_or_else(|| format!("train/metric_{metric}"), |known| (*known).to_owned())
}

/// A table with a step and `metrics` columns.
pub fn csv(path: &Path, metrics: u64, bytes: u64) -> io::Result<()> {
    let names: Vec<String> = (0..metrics).map(name).collect();
    lines(path, bytes / (metrics * CELL), |row, line| {
        if row == 0 {
            let _ = writeln!(line, "_step,{}", names.join(","));
        }
        let _ = write!(line, "{row}");
        for metric in 0..metrics {
            let _ = write!(line, ",{}", value(row, metric));
        }
        line.push('\n');
    })
}

/// One object a line.
pub fn json_lines(path: &Path, bytes: u64) -> io::Result<()> {
    lines(path, bytes / (40 * PAIR), |row, line| {
        let _ = write!(line, "{{\"step\": {row}");
        for metric in 0..40 {
            let _ = write!(line, ", \"{}\": {}", name(metric), value(row, metric));
        }
        line.push_str("}\n");
    })
}

/// As the Trainer writes it: indented.
pub fn trainer_state(path: &Path, bytes: u64) -> io::Result<()> {
    let rows = bytes / (20 * PAIR);
    lines(path, rows, |row, line| {
        if row == 0 {
            line.push_str("{\n  \"best_metric\": null,\n  \"epoch\": 1.0,\n  \"log_history\": [\n");
        }
        line.push_str("    {\n");
        for metric in 0..20 {
            let _ = writeln!(line, "      \"{}\": {},", name(metric), value(row, metric));
        }
        let _ = write!(line, "      \"step\": {}\n    }}", row + 1);
        let end = ",\n".to_owned();
        let last = format!("\n  ],\n  \"global_step\": {rows},\n  \"max_steps\": {rows}\n}}\n");
        line.push_str(if row + 1 == rows { &last } else { &end });
    })
}

/// A dictionary after each state of the progress bar, values rounded and quoted as newer versions print them.
pub fn trl_log(path: &Path, bytes: u64) -> io::Result<()> {
    let rows = bytes / 2 / (20 * PAIR);
    lines(path, rows, |row, line| {
        let step = row + 1;
        let _ =
            write!(line, "\r  1%|          | {step}/{rows} [00:10<16:30,  1.00s/it]\r{{'loss': {:.4}", value(row, 0));
        for metric in 1..20 {
            let _ = write!(line, ", '{}': {}", name(metric), value(row, metric));
        }
        let _ = writeln!(line, ", 'epoch': {:.2}}}", step as f64 / 100.0);
    })
}

/// verl's console lines, from a worker of Ray.
pub fn verl_log(path: &Path, bytes: u64) -> io::Result<()> {
    lines(path, bytes / (60 * PAIR), |row, line| {
        let _ = write!(line, "\u{1b}[36m(TaskRunner pid=4242)\u{1b}[0m step:{row}");
        for metric in 0..60 {
            let _ = write!(line, " - {}:{}", name(metric), value(row, metric));
        }
        line.push('\n');
    })
}

/// A run folder of MLflow with 20 metrics, below `mlruns/1`.
pub fn mlflow(root: &Path, bytes: u64) -> io::Result<()> {
    const RUN: &str = "0123456789abcdef0123456789abcdef";
    let experiment = root.join("1");
    let run = experiment.join(RUN);
    for folder in ["metrics", "params", "tags", "artifacts"] {
        fs::create_dir_all(run.join(folder))?;
    }
    fs::write(
        experiment.join("meta.yaml"),
        "artifact_location: file:///srv/1\ncreation_time: 1790000000000\nexperiment_id: '1'\n\
         last_update_time: 1790000000000\nlifecycle_stage: active\nname: bench\n",
    )?;
    fs::write(
        run.join("meta.yaml"),
        format!(
            "artifact_uri: file:///srv/1/{RUN}/artifacts\nend_time: 1790000900000\nentry_point_name: ''\n\
             experiment_id: '1'\nlifecycle_stage: active\nrun_id: {RUN}\nrun_name: bench\nsource_name: ''\n\
             source_type: 4\nsource_version: ''\nstart_time: 1790000000000\nstatus: 3\ntags: []\nuser_id: someone\n"
        ),
    )?;
    for metric in 0..20 {
        let file = run.join("metrics").join(name(metric).trim_start_matches("train/").replace('/', "_"));
        lines(&file, bytes / 20 / PAIR, |row, line| {
            let _ = writeln!(line, "{} {} {row}", 1_790_000_000_000 + row * 500, value(row, metric));
        })?;
    }
    Ok(())
}

/// Plain scalars in float32, 20 tags a step, one event each, as torch writes them.
pub fn tensorboard(path: &Path, bytes: u64) -> io::Result<()> {
    let mut file = BufWriter::new(fs::File::create(path)?);
    let names: Vec<String> = (0..20).map(name).collect();
    let mut event = Vec::new();
    for step in 0..bytes / 2 / 20 / 70 {
        for (metric, name) in (0_u64..).zip(&names) {
            event.clear();
            event.push(0x09);
            event.extend_from_slice(&(1.79e9 + step as f64).to_le_bytes());
            event.push(0x10);
            varint(&mut event, step);
            event.push(0x2A);
            varint(&mut event, name.len() as u64 + 9);
            event.push(0x0A);
            varint(&mut event, name.len() as u64 + 7);
            event.push(0x0A);
            varint(&mut event, name.len() as u64);
            event.extend_from_slice(name.as_bytes());
            event.push(0x15);
            event.extend_from_slice(&(value(step, metric) as f32).to_le_bytes());
            let length = (event.len() as u64).to_le_bytes();
            file.write_all(&length)?;
            file.write_all(&masked_crc(&length))?;
            file.write_all(&event)?;
            file.write_all(&masked_crc(&event))?;
        }
    }
    file.flush()
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 128 {
        out.push((value & 127 | 128) as u8);
        value >>= 7;
    }
    out.push(value as u8);
}

/// TFRecord's checksum, bit by bit: it only makes an input.
fn masked_crc(bytes: &[u8]) -> [u8; 4] {
    let mut crc = !0_u32;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0x82F6_3B78 & (crc & 1).wrapping_neg());
        }
    }
    (!crc).rotate_right(15).wrapping_add(0xA282_EAD8).to_le_bytes()
}

/// Writes a file row by row.
fn lines(path: &Path, rows: u64, mut each: impl FnMut(u64, &mut String)) -> io::Result<()> {
    let mut file = BufWriter::new(fs::File::create(path)?);
    let mut line = String::new();
    for row in 0..rows {
        line.clear();
        each(row, &mut line);
        file.write_all(line.as_bytes())?;
    }
    file.flush()
}
