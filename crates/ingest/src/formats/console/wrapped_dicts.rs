//! Dictionaries that a terminal broke at its width, as text that was copied out of one has them: `{'loss': 0.1, 'comple` and
//! `tions/mean_length': 384.0}`; or before a word, as programs that draw in a terminal do (agents, Jupyter, Rich).
//!
//! Where the terminal broke them, their lines are all as wide as it is, but for the last. Where words were kept whole, lines are of
//! any width, and only a dictionary of numbers and texts is put together. Either way the lines together are a whole one. What
//! `pprint` writes over several lines is nested or indented, and is left to others.
//!
//! One of numbers and texts that is cut, as the last of a pasted text may be, is ended behind its last whole pair.

use crate::syntax::json::Json;
use crate::syntax::python;

/// Narrowest and widest terminal, in characters.
const MIN_WIDTH: usize = 40;
const MAX_WIDTH: usize = 1000;
/// Bytes of a word or a number that may be cut, at most.
const MAX_WORD: usize = 24;
/// Most lines of a dictionary.
const MAX_LINES: usize = 200;
/// Fewest whole pairs of a dictionary that was cut: fewer say little of a step.
const MIN_PAIRS: usize = 3;

/// Puts such dictionaries together.
#[derive(Debug, Default)]
pub(super) struct WrappedDicts {
    /// Lines of the dictionary that is open.
    lines: Vec<String>,
    /// The same lines put together, in each way in which they may have been broken.
    joined: Vec<JoinedLines>,
}

/// The lines of an open dictionary as one.
#[derive(Debug)]
struct JoinedLines {
    text: String,
    /// Where the dictionary begins in the text.
    start: usize,
    breaks: LineBreaks,
}

/// Where lines were broken.
#[derive(Debug, Clone, Copy)]
enum LineBreaks {
    /// At this width; a blank at the end of a line may have been cut.
    AtWidth(usize),
    /// Before a word.
    BetweenWords,
}

/// What became of a dictionary with one more line.
enum Progress {
    Whole,
    Open,
    NoDict,
}

impl WrappedDicts {
    /// Adds the next line, and gives lines that are not broken.
    pub(super) fn add(&mut self, line: &str, each: &mut impl FnMut(&str)) {
        if self.lines.is_empty() {
            return if self.begin(line) { self.lines.push(line.to_owned()) } else { each(line) };
        }
        let mut whole = None;
        self.joined.retain_mut(|joined| match joined.add(line) {
            Progress::Whole => {
                whole.get_or_insert_with(|| std::mem::take(&mut joined.text));
                false
            }
            Progress::Open => true,
            Progress::NoDict => false,
        });
        if let Some(whole) = whole {
            self.lines.clear();
            self.joined.clear();
            return each(&whole);
        }
        if self.joined.is_empty() || self.lines.len() >= MAX_LINES {
            // It was no broken dictionary, and another one may begin here.
            self.release(Some(line), each);
            return self.add(line, each);
        }
        self.lines.push(line.to_owned());
    }

    /// Gives what is left.
    pub(super) fn finish(&mut self, each: &mut impl FnMut(&str)) {
        self.release(None, each);
    }

    /// True for a line in which a dictionary begins that does not end there.
    fn begin(&mut self, line: &str) -> bool {
        // Nearly all dictionaries of a log end in their line: they are not parsed to see it.
        if !(MIN_WIDTH..=MAX_WIDTH).contains(&line.len()) || line.trim_end().ends_with('}') {
            return false;
        }
        let Some(start) = dict_start(line) else { return false };
        let as_shown = JoinedLines { text: line.to_owned(), start, breaks: LineBreaks::AtWidth(width(line)) };
        if !matches!(as_shown.progress(), Progress::Open) {
            return false;
        }
        self.joined.push(as_shown);
        self.joined.extend(is_flat(line).then(|| JoinedLines {
            text: line.trim().to_owned(),
            start: start - (line.len() - line.trim_start().len()),
            breaks: LineBreaks::BetweenWords,
        }));
        true
    }

    /// Gives the lines as they were, but one whose dictionary was cut without what is cut of it. `next` is the line behind them.
    fn release(&mut self, next: Option<&str>, each: &mut impl FnMut(&str)) {
        self.joined.clear();
        let lines = std::mem::take(&mut self.lines);
        let is_cut = lines.get(1).map(String::as_str).or(next).is_none_or(is_behind_cut);
        let ended = lines.first().filter(|_| is_cut).and_then(|line| ended(line));
        let rest = lines.iter().skip(usize::from(ended.is_some()));
        ended.iter().chain(rest).for_each(|line| each(line));
    }
}

impl JoinedLines {
    fn add(&mut self, line: &str) -> Progress {
        match self.breaks {
            LineBreaks::AtWidth(first) => {
                let width = width(line);
                if width > first + 1 {
                    return Progress::NoDict;
                }
                self.text.push_str(line);
                match self.progress() {
                    // Neither whole nor as wide as the first line.
                    Progress::Open if width + 1 < first => Progress::NoDict,
                    progress => progress,
                }
            }
            LineBreaks::BetweenWords if line.contains('{') => Progress::NoDict,
            LineBreaks::BetweenWords => {
                self.text.push(' ');
                self.text.push_str(line.trim());
                self.progress()
            }
        }
    }

    /// Whether the text ends behind its dictionary or within it, perhaps in the middle of a word or a number.
    fn progress(&self) -> Progress {
        match python::parse_prefix(self.text.get(self.start..).unwrap_or_default()) {
            Ok(_) => Progress::Whole,
            Err(at) if self.start + at + MAX_WORD >= self.text.trim_end().len() => Progress::Open,
            Err(_) => Progress::NoDict,
        }
    }
}

/// Where a dictionary begins: at the start of a line, or behind a progress bar.
fn dict_start(line: &str) -> Option<usize> {
    let at = memchr::memchr(b'{', line.as_bytes())?;
    let begins_with_key = line.get(at + 1..)?.starts_with(['\'', '"']);
    let before = line.get(..at)?.trim();
    let is_first = before.is_empty() || before.ends_with(']') && before.contains("%|");
    (begins_with_key && is_first).then_some(at)
}

/// True for a line with one dictionary, and none within it.
fn is_flat(line: &str) -> bool {
    line.matches('{').count() == 1
}

/// True for a line that does not go on with a dictionary: another one, which is not indented as one within it, or the fence of a
/// block of Markdown.
fn is_behind_cut(line: &str) -> bool {
    let is_another = dict_start(line).is_some_and(|start| start == 0 || line.contains("%|"));
    is_another || line.trim_start().starts_with("```")
}

/// A line whose dictionary is cut, with the end of the dictionary behind its last whole pair: the number behind may be cut too.
/// `None` for a nested one, and for one of few pairs.
fn ended(line: &str) -> Option<String> {
    let start = dict_start(line).filter(|_| is_flat(line))?;
    line.rmatch_indices(',').find_map(|(comma, _)| {
        let whole = format!("{}}}", line.get(..comma)?);
        match python::parse_prefix(whole.get(start..)?) {
            Ok((Json::Object(pairs), _)) if pairs.len() >= MIN_PAIRS => Some(whole),
            _ => None,
        }
    })
}

fn width(line: &str) -> usize {
    line.chars().count()
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
    fn words_may_be_kept_whole() {
        let lines = [
            "  60%|####  | 241/400 [1:34:20<49:21, 18.63s/it]{'loss': '0.0109',",
            "  'grad_norm': '0.064', 'completions/mean_length': '37.25', 'reward':",
            "  '0.989', 'epoch': '0.4735'}",
        ];
        let row = "60%|####  | 241/400 [1:34:20<49:21, 18.63s/it]{'loss': '0.0109', 'grad_norm': '0.064', \
            'completions/mean_length': '37.25', 'reward': '0.989', 'epoch': '0.4735'}";
        assert_eq!(joined(&["a", lines[0], lines[1], lines[2], lines[0], "b"]), ["a", row, lines[0], "b"]);
        let narrow = ["  {'loss': '0.0109',", lines[1], lines[2]];
        assert_eq!(joined(&narrow), narrow, "no terminal is so narrow");
        let without_bar = ["  {'loss': '0.0109', 'kl': '0.01', 'reward_std': '0.2',", lines[1], lines[2]];
        assert_eq!(joined(&without_bar).len(), 1);
    }

    #[test]
    fn a_dictionary_that_was_cut_is_ended_behind_its_last_whole_pair() {
        let (cut, whole) = (
            "{'loss': 0.5, 'grad_norm': 1.5, 'note': 'a, b', 'reward': 0.8",
            "{'loss': 0.5, 'grad_norm': 1.5, 'note': 'a, b'}",
        );
        let row = "{'loss': 0.4, 'epoch': 0.1}";
        assert_eq!(joined(&[cut]), [whole]);
        assert_eq!(joined(&[cut, row, cut, "```", "text"]), [whole, row, whole, "```", "text"]);
        let bar = "  60%|####  | 241/400 [1:34:20<49:21, 18.63s/it]";
        assert_eq!(joined(&[format!("{bar}{cut}").as_str()]), [format!("{bar}{whole}")]);
        for other in [
            "{'loss': 0.5, 'completions/mean_length': 384.0, 'reward': 0.8",
            "{'model': {'name': 'a', 'path': 'b', 'layers': 3, 'heads': 4, 'si",
        ] {
            assert_eq!(joined(&[other]), [other]);
        }
        for next in ["saved the model, and went on", "     {'role': 'user'}],"] {
            assert_eq!(joined(&[cut, next]), [cut, next]);
        }
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
