//! Lines of pairs (`epoch 0 loss=0.1 kl=0.01 wall_s` and `ec=1.7`) that a terminal broke at its width.
//!
//! Lines of equal width may as well have been written so, by a format of fixed digits. They were broken when what follows
//! goes on in the middle of a pair, at another place of it in different rows. So the first lines of a log are kept until
//! that is known; text that was copied out of a terminal is seldom longer.

use std::collections::{BTreeMap, BTreeSet};

/// Bytes of a log by which it is decided.
const MAX_KEPT: usize = 256 << 10;
/// Narrowest terminal, in characters.
const MIN_WIDTH: usize = 60;
/// Longest line that is put together, in bytes.
const MAX_LINE: usize = 16 << 10;
/// Pairs of a line that may be broken.
const PAIRS: usize = 3;
/// Fewest lines that go on, and different beginnings of what follows them.
const ENOUGH_BROKEN: usize = 3;
const ENOUGH_BEGINNINGS: usize = 3;

/// Puts such lines together.
#[derive(Debug, Default)]
pub(super) struct WrappedPairs {
    /// The first lines, until the width is decided.
    lines: Vec<String>,
    bytes: usize,
    state: State,
    /// A broken line that goes on.
    open: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Undecided,
    Unbroken,
    /// Lines of this width go on.
    Broken(usize),
}

impl WrappedPairs {
    /// Adds the next line, and gives lines that are not broken.
    pub(super) fn add(&mut self, line: &str, each: &mut impl FnMut(&str)) {
        match self.state {
            State::Undecided => {
                self.bytes += line.len();
                self.lines.push(line.to_owned());
                if self.bytes > MAX_KEPT {
                    self.decide(each);
                }
            }
            State::Unbroken => each(line),
            State::Broken(width) => self.join(line, width, each),
        }
    }

    /// Bytes that are kept.
    pub(super) fn memory_use(&self) -> usize {
        self.bytes + self.open.len()
    }

    /// Gives what is left.
    pub(super) fn finish(&mut self, each: &mut impl FnMut(&str)) {
        if self.state == State::Undecided {
            self.decide(each);
        }
        self.give(each);
    }

    fn decide(&mut self, each: &mut impl FnMut(&str)) {
        let lines = std::mem::take(&mut self.lines);
        self.bytes = 0;
        self.state = terminal_width(&lines).map_or(State::Unbroken, State::Broken);
        lines.iter().for_each(|line| self.add(line, each));
    }

    fn join(&mut self, line: &str, width: usize, each: &mut impl FnMut(&str)) {
        if !self.open.is_empty() && !goes_on(&self.open, line) {
            self.give(each);
        }
        let is_part = !self.open.is_empty();
        self.open.push_str(line);
        if characters(line) != width || !(is_part || has_pairs(line)) || self.open.len() > MAX_LINE {
            self.give(each);
        }
    }

    fn give(&mut self, each: &mut impl FnMut(&str)) {
        let line = std::mem::take(&mut self.open);
        if !line.is_empty() {
            each(&line);
        }
    }
}

/// The width at which lines of pairs were broken: that of most, with none wider.
fn terminal_width(lines: &[String]) -> Option<usize> {
    let mut widths: BTreeMap<usize, usize> = BTreeMap::new();
    lines.iter().filter(|line| has_pairs(line)).for_each(|line| *widths.entry(characters(line)).or_default() += 1);
    let (width, _) = widths.into_iter().next_back().filter(|(width, _)| *width >= MIN_WIDTH)?;
    let mut broken = 0;
    let mut beginnings = BTreeSet::new();
    for (line, next) in lines.iter().zip(lines.iter().skip(1)) {
        if characters(line) == width && has_pairs(line) && goes_on(line, next) && is_within_pair(line, next) {
            broken += 1;
            beginnings
                .insert(next.split(['=', ' ']).next().unwrap_or_default().replace(|c: char| c.is_ascii_digit(), "#"));
        }
    }
    (broken >= ENOUGH_BROKEN && beginnings.len() >= ENOUGH_BEGINNINGS).then_some(width)
}

/// True where a line may be the rest of the one before: it begins otherwise, and has the end of a pair.
fn goes_on(line: &str, next: &str) -> bool {
    let first = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
    first(line) != first(next) && (next.contains('=') || next.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
}

/// True where two lines meet in the middle of a word or a number.
fn is_within_pair(line: &str, next: &str) -> bool {
    let is_inner = |c: char| c.is_alphanumeric() || "_=.-/".contains(c);
    line.ends_with(is_inner) && next.starts_with(is_inner)
}

fn characters(line: &str) -> usize {
    line.chars().count()
}

fn has_pairs(line: &str) -> bool {
    line.split_whitespace().filter(|word| word.split_once('=').is_some_and(|(name, _)| !name.is_empty())).count()
        >= PAIRS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(lines: &[String]) -> Vec<String> {
        let mut wrapped = WrappedPairs::default();
        let mut found = Vec::new();
        lines.iter().for_each(|line| wrapped.add(line, &mut |line| found.push(line.to_owned())));
        wrapped.finish(&mut |line| found.push(line.to_owned()));
        found
    }

    /// The lines as a terminal of so many columns shows them.
    fn shown(lines: &[String], width: usize) -> Vec<String> {
        let cut = |line: &String| {
            let signs: Vec<char> = line.chars().collect();
            signs.chunks(width).map(|part| part.iter().collect()).collect::<Vec<String>>()
        };
        lines.iter().flat_map(cut).collect()
    }

    #[test]
    fn lines_that_go_on_within_a_pair_are_joined() {
        let row = |epoch: usize| {
            let digits = "3".repeat(epoch % 7 + 1);
            format!(
                "[tree] epoch {epoch} loss=0.{digits} avg_reward=0.{digits} entropy=0.5 epoch={epoch} wall_sec=1.{digits}7"
            )
        };
        let rows: Vec<String> = (0..9).map(row).collect();
        let lines = shown(&rows, 72);
        assert!(lines.len() > rows.len());
        assert_eq!(joined(&lines), rows);
    }

    #[test]
    fn rows_of_equal_width_are_no_broken_lines() {
        let row = |step: usize| {
            format!("step=000{step} loss=0.1234 reward=0.5000 kl=0.001{step} length=271.0{step} x=0.{step}")
        };
        let rows: Vec<String> = (0..9).flat_map(|step| [row(step), format!("saved={step}")]).collect();
        assert_eq!(joined(&rows), rows);
        let text: Vec<String> = (0..9).flat_map(|step| [row(step), format!("The answer {step} is a word")]).collect();
        assert_eq!(joined(&text), text);
    }
}
