//! Writes `docs/performance.md` and its charts out of what the other benchmarks kept. Measures nothing.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

mod support;

use support::measurements::{Budget, Measurement, Measurements, Scaling, Section, Unit, is_benchmark, spread};

mod scaling_chart;

const INTRODUCTION: &str = "# Performance

How fast Rundown is compared with other tools, and how its cost scales with the input. `make bench` measures and writes this page.

Each measurement is the median of the rounds with the range in brackets. Rundown and its peer take turns, on the same data; *times as
fast* is their ratio in each round. Budgets are set by the design; **misses** marks those that are not met.

Other programs on the same processors slow both sides down, so each section says how long a fixed computation took meanwhile: on a
machine that is twice as busy, each figure in milliseconds is about twice as large.
";

const GROWTH: &str = "## Growth

The same work on inputs of three sizes, each four times the one before; the slope is that of a straight line through the
logarithms: 1 is proportional to the input. Budget: 1.1.
";

fn main() -> io::Result<()> {
    if !is_benchmark() {
        return Ok(());
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    fs::create_dir_all(folder.join("performance"))?;
    let mut page = INTRODUCTION.to_owned();
    let _ = writeln!(page, "\n{}\n", machine());
    let mut growth = GROWTH.to_owned();
    for (benchmark, place) in [("native", "natively"), ("memory", "natively"), ("browser", "in the browser")] {
        let measurements = Measurements::load(benchmark)?;
        measurements.sections.iter().for_each(|section| page.push_str(&table(section, place)));
        let scalings: Vec<_> = measurements.sections.into_iter().flat_map(|section| section.scalings).collect();
        if scalings.is_empty() {
            continue;
        }
        let chart = format!("performance/{benchmark}.svg");
        fs::write(folder.join(&chart), scaling_chart::svg(&scalings))?;
        let _ = writeln!(growth, "\n![Cost over size, {place}]({chart})\n");
        growth.push_str(&growth_table(&scalings));
    }
    fs::write(folder.join("performance.md"), page + &growth)
}

/// Sizes, times and slopes.
fn growth_table(scalings: &[Scaling]) -> String {
    let mut table = "| what | sizes | ms | slope |\n|---|---|--:|--:|\n".to_owned();
    for scaling in scalings {
        let list = |of: fn(&(f64, f64)) -> f64, digits: usize| {
            let texts: Vec<String> = scaling.points.iter().map(|point| format!("{:.digits$}", of(point))).collect();
            texts.join(", ")
        };
        let slope = scaling.slope();
        let mark = if slope > 1.1 { " **misses**" } else { "" };
        let sizes = list(|point| point.0, usize::from(scaling.size == "MB"));
        let times = list(|point| point.1, 1);
        let _ = writeln!(table, "| {} | {sizes} {} | {times} | {slope:.2}{mark} |", scaling.what, scaling.size);
    }
    table
}

fn table(section: &Section, place: &str) -> String {
    let mut text = format!("## {}, {place}\n\n{}{}\n\n", section.title, section.remark, reference(section));
    if section.measurements.is_empty() {
        return text;
    }
    text.push_str("| what | Rundown | peer | times as fast | budget |\n|---|--:|---|--:|--:|\n");
    for measurement in &section.measurements {
        let ours = measurement.unit.spread(&measurement.ours);
        let mut what = measurement.what.as_str();
        let mut budget = budget(measurement);
        if measurement.peers.is_empty() {
            let _ = writeln!(text, "| {what} | {ours} | | | {budget} |");
        }
        for (place, peer) in measurement.peers.iter().enumerate() {
            let theirs = format!("{}: {}", peer.name, measurement.unit.spread(&peer.values));
            let first = if place == 0 { ours.as_str() } else { "" };
            let _ =
                writeln!(text, "| {what} | {first} | {theirs} | {} | {budget} |", spread(&measurement.ratios(peer), 2));
            what = "";
            budget.clear();
        }
    }
    text + "\n"
}

/// How fast the machine was meanwhile; empty where that was not measured.
fn reference(section: &Section) -> String {
    if section.reference.is_empty() {
        return String::new();
    }
    let times = Unit::Milliseconds.spread(&section.reference);
    format!(" Meanwhile a loop of 3 x 10^7 additions in Node took {times}.")
}

fn budget(measurement: &Measurement) -> String {
    let unit = measurement.unit.word();
    let limit = match measurement.budget {
        Some(Budget::AtMost(limit)) => format!("≤ {limit} {unit}"),
        Some(Budget::AtLeast(limit)) => format!("≥ {limit} {unit}"),
        Some(Budget::TimesThePeer(limit)) => format!("≥ {limit} times as fast"),
        None => return String::new(),
    };
    let mark = if measurement.holds() == Some(false) { " **misses**" } else { "" };
    format!("{limit}{mark}")
}

/// Processor, cores, memory, operating system and browser.
fn machine() -> String {
    let of = |path: &str, key: &str| {
        let text = fs::read_to_string(path).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with(key)).unwrap_or_default().to_owned();
        line.split_once(':').map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
    };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let kilobytes: f64 =
        of("/proc/meminfo", "MemTotal").split(' ').next().and_then(|text| text.parse().ok()).unwrap_or(0.0);
    let browser = Command::new("chromium").arg("--version").output().ok();
    let browser = browser.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    format!(
        "Machine: {}, {cores} cores, {:.0} GB of memory, no graphics card. Browser: {}.",
        of("/proc/cpuinfo", "model name"),
        kilobytes / 1e6,
        browser.split(" built").next().unwrap_or_default()
    )
}
