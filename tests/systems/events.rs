//! An event log from the file to the report: errors over all events, their texts, the engine by adapter and phase.

use std::fmt::Write as _;

use rundown_compare::RunSummary;
use rundown_compare::facts::Health;
use rundown_diagnose::{Code, Rulebook, diagnose};
use rundown_ingest::{RunAssembler, open};
use rundown_present::compare::{WIDTH, pipeline};
use rundown_report::{Document, markdown};
use rundown_run::Run;

use super::plain_text;

/// Requests of two adapters in two phases, 1 s apart; of `every` events one is an error, with another number each time.
fn log(count: usize, every: usize) -> Run {
    let mut text = String::new();
    for event in 0..count {
        let time = format!("2026-11-01T{:02}:{:02}:{:02}Z", event / 3600, event / 60 % 60, event % 60);
        let phase = ["spring", "fall"][event / 7 % 2];
        let _ = if event % every == every - 1 {
            let why =
                if event % 3 == 0 { "no such power 'X'".to_owned() } else { format!("timed out after {event} s") };
            writeln!(
                text,
                r#"{{"_time": "{time}", "event": "inference_timeout", "level": "error", "error": "{why}", "phase": "{phase}"}}"#
            )
        } else {
            let (adapter, speed) = [("adapter_v1", 80), ("adapter_v2", 60)][event % 2];
            writeln!(
                text,
                r#"{{"_time": "{time}", "event": "inference_response", "duration_ms": 2000, "input_tokens_per_second": 900, "tokens_per_second": {speed}, "batch_size": 8, "lora_name": "{adapter}", "phase": "{phase}"}}"#
            )
        };
    }
    let mut file = open("events.ndjson", text.len() as u64);
    file.push(text.as_bytes());
    let mut assembler = RunAssembler::default();
    assembler.add(file.finish());
    let mut runs = assembler.assemble(Vec::new()).runs;
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

#[test]
fn a_tenth_of_ten_thousand_events_is_found_and_half_a_percent_is_not() {
    let has = |run: &Run| {
        let findings = diagnose(run, &Rulebook::default()).findings;
        findings.into_iter().find(|finding| finding.code == Code::ErrorRateHigh)
    };
    let finding = has(&log(10_000, 10)).expect("10 % are errors");
    assert!(finding.title.to_string().contains("10 %"), "{}", finding.title);
    assert_eq!(has(&log(10_000, 200)), None);
}

#[test]
fn errors_and_the_engine_are_shown_in_the_view_and_in_the_report() {
    let run = log(3000, 10);
    let diagnosis = diagnose(&run, &Rulebook::default());
    let summary = RunSummary::of(0, (&run, &diagnosis));
    let facts = summary.pipeline.as_ref().unwrap();
    assert_eq!(summary.pipeline_health().map(|health| health.level), Some(Health::Unhealthy));
    let texts: Vec<(&str, u64)> = facts.error_texts.iter().map(|error| (error.text.as_str(), error.count)).collect();
    assert_eq!(texts, [("timed out after <n> s", 200), ("no such power <value>", 100)]);
    let view = plain_text(&pipeline(&[&summary], WIDTH));
    for said in [
        "The pipeline is unhealthy",
        "10.0 % of the events are errors (target: below 1 %)",
        "timed out after <n> s | 200 | 2026-11-01 00:00 UTC | 2026-11-01 00:49 UTC",
        "adapter | adapter_v1",
        "phase | fall",
        "300 of 3000",
    ] {
        assert!(view.contains(said), "{said}");
    }
    let report = markdown(&Document::of(&rundown_report::RunSet::new(&[(&run, &diagnosis)], Vec::new())));
    for said in [
        "Error events: 300 of 3000 (10.0 %)",
        "timed out after",
        "The pipeline is unhealthy",
        "200 of 300 error events",
    ] {
        assert!(report.contains(said), "{said}: {report}");
    }
}
