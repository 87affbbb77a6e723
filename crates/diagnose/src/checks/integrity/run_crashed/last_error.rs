//! The exceptions with which the log of a run ends, and what they say of its cause. What to do about a run follows from
//! that, so it is read apart from the advice.

use super::traceback::{self, INTERRUPT};
use rundown_format::redact::cut;
use rundown_run::{Log, exception};

/// Characters of an error message that are quoted.
const QUOTED: usize = 120;
/// What asyncio raises in a task that Ctrl-C cancels, before it raises the interrupt itself.
const CANCELLED: &str = "CancelledError";

/// What Ray and vLLM raise in a driver whose worker is gone. Ray's `RayTaskError(ValueError)` ends with the worker's own error,
/// and the `ChildFailedError: ` of PyTorch's launcher has no message on its line: neither is read as an exception, so the one
/// before it is.
const WORKER_GONE: [&str; 6] = [
    "ActorDiedError", "ActorUnavailableError", "RayActorError", "WorkerCrashedError", "EngineDeadError",
    "BrokenPipeError",
];

/// What an error says of its cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ErrorKind {
    /// The memory of a GPU or the host did not suffice.
    OutOfMemory,
    /// A disk was full, or a file could not be written.
    NotWritten,
    /// A number was NaN or infinite.
    NotFinite,
    /// A worker process is gone, and the error does not say what ended it.
    WorkerGone,
    /// Anything else.
    Other,
}

/// An exception of a log.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LastError {
    /// Class of the exception, such as `RuntimeError`.
    pub class: String,
    /// Class and message, shortened, without anything that looks like a secret.
    pub line: String,
    /// The statement that raised it, where it has no message.
    pub statement: Option<String>,
    /// Class and message of the exception that was raised first, where this one was raised while that was handled.
    pub cause: Option<String>,
    /// Class and message of what the lost worker raised.
    pub of_worker: Option<String>,
    /// What they say of their cause.
    pub kind: ErrorKind,
    /// What PyTorch says of the memory of a GPU that ran out of it.
    pub gpu_memory: Option<GpuMemory>,
}

/// The memory of a GPU, in GiB.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct GpuMemory {
    /// All of it.
    pub capacity: f64,
    /// What PyTorch's allocator held in the process that failed.
    pub held: f64,
}

impl GpuMemory {
    /// `GPU 0 has a total capacity of 47.98 GiB … 11.30 GiB is allocated by PyTorch, and 973.70 MiB is reserved by PyTorch`.
    fn of(message: &str) -> Option<Self> {
        let capacity = gibibytes(message.split_once("total capacity of ")?.1)?;
        let before = |words: &str| {
            let (text, _) = message.split_once(words)?;
            let (rest, _) = text.rsplit_once(' ')?;
            gibibytes(text.get(rest.rfind(' ')? + 1..)?)
        };
        let held = before(" is allocated by PyTorch")? + before(" is reserved by PyTorch").unwrap_or(0.0);
        Some(Self { capacity, held })
    }

    /// True where most of it was held outside of that process, or outside of PyTorch.
    pub(super) fn is_held_elsewhere(self) -> bool {
        self.held < 0.5 * self.capacity
    }
}

/// The size with which a text begins: `47.98 GiB`, `973.70 MiB`, `0 bytes`.
fn gibibytes(text: &str) -> Option<f64> {
    let mut words = text.split([' ', ',']);
    let number: f64 = words.next()?.parse().ok()?;
    let unit = match words.next()?.trim_end_matches('.') {
        "GiB" => 1.0,
        "MiB" => 1.0 / 1024.0,
        "KiB" => 1.0 / 1024.0 / 1024.0,
        "bytes" => 0.0,
        _ => return None,
    };
    Some(number * unit)
}

/// The exception with which a log ends. Where it is known that the run crashed (`has_crashed`), its message may be long.
pub(super) fn last_error(log: &Log, has_crashed: bool) -> Option<LastError> {
    let distant = || traceback::distant_exception(log).filter(|_| has_crashed);
    let place = places(log).find(|place| error_at(log, *place).is_some()).or_else(distant)?;
    let mut error = error_at(log, place)?;
    if error.line == error.class {
        error.statement = traceback::statement(log, place).map(|line| cut(&line, QUOTED).into_owned());
    }
    if let Some(cause) = traceback::cause(log, place).and_then(|place| error_at(log, place)) {
        if matches!(error.kind, ErrorKind::Other | ErrorKind::WorkerGone) {
            error.kind = cause.kind;
        }
        error.cause = Some(cause.line).filter(|line| *line != error.line);
    }
    Some(error)
}

/// True for a log that ends with nothing but Python's interrupt, and what it cancels. Beside another error the interrupt is the
/// clean-up after it.
pub(super) fn is_interrupt(log: &Log) -> bool {
    let mut errors = errors(log).peekable();
    errors.peek().is_some_and(|last| last.class == INTERRUPT)
        && errors.all(|error| error.class == INTERRUPT || error.class == CANCELLED)
}

/// The exceptions at the end of a log, the last one first.
fn errors(log: &Log) -> impl Iterator<Item = LastError> + '_ {
    places(log).filter_map(|place| error_at(log, place))
}

/// The places of the last lines of a log, the last one first.
fn places(log: &Log) -> impl Iterator<Item = usize> {
    (0..log.lines.len()).rev().take(Log::ERROR_TAIL)
}

fn error_at(log: &Log, place: usize) -> Option<LastError> {
    error_of(log.lines.get(place)?.text.trim())
}

/// The exception that a line names, if it does.
pub(super) fn error_of(line: &str) -> Option<LastError> {
    let (class, message) = exception(line)?;
    let lower = format!("{class}: {message}").to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let kind = if has(&["out of memory", "outofmemory", "resource_exhausted"]) {
        ErrorKind::OutOfMemory
    } else if has(&["no space left on device", "disk quota exceeded", "file write failed"]) {
        ErrorKind::NotWritten
    } else if lower.contains("nan") && (lower.contains("inf") || lower.contains("probability")) {
        ErrorKind::NotFinite
    } else if WORKER_GONE.contains(&class) || has(&["engine core initialization failed"]) {
        ErrorKind::WorkerGone
    } else {
        ErrorKind::Other
    };
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let quoted = cut(&message, QUOTED);
    let line = if quoted.is_empty() { class.to_owned() } else { format!("{class}: {quoted}") };
    let gpu_memory = GpuMemory::of(&message).filter(|_| kind == ErrorKind::OutOfMemory);
    Some(LastError { class: class.to_owned(), line, statement: None, cause: None, of_worker: None, kind, gpu_memory })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::{LogLine, Stream};

    #[test]
    fn an_interrupt_of_asyncio_is_one_by_hand() {
        let is_by_hand = |lines: &[&str]| {
            let mut log = Log::default();
            lines.iter().for_each(|text| log.push(LogLine { stream: Stream::Error, text: (*text).to_owned() }));
            is_interrupt(&log)
        };
        let during = "During handling of the above exception, another exception occurred:";
        assert!(is_by_hand(&["asyncio.exceptions.CancelledError", "", during, "KeyboardInterrupt"]));
        assert!(!is_by_hand(&["ValueError: no", "asyncio.exceptions.CancelledError", "KeyboardInterrupt"]));
        assert!(!is_by_hand(&["asyncio.exceptions.CancelledError"]), "its cause is not known");
        assert!(!is_by_hand(&["KeyboardInterrupt", during, "asyncio.exceptions.CancelledError"]));
    }

    #[test]
    fn memory_that_ran_out_is_read_with_its_holder() {
        let message = |allocated: &str| {
            error_of(&format!(
                "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 MiB. GPU 0 has a total capacity of \
                 48.00 GiB of which 0 bytes is free. Of the allocated memory {allocated} is allocated by PyTorch, and 512.00 \
                 MiB is reserved by PyTorch but unallocated."
            ))
        };
        let memory = |allocated: &str| message(allocated).unwrap().gpu_memory.unwrap();
        assert_eq!((memory("11.50 GiB").capacity, memory("11.50 GiB").held), (48.0, 12.0));
        assert!(memory("11.50 GiB").is_held_elsewhere() && !memory("40.00 GiB").is_held_elsewhere());
        assert_eq!(message("much").unwrap().gpu_memory, None);
        assert_eq!(error_of("torch.OutOfMemoryError: CUDA out of memory.").unwrap().gpu_memory, None);
    }

    #[test]
    fn a_key_in_a_message_is_not_cut_into_a_part_that_nobody_knows() {
        for blanks in 60..QUOTED {
            let message = format!("ValueError: {:x>blanks$} token hf_abcdefghijklmnopqrstuvwxyz and more words", " ");
            let error = error_of(&message).unwrap();
            assert!(!rundown_format::redact(&error.line).contains("hf_"), "{}", error.line);
        }
        assert_eq!(error_of("Loss: 0.3"), None);
        assert_eq!(error_of("no Error here"), None);
    }
}
