//! A question to the engine as a resource: asked again whenever what it is about changes.

use std::sync::Arc;

use leptos::prelude::*;

use super::{AskError, Engine};
use rundown_protocol::{Reply, Request};

/// The reply, or why there is none in words; `None` before the first one.
pub type Answered<T> = LocalResource<Result<Arc<T>, String>>;

/// Asks whenever state that `request` reads changes, or the engine was started again. `pick` picks the part of the
/// reply that answers this kind of request. A question that was asked anew drops the one before; what was answered
/// before stays until then, so that nothing flickers.
pub fn answered<T: 'static>(
    engine: Engine,
    request: impl Fn() -> Request + 'static,
    pick: fn(Reply) -> Option<T>,
) -> Answered<T> {
    asked(engine, Box::new(request), pick)
}

/// Apart, so that there is one copy for each kind of answer and not one for each question: a resource is large.
fn asked<T: 'static>(engine: Engine, request: Box<dyn Fn() -> Request>, pick: fn(Reply) -> Option<T>) -> Answered<T> {
    let generation = engine.generation();
    LocalResource::new(move || {
        generation.track();
        let request = request();
        async move {
            match engine.request(request).await {
                Ok((reply, _)) => pick(reply).map(Arc::new).ok_or_else(|| AskError::unexpected_reply().to_string()),
                Err(error) => Err(error.to_string()),
            }
        }
    })
}
