//! Which runs a query selects, and how it could go on.

use rundown_compare::RunSummary;
use rundown_format::redact;
use rundown_protocol::QueryMatches;
use rundown_query::{CompletionIndex, Query, SuggestionKind, complete};

/// Most ways to go on that are offered.
const MAX_SUGGESTIONS: usize = 12;

/// Answers a query as it stands while somebody types. `cursor` counts characters.
pub(super) fn matches(summaries: &[&RunSummary], index: &CompletionIndex, query: &str, cursor: u32) -> QueryMatches {
    let completions = completions(index, query, cursor as usize);
    match Query::parse(query) {
        Ok(parsed) => {
            let found = summaries.iter().filter(|summary| parsed.matches(**summary));
            let mut runs: Vec<u32> = found.map(|summary| summary.number).collect();
            runs.sort_unstable();
            let unknown = parsed.unknown_keys(index);
            QueryMatches { runs, completions, unknown, ..QueryMatches::default() }
        }
        Err(error) => {
            let fault = Some((error.at as u32, error.what));
            QueryMatches { fault, completions, ..QueryMatches::default() }
        }
    }
}

/// The whole text with each suggestion in its place, and what the suggestion is.
fn completions(index: &CompletionIndex, query: &str, cursor: usize) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for suggestion in complete(query, cursor, index).into_iter().take(MAX_SUGGESTIONS) {
        // A value of a setting may be a secret: it is not offered then, for what is offered must be right.
        if redact(&suggestion.text) != suggestion.text {
            continue;
        }
        let before: String = query.chars().take(suggestion.start).collect();
        let after: String = query.chars().skip(suggestion.end).collect();
        let kind = match suggestion.kind {
            SuggestionKind::Key => "key",
            SuggestionKind::Operator => "operator",
            SuggestionKind::Value => "value",
            SuggestionKind::Connective => "joins conditions",
        };
        let runs = match suggestion.runs {
            0 => kind.to_owned(),
            1 => format!("{kind}, 1 run"),
            runs => format!("{kind}, {runs} runs"),
        };
        found.push((format!("{before}{}{after}", suggestion.text), runs));
    }
    found
}
