//! What Rundown and rldoctor say of the same labelled runs, side by side. Prints, never asserts.
//!
//! rldoctor reads no `.wandb` file and no console log, so Rundown reads each run and writes it as the JSON Lines that
//! rldoctor reads: one object a step with every metric of the step, the settings before them. Run through
//! `make bench`; without a Python with rldoctor (`RUNDOWN_PEER_PYTHON`, made by `tools/peer.sh doctors`) its column is
//! left out. Corpus: `RUNDOWN_CORPUS`.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "the helpers of the tests fail by panicking"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use rundown_diagnose::{Finding, Severity};
use rundown_run::{ConfigValue, Run};
use serde_json::{Map, Value, json};

#[path = "../tests/truth/corpus_runs.rs"]
mod corpus_runs;
#[path = "../tests/labels/labels.rs"]
#[allow(dead_code, reason = "what the tests of labels assert is not needed here")]
mod labels;
#[path = "../tests/truth/markdown.rs"]
mod markdown;
#[path = "../tests/support/mod.rs"]
mod support;

use corpus_runs::Labelled;

/// Which of Rundown's codes a finding of rldoctor may stand for, taken in its favour.
const MEANS: &[(&str, &[&str])] = &[
    ("advantage_collapse", &["zero_variance_groups"]),
    ("clip_saturation", &["clip_fraction_high", "too_aggressive", "learning_rate_too_high"]),
    ("entropy_collapse", &["entropy_collapse", "entropy_collapsed_at_start"]),
    (
        "gradient_pathology",
        &[
            "gradient_spikes", "gradient_norm_high", "gradient_dying", "nonfinite_values", "loss_divergence",
            "learning_rate_too_high", "too_aggressive", "run_crashed",
        ],
    ),
    ("kl_drift", &["kl_blow_up", "kl_drift", "kl_spikes", "kl_without_reward", "too_aggressive"]),
    (
        "length_pathology",
        &["length_explosion", "length_collapse", "length_pinned_at_cap", "truncation", "length_reward_coupling"],
    ),
    ("plateau", &["plateau", "no_learning", "too_conservative", "gain_not_established", "scaling_saturated"]),
    ("reward_composition", &["proxy_only_gain", "reward_component_dead", "format_only_policy", "reward_hacking"]),
    ("reward_hacking", &["reward_hacking", "overfitting", "proxy_only_gain", "regression_from_peak"]),
];

fn main() -> std::io::Result<()> {
    let runs = corpus_runs::labelled();
    if runs.is_empty() {
        return Ok(());
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("diagnosers");
    std::fs::create_dir_all(&folder)?;
    let mut files = Vec::new();
    for (place, run) in runs.iter().enumerate() {
        let file = folder.join(format!("{place:03}.jsonl"));
        std::fs::write(&file, json_lines(&run.run))?;
        files.push(file);
    }
    let peer = peer(&files);
    let version = peer.as_ref().map_or("rldoctor: not installed", |(version, _)| version.as_str());
    println!("Rundown {} beside {version}, {} labelled runs\n", env!("CARGO_PKG_VERSION"), runs.len());

    let mut score = [Score::default(), Score::default()];
    let rows: Vec<Vec<String>> = runs
        .iter()
        .enumerate()
        .map(|(place, run)| {
            let other = peer.as_ref().and_then(|(_, said)| said.get(place));
            let lists: Vec<&Vec<String>> = run.asked.iter().filter(|list| !list.is_empty()).collect();
            let serious = |finding: &Finding| finding.severity >= Severity::Warning && !run.asks(finding.code.as_str());
            let is_accused = run.diagnosis.findings.iter().any(serious);
            score[0].add(run, lists.len(), lists.len() - unfound(run), is_accused);
            let other = other.map_or_else(
                || "not installed".to_owned(),
                |said| {
                    let found = lists.iter().filter(|list| list.iter().any(|code| said.stands_for(code))).count();
                    score[1].add(run, lists.len(), found, said.is_accusing(run));
                    said.cell()
                },
            );
            vec![run.name.clone(), run.label(), cell(run), other]
        })
        .collect();
    print!("{}", markdown::markdown(&["run", "label", "Rundown", "rldoctor"], &rows));
    println!(
        "\nA finding counts as found at any severity; a healthy run is accused by a warning or worse that its label\ndoes not ask for."
    );
    println!("{}", score[0].line("Rundown"));
    if peer.is_some() {
        println!("{}", score[1].line("rldoctor"));
    }
    Ok(())
}

/// Rundown's findings with their severities.
fn cell(run: &Labelled) -> String {
    let findings = run.diagnosis.findings.iter();
    let texts: Vec<String> =
        findings.map(|finding| format!("{} ({})", finding.code.as_str(), finding.severity.as_str())).collect();
    let verdict = run.diagnosis.verdict.as_str();
    if texts.is_empty() { verdict.to_owned() } else { format!("{verdict}: {}", texts.join(", ")) }
}

/// Lists of a label of which Rundown found no code, those without a check included.
fn unfound(run: &Labelled) -> usize {
    run.asked.iter().filter(|list| !list.iter().any(|code| labels::has(&run.diagnosis, code))).count()
}

#[derive(Default)]
struct Score {
    asked: usize,
    found: usize,
    healthy: usize,
    accused: usize,
}

impl Score {
    fn add(&mut self, run: &Labelled, asked: usize, found: usize, is_accused: bool) {
        self.asked += asked;
        self.found += found;
        if run.is_healthy {
            self.healthy += 1;
            self.accused += usize::from(is_accused);
        }
    }

    fn line(&self, who: &str) -> String {
        let Score { asked, found, healthy, accused } = self;
        format!("{who:<9} finds {found} of {asked} labelled faults, accuses {accused} of {healthy} healthy runs")
    }
}

/// What rldoctor says of one run.
struct Said {
    /// Detector and severity.
    findings: Vec<(String, String)>,
    error: Option<String>,
}

impl Said {
    fn stands_for(&self, code: &str) -> bool {
        let means = |detector: &str| MEANS.iter().any(|(name, codes)| *name == detector && codes.contains(&code));
        self.findings.iter().any(|(detector, _)| means(detector))
    }

    fn is_accusing(&self, run: &Labelled) -> bool {
        let asked = |detector: &str| {
            MEANS.iter().any(|(name, codes)| *name == detector && codes.iter().any(|code| run.asks(code)))
        };
        self.findings.iter().any(|(detector, severity)| severity != "info" && !asked(detector))
    }

    fn cell(&self) -> String {
        if let Some(error) = &self.error {
            return format!("cannot read it: {error}");
        }
        let texts: Vec<String> =
            self.findings.iter().map(|(detector, severity)| format!("{detector} ({severity})")).collect();
        if texts.is_empty() { "no problem".to_owned() } else { texts.join(", ") }
    }
}

/// The peer's version and what it says of each file; `None` where it is not installed.
fn peer(files: &[PathBuf]) -> Option<(String, Vec<Said>)> {
    let python = std::env::var_os("RUNDOWN_PEER_PYTHON").filter(|python| !python.is_empty())?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers/rldoctor.py");
    let output = Command::new(python).arg(script).args(files).output().ok()?;
    if !output.status.success() {
        eprintln!("rldoctor.py: {}", String::from_utf8_lossy(&output.stderr));
        return None;
    }
    let text = String::from_utf8(output.stdout).ok()?;
    let mut lines = text.lines();
    let version = lines.next()?.to_owned();
    let said = lines.map(|line| serde_json::from_str(line).map(|value| said(&value)));
    Some((version, said.collect::<Result<_, _>>().ok()?))
}

fn said(value: &Value) -> Said {
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let findings = value.get("findings").and_then(Value::as_array);
    Said {
        findings: findings
            .into_iter()
            .flatten()
            .map(|finding| (text(finding, "detector"), text(finding, "severity")))
            .collect(),
        error: value.get("error").and_then(Value::as_str).map(str::to_owned),
    }
}

/// A run as rldoctor reads it: settings, then one object a step. NaN and infinities as Python writes them.
fn json_lines(run: &Run) -> String {
    let mut rows: BTreeMap<u64, (f64, Vec<(String, f64)>)> = BTreeMap::new();
    for key in run.columns.keys() {
        let Some(series) = run.series(key) else { continue };
        for (step, value) in series.steps.iter().zip(series.values.iter()) {
            // Steps are not negative: their bits are in their order.
            let row = rows.entry(step.max(0.0).to_bits()).or_insert_with(|| (*step, Vec::new()));
            row.1.push((key.clone(), *value));
        }
    }
    let mut text = json!({ "config": settings(run) }).to_string();
    text.push('\n');
    for (step, values) in rows.into_values() {
        let mut row = vec![format!("\"step\": {step}")];
        row.extend(values.iter().map(|(key, value)| format!("{}: {}", Value::String(key.clone()), number(*value))));
        text.push_str(&format!("{{{}}}\n", row.join(", ")));
    }
    text
}

fn number(value: f64) -> String {
    match value {
        value if value.is_nan() => "NaN".to_owned(),
        value if value.is_infinite() => if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned(),
        value => format!("{value:?}"),
    }
}

/// The settings, nested by their dots, as a trainer would hand them over.
fn settings(run: &Run) -> Value {
    let mut root = Map::new();
    for (key, value) in run.config.iter() {
        let value = match value {
            ConfigValue::Number(number) => json!(number),
            ConfigValue::Bool(switch) => json!(switch),
            ConfigValue::Text(text) => json!(text),
            ConfigValue::Null | ConfigValue::List(_) => continue,
        };
        nest(&mut root, &key.split('.').collect::<Vec<_>>(), value);
    }
    Value::Object(root)
}

/// Puts a value where its path leads; a path through a value that is no object leads nowhere.
fn nest(place: &mut Map<String, Value>, path: &[&str], value: Value) {
    match path {
        [] => {}
        [leaf] => {
            place.insert((*leaf).to_owned(), value);
        }
        [first, rest @ ..] => {
            let inner = place.entry(*first).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(inner) = inner {
                nest(inner, rest, value);
            }
        }
    }
}
