//! The HTTP side: keys, switches, CORS, files, and a log of every request.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State as Shared};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use base64::Engine as _;
use serde_json::{Value, json};

use super::graphql::Root;
use super::run_fields::export_part;
use super::{Logged, State, Switches, query};

/// Serves until the process ends.
pub fn serve(listener: TcpListener, state: Arc<State>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async move {
        listener.set_nonblocking(true).unwrap();
        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
        let router = Router::new().fallback(handle).with_state(state);
        axum::serve(listener, router).await.unwrap();
    });
}

async fn handle(Shared(state): Shared<Arc<State>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 64 << 20).await.unwrap_or_default();
    let path = parts.uri.path().to_owned();
    if path == "/__control" {
        return control(&state, &body);
    }
    let slow = state.switches().slow_ms;
    if slow > 0 {
        tokio::time::sleep(Duration::from_millis(slow)).await;
    }
    let mut response = if parts.method == Method::OPTIONS {
        plain(StatusCode::NO_CONTENT, "")
    } else if let Some(failure) = failure(&state) {
        failure
    } else if path == "/graphql" {
        graphql(&state, &parts.headers, &body)
    } else if path.starts_with("/files/") || path.starts_with("/storage/") {
        file(&state, &path, &parts.headers)
    } else {
        plain(StatusCode::NOT_FOUND, "{\"error\":\"no such page\"}")
    };
    if parts.method != Method::OPTIONS && response.status().is_success() {
        let mut switches = state.switches();
        switches.limited_after = switches.limited_after.map(|left| left.saturating_sub(1));
    }
    let text = |name| parts.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).map(str::to_owned);
    state.log().push(Logged {
        line: format!("{} {path}", parts.method),
        host: text(header::HOST).unwrap_or_default(),
        authorization: text(header::AUTHORIZATION),
        body: String::from_utf8_lossy(&body).into_owned(),
        status: response.status().as_u16(),
    });
    if !state.switches().no_cors
        && let Some(origin) = parts.headers.get(header::ORIGIN)
    {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        let allowed = HeaderValue::from_static("authorization, content-type, range");
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("Retry-After, RateLimit-Reset"));
    }
    response
}

/// `{}` makes the server behave; the answer is the log of requests.
fn control(state: &State, body: &Bytes) -> Response {
    if let Ok(switches) = serde_json::from_slice::<Switches>(body) {
        *state.switches() = switches;
    }
    let log: Vec<Value> = state
        .log()
        .iter()
        .map(|seen| json!({ "line": seen.line, "host": seen.host, "authorization": seen.authorization, "status": seen.status }))
        .collect();
    plain(StatusCode::OK, &json!(log).to_string())
}

/// A failure that is switched on.
fn failure(state: &State) -> Option<Response> {
    let mut switches = state.switches();
    if switches.rate_limited > 0 || switches.limited_after == Some(0) {
        switches.rate_limited = switches.rate_limited.saturating_sub(1);
        let mut response = plain(StatusCode::TOO_MANY_REQUESTS, "{\"error\":\"rate limit exceeded\"}");
        if let Some(seconds) = &switches.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.parse().unwrap());
        }
        return Some(response);
    }
    if switches.bad_gateway > 0 {
        switches.bad_gateway -= 1;
        return Some(plain(StatusCode::BAD_GATEWAY, "<html>bad gateway</html>"));
    }
    None
}

fn graphql(state: &State, headers: &HeaderMap, body: &[u8]) -> Response {
    let given = key_in(headers);
    let right = state.switches().key.clone();
    if given.is_some() && right.is_some() && given != right {
        return plain(StatusCode::UNAUTHORIZED, "{\"errors\":[{\"message\":\"invalid api key\"}]}");
    }
    let Ok(query) = serde_json::from_slice::<Value>(body) else {
        return plain(StatusCode::BAD_REQUEST, "{\"error\":\"no JSON\"}");
    };
    let answer = query::answer(&Root { state, is_known: given.is_some() }, &query).to_string();
    let mut switches = state.switches();
    if switches.truncated > 0 {
        switches.truncated -= 1;
        return cut(answer);
    }
    plain(StatusCode::OK, &answer)
}

/// Half of an answer, and then the connection breaks.
fn cut(answer: String) -> Response {
    let half = Bytes::from(answer.as_bytes()[..answer.len() / 2].to_vec());
    let parts = vec![Ok(half), Err(std::io::Error::other("cut"))];
    let mut response = Response::new(Body::from_stream(futures_util::stream::iter(parts)));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// `/files/` asks for the key of a private project, `/storage/` refuses any.
fn file(state: &State, path: &str, headers: &HeaderMap) -> Response {
    let has_header = headers.contains_key(header::AUTHORIZATION);
    let is_storage = path.starts_with("/storage/");
    if is_storage && has_header {
        return plain(StatusCode::BAD_REQUEST, "only one authorization mechanism is allowed");
    }
    if !is_storage && state.switches().private && key_in(headers).is_none() {
        return plain(StatusCode::FORBIDDEN, "{\"error\":\"permission denied\"}");
    }
    if let Some((part, run)) = path.strip_prefix("/storage/export/").and_then(|path| path.split_once('/')) {
        let run = state.runs.iter().find(|stored| stored.id == run);
        return Response::new(Body::from(run.map(|run| export_part(run, part)).unwrap_or_default()));
    }
    let mut parts = path.splitn(6, '/').skip(4);
    let (run, name) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let run = state.runs.iter().find(|stored| stored.id == run);
    let found = run.and_then(|run| run.files.iter().find(|(known, _)| known == name));
    match found.and_then(|(_, path)| std::fs::read(path).ok()) {
        Some(bytes) => Response::new(Body::from(bytes)),
        None => plain(StatusCode::NOT_FOUND, "{\"error\":\"no such file\"}"),
    }
}

fn key_in(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let decoded = base64::engine::general_purpose::STANDARD.decode(value.strip_prefix("Basic ")?).ok()?;
    String::from_utf8(decoded).ok()?.strip_prefix("api:").map(str::to_owned)
}

fn plain(status: StatusCode, body: &str) -> Response {
    let mut response = Response::new(Body::from(body.to_owned()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
