//! Replies of Axiom's query API that are no plain list of events.
//!
//! `format=tabular` answers tables of columns, `{"tables": [{"fields": [{"name", "type"}], "columns": [[…]]}]}`;
//! `format=legacy` answers `matches` (events) and `buckets` with totals by group.

use super::{AxiomEvent, AxiomEvents};
use crate::syntax::json::Json;

/// Adds the rows of one table of a tabular reply. False when it is no such table.
pub(crate) fn add_table(events: &mut AxiomEvents, table: &Json) -> bool {
    let (Some(Json::List(fields)), Some(Json::List(columns))) = (table.get("fields"), table.get("columns")) else {
        return false;
    };
    let names: Vec<&str> = fields.iter().map(|field| field.text_at("name").unwrap_or("")).collect();
    let columns: Vec<&[Json]> = columns.iter().map(Json::as_items).collect();
    let rows = columns.iter().map(|column| column.len()).max().unwrap_or(0);
    for row in 0..rows {
        // Rows without a time are what a query counted.
        let mut event = if names.contains(&"_time") { AxiomEvent::default() } else { AxiomEvent::total() };
        for (name, column) in names.iter().zip(&columns) {
            match column.get(row) {
                Some(Json::Text(text)) => event.text(name, text),
                Some(value) => value.metric().into_iter().for_each(|value| event.number(name, value)),
                None => {}
            }
        }
        events.add(&event);
    }
    true
}

/// Adds what the `buckets` of a legacy reply counted: series over time as events, totals by group.
pub(crate) fn add_buckets(events: &mut AxiomEvents, buckets: &Json) {
    for bucket in buckets.items("series") {
        for group in bucket.items("groups") {
            let mut event = AxiomEvent::total();
            if let Some(start) = bucket.text_at("startTime") {
                event.text("_time", start);
            }
            if let Some(Json::Object(labels)) = group.get("group") {
                labels
                    .iter()
                    .filter_map(|(name, value)| Some((name, value.text()?)))
                    .for_each(|(name, text)| event.text(name, text));
            }
            for (operation, value) in aggregations(group) {
                event.number(operation, value);
            }
            events.add(&event);
        }
    }
    for group in buckets.items("totals") {
        let labels: Vec<&str> = match group.get("group") {
            Some(Json::Object(labels)) => labels.values().filter_map(Json::text).collect(),
            _ => Vec::new(),
        };
        for (operation, value) in aggregations(group) {
            let name = labels.iter().copied().chain([operation]).collect::<Vec<_>>().join("/");
            events.add_total(name, value);
        }
    }
}

/// Names and values of what was computed for a group.
fn aggregations(group: &Json) -> impl Iterator<Item = (&str, f64)> {
    let computed = group.items("aggregations").iter();
    computed.filter_map(|entry| Some((entry.text_at("op")?, entry.metric_at("value")?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_columns_is_events() {
        let table = r#"{"name": "0", "fields": [{"name": "_time", "type": "datetime"}, {"name": "event", "type": "string"}, {"name": "duration_s", "type": "float"}],
            "columns": [["2026-11-01T00:00:02Z", "2026-11-01T00:00:01Z"], ["rollout_complete", "rollout_start"], [4.5, null]]}"#;
        let mut events = AxiomEvents::default();
        assert!(add_table(&mut events, &Json::parse(table.as_bytes()).unwrap()));
        assert!(!add_table(&mut events, &Json::Null));
        let runs = events.finish();
        assert_eq!(runs[0].columns["axiom/rollout/duration_s"].points().collect::<Vec<_>>(), [(1, 4.5)]);
        assert_eq!(runs[0].row_times.len(), 2);
    }

    #[test]
    fn totals_are_kept_by_group_and_are_no_events() {
        let buckets = r#"{"series": [{"startTime": "2026-11-01T00:00:00Z", "groups": [{"group": {"event": "e"}, "aggregations": [{"op": "count_", "value": 3}]}]}],
            "totals": [{"group": {"event": "rollout_start"}, "aggregations": [{"op": "count_", "value": 250}]}]}"#;
        let mut events = AxiomEvents::default();
        add_buckets(&mut events, &Json::parse(buckets.as_bytes()).unwrap());
        let runs = events.finish();
        assert_eq!(runs[0].columns["axiom/e/count_"].values(), [3.0]);
        assert_eq!(runs[0].summary.number(&["axiom/events"]), Some(("axiom/events", 0.0)));
        let key = "axiom/totals/rollout_start/count_";
        assert_eq!(runs[0].summary.number(&[key]), Some((key, 250.0)));
    }
}
