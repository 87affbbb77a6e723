//! Texts that a user types or pastes: queries and settings.

use rundown_compare::RunSummary;
use rundown_query::{CompletionIndex, Query, complete};
use rundown_run::{ConfigValue, Run};
use rundown_settings::{Settings, with_metric};

/// A query is parsed, evaluated and completed at every character.
pub fn query(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let summary = summary();
    let index = CompletionIndex::new([&summary]);
    let characters = text.chars().count();
    for cursor in (0..=characters + 1).step_by(1 + characters / 64) {
        for suggestion in complete(text, cursor, &index) {
            assert!(suggestion.start <= suggestion.end && suggestion.end <= characters, "{suggestion:?}");
        }
    }
    match Query::parse(text) {
        Ok(query) => {
            // What may not match by the columns of a list does not match when the run is loaded.
            let matches = query.matches(&summary);
            assert!(query.may_match(&summary) || !matches);
            query.keys_after_loading();
            query.column_keys();
            query.unknown_keys(&index);
            assert_eq!(Query::parse(text).as_ref(), Ok(&query));
        }
        Err(error) => assert!(error.at <= characters, "an error beyond the text: {error:?}"),
    }
}

/// Settings are read, and written with another meaning of a metric.
pub fn settings(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let settings = Settings::parse(text);
    let edited = with_metric(text, "train/score", "evaluation");
    if settings.is_ok() && !text.contains("metrics") {
        assert!(Settings::parse(&edited).is_ok(), "the edit breaks the text: {edited:?}");
    }
    if let Err(error) = &settings {
        assert!(!error.to_string().is_empty());
    }
}

fn summary() -> RunSummary {
    let mut run = Run { id: "1".into(), name: "a run".into(), ..Run::default() };
    run.config.insert("optim.lr", ConfigValue::Number(1e-5));
    run.config.insert("model", ConfigValue::Text("Qwen/Qwen2.5".into()));
    run.config.insert("layers", ConfigValue::List(vec![ConfigValue::Number(1.0), ConfigValue::Bool(true)]));
    let row = run.push_row(1.0, f64::NAN);
    run.push_value("train/reward", row, 0.5);
    RunSummary::undiagnosed(1, &run)
}
