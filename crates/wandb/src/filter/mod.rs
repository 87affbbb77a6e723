//! Filters the runs of a W&B project by a query: what the server filters by, what the page checks in the server's list,
//! and what has to wait until the runs are loaded.
//!
//! No part of the query is dropped. The list carries only the settings that the query names; as a name may be the end
//! of a longer key, the list is requested again with whole configs where a run lacks a setting of that name.

mod row;
mod translate;

use row::ListedRun;
use translate::translate;

use super::cursors::Cursors;
use super::{ApiError, ListColumns, RunInfo, RunSelection, WandbClient};
use rundown_http::Transport;
use rundown_query::{Query, QueryError};

/// Most runs of a project that are checked: beyond it the user should narrow the server's filter.
const MAX_RUNS: usize = 5_000;
/// Most pages of a list that are requested, however few runs each holds.
const MAX_PAGES: usize = 400;

/// A query, divided between the server, the page, and the time when the runs are loaded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunFilter {
    /// The server's filter; `None` for all runs.
    filter: Option<serde_json::Value>,
    /// What the page checks, including what stays undecided until the runs are loaded.
    rest: Query,
    /// Keys by which the server filters.
    server_keys: Vec<String>,
    /// Keys that the page checks and the server does not.
    page_keys: Vec<String>,
    /// True when the page checks a key by which the server filters as well.
    is_refined: bool,
    /// Keys that only loaded runs show.
    loaded_keys: Vec<String>,
}

/// The runs that a filter passed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FilteredRuns {
    /// The runs, in the order of the selection.
    pub runs: Vec<RunInfo>,
    /// True when [`MAX_RUNS`] or [`MAX_PAGES`] ended the search: there may be more.
    pub is_truncated: bool,
}

impl RunFilter {
    /// Parses a query; an empty one passes every run.
    ///
    /// # Errors
    /// What is wrong with the query, and where.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        let translated = translate(&Query::parse(text)?);
        let (rest, server_keys) = (translated.rest, translated.server_keys);
        let loaded_keys = rest.keys_after_loading();
        let in_page: Vec<String> = rest.keys().into_iter().filter(|key| !loaded_keys.contains(key)).collect();
        let is_refined = in_page.iter().any(|key| server_keys.contains(key));
        let page_keys = in_page.into_iter().filter(|key| !server_keys.contains(key)).collect();
        let filter = (!server_keys.is_empty()).then_some(translated.filter);
        Ok(Self { filter, rest, server_keys, page_keys, is_refined, loaded_keys })
    }

    /// One line for the user: what the server, the page and the run list filter by.
    pub fn description(&self, selection: &RunSelection) -> String {
        let by_server: Vec<&str> =
            selection.words().into_iter().chain(self.server_keys.iter().map(|key| short(key))).collect();
        let in_page: Vec<&str> = self.page_keys.iter().map(|key| short(key)).collect();
        let in_page = match in_page.as_slice() {
            [] if self.is_refined => Some("in this page".to_owned()),
            [] => None,
            keys => Some(format!("in this page ({})", keys.join(", "))),
        };
        let mut text = match (by_server.is_empty(), in_page) {
            (true, None) => "All runs of the project are listed.".to_owned(),
            (true, Some(in_page)) => format!("Filtered {in_page}: every run of the project was checked."),
            (false, None) => format!("Filtered by W&B ({}).", by_server.join(", ")),
            (false, Some(in_page)) => format!("Filtered by W&B ({}) and {in_page}.", by_server.join(", ")),
        };
        if !self.loaded_keys.is_empty() {
            let keys = self.loaded_keys.join(", ");
            text.push_str(&format!(" The run list filters by {keys} once the runs are loaded."));
        }
        text
    }

    /// True when a part of the query can be decided only for loaded runs.
    pub fn needs_loading(&self) -> bool {
        !self.loaded_keys.is_empty()
    }

    /// The runs of a project that the query may select, at most `limit`.
    ///
    /// # Errors
    /// As [`Client::list_runs`].
    pub async fn runs<T: Transport>(
        &self,
        client: &WandbClient<T>,
        (entity, project): (&str, &str),
        selection: &RunSelection,
        limit: usize,
    ) -> Result<FilteredRuns, ApiError> {
        let selection = RunSelection { filter: self.filter.clone(), ..selection.clone() };
        let mut columns = self.columns();
        let mut filtered = FilteredRuns::default();
        let mut checked = 0;
        let mut after: Option<String> = None;
        let mut cursors = Cursors::default();
        for _ in 0..MAX_PAGES {
            let page = client.list_runs(entity, project, &selection, &columns, after.as_deref()).await?;
            let mut rows = page.entries.iter().map(|run| ListedRun { run, project });
            if !columns.whole_config && rows.any(|row| self.rest.lacks_settings(&row)) {
                columns.whole_config = true;
                continue;
            }
            checked += page.entries.len();
            let may_match = page.entries.into_iter().filter(|run| self.rest.may_match(&ListedRun { run, project }));
            filtered.runs.extend(may_match);
            if filtered.runs.len() >= limit || page.next.is_none() {
                filtered.runs.truncate(limit);
                return Ok(filtered);
            }
            if checked >= MAX_RUNS {
                break;
            }
            after = cursors.follow(page.next, "Runs")?;
        }
        filtered.is_truncated = true;
        Ok(filtered)
    }

    /// The columns that the list must carry. A dot may be part of a name or its nesting, so that both are requested.
    fn columns(&self) -> ListColumns {
        let with_sections = |keys: Vec<String>| {
            let mut all: Vec<String> = Vec::new();
            for key in keys {
                let section = key.split('.').next().map(str::to_owned);
                for wanted in [Some(key), section].into_iter().flatten() {
                    if !wanted.is_empty() && !all.contains(&wanted) {
                        all.push(wanted);
                    }
                }
            }
            all
        };
        let (settings, metrics) = self.rest.column_keys();
        ListColumns { config: with_sections(settings), summary: with_sections(metrics), whole_config: false }
    }
}

/// A key without `config.`.
fn short(key: &str) -> &str {
    key.strip_prefix("config.").unwrap_or(key)
}

#[cfg(test)]
mod tests;
