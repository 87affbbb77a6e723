//! Lists of projects and runs, with only the columns that are shown.

use serde_json::{Value, json};

use super::client::{WandbClient, nodes};
use super::decode::{config, ending, json_in, summary};
use super::reference::{Reference, RunRef, What};
use super::selection::RunSelection;
use super::{ApiError, queries};
use rundown_http::Transport;
use rundown_ingest::json::{Json, JsonError};
use rundown_run::{Config, RunState, iso_seconds};

/// Entries of a page. More makes answers slow, fewer makes many of them.
const PAGE: usize = 50;
/// The same where each entry has its whole config.
const SMALL_PAGE: usize = 20;

/// Part of a list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page<E> {
    /// Entries.
    pub entries: Vec<E>,
    /// Give it to get the next page; none on the last one.
    pub next: Option<String>,
}

/// A project.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProjectInfo {
    /// User or team.
    pub entity: String,
    /// Name.
    pub name: String,
}

/// A run as a list shows it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunInfo {
    /// Run id.
    pub id: String,
    /// Name to show; not unique.
    pub name: String,
    /// State in W&B's words.
    pub state: String,
    /// State.
    pub run_state: RunState,
    /// Group.
    pub group: Option<String>,
    /// Job type.
    pub job_type: Option<String>,
    /// Sweep id.
    pub sweep: Option<String>,
    /// Free text by the user.
    pub notes: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// Unix seconds.
    pub created_at: Option<f64>,
    /// Rows in its history.
    pub rows: u64,
    /// The settings that were asked for.
    pub config: Config,
    /// The final values that were asked for.
    pub summary: Config,
}

/// What of each run a list carries besides what it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListColumns {
    /// Top-level keys of settings.
    pub config: Vec<String>,
    /// Keys of final values.
    pub summary: Vec<String>,
    /// All settings, whatever `config` says: pages are smaller then, for a config may be large.
    pub whole_config: bool,
}

impl<T: Transport> WandbClient<T> {
    /// Projects of a user or team, those with the newest activity first.
    ///
    /// # Errors
    /// The server's.
    pub async fn list_projects(&self, entity: &str, after: Option<&str>) -> Result<Page<ProjectInfo>, ApiError> {
        let variables = json!({ "entityName": entity, "first": PAGE, "after": after, "order": "-lastActive" });
        let what = format!("projects of {entity}");
        let answer = self.query("Projects", queries::PROJECTS, variables, &what).await?;
        let projects = answer.data.get("projects").filter(|projects| **projects != Json::Null);
        let found = nodes(projects.ok_or_else(|| self.not_found(&what))?);
        let (found, next) = found.ok_or_else(|| answer.malformed())?;
        let entries = found.into_iter().filter_map(|node| project_info(node, entity)).collect();
        Ok(Page { entries, next })
    }

    /// One page of the runs that a selection names, with these columns.
    ///
    /// # Errors
    /// [`ApiError::NotFound`] for a project that does not exist or is private, and the server's.
    pub async fn list_runs(
        &self,
        entity: &str,
        project: &str,
        selection: &RunSelection,
        columns: &ListColumns,
        after: Option<&str>,
    ) -> Result<Page<RunInfo>, ApiError> {
        let (query, first) =
            if columns.whole_config { (queries::RUNS_AND_CONFIGS, SMALL_PAGE) } else { (queries::RUNS, PAGE) };
        let mut variables = json!({
            "entity": entity, "project": project, "cursor": after, "perPage": first,
            "filters": selection.filters(), "order": selection.order_argument(),
            "summaryKeys": never_empty(&columns.summary),
        });
        if let (false, Value::Object(variables)) = (columns.whole_config, &mut variables) {
            variables.insert("configKeys".to_owned(), never_empty(&columns.config));
        }
        let what = format!("project {entity}/{project}");
        let answer = self.query("Runs", query, variables, &what).await?;
        let found = answer.data.get("project").filter(|project| **project != Json::Null);
        let found = found.ok_or_else(|| self.not_found(&what))?;
        let (runs, next) = found.get("runs").and_then(nodes).ok_or_else(|| answer.malformed())?;
        let entries = runs.into_iter().filter_map(|node| run_info(node).transpose());
        let entries = entries.collect::<Result<_, _>>().map_err(|_| answer.malformed())?;
        Ok(Page { entries, next })
    }
}

impl Reference {
    /// The runs that the reference means, before the user chose any further.
    pub fn selection(&self) -> RunSelection {
        let mut selection = RunSelection::default();
        match &self.what {
            What::Run(id) => selection.ids_or_names = vec![id.clone()],
            What::Group(group) => selection.group = Some(group.clone()),
            What::Sweep(sweep) => selection.sweep = Some(sweep.clone()),
            What::Project | What::Report(_) => {}
        }
        selection
    }
}

impl RunInfo {
    /// The run's full name within a project.
    pub fn place(&self, entity: &str, project: &str) -> RunRef {
        RunRef { entity: entity.to_owned(), project: project.to_owned(), id: self.id.clone() }
    }
}

/// A list of keys without any may mean all of them, which can be megabytes: a name that no run has means none.
fn never_empty(keys: &[String]) -> Value {
    if keys.is_empty() { json!(["-"]) } else { json!(keys) }
}

fn project_info(node: &Json, entity: &str) -> Option<ProjectInfo> {
    let entity = node.owned_text("entityName").unwrap_or_else(|| entity.to_owned());
    Some(ProjectInfo { entity, name: node.owned_text("name")? })
}

/// A run of a list; `None` for a node without an id.
fn run_info(node: &Json) -> Result<Option<RunInfo>, JsonError> {
    let text = |key: &str| node.text_at(key).filter(|text| !text.is_empty()).map(str::to_owned);
    let Some(id) = text("name") else { return Ok(None) };
    let state = text("state").unwrap_or_default();
    Ok(Some(RunInfo {
        name: text("displayName").unwrap_or_else(|| id.clone()),
        id,
        run_state: ending(&state, None).state,
        state,
        group: text("group"),
        job_type: text("jobType"),
        sweep: text("sweepName"),
        notes: text("notes"),
        tags: node.texts("tags"),
        created_at: text("createdAt").as_deref().and_then(iso_seconds),
        rows: node.metric_at("historyLineCount").map_or(0, |rows| rows.max(0.0) as u64),
        config: config(node.get("config"))?.0,
        summary: summary(json_in(node.get("summaryMetrics"))?),
    }))
}
