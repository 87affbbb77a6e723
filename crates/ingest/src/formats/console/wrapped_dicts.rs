//! Dictionaries that a terminal broke at its width, as text that was copied out of one has them: `{'loss': 0.1, 'comple` and
//! `tions/mean_length': 384.0}`.
//!
//! The lines of such a dictionary are all as wide as the terminal, but for the last, and together they are a whole one.
//! What `pprint` writes over several lines is of different widths, and is left to others.

use crate::syntax::python;

/// Narrowest and widest terminal, in characters.
const MIN_WIDTH: usize = 40;
const MAX_WIDTH: usize = 1000;
/// Bytes of a word or a number that may be cut, at most.
const MAX_WORD: usize = 24;
/// Most lines of a dictionary.
const MAX_LINES: usize = 200;

/// Puts such dictionaries together.
#[derive(Debug, Default)]
pub(super) struct WrappedDicts {
    /// Lines of the dictionary that is open.
    lines: Vec<String>,
    /// Width of the first of them; a blank at the end of a line may have been cut.
    width: usize,
}

impl WrappedDicts {
    /// Adds the next line, and gives lines that are not broken.
    pub(super) fn add(&mut self, line: &str, each: &mut impl FnMut(&str)) {
        if self.lines.is_empty() {
            let is_start = (MIN_WIDTH..=MAX_WIDTH).contains(&line.len()) && is_open(line);
            return if is_start { self.begin(line) } else { each(line) };
        }
        let width = width(line);
        if width > self.width + 1 || self.lines.len() >= MAX_LINES {
            self.release(each);
            return self.add(line, each);
        }
        self.lines.push(line.to_owned());
        let joined = self.lines.concat();
        if python::parse_prefix(&joined).is_ok() {
            self.lines.clear();
            each(&joined);
        } else if width + 1 < self.width || !is_open(&joined) {
            // Neither whole nor as wide as the first line: it was no broken dictionary.
            self.release(each);
        }
    }

    /// Gives what is left.
    pub(super) fn finish(&mut self, each: &mut impl FnMut(&str)) {
        self.release(each);
    }

    fn begin(&mut self, line: &str) {
        self.width = width(line);
        self.lines.push(line.to_owned());
    }

    /// Gives the lines as they were.
    fn release(&mut self, each: &mut impl FnMut(&str)) {
        std::mem::take(&mut self.lines).iter().for_each(|line| each(line));
    }
}

fn width(line: &str) -> usize {
    line.chars().count()
}

/// True for a line that begins with a dictionary and ends within it, perhaps in the middle of a word or a number.
fn is_open(line: &str) -> bool {
    let is_dict = line.starts_with("{'") || line.starts_with("{\"");
    let is_end = |at: usize| at + MAX_WORD >= line.trim_end().len();
    is_dict && matches!(python::parse_prefix(line), Err(at) if is_end(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(lines: &[&str]) -> Vec<String> {
        let mut wrapped = WrappedDicts::default();
        let mut found = Vec::new();
        lines.iter().for_each(|line| wrapped.add(line, &mut |line| found.push(line.to_owned())));
        wrapped.finish(&mut |line| found.push(line.to_owned()));
        found
    }

    #[test]
    fn lines_of_one_width_are_one_dictionary() {
        // A terminal of 48 columns; the blank at the end of the second line was cut when it was copied.
        let lines = [
            "{'loss': -0.0, 'grad_norm': 0.169, 'completions/",
            "mean_length': 384.0, 'reward': -2.25, 'kl':0.01",
            ", 'epoch': 0.5}",
        ];
        assert_eq!(joined(&["a", lines[0], lines[1], lines[2], "b"]), ["a", &lines.concat(), "b"]);
        let blank = ["{'loss': -0.0, 'grad_norm': 0.169, 'length': 38,", " 'reward': -2.25}"];
        assert_eq!(joined(&blank), [blank.concat()], "broken before a blank");
    }

    #[test]
    fn other_open_lines_stay_as_they_are() {
        let open = "{'actor_rollout_ref': {'actor': {'clip_ratio': 0.2,";
        let pretty = [open, "                       'n': 1},", " 'trainer': {'n': None}}"];
        assert_eq!(joined(&pretty), pretty);
        let text = [open, "a short line", "and more text that goes on for a while, wider than that"];
        assert_eq!(joined(&text), text);
        assert_eq!(joined(&[open, "{'loss': 1, 'epoch': 1}"]), [open, "{'loss': 1, 'epoch': 1}"]);
        assert_eq!(joined(&[open]), [open]);
    }
}
