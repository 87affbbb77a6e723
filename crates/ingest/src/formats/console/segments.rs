//! A log cut into segments: what stands between two line breaks or carriage returns, without colours.
//!
//! Progress bars go back to the start of the line, and the metrics are often printed between two states of a bar,
//! so that the line that a person saw at the end does not show them.

use std::borrow::Cow;

use crate::syntax::lines::LineSplitter;
use crate::syntax::utf8;

/// Longest segment looked at, in bytes: a row of 5,000 metrics has about 300 kB.
const MAX_SEGMENT: usize = 4 << 20;

/// Cuts slices of any size into segments.
#[derive(Debug, Default)]
pub(crate) struct Segments {
    lines: LineSplitter,
    /// Segments that were too long to be looked at.
    too_long: u64,
}

impl Segments {
    /// Gives every segment that ends in `bytes`. Empty ones are left out.
    pub(crate) fn push(&mut self, bytes: &[u8], each: &mut impl FnMut(&str)) {
        let (lines, too_long) = (&mut self.lines, &mut self.too_long);
        let find_break = |bytes: &[u8]| memchr::memchr2(b'\n', b'\r', bytes);
        lines.push(bytes, MAX_SEGMENT, find_break, |segment| give(segment, too_long, each));
    }

    /// Gives the last segment, and how many were too long.
    pub(crate) fn finish(mut self, each: &mut impl FnMut(&str)) -> u64 {
        give(&self.lines.finish(), &mut self.too_long, each);
        self.too_long
    }
}

fn give(segment: &[u8], too_long: &mut u64, each: &mut impl FnMut(&str)) {
    if segment.len() > MAX_SEGMENT {
        *too_long += 1;
    } else if !segment.is_empty() {
        let text = without_escapes(segment);
        match memchr::memchr(0, &text) {
            None => each(&utf8(&text)),
            Some(_) => each(&utf8(&text).replace('\0', "")),
        }
    }
}

/// The text without ANSI sequences: `ESC [ … letter`, `ESC ] … BEL`, `ESC ] … ESC \`, and ESC with one other byte.
fn without_escapes(segment: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(0x1b, segment).is_none() {
        return Cow::Borrowed(segment);
    }
    let mut kept = Vec::with_capacity(segment.len());
    let mut rest = segment;
    while let Some(start) = memchr::memchr(0x1b, rest) {
        let (text, escape) = rest.split_at(start);
        kept.extend_from_slice(text);
        let length = match escape.get(1) {
            Some(b'[') => escape.iter().skip(2).position(|byte| (b'@'..=b'~').contains(byte)).map(|end| end + 3),
            Some(b']') => Some(osc_length(escape)),
            _ => Some(2),
        };
        rest = length.and_then(|length| escape.get(length..)).unwrap_or_default();
    }
    kept.extend_from_slice(rest);
    Cow::Owned(kept)
}

/// Bytes of the operating system command (OSC), such as a title or a hyperlink, that a text begins with: up to BEL, or to the next
/// ESC, which begins the `ESC \` of its end. Where it has no end, the length of its first two bytes.
fn osc_length(escape: &[u8]) -> usize {
    let end = escape.iter().enumerate().skip(2).find(|(_, byte)| matches!(byte, 0x07 | 0x1b));
    end.map_or(2, |(at, byte)| at + usize::from(*byte == 0x07))
}

/// The mark that Ray puts before what a worker prints, such as `(TaskRunner pid=42, ip=10.0.0.1)`, and the rest.
pub(crate) fn without_ray_mark(segment: &str) -> (&str, &str) {
    let is_mark = |mark: &str| {
        let inner = mark.strip_prefix('(')?.strip_suffix(')')?;
        let (name, pid) = inner.split_once("pid=")?;
        let digits = pid.split(',').next()?;
        (name.len() <= 80 && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(())
    };
    let Some(end) = segment.starts_with('(').then(|| segment.find(')')).flatten() else { return ("", segment) };
    let (mark, rest) = segment.split_at(end + 1);
    match is_mark(mark) {
        Some(()) => (mark, rest.strip_prefix(' ').unwrap_or(rest)),
        None => ("", segment),
    }
}

/// Cuts a segment before the first mark within it: where two workers write at once, a line break may be missing.
pub(crate) fn cut_at_mark(segment: &str) -> (&str, Option<&str>) {
    /// Bytes before and behind `pid=` that a mark has at most: what is looked at stays little.
    const MAX_MARK_BEFORE: usize = 80;
    const MAX_MARK_BEHIND: usize = 200;
    let bytes = segment.as_bytes();
    let begins = memchr::memmem::find_iter(bytes, " pid=").find_map(|at| {
        let from = at.saturating_sub(MAX_MARK_BEFORE);
        let open = from + memchr::memrchr(b'(', bytes.get(from..at)?)?;
        let close = at + memchr::memchr(b')', bytes.get(at..bytes.len().min(at + MAX_MARK_BEHIND))?)?;
        let is_mark = open > 0 && !without_ray_mark(segment.get(open..=close)?).0.is_empty();
        is_mark.then_some(open)
    });
    match begins.and_then(|open| segment.split_at_checked(open)) {
        Some((first, rest)) => (first, Some(rest)),
        None => (segment, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &[u8], slice: usize) -> (Vec<String>, u64) {
        let mut segments = Segments::default();
        let mut found = Vec::new();
        for part in text.chunks(slice) {
            segments.push(part, &mut |segment| found.push(segment.to_owned()));
        }
        let too_long = segments.finish(&mut |segment| found.push(segment.to_owned()));
        (found, too_long)
    }

    #[test]
    fn bars_and_lines_are_segments_without_colours() {
        let text = "\u{1b}[36m(pid=1)\u{1b}[0m a\r\n 0%|\r 50%|\r\u{1b}]0;t\u{7}x\u{1b}[Kend\u{e9}".as_bytes();
        for slice in [1, 3, 100] {
            assert_eq!(cut(text, slice).0, ["(pid=1) a", " 0%|", " 50%|", "xend\u{e9}"]);
        }
    }

    #[test]
    fn links_and_titles_hide_no_text_behind_them() {
        let link = "\u{1b}]8;;file:///t.py\u{1b}\\INFO\u{1b}]8;;\u{1b}\\ step 10 | loss=0.5\n";
        assert_eq!(cut(link.as_bytes(), 100).0, ["INFO step 10 | loss=0.5"]);
        let bell = "\u{1b}]0;t\u{7}a \u{1b}]8;;x\u{1b}\\b\u{7}\n";
        assert_eq!(cut(bell.as_bytes(), 100).0, ["a b\u{7}"], "the first end counts");
        assert_eq!(cut(b"\x1b]step 10 | loss=0.5\n\x1b]\n", 100).0, ["step 10 | loss=0.5", ""], "without an end");
    }

    #[test]
    fn a_segment_without_end_costs_itself_alone() {
        let mut text = vec![b'x'; MAX_SEGMENT + 10];
        text.extend_from_slice(b"\nstep\n");
        for slice in [100_003, text.len()] {
            let (found, too_long) = cut(&text, slice);
            assert_eq!(found, ["step"], "{slice}");
            assert_eq!(too_long, 1);
        }
    }

    #[test]
    fn rays_marks_are_known() {
        assert_eq!(without_ray_mark("(TaskRunner pid=7) step:1"), ("(TaskRunner pid=7)", "step:1"));
        assert_eq!(without_ray_mark("(main pid=7, ip=1.2.3.4)  {'a'").1, " {'a'");
        for other in ["(note) x", "(pid=x) y", "step (pid=1)", "("] {
            assert_eq!(without_ray_mark(other), ("", other));
        }
    }
}
