//! Where an output of a cell holds what it shows: nbformat 4 keeps it under its media type in `data`, nbformat 3 beside it.

use crate::syntax::json::Json;

/// The HTML that an output shows.
pub(super) fn html(output: &Json) -> Option<String> {
    text(output.get("data").and_then(|data| data.get("text/html")).or_else(|| output.get("html")))
}

/// The plain text of the value that an output shows; what was printed is a text of its own.
pub(super) fn plain(output: &Json) -> Option<String> {
    text(output.get("data").and_then(|data| data.get("text/plain")))
}

/// What a cell runs: nbformat 3 calls it `input`.
pub(super) fn source(cell: &Json) -> Option<String> {
    text(cell.get("source").or_else(|| cell.get("input")))
}

/// A text of a notebook, which may be cut into lines.
pub(super) fn text(json: Option<&Json>) -> Option<String> {
    match json? {
        Json::Text(text) => Some(text.clone()),
        Json::List(lines) => Some(lines.iter().filter_map(Json::text).collect()),
        _ => None,
    }
}
