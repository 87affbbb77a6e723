//! The labelled runs of the corpus: what each label asks for, and what is found.
//!
//! `tiny-grpo` and `systems` have a `labels.json`; of the public logs and of exported events, the READMEs say what they
//! are, and the list here repeats it. The bench beside rldoctor shows the same rows.

use std::path::{Path, PathBuf};

use rundown_diagnose::{Diagnosis, Severity};
use rundown_run::Run;

use crate::labels::{count, diagnosis_of, exists, has, labels, read_run};
use crate::support::{corpus, labelled as labelled_folder};

/// One labelled run and its diagnosis.
#[allow(dead_code, reason = "the test and the bench use a part of it each")]
pub struct Labelled {
    pub name: String,
    pub run: Run,
    pub is_healthy: bool,
    /// Lists of which one code each must be found.
    pub asked: Vec<Vec<String>>,
    pub forbidden: Vec<String>,
    pub diagnosis: Diagnosis,
}

#[allow(dead_code, reason = "the test and the bench use a part of it each")]
impl Labelled {
    /// Lists of which no code was found, of those that have a check at all.
    pub fn missed(&self) -> Vec<&Vec<String>> {
        let known = self.asked.iter().filter(|list| list.iter().any(|code| exists(code)));
        known.filter(|list| !list.iter().any(|code| has(&self.diagnosis, code))).collect()
    }

    /// True where the label asks for this code.
    pub fn asks(&self, code: &str) -> bool {
        self.asked.iter().flatten().any(|asked| asked == code)
    }

    /// Lists of codes none of which has a check.
    pub fn unchecked(&self) -> Vec<&Vec<String>> {
        self.asked.iter().filter(|list| !list.iter().any(|code| exists(code))).collect()
    }

    /// Findings that the label forbids.
    pub fn forbidden_found(&self) -> Vec<&String> {
        let is_found = |code: &&String| match code.as_str() {
            "critical" => count(&self.diagnosis, Severity::Critical) > 0,
            code => has(&self.diagnosis, code),
        };
        self.forbidden.iter().filter(is_found).collect()
    }

    /// The label in a cell.
    pub fn label(&self) -> String {
        let lists: Vec<String> = self.asked.iter().map(|list| list.join(" / ")).collect();
        match (self.is_healthy, lists.is_empty()) {
            (true, true) => "healthy".to_owned(),
            (true, false) => format!("healthy; {}", lists.join("; ")),
            _ => lists.join("; "),
        }
    }

    /// What Rundown says, in a cell: the verdict and each warning or worse.
    pub fn findings(&self) -> String {
        let serious = self.diagnosis.findings.iter().filter(|finding| finding.severity >= Severity::Warning);
        let codes: Vec<&str> = serious.map(|finding| finding.code.as_str()).collect();
        let verdict = self.diagnosis.verdict.as_str();
        if codes.is_empty() { verdict.to_owned() } else { format!("{verdict}: {}", codes.join(", ")) }
    }
}

/// A part of a file's name, whether it is healthy, lists of codes of which one must be found, what must not.
type Described = (&'static str, bool, &'static [&'static [&'static str]], &'static [&'static str]);

/// Files of the public logs with what their README calls them.
const PUBLIC: &[Described] = &[
    ("verl-gpg-math", false, &[&["length_explosion"], &["overfitting", "reward_hacking", "regression_from_peak"]], &[]),
    ("gemma2-2b", true, &[], &["critical"]),
    ("qwen2.5-0.5b", true, &[], &["critical"]),
    ("resume_from100", false, &[&["gain_not_established", "no_learning", "plateau"]], &["critical"]),
    ("trl-hotpotqa-grpo.log", false, &[&["kl_blow_up"]], &[]),
    // Healthy as training; a signal stopped it 16 steps before its end.
    ("trl-hotpotqa-grpo_v2", false, &[&["run_crashed"]], &["kl_blow_up", "critical"]),
    ("wordle-4090", false, &[&["too_conservative"]], &["entropy_collapse"]),
    ("r64-280", false, &[&["length_explosion"]], &[]),
    ("r64-40", false, &[&["insufficient_data"]], &[]),
    ("unsloth-grpo-250", true, &[], &["critical"]),
    ("Llama3.1", true, &[], &["critical"]),
    ("Mistral", false, &[&["proxy_only_gain", "reward_hacking"]], &[]),
    ("Qwen2.5__3B", true, &[], &["plateau", "critical"]),
    ("Phi_4", false, &[&["too_conservative"], &["length_pinned_at_cap", "truncation"]], &[]),
    ("custom-countdown", false, &[&["metric_not_computed"]], &["entropy_collapse"]),
    ("gui-cursor", false, &[&["insufficient_data"]], &[]),
];

/// Exported events of the systems, likewise.
const EVENTS: &[Described] = &[
    ("axiom-healthy", true, &[], &["critical"]),
    (
        "axiom-slow",
        false,
        &[
            &["rollout_slow"],
            &["extraction_rate_low", "empty_responses", "partial_responses"],
            &["error_rate_high", "rollout_failures"],
        ],
        &[],
    ),
];

/// Every labelled run; those of public logs only where the full corpus is there.
pub fn labelled() -> Vec<Labelled> {
    let mut all = Vec::new();
    for folder in ["tiny-grpo", "systems"] {
        let root = labelled_folder(folder);
        for (name, label) in labels(&root).into_iter().filter(|(name, _)| root.join(name).is_dir()) {
            let mut asked: Vec<Vec<String>> = label.must.into_iter().map(|code| vec![code]).collect();
            asked.extend(label.must_any);
            let is_healthy = label.verdicts.first().is_some_and(|verdict| verdict == "good")
                && label.must_not.iter().any(|code| code == "critical");
            all.push(of(&root.join(&name), name, is_healthy, asked, label.must_not));
        }
    }
    let texts = |list: &[&str]| list.iter().map(|code| (*code).to_owned()).collect::<Vec<String>>();
    let public = corpus("public-logs").map(|folder| (folder, PUBLIC));
    for (root, described) in [(labelled_folder("systems"), EVENTS)].into_iter().chain(public) {
        for (part, is_healthy, asked, forbidden) in described {
            let Some(path) = file(&root, part) else { continue };
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            all.push(of(&path, name, *is_healthy, asked.iter().map(|list| texts(list)).collect(), texts(forbidden)));
        }
    }
    all
}

fn of(path: &Path, name: String, is_healthy: bool, asked: Vec<Vec<String>>, forbidden: Vec<String>) -> Labelled {
    let run = read_run(path);
    let diagnosis = diagnosis_of(&run);
    Labelled { name, run, is_healthy, asked, forbidden, diagnosis }
}

fn file(folder: &Path, part: &str) -> Option<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    files.sort();
    files.into_iter().find(|path| path.to_string_lossy().contains(part))
}
