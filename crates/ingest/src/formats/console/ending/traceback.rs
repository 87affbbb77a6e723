//! The traceback with which a log may end: where one begins, and the exception below it.

use rundown_run::frame;

/// The first line of a traceback.
const TRACEBACK: &str = "Traceback (most recent call last)";
/// What Ray prints in its place for an error of a worker whose result nothing fetched.
const UNHANDLED: &str = "Unhandled error (suppress with";
/// What Python prints before the traceback of an error after which it goes on, as in a destructor.
const IGNORED: &str = "Exception ignored in";
/// Longest text before it that may stand before its other lines too.
const MAX_PREFIX: usize = 80;

/// A traceback, and the exception below it.
#[derive(Debug, Default)]
pub(super) struct Error {
    pub(super) has_traceback: bool,
    /// What stands before the first line of the traceback, and before the others with other digits: `[rank0]: ` of torchrun, a
    /// time, the name of a container.
    prefix: String,
    /// The last segment was indented, as the lines of a traceback are: what is indented shows behind the prefix alone.
    pub(super) is_inside: bool,
    /// The lines are those of an error that Python ignores, up to the exception at its end.
    is_ignored: bool,
    /// Class of the last exception, such as `RuntimeError`.
    pub(super) class: String,
    /// Segments since then, up to the line of a launcher that says that its program failed.
    pub(super) since: u32,
    /// A launcher said that its program failed: what follows was printed before.
    pub(super) is_reported: bool,
}

/// What stands before the start of a traceback in this line; `None` for another line.
pub(super) fn start(text: &str) -> Option<&str> {
    let unhandled = || text.contains(UNHANDLED).then_some("");
    text.split_once(TRACEBACK).map(|(prefix, _)| prefix).or_else(unhandled)
}

/// True for the line of a traceback that names a function: `File "/a/b.py", line 3, in step`. A syntax error, as a grader prints
/// it of code that a model wrote, names none, and code that was given as text has no path.
pub(super) fn is_frame(text: &str) -> bool {
    frame(text).is_some_and(|(path, ..)| !path.starts_with('<'))
}

impl Error {
    /// A traceback begins behind this text.
    pub(super) fn begin(&mut self, prefix: &str) {
        // Of a second traceback with the same prefix that was taken off already: it stays.
        if !prefix.is_empty() && prefix.len() <= MAX_PREFIX {
            prefix.clone_into(&mut self.prefix);
        }
    }

    /// The rest of a line that begins as the traceback does, but for digits.
    pub(super) fn without_prefix<'t>(&self, text: &'t str) -> &'t str {
        let is_like = |(known, other): (u8, u8)| known == other || (known.is_ascii_digit() && other.is_ascii_digit());
        match text.split_at_checked(self.prefix.len()) {
            Some((start, rest)) if self.prefix.bytes().zip(start.bytes()).all(is_like) => rest,
            _ => text,
        }
    }

    /// True for a line of an error that Python ignores: its head, the start of its traceback, what is indented below it, and
    /// the exception.
    pub(super) fn is_ignored(&mut self, text: &str) -> bool {
        let was_ignored = self.is_ignored;
        let goes_on = text.contains(TRACEBACK) || text.starts_with("  ");
        self.is_ignored = text.contains(IGNORED) || (was_ignored && goes_on);
        self.is_ignored || was_ignored
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_names_a_path_and_a_function() {
        for line in ["File \"/a/b.py\", line 2213, in softmax", "  File \"x.py\", line 1, in <module>"] {
            assert!(is_frame(line), "{line}");
        }
        for line in ["File \"<string>\", line 1, in f", "  File \"x.py\", line 1", "File a.py, line 3, in it", ""] {
            assert!(!is_frame(line), "{line}");
        }
    }
}
