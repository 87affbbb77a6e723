//! What a traceback says besides its last line: the statement that raised an exception without a message, and the exception
//! that came before it, which is often the cause: a full disk, and then a file that could not be closed.

use rundown_format::redact;
use rundown_run::{Log, exception, frame};

/// What Python writes between an exception and the one that was raised while it was handled, or from it.
const BETWEEN: [&str; 2] =
    ["During handling of the above exception", "The above exception was the direct cause of the following"];
/// What the last line of a traceback is searched within, in lines: messages of some libraries list all allocations.
pub(super) const LONGEST_MESSAGE: usize = 400;
/// Longest traceback between two exceptions, in lines.
const LONGEST_TRACEBACK: usize = 200;
/// Most exceptions of one chain.
const LONGEST_CHAIN: usize = 8;
/// Blank lines and the like between an exception and the words below it.
const GAP: usize = 6;

/// The place of the last exception of a log whose message goes on for longer than usual: it stands below a traceback and at the
/// start of its line.
pub(super) fn distant_exception(log: &Log) -> Option<usize> {
    let first = log.lines.len().saturating_sub(LONGEST_MESSAGE);
    (first..log.lines.len()).rev().find(|place| {
        let is_indented = |text: &str| text.starts_with("  ");
        let above = place.checked_sub(1).and_then(|above| text(log, above));
        text(log, *place).is_some_and(|line| !is_indented(line) && exception(line).is_some())
            && above.is_some_and(is_indented)
    })
}

/// What stands at the start of a traceback, what Python writes above one that it goes on after, and what is written below the last
/// one: by a tracker, and by Hydra.
const START: &str = "Traceback (most recent call last)";
pub(super) const IGNORED: &str = "Exception ignored";
const BELOW: [&str; 2] = ["wandb:", "Set the environment variable HYDRA_FULL_ERROR"];
/// What Python raises for Ctrl-C, and a notebook when its cell is stopped: nothing failed.
pub(super) const INTERRUPT: &str = "KeyboardInterrupt";

/// True for a log that ends in a traceback of the main process, whose lines nothing is put before.
pub(super) fn fails_at_end(log: &Log) -> bool {
    let is_below = |line: &str| line.trim().is_empty() || BELOW.iter().any(|words| line.starts_with(words));
    let Some(end) = (0..log.lines.len()).rev().find(|place| text(log, *place).is_some_and(|line| !is_below(line)))
    else {
        return false;
    };
    let class = text(log, end).filter(|line| !line.starts_with(' ')).and_then(exception).map(|(class, _)| class);
    let mut above = (end.saturating_sub(LONGEST_TRACEBACK)..end).rev();
    let is_inside = |place: &usize| text(log, *place).is_some_and(|line| line.starts_with(' ') || line.is_empty());
    let start = above
        .find(|place| !is_inside(place))
        .filter(|start| text(log, *start).is_some_and(|line| line.starts_with(START)));
    let is_ignored = |start: usize| {
        start.checked_sub(1).and_then(|before| text(log, before)).is_some_and(|line| line.contains(IGNORED))
    };
    class.is_some_and(|class| class != INTERRUPT) && start.is_some_and(|start| !is_ignored(start))
}

/// The place of the exception that was raised first in the chain that ends with the one at `place`; `None` where it is alone.
pub(super) fn cause(log: &Log, place: usize) -> Option<usize> {
    let mut first = None;
    let mut below = place;
    for _ in 0..LONGEST_CHAIN {
        let Some(found) = one_before(log, below) else { break };
        first = Some(found);
        below = found;
    }
    first
}

/// The statement that raised the exception at `place`, as the traceback shows it above; of one that says no more than the
/// exception, its function and file.
pub(super) fn statement(log: &Log, place: usize) -> Option<String> {
    let mut above = (0..place).rev().take(GAP).filter_map(|above| text(log, above)).map(str::trim);
    // Python 3.11 marks the part of a line with signs below it.
    let line = above.find(|line| !line.is_empty() && !line.chars().all(|sign| "~^ ".contains(sign)))?;
    let is_statement = !line.starts_with("File ") && exception(line).is_none() && !line.starts_with("Traceback");
    let is_bare = line.strip_prefix("raise ").is_some_and(|raised| !raised.contains(['"', '\'', ' ']));
    let function = above.next().filter(|_| is_bare).and_then(function);
    is_statement.then(|| function.unwrap_or_else(|| line.to_owned()))
}

/// Function and file of a line such as `File "/a/b/c.py", line 37, in score`.
fn function(line: &str) -> Option<String> {
    let (file, number, function) = frame(line)?;
    // Cut, a path no longer shows whose home folder it is in.
    let file = redact(file);
    let from = file.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
    Some(format!("{function} in {}, line {number}", file.get(from..)?))
}

fn one_before(log: &Log, place: usize) -> Option<usize> {
    let first = place.saturating_sub(LONGEST_TRACEBACK);
    let between = (first..place)
        .rev()
        .find(|above| text(log, *above).is_some_and(|line| BETWEEN.iter().any(|words| line.contains(words))))?;
    // Another exception below the words is the one that they are about.
    let is_exception = |place: &usize| text(log, *place).is_some_and(|line| exception(line.trim_end()).is_some());
    if (between..place).any(|inside| is_exception(&inside)) {
        return None;
    }
    (between.saturating_sub(GAP)..between).rev().find(is_exception)
}

fn text(log: &Log, place: usize) -> Option<&str> {
    log.lines.get(place).map(|line| line.text.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::{LogLine, Stream};

    fn log(lines: &[&str]) -> Log {
        let mut log = Log::default();
        lines.iter().for_each(|text| log.push(LogLine { stream: Stream::Error, text: (*text).to_owned() }));
        log
    }

    #[test]
    fn the_first_exception_of_a_chain_is_found() {
        let lines = [
            "Traceback (most recent call last):",
            "  File \"save.py\", line 3, in save",
            "    write(zip)",
            "RuntimeError: file write failed",
            "",
            "During handling of the above exception, another exception occurred:",
            "",
            "Traceback (most recent call last):",
            "  File \"save.py\", line 9, in close",
            "    close(zip)",
            "RuntimeError: unexpected pos 7 vs 5",
        ];
        assert_eq!(cause(&log(&lines), 10), Some(3));
        assert_eq!(cause(&log(&lines), 3), None);
        assert_eq!(cause(&log(&lines[6..]), 4), None);
        // Two tracebacks of one log that have nothing to do with each other.
        let apart: Vec<&str> = lines.iter().copied().filter(|line| !line.starts_with("During")).collect();
        assert_eq!(cause(&log(&apart), 9), None);
    }

    #[test]
    fn a_log_fails_at_its_end_where_the_main_process_does() {
        let error =
            ["Traceback (most recent call last):", "  File \"a.py\", line 3", "    save()", "TypeError: not a number"];
        let fails = |lines: &[&[&str]]| fails_at_end(&log(&lines.concat()));
        assert!(fails(&[&["done"], &error]) && fails(&[&error, &["", "wandb: Find logs at: wandb/run"]]));
        assert!(!fails(&[&error, &["saved"]]), "it went on");
        assert!(!fails(&[&["Exception ignored in: <function Pool.__del__>"], &error]));
        assert!(!fails(&[&["TypeError: printed"]]) && !fails(&[]));
        assert!(!fails(&[&error[..3], &["KeyboardInterrupt"]]));
        assert!(!fails(&[&["(Worker pid=7) Traceback (most recent call last):"], &error[1..]]));
    }

    #[test]
    fn an_assertion_without_a_message_is_its_statement() {
        let lines =
            ["  File \"a.py\", line 3, in step", "    assert len(a) == len(b)", "           ^^^^^^", "AssertionError"];
        assert_eq!(statement(&log(&lines), 3).as_deref(), Some("assert len(a) == len(b)"));
        let raised =
            ["  File \"/a/b/c.py\", line 37, in score", "    raise NotImplementedError", "NotImplementedError"];
        assert_eq!(statement(&log(&raised), 2).as_deref(), Some("score in b/c.py, line 37"));
        assert_eq!(statement(&log(&["  File \"a.py\", line 3, in step", "AssertionError"]), 1), None);
        assert_eq!(statement(&log(&["AssertionError"]), 0), None);
    }

    #[test]
    fn an_exception_above_a_long_message_is_found() {
        let mut lines = vec!["  File \"a.py\", line 3", "    compile(x)", "RuntimeError: Ran out of memory in hbm."];
        lines.extend(std::iter::repeat_n("Size: 5.81G", 150));
        assert_eq!(distant_exception(&log(&lines)), Some(2));
        assert_eq!(distant_exception(&log(&lines[3..])), None);
    }
}
