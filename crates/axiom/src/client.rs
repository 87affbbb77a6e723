//! Sends queries to Axiom, page by page.
//!
//! Axiom recommends paging by time and warns of its cursor (it may lose events). By time alone, events that share the
//! last moment of a page would be lost or come twice: a full page therefore ends before its last moment, and the next
//! page begins with it.

use serde_json::json;

use super::apl::events_query;
use super::error::AxiomError;
use super::lines::{AxiomEvent, events};
use rundown_http::{ApiKey, HttpError, HttpRequest, HttpSession, Transport};
use rundown_ingest::json::Json;

/// Axiom's own address.
pub const DEFAULT_BASE_URL: &str = "https://api.axiom.co";
/// Largest page that Axiom grants.
const MAX_EVENTS_OF_PAGE: u32 = 50_000;
/// Events that are fetched at most, of all pages.
const MAX_EVENTS_IN_ALL: u64 = 2_000_000;
/// Events of a page at first: an answer of a few megabytes.
const PAGE: u32 = 5_000;

/// A client with its token, which goes to the base URL alone.
pub struct AxiomClient<T> {
    session: HttpSession<T>,
    base_url: String,
    token: ApiKey,
}

/// The events of a data set in a window of time, as far as they have come.
#[derive(Debug, Clone)]
pub struct Pages {
    dataset: String,
    limit: u32,
    start: String,
    end: String,
    is_done: bool,
    /// Events so far.
    pub events: u64,
    /// Some are missing: more share one moment than a page holds, or there are more than are fetched at all.
    pub is_incomplete: bool,
}

impl Pages {
    /// The events of `dataset` from `start` to `end`, both as RFC 3339 (see [`rundown_format::rfc3339`]).
    pub fn new(dataset: String, start: &str, end: &str) -> Self {
        let (start, end) = (start.to_owned(), end.to_owned());
        Self { dataset, limit: PAGE, start, end, is_done: false, events: 0, is_incomplete: false }
    }

    /// True when no page is left.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// True for a time before the page that was asked for, once there were others. A server that ignores where a page is
    /// to start would give the same one for ever.
    fn is_over(&self, time: &str) -> bool {
        self.events > 0 && moment(time).zip(moment(&self.start)).is_some_and(|(time, start)| time < start)
    }

    /// Adds a page; gives the events that are settled.
    fn add_page(&mut self, page: Vec<AxiomEvent>) -> Vec<AxiomEvent> {
        let is_full = page.len() as u64 >= u64::from(self.limit);
        let Some(last) = page.last().map(|event| event.time.clone()).filter(|_| is_full) else {
            self.is_done = true;
            return page;
        };
        let settled: Vec<AxiomEvent> = page.iter().filter(|event| event.time != last).cloned().collect();
        if !settled.is_empty() {
            self.start = last;
            return settled;
        }
        if self.limit < MAX_EVENTS_OF_PAGE {
            // All of one moment: a larger page may hold them.
            self.limit = self.limit.saturating_mul(4).min(MAX_EVENTS_OF_PAGE);
            return Vec::new();
        }
        self.is_incomplete = true;
        match after(&last) {
            Some(next) => self.start = next,
            None => self.is_done = true,
        }
        page
    }
}

impl<T: Transport> AxiomClient<T> {
    /// A client; without `base_url` of Axiom's own address.
    pub fn new(session: HttpSession<T>, base_url: Option<&str>, token: ApiKey) -> Self {
        let base_url = base_url.map(|url| url.trim().trim_end_matches('/')).filter(|url| !url.is_empty());
        Self { session, base_url: base_url.unwrap_or(DEFAULT_BASE_URL).to_owned(), token }
    }

    /// The next page, one event a line, each line ended. Push it into a file opened as `NAME.ndjson`. Empty pages are no
    /// end: see [`Pages::is_done`].
    ///
    /// # Errors
    /// Axiom's. The pages stand as before, so that the same call goes on.
    pub async fn next_page(&self, pages: &mut Pages) -> Result<Vec<u8>, AxiomError> {
        if pages.is_done {
            return Ok(Vec::new());
        }
        let url = format!("{}/v1/datasets/_apl?format=tabular", self.base_url);
        let body =
            json!({ "apl": events_query(&pages.dataset, pages.limit), "startTime": pages.start, "endTime": pages.end });
        let mut request = HttpRequest::post_json(&url, body.to_string().into_bytes());
        request.authorization = Some(self.token.bearer());
        let sent = self.session.send(&request).await;
        let response =
            sent.map_err(|failure| AxiomError::from_failure(&failure, &self.base_url, self.message(&failure)))?;
        let malformed = |what: &str| AxiomError::Malformed { what: what.to_owned() };
        let reply = Json::parse(&response.body).map_err(|error| malformed(&format!("it is not JSON: {error}")))?;
        let page = events(&reply).map_err(malformed)?;
        if page.iter().any(|event| pages.is_over(&event.time)) {
            return Err(malformed("it gives events again that came before"));
        }
        let mut lines = Vec::new();
        let settled = pages.add_page(page);
        pages.events += settled.len() as u64;
        if pages.events >= MAX_EVENTS_IN_ALL && !pages.is_done {
            (pages.is_done, pages.is_incomplete) = (true, true);
        }
        for event in settled {
            lines.extend_from_slice(event.line.as_bytes());
            lines.push(b'\n');
        }
        Ok(lines)
    }

    /// What Axiom said, without the token.
    fn message(&self, failure: &HttpError) -> String {
        let HttpError::Status(response) = failure else { return String::new() };
        const NO_MESSAGE: &str = "The answer has no message that can be read.";
        let body = Json::parse(&response.body);
        let message = body.as_ref().ok().and_then(|json| json.get("message").or_else(|| json.get("error"))?.text());
        self.token.redact(message.unwrap_or(NO_MESSAGE)).chars().take(300).collect()
    }
}

/// A time in UTC, with or without a fraction, as whole seconds and nanoseconds that can be compared.
fn moment(time: &str) -> Option<(&str, u32)> {
    let time = time.strip_suffix('Z')?;
    let (whole, fraction) = time.split_once('.').unwrap_or((time, ""));
    let is_date = whole.len() == "2026-01-01T00:00:00".len() && fraction.len() <= 9;
    Some((whole, format!("{fraction:0<9}").parse().ok()?)).filter(|_| is_date)
}

/// The moment one nanosecond later, for a time in UTC with or without a fraction.
fn after(time: &str) -> Option<String> {
    let (whole, nanoseconds) = moment(time)?;
    (nanoseconds < 999_999_999).then(|| format!("{whole}.{:09}Z", nanoseconds + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_http::HttpResponse;
    use rundown_http::fake::{Fake, answer, block_on};

    fn client(fake: &Fake) -> AxiomClient<&Fake> {
        AxiomClient::new(HttpSession::new(fake, 1), None, ApiKey::new("xaat-secret").unwrap())
    }

    fn reply(times: &[u32]) -> String {
        let times: Vec<String> = times.iter().map(|time| format!(r#""2026-01-01T00:00:{time:02}Z""#)).collect();
        format!(r#"{{"tables":[{{"fields":[{{"name":"_time"}}],"columns":[[{}]]}}]}}"#, times.join(","))
    }

    fn pages(limit: u32) -> Pages {
        Pages { limit, ..Pages::new("runs".into(), "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z") }
    }

    #[test]
    fn pages_meet_without_a_gap_and_without_a_double() {
        let fake =
            Fake::new([answer(200, &reply(&[1, 2, 2])), answer(200, &reply(&[2, 2, 5])), answer(200, &reply(&[5]))]);
        let client = client(&fake);
        let mut pages = pages(3);
        let mut lines = Vec::new();
        while !pages.is_done() {
            lines.extend(block_on(client.next_page(&mut pages)).unwrap());
        }
        let text = String::from_utf8(lines).unwrap();
        let seconds: Vec<&str> = text.lines().map(|line| line.get(27..29).unwrap()).collect();
        assert_eq!((seconds, pages.events, pages.is_incomplete), (vec!["01", "02", "02", "05"], 4, false));
        let bodies: Vec<String> = fake.asked().iter().map(|r| String::from_utf8(r.body.clone()).unwrap()).collect();
        assert!(bodies[1].contains(r#""startTime":"2026-01-01T00:00:02Z""#), "{}", bodies[1]);
        assert_eq!(fake.asked()[0].url, "https://api.axiom.co/v1/datasets/_apl?format=tabular");
        assert!(!format!("{:?}", fake.asked()).contains("xaat-secret"));
    }

    #[test]
    fn a_server_that_does_not_go_on_is_left() {
        let same = (0..9).map(|_| answer(200, &reply(&[1, 2])));
        let fake = Fake::new(same);
        let client = client(&fake);
        let mut pages = pages(2);
        block_on(client.next_page(&mut pages)).unwrap();
        let what = "it gives events again that came before".to_owned();
        assert_eq!(block_on(client.next_page(&mut pages)), Err(AxiomError::Malformed { what }));
        assert_eq!(pages.events, 1);
        assert!(moment("2026-01-01T00:00:00Z") < moment("2026-01-01T00:00:00.5Z"));
    }

    #[test]
    fn what_the_server_did_is_said() {
        let redirect = Fake::new([answer(307, "")]);
        let error = block_on(client(&redirect).next_page(&mut pages(2))).unwrap_err().to_string();
        assert!(error.starts_with("The server at https://api.axiom.co answered with a redirect"), "{error}");
        let patient =
            Fake::new([Ok(HttpResponse { retry_after: Some("999999".into()), status: 429, ..Default::default() })]);
        let error = block_on(client(&patient).next_page(&mut pages(2))).unwrap_err().to_string();
        assert!(error.contains("asks to wait 277.8 h"), "{error}");
    }

    #[test]
    fn a_moment_that_fills_a_page_is_asked_for_in_a_larger_one() {
        let fake = Fake::new([answer(200, &reply(&[1, 1])), answer(200, &reply(&[1, 1, 1]))]);
        let client = client(&fake);
        let mut pages = pages(2);
        assert!(block_on(client.next_page(&mut pages)).unwrap().is_empty());
        assert!(!block_on(client.next_page(&mut pages)).unwrap().is_empty());
        assert_eq!((pages.is_done(), pages.events), (true, 3));
        assert_eq!(after("2026-01-01T00:00:01Z").as_deref(), Some("2026-01-01T00:00:01.000000001Z"));
        assert_eq!(after("2026-01-01T00:00:01.999999999Z"), None);
    }

    #[test]
    fn errors_say_what_to_do_without_the_token() {
        for (status, error) in [
            (401, AxiomError::WrongToken),
            (403, AxiomError::NoAccess),
            (404, AxiomError::NotFound),
            (400, AxiomError::Refused { status: 400, message: "bad [key]".into() }),
        ] {
            let fake = Fake::new([answer(status, r#"{"message":"bad xaat-secret"}"#)]);
            assert_eq!(block_on(client(&fake).next_page(&mut pages(2))), Err(error));
        }
        let fake = Fake::new([answer(200, "<html>")]);
        assert_eq!(
            block_on(client(&fake).next_page(&mut pages(2))),
            Err(AxiomError::Malformed { what: "it is not JSON: an unexpected character at byte 0".to_owned() })
        );
    }
}
