//! Sends one planned request and reads its answer, without touching what has come before.

use std::collections::BTreeMap;

use serde_json::json;

use super::super::client::{ApiAnswer, WandbClient, take};
use super::super::decode::json_in;
use super::super::reference::RunRef;
use super::super::{ApiError, console, queries};
use super::plan::{BUCKETS, HistoryRequest, SYSTEM_SAMPLES, TIME_KEY, page_samples};
use rundown_http::{Transport, TransportError, host_of};
use rundown_ingest::PartialRun;
use rundown_ingest::json::{Json, JsonError};
use rundown_ingest::{Problem, open};
use rundown_run::{Column, Log};

/// Bytes of a Parquet file that are read at most: its reader holds the file as a whole.
const MAX_PARQUET: u64 = 512_000_000;

/// What an answer held; which parts are set depends on the request.
#[derive(Default)]
pub(crate) struct HistoryReply {
    pub(crate) bytes: u64,
    pub(crate) crc32: u32,
    /// A list of rows or buckets for each spec; of pages and live data one list.
    pub(crate) lists: Vec<Vec<Json>>,
    pub(crate) urls: Vec<String>,
    pub(crate) parts: Vec<PartialRun>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) system: (BTreeMap<String, Column>, Vec<f64>),
    pub(crate) log: Log,
}

/// Sends a request.
pub(crate) async fn fetch<T: Transport>(
    client: &WandbClient<T>,
    place: &RunRef,
    work: &HistoryRequest,
) -> Result<HistoryReply, ApiError> {
    match work {
        HistoryRequest::Sampled(specs) => {
            let specs: Vec<String> = specs.iter().map(super::plan::Spec::to_json).collect();
            let variables = json!({ "specs": specs });
            let answer = client.run_query("RunSampledHistory", queries::SAMPLED, place, variables).await?;
            lists(answer, "sampledHistory", specs.len())
        }
        HistoryRequest::Bucketed(keys) => {
            let specs: Vec<String> = keys
                .iter()
                .map(|key| json!({ "keys": [key], "samples": BUCKETS, "bins": BUCKETS, "xAxis": "_step" }).to_string())
                .collect();
            let variables = json!({ "specs": specs });
            let answer = client.run_query("BucketedHistory", queries::BUCKETED, place, variables).await?;
            lists(answer, "bucketedHistory", keys.len())
        }
        HistoryRequest::Page { from, steps } => {
            let (end, samples) = (from.saturating_add(*steps), page_samples(*steps));
            let variables = json!({ "minStep": from, "maxStep": end, "pageSize": samples });
            let mut answer = client.run_query("HistoryPage", queries::PAGE, place, variables).await?;
            let rows = list(answer.take("history")).ok_or_else(|| answer.malformed())?;
            let rows = rows_of(&rows).map_err(|_| answer.malformed())?;
            Ok(HistoryReply { lists: vec![rows], ..reply(&answer) })
        }
        HistoryRequest::ParquetList => {
            let variables = json!({ "liveKeys": [TIME_KEY, "_step"] });
            let mut answer = client.run_query("RunParquetHistory", queries::PARQUET, place, variables).await?;
            // A run without an export has null here.
            let mut parquet = answer.take("parquetHistory").unwrap_or_default();
            let urls = list_or_null(take(&mut parquet, "parquetUrls")).ok_or_else(|| answer.malformed())?;
            let urls = urls.iter().filter_map(Json::text).map(str::to_owned).collect();
            let live = list_or_null(take(&mut parquet, "liveData")).ok_or_else(|| answer.malformed())?;
            Ok(HistoryReply { urls, lists: vec![live], ..reply(&answer) })
        }
        HistoryRequest::ParquetFile(url) => parquet(client, place, url).await,
        HistoryRequest::System => {
            let variables = json!({ "samples": SYSTEM_SAMPLES });
            let mut answer = client.run_query("RunFullEvents", queries::EVENTS, place, variables).await?;
            let rows = list_or_null(answer.take("events")).ok_or_else(|| answer.malformed())?;
            let rows = rows_of(&rows).map_err(|_| answer.malformed())?;
            Ok(HistoryReply { system: system(rows), ..reply(&answer) })
        }
        HistoryRequest::Console(lines) => {
            let variables = json!({ "last": lines });
            let answer = client.run_query("RunLogLines", queries::LOG_LINES, place, variables).await?;
            Ok(HistoryReply { log: console::log(&answer.data), ..reply(&answer) })
        }
    }
}

fn reply(answer: &ApiAnswer) -> HistoryReply {
    HistoryReply { bytes: answer.bytes, crc32: answer.crc32, ..HistoryReply::default() }
}

/// A list for each spec; anything else would give one metric the values of another.
fn lists(mut answer: ApiAnswer, field: &str, expected: usize) -> Result<HistoryReply, ApiError> {
    let outer = list(answer.take(field)).filter(|outer| outer.len() == expected);
    let outer = outer.ok_or_else(|| answer.malformed())?;
    let lists: Option<Vec<Vec<Json>>> = outer.into_iter().map(|inner| list_or_null(Some(inner))).collect();
    Ok(HistoryReply { lists: lists.ok_or_else(|| answer.malformed())?, ..reply(&answer) })
}

fn list(json: Option<Json>) -> Option<Vec<Json>> {
    match json {
        Some(Json::List(list)) => Some(list),
        _ => None,
    }
}

/// A list; empty for null or a missing one, `None` for anything else.
fn list_or_null(json: Option<Json>) -> Option<Vec<Json>> {
    match json {
        None | Some(Json::Null) => Some(Vec::new()),
        other => list(other),
    }
}

/// Whole rows, which come as strings of JSON.
fn rows_of(rows: &[Json]) -> Result<Vec<Json>, JsonError> {
    rows.iter().map(|row| json_in(Some(row))).collect()
}

async fn parquet<T: Transport>(client: &WandbClient<T>, place: &RunRef, url: &str) -> Result<HistoryReply, ApiError> {
    let name = format!("{}/{}.runhistory.parquet", place.path(), place.id);
    // A server may refuse to tell the size: then the length of the answer itself decides.
    let announced = client.signed_size(url).await.ok().flatten();
    if announced.is_some_and(|size| size > MAX_PARQUET) {
        let (server, limit) = (host_of(url).unwrap_or_default().to_owned(), MAX_PARQUET);
        return Err(ApiError::Rejected { server, what: TransportError::TooLarge { limit } });
    }
    let bytes = client.signed(url, announced.unwrap_or(MAX_PARQUET)).await?;
    let mut file = open(&name, bytes.len() as u64);
    file.push(&bytes);
    let outcome = file.finish();
    Ok(HistoryReply {
        bytes: bytes.len() as u64,
        crc32: crc32fast::hash(&bytes),
        parts: outcome.parts,
        problems: outcome.problems,
        ..HistoryReply::default()
    })
}

/// Rows of the machine's metrics: the site shows them with `system.`, the run's own file without.
fn system(rows: Vec<Json>) -> (BTreeMap<String, Column>, Vec<f64>) {
    let mut parsed: Vec<(f64, Json)> = rows
        .into_iter()
        .filter_map(|row| Some((row.metric_at("_timestamp")?, row)))
        .filter(|(time, _)| time.is_finite())
        .collect();
    parsed.sort_by(|left, right| left.0.total_cmp(&right.0));
    let mut columns: BTreeMap<String, Column> = BTreeMap::new();
    let mut times = Vec::with_capacity(parsed.len());
    for (row, (time, values)) in parsed.into_iter().enumerate() {
        times.push(time);
        let Json::Object(members) = values else { continue };
        for (key, value) in &members {
            if let (Some(name), Some(number)) = (key.strip_prefix("system."), value.metric()) {
                columns.entry(name.to_owned()).or_default().push(row as u32, number);
            }
        }
    }
    (columns, times)
}
