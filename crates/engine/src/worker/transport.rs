//! Requests by the browser's own `fetch`: without cookies, without a referrer, without redirects, with one header that
//! shows a key, and aborted as soon as nobody waits for the answer.

use gloo_net::http::RequestBuilder;
use js_sys::{Function, Math, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, ReadableStream, ReadableStreamDefaultReader, ReferrerPolicy, RequestCredentials, RequestRedirect,
    ResponseType,
};

use super::hosts;
use super::stream::next_chunk;
use rundown_http::{HttpMethod, HttpRequest, HttpResponse, Incoming, Transport, TransportError};

/// The browser's network.
pub struct Fetch;

impl Transport for Fetch {
    async fn send(&self, request: &HttpRequest, incoming: &Incoming) -> Result<(), TransportError> {
        if !hosts::may_ask(&request.url) {
            return Err(TransportError::NotNamed);
        }
        let abort = Abort(AbortController::new().map_err(|_| TransportError::Blocked)?);
        // What the browser refuses to make a request of can't be sent at all.
        let built = build(request, &abort.0).map_err(|_| TransportError::Blocked)?;
        let response = built
            .send()
            .await
            .map_err(|_| if is_offline() { TransportError::Offline } else { TransportError::Blocked })?;
        if response.type_() == ResponseType::Opaqueredirect {
            return Err(TransportError::Redirected { target: None });
        }
        let head = HttpResponse::from_head(request.method, response.status(), |name| response.headers().get(name));
        incoming.begin(head, None)?;
        match response.body() {
            Some(body) => receive(&body, incoming).await,
            None => Ok(()),
        }
    }

    async fn sleep(&self, milliseconds: u32) {
        let mut timer = Timer(JsValue::UNDEFINED);
        let promise = Promise::new(&mut |resolve, _| {
            if let Some(set_timeout) = global_function("setTimeout") {
                let set = set_timeout.call2(&JsValue::UNDEFINED, &resolve, &JsValue::from(milliseconds));
                timer.0 = set.unwrap_or(JsValue::UNDEFINED);
            }
        });
        let _ = JsFuture::from(promise).await;
    }
}

/// Aborts its request when it is dropped: after the last byte that does nothing.
struct Abort(AbortController);

impl Drop for Abort {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Clears its timer when it is dropped: each request has one that is most often not waited for.
struct Timer(JsValue);

impl Drop for Timer {
    fn drop(&mut self) {
        if let Some(clear_timeout) = global_function("clearTimeout") {
            let _ = clear_timeout.call1(&JsValue::UNDEFINED, &self.0);
        }
    }
}

/// Reads a body chunk by chunk.
async fn receive(body: &ReadableStream, incoming: &Incoming) -> Result<(), TransportError> {
    let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
    while let Some(chunk) = next_chunk(JsFuture::from(reader.read())).await.map_err(|_| TransportError::Cut)? {
        incoming.push(&chunk.to_vec())?;
    }
    Ok(())
}

/// A number to spread retries by. Not for secrets.
pub fn seed() -> u64 {
    (Math::random() * (1_u64 << 53) as f64) as u64
}

fn build(request: &HttpRequest, abort: &AbortController) -> Result<gloo_net::http::Request, gloo_net::Error> {
    let mut builder = RequestBuilder::new(&request.url)
        .method(match request.method {
            HttpMethod::Get => gloo_net::http::Method::GET,
            HttpMethod::Head => gloo_net::http::Method::HEAD,
            HttpMethod::Post => gloo_net::http::Method::POST,
        })
        .credentials(RequestCredentials::Omit)
        // The answer then is one that says nothing but that it is a redirect. Followed, the query would go along.
        .redirect(RequestRedirect::Manual)
        .abort_signal(Some(&abort.signal()))
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
