//! Files, tables and artifacts of a run, on demand.
//!
//! A file has two addresses: `directUrl`, signed and in a bucket, which must not see the key, and `url` on the API's
//! own host, which needs it.

use serde_json::json;

use super::client::{ApiAnswer, WandbClient, at, nodes};
use super::cursors::Cursors;
use super::reference::RunRef;
use super::{ApiError, queries};
use rundown_http::{ANSWER_LIMIT, Transport};
use rundown_ingest::json::Json;
use rundown_run::{Artifact, iso_seconds};

/// Files of a page.
const PAGE: usize = 100;
/// Pages at most: a run with more files than that is listed in part.
const MAX_PAGES: usize = 50;

/// Bytes of a file that are read at most.
const MAX_BYTES: u64 = ANSWER_LIMIT;

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

impl RunFile {
    /// Bytes that are read of it: as many as the server announced.
    fn limit(&self) -> u64 {
        self.bytes.unwrap_or(MAX_BYTES).min(MAX_BYTES)
    }
}

/// A page of a list.
pub(crate) struct Listed<I> {
    pub(crate) items: Vec<I>,
    /// Where the next page begins; none on the last one.
    pub(crate) next: Option<String>,
    /// Size and checksum of the answer.
    pub(crate) bytes: u64,
    pub(crate) crc32: u32,
}

impl<T: Transport> WandbClient<T> {
    /// Files of a run whose path matches `pattern` (SQL's LIKE, such as `media/table/%.json`); all without one. The
    /// second value is true when there are more.
    ///
    /// # Errors
    /// The server's.
    pub async fn files(&self, run: &RunRef, pattern: Option<&str>) -> Result<(Vec<RunFile>, bool), ApiError> {
        let mut found = Vec::new();
        let mut cursor: Option<String> = None;
        let mut cursors = Cursors::default();
        for _ in 0..MAX_PAGES {
            let page = self.files_page(run, pattern, cursor.as_deref()).await?;
            found.extend(page.items);
            cursor = cursors.follow(page.next, "RunFiles")?;
            if cursor.is_none() {
                return Ok((found, false));
            }
        }
        Ok((found, true))
    }

    /// A page of what [`Client::files`] gives.
    pub(crate) async fn files_page(
        &self,
        run: &RunRef,
        pattern: Option<&str>,
        cursor: Option<&str>,
    ) -> Result<Listed<RunFile>, ApiError> {
        let variables = json!({ "fileCursor": cursor, "fileLimit": PAGE, "pattern": pattern });
        let answer = self.run_query("RunFiles", queries::FILES, run, variables).await?;
        listed(&answer, "files", run_file)
    }

    /// Reads a file. A signed address that has expired is asked for again once.
    ///
    /// # Errors
    /// The server's.
    pub async fn read_file(&self, run: &RunRef, file: &RunFile) -> Result<Vec<u8>, ApiError> {
        match (&file.direct_url, &file.url) {
            (Some(direct), _) => match self.signed(direct, file.limit()).await {
                Err(ApiError::Refused { status: 403, .. }) => {
                    let (fresh, _) = self.files(run, Some(&like(&file.name))).await?;
                    let fresh = fresh.into_iter().find(|other| other.name == file.name);
                    let direct = fresh.and_then(|file| file.direct_url);
                    self.signed(&direct.ok_or_else(|| self.not_found(&file.name))?, file.limit()).await
                }
                other => other,
            },
            (None, Some(url)) => self.own_file(url, file.limit()).await,
            (None, None) => Err(self.not_found(&file.name)),
        }
    }

    /// A page of the artifacts that a run made.
    pub(crate) async fn artifacts_page(
        &self,
        run: &RunRef,
        cursor: Option<&str>,
    ) -> Result<Listed<Artifact>, ApiError> {
        let variables = json!({ "cursor": cursor, "perPage": PAGE });
        let answer = self.run_query("RunOutputArtifacts", queries::ARTIFACTS, run, variables).await?;
        listed(&answer, "outputArtifacts", artifact)
    }
}

fn listed<I>(answer: &ApiAnswer, member: &str, item: fn(&Json) -> Option<I>) -> Result<Listed<I>, ApiError> {
    let connection = answer.data.get(member).ok_or_else(|| answer.malformed())?;
    let (items, next) = nodes(connection).ok_or_else(|| answer.malformed())?;
    let items = items.into_iter().filter_map(item).collect();
    Ok(Listed { items, next, bytes: answer.bytes, crc32: answer.crc32 })
}

/// LIKE reads `%` and `_` as wild cards: a pattern that matches the name and little else.
fn like(name: &str) -> String {
    name.replace('%', "_")
}

fn run_file(node: &Json) -> Option<RunFile> {
    let text = |key: &str| node.text_at(key).filter(|text| !text.is_empty()).map(str::to_owned);
    // Sizes are 64-bit, which some servers write as strings.
    let size = node.get("sizeBytes").and_then(|size| size.metric().or_else(|| size.text()?.parse().ok()));
    let bytes = size.filter(|size| *size >= 0.0).map(|size| size as u64);
    Some(RunFile { name: text("name")?, bytes, direct_url: text("directUrl"), url: text("url") })
}

fn artifact(node: &Json) -> Option<Artifact> {
    let number = |key: &str| node.metric_at(key).filter(|n| *n >= 0.0);
    let base = at(node, &["artifactSequence", "name"])?.text()?;
    let version = number("versionIndex").map_or(String::new(), |index| format!("v{}", index as u64));
    Some(Artifact {
        name: if version.is_empty() { base.to_owned() } else { format!("{base}:{version}") },
        kind: at(node, &["artifactType", "name"]).and_then(Json::text).unwrap_or_default().to_owned(),
        version,
        aliases: node.items("aliases").iter().filter_map(|alias| alias.owned_text("alias")).collect(),
        bytes: number("size"),
        created_at: node.text_at("createdAt").and_then(iso_seconds),
    })
}
