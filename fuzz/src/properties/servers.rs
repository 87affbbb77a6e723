//! Answers of servers: the input is cut at blank lines into answers, which come in turn; the first character of each is
//! the status.

use std::cell::Cell;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use rundown_axiom::{AxiomClient, Pages};
use rundown_http::{ApiKey, HttpRequest, HttpResponse, HttpSession, Incoming, Transport, TransportError};
use rundown_ingest::{FileOutcome, RunAssembler};
use rundown_run::FileFormat;
use rundown_wandb::{Download, Extras, FetchOptions, ListColumns, RunRef, RunSelection, WandbClient};

/// Requests that are answered: a client must end when the network goes.
const MOST_REQUESTS: usize = 64;
const KEY: &str = "0123456789abcdef0123456789abcdef01234567";

/// Lists of projects and runs, and a download, from these answers.
pub fn wandb(input: &[u8]) {
    let answers = Answers::new(input);
    let client = WandbClient::new(HttpSession::new(&answers, 1), "https://w.example", ApiKey::new(KEY));
    block_on(async {
        let mut after = None;
        for _ in 0..4 {
            let page = client.list_projects("e", after.as_deref()).await;
            no_key(&page);
            after = page.ok().and_then(|page| page.next);
            if after.is_none() {
                break;
            }
        }
        let runs = client.list_runs("e", "p", &RunSelection::default(), &ListColumns::default(), None).await;
        no_key(&runs);
        let place = RunRef { entity: "e".into(), project: "p".into(), id: "r".into() };
        let options = FetchOptions { system: true, console_lines: 100, parquet: true };
        let mut download = match Download::begin(&client, place.clone(), options, |_| true).await {
            Ok(download) => download,
            Err(error) => return no_key(&error),
        };
        while !download.is_done() {
            if let Err(error) = download.advance(&client).await {
                no_key(&error);
                break;
            }
        }
        let (part, problems) = download.part();
        let outcome = FileOutcome { parts: vec![part], problems, format: FileFormat::WandbApi };
        let mut assembler = RunAssembler::default();
        assembler.add(outcome);
        no_key(&assembler.assemble(Vec::new()).problems);
        let mut extras = Extras::new(place);
        if let Err(error) = extras.complete(&client, |_| {}).await {
            no_key(&error);
        }
    });
}

/// Pages of events, from these answers.
pub fn axiom(input: &[u8]) {
    let answers = Answers::new(input);
    let key = ApiKey::new(KEY).expect("a key");
    let client = AxiomClient::new(HttpSession::new(&answers, 1), None, key);
    let mut pages = Pages::new("d".into(), "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z");
    let mut file = rundown_ingest::open("d.ndjson", u64::MAX);
    block_on(async {
        while !pages.is_done() {
            match client.next_page(&mut pages).await {
                Ok(lines) => file.push(&lines),
                Err(error) => return no_key(&error),
            }
        }
    });
    file.finish();
}

fn no_key(said: &impl std::fmt::Debug) {
    // `Debug` writes a null character as `\0`, whose digit would join those of a key behind it.
    let said = format!("{said:?}").replace("\\0", " ");
    assert!(!said.contains(KEY), "the key is in {said}");
}

/// Gives the input's pieces as answers, and then no network.
struct Answers<'i> {
    input: &'i [u8],
    at: Cell<usize>,
    requests: Cell<usize>,
}

impl<'i> Answers<'i> {
    fn new(input: &'i [u8]) -> Self {
        Self { input, at: Cell::new(0), requests: Cell::new(0) }
    }

    fn next(&self) -> Option<&'i [u8]> {
        let rest = self.input.get(self.at.get()..).filter(|rest| !rest.is_empty())?;
        let length = rest.windows(2).position(|pair| pair == b"\n\n");
        self.at.set(self.at.get() + length.map_or(rest.len(), |length| length + 2));
        rest.get(..length.unwrap_or(rest.len()))
    }
}

impl Transport for Answers<'_> {
    async fn send(&self, _request: &HttpRequest, incoming: &Incoming) -> Result<(), TransportError> {
        self.requests.set(self.requests.get() + 1);
        if self.requests.get() > MOST_REQUESTS {
            return Err(TransportError::Offline);
        }
        let answer = self.next().ok_or(TransportError::Offline)?;
        let (status, body) = answer.split_first().ok_or(TransportError::Cut)?;
        let status = match status {
            b'4' => 401,
            b'5' => 500,
            b'9' => 429,
            b'x' => return Err(TransportError::Blocked),
            _ => 200,
        };
        let response = HttpResponse { status, retry_after: Some("1".into()), ..HttpResponse::default() };
        incoming.begin(response, None)?;
        body.chunks(1000).try_for_each(|part| incoming.push(part))
    }

    async fn sleep(&self, _milliseconds: u32) {}
}

/// Runs a future that never waits.
fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}
