//! Finding and reading the corpus, labels, and the table that each test prints.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use rundown_diagnose::{Diagnosis, Rulebook, Severity, checks, diagnose};
use rundown_ingest::RunAssembler;
use rundown_run::Run;
use serde_json::Value;

use crate::support::{files_below, read};

/// What a label asks for.
pub struct Label {
    pub verdicts: Vec<String>,
    pub must: Vec<String>,
    pub must_any: Vec<Vec<String>>,
    pub must_not: Vec<String>,
    pub onset: BTreeMap<String, (f64, f64)>,
}

/// The labels of a folder, by run.
pub fn labels(folder: &Path) -> BTreeMap<String, Label> {
    let text = std::fs::read_to_string(folder.join("labels.json")).expect("labels.json is there");
    let value: Value = serde_json::from_str(&text).expect("labels.json is JSON");
    value.as_object().expect("an object").iter().map(|(name, value)| (name.clone(), label(value))).collect()
}

fn label(value: &Value) -> Label {
    let onset = value.get("onset").and_then(Value::as_object).map(|ranges| {
        ranges
            .iter()
            .map(|(code, range)| (code.clone(), (range[0].as_f64().unwrap(), range[1].as_f64().unwrap())))
            .collect()
    });
    Label {
        verdicts: words(value.get("verdict")),
        must: words(value.get("must")),
        must_any: value
            .get("must_any")
            .and_then(Value::as_array)
            .map_or_else(Vec::new, |lists| lists.iter().map(|list| words(Some(list))).collect()),
        must_not: words(value.get("must_not")),
        onset: onset.unwrap_or_default(),
    }
}

fn words(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array);
    list.map_or_else(Vec::new, |list| list.iter().map(|word| word.as_str().unwrap().to_owned()).collect())
}

/// The run in a file or folder, with all that lies beside it, pushed in slices as a browser would.
pub fn read_run(path: &Path) -> Run {
    let mut assembler = RunAssembler::default();
    for file in files_below(path) {
        let bytes = std::fs::read(&file).expect("a corpus file can be read");
        assembler.add(read(&file.display().to_string(), &bytes, 1 << 16));
    }
    let runs = assembler.assemble(Vec::new()).runs;
    assert_eq!(runs.len(), 1, "{} holds one run", path.display());
    runs.into_iter().next().expect("a run was read")
}

/// Diagnoses with the rulebook that is built in.
pub fn diagnosis_of(run: &Run) -> Diagnosis {
    diagnose(run, &Rulebook::default())
}

/// True for a code of the catalogue as it stands: labels name later ones too.
pub fn exists(code: &str) -> bool {
    checks::ALL.iter().any(|check| check.code.as_str() == code)
}

/// True when a finding of that code is there, a note included.
pub fn has(diagnosis: &Diagnosis, code: &str) -> bool {
    diagnosis.findings.iter().any(|finding| finding.code.as_str() == code)
}

/// Number of findings of a severity.
pub fn count(diagnosis: &Diagnosis, severity: Severity) -> usize {
    diagnosis.findings.iter().filter(|finding| finding.severity == severity).count()
}

/// One line of the table.
pub fn line(name: &str, diagnosis: &Diagnosis) -> String {
    let mut text = format!("{name:34} {:9} {:8?} ", diagnosis.verdict.as_str(), diagnosis.learning.state);
    for finding in &diagnosis.findings {
        let mark = match finding.severity {
            Severity::Critical => '!',
            Severity::Warning => '+',
            Severity::Note => '.',
        };
        let onset = finding.onset.map_or_else(String::new, |step| format!("@{step:.0}"));
        let folded = if finding.explained_by.is_empty() { "" } else { "<" };
        write!(text, " {folded}{mark}{}{onset}", finding.code.as_str()).unwrap();
    }
    if std::env::var_os("RUNDOWN_LABELS_VERBOSE").is_some() {
        write!(text, "\n      {}\n      {}\n      {}", diagnosis.headline, diagnosis.summary, diagnosis.learning.why)
            .unwrap();
        for finding in &diagnosis.findings {
            write!(text, "\n      - {} ({:.2})", finding.title, finding.confidence).unwrap();
        }
        for quiet in &diagnosis.quiet {
            write!(text, "\n        quiet {}:", quiet.code.as_str()).unwrap();
            for evidence in &quiet.evidence {
                write!(text, " {}={:.4}", evidence.name, evidence.value).unwrap();
            }
        }
        for skipped in &diagnosis.skipped {
            write!(text, "\n        skipped {}: {}", skipped.code.as_str(), skipped.need.hint).unwrap();
        }
    }
    text
}

/// What a diagnosis does that its label forbids, and what it lacks.
pub fn broken(label: &Label, diagnosis: &Diagnosis) -> Vec<String> {
    let mut broken = Vec::new();
    let verdict = diagnosis.verdict.as_str();
    // A run whose only fault is one that no check looks for yet may come out good.
    let asked: Vec<&String> = label.must.iter().chain(label.must_any.iter().flatten()).collect();
    let beyond = !asked.is_empty() && !asked.iter().any(|code| exists(code));
    let learning_decides = asked.iter().any(|code| code.as_str() == "no_learning");
    let spared = beyond && !learning_decides && verdict == "good";
    if !label.verdicts.iter().any(|allowed| allowed == verdict) && !spared {
        broken.push(format!("verdict {verdict}, expected {:?}", label.verdicts));
    }
    for code in label.must.iter().filter(|code| exists(code) && !has(diagnosis, code)) {
        broken.push(format!("{code} is missing"));
    }
    for list in &label.must_any {
        let known: Vec<&String> = list.iter().filter(|code| exists(code)).collect();
        if !known.is_empty() && !known.iter().any(|code| has(diagnosis, code)) {
            broken.push(format!("one of {known:?} is missing"));
        }
    }
    for code in &label.must_not {
        let there = if code == "critical" { count(diagnosis, Severity::Critical) > 0 } else { has(diagnosis, code) };
        if there {
            broken.push(format!("{code} must not be there"));
        }
    }
    for (code, (from, to)) in &label.onset {
        let finding = diagnosis.findings.iter().find(|finding| finding.code.as_str() == code);
        if let Some(onset) = finding.and_then(|finding| finding.onset)
            && !(*from..=*to).contains(&onset)
        {
            broken.push(format!("{code} begins at {onset}, expected {from} to {to}"));
        }
    }
    broken
}

/// Every labelled run of a folder is diagnosed as its label says; prints the table.
pub fn all_as_labelled(folder: &Path) {
    let mut table = String::new();
    let mut wrong = Vec::new();
    for (name, label) in labels(folder).iter().filter(|(name, _)| folder.join(name).is_dir()) {
        let diagnosis = diagnosis_of(&read_run(&folder.join(name)));
        table.push_str(&line(name, &diagnosis));
        table.push('\n');
        wrong.extend(broken(label, &diagnosis).into_iter().map(|what| format!("{name}: {what}")));
    }
    eprintln!("{table}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
