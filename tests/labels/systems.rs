//! Simulated systems: each fault is found and called by its name, in logged metrics and in exported events.

use rundown_diagnose::Severity;

use super::labels::{all_as_labelled, count, diagnosis_of, has, line, read_run};
use super::support::labelled;

#[test]
fn systems_are_diagnosed_as_labelled() {
    all_as_labelled(&labelled("systems"));
}

/// README of the corpus: 95th percentile about 95 s and 210 s, extraction .985 and .90, 0.8 % and 8 % of the rollouts
/// fail.
#[test]
fn events_of_a_slow_pipeline_differ_from_those_of_a_healthy_one() {
    let folder = labelled("systems");
    let of = |name: &str| diagnosis_of(&read_run(&folder.join(name)));
    let (healthy, slow) = (of("axiom-healthy.ndjson"), of("axiom-slow.ndjson"));
    eprintln!("{}\n{}", line("axiom-healthy", &healthy), line("axiom-slow", &slow));
    assert_eq!(count(&healthy, Severity::Critical) + count(&healthy, Severity::Warning), 0);
    for code in ["rollout_slow", "error_rate_high", "extraction_rate_low"] {
        assert!(has(&slow, code), "{code}");
    }
    assert!(!has(&slow, "cache_hit_rate_low") && !has(&slow, "memory_creep"));
}
