//! What exports hold of a run beside its numbers: id, name, state, tags, times. Every tool has its own spelling.

use crate::time::any_seconds;
use rundown_run::{ConfigValue, Ending, Run, RunState};

/// Sets what a field holds of the run's identity. False when the name is not one of these fields.
///
/// Names are compared without case, spaces and underscores: `Job Type`, `job_type` and `jobType` are one.
pub(crate) fn identify(run: &mut Run, field: &str, text: &str) -> bool {
    let name: String =
        field.chars().filter(|c| !matches!(c, ' ' | '_' | '-')).map(|c| c.to_ascii_lowercase()).collect();
    let text = text.trim();
    let some = || (!text.is_empty()).then(|| text.to_owned());
    let set = |to: &mut Option<String>| *to = some().or(to.take());
    match name.as_str() {
        "id" | "runid" | "runuuid" => run.id = text.to_owned(),
        // A name for people beats the id that W&B calls `name` in its API.
        "displayname" | "runname" if !text.is_empty() => run.name = text.to_owned(),
        "name" | "runkey" if run.name.is_empty() => run.name = text.to_owned(),
        "name" | "displayname" | "runname" | "runkey" => {}
        "state" | "status" => return end_as(run, text),
        "notes" | "description" => set(&mut run.notes),
        "tags" => run.tags = tags(text),
        "created" | "createdat" | "startedat" | "starttime" => run.started_at = any_seconds(text).or(run.started_at),
        "sweep" | "sweepname" | "sweepid" => set(&mut run.sweep),
        "group" => set(&mut run.group),
        "jobtype" => set(&mut run.job_type),
        "host" | "hostname" => set(&mut run.host),
        "entity" => set(&mut run.entity),
        // MLflow's experiments; a name beats a number.
        "experimentid" if run.project.is_some() => {}
        "project" | "projectname" | "experimentname" | "experimentid" => set(&mut run.project),
        _ => return false,
    }
    true
}

/// Sets the state by a tracker's word for it. False when the word is unknown.
pub(crate) fn end_as(run: &mut Run, word: &str) -> bool {
    let Some(state) = state(word) else { return word.is_empty() };
    let evidence = vec![format!("the export says that the run is {}", state.as_str())];
    run.ending = Ending { state, evidence, ..Ending::default() };
    true
}

fn state(word: &str) -> Option<RunState> {
    Some(match word.to_ascii_lowercase().as_str() {
        "finished" | "completed" | "complete" | "done" | "success" => RunState::Finished,
        "running" | "pending" | "scheduled" | "preempting" => RunState::Running,
        "crashed" => RunState::Crashed,
        "failed" | "error" => RunState::Failed,
        "killed" | "preempted" | "canceled" | "cancelled" | "stopped" => RunState::Killed,
        _ => return None,
    })
}

/// Tags in one cell: `a, b`, `["a", "b"]` or `['a', 'b']`.
fn tags(text: &str) -> Vec<String> {
    let inner = text.trim_start_matches('[').trim_end_matches(']');
    let clean = |tag: &str| tag.trim().trim_matches(['"', '\'']).to_owned();
    inner.split(',').map(clean).filter(|tag| !tag.is_empty()).collect()
}

/// A setting that was printed as text: a number, `True`, `None`, or the text itself.
pub(crate) fn setting(text: &str) -> ConfigValue {
    let text = text.trim();
    match text {
        "None" | "null" | "" => return ConfigValue::Null,
        "True" | "true" => return ConfigValue::Bool(true),
        "False" | "false" => return ConfigValue::Bool(false),
        "nan" | "NaN" => return ConfigValue::Number(f64::NAN),
        "inf" | "Infinity" => return ConfigValue::Number(f64::INFINITY),
        "-inf" | "-Infinity" => return ConfigValue::Number(f64::NEG_INFINITY),
        _ => {}
    }
    let starts_as_number = text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '+' | '.'));
    let is_long_integer = text.len() > 15 && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse::<f64>() {
        Ok(value) if starts_as_number && value.is_finite() && !is_long_integer => ConfigValue::Number(value),
        _ => ConfigValue::Text(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_field_is_one() {
        let mut run = Run::default();
        for (field, text) in [
            ("ID", "x1"),
            ("name", "x1"),
            ("displayName", "amber"),
            ("State", "FINISHED"),
            ("Job Type", "train"),
            ("created_at", "2026-11-01T00:00:22Z"),
            ("tags", "['a', 'b c']"),
            ("Group", ""),
        ] {
            assert!(identify(&mut run, field, text), "{field}");
        }
        assert!(identify(&mut run, "run_key", "amber_s0"), "it names only a run without a name");
        assert!(!identify(&mut run, "lr", "1"));
        assert!(!identify(&mut run, "state", "unheard of"));
        assert_eq!((run.id.as_str(), run.name.as_str(), run.job_type.as_deref()), ("x1", "amber", Some("train")));
        assert_eq!((run.ending.state, run.started_at), (RunState::Finished, Some(1_793_491_222.0)));
        assert_eq!((run.tags, run.group), (vec!["a".to_owned(), "b c".to_owned()], None));
    }

    #[test]
    fn printed_settings_get_their_type_back() {
        assert_eq!(setting("1e-05"), ConfigValue::Number(1e-5));
        assert_eq!(setting("True"), ConfigValue::Bool(true));
        assert_eq!(setting("None"), ConfigValue::Null);
        assert_eq!(setting("nano"), ConfigValue::Text("nano".into()));
        assert_eq!(setting("9007199254740993"), ConfigValue::Text("9007199254740993".into()));
    }
}
