//! Requests for what a server has: which runs, or which projects, and what to do where it gives none.

use super::hosts::{self, reference};
use super::servers::{client, explained};
use super::{Shared, axiom, post};
use rundown_format::rfc3339;
use rundown_http::CancelToken;
use rundown_protocol::{
    Fault, QueryField, Reply, ServerListing, ServerQuery, ServerRun, ServerRuns, Service, Workaround,
};
use rundown_wandb::{
    ApiError, CorsWorkaround, Order, Reference, RunFilter, RunInfo, RunSelection, exporter_script, proxy_script,
};

/// Runs that are offered when the user names no number.
const OFFERED: usize = 50;
/// Times that a list is asked for, with half a minute of pauses: somebody waits for it.
const ATTEMPTS: u32 = 5;

/// Answers request `id` with what a server has.
pub async fn browse(shared: Shared, id: u32, query: ServerQuery) {
    let cancel = shared.begin_asking(id);
    let listing = match hosts::unnamed(&query) {
        Err(text) => ServerListing::failed(text),
        Ok(hosts) if !hosts.is_empty() => ServerListing::UnnamedHosts(hosts),
        Ok(_) => match query.service {
            Service::Wandb => listing(&query, cancel).await,
            Service::Axiom => axiom::listing(&query),
        },
    };
    shared.end_asking(id);
    let answer = if shared.was_cancelled(id) { Err(Fault::Cancelled) } else { Ok(Reply::Listing(listing)) };
    post::answer(id, answer, Vec::new());
}

async fn listing(query: &ServerQuery, cancel: CancelToken) -> ServerListing {
    let reference = match reference(query) {
        Ok(reference) => reference,
        Err(text) => return ServerListing::failed(text),
    };
    let Some(project) = reference.project.clone() else {
        return projects(query, &reference, cancel).await;
    };
    // Not trimmed, so that what is wrong is said at its place.
    let typed = query.fields.get(QueryField::Query as usize).map_or("", String::as_str);
    let filter = match RunFilter::parse(typed) {
        Ok(filter) => filter,
        Err(error) => return ServerListing::InvalidQuery { at: error.at as u32, what: error.what },
    };
    let selection = RunSelection { order: order(query), ..reference.selection() };
    let most = query.field(QueryField::Count).parse().unwrap_or(OFFERED);
    let client = client(query, &reference, cancel, ATTEMPTS);
    match filter.runs(&client, (&reference.entity, &project), &selection, most).await {
        Ok(chosen) => {
            let mut text = filter.description(&selection);
            if chosen.runs.is_empty() {
                text.push_str(" No run matches: relax the query.");
            } else if chosen.is_truncated {
                text.push_str(" There may be more: narrow the query to see them.");
            }
            let runs = chosen.runs.into_iter().map(row).collect();
            ServerListing::Runs(ServerRuns { text, runs, needs_local_filter: filter.needs_loading() })
        }
        Err(error) => failed(&error, &reference),
    }
}

fn row(run: RunInfo) -> ServerRun {
    let mut detail = vec![run.state, format!("{} rows", run.rows)];
    let minute = |seconds: f64| rfc3339(seconds).chars().take(16).collect::<String>().replace('T', " ");
    detail.extend(run.created_at.map(minute));
    detail.extend((!run.tags.is_empty()).then(|| run.tags.join(", ")));
    ServerRun { id: run.id, name: run.name, detail: detail.join(" · ") }
}

/// An entity without a project: which projects it has.
async fn projects(query: &ServerQuery, reference: &Reference, cancel: CancelToken) -> ServerListing {
    match client(query, reference, cancel, ATTEMPTS).list_projects(&reference.entity, None).await {
        Ok(page) => {
            let names = page.entries.iter().map(|project| format!("{}/{}", project.entity, project.name));
            ServerListing::Projects { entity: reference.entity.clone(), projects: names.collect() }
        }
        Err(error) => failed(&error, reference),
    }
}

fn order(query: &ServerQuery) -> Order {
    match query.field(QueryField::Order) {
        "" | "newest" => Order::Newest,
        metric => match metric.strip_prefix('-') {
            Some(metric) => Order::Lowest(metric.to_owned()),
            None => Order::Highest(metric.to_owned()),
        },
    }
}

/// What went wrong and the ways that work, with scripts where they need one.
fn failed(error: &ApiError, reference: &Reference) -> ServerListing {
    let ApiError::Blocked { base_url } = error else {
        return ServerListing::failed(explained(error));
    };
    let is_local = ["http://localhost", "http://127.0.0.1"].iter().any(|host| hosts::origin().starts_with(host));
    // Who has the page on their own machine need not be told to run it there.
    let ways = CorsWorkaround::ALL.into_iter().filter(|way| !is_local || *way != CorsWorkaround::RunLocally);
    let workarounds = ways.map(|way| {
        let script = match way {
            CorsWorkaround::Exporter => Some(exporter_script(reference)),
            CorsWorkaround::Proxy => Some(proxy_script(base_url, &hosts::origin())),
            CorsWorkaround::RunLocally | CorsWorkaround::DropFolders | CorsWorkaround::AllowOrigin => None,
        };
        Workaround { text: way.text().to_owned(), script }
    });
    ServerListing::Failed { text: error.to_string(), workarounds: workarounds.collect() }
}
