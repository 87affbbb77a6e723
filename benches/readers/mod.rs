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

mod inputs;
pub mod peers;

/// As the browser reads.
const SLICE: usize = 4 << 20;
const TIMES: usize = 3;

/// An input and who else reads it.
struct Input {
    what: &'static str,
    /// A file, or a folder.
    path: PathBuf,
    /// In `benches/peers/read.py`.
    kind: &'static str,
    peer: &'static str,
}

/// Prints the table.
///
/// # Errors
/// Where the inputs cannot be written.
pub fn table() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-readers");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    println!(
        "\n{:<28} {:>6} {:>8} {:>10} {:>10} {:>7}  peer",
        "reader (budget 50 MB/s)", "MB", "values", "MB/s", "peer MB/s", "ratio"
    );
    let wanted = std::env::var("RUNDOWN_BENCH").unwrap_or_default();
    for input in write_inputs(&folder)?.iter().filter(|input| input.what.contains(&wanted)) {
        measure(input)?;
    }
    std::fs::remove_dir_all(&folder)
}

fn write_inputs(folder: &Path) -> io::Result<Vec<Input>> {
    let input = |what, path: &str, kind, peer| Input { what, path: folder.join(path), kind, peer };
    let all = vec![
        input("CSV, 11 columns", "narrow.csv", "csv", "pandas.read_csv"),
        input("CSV, 500 columns", "wide.csv", "csv", "pandas.read_csv"),
        input("JSON Lines", "metrics.jsonl", "json_lines", "json.loads a line"),
        input("trainer_state.json", "trainer_state.json", "json_document", "json.load"),
        input("own export", "run.json", "json_document", "json.load"),
        input("TRL console log", "trl.log", "dictionaries", "ast.literal_eval"),
        input("verl console log", "verl.log", "verl", "re.findall, float"),
        input("TensorBoard events", "events.out.tfevents.1790000000.host.1.0", "tensorboard", "EventFileLoader"),
        input("MLflow folder", "mlruns", "mlflow", "FileStore"),
        input("Parquet, snappy", "history.parquet", "parquet", "pyarrow"),
        input("zip of CSV", "runs.zip", "zipped_csv", "zipfile, pandas"),
    ];
    let at = |name: &str| folder.join(name);
    inputs::csv(&at("narrow.csv"), 10)?;
    inputs::csv(&at("wide.csv"), 499)?;
    inputs::json_lines(&at("metrics.jsonl"))?;
    inputs::trainer_state(&at("trainer_state.json"))?;
    inputs::trl_log(&at("trl.log"))?;
    inputs::verl_log(&at("verl.log"))?;
    inputs::tensorboard(&at("events.out.tfevents.1790000000.host.1.0"))?;
    inputs::mlflow(&at("mlruns"))?;
    write_export(&at("metrics.jsonl"), &at("run.json"))?;
    peers::pack(&at("narrow.csv"), &at("history.parquet"), &at("runs.zip"));
    Ok(all)
}

/// The run of another input, as we write it.
fn write_export(from: &Path, to: &Path) -> io::Result<()> {
    let mut text = String::new();
    for run in read(&files_of(from))?.runs {
        text.push_str(&run_export(&run, &[], Secrets::Keep)?);
    }
    std::fs::write(to, text)
}

fn measure(input: &Input) -> io::Result<()> {
    let files = files_of(&input.path);
    let bytes: u64 = files.iter().filter_map(|(_, file)| Some(std::fs::metadata(file).ok()?.len())).sum();
    let megabytes = bytes as f64 / 1e6;
    let mut best = f64::INFINITY;
    let mut values = 0;
    for _ in 0..TIMES {
        let start = Instant::now();
        let ingested = read(&files)?;
        best = best.min(start.elapsed().as_secs_f64());
        values = ingested.runs.iter().flat_map(|run| run.columns.values()).map(|column| column.len()).sum();
    }
    let peer = peers::seconds(input.kind, std::slice::from_ref(&input.path)).filter(|_| bytes > 0);
    let ours = if bytes > 0 { format!("{:.0}", megabytes / best) } else { "no input".to_owned() };
    let theirs = peer.map_or_else(|| "not there".to_owned(), |seconds| format!("{:.0}", megabytes / seconds));
    let ratio = peer.map_or_else(String::new, |seconds| format!("{:.1}x", seconds / best));
    println!(
        "{:<28} {megabytes:>6.1} {:>7.2}M {ours:>10} {theirs:>10} {ratio:>7}  {}",
        input.what,
        values as f64 / 1e6,
        input.peer
    );
    Ok(())
}

/// The files of an input by the paths that dropping it gives.
fn files_of(path: &Path) -> Vec<(String, PathBuf)> {
    let parent = path.parent().unwrap_or(path);
    let files = crate::support::files_below(path).into_iter().filter(|file| file.is_file());
    files.map(|file| (file.strip_prefix(parent).unwrap_or(&file).display().to_string(), file)).collect()
}

fn read(files: &[(String, PathBuf)]) -> io::Result<Ingested> {
    let mut assembler = RunAssembler::default();
    let mut slice = vec![0; SLICE];
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
