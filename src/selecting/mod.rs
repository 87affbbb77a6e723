//! Chooses runs of a W&B project by a query: what the server filters by, what is asked of its list here, and what has to
//! wait until the runs are read.
//!
//! Nothing that the query means is ever left out. A list carries only the settings that the query names; as a name may
//! be the end of a longer one, the list is asked for again with whole configs where a run has no setting of that name.

use crate::compare::Entry;
use crate::compare::query::{Query, QueryError, to_wandb_filter};
use crate::http::Transport;
use crate::run::ConfigValue;
use crate::wandb::{ApiError, Client, Columns, RunInfo, Selection};

/// Runs looked at in all: beyond it the user should ask the server for less.
const MOST_LOOKED_AT: usize = 5_000;
/// Answers looked at in all, however little is in each.
const MOST_PAGES: usize = 400;

/// A query, shared out between the server, this program, and the time when the runs are read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choice {
    /// The server's part.
    filter: Option<serde_json::Value>,
    /// What is asked here; open parts included.
    rest: Query,
    /// Keys that the server alone decides.
    by_server: Vec<String>,
    /// Keys by which the server narrows the list, which is finished here.
    narrowed: Vec<String>,
    /// Keys that are decided here alone.
    here: Vec<String>,
    /// Keys that only the runs themselves show.
    open: Vec<String>,
}

/// Runs that were chosen.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chosen {
    /// The runs, in the order of the selection.
    pub runs: Vec<RunInfo>,
    /// True when there may be more, because too many runs were looked at.
    pub is_cut: bool,
}

impl Choice {
    /// Reads a query as it was typed; an empty one chooses all runs.
    ///
    /// # Errors
    /// Says what is wrong with it, and where.
    pub fn read(text: &str) -> Result<Self, QueryError> {
        let shared = to_wandb_filter(&Query::parse(text)?);
        let rest = shared.rest.unwrap_or_default();
        let open = rest.open_keys();
        let is_here = |key: &String| shared.here.contains(key) && !open.contains(key);
        let is_sent = |key: &String| shared.sent.contains(key);
        let keys = |keys: &[String], is_wanted: &dyn Fn(&String) -> bool| -> Vec<String> {
            keys.iter().filter(|key| is_wanted(key)).cloned().collect()
        };
        Ok(Self {
            by_server: keys(&shared.sent, &|key| !shared.here.contains(key)),
            narrowed: keys(&shared.here, &|key| is_here(key) && is_sent(key)),
            here: keys(&shared.here, &|key| is_here(key) && !is_sent(key)),
            filter: (!shared.sent.is_empty()).then_some(shared.filter),
            open,
            rest,
        })
    }

    /// One line for the user: who decided what, and what is left open.
    pub fn says(&self, selection: &Selection) -> String {
        let mut by_server = selection.words();
        by_server.extend(self.by_server.iter().cloned());
        let mut said = Vec::new();
        if !by_server.is_empty() {
            said.push(format!("W&B filtered by {}.", by_server.join(", ")));
        }
        if !self.narrowed.is_empty() {
            said.push(format!("W&B narrowed by {}, and this page finished it.", self.narrowed.join(", ")));
        }
        if !self.here.is_empty() {
            let all = if said.is_empty() { ", and looked at every run of the project for it" } else { "" };
            said.push(format!("This page filtered by {}{all}.", self.here.join(", ")));
        }
        if said.is_empty() {
            said.push("All runs of the project are listed.".to_owned());
        }
        if !self.open.is_empty() {
            said.push(format!(
                "Only the runs themselves show {}: the filter of the run list asks for it once they are loaded.",
                self.open.join(", ")
            ));
        }
        said.join(" ")
    }

    /// True when a part of the query has to be asked again once the runs are read.
    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// The runs of a project that the query may select, at most `limit`.
    ///
    /// # Errors
    /// As [`Client::list_runs`].
    pub async fn runs<T: Transport>(
        &self,
        client: &Client<T>,
        (entity, project): (&str, &str),
        selection: &Selection,
        limit: usize,
    ) -> Result<Chosen, ApiError> {
        let selection = Selection { filter: self.filter.clone(), ..selection.clone() };
        let mut columns = self.columns();
        let mut chosen = Chosen::default();
        let mut looked_at = 0;
        let mut after: Option<String> = None;
        for _ in 0..MOST_PAGES {
            let page = client.list_runs(entity, project, &selection, &columns, after.as_deref()).await?;
            let listed: Vec<Entry> = page.entries.iter().map(|run| entry(run, project)).collect();
            if !columns.whole_config && listed.iter().any(|run| self.rest.misses_settings(run)) {
                columns.whole_config = true;
                continue;
            }
            looked_at += listed.len();
            let may_match = page.entries.into_iter().zip(&listed).filter(|(_, listed)| self.rest.may_match(listed));
            chosen.runs.extend(may_match.map(|(run, _)| run));
            // A server that gives the same cursor again would never end.
            if chosen.runs.len() >= limit || page.next.is_none() || page.next == after {
                chosen.runs.truncate(limit);
                return Ok(chosen);
            }
            if looked_at >= MOST_LOOKED_AT {
                break;
            }
            after = page.next;
        }
        chosen.is_cut = true;
        Ok(chosen)
    }

    /// What the list must carry. A dot may belong to a name or to its nesting, so that both are asked for.
    fn columns(&self) -> Columns {
        let with_tops = |keys: Vec<String>| {
            let mut all: Vec<String> = Vec::new();
            for key in keys {
                let top = key.split('.').next().unwrap_or_default().to_owned();
                for wanted in [key, top] {
                    if !wanted.is_empty() && !all.contains(&wanted) {
                        all.push(wanted);
                    }
                }
            }
            all
        };
        let (settings, metrics) = self.rest.listed_keys();
        Columns { config: with_tops(settings), summary: with_tops(metrics), whole_config: false }
    }
}

/// What a list tells of a run; nothing of what only its reading shows.
fn entry(run: &RunInfo, project: &str) -> Entry {
    let number = |value: &ConfigValue| match value {
        ConfigValue::Number(number) if number.is_finite() => Some(*number),
        _ => None,
    };
    Entry {
        id: run.id.clone(),
        name: run.name.clone(),
        project: Some(project.to_owned()),
        group: run.group.clone(),
        job_type: run.job_type.clone(),
        sweep: run.sweep.clone(),
        notes: run.notes.clone(),
        tags: run.tags.clone(),
        started_at: run.created_at,
        state: run.known_state,
        config: run.config.clone(),
        last: run.summary.iter().filter_map(|(key, value)| Some((key.to_owned(), number(value)?))).collect(),
        ..Entry::default()
    }
}

#[cfg(test)]
mod tests;
