//! Events of a tabular reply, one JSON object a line.

use std::collections::BTreeMap;

use rundown_ingest::json::Json;

/// An event: its time as the reply wrote it, and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AxiomEvent {
    pub(crate) time: String,
    pub(crate) line: String,
}

const NO_EVENTS: &str = "it has no tables";
const NO_COLUMNS: &str = "a table has no fields and columns";
const NO_TIME: &str = "an event has no time";

/// The events of a reply in their order.
///
/// # Errors
/// What is wrong with a reply of another form, in a few words.
pub(crate) fn events(reply: &Json) -> Result<Vec<AxiomEvent>, &'static str> {
    let Some(Json::List(tables)) = reply.get("tables") else { return Err(NO_EVENTS) };
    let tables: Vec<Vec<AxiomEvent>> = tables.iter().map(table_events).collect::<Result<_, _>>()?;
    Ok(tables.concat())
}

/// `{"fields": [{"name"}], "columns": [[…], …]}`: a column for each field. No columns for no events.
fn table_events(table: &Json) -> Result<Vec<AxiomEvent>, &'static str> {
    let (Some(Json::List(fields)), columns) = (table.get("fields"), table.get("columns")) else {
        return Err(NO_COLUMNS);
    };
    let columns = match columns {
        Some(Json::List(columns)) => columns,
        None | Some(Json::Null) => return Ok(Vec::new()),
        Some(_) => return Err(NO_COLUMNS),
    };
    let named = fields.iter().zip(columns).map(|(field, column)| match (field.get("name"), column) {
        (Some(Json::Text(name)), Json::List(values)) => Ok((name, values)),
        _ => Err(NO_COLUMNS),
    });
    let named: Vec<(&String, &Vec<Json>)> = named.collect::<Result<_, _>>()?;
    let rows = named.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
    let row = |index: usize| {
        let cells = named.iter().filter_map(|(name, values)| Some((*name, values.get(index)?)));
        let cells = cells.filter(|(_, value)| **value != Json::Null);
        event(cells.map(|(name, value)| (name.clone(), value.clone())).collect()).ok_or(NO_TIME)
    };
    (0..rows).map(row).collect()
}

fn event(members: BTreeMap<String, Json>) -> Option<AxiomEvent> {
    let time = members.get("_time")?.text()?.to_owned();
    Some(AxiomEvent { time, line: Json::Object(members).to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        events(&Json::parse(text.as_bytes()).unwrap()).unwrap().into_iter().map(|event| event.line).collect()
    }

    #[test]
    fn columns_become_lines() {
        let tabular = r#"{"format":"tabular","tables":[{"fields":[{"name":"_time"},{"name":"a.b"},{"name":"t"}],
            "columns":[["2026-01-01T00:00:00Z","2026-01-01T00:00:01Z"],[0.1,null],["x\"\n\u0001é",[1,{"k":true}]]]}]}"#;
        assert_eq!(lines(tabular)[1], r#"{"_time":"2026-01-01T00:00:01Z","t":[1,{"k":true}]}"#);
        let first = Json::parse(lines(tabular)[0].as_bytes()).unwrap();
        assert_eq!(first.get("t").and_then(Json::text), Some("x\"\n\u{1}é"));
        assert_eq!(first.get("a.b"), Some(&Json::Number(0.1)));
    }

    #[test]
    fn what_is_no_reply_is_an_error_that_says_why() {
        let of = |text: &str| events(&Json::parse(text.as_bytes()).unwrap());
        assert_eq!(of(r#"{"message":"no"}"#), Err(NO_EVENTS));
        assert_eq!(of(r#"{"tables":[{"fields":[{"name":"_time"}],"columns":null}]}"#), Ok(Vec::new()));
        assert_eq!(of(r#"{"tables":[{"fields":[{"name":"x"}],"columns":[[1]]}]}"#), Err(NO_TIME));
        assert_eq!(of(r#"{"tables":[{"fields":[{"name":"_time"}],"columns":[1]}]}"#), Err(NO_COLUMNS));
    }
}
