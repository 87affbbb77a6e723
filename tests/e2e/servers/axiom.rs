//! Events of a pipeline, fetched from a server that answers as Axiom does: real events, in the tabular layout.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, Method, header};
use axum::response::Response;
use serde_json::{Value, json};

use crate::browser::Outcome;
use crate::scenario::scenario_with;
use crate::served::open_form;
use crate::support::{corpus, ingest_folder};

const TOKEN: &str = "xaat-0c0ffee0-5eed-4dad-8bad-facade0ddba1";

#[tokio::test]
async fn events_of_a_dataset_become_a_run() -> Outcome {
    let Some(folder) = corpus("systems") else { return Ok(()) };
    let text = std::fs::read_to_string(folder.join("axiom-healthy.ndjson"))?;
    let reply = tabular(&text)?.to_string();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let server = serve(reply, Arc::clone(&asked)).await?;
    scenario_with("axiom", &server, async |page| {
        open_form(page, "Axiom", ("Dataset", "pipeline"), &server).await?;
        page.type_into("input[data-field='API token']", TOKEN).await?;
        page.click_words("dialog summary", "Which hours").await?;
        page.type_into("input[data-field='Hours back']", "48").await?;
        page.wait_for("#list-runs").await?.click().await?;
        page.wait_for_text(".offer", "the last 48 hours").await?;
        page.wait_for("#load-runs").await?.click().await?;
        page.wait_for_runs(1).await?;
        let names: Vec<String> = page.verdicts().await?.into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["axiom-healthy"]);
        page.view("metrics").await?;
        let dropped = ingest_folder(&folder).runs;
        let same = dropped.iter().find(|run| run.name == "axiom-healthy").ok_or("no such run in the corpus")?;
        page.wait_for_text(".metrics-view, main", &format!("{} metrics", same.columns.len())).await?;
        page.screenshot("axiom").await
    })
    .await?;
    let asked = asked.lock().map_err(|_| "the server broke down")?;
    let (authorization, body) = asked.first().ok_or("nothing was asked")?;
    assert_eq!(authorization, &format!("Bearer {TOKEN}"));
    assert!(body.contains("['pipeline']") && !body.contains(TOKEN), "{body}");
    Ok(())
}

/// Lines of objects as one table with a column for each field.
fn tabular(lines: &str) -> Outcome<Value> {
    let events: Vec<Value> = lines.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let names: BTreeSet<&String> = events.iter().filter_map(Value::as_object).flat_map(|event| event.keys()).collect();
    let cell = |event: &Value, name: &str| event.get(name).cloned().unwrap_or(Value::Null);
    let column = |name: &str| -> Vec<Value> { events.iter().map(|event| cell(event, name)).collect() };
    let columns: Vec<Vec<Value>> = names.iter().map(|name| column(name)).collect();
    let fields: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
    Ok(json!({ "tables": [{ "name": "0", "fields": fields, "columns": columns }] }))
}

/// Answers every query with the same reply, and notes its header and body. The server's address.
async fn serve(reply: String, asked: Arc<Mutex<Vec<(String, String)>>>) -> Outcome<String> {
    let answer = move |request: Request| {
        let (reply, asked) = (reply.clone(), Arc::clone(&asked));
        async move {
            let (parts, body) = request.into_parts();
            let body = axum::body::to_bytes(body, 1 << 20).await.unwrap_or_default();
            let mut response = Response::new(Body::empty());
            if parts.method == Method::POST {
                let header = parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
                let seen = (header.unwrap_or_default().to_owned(), String::from_utf8_lossy(&body).into_owned());
                asked.lock().unwrap().push(seen);
                response = Response::new(Body::from(reply));
            }
            let headers = response.headers_mut();
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
            let allowed = HeaderValue::from_static("authorization, content-type");
            headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed);
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            response
        }
    };
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = format!("http://{}", listener.local_addr()?);
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
    Ok(address)
}
