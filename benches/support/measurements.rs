//! What a benchmark measured: printed as it comes, and kept in `target/bench` for `docs/performance.md`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::reference::ReferenceLoop;

/// How often each measurement is measured, ours and the peer's in turns.
pub const ROUNDS: usize = 5;

/// The measurements of one benchmark.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Measurements {
    /// In the order in which they were measured.
    pub sections: Vec<Section>,
    /// Tells how fast the machine is meanwhile.
    #[serde(skip)]
    reference: ReferenceLoop,
}

/// Measurements under one heading.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// How it is measured, and what stands between us and the limit. Markdown.
    pub remark: String,
    /// Its rows.
    pub measurements: Vec<Measurement>,
    /// Costs of inputs of several sizes.
    pub scalings: Vec<Scaling>,
    /// Milliseconds of the reference loop, before the first measurement and between them.
    #[serde(default)]
    pub reference: Vec<f64>,
}

/// One quantity, measured several times.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Measurement {
    /// What was measured.
    pub what: String,
    /// Unit of all values.
    pub unit: Unit,
    /// A value a round.
    pub ours: Vec<f64>,
    /// Others on the same data in the same rounds.
    pub peers: Vec<Peer>,
    /// What the design asks for.
    pub budget: Option<Budget>,
}

/// Another program that does the same.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Peer {
    /// Its name and version.
    pub name: String,
    /// A value a round.
    pub values: Vec<f64>,
}

/// The unit of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// 10^6 bytes of the file a second.
    MegabytesPerSecond,
    /// 10^6 bytes.
    Megabytes,
    /// Thousandths of a second.
    Milliseconds,
    /// A ratio without a unit.
    Times,
}

/// A limit of the design.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub enum Budget {
    /// The value may not be greater.
    AtMost(f64),
    /// The value may not be less.
    AtLeast(f64),
    /// At least so many times as fast as the first peer.
    TimesThePeer(f64),
}

/// A cost at several sizes of its input.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Scaling {
    /// What was measured.
    pub what: String,
    /// What is counted on the horizontal axis.
    pub size: String,
    /// Size and milliseconds.
    pub points: Vec<(f64, f64)>,
}

impl Measurements {
    /// Begins a section; what is recorded next belongs to it.
    pub fn begin(&mut self, title: &str, remark: &str) {
        println!("\n{title}");
        let (title, remark) = (title.to_owned(), remark.to_owned());
        let reference = self.reference.time().into_iter().collect();
        self.sections.push(Section { title, remark, measurements: Vec::new(), scalings: Vec::new(), reference });
    }

    /// Prints a measurement and keeps it.
    pub fn record(&mut self, measurement: Measurement) {
        println!("  {:<58} {:>24}", measurement.what, measurement.unit.spread(&measurement.ours));
        for peer in &measurement.peers {
            let ratio = spread(&measurement.ratios(peer), 2);
            println!("    {:<56} {:>24}   {ratio} times as fast", peer.name, measurement.unit.spread(&peer.values));
        }
        if let Some(section) = self.sections.last_mut() {
            section.measurements.push(measurement);
            section.reference.extend(self.reference.time_when_due());
        }
    }

    /// Prints how a cost grows and keeps it.
    pub fn record_scaling(&mut self, scaling: Scaling) {
        println!("  {:<58} {:>24.2}", format!("{}: slope over {}", scaling.what, scaling.size), scaling.slope());
        if let Some(section) = self.sections.last_mut() {
            section.scalings.push(scaling);
        }
    }

    /// Keeps everything for `docs/performance.md`, in place of what was kept under the same headings.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn save(&self, benchmark: &str) -> io::Result<()> {
        let path = kept(benchmark);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        let mut all = Self::load(benchmark).unwrap_or_default();
        for section in &self.sections {
            match all.sections.iter_mut().find(|known| known.title == section.title) {
                Some(known) => section.clone_into(known),
                None => all.sections.push(section.clone()),
            }
        }
        fs::write(path, serde_json::to_vec_pretty(&all)?)
    }

    /// What a benchmark kept.
    ///
    /// # Errors
    /// Where it did not run on this machine.
    pub fn load(benchmark: &str) -> io::Result<Self> {
        Ok(serde_json::from_slice(&fs::read(kept(benchmark))?)?)
    }
}

impl Measurement {
    /// A measurement without a peer.
    pub fn new(what: impl Into<String>, unit: Unit, ours: Vec<f64>) -> Self {
        Self { what: what.into(), unit, ours, peers: Vec::new(), budget: None }
    }

    /// With the design's limit.
    pub fn at_most(self, limit: f64) -> Self {
        Self { budget: Some(Budget::AtMost(limit)), ..self }
    }

    /// With the design's limit.
    pub fn at_least(self, limit: f64) -> Self {
        Self { budget: Some(Budget::AtLeast(limit)), ..self }
    }

    /// With a limit that is relative to the first peer.
    pub fn at_least_times_the_peer(self, limit: f64) -> Self {
        Self { budget: Some(Budget::TimesThePeer(limit)), ..self }
    }

    /// How many times as fast as the peer we were in each round.
    pub fn ratios(&self, peer: &Peer) -> Vec<f64> {
        let ratio = |(ours, theirs): (&f64, &f64)| match self.unit {
            Unit::MegabytesPerSecond => ours / theirs,
            Unit::Megabytes | Unit::Milliseconds | Unit::Times => theirs / ours,
        };
        self.ours.iter().zip(&peer.values).map(ratio).collect()
    }

    /// Whether the median holds the design's limit.
    pub fn holds(&self) -> Option<bool> {
        let [_, median, _] = range(&self.ours)?;
        Some(match self.budget? {
            Budget::AtMost(limit) => median <= limit,
            Budget::AtLeast(limit) => median >= limit,
            Budget::TimesThePeer(limit) => range(&self.ratios(self.peers.first()?))?[1] >= limit,
        })
    }
}

impl Scaling {
    /// Slope of the least-squares line through the logarithms: 1 where the cost is proportional to the size.
    pub fn slope(&self) -> f64 {
        let logs: Vec<(f64, f64)> =
            self.points.iter().map(|(size, cost)| (libm::log(*size), libm::log(*cost))).collect();
        let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / logs.len() as f64;
        let (x, y) = (mean(|point| point.0), mean(|point| point.1));
        let covariance: f64 = logs.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
        covariance / logs.iter().map(|point| (point.0 - x) * (point.0 - x)).sum::<f64>()
    }
}

impl Unit {
    /// As written behind a number.
    pub fn word(self) -> &'static str {
        match self {
            Self::MegabytesPerSecond => "MB/s",
            Self::Megabytes => "MB",
            Self::Milliseconds => "ms",
            Self::Times => "x",
        }
    }

    /// The median of some values with their range.
    pub fn spread(self, values: &[f64]) -> String {
        let median = range(values).map_or(0.0, |[_, median, _]| median);
        let digits = if self == Self::Times { 2 } else { digits(median) };
        format!("{} {}", spread(values, digits), self.word())
    }
}

/// The median of some values with their range.
pub fn spread(values: &[f64], digits: usize) -> String {
    let Some([least, median, most]) = range(values) else { return "not measured".to_owned() };
    let text = |value: f64| format!("{value:.digits$}");
    if values.len() == 1 {
        return text(median);
    }
    format!("{} ({} to {})", text(median), text(least), text(most))
}

/// Least, median and greatest.
pub fn range(values: &[f64]) -> Option<[f64; 3]> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some([*sorted.first()?, *sorted.get(sorted.len() / 2)?, *sorted.last()?])
}

/// Three significant digits, and never less than the ones.
fn digits(value: f64) -> usize {
    match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        _ => 2,
    }
}

/// True under `cargo bench`. `cargo test --all-targets` runs benchmarks as well, whose numbers would take the place of the
/// kept ones.
pub fn is_benchmark() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}

fn kept(benchmark: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/bench").join(format!("{benchmark}.json"))
}
