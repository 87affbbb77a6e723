//! The client's transport for tests: a real HTTP client, and waits that are counted instead of waited while no request is
//! under way.

#![allow(dead_code, reason = "each user takes a part of this")]

use std::cell::Cell;
use std::time::{Duration, Instant};

use rundown_http::{HttpMethod, HttpRequest, HttpResponse, Incoming, Transport, TransportError};

/// Sends with reqwest.
pub struct Native {
    client: reqwest::Client,
    slept: Cell<u64>,
    under_way: Cell<u32>,
}

/// A request under way.
struct UnderWay<'n>(&'n Native);

impl<'n> UnderWay<'n> {
    fn new(native: &'n Native) -> Self {
        native.under_way.set(native.under_way.get() + 1);
        Self(native)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.under_way.set(self.0.under_way.get() - 1);
    }
}

impl Default for Native {
    fn default() -> Self {
        // Each test call runs in a runtime of its own, and a connection does not outlive its runtime.
        let client = reqwest::Client::builder().pool_max_idle_per_host(0).redirect(reqwest::redirect::Policy::none());
        let client = client.build();
        Self { client: client.unwrap_or_default(), slept: Cell::default(), under_way: Cell::default() }
    }
}

impl Native {
    /// Milliseconds that would have been waited.
    #[allow(dead_code, reason = "each user takes a part of this")]
    pub fn slept(&self) -> u64 {
        self.slept.get()
    }
}

impl Transport for Native {
    async fn send(&self, request: &HttpRequest, incoming: &Incoming) -> Result<(), TransportError> {
        let _under_way = UnderWay::new(self);
        let method = match request.method {
            HttpMethod::Get => reqwest::Method::GET,
            HttpMethod::Head => reqwest::Method::HEAD,
            HttpMethod::Post => reqwest::Method::POST,
        };
        let mut sending = self.client.request(method, &request.url).body(request.body.clone());
        if let Some(authorization) = &request.authorization {
            sending = sending.header("authorization", authorization.expose());
        }
        if let Some(content_type) = request.content_type {
            sending = sending.header("content-type", content_type);
        }
        let mut answer = sending.send().await.map_err(|_| TransportError::Blocked)?;
        let header = |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let head = HttpResponse::from_head(request.method, answer.status().as_u16(), header);
        incoming.begin(head, header("location").as_deref())?;
        while let Some(bytes) = answer.chunk().await.map_err(|_| TransportError::Cut)? {
            incoming.push(&bytes)?;
        }
        Ok(())
    }

    async fn sleep(&self, milliseconds: u32) {
        let until = Instant::now() + Duration::from_millis(u64::from(milliseconds));
        while Instant::now() < until {
            if self.under_way.get() == 0 {
                self.slept.set(self.slept.get() + u64::from(milliseconds));
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}
