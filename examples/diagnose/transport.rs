//! The clients' transport for a terminal: blocking requests, whose futures are ready at once.

use std::io::Read as _;
use std::time::Duration;

use rundown::http::{HttpMethod, HttpRequest, HttpResponse, Transport, TransportError};

/// Longest wait for a whole answer: exports of long runs are large.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Sends with ureq.
pub struct Blocking(ureq::Agent);

impl Default for Blocking {
    fn default() -> Self {
        // A redirect to another host goes without the authorization, which is ureq's default.
        let config = ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(TIMEOUT));
        Self(config.build().into())
    }
}

impl Transport for Blocking {
    async fn send(&self, request: &HttpRequest) -> Result<HttpResponse, TransportError> {
        let authorization =
            request.authorization.as_ref().map(|authorization| ("authorization", authorization.expose()));
        let headers = authorization.into_iter().chain(request.content_type.map(|kind| ("content-type", kind)));
        let sent = match request.method {
            HttpMethod::Get => with(self.0.get(&request.url), headers).call(),
            HttpMethod::Head => with(self.0.head(&request.url), headers).call(),
            HttpMethod::Post => with(self.0.post(&request.url), headers).send(&request.body[..]),
        };
        let answer = sent.map_err(|error| match error {
            ureq::Error::HostNotFound => TransportError::Offline,
            _ => TransportError::Blocked,
        })?;
        let header = |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let mut response = HttpResponse {
            status: answer.status().as_u16(),
            retry_after: header("retry-after"),
            rate_limit_reset: header("ratelimit-reset"),
            content_length: header("content-length").and_then(|length| length.parse().ok()),
            body: Vec::new(),
        };
        let mut body = answer.into_body().into_reader();
        body.read_to_end(&mut response.body).map_err(|_| TransportError::Cut)?;
        Ok(response)
    }

    async fn sleep(&self, milliseconds: u32) {
        std::thread::sleep(Duration::from_millis(u64::from(milliseconds)));
    }
}

fn with<'h, B>(
    request: ureq::RequestBuilder<B>,
    headers: impl Iterator<Item = (&'static str, &'h str)>,
) -> ureq::RequestBuilder<B> {
    headers.fold(request, |request, (name, value)| request.header(name, value))
}
