//! Writes `docs/performance.md` and its charts out of what the other benchmarks kept. Measures nothing.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

mod support;

use support::figures::{Budget, Figure, Figures, Section, spread};

mod scaling_chart;

const INTRODUCTION: &str = "# Performance

How fast Rundown is beside what people use otherwise, and how its cost grows. `make bench` measures and writes this page.

Each figure is the median of the rounds with the range in brackets. Rundown and its peer take turns, on the same data; *times as
fast* is their ratio in each round. A budget is that of the design; **misses** stands behind those that are not held.
";

fn main() -> io::Result<()> {
    let mut page = INTRODUCTION.to_owned();
    let _ = writeln!(page, "\n{}\n", machine());
    let mut slopes = Vec::new();
    for (benchmark, place) in [("native", "Natively"), ("browser", "In the browser")] {
        let figures = Figures::load(benchmark)?;
        let _ = writeln!(page, "# {place}\n");
        for section in &figures.sections {
            page.push_str(&text(section));
        }
        let scalings: Vec<_> = figures.sections.into_iter().flat_map(|section| section.scalings).collect();
        if scalings.is_empty() {
            continue;
        }
        slopes.push((benchmark, place, scalings));
    }
    page.push_str(
        "# Growth\n\nThe same work on inputs of three sizes, each four times the one before; the slope is that of a straight line \
         through the logarithms: 1 is proportional to the input. Budget: 1.1.\n\n",
    );
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    fs::create_dir_all(folder.join("performance"))?;
    for (benchmark, place, scalings) in &slopes {
        let file = format!("performance/{benchmark}.svg");
        fs::write(folder.join(&file), scaling_chart::svg(scalings))?;
        let _ = writeln!(page, "![Cost over size, {}]({file})\n", place.to_lowercase());
        page.push_str("| what | sizes | ms | slope |\n|---|---|---|--:|\n");
        for scaling in scalings {
            let list = |of: fn(&(f64, f64)) -> f64, digits: usize| {
                let texts: Vec<String> =
                    scaling.points.iter().map(|point| format!("{:.*}", digits, of(point))).collect();
                texts.join(", ")
            };
            let slope = scaling.slope();
            let mark = if slope > 1.1 { " **misses**" } else { "" };
            let sizes = list(|point| point.0, if scaling.size == "MB" { 1 } else { 0 });
            let times = list(|point| point.1, 1);
            let _ = writeln!(page, "| {} | {sizes} {} | {times} | {slope:.2}{mark} |", scaling.what, scaling.size);
        }
        page.push('\n');
    }
    fs::write(folder.join("performance.md"), page.trim_end().to_owned() + "\n")
}

fn text(section: &Section) -> String {
    let mut text = format!("## {}\n\n{}\n\n", section.title, section.remark);
    if section.figures.is_empty() {
        return text;
    }
    text.push_str("| what | Rundown | peer | times as fast | budget |\n|---|--:|---|--:|--:|\n");
    for figure in &section.figures {
        let ours = figure.unit.spread(&figure.ours);
        let mut what = figure.what.as_str();
        let mut budget = budget(figure);
        if figure.peers.is_empty() {
            let _ = writeln!(text, "| {what} | {ours} | | | {budget} |");
        }
        for (place, peer) in figure.peers.iter().enumerate() {
            let theirs = format!("{}: {}", peer.name, figure.unit.spread(&peer.values));
            let first = if place == 0 { ours.as_str() } else { "" };
            let _ = writeln!(text, "| {what} | {first} | {theirs} | {} | {budget} |", spread(&figure.ratios(peer), 2));
            what = "";
            budget.clear();
        }
    }
    text + "\n"
}

fn budget(figure: &Figure) -> String {
    let unit = figure.unit.word();
    let limit = match figure.budget {
        Some(Budget::AtMost(limit)) => format!("≤ {limit} {unit}"),
        Some(Budget::AtLeast(limit)) => format!("≥ {limit} {unit}"),
        Some(Budget::TimesThePeer(limit)) => format!("≥ {limit} times as fast"),
        None => return String::new(),
    };
    let mark = if figure.holds() == Some(false) { " **misses**" } else { "" };
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
