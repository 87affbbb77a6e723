//! Events of a pipeline from Axiom, as if their export had been dropped.

use rundown_axiom::{AxiomClient, AxiomError, Pages};
use rundown_format::rfc3339;
use rundown_http::{ApiKey, CancelToken, HttpSession};
use rundown_ingest as ingest;
use rundown_protocol::{QueryField, ServerListing, ServerQuery, ServerRun, ServerRuns};

use super::fetched::Fetched;
use super::transport::{Fetch, seed};

/// Hours looked back over unless the user says otherwise.
const HOURS: f64 = 24.0;

/// What there is to fetch: one piece, the events of the hours asked for.
pub fn listing(query: &ServerQuery) -> ServerListing {
    let dataset = query.field(QueryField::Address);
    let missing = match (dataset.is_empty(), query.field(QueryField::Key).is_empty()) {
        (true, _) => "Name the dataset that the pipeline writes its events to.",
        (_, true) => "Axiom shows nothing without a token: make one with the right to query this dataset.",
        _ => {
            let hours = hours(query);
            let detail = format!("the last {hours} hours");
            let row = ServerRun { id: dataset.to_owned(), name: dataset.to_owned(), detail };
            let text = "The server filters by time; nothing is filtered here.".to_owned();
            return ServerListing::Runs(ServerRuns { text, runs: vec![row], needs_local_filter: false });
        }
    };
    ServerListing::failed(missing)
}

/// Fetches the events.
pub async fn fetch(query: &ServerQuery, cancel: CancelToken, mut progress: impl FnMut(u64), fetched: &mut Fetched) {
    let Some(token) = ApiKey::new(query.field(QueryField::Key)) else { return };
    let dataset = query.field(QueryField::Address).to_owned();
    let now = js_sys::Date::now() / 1e3;
    let (start, end) = (rfc3339(now - hours(query) * 3_600.0), rfc3339(now));
    let server = Some(query.field(QueryField::Server)).filter(|server| !server.is_empty());
    let session = HttpSession::new(Fetch, seed()).with_cancel(cancel);
    let client = AxiomClient::new(session, server, token);
    let mut file = ingest::open(&format!("{dataset}.ndjson"), u64::MAX);
    let mut pages = Pages::new(dataset, &start, &end);
    while !pages.is_done() {
        match client.next_page(&mut pages).await {
            Ok(lines) => file.push(&lines),
            Err(AxiomError::Cancelled) if pages.events == 0 => return,
            Err(AxiomError::Cancelled) => break,
            Err(error) => {
                fetched.fault = error.to_string();
                break;
            }
        }
        progress(pages.events);
    }
    if pages.is_incomplete {
        "More events share one moment than Axiom gives at once: some are missing.".clone_into(&mut fetched.fault);
    }
    if pages.events > 0 {
        fetched.outcomes.push(file.finish());
    } else if fetched.fault.is_empty() {
        "The dataset has no events in these hours: look back further.".clone_into(&mut fetched.fault);
    }
}

fn hours(query: &ServerQuery) -> f64 {
    query.field(QueryField::Count).parse().ok().filter(|hours| *hours > 0.0).unwrap_or(HOURS)
}
