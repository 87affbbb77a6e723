//! Cancelling: one token for all requests of a fetch, which wakes whoever waits on it.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// A cancellation token. Clones share one state.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Rc<CancelState>);

#[derive(Debug, Default)]
struct CancelState {
    is_cancelled: Cell<bool>,
    /// Tasks that wait, each once.
    waiting: RefCell<Vec<Waker>>,
}

impl CancelToken {
    /// Cancels everything that holds a clone of it.
    pub fn cancel(&self) {
        self.0.is_cancelled.set(true);
        // Taken out first: a task that is woken may wait again.
        let waiting = self.0.waiting.take();
        waiting.into_iter().for_each(Waker::wake);
    }

    /// True once cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.get()
    }

    /// Waits until it is cancelled.
    pub async fn cancelled(&self) {
        poll_fn(|context| {
            if self.is_cancelled() {
                return Poll::Ready(());
            }
            let mut waiting = self.0.waiting.borrow_mut();
            if !waiting.iter().any(|known| known.will_wake(context.waker())) {
                waiting.push(context.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::task::{Context, Wake};

    use super::*;

    #[derive(Default)]
    struct Counted(AtomicU32);

    impl Wake for Counted {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn whoever_waits_is_woken_once() {
        let token = CancelToken::default();
        let woken = Arc::new(Counted::default());
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = Context::from_waker(&waker);
        let mut waiting = pin!(token.cancelled());
        for _ in 0..3 {
            assert_eq!(waiting.as_mut().poll(&mut context), Poll::Pending);
        }
        token.clone().cancel();
        assert_eq!(woken.0.load(Ordering::Relaxed), 1);
        assert_eq!(waiting.as_mut().poll(&mut context), Poll::Ready(()));
    }
}
