//! The client's transport for tests: a real HTTP client, and waits that are counted instead of waited.

#![allow(dead_code, reason = "each user takes a part of this")]

use std::cell::Cell;

use rundown::http::{HttpMethod, HttpRequest, HttpResponse, Transport, TransportError};

/// Sends with reqwest.
pub struct Native {
    client: reqwest::Client,
    slept: Cell<u64>,
}

impl Default for Native {
    fn default() -> Self {
        // Each test call runs in a runtime of its own, and a connection does not outlive its runtime.
        let client = reqwest::Client::builder().pool_max_idle_per_host(0).build();
        Self { client: client.unwrap_or_default(), slept: Cell::default() }
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
    async fn send(&self, request: &HttpRequest) -> Result<HttpResponse, TransportError> {
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
        let answer = sending.send().await.map_err(|_| TransportError::Blocked)?;
        let header = |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let status = answer.status().as_u16();
        let (retry_after, rate_limit_reset) = (header("retry-after"), header("ratelimit-reset"));
        let content_length = header("content-length").and_then(|length| length.parse().ok());
        let body = answer.bytes().await.map_err(|_| TransportError::Cut)?.to_vec();
        Ok(HttpResponse { status, retry_after, rate_limit_reset, content_length, body })
    }

    async fn sleep(&self, milliseconds: u32) {
        self.slept.set(self.slept.get() + u64::from(milliseconds));
        tokio::task::yield_now().await;
    }
}
