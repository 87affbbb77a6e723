//! Exports of runs that Rundown wrote: what is read back is the run as it was.

use proptest::prelude::*;
use rundown_ingest::RunAssembler;
use rundown_report::{Secrets, run_export};
use rundown_run::{
    Artifact, ConfigValue, FileFormat, Histogram, LogLine, LoggedCell, LoggedTable, Run, Stream, TableFile, Thinning,
};

use crate::support::{corpus, ingest, ingest_folder, read};

/// The run without what assembly adds: the export itself among its files.
fn read_back(run: &Run) -> Run {
    let text = run_export(run, &[], Secrets::Keep).unwrap();
    serde_json::from_str::<serde_json::Value>(&text).unwrap();
    let outcome = read("export.json", text.as_bytes(), 10_007);
    assert_eq!(outcome.problems, []);
    assert_eq!(outcome.parts.len(), 1);
    let mut back = outcome.parts.into_iter().next().unwrap().run;
    let export = back.files.pop().unwrap();
    assert_eq!(export.format, FileFormat::RundownExport);
    back.axis = run.axis.clone();
    back
}

#[test]
fn an_exported_run_reads_back_as_it_was() {
    let mut run = Run { id: "x \"1\"".into(), name: "a\u{1}\nb".into(), notes: Some("ü".into()), ..Run::default() };
    for (step, value) in [
        (0.0, f64::NAN),
        (1.0, f64::INFINITY),
        (2.0, -0.0),
        (3.0, 1e300),
        (4.0, 1.0 / 3.0),
        (5.0, 5e-324),
        (6.0, 9_007_199_254_740_994.0),
    ] {
        let row = run.push_row(step, f64::NAN);
        run.push_value("a/b", row, value);
    }
    run.config.insert("nan", ConfigValue::Number(f64::NAN));
    run.config.insert("word", ConfigValue::Text("NaN".into()));
    run.config.insert("big", ConfigValue::Text("9007199254740993".into()));
    run.config.insert("huge", ConfigValue::Number(1e18));
    run.config.insert(
        "list",
        ConfigValue::List(vec![ConfigValue::Null, ConfigValue::Bool(true), ConfigValue::Number(f64::NEG_INFINITY)]),
    );
    run.histograms
        .insert("h".into(), vec![Histogram { row: 2, edges: vec![0.0, 0.1, f64::NAN], counts: vec![1.0, 2.0] }]);
    let content = LoggedTable {
        columns: vec!["t".into(), "n".into()],
        rows: vec![
            vec![LoggedCell::Text("NaN".into()), LoggedCell::Number(f64::NAN)],
            vec![LoggedCell::Null, LoggedCell::Bool(false)],
        ],
        dropped: 3,
    };
    run.tables.push(TableFile { key: "k".into(), row: 1, path: "p".into(), rows: Some(2), content: Some(content) });
    run.artifacts.push(Artifact {
        name: "m:v1".into(),
        kind: "model".into(),
        bytes: Some(12.0),
        ..Artifact::default()
    });
    run.log.push(LogLine { stream: Stream::Error, text: "\u{1b}[31mx".into() });
    run.log.dropped = 7;
    run.note_sampling(Some("a/b"), Thinning::Buckets);
    run.note_sampling(None, Thinning::Rows);
    (run.unfetched, run.unlisted) = (5, true);
    let back = read_back(&run);
    // As text, in which NaN equals NaN and -0 is not 0.
    assert_eq!(format!("{back:?}"), format!("{run:?}"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_numbers_and_texts_survive_the_export(
        bits in prop::collection::vec(any::<u64>(), 0..40),
        texts in prop::collection::vec(any::<String>(), 0..6),
    ) {
        let mut run = Run { id: "x".into(), tags: texts.clone(), ..Run::default() };
        for bits in bits {
            let value = f64::from_bits(bits);
            let row = run.push_row(value, -value);
            run.push_value("v", row, value);
            run.config.insert(format!("c{row}"), ConfigValue::Number(value));
        }
        for text in texts {
            run.config.insert(text.clone(), ConfigValue::Text(text.clone()));
            run.log.push(LogLine { stream: Stream::Out, text });
        }
        prop_assert_eq!(format!("{:?}", read_back(&run)), format!("{run:?}"));
    }
}

#[test]
fn a_line_may_be_an_exported_run() {
    let mut lines = String::new();
    for name in ["a", "b"] {
        let mut run = Run { id: name.into(), name: name.into(), ..Run::default() };
        let row = run.push_row(1.0, f64::NAN);
        run.push_value("step", row, 1.0);
        lines.push_str(&run_export(&run, &[], Secrets::Keep).unwrap());
    }
    let ingested = ingest([("runs.jsonl", lines.as_bytes())]);
    assert_eq!(ingested.problems, []);
    assert_eq!(ingested.runs.iter().map(|run| run.id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn every_run_of_the_corpus_survives_its_export() {
    let mut runs = 0;
    for name in ["public-logs", "wandb-files", "systems", "tiny-grpo"] {
        let Some(folder) = corpus(name) else { return };
        let ingested = ingest_folder(&folder);
        // The large folders hold many runs of one kind: every fourth is enough.
        let step = if ingested.runs.len() > 12 { 4 } else { 1 };
        for run in ingested.runs.iter().step_by(step) {
            let mut run = run.clone();
            let mut back = read_back(&run);
            // The only part of a run that no export has.
            run.log.tracker_run = None;
            assert!(format!("{back:?}") == format!("{run:?}"), "{name}: {} differs", run.name);
            back.choose_axis();
            assert_eq!(back.axis, run.axis, "{}", run.name);
            runs += 1;
        }
    }
    assert!(runs >= 20, "{runs}");
}

#[test]
fn a_run_and_its_export_are_one_run() {
    let Some(folder) = corpus("tiny-grpo/amber-03") else { return };
    let first = ingest_folder(&folder);
    let text = run_export(&first.runs[0], &[], Secrets::Keep).unwrap();
    let mut assembler = RunAssembler::default();
    assembler.add(read("kept/amber-03.json", text.as_bytes(), 65_536));
    let alone = assembler.assemble(Vec::new());
    assert_eq!((alone.runs.len(), alone.runs[0].id == first.runs[0].id), (1, true));
    assert_eq!(alone.runs[0].axis, first.runs[0].axis);
    let mut assembler = RunAssembler::default();
    assembler.add(read("kept/amber-03.json", text.as_bytes(), 65_536));
    let both = assembler.assemble(first.runs.clone());
    assert_eq!(both.runs.len(), 1);
    assert_eq!(both.runs[0].columns, first.runs[0].columns);
}

#[test]
fn secrets_stay_out_of_a_redacted_export() {
    let mut run = Run::default();
    run.config.insert("wandb_api_key", ConfigValue::Text("0123456789abcdef0123456789abcdef01234567".into()));
    run.log.push(LogLine { stream: Stream::Out, text: "token=hf_abcdefghijklmnopqrstuvwxyz012345".into() });
    let text = run_export(&run, &[], Secrets::Redact).unwrap();
    assert!(!text.contains("0123456789abcdef") && !text.contains("hf_abcdef"), "{text}");
    serde_json::from_str::<serde_json::Value>(&text).unwrap();
}

#[test]
fn a_cut_export_keeps_what_came_before_the_cut() {
    let mut run = Run::default();
    for step in 0..50 {
        let row = run.push_row(f64::from(step), f64::NAN);
        run.push_value("x", row, f64::from(step));
    }
    let text = run_export(&run, &[], Secrets::Keep).unwrap();
    for cut in 0..text.trim_end().len() {
        let outcome = read("e.json", &text.as_bytes()[..cut], 64);
        assert!(outcome.parts.len() <= 1);
        assert!(!outcome.problems.is_empty(), "cut at {cut}");
        for part in outcome.parts {
            let rows = part.run.row_steps.len() as u32;
            assert!(part.run.columns.values().flat_map(|column| column.rows().iter()).all(|row| row < rows));
        }
    }
}
