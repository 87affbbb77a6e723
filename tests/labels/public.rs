//! Logs of public runs, for what their README says of them: above all, what must not be said.
//!
//! Console logs, which the crate does not read yet, have readers of a few lines here.

use std::collections::BTreeMap;
use std::path::Path;

use rundown::diagnose::{Diagnosis, LearningState, Severity, Verdict};
use rundown::run::Run;

use super::labels::{count, has, judged, line, read_run};
use super::support::corpus;

#[test]
fn public_logs_are_judged_as_their_readme_says() {
    let Some(folder) = corpus("public-logs") else { return };
    let mut diagnoses = BTreeMap::new();
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let Some(run) = read(&file) else { continue };
        let diagnosis = judged(&run);
        eprintln!("{}", line(&name, &diagnosis));
        diagnoses.insert(name, diagnosis);
    }
    let of =
        |name: &str| diagnoses.iter().find(|(file, _)| file.contains(name)).map(|(_, diagnosis)| diagnosis).unwrap();

    let wordle = of("wordle-4090");
    assert!(has(wordle, "too_conservative") && !has(wordle, "entropy_collapse"));
    let countdown = of("custom-countdown");
    assert!(has(countdown, "metric_not_computed") && !has(countdown, "entropy_collapse"));
    for healthy in ["unsloth-grpo-250", "Llama3.1", "gemma2-2b", "qwen2.5-0.5b", "hotpotqa-grpo_v2", "Qwen2.5__3B"] {
        assert_healthy(healthy, of(healthy));
    }
    assert_eq!(of("Qwen2.5__3B").learning.state, LearningState::Improved, "a delayed lift-off is no plateau");
    assert!(has(of("verilog-mp-lr2e-5-r64-280"), "length_explosion"));
    assert!(has(of("gpg-math"), "length_explosion"));
    assert_ne!(of("gpg-math").verdict, Verdict::Good);
    assert!(has(of("Phi_4"), "too_conservative"));
    let proxy = of("Mistral").findings.iter().find(|finding| finding.code.as_str() == "reward_hacking");
    assert!(proxy.is_some_and(|finding| finding.severity >= Severity::Warning));
    assert!(has(of("trl-hotpotqa-grpo.log"), "kl_blow_up"));
    for short in ["r64-40", "gui-cursor"] {
        assert!(has(of(short), "insufficient_data"), "{short}");
        assert_eq!(of(short).verdict, Verdict::Undecided, "{short}");
    }
    for search in ["pre_resume", "resume_from"] {
        assert_eq!(count(of(search), Severity::Critical), 0, "{search}");
    }
}

/// What a healthy run may be told: nothing critical, and no warning at all for a verdict of good.
fn assert_healthy(name: &str, diagnosis: &Diagnosis) {
    let titles: Vec<&str> = diagnosis.findings.iter().map(|finding| finding.title.as_str()).collect();
    assert_eq!(count(diagnosis, Severity::Critical), 0, "{name}: {titles:?}");
    assert_eq!(count(diagnosis, Severity::Warning), 0, "{name}: {titles:?}");
    assert_eq!(diagnosis.verdict, Verdict::Good, "{name}: {}", diagnosis.learning.why);
}

fn read(file: &Path) -> Option<Run> {
    let name = file.file_name()?.to_str()?;
    if matches!(name, "README.md" | "golden_stats.json") {
        return None;
    }
    if !name.ends_with(".log") {
        return Some(read_run(file));
    }
    let text = String::from_utf8_lossy(&std::fs::read(file).ok()?).into_owned();
    let rows = if name.starts_with("trl-") { trl_console(&text) } else { verl_console(&text) };
    let mut run = Run { id: name.to_owned(), name: name.to_owned(), ..Run::default() };
    for (step, values) in rows {
        let row = run.push_row(step, f64::NAN);
        for (key, value) in values {
            run.push_value(&key, row, value);
        }
    }
    run.choose_axis(None);
    Some(run)
}

type Rows = Vec<(f64, Vec<(String, f64)>)>;

/// The Trainer's dictionaries, every 20 steps.
fn trl_console(text: &str) -> Rows {
    let row = |(place, piece): (usize, &str)| {
        let inner = piece.split('}').next().unwrap();
        let pairs = inner.split(", ").filter_map(|pair| {
            let (key, value) = pair.split_once(": ")?;
            Some((key.trim_matches('\'').to_owned(), value.trim_matches('\'').parse().ok()?))
        });
        (20.0 * (place + 1) as f64, pairs.collect())
    };
    let pieces = text.split("{'loss'").skip(1).map(|piece| &piece[2..]);
    pieces.enumerate().map(row).collect()
}

/// `step:N - key:value - …`.
fn verl_console(text: &str) -> Rows {
    let mut rows = Rows::new();
    for line in text.lines() {
        let Some((_, line)) = line.split_once("step:") else { continue };
        let mut parts = line.split(" - ");
        let Some(step) = parts.next().and_then(|step| step.trim().parse().ok()) else { continue };
        let pair = |part: &str| {
            let (key, value) = part.rsplit_once(':')?;
            let value = value.trim().trim_start_matches("np.float64(").split(['\u{1b}', ')']).next()?;
            Some((key.trim().to_owned(), value.trim().parse().ok()?))
        };
        rows.push((step, parts.filter_map(pair).collect()));
    }
    rows
}
