//! Sends queries to one W&B server, and sees to it that the key goes nowhere else.

use serde_json::{Value, json};

use super::reference::RunRef;
use super::{ApiError, queries};
use rundown_format::redact;
use rundown_http::{
    ApiKey, HttpError, HttpMethod, HttpRequest, HttpResponse, HttpSession, Transport, TransportError, host_of,
};
use rundown_ingest::json::Json;

/// A client of one server.
pub struct WandbClient<T> {
    session: HttpSession<T>,
    base_url: String,
    key: Option<ApiKey>,
}

impl<T: Transport> WandbClient<T> {
    /// A client of the API at `base_url`. Public projects need no key.
    pub fn new(session: HttpSession<T>, base_url: &str, key: Option<ApiKey>) -> Self {
        Self { session, base_url: base_url.trim().trim_end_matches('/').to_owned(), key }
    }

    /// Counts, parallelism, cancellation.
    pub fn session(&self) -> &HttpSession<T> {
        &self.session
    }

    /// Base of the API.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// True when a key is sent.
    pub fn has_key(&self) -> bool {
        self.key.is_some()
    }

    /// Sends a query and gives the answer's `data`. `what` names what is asked for, for errors.
    pub(crate) async fn query(
        &self,
        operation: &'static str,
        query: &str,
        variables: Value,
        what: &str,
    ) -> Result<ApiAnswer, ApiError> {
        // Several specs can be asked for in parts, so that a server that fails on all of them is not waited for long.
        let specs = variables.get("specs").and_then(Value::as_array).map_or(0, Vec::len);
        let patience = if specs > 1 { 2 } else { u32::MAX };
        let body = json!({ "operationName": operation, "query": query, "variables": variables });
        let mut request = HttpRequest::post_json(&format!("{}/graphql", self.base_url), body.to_string().into_bytes());
        request.authorization = self.key.as_ref().map(|key| key.basic("api"));
        let sent = self.session.send_at_most(&request, patience).await;
        let response = sent.map_err(|failure| self.error(&failure, what))?;
        let bytes = response.body;
        // A proxy's or a login page's HTML is no answer either.
        let mut json = parsed(&bytes).map_err(|what| ApiError::Malformed { operation, what })?;
        if let Some(message) = first_message(&json) {
            let message = self.redact(&message);
            let known = ApiError::from_message(&message).map(|error| match error {
                ApiError::NoAccess { .. } => ApiError::NoAccess { what: what.to_owned() },
                other => other,
            });
            return Err(known.unwrap_or(ApiError::Query { message }));
        }
        let data = take(&mut json, "data").filter(|data| matches!(data, Json::Object(_)));
        let data = data.ok_or_else(|| ApiError::Malformed { operation, what: "it has no data".to_owned() })?;
        Ok(ApiAnswer { data, crc32: crc32fast::hash(&bytes), bytes: bytes.len() as u64, operation })
    }

    /// A query for one run: its node, and where the answer came from.
    pub(crate) async fn run_query(
        &self,
        operation: &'static str,
        query: &str,
        run: &RunRef,
        mut more: Value,
    ) -> Result<ApiAnswer, ApiError> {
        if let Value::Object(variables) = &mut more {
            variables.insert("entity".to_owned(), Value::from(run.entity.as_str()));
            variables.insert("project".to_owned(), Value::from(run.project.as_str()));
            let name = match query {
                queries::PAGE | queries::BUCKETED => "run",
                queries::PARQUET => "runName",
                _ => "name",
            };
            variables.insert(name.to_owned(), Value::from(run.id.as_str()));
        }
        let what = format!("run {}/{}/{}", run.entity, run.project, run.id);
        let mut answer = self.query(operation, query, more, &what).await?;
        let project = take(&mut answer.data, "project").filter(|project| *project != Json::Null);
        let mut project = project.ok_or_else(|| self.not_found(&format!("project {}/{}", run.entity, run.project)))?;
        let node = take(&mut project, "run").filter(|node| *node != Json::Null);
        answer.data = node.ok_or_else(|| self.not_found(&what))?;
        Ok(answer)
    }

    /// Reads at most `limit` bytes from a signed address. The key is never sent there.
    ///
    /// # Errors
    /// Also when the signature has expired: ask for the address again.
    pub async fn signed(&self, url: &str, limit: u64) -> Result<Vec<u8>, ApiError> {
        self.download(HttpRequest { limit, ..HttpRequest::get(url) }).await
    }

    /// Reads at most `limit` bytes of `{base URL}/files/…` with the key.
    ///
    /// # Errors
    /// When `url` lies elsewhere: the key does not go there.
    pub(crate) async fn own_file(&self, url: &str, limit: u64) -> Result<Vec<u8>, ApiError> {
        let is_own = url.strip_prefix(self.base_url.as_str()).is_some_and(|path| path.starts_with("/files/"));
        let mut request = HttpRequest { limit, ..HttpRequest::get(url) };
        if is_own {
            request.authorization = self.key.as_ref().map(|key| key.basic("api"));
        }
        self.download(request).await
    }

    /// Size in bytes of what lies at a signed address, where the server says it.
    ///
    /// # Errors
    /// As [`Client::signed`].
    pub async fn signed_size(&self, url: &str) -> Result<Option<u64>, ApiError> {
        let request = HttpRequest { method: HttpMethod::Head, ..HttpRequest::get(url) };
        Ok(self.send_download(&request).await?.content_length)
    }

    async fn download(&self, request: HttpRequest) -> Result<Vec<u8>, ApiError> {
        self.send_download(&request).await.map(|response| response.body)
    }

    async fn send_download(&self, request: &HttpRequest) -> Result<HttpResponse, ApiError> {
        let is_web = request.url.starts_with("https://") || request.url.starts_with("http://");
        if !is_web {
            return Err(ApiError::Malformed {
                operation: "a file",
                what: "its address is not one of the web".to_owned(),
            });
        }
        let sent = self.session.send(request).await;
        sent.map_err(|failure| match &failure {
            // The one that was asked, which need not be the API's.
            HttpError::Transport(what) if what.is_rejection() => {
                ApiError::Rejected { server: host_of(&request.url).unwrap_or_default().to_owned(), what: what.clone() }
            }
            // A bucket's 403 says nothing about the key, which it never saw.
            HttpError::Status(response) if response.status == 403 && request.authorization.is_none() => {
                ApiError::Refused { status: 403, message: "The signed address of the file has expired.".to_owned() }
            }
            _ => self.error(&failure, "this file"),
        })
    }

    pub(crate) fn not_found(&self, what: &str) -> ApiError {
        ApiError::NotFound { what: what.to_owned(), had_key: self.has_key() }
    }

    fn error(&self, failure: &HttpError, what: &str) -> ApiError {
        if *failure == HttpError::Transport(TransportError::Blocked) && self.session.requests() > 0 {
            return ApiError::Unreachable { base_url: self.base_url.clone() };
        }
        let wording = match failure {
            // A body that is no JSON is that of a proxy or a login page: the status says more than its HTML.
            HttpError::Status(response) => match Json::parse(&response.body) {
                Ok(json) => first_message(&json).unwrap_or_default(),
                Err(_) => "The answer has no message that can be read.".to_owned(),
            },
            HttpError::Transport(_) => String::new(),
        };
        ApiError::from_failure(failure, &self.base_url, what, self.redact(&wording))
    }

    fn redact(&self, text: &str) -> String {
        // First the key, then the length: half a key is still a secret.
        let clean = self.key.as_ref().map_or_else(|| redact(text).into_owned(), |key| key.redact(text));
        clean.chars().take(300).collect()
    }
}

/// What a query gave.
#[derive(Debug)]
pub(crate) struct ApiAnswer {
    /// `data`, or the run's node.
    pub(crate) data: Json,
    /// Checksum of the body.
    pub(crate) crc32: u32,
    /// Size of the body.
    pub(crate) bytes: u64,
    /// Name of the query.
    pub(crate) operation: &'static str,
}

impl ApiAnswer {
    /// Takes a member out of the node.
    pub(crate) fn take(&mut self, key: &str) -> Option<Json> {
        take(&mut self.data, key)
    }

    pub(crate) fn malformed(&self) -> ApiError {
        ApiError::Malformed { operation: self.operation, what: "it lacks what was asked for".to_owned() }
    }
}

/// An answer as JSON, or what it is instead.
fn parsed(bytes: &[u8]) -> Result<Json, String> {
    let is_markup = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'<');
    match Json::parse(bytes) {
        Ok(json) => Ok(json),
        Err(_) if is_markup => Err("it is a web page, not JSON".to_owned()),
        Err(error) => Err(format!("it is not readable JSON: {error}")),
    }
}

/// Takes a member out of an object without copying it.
pub(crate) fn take(json: &mut Json, key: &str) -> Option<Json> {
    match json {
        Json::Object(object) => object.remove(key),
        _ => None,
    }
}

/// The value at a path of members.
pub(crate) fn at<'j>(json: &'j Json, path: &[&str]) -> Option<&'j Json> {
    path.iter().try_fold(json, |json, key| json.get(key))
}

/// The nodes of a connection (`edges { node }`), and the cursor of the next page where there is one; `None` for what is
/// no connection.
pub(crate) fn nodes(connection: &Json) -> Option<(Vec<&Json>, Option<String>)> {
    if !matches!(connection.get("edges"), Some(Json::List(_))) {
        return None;
    }
    let edges = connection.items("edges");
    let has_next = at(connection, &["pageInfo", "hasNextPage"]) == Some(&Json::Bool(true));
    let end = at(connection, &["pageInfo", "endCursor"]).and_then(Json::text);
    // Some servers leave endCursor out, as the SDK knows.
    let end = end.or_else(|| edges.last()?.get("cursor")?.text());
    let next = end.filter(|cursor| has_next && !cursor.is_empty()).map(str::to_owned);
    Some((edges.iter().filter_map(|edge| edge.get("node")).filter(|node| **node != Json::Null).collect(), next))
}

/// The words of the first error: `{"errors":[{"message"}]}`, `{"error":"…"}` or `{"error":{"message"}}`.
fn first_message(json: &Json) -> Option<String> {
    let of = |error: &Json| error.text().or_else(|| error.get("message")?.text()).map(str::to_owned);
    match (json.get("errors"), json.get("error")) {
        (Some(Json::List(errors)), _) if !errors.is_empty() => {
            Some(errors.iter().find_map(of).unwrap_or_else(|| "an error without a message".to_owned()))
        }
        (_, Some(error)) if *error != Json::Null => of(error),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_http::fake::{Fake, answer, block_on};

    const KEY: &str = "0123456789abcdef0123456789abcdef01234567";

    fn client(fake: &Fake) -> WandbClient<&Fake> {
        WandbClient::new(HttpSession::new(fake, 1), "https://api.wandb.ai/", ApiKey::new(KEY))
    }

    fn run() -> RunRef {
        RunRef { entity: "e".into(), project: "p".into(), id: "r".into() }
    }

    #[test]
    fn the_key_goes_to_the_api_and_nowhere_else() {
        let fake = Fake::new((0..6).map(|_| answer(200, r#"{"data":{"project":{"run":{"state":"finished"}}}}"#)));
        let client = client(&fake);
        block_on(client.run_query("RunPulse", queries::RUN_STATUS, &run(), json!({}))).unwrap();
        block_on(client.own_file("https://api.wandb.ai/files/e/p/r/output.log", 9_999)).unwrap();
        block_on(client.own_file("https://api.wandb.ai.evil.example/files/x", 9_999)).unwrap();
        block_on(client.own_file("https://api.wandb.ai/other", 9_999)).unwrap();
        block_on(client.signed("https://storage.example/x?signature=1", 9_999)).unwrap();
        let asked = fake.asked();
        let has_key: Vec<bool> = asked.iter().map(|request| request.authorization.is_some()).collect();
        assert_eq!(has_key, [true, true, false, false, false]);
        assert!(!format!("{asked:?}").contains(KEY));
        assert!(block_on(client.signed("file:///etc/passwd", 9_999)).is_err());
        assert_eq!(fake.asked().len(), 5);
    }

    #[test]
    fn answers_that_are_errors_say_which() {
        let what = "run e/p/r".to_owned();
        let malformed = |what: &str| ApiError::Malformed { operation: "RunPulse", what: what.to_owned() };
        for (body, error) in [
            (r#"{"data":{"project":null}}"#, ApiError::NotFound { what: "project e/p".into(), had_key: true }),
            (r#"{"data":{"project":{"run":null}}}"#, ApiError::NotFound { what: what.clone(), had_key: true }),
            (" <html>", malformed("it is a web page, not JSON")),
            (&"[".repeat(2_000_000), malformed("it is not readable JSON: nesting deeper than 128 levels at byte 128")),
            (r#"{"data":null}"#, malformed("it has no data")),
            (r#"{"errors":[{"message":"permission denied"}],"data":{"project":null}}"#, ApiError::NoAccess { what }),
            (
                r#"{"errors":[{"message":"bad 0123456789abcdef0123456789abcdef01234567!"}]}"#,
                ApiError::Query { message: "bad [key]!".into() },
            ),
        ] {
            let fake = Fake::new([answer(200, body)]);
            let found = block_on(client(&fake).run_query("RunPulse", queries::RUN_STATUS, &run(), json!({})));
            assert_eq!(found.unwrap_err(), error, "{body}");
        }
    }

    #[test]
    fn a_bucket_that_redirects_is_named_itself() {
        let fake = Fake::new([answer(302, "")]);
        let error = block_on(client(&fake).signed("https://storage.example/x?signature=1", 9)).unwrap_err();
        assert!(error.to_string().starts_with("The server at storage.example answered with a redirect"), "{error}");
    }

    #[test]
    fn statuses_and_silence_say_what_to_do() {
        let run_with = |answers: Vec<_>| {
            let fake = Fake::new(answers);
            block_on(client(&fake).run_query("RunPulse", queries::RUN_STATUS, &run(), json!({}))).unwrap_err()
        };
        assert_eq!(run_with(vec![answer(401, "{}")]), ApiError::WrongKey);
        assert_eq!(run_with((0..9).map(|_| answer(429, "")).collect()), ApiError::RateLimited);
        assert_eq!(run_with((0..9).map(|_| answer(502, "<html>")).collect()), ApiError::Server { status: 502 });
        let blocked = run_with(vec![Err(TransportError::Blocked)]);
        assert_eq!(blocked, ApiError::Blocked { base_url: "https://api.wandb.ai".into() });
        let refused = run_with(vec![answer(400, r#"{"error":{"message":"no"}}"#)]);
        assert_eq!(refused.to_string(), "The server refused the request with status 400. no");
    }
}
