//! Files, tables and artifacts of a run, on demand.
//!
//! A file has two addresses: `directUrl`, signed and in a bucket, which must not see the key, and `url` on the API's
//! own host, which needs it.

use serde_json::json;

use super::client::{Client, at, nodes};
use super::reference::RunRef;
use super::{ApiError, queries};
use crate::ingest::json::Json;
use crate::remote::Transport;

/// Files of a page.
const PAGE: usize = 100;
/// Pages at most: a run with more files than that is listed in part.
const MOST_PAGES: usize = 50;

/// A file of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunFile {
    /// Path below the run's `files` folder.
    pub name: String,
    /// Size, where the server says it.
    pub bytes: Option<u64>,
    /// Signed address, which expires.
    direct_url: Option<String>,
    /// Address on the API's host.
    url: Option<String>,
}

/// An artifact that a run made.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Artifact {
    /// Name with its version, such as `eval-table:v3`.
    pub name: String,
    /// Type, such as `run_table`.
    pub kind: String,
    /// Size in bytes.
    pub bytes: Option<u64>,
    /// Number of files.
    pub files: Option<u64>,
    /// Aliases, such as `latest`.
    pub aliases: Vec<String>,
}

impl<T: Transport> Client<T> {
    /// Files of a run whose path matches `pattern` (SQL's LIKE, such as `media/table/%.json`); all without one. The
    /// second value is true when there are more.
    ///
    /// # Errors
    /// The server's.
    pub async fn files(&self, run: &RunRef, pattern: Option<&str>) -> Result<(Vec<RunFile>, bool), ApiError> {
        let variables = |cursor: Option<&str>| json!({ "fileCursor": cursor, "fileLimit": PAGE, "pattern": pattern });
        let mut found = Vec::new();
        let mut cursor: Option<String> = None;
        for _ in 0..MOST_PAGES {
            let answer = self.run_query("RunFiles", queries::FILES, run, variables(cursor.as_deref())).await?;
            let connection = answer.data.get("files").ok_or_else(|| answer.malformed())?;
            let (files, next) = nodes(connection);
            found.extend(files.into_iter().filter_map(run_file));
            if next.is_none() || next == cursor {
                return Ok((found, false));
            }
            cursor = next;
        }
        Ok((found, true))
    }

    /// Tables that a run logged: `media/table/….table.json`.
    ///
    /// # Errors
    /// The server's.
    pub async fn tables(&self, run: &RunRef) -> Result<Vec<RunFile>, ApiError> {
        self.files(run, Some("media/table/%.table.json")).await.map(|(files, _)| files)
    }

    /// Reads a file. A signed address that has expired is asked for again once.
    ///
    /// # Errors
    /// The server's.
    pub async fn read_file(&self, run: &RunRef, file: &RunFile) -> Result<Vec<u8>, ApiError> {
        match (&file.direct_url, &file.url) {
            (Some(direct), _) => match self.signed(direct, None).await {
                Err(ApiError::Refused { status: 403, .. }) => {
                    let (fresh, _) = self.files(run, Some(&like(&file.name))).await?;
                    let fresh = fresh.into_iter().find(|other| other.name == file.name);
                    let direct = fresh.and_then(|file| file.direct_url);
                    self.signed(&direct.ok_or_else(|| self.not_found(&file.name))?, None).await
                }
                other => other,
            },
            (None, Some(url)) => self.own_file(url).await,
            (None, None) => Err(self.not_found(&file.name)),
        }
    }

    /// Artifacts that a run made, the first hundred.
    ///
    /// # Errors
    /// The server's.
    pub async fn artifacts(&self, run: &RunRef) -> Result<Vec<Artifact>, ApiError> {
        let variables = json!({ "cursor": null, "perPage": PAGE });
        let answer = self.run_query("RunOutputArtifacts", queries::ARTIFACTS, run, variables).await?;
        let connection = answer.data.get("outputArtifacts").ok_or_else(|| answer.malformed())?;
        Ok(nodes(connection).0.into_iter().filter_map(artifact).collect())
    }
}

/// LIKE reads `%` and `_` as wild cards: a pattern that matches the name and little else.
fn like(name: &str) -> String {
    name.replace('%', "_")
}

fn run_file(node: &Json) -> Option<RunFile> {
    let text = |key: &str| node.get(key).and_then(Json::text).filter(|text| !text.is_empty()).map(str::to_owned);
    // Sizes are 64-bit, which some servers write as strings.
    let size = node.get("sizeBytes").and_then(|size| size.metric().or_else(|| size.text()?.parse().ok()));
    let bytes = size.filter(|size| *size >= 0.0).map(|size| size as u64);
    Some(RunFile { name: text("name")?, bytes, direct_url: text("directUrl"), url: text("url") })
}

fn artifact(node: &Json) -> Option<Artifact> {
    let number = |key: &str| node.get(key).and_then(Json::metric).filter(|n| *n >= 0.0).map(|n| n as u64);
    let base = at(node, &["artifactSequence", "name"])?.text()?;
    let version = number("versionIndex").map_or(String::new(), |index| format!(":v{index}"));
    let aliases = match node.get("aliases") {
        Some(Json::List(list)) => {
            list.iter().filter_map(|alias| Some(alias.get("alias")?.text()?.to_owned())).collect()
        }
        _ => Vec::new(),
    };
    Some(Artifact {
        name: format!("{base}{version}"),
        kind: at(node, &["artifactType", "name"]).and_then(Json::text).unwrap_or_default().to_owned(),
        bytes: number("size"),
        files: number("fileCount"),
        aliases,
    })
}
