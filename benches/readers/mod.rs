//! Every reader on an input of its format, beside what a person without Rundown would read it with.
//!
//! Both sides read from the disk's cache and keep every number. Ours also makes runs of them, with their step axis.
//! Sizes are those of the files, also where they are compressed.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Instant;

use rundown_ingest::{Ingested, RunAssembler, open};
use rundown_report::{Secrets, run_export};
use rundown_run::{Column, Run};

use crate::support::measurements::{Measurement, Measurements, Peer, ROUNDS, Scaling, Unit};

pub mod inputs;
pub mod peers;

/// Bytes that are read at once.
const SLICE: usize = 4 << 20;
/// Bytes that the browser hands over at once.
const SLICE_OF_BROWSER: usize = 256 << 10;
/// The design's limit for a reader natively, in MB/s.
const BUDGET: f64 = 50.0;
/// Sizes of the inputs, relative to the largest.
const SHARES: [u64; 3] = [16, 4, 1];

const REMARK: &str = "On one core, the file in the disk's cache. Each side keeps every number; ours also finds the runs in them \
    and their step axis. pandas and polars fill an array for each column and read cells of one type; ours expects that any \
    cell of any row may be missing, a text, or of another run, and keeps for each value the number of its row: that, and not \
    parsing decimals (1 GB/s), makes the difference. polars and pyarrow use all cores unless stated otherwise.";

const MEMORY: &str = "Peak memory allocated while reading, divided by the size of the numbers, \
    steps and times as 64-bit floats. The bytes of the file that are handed over at once count; what an allocator needs for \
    itself does not.";

/// An input that was written.
#[allow(dead_code, reason = "the benchmark in the browser uses this alone")]
pub struct WrittenInput {
    pub what: &'static str,
    /// A file, or a folder.
    pub path: PathBuf,
    /// Runs in it.
    pub runs: usize,
    /// Bytes of its numbers, steps and times as 64-bit floats.
    pub column_bytes: usize,
}

/// An input, and which peers of `benches/peers/read.py` read it as well.
struct Input {
    what: &'static str,
    /// A file, or a folder.
    path: &'static str,
    peers: &'static [&'static str],
    /// `None` for what is made of other inputs.
    write: Option<Writer>,
}

/// Writes an input of some length.
struct Writer {
    /// Bytes to ask for, for each byte of columns in it.
    bytes_per_column_byte: u64,
    /// Writes an input of about that length; of one that its peer takes long to read, half of it.
    write: fn(&Path, u64) -> io::Result<()>,
}

const INPUTS: [Input; 11] = [
    Input {
        what: "CSV, 11 columns",
        path: "narrow.csv",
        peers: &["csv", "csv_polars", "csv_polars_one_thread"],
        write: Some(Writer { bytes_per_column_byte: 2, write: |path, bytes| inputs::csv(path, 10, bytes) }),
    },
    Input {
        what: "CSV, 500 columns",
        path: "wide.csv",
        peers: &["csv", "csv_polars", "csv_polars_one_thread"],
        write: Some(Writer { bytes_per_column_byte: 2, write: |path, bytes| inputs::csv(path, 499, bytes) }),
    },
    Input {
        what: "JSON Lines",
        path: "metrics.jsonl",
        peers: &["json_lines", "json_lines_orjson"],
        write: Some(Writer { bytes_per_column_byte: 5, write: inputs::json_lines }),
    },
    Input {
        what: "trainer_state.json",
        path: "trainer_state.json",
        peers: &["json_document"],
        write: Some(Writer { bytes_per_column_byte: 4, write: inputs::trainer_state }),
    },
    Input { what: "own export", path: "run.json", peers: &["json_document"], write: None },
    Input {
        what: "TRL console log",
        path: "trl.log",
        peers: &["dictionaries"],
        write: Some(Writer { bytes_per_column_byte: 8, write: inputs::trl_log }),
    },
    Input {
        what: "verl console log",
        path: "verl.log",
        peers: &["verl"],
        write: Some(Writer { bytes_per_column_byte: 5, write: inputs::verl_log }),
    },
    Input {
        what: "TensorBoard events",
        path: "events.out.tfevents.1790000000.host.1.0",
        peers: &["tensorboard"],
        write: Some(Writer { bytes_per_column_byte: 14, write: inputs::tensorboard }),
    },
    Input {
        what: "MLflow folder",
        path: "mlruns",
        peers: &["mlflow"],
        write: Some(Writer { bytes_per_column_byte: 4, write: inputs::mlflow }),
    },
    Input { what: "Parquet, snappy", path: "history.parquet", peers: &["parquet", "parquet_one_thread"], write: None },
    Input { what: "zip of CSV", path: "runs.zip", peers: &["zipped_csv"], write: None },
];

/// Measures every reader, or those whose name contains `RUNDOWN_BENCH`.
///
/// # Errors
/// Where the inputs cannot be written.
#[allow(dead_code, reason = "one of the two benchmarks measures memory alone")]
pub fn measure(measurements: &mut Measurements) -> io::Result<()> {
    let folder = folder();
    measurements.begin("Readers", REMARK);
    let asked = std::env::var("RUNDOWN_BENCH").ok();
    let wanted = asked.filter(|asked| asked != "readers").unwrap_or_default();
    for share in SHARES {
        write_inputs(&folder.join(share.to_string()), |_| inputs::LARGEST / share)?;
    }
    for input in INPUTS.iter().filter(|input| input.what.contains(&wanted)) {
        compare(input, &folder.join("1").join(input.path), measurements)?;
        scale(input, &folder, measurements)?;
    }
    std::fs::remove_dir_all(&folder)
}

/// Runs a reading and gives the most memory that it had at once, in bytes, beside what came of it.
pub type Watch = fn(&dyn Fn() -> io::Result<Ingested>) -> io::Result<(Ingested, usize)>;

/// Measures the memory that each reader takes, the same in each round.
///
/// # Errors
/// Where the inputs cannot be written.
#[allow(dead_code, reason = "one of the two benchmarks measures memory alone")]
pub fn measure_memory(measurements: &mut Measurements, watch: Watch) -> io::Result<()> {
    let folder = folder();
    measurements.begin("Memory of readers", MEMORY);
    write_inputs(&folder, |_| inputs::LARGEST)?;
    for input in &INPUTS {
        let files = files_of(&folder.join(input.path));
        if files.is_empty() {
            continue;
        }
        let (ingested, peak) = watch(&|| read_slices(&files, SLICE_OF_BROWSER))?;
        let over = peak as f64 / column_bytes(&ingested) as f64;
        measurements.record(Measurement::new(input.what, Unit::Times, vec![over]).at_most(2.0));
    }
    std::fs::remove_dir_all(&folder)
}

/// Writes the inputs, with about so many bytes of columns each, and reads them once to know what is in them.
///
/// # Errors
/// Where they cannot be written.
#[allow(dead_code, reason = "the benchmark in the browser uses this alone")]
pub fn written_inputs(folder: &Path, column_bytes_of_each: u64) -> io::Result<Vec<WrittenInput>> {
    write_inputs(folder, |writer| column_bytes_of_each * writer.bytes_per_column_byte)?;
    let mut written = Vec::new();
    for input in &INPUTS {
        let path = folder.join(input.path);
        let files = files_of(&path);
        if !files.is_empty() {
            let ingested = read(&files)?;
            written.push(WrittenInput {
                what: input.what,
                path,
                runs: ingested.runs.len(),
                column_bytes: column_bytes(&ingested),
            });
        }
    }
    Ok(written)
}

/// Bytes of the numbers, steps and times of runs as 64-bit floats.
fn column_bytes(ingested: &Ingested) -> usize {
    let values = |run: &Run| run.columns.values().map(Column::len).sum::<usize>() + 2 * run.row_steps.len();
    ingested.runs.iter().map(values).sum::<usize>() * size_of::<f64>()
}

/// An empty folder for the inputs.
fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-readers");
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// Writes all inputs, each as long as `length` says.
fn write_inputs(folder: &Path, length: impl Fn(&Writer) -> u64) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for input in &INPUTS {
        if let Some(writer) = &input.write {
            (writer.write)(&folder.join(input.path), length(writer))?;
        }
    }
    let at = |name: &str| folder.join(name);
    write_export(&at("metrics.jsonl"), &at("run.json"))?;
    peers::pack(&at("narrow.csv"), &at("history.parquet"), &at("runs.zip"));
    Ok(())
}

/// The run of another input, as we write it.
fn write_export(from: &Path, to: &Path) -> io::Result<()> {
    let mut text = String::new();
    for run in read(&files_of(from))?.runs {
        text.push_str(&run_export(&run, &[], Secrets::Keep)?);
    }
    std::fs::write(to, text)
}

/// Ours and the peers in turns.
fn compare(input: &Input, path: &Path, measurements: &mut Measurements) -> io::Result<()> {
    let files = files_of(path);
    let megabytes = megabytes(&files);
    if megabytes == 0.0 {
        println!("  {}: no input, as Python or pandas is missing", input.what);
        return Ok(());
    }
    let mut measurement = Measurement::new(input.what, Unit::MegabytesPerSecond, Vec::new()).at_least(BUDGET);
    for _ in 0..ROUNDS {
        measurement.ours.push(megabytes / seconds(&files)?);
        for (place, kind) in input.peers.iter().enumerate() {
            let Some(read) = peers::read(kind, &[path.to_owned()]) else { continue };
            if measurement.peers.len() <= place {
                measurement.peers.push(Peer { name: read.name, values: Vec::new() });
            }
            if let Some(peer) = measurement.peers.get_mut(place) {
                peer.values.push(megabytes / read.seconds);
            }
        }
    }
    measurements.record(measurement);
    Ok(())
}

fn scale(input: &Input, folder: &Path, measurements: &mut Measurements) -> io::Result<()> {
    let mut points = Vec::new();
    for share in SHARES {
        let files = files_of(&folder.join(share.to_string()).join(input.path));
        let size = megabytes(&files);
        let mut best = f64::INFINITY;
        for _ in 0..ROUNDS {
            best = best.min(seconds(&files)?);
        }
        if size > 0.0 {
            points.push((size, best * 1e3));
        }
    }
    if points.len() == SHARES.len() {
        measurements.record_scaling(Scaling { what: input.what.to_owned(), size: "MB".to_owned(), points });
    }
    Ok(())
}

fn seconds(files: &[(String, PathBuf)]) -> io::Result<f64> {
    let start = Instant::now();
    std::hint::black_box(read(files)?);
    Ok(start.elapsed().as_secs_f64())
}

fn megabytes(files: &[(String, PathBuf)]) -> f64 {
    let bytes: u64 = files.iter().filter_map(|(_, file)| Some(std::fs::metadata(file).ok()?.len())).sum();
    bytes as f64 / 1e6
}

/// The files of an input by the paths that dropping it gives.
fn files_of(path: &Path) -> Vec<(String, PathBuf)> {
    let parent = path.parent().unwrap_or(path);
    let files = crate::support::files_below(path).into_iter().filter(|file| file.is_file());
    files.map(|file| (file.strip_prefix(parent).unwrap_or(&file).display().to_string(), file)).collect()
}

fn read(files: &[(String, PathBuf)]) -> io::Result<Ingested> {
    read_slices(files, SLICE)
}

fn read_slices(files: &[(String, PathBuf)], length: usize) -> io::Result<Ingested> {
    let mut assembler = RunAssembler::default();
    let mut slice = vec![0; length];
    for (path, place) in files {
        let mut file = open(path, std::fs::metadata(place)?.len());
        let mut bytes = File::open(place)?;
        while file.wants_bytes() {
            let length = bytes.read(&mut slice)?;
            if length == 0 {
                break;
            }
            file.push(slice.get(..length).unwrap_or_default());
        }
        assembler.add(file.finish());
    }
    Ok(assembler.assemble(Vec::new()))
}
