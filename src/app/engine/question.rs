//! A question to the engine as a resource: asked again whenever what it is about changes.

use std::sync::Arc;

use leptos::prelude::*;

use super::{Engine, Payload};
use rundown_protocol::Request;

/// The reply, or why there is none in words; `None` before the first one.
pub type Answered<T> = LocalResource<Result<Arc<T>, String>>;

/// Asks whenever state that `request` reads changes, or the engine was started again. A question that was asked anew drops
/// the one before; what was answered before stays until then, so that nothing flickers.
pub fn answered<T: Payload>(engine: Engine, request: impl Fn() -> Request + 'static) -> Answered<T> {
    asked(engine, Box::new(request))
}

/// Apart, so that there is one copy for each kind of answer and not one for each question: a resource is large.
fn asked<T: Payload>(engine: Engine, request: Box<dyn Fn() -> Request>) -> Answered<T> {
    let generation = engine.generation();
    LocalResource::new(move || {
        generation.track();
        let request = request();
        async move { engine.request(request).await.map(Arc::new).map_err(|error| error.to_string()) }
    })
}
