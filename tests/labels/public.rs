//! Logs of public runs, for what their README says of them: above all, what must not be said.

use std::collections::BTreeMap;
use std::path::Path;

use rundown_diagnose::{Diagnosis, LearningState, Severity, Verdict};
use rundown_run::Run;

use super::labels::{count, diagnosis_of, has, line, read_run};
use super::support::corpus;

#[test]
fn public_logs_are_diagnosed_as_their_readme_states() {
    let Some(folder) = corpus("public-logs") else { return };
    let mut diagnoses = BTreeMap::new();
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let Some(run) = read(&file) else { continue };
        let diagnosis = diagnosis_of(&run);
        eprintln!("{}", line(&name, &diagnosis));
        diagnoses.insert(name, diagnosis);
    }
    let of =
        |name: &str| diagnoses.iter().find(|(file, _)| file.contains(name)).map(|(_, diagnosis)| diagnosis).unwrap();

    let wordle = of("wordle-4090");
    assert!(has(wordle, "too_conservative") && !has(wordle, "entropy_collapse"));
    let countdown = of("custom-countdown");
    assert!(has(countdown, "metric_not_computed") && !has(countdown, "entropy_collapse"));
    for healthy in ["unsloth-grpo-250", "Llama3.1", "gemma2-2b", "qwen2.5-0.5b", "Qwen2.5__3B"] {
        assert_healthy(healthy, of(healthy));
    }
    assert_eq!(of("Qwen2.5__3B").learning.state, LearningState::Improved, "a delayed lift-off is no plateau");
    assert!(has(of("verilog-mp-lr2e-5-r64-280"), "length_explosion"));
    assert!(has(of("gpg-math"), "length_explosion"));
    assert_ne!(of("gpg-math").verdict, Verdict::Good);
    assert!(has(of("Phi_4"), "too_conservative"));
    let proxy = of("Mistral").findings.iter().find(|finding| finding.code.as_str() == "proxy_only_gain");
    assert!(proxy.is_some_and(|finding| finding.severity >= Severity::Warning));
    assert!(has(of("trl-hotpotqa-grpo.log"), "kl_blow_up"));
    for short in ["r64-40", "gui-cursor"] {
        assert!(has(of(short), "insufficient_data"), "{short}");
        assert_eq!(of(short).verdict, Verdict::Undecided, "{short}");
    }
    // Healthy, but a signal stopped it at step 920 of 936: that is the one thing to say.
    let stopped = of("hotpotqa-grpo_v2");
    assert_eq!(codes(stopped), ["run_crashed"]);
    assert_eq!((count(stopped, Severity::Critical), stopped.learning.state), (0, LearningState::Improved));
    assert_eq!(count(of("resume_from"), Severity::Critical), 0);
    // It stopped with an error while it saved a checkpoint: no other alarm.
    let critical = of("pre_resume").findings.iter().filter(|finding| finding.severity == Severity::Critical);
    assert_eq!(critical.map(|finding| finding.code.as_str()).collect::<Vec<_>>(), ["run_crashed"]);
}

fn codes(diagnosis: &Diagnosis) -> Vec<&str> {
    diagnosis.findings.iter().map(|finding| finding.code.as_str()).collect()
}

/// What a healthy run may be told: nothing critical, and no warning at all for a verdict of good.
fn assert_healthy(name: &str, diagnosis: &Diagnosis) {
    let titles: Vec<String> = diagnosis.findings.iter().map(|finding| finding.title.to_string()).collect();
    assert_eq!(count(diagnosis, Severity::Critical), 0, "{name}: {titles:?}");
    assert_eq!(count(diagnosis, Severity::Warning), 0, "{name}: {titles:?}");
    assert_eq!(diagnosis.verdict, Verdict::Good, "{name}: {}", diagnosis.learning.why);
}

fn read(file: &Path) -> Option<Run> {
    let name = file.file_name()?.to_str()?;
    if matches!(name, "README.md" | "golden_stats.json") {
        return None;
    }
    Some(read_run(file))
}
