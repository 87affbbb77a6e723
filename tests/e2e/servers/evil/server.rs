//! A server that means harm, or is broken, in one way at a time: it answers W&B's and Axiom's queries alike.

use std::convert::Infallible;
use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream;
use serde_json::json;

use crate::browser::Outcome;

/// Names that try to be markup.
const MARKUP: &str = "<img src=x onerror=alert(1)><script>alert(2)</script>";

/// A server, how it behaves, and what it noticed.
#[derive(Clone)]
pub struct Evil {
    address: String,
    shared: Arc<Shared>,
}

struct Shared {
    mode: Mutex<&'static str>,
    /// Where redirects lead to.
    elsewhere: String,
    /// Requests that were asked of that place.
    asked_elsewhere: AtomicU32,
    /// Queries that came.
    asked: AtomicU32,
    /// Answers without an end whose reader went away.
    left: AtomicU32,
}

/// An answer without an end, for as long as somebody reads it.
struct Unended(Arc<Shared>);

impl Drop for Unended {
    fn drop(&mut self) {
        self.0.left.fetch_add(1, Ordering::Relaxed);
    }
}

impl Evil {
    /// Starts it, and the place that its redirects lead to.
    pub async fn start() -> Outcome<Self> {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
        let second = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
        let shared = Arc::new(Shared {
            mode: Mutex::new("ok"),
            elsewhere: format!("http://localhost:{}", second.local_addr()?.port()),
            asked_elsewhere: AtomicU32::new(0),
            asked: AtomicU32::new(0),
            left: AtomicU32::new(0),
        });
        let address = format!("http://127.0.0.1:{}", listener.local_addr()?.port());
        let (first, other) = (Arc::clone(&shared), Arc::clone(&shared));
        let answer = move |request: Request| handle(Arc::clone(&first), request);
        tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
        let note = move |_: Request| {
            other.asked_elsewhere.fetch_add(1, Ordering::Relaxed);
            async { with_cors(Response::new(Body::from("{\"data\":{}}"))) }
        };
        tokio::spawn(async move { axum::serve(second, Router::new().fallback(note)).await });
        Ok(Self { address, shared })
    }

    /// Its address.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Behaves in this way from now on.
    pub fn behave(&self, mode: &'static str) {
        *self.shared.mode.lock().unwrap_or_else(PoisonError::into_inner) = mode;
        self.shared.asked.store(0, Ordering::Relaxed);
        self.shared.left.store(0, Ordering::Relaxed);
    }

    /// Requests that were sent to where a redirect led.
    pub fn asked_elsewhere(&self) -> u32 {
        self.shared.asked_elsewhere.load(Ordering::Relaxed)
    }

    /// Queries since it behaves as it does.
    pub fn asked(&self) -> u32 {
        self.shared.asked.load(Ordering::Relaxed)
    }

    /// Answers without an end that were given up since it behaves as it does.
    pub fn left(&self) -> u32 {
        self.shared.left.load(Ordering::Relaxed)
    }
}

async fn handle(shared: Arc<Shared>, request: Request) -> Response {
    if request.method() == Method::OPTIONS {
        return with_cors(Response::new(Body::empty()));
    }
    let mode = *shared.mode.lock().unwrap_or_else(PoisonError::into_inner);
    shared.asked.fetch_add(1, Ordering::Relaxed);
    let path = request.uri().path().to_owned();
    let key = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let key = key.to_owned();
    let text = |text: String| Response::new(Body::from(text));
    let response = match mode {
        "redirect" => {
            let mut response = status(StatusCode::TEMPORARY_REDIRECT, None);
            let location = format!("{}{path}", shared.elsewhere);
            response.headers_mut().insert(header::LOCATION, location.parse().unwrap());
            response
        }
        "html" => text(MARKUP.repeat(100)),
        "deep" => text(format!("{}{}", "[".repeat(2_000_000), "]".repeat(2_000_000))),
        "deepobj" => text(format!("{{\"data\":{}1{}}}", "{\"a\":".repeat(1_000_000), "}".repeat(1_000_000))),
        "types" => text(
            json!({
                "data": { "project": { "runs": { "edges": "x", "pageInfo": [], "totalCount": "many" } }, "viewer": 5 },
                "tables": [{ "fields": 5, "columns": "x" }],
            })
            .to_string(),
        ),
        "nulls" => text("{\"data\":null,\"tables\":null}".to_owned()),
        "errors" => {
            let message = format!("{MARKUP} key was {key}");
            text(json!({ "errors": [{ "message": message }], "message": message }).to_string())
        }
        "huge" => endless(shared, vec![b' '; 1 << 20], 6_000, Duration::ZERO),
        "never" => endless(shared, b"{\"data\":".to_vec(), 1, Duration::ZERO),
        "drip" => endless(shared, b" ".to_vec(), u32::MAX, Duration::from_millis(500)),
        "silent" => {
            let _unended = Unended(shared);
            std::future::pending().await
        }
        "gzbomb" => {
            let mut response = Response::new(Body::from(BOMB.clone()));
            response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            response
        }
        "429" => status(StatusCode::TOO_MANY_REQUESTS, Some("999999")),
        "429x" => status(StatusCode::TOO_MANY_REQUESTS, Some("-1")),
        "500" => status(StatusCode::INTERNAL_SERVER_ERROR, None),
        _ if path.contains("_apl") => text(events(5_000)),
        "infinite" => text(runs("endless", true)),
        "xss" => text(runs(MARKUP, false)),
        _ => text(runs("fine", false)),
    };
    with_cors(response)
}

/// The same piece so many times, and then nothing, without an end.
fn endless(shared: Arc<Shared>, piece: Vec<u8>, times: u32, pause: Duration) -> Response {
    let piece = Bytes::from(piece);
    let begun = (0, Unended(shared));
    let pieces = stream::unfold(begun, move |(sent, unended)| {
        let piece = piece.clone();
        async move {
            if sent >= times {
                std::future::pending::<()>().await;
            }
            tokio::time::sleep(pause).await;
            Some((Ok::<_, Infallible>(piece), (sent + 1, unended)))
        }
    });
    Response::new(Body::from_stream(pieces))
}

/// 300 MB of blanks as 300 kB.
static BOMB: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    let blanks = vec![b' '; 1 << 20];
    (0..300).for_each(|_| packed.write_all(&blanks).unwrap());
    packed.finish().unwrap()
});

/// One run, and perhaps the promise of more.
fn runs(name: &str, has_more: bool) -> String {
    let node = json!({ "name": "r1", "displayName": name, "state": "finished", "historyLineCount": 3 });
    let info = json!({ "endCursor": "1", "hasNextPage": has_more });
    json!({ "data": { "project": { "runs": { "edges": [{ "node": node }], "pageInfo": info } } } }).to_string()
}

/// A full page of events, whatever was asked for.
fn events(count: u32) -> String {
    let times: Vec<String> =
        (0..count).map(|at| format!("2026-01-01T{:02}:{:02}:{:02}Z", at / 3_600, at / 60 % 60, at % 60)).collect();
    let steps: Vec<u32> = (0..count).collect();
    let fields = json!([{ "name": "_time" }, { "name": "step" }]);
    json!({ "tables": [{ "fields": fields, "columns": [times, steps] }] }).to_string()
}

fn status(status: StatusCode, retry_after: Option<&'static str>) -> Response {
    let mut response = Response::new(Body::from("x"));
    *response.status_mut() = status;
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(seconds));
    }
    response
}

fn with_cors(mut response: Response) -> Response {
    let any = HeaderValue::from_static("*");
    for (name, value) in [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, any.clone()),
        (header::ACCESS_CONTROL_EXPOSE_HEADERS, any),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("authorization, content-type, range")),
    ] {
        let name: HeaderName = name;
        response.headers_mut().insert(name, value);
    }
    response
}
