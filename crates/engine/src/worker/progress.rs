//! How far a reading is, and pauses in which the worker takes messages.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::{Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{MessageChannel, MessagePort};

use super::post;
use rundown_protocol::{Progress, Work};

/// Milliseconds between two progress events that count bytes, or name one of many files or runs.
const PROGRESS_MS: f64 = 60.0;
/// Milliseconds of work before the worker looks for messages.
pub const YIELD_MS: f64 = 25.0;

/// Milliseconds of reading before the first list of runs is sent: of a short reading the whole list comes at once.
const FIRST_LIST_MS: f64 = 120.0;
/// Milliseconds between two lists.
const LIST_MS: f64 = 250.0;
/// And so many times as long as it took to make the last one, so that lists of thousands of runs cost little in all.
const LIST_SHARE: f64 = 12.0;

/// Says when the list of the runs so far is sent.
pub struct ListPace {
    next_at: f64,
    /// There are runs that no list had yet.
    has_more: bool,
}

impl ListPace {
    /// The pace of a reading that begins now.
    pub fn new() -> Self {
        Self { next_at: now_ms() + FIRST_LIST_MS, has_more: false }
    }

    /// Notes that there are runs for the next list.
    pub fn note_runs(&mut self) {
        self.has_more = true;
    }

    /// Makes a list and sends it, when there are new runs and it is time.
    pub fn send(&mut self, send: impl FnOnce()) {
        let began = now_ms();
        if !self.has_more || began < self.next_at {
            return;
        }
        self.has_more = false;
        send();
        let took = now_ms() - began;
        self.next_at = began + took + LIST_MS.max(LIST_SHARE * took);
    }
}

/// Counts the bytes and files of one request, and tells the page now and then.
pub struct ProgressMeter {
    id: u32,
    progress: Progress,
    /// Bytes of the files that have come.
    bytes: u64,
    started_at: f64,
    posted_at: f64,
}

impl ProgressMeter {
    /// A meter for request `id`, which reads so many files.
    pub fn new(id: u32, files: usize) -> Self {
        let files_total = u32::try_from(files).unwrap_or(u32::MAX);
        let progress = Progress { files_total, ..Progress::default() };
        Self { id, progress, bytes: 0, started_at: now_ms(), posted_at: f64::NEG_INFINITY }
    }

    /// Adds the bytes of a file that has come. Their sum is told once it is that of all files.
    pub fn expect(&mut self, bytes: u64, awaits_more: bool) {
        self.bytes += bytes;
        if !awaits_more {
            self.progress.bytes_total = self.bytes;
        }
    }

    /// Names the work before it begins: if the engine crashes on it, the page knows what to leave out.
    pub fn begin(&mut self, work: Work) {
        self.progress.work = work;
        self.post();
    }

    /// Notes that one of many files or runs is next. With `names_each` the page is told at once, otherwise when it is time: a message for
    /// each takes 6 % of the time of a thousand small files (docs/decisions/many-files.md).
    pub fn begin_one(&mut self, work: Work, names_each: bool) {
        self.progress.work = work;
        if names_each {
            self.post();
        } else {
            self.post_when_due();
        }
    }

    /// Counts bytes.
    pub fn advance(&mut self, bytes: u64) {
        self.progress.bytes_done += bytes;
        self.post_when_due();
    }

    /// Counts a file.
    pub fn end_file(&mut self) {
        self.progress.files_done += 1;
    }

    /// The progress so far.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Sets how many runs are diagnosed, of how many.
    pub fn count_runs(&mut self, (done, total): (u32, u32)) {
        (self.progress.runs_done, self.progress.runs_total) = (done, total);
    }

    /// Counts a run that was diagnosed.
    pub fn end_run(&mut self) {
        self.progress.runs_done = self.progress.runs_total.min(self.progress.runs_done + 1);
    }

    /// Milliseconds since the request began.
    pub fn elapsed_ms(&self) -> f64 {
        now_ms() - self.started_at
    }

    fn post_when_due(&mut self) {
        if now_ms() - self.posted_at > PROGRESS_MS {
            self.post();
        }
    }

    fn post(&mut self) {
        self.posted_at = now_ms();
        post::progress(self.id, self.progress.clone());
    }
}

/// Lets the worker take waiting messages, and goes on. A timer would not do: browsers let it wait for four milliseconds.
pub async fn yield_to_messages() {
    let promise = SELF_CHANNEL.with(|channel| channel.as_ref().map(SelfChannel::pass));
    match promise {
        Some(promise) => _ = JsFuture::from(promise).await,
        None => wait_for_messages().await,
    }
}

thread_local! {
    /// Made once: a channel of its own for each pause took a millisecond.
    static SELF_CHANNEL: Option<SelfChannel> = SelfChannel::new();
}

/// A channel from the worker to itself, whose messages come after those that wait already.
struct SelfChannel {
    sender: MessagePort,
    /// What goes on when a message has come, in the order in which they were sent.
    waiting: Rc<RefCell<VecDeque<Function>>>,
}

impl SelfChannel {
    fn new() -> Option<Self> {
        let channel = MessageChannel::new().ok()?;
        let waiting = Rc::<RefCell<VecDeque<Function>>>::default();
        let resumed = Rc::clone(&waiting);
        let listener = Closure::<dyn FnMut()>::new(move || {
            let resolve = resumed.borrow_mut().pop_front();
            if let Some(resolve) = resolve {
                let _ = resolve.call0(&JsValue::UNDEFINED);
            }
        });
        channel.port2().set_onmessage(Some(listener.as_ref().unchecked_ref()));
        // It listens for as long as the worker lives.
        listener.forget();
        Some(Self { sender: channel.port1(), waiting })
    }

    /// Resolves when the messages that wait now have been taken.
    fn pass(&self) -> Promise {
        Promise::new(&mut |resolve, _| {
            if self.sender.post_message(&JsValue::NULL).is_ok() {
                self.waiting.borrow_mut().push_back(resolve);
            } else {
                let _ = resolve.call0(&JsValue::UNDEFINED);
            }
        })
    }
}

/// Waits a few milliseconds, in which the worker takes messages: when there is nothing to do without them.
pub async fn wait_for_messages() {
    let promise = Promise::new(&mut |resolve, _| {
        // Without a timer the promise would never resolve.
        if post::scope().set_timeout_with_callback(&resolve).is_err() {
            let _ = resolve.call0(&JsValue::UNDEFINED);
        }
    });
    let _ = JsFuture::from(promise).await;
}

/// Milliseconds since the worker started.
pub fn now_ms() -> f64 {
    post::scope().performance().map_or(0.0, |clock| clock.now())
}
