//! verl's lines (`step:1 - kl:0.001 - reward:0.5`) that were broken before a word, as a terminal of an agent or a person who
//! pastes a log breaks them. What follows such a line goes on with it where it holds pairs of a name and a number alone, and
//! one of the two has the hyphen that stands between pairs.

use super::verl;

/// Longest line that is put together, in bytes.
const MAX_LINE: usize = 1 << 20;

/// Puts such lines together.
#[derive(Debug, Default)]
pub(super) struct WrappedVerl {
    /// A line of metrics that may go on; empty where there is none.
    open: String,
}

impl WrappedVerl {
    /// Adds the next line, and gives lines that are not broken.
    pub(super) fn add(&mut self, line: &str, each: &mut impl FnMut(&str)) {
        if let Some(rest) = self.rest_of_open(line) {
            self.open.truncate(self.open.trim_end().len());
            self.open.push(' ');
            self.open.push_str(rest);
            return;
        }
        self.finish(each);
        if verl::line(line).is_some() {
            line.clone_into(&mut self.open);
        } else {
            each(line);
        }
    }

    /// Gives what is left.
    pub(super) fn finish(&mut self, each: &mut impl FnMut(&str)) {
        if !self.open.is_empty() {
            each(&self.open);
            self.open.clear();
        }
    }

    /// What a line adds to the one that is open.
    fn rest_of_open<'l>(&self, line: &'l str) -> Option<&'l str> {
        if self.open.is_empty() || self.open.len() > MAX_LINE {
            return None;
        }
        let rest = line.trim();
        let is_joined = rest.starts_with("- ") != self.open.trim_end().ends_with(" -");
        (is_joined && verl::are_fields(rest)).then_some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(lines: &[&str]) -> Vec<String> {
        let mut wrapped = WrappedVerl::default();
        let mut found = Vec::new();
        lines.iter().for_each(|line| wrapped.add(line, &mut |line| found.push(line.to_owned())));
        wrapped.finish(&mut |line| found.push(line.to_owned()));
        found
    }

    #[test]
    fn pairs_below_a_line_belong_to_it() {
        let whole = "(T pid=7) step:1 - kl:0.001 - actor/lr(1e-4):0.010 - critic/score/mean:np.float64(0.5) - n:3";
        let before = [
            "(T pid=7) step:1 - kl:0.001 ",
            "    - actor/lr(1e-4):0.010 - critic/score/mean:np.float64(0.5)",
            "  - n:3",
        ];
        assert_eq!(joined(&before), [whole]);
        let behind =
            ["(T pid=7) step:1 - kl:0.001 - actor/lr(1e-4):0.010 -  ", "critic/score/mean:np.float64(0.5) -", "n:3"];
        assert_eq!(joined(&[&behind[..], &behind[..]].concat()), [whole, whole]);
    }

    #[test]
    fn other_lines_stay_as_they_are() {
        for next in ["n:3", "- n:3 and more", "- saved", "step:2 - kl:0.002", "", "- "] {
            let lines = ["a", "step:1 - kl:0.001", next, "- n:3"];
            assert_eq!(joined(&lines)[..2], lines[..2], "{next}");
        }
    }
}
