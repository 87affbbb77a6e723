//! One queue for all redraws, so that twenty charts that change at once don't freeze the page.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use leptos::prelude::window;

use crate::app::browser::timing::{now, on_frame};

/// Redrawing stops for this frame when it has taken so long; at least one chart is drawn. Painting takes the browser as long
/// again, and the rest of the 16.7 ms is for everything else (docs/decisions/cursor.md).
const BUDGET_MS: f64 = 3.0;
/// Measures of one name that the browser keeps; older ones go, or a day of hovering would fill its memory.
const KEPT_MEASURES: u32 = 5_000;

type Task = Box<dyn FnOnce()>;

thread_local! {
    static QUEUE: RefCell<VecDeque<(u64, Task)>> = const { RefCell::new(VecDeque::new()) };
    static SCHEDULED: Cell<bool> = const { Cell::new(false) };
    static LAST_ID: Cell<u64> = const { Cell::new(0) };
    static MEASURES: Cell<u32> = const { Cell::new(0) };
}

/// A number that no other chart has.
pub fn new_id() -> u64 {
    LAST_ID.with(|last| {
        last.set(last.get() + 1);
        last.get()
    })
}

/// Runs `task` in one of the next frames, in the very next one where it is `urgent`; once, however often the same `id` asks
/// before that.
pub fn on_next_frame(id: u64, urgent: bool, task: impl FnOnce() + 'static) {
    let is_new = QUEUE.with_borrow_mut(|queue| {
        let waiting = queue.iter().position(|(waiting, _)| *waiting == id);
        match waiting {
            Some(index) if urgent => {
                if let Some(task) = queue.remove(index) {
                    queue.push_front(task);
                }
            }
            Some(_) => {}
            None if urgent => queue.push_front((id, Box::new(task))),
            None => queue.push_back((id, Box::new(task))),
        }
        waiting.is_none()
    });
    if is_new {
        schedule();
    }
}

fn schedule() {
    if !SCHEDULED.replace(true) {
        on_frame(run);
    }
}

fn run() {
    SCHEDULED.set(false);
    let started = now();
    // The queue is not borrowed while a task runs: it may ask for another frame.
    while let Some((_, task)) = QUEUE.with_borrow_mut(VecDeque::pop_front) {
        task();
        if now() - started >= BUDGET_MS || !started.is_finite() {
            break;
        }
    }
    if QUEUE.with_borrow(|queue| !queue.is_empty()) {
        schedule();
    }
}

/// Runs `work` and leaves its time under `name` in the browser's User Timing, where a benchmark finds it.
pub fn timed<T>(name: &'static str, work: impl FnOnce() -> T) -> T {
    let Some(clock) = window().performance() else { return work() };
    let start = "rundown chart start";
    // A browser that keeps no marks loses the measure and nothing else.
    let _ = clock.mark(start);
    let out = work();
    let _ = clock.measure_with_start_mark(name, start);
    clock.clear_marks_with_mark_name(start);
    let count = MEASURES.get() + 1;
    MEASURES.set(count % KEPT_MEASURES);
    if count == KEPT_MEASURES {
        clock.clear_measures_with_measure_name(name);
    }
    out
}
