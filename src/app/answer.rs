//! A question to the engine that is asked again whenever what it is about changes.

use std::rc::Rc;

use super::reactive::{State, follow};
use super::store::Store;
use crate::protocol::{Reply, Request};

/// What the engine last said, or why it said nothing; `None` before the first reply.
pub type Answer = Option<Result<Rc<Reply>, String>>;

/// Asks whenever state that `request` reads changes, the runs do, or the engine was restarted. The last question
/// wins: an answer to an earlier one is dropped. What was said before stays until then, so that nothing flickers.
pub fn ask(store: Store, request: impl Fn() -> Request + 'static) -> State<Answer> {
    ask_boxed(store, Box::new(request))
}

#[inline(never)]
fn ask_boxed(store: Store, request: Box<dyn Fn() -> Request>) -> State<Answer> {
    let answer = State::new(None);
    let latest = State::new(0u32);
    let generation = store.engine.generation();
    follow(move || {
        let request = request();
        store.revision.track();
        generation.track();
        let ticket = latest.get_untracked().wrapping_add(1);
        latest.quietly(|latest| *latest = ticket);
        store.engine.ask(request, move |outcome| {
            // The view may be gone by now, and its state with it.
            if latest.get_untracked() == ticket {
                answer.set(Some(outcome.map(|(reply, _)| Rc::new(reply)).map_err(|error| error.to_string())));
            }
        });
    });
    answer
}
