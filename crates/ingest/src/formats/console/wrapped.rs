//! Dictionaries that a terminal broke at its width, as what is copied from it has them: `{'loss': 0.1, 'rewar` and
//! `d': 1.5}` below.

use crate::syntax::python::depth_after;

/// Narrowest terminal, in characters: shorter lines are broken by whoever printed them.
const NARROWEST: usize = 60;
/// Most lines of one dictionary.
const MAX_LINES: usize = 200;

/// Puts broken dictionaries together.
#[derive(Debug, Default)]
pub(super) struct WrappedLines {
    /// Lines of the dictionary that is open.
    lines: Vec<String>,
    /// Characters of the widest of them. A line may be one shorter, as a blank at its end is lost.
    width: usize,
}

impl WrappedLines {
    /// Adds the next line. `each` gets a broken dictionary as one line, and every other line as it is.
    pub(super) fn add(&mut self, line: &str, each: &mut impl FnMut(&str)) {
        if !self.lines.is_empty() && self.goes_on(line, each) {
            return;
        }
        // Most dictionaries are whole, and most lines are none.
        if line.starts_with("{'") && !line.trim_end().ends_with('}') {
            self.width = line.chars().count();
            if self.width >= NARROWEST && depth_after(0, line) > 0 {
                self.lines.push(line.to_owned());
                return;
            }
        }
        each(line);
    }

    /// Gives the lines that wait for more.
    pub(super) fn flush(&mut self, each: &mut impl FnMut(&str)) {
        std::mem::take(&mut self.lines).iter().for_each(|line| each(line));
    }

    /// Adds a line to the open dictionary; false where it is none of its lines.
    fn goes_on(&mut self, line: &str, each: &mut impl FnMut(&str)) -> bool {
        let width = line.chars().count();
        if width > self.width + 1 || line.starts_with("{'") || self.lines.len() >= MAX_LINES {
            self.flush(each);
            return false;
        }
        self.width = self.width.max(width);
        self.lines.push(line.to_owned());
        let joined = self.lines.concat();
        if depth_after(0, &joined) == 0 {
            self.lines.clear();
            each(&joined);
        } else if width + 1 < self.width {
            // Only the last line is shorter than the terminal is wide: somebody else broke these.
            self.flush(each);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Vec<String> {
        let mut wrapped = WrappedLines::default();
        let mut given = Vec::new();
        lines.iter().for_each(|line| wrapped.add(line, &mut |line| given.push(line.to_owned())));
        wrapped.flush(&mut |line| given.push(line.to_owned()));
        given
    }

    fn broken(text: &str, width: usize) -> Vec<String> {
        text.as_bytes().chunks(width).map(|line| String::from_utf8_lossy(line).into_owned()).collect()
    }

    #[test]
    fn a_dictionary_that_a_terminal_broke_is_one_line() {
        let row = |at: u32| {
            format!(
                "{{'loss': 0.{at}, 'grad_norm': 1.5, 'learning_rate': 1e-06, 'reward': {at}.5, 'completions/mean_length': 300.25, 'kl': 0.001, 'epoch': 0.{at}}}"
            )
        };
        let (first, second) = (row(1), row(2));
        let lines: Vec<String> = [broken(&first, 70), vec!["saving".to_owned()], broken(&second, 70)].concat();
        let lines: Vec<String> = lines.iter().map(|line| line.trim_end().to_owned()).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert!(lines.len() > 4, "{lines:?}");
        let without_blanks = |text: &str| text.replace(' ', "");
        let expected = [without_blanks(&first), "saving".to_owned(), without_blanks(&second)];
        assert_eq!(read(&lines).iter().map(|line| without_blanks(line)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn other_lines_stay_as_they_are() {
        let long = "{'actor_rollout_ref': {'actor': {'clip_ratio': 0.2, 'entropy_coeff': 0.0,";
        for lines in [
            vec![long, "  'grad_clip': 1.0,", "  'ppo_epochs': 1}},", "text"],
            vec!["{'a': 1,", " 'b': 2}"],
            vec![long, "a line of something else that is much longer than the one that opened the dictionary above it"],
            vec![long, "{'loss': 1.0}"],
            vec!["text", long],
        ] {
            assert_eq!(read(&lines), lines);
        }
    }
}
