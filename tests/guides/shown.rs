//! What Rundown shows of the data of the guides: each run's report, the comparison of each group, and the JSON report.

use std::collections::BTreeMap;
use std::path::Path;

use rundown_content::{Block, Cell, Span, Table};
use rundown_diagnose::{Code, Diagnosis, Rulebook, diagnose};
use rundown_present::run_report;
use rundown_report::{Document, Format, RunSet, write};
use rundown_run::Run;

use super::Value;
use crate::support::{ingest_folder, packed};

/// A run's own report.
pub struct RunShown {
    /// Blocks of the report.
    pub report: Vec<Block>,
    /// The run in the JSON report.
    pub json: serde_json::Value,
    findings: Vec<Code>,
}

/// Runs side by side.
pub struct GroupShown {
    /// Blocks of the comparison.
    pub blocks: Vec<Block>,
    /// The member `comparison` of the JSON report.
    pub json: serde_json::Value,
}

/// Runs by their names, groups by the names of the script's data.
#[derive(Default)]
pub struct Shown {
    runs: BTreeMap<String, RunShown>,
    groups: BTreeMap<&'static str, GroupShown>,
}

impl Shown {
    /// The data that `make_guides.py` reads.
    pub fn of_the_corpus() -> Self {
        let (tiny, systems) = (packed("tiny-grpo"), packed("systems"));
        let numbered =
            |stem: &str, last: usize| (1..=last).map(|place| format!("{stem}{place:02}")).collect::<Vec<_>>();
        let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let mut shown = Self::default();
        shown.add("sweep", &tiny, &numbered("sweep-", 9));
        shown.add("amber", &tiny, &numbered("amber-", 18));
        shown.add("leagues", &systems, &named(&["lattice-01", "lattice-02", "lattice-03"]));
        shown.add("rewards", &systems, &named(&["lattice-10", "lattice-11"]));
        shown.add("exports", &systems, &named(&["lattice-01", "lattice-06", "lattice-07"]));
        shown.add("events", &systems, &named(&["axiom-healthy.ndjson", "axiom-slow.ndjson"]));
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/guides");
        shown.add("verl", &fixtures, &named(&["rl_metrics_parsed.csv"]));
        shown.add("log", &fixtures, &named(&["output.txt"]));
        shown
    }

    fn add(&mut self, group: &'static str, folder: &Path, names: &[String]) {
        let read = |name: &String| {
            let run = ingest_folder(&folder.join(name)).runs.into_iter().next().unwrap();
            let diagnosis = diagnose(&run, &Rulebook::default());
            (run, diagnosis)
        };
        let runs: Vec<(Run, Diagnosis)> = names.iter().map(read).collect();
        let refs: Vec<(&Run, &Diagnosis)> = runs.iter().map(|(run, diagnosis)| (run, diagnosis)).collect();
        let json: serde_json::Value = serde_json::from_str(&write(&refs, Format::Json)).unwrap();
        let blocks = Document::of(&RunSet::new(&refs, Vec::new())).blocks().to_vec();
        for (name, (run, diagnosis)) in names.iter().zip(&runs) {
            let own = json["runs"].as_array().unwrap().iter().find(|own| own["id"] == run.id.as_str());
            let shown = RunShown {
                report: run_report(run, diagnosis),
                json: own.unwrap().clone(),
                findings: diagnosis.findings.iter().map(|finding| finding.code).collect(),
            };
            self.runs.insert(name.clone(), shown);
        }
        self.groups.insert(group, GroupShown { blocks, json: json["comparison"].clone() });
    }

    /// The run of this name.
    pub fn run(&self, name: &str) -> &RunShown {
        let file = match name {
            "verl" => "rl_metrics_parsed.csv",
            "log" => "output.txt",
            name => name,
        };
        &self.runs[file]
    }

    /// The group of this name.
    pub fn group(&self, name: &str) -> &GroupShown {
        &self.groups[name]
    }
}

impl RunShown {
    /// The last value of a metric in the JSON report.
    pub fn last(&self, key: &str) -> Option<Value> {
        number(&self.json["last"][key])
    }

    /// True when one of these was found.
    pub fn has(&self, codes: &[Code]) -> Option<Value> {
        Some(Value::Flag(codes.iter().any(|code| self.findings.contains(code))))
    }

    /// A cell of "Values over the run".
    pub fn spread(&self, key: &str, column: &str) -> Option<Value> {
        value(&self.report, "Values over the run", &[("Metric", key)], column)
    }
}

/// A number of the JSON report.
pub fn number(json: &serde_json::Value) -> Option<Value> {
    json.as_f64().map(Value::Number)
}

/// Plain words of spans.
pub fn words(spans: &[Span]) -> String {
    spans.iter().map(Span::plain).collect()
}

/// The first cell of a column, in a table whose caption holds these words and a row with these texts in other columns.
pub fn cell<'b>(blocks: &'b [Block], caption: &str, row: &[(&str, &str)], column: &str) -> Option<&'b Cell> {
    let place = |table: &Table, name: &str| table.columns.iter().position(|column| column.name.to_string() == name);
    blocks.iter().find_map(|block| {
        let Block::Table(table) = block else { return None };
        if !table.caption.to_string().contains(caption) {
            return None;
        }
        let wanted = place(table, column)?;
        let keys: Vec<(usize, &str)> =
            row.iter().map(|(name, text)| Some((place(table, name)?, *text))).collect::<Option<_>>()?;
        let found = table.rows.iter().find(|row| keys.iter().all(|(place, text)| words(&row[*place].text) == *text))?;
        found.get(wanted)
    })
}

/// The number of such a cell.
pub fn value(blocks: &[Block], caption: &str, row: &[(&str, &str)], column: &str) -> Option<Value> {
    cell(blocks, caption, row, column)?.value.map(Value::Number)
}

/// The text of such a cell.
pub fn text(blocks: &[Block], caption: &str, row: &[(&str, &str)], column: &str) -> Option<Value> {
    Some(Value::Word(words(&cell(blocks, caption, row, column)?.text)))
}

/// What follows these words in a paragraph or an item, up to a punctuation mark.
pub fn text_after(blocks: &[Block], before: &str) -> Option<Value> {
    let texts = blocks.iter().flat_map(|block| match block {
        Block::Text(spans) => vec![words(spans)],
        Block::List(items) => items.iter().map(|item| words(item)).collect(),
        _ => Vec::new(),
    });
    texts.into_iter().find_map(|text| {
        let (_, rest) = text.split_once(before)?;
        let end = rest.find([',', ';', ' ']).unwrap_or(rest.len());
        Some(Value::Word(rest.get(..end)?.trim_end_matches('.').to_owned()))
    })
}
