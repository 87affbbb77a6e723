//! The clients' transport for a terminal: blocking requests, whose futures are ready at once.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{ErrorKind, Read};
use std::time::{Duration, Instant};

use rundown_http::{HttpMethod, HttpRequest, HttpResponse, Incoming, TICK_MS, Transport, TransportError, host_of};

/// Longest wait for the next byte.
const SILENCE: Duration = Duration::from_secs(30);
/// Bytes of a piece of an answer.
const PIECE: usize = 64 << 10;

/// Sends with ureq, and names each host to the user before it asks it for the first time.
pub struct Blocking {
    agent: ureq::Agent,
    asked: RefCell<BTreeSet<String>>,
}

impl Default for Blocking {
    fn default() -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(SILENCE))
            .timeout_recv_response(Some(SILENCE))
            .timeout_per_read(Some(SILENCE));
        Self { agent: config.build().into(), asked: RefCell::default() }
    }
}

impl Blocking {
    fn name(&self, url: &str) {
        let Some(host) = host_of(url) else { return };
        if self.asked.borrow_mut().insert(host.to_owned()) {
            eprintln!("asking {host}");
        }
    }
}

impl Transport for Blocking {
    async fn send(&self, request: &HttpRequest, incoming: &Incoming) -> Result<(), TransportError> {
        self.name(&request.url);
        let authorization =
            request.authorization.as_ref().map(|authorization| ("authorization", authorization.expose()));
        let headers = authorization.into_iter().chain(request.content_type.map(|kind| ("content-type", kind)));
        let sent = match request.method {
            HttpMethod::Get => with(self.agent.get(&request.url), headers).call(),
            HttpMethod::Head => with(self.agent.head(&request.url), headers).call(),
            HttpMethod::Post => with(self.agent.post(&request.url), headers).send(&request.body[..]),
        };
        let answer = sent.map_err(|error| match error {
            ureq::Error::HostNotFound => TransportError::Offline,
            // A host that cannot be connected to is not one that falls silent.
            ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => TransportError::Blocked,
            ureq::Error::Timeout(_) => TransportError::Silent,
            _ => TransportError::Blocked,
        })?;
        let header = |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let head = HttpResponse::from_head(request.method, answer.status().as_u16(), header);
        incoming.begin(head, header("location").as_deref())?;
        receive(answer.into_body().into_reader(), incoming)
    }

    async fn sleep(&self, milliseconds: u32) {
        std::thread::sleep(Duration::from_millis(u64::from(milliseconds)));
    }
}

/// Reads a body piece by piece.
fn receive(mut body: impl Read, incoming: &Incoming) -> Result<(), TransportError> {
    let mut piece = vec![0; PIECE];
    let mut ticked_at = Instant::now();
    loop {
        match body.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(length) => incoming.push(piece.get(..length).unwrap_or_default())?,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) => {
                return Err(TransportError::Silent);
            }
            Err(_) => return Err(TransportError::Cut),
        }
        while ticked_at.elapsed() >= Duration::from_millis(u64::from(TICK_MS)) {
            ticked_at += Duration::from_millis(u64::from(TICK_MS));
            if let Some(error) = incoming.tick() {
                return Err(error);
            }
        }
    }
}

fn with<'h, B>(
    request: ureq::RequestBuilder<B>,
    headers: impl Iterator<Item = (&'static str, &'h str)>,
) -> ureq::RequestBuilder<B> {
    headers.fold(request, |request, (name, value)| request.header(name, value))
}
