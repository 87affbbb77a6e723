//! Tests of the builder with records as the SDK writes them.

use super::*;

/// Names a key by its nested parts, as the SDK writes them.
fn encoded(path: &[&str]) -> Vec<u8> {
    path.iter().flat_map(|part| [&[0x12, part.len() as u8], part.as_bytes()].concat()).collect()
}

fn log(builder: &mut WandbRunBuilder, step: Option<i64>, items: &[(&[&str], &str)]) {
    let paths: Vec<Vec<u8>> = items.iter().map(|(path, _)| encoded(path)).collect();
    let items = paths.iter().zip(items);
    let items = items.map(|(path, (_, value))| Item { encoded_path: path, value: value.as_bytes() }).collect();
    builder.history(&HistoryRecord { items, step });
}

fn run_of(rows: &[&[(&[&str], &str)]]) -> Run {
    let mut builder = WandbRunBuilder::default();
    rows.iter().for_each(|items| log(&mut builder, None, items));
    builder.finish().0
}

#[test]
fn media_come_in_pieces_in_any_order() {
    let run = run_of(&[&[
        (&["a", "h", "packedBins", "size"], "0.5"),
        (&["a", "h", "values"], "[1,2]"),
        (&["a", "h", "_type"], "\"histogram\""),
        (&["a", "h", "packedBins", "min"], "1"),
        (&["a", "h", "packedBins", "count"], "2"),
        (&["a", "x"], "7"),
    ]]);
    assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["a.x"]);
    assert_eq!(run.histograms["a.h"][0].edges, [1.0, 1.5, 2.0]);
}

#[test]
fn a_key_may_be_media_in_one_row_and_numbers_in_another() {
    let run = run_of(&[&[(&["h", "_type"], "\"image-file\""), (&["h", "width"], "3")], &[(&["h", "width"], "5")]]);
    assert_eq!(run.columns["h.width"].points().collect::<Vec<_>>(), [(1, 5.0)]);
}

#[test]
fn old_clients_wrote_dictionaries_whole() {
    let run = run_of(&[&[
        (&["h"], r#"{"_type": "histogram", "values": [1], "bins": [0, 1]}"#),
        (&["d"], r#"{"a": 1, "b": {"c": "NaN", "text": "x"}}"#),
        (&["list"], "[1]"),
    ]]);
    assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["d.a", "d.b.c"]);
    assert_eq!(run.histograms["h"].len(), 1);
}

#[test]
fn the_step_is_the_item_or_the_records_or_the_next() {
    let mut builder = WandbRunBuilder::default();
    log(&mut builder, Some(3), &[(&["_step"], "5"), (&["a"], "1"), (&["a"], "2")]);
    log(&mut builder, Some(7), &[(&["a"], "3")]);
    log(&mut builder, None, &[(&["a"], "\"-Infinity\""), (&["_timestamp"], "1.79e9")]);
    let (run, malformed) = builder.finish();
    assert_eq!(run.row_steps, [5.0, 7.0, 8.0]);
    assert_eq!(run.columns["a"].values(), [2.0, 3.0, f64::NEG_INFINITY]);
    assert_eq!((run.row_times[2], malformed), (1.79e9, 0));
}

#[test]
fn a_name_without_a_letter_or_digit_is_none() {
    let name = |display_name: &str| {
        let mut builder = WandbRunBuilder::default();
        builder.run(&RunRecord { display_name: display_name.to_owned(), ..RunRecord::default() });
        builder.finish().0.name
    };
    assert_eq!((name("."), name("v2")), (String::new(), "v2".to_owned()));
}

#[test]
fn the_time_of_a_row_may_come_from_its_age() {
    let mut builder = WandbRunBuilder::default();
    builder.run(&RunRecord { started_at: Some(100.0), ..RunRecord::default() });
    log(&mut builder, None, &[(&["_runtime"], "2.5"), (&["a"], "1")]);
    assert_eq!(builder.finish().0.row_times, [102.5]);
}

#[test]
fn a_later_rule_replaces_an_earlier_one() {
    let mut builder = WandbRunBuilder::default();
    for step in ["a", "b"] {
        let record = MetricRecord { name: "loss".into(), step_metric: Some(step.into()), maximise: None };
        builder.metric(&record);
    }
    let rules = builder.finish().0.metric_rules;
    assert_eq!(rules.iter().map(|rule| rule.step_metric.as_deref()).collect::<Vec<_>>(), [Some("b")]);
}

#[test]
fn artifacts_are_listed_once_and_tables_are_not_artifacts() {
    let mut builder = WandbRunBuilder::default();
    let record = |name: &str, kind: &str, bytes| ArtifactRecord {
        name: name.to_owned(),
        kind: kind.to_owned(),
        aliases: vec!["latest".to_owned()],
        bytes,
    };
    builder.artifact(&record("eval-replays-x", "replays", Some(10)));
    builder.artifact(&record("run-x-summary_table", "run_table", Some(1)));
    builder.artifact(&record("eval-replays-x", "replays", Some(20)));
    let found: Vec<(String, Option<f64>)> =
        builder.finish().0.artifacts.into_iter().map(|artifact| (artifact.name, artifact.bytes)).collect();
    assert_eq!(found, [("eval-replays-x".to_owned(), Some(20.0))]);
}

#[test]
fn a_training_that_was_summed_up_is_finished_without_an_exit_record() {
    let state = |key: &'static str| run_of(&[&[(&[key], "5")]]).ending.state;
    assert_eq!(state("train/train_runtime"), RunState::Finished);
    assert_eq!(state("train/loss"), RunState::Unknown);
    let mut builder = WandbRunBuilder::default();
    log(&mut builder, None, &[(&["train_runtime"], "5")]);
    builder.exit_code = Some(1);
    assert_eq!(builder.finish().0.ending.state, RunState::Crashed, "the exit record decides");
}
