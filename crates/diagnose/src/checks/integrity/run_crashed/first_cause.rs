//! What failed before the last error of a log: in a run that stopped before any step a library that could not be loaded, or memory that
//! ran out in a worker; and what a worker raised whose driver says no more than that it is gone.

use super::last_error::{ErrorKind, LastError, error_of};
use super::traceback::IGNORED;
use rundown_format::{RichText, rich};
use rundown_run::Log;

/// What Python raises where a module, or what is in it, cannot be loaded.
const NOT_LOADED: [&str; 2] = ["ImportError", "ModuleNotFoundError"];
/// End of the name of a library of machine code, before what is wrong with it.
const LIBRARY: &str = ".so: ";
/// What the loader says of a library that was built for another version of one that it needs.
const OTHER_BUILD: &str = "undefined symbol";

/// Last lines of a log that may hold the error that ended a worker: tracebacks of several workers are mixed.
const NEAR: usize = 200;

/// The same error with what a worker raised near the end of the log, where it says only that the worker is gone: the first error
/// that names its cause, else the first of all. Later ones may be lost connections.
pub(super) fn with_worker(log: &Log, last: LastError) -> LastError {
    if last.kind != ErrorKind::WorkerGone {
        return last;
    }
    let near = log.lines.len().saturating_sub(NEAR);
    let of_workers = raised(log, near).filter(|error| error.kind != ErrorKind::WorkerGone);
    match of_workers.min_by_key(|error| error.kind == ErrorKind::Other) {
        Some(LastError { kind, gpu_memory, line, .. }) => LastError { kind, gpu_memory, of_worker: Some(line), ..last },
        None => last,
    }
}

/// The exceptions of a log from a line on, those below a frame of a traceback: programs also print that an import failed where
/// they go on with another module. Exceptions that Python ignored are left out.
fn raised(log: &Log, from: usize) -> impl Iterator<Item = LastError> + '_ {
    let lines = log.lines.iter().skip(from);
    let mut is_ignored = false;
    lines.clone().zip(lines.skip(1)).filter_map(move |(above, line)| {
        is_ignored |= above.text.contains(IGNORED);
        let error = error_of(&without_folder(without_worker(&line.text).trim()))?;
        let ended = !std::mem::take(&mut is_ignored);
        (ended && without_worker(&above.text).starts_with("  ")).then_some(error)
    })
}

/// A sentence on the first error of a log that may be the cause of its last one; `None` where that names its cause itself.
pub(super) fn first_cause(log: &Log, last: &LastError) -> Option<RichText> {
    let is_cause =
        |error: &LastError| error.kind == ErrorKind::OutOfMemory || NOT_LOADED.contains(&error.class.as_str());
    let first = raised(log, 0).find(is_cause).filter(|first| !is_cause(last) && first.line != last.line)?;
    if [&last.cause, &last.of_worker].into_iter().flatten().any(|told| *told == first.line) {
        return None;
    }
    let mut text = rich!(" Before that it has “{}”, which may be the cause.", first.line.as_str());
    if first.line.contains(OTHER_BUILD) {
        text.append(" That library was built for another version of PyTorch: install it again for the installed one.");
    }
    Some(text)
}

/// A line without what Ray and vLLM put before those of a worker: `(WorkerDict pid=7) `.
fn without_worker(line: &str) -> &str {
    let mark = line.strip_prefix('(').and_then(|rest| rest.split_once(") "));
    mark.filter(|(name, _)| name.contains("pid=")).map_or(line, |(_, rest)| rest)
}

/// A line that names a library without the folders in which it is: what is wrong with it comes behind them.
fn without_folder(line: &str) -> String {
    let shortened = line.split_once(LIBRARY).and_then(|(before, wrong)| {
        let (class, path) = before.split_once(": ")?;
        Some(format!("{class}: {}{LIBRARY}{wrong}", path.rsplit('/').next()?))
    });
    shortened.unwrap_or_else(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::{LogLine, Stream};

    fn told(first: &str, last: &str) -> String {
        let mut log = Log::default();
        let lines = ["(W pid=7) Traceback (most recent call last):", "(W pid=7)   File \"a.py\", line 3", first, last];
        lines.iter().for_each(|text| log.push(LogLine { stream: Stream::Error, text: (*text).to_owned() }));
        first_cause(&log, &error_of(last).unwrap()).map(|text| text.to_string()).unwrap_or_default()
    }

    const GONE: &str = "ray.exceptions.ActorDiedError: The actor died.";

    /// The last error of a log with what a worker raised, each line of `raised` below a frame.
    fn found(raised: &[&str], last: &str) -> LastError {
        let mut log = Log::default();
        let framed = raised.iter().flat_map(|line| ["(W pid=7)   File \"a.py\", line 3", *line]);
        framed.chain([last]).for_each(|text| log.push(LogLine { stream: Stream::Error, text: text.to_owned() }));
        with_worker(&log, error_of(last).unwrap())
    }

    #[test]
    fn what_a_worker_raised_is_told_where_the_driver_says_that_it_is_gone() {
        let raised = ["(W pid=7) RuntimeError: no such segments"];
        assert_eq!(found(&raised, GONE).of_worker.as_deref(), Some("RuntimeError: no such segments"));
        assert_eq!(found(&raised, GONE).kind, ErrorKind::Other);
        assert_eq!(found(&raised, "ValueError: no tokens").of_worker, None);
    }

    #[test]
    fn what_follows_from_the_first_error_of_a_worker_is_not_told_for_it() {
        let ignored = ["Exception ignored in: <function A.__del__>", "AttributeError: no pool"];
        let first = "(W pid=7) RuntimeError: no such segments";
        let lost = "(W pid=8) ConnectionResetError: [Errno 104] Connection reset by peer";
        let told = |raised: &[&str]| found(&[&ignored[..], raised].concat(), GONE).of_worker.unwrap_or_default();
        assert_eq!(told(&[first, lost]), "RuntimeError: no such segments");
        assert_eq!(
            told(&[first, "torch.OutOfMemoryError: CUDA out of memory.", lost]),
            "OutOfMemoryError: CUDA out of memory."
        );
        assert_eq!(told(&[]), "");
        let full = "torch.OutOfMemoryError: CUDA out of memory. GPU 0 has a total capacity of 48.00 GiB. Of it 11.50 GiB \
                    is allocated by PyTorch.";
        assert_eq!(found(&[full], GONE).gpu_memory.map(|memory| memory.capacity), Some(48.0));
    }

    #[test]
    fn a_library_that_a_worker_cannot_load_is_told_beside_the_driver_s_error() {
        let library = "(W pid=7) ImportError: /a/b/flash_attn_2_cuda.so: undefined symbol: _ZNK3c1011";
        let told_of = told(library, "AssertionError: no actor");
        assert!(told_of.contains("“ImportError: flash_attn_2_cuda.so: undefined symbol: _ZNK3c1011”"), "{told_of}");
        assert!(told_of.contains("another version of PyTorch"), "{told_of}");
        assert!(told("torch.OutOfMemoryError: CUDA out of memory.", "RuntimeError: engine died").contains("memory"));
        assert_eq!(told("ValueError: no tokens", "AssertionError: no actor"), "");
        assert_eq!(told("ImportError: no x", "ImportError: no y"), "", "the last one names a cause itself");
    }
}
