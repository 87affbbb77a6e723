//! verl's lines (`step:1 - kl:0.001 - reward:0.5`) that were broken before a word, as a terminal of an agent or a person who
//! pastes a log breaks them. What follows such a line goes on with it where it holds pairs of a name and a number alone, and
//! one of the two has the hyphen that stands between pairs. Other terminals break a line at their width, inside a word or a number.

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
        if let Some((blank, rest)) = self.rest_of_open(line) {
            self.open.truncate(self.open.trim_end().len());
            self.open.push_str(blank);
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

    /// What a line adds to the one that is open, and what stands between.
    fn rest_of_open<'l>(&self, line: &'l str) -> Option<(&'static str, &'l str)> {
        if self.open.is_empty() || self.open.len() > MAX_LINE {
            return None;
        }
        let rest = line.trim();
        let is_joined = rest.starts_with("- ") != self.open.trim_end().ends_with(" -");
        if is_joined && verl::are_fields(rest) {
            return Some((" ", rest));
        }
        verl::goes_on_within_field(&self.open, line).then(|| ("", line.trim_end()))
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
    fn lines_may_be_broken_inside_a_word_or_a_number() {
        let number = [
            "(T pid=7) step:2 - kl:0.001 - length/mean:368.",
            "902 - length/max:1024.000 - prompt/mean:449.098 - n:3.0",
            "00 - timing/gen:112.222 - timing/reward:1.169 - timing/",
        ];
        assert_eq!(joined(&["a", number[0], number[1], number[2], "b"]), ["a", &number.concat(), "b"]);
        let word = ["step:83 - kl:0.001 - length/me", "an:330.437 - length/max:1024.000 - length/min:107.000"];
        assert_eq!(joined(&[&word[..], &word[..]].concat()), [word.concat(), word.concat()]);
        // A row of its own, another field behind a whole one, a text, and too few fields.
        for next in ["step:84 - kl:0.2 - n:3 - m:4", "saved - n:3 - m:4", "902 and - n:3 - m:4", "an:330.4 - n:3"] {
            assert_eq!(joined(&[word[0], next]), [word[0], next]);
        }
        let whole = ["step:83 - kl:0.001", "n:3 - length/max:1024.000 - length/min:107.000"];
        assert_eq!(joined(&whole), whole);
    }

    #[test]
    fn other_lines_stay_as_they_are() {
        for next in ["n:3", "- n:3 and more", "- saved", "step:2 - kl:0.002", "", "- "] {
            let lines = ["a", "step:1 - kl:0.001", next, "- n:3"];
            assert_eq!(joined(&lines)[..2], lines[..2], "{next}");
        }
    }
}
