//! Which columns an event becomes.
//!
//! | event | columns |
//! |---|---|
//! | `rollout_start` | `axiom/rollout/started`, a running count |
//! | `rollout_complete` | `axiom/rollout/completed`, `axiom/rollout/success` = 1, `axiom/rollout/duration_s`, `axiom/rollout/trajectory_count`, … |
//! | `rollout_error`, `rollout_failed` | `axiom/rollout/errors`, `axiom/rollout/success` = 0 |
//! | `*_extracted`, `*_empty`, `*_partial` | `axiom/extraction/success`, `…/empty`, `…/partial`: 1 or 0, so that their mean is a rate; also `…/success/<group>` |
//! | `training_step` | `axiom/training/loss`, … |
//! | `inference_*` | `axiom/inference/output_tokens_per_second`, … |
//! | `prefix_cache_*` | `axiom/cache/hit_rate`, … |
//! | every event, where the log holds more than errors and warnings | `axiom/error/event`: 1 for an error, 0 for any other |
//! | any of level error, and `*_error`, `*_failed`, `*_timeout` | `axiom/error/count`, a running count |
//! | any of level warning | `axiom/warning/count`, a running count |
//! | any other | `axiom/<event>/<field>` |

/// 1 for an error event, 0 for any other.
pub(super) const IS_ERROR: &str = "axiom/error/event";

/// The value of a column at an event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum FieldReading {
    /// This number.
    Value(f64),
    /// One more than before.
    Count,
}

/// Columns that the event as such fills, fields aside.
pub(super) fn of_event(name: &str, level: &str, group: Option<&str>, mut put: impl FnMut(&str, FieldReading)) {
    let outcome = |put: &mut dyn FnMut(&str, FieldReading), success: bool| {
        put("axiom/rollout/success", FieldReading::Value(f64::from(u8::from(success))));
    };
    match name {
        "rollout_start" | "rollout_started" => put("axiom/rollout/started", FieldReading::Count),
        "rollout_complete" | "rollout_completed" => {
            put("axiom/rollout/completed", FieldReading::Count);
            outcome(&mut put, true);
        }
        "rollout_error" | "rollout_failed" | "rollout_timeout" => {
            put("axiom/rollout/errors", FieldReading::Count);
            outcome(&mut put, false);
        }
        _ => {}
    }
    if let Some(extraction) = extraction(name) {
        let is = |kind| FieldReading::Value(f64::from(u8::from(extraction == kind)));
        put("axiom/extraction/success", is(Extraction::Whole));
        put("axiom/extraction/empty", is(Extraction::Empty));
        put("axiom/extraction/partial", is(Extraction::Partial));
        if let Some(group) = group {
            put(&format!("axiom/extraction/success/{group}"), is(Extraction::Whole));
        }
    }
    if is_error(name, level) {
        put("axiom/error/count", FieldReading::Count);
    } else if matches!(level, "warning" | "warn") {
        put("axiom/warning/count", FieldReading::Count);
    }
}

/// The column of a numeric field of this event.
pub(super) fn of_field(name: &str, field: &str) -> String {
    let family = match name {
        "" => return format!("axiom/{field}"),
        "training_step" | "train_step" => "training",
        _ if name.starts_with("rollout_") => "rollout",
        _ if name.starts_with("inference_") => "inference",
        _ if name.starts_with("prefix_cache") || name.starts_with("cache_") => "cache",
        _ if extraction(name).is_some() => "extraction",
        other => other,
    };
    format!("axiom/{family}/{field}")
}

/// What an event says of the pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventKind {
    /// Something went wrong.
    Error,
    /// A warning.
    Warning,
    /// Anything else.
    Ordinary,
    /// A number of events that the server counted, and no event.
    Total,
}

impl EventKind {
    /// The kind of an event by its name and level.
    pub(super) fn of(name: &str, level: &str, is_total: bool) -> Self {
        match level {
            _ if is_total => EventKind::Total,
            _ if is_error(name, level) => EventKind::Error,
            "warning" | "warn" => EventKind::Warning,
            _ => EventKind::Ordinary,
        }
    }
}

/// True for an event that says that something went wrong.
fn is_error(name: &str, level: &str) -> bool {
    matches!(level, "error" | "critical" | "fatal")
        || ["_error", "_failed", "_timeout", "_exception"].iter().any(|end| name.ends_with(end))
}

#[derive(Clone, Copy, PartialEq)]
enum Extraction {
    Whole,
    Empty,
    Partial,
}

/// Outputs of the model that were parsed: one project's `orders_extracted` is another's `answers_extracted`.
fn extraction(name: &str) -> Option<Extraction> {
    match name.rsplit_once('_')?.1 {
        "extracted" => Some(Extraction::Whole),
        "empty" => Some(Extraction::Empty),
        "partial" => Some(Extraction::Partial),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(name: &str, level: &str, group: Option<&str>) -> Vec<(String, FieldReading)> {
        let mut columns = Vec::new();
        of_event(name, level, group, |column, reading| columns.push((column.to_owned(), reading)));
        columns
    }

    #[test]
    fn a_failed_rollout_is_an_error() {
        let expected = [
            ("axiom/rollout/errors".to_owned(), FieldReading::Count),
            ("axiom/rollout/success".to_owned(), FieldReading::Value(0.0)),
            ("axiom/error/count".to_owned(), FieldReading::Count),
        ];
        assert_eq!(columns("rollout_error", "", None), expected);
        assert_eq!(columns("checkpoint", "warning", None), [("axiom/warning/count".to_owned(), FieldReading::Count)]);
        assert_eq!(columns("checkpoint", "info", None), []);
    }

    #[test]
    fn parsed_outputs_are_rates_by_group() {
        let found = columns("answers_partial", "", Some("red"));
        assert_eq!(found.len(), 4);
        assert_eq!(found[2], ("axiom/extraction/partial".to_owned(), FieldReading::Value(1.0)));
        assert_eq!(found[3], ("axiom/extraction/success/red".to_owned(), FieldReading::Value(0.0)));
    }

    #[test]
    fn fields_stand_under_their_family() {
        assert_eq!(of_field("inference_timing_breakdown", "batch_size"), "axiom/inference/batch_size");
        assert_eq!(of_field("prefix_cache_stats", "hit_rate"), "axiom/cache/hit_rate");
        assert_eq!(of_field("checkpoint", "size"), "axiom/checkpoint/size");
        assert_eq!(of_field("", "p95"), "axiom/p95");
    }
}
