//! Requests by the browser's own `fetch`: without cookies, without a referrer, and with one header that shows a key.

use gloo_net::http::RequestBuilder;
use js_sys::{Function, Math, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ReferrerPolicy, RequestCredentials};

use crate::http::{HttpMethod, HttpRequest, HttpResponse, Transport, TransportError};

/// The browser's network.
pub struct Fetch;

impl Transport for Fetch {
    async fn send(&self, request: &HttpRequest) -> Result<HttpResponse, TransportError> {
        // What the browser refuses to make a request of can't be sent at all.
        let built = build(request).map_err(|_| TransportError::Blocked)?;
        let response = built
            .send()
            .await
            .map_err(|_| if is_offline() { TransportError::Offline } else { TransportError::Blocked })?;
        let header = |name: &str| response.headers().get(name);
        Ok(HttpResponse {
            status: response.status(),
            retry_after: header("Retry-After"),
            rate_limit_reset: header("RateLimit-Reset"),
            content_length: header("Content-Length").and_then(|length| length.parse().ok()),
            body: response.binary().await.map_err(|_| TransportError::Cut)?,
        })
    }

    async fn sleep(&self, milliseconds: u32) {
        let promise = Promise::new(&mut |resolve, _| {
            if let Some(set_timeout) = global_function("setTimeout") {
                let _ = set_timeout.call2(&JsValue::UNDEFINED, &resolve, &JsValue::from(milliseconds));
            }
        });
        let _ = JsFuture::from(promise).await;
    }
}

/// A number to spread retries by. Not for secrets.
pub fn seed() -> u64 {
    (Math::random() * (1_u64 << 53) as f64) as u64
}

fn build(request: &HttpRequest) -> Result<gloo_net::http::Request, gloo_net::Error> {
    let mut builder = RequestBuilder::new(&request.url)
        .method(match request.method {
            HttpMethod::Get => gloo_net::http::Method::GET,
            HttpMethod::Head => gloo_net::http::Method::HEAD,
            HttpMethod::Post => gloo_net::http::Method::POST,
        })
        .credentials(RequestCredentials::Omit)
        .referrer_policy(ReferrerPolicy::NoReferrer);
    if let Some(authorization) = &request.authorization {
        builder = builder.header("Authorization", authorization.expose());
    }
    if let Some(kind) = request.content_type {
        builder = builder.header("Content-Type", kind);
    }
    if request.body.is_empty() { builder.build() } else { builder.body(Uint8Array::from(request.body.as_slice())) }
}

fn is_offline() -> bool {
    let navigator = Reflect::get(&js_sys::global(), &JsValue::from_str("navigator"));
    let online = navigator.and_then(|navigator| Reflect::get(&navigator, &JsValue::from_str("onLine")));
    online.is_ok_and(|online| online == JsValue::FALSE)
}

fn global_function(name: &str) -> Option<Function> {
    Reflect::get(&js_sys::global(), &JsValue::from_str(name)).ok()?.dyn_into().ok()
}
