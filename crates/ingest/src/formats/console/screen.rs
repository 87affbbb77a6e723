//! Console output as a person would have seen it.
//!
//! Training output is written for a terminal: progress bars go back to the start of their line with `\r`, colours
//! are ANSI sequences, and W&B records whatever piece of text was written, not lines.

use crate::syntax::utf8;
use rundown_run::{Log, LogLine, Stream};

/// Longest line kept, in bytes. Longer ones (a printed tensor, a base64 image) are cut.
const MAX_LINE: usize = 8 * 1024;

/// Puts the lines of one stream together from pieces of any size.
#[derive(Debug, Default)]
pub(crate) struct Console {
    line: Vec<u8>,
    /// A `\r` was read: the next character starts the line anew, unless it ends it.
    returned: bool,
    escape: Escape,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Escape {
    #[default]
    None,
    /// ESC was read.
    Start,
    /// ESC `[`: ends with a byte from `@` to `~`.
    Control,
    /// ESC `]`: ends with BEL or ESC `\`.
    System,
}

impl Console {
    /// Adds the lines that the next piece of `stream` completes to `log`.
    pub(crate) fn push(&mut self, piece: &[u8], stream: Stream, log: &mut Log) {
        let mut rest = self.skip_dropped(piece, log);
        while let Some(byte) = rest.first() {
            if self.escape == Escape::None && is_plain(*byte) {
                let length = plain_length(rest);
                let (plain, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
                self.put(plain);
                rest = after;
            } else {
                self.add_byte(*byte, stream, log);
                rest = rest.get(1..).unwrap_or_default();
            }
        }
    }

    /// Counts the lines that so many follow in the same piece that the log would drop them, and gives what follows them.
    fn skip_dropped<'b>(&mut self, piece: &'b [u8], log: &mut Log) -> &'b [u8] {
        let last = memchr::memrchr_iter(b'\n', piece).nth(Log::KEPT);
        let Some((dropped, rest)) = last.and_then(|last| piece.split_at_checked(last + 1)) else { return piece };
        // A line break after ESC ends no line, neither of those dropped nor of those that follow.
        if self.escape != Escape::None || memchr::memmem::find(piece, b"\x1b\n").is_some() {
            return piece;
        }
        log.dropped += (log.lines.len() + memchr::memchr_iter(b'\n', dropped).count()) as u64;
        log.lines.clear();
        self.line.clear();
        self.returned = false;
        rest
    }

    /// Adds the last line, which has no line break.
    pub(crate) fn finish(&mut self, stream: Stream, log: &mut Log) {
        if !self.line.is_empty() {
            self.end_line(stream, log);
        }
    }

    fn add_byte(&mut self, byte: u8, stream: Stream, log: &mut Log) {
        match (self.escape, byte) {
            (Escape::None, 0x1b) => self.escape = Escape::Start,
            (Escape::None, b'\n') => self.end_line(stream, log),
            (Escape::None, b'\r') => self.returned = true,
            // What is plain does not come here; other control bytes show nothing.
            (Escape::None, _) => {}
            (Escape::Start, b'[') => self.escape = Escape::Control,
            (Escape::Start, b']') => self.escape = Escape::System,
            (Escape::Control, b'@'..=b'~') | (Escape::System, 0x07) => self.escape = Escape::None,
            (Escape::System, 0x1b) => self.escape = Escape::Start,
            (Escape::Control | Escape::System, b'\n') => {
                self.escape = Escape::None;
                self.end_line(stream, log);
            }
            (Escape::Start, _) => self.escape = Escape::None,
            (Escape::Control | Escape::System, _) => {}
        }
    }

    fn put(&mut self, plain: &[u8]) {
        if self.returned {
            self.line.clear();
            self.returned = false;
        }
        let room = MAX_LINE.saturating_sub(self.line.len());
        self.line.extend_from_slice(plain.get(..room).unwrap_or(plain));
    }

    fn end_line(&mut self, stream: Stream, log: &mut Log) {
        let text = utf8(&self.line).trim_end().to_owned();
        log.push(LogLine { stream, text });
        self.line.clear();
        self.returned = false;
    }
}

/// Bytes before the first that is not plain.
fn plain_length(bytes: &[u8]) -> usize {
    let (words, _) = bytes.as_chunks::<8>();
    let are_plain = |word: &&[u8; 8]| !has_control(u64::from_ne_bytes(**word)) || word.iter().copied().all(is_plain);
    let whole = 8 * words.iter().take_while(are_plain).count();
    let rest = bytes.get(whole..).unwrap_or_default();
    whole + rest.iter().position(|byte| !is_plain(*byte)).unwrap_or(rest.len())
}

/// Whether one of eight bytes is below a blank: the sign of "has a byte less than n" in Anderson's Bit Twiddling Hacks.
fn has_control(word: u64) -> bool {
    const ONES: u64 = u64::MAX / 255;
    word.wrapping_sub(ONES * 0x20) & !word & (ONES * 0x80) != 0
}

/// True for a byte that is shown as it is.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b'\t' | 0x20..)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pieces: &[&str]) -> Vec<String> {
        let mut log = Log::default();
        let mut console = Console::default();
        for piece in pieces {
            console.push(piece.as_bytes(), Stream::Out, &mut log);
        }
        console.finish(Stream::Out, &mut log);
        log.lines.into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn pieces_become_lines() {
        assert_eq!(lines(&["step 0", "\n", "st", "ep 1\nlast"]), ["step 0", "step 1", "last"]);
    }

    #[test]
    fn a_progress_bar_leaves_its_last_state() {
        assert_eq!(lines(&["\r 0%|", "\r 50%|", "\r100%|\r\n", "done\r\n"]), ["100%|", "done"]);
    }

    #[test]
    fn colours_and_titles_go() {
        assert_eq!(lines(&["\u{1b}[36m(pid=1)\u{1b}[0m \u{1b}]0;title\u{7}x\u{1b}[", "1mé\n"]), ["(pid=1) xé"]);
    }

    #[test]
    fn lines_that_the_log_drops_are_counted() {
        let text: String = (0..3 * Log::KEPT).map(|line| format!("\u{1b}[1mline {line}\r\n")).collect();
        for (start, end) in [("", ""), ("last", "last"), ("\u{1b}\n", "\u{1b}\n"), ("", "\u{1b}\n\r\n")] {
            let text = format!("{start}{text}{end}");
            let read = |slice: usize| {
                let (mut log, mut console) = (Log::default(), Console::default());
                text.as_bytes().chunks(slice).for_each(|part| console.push(part, Stream::Out, &mut log));
                console.finish(Stream::Out, &mut log);
                log
            };
            assert_eq!(read(text.len()), read(100));
            assert_eq!(read(text.len()).lines.len(), Log::KEPT);
        }
    }

    #[test]
    fn plain_bytes_are_those_before_a_control_byte() {
        for byte in 0..=u8::MAX {
            for at in 0..20 {
                let mut bytes = [b'~', 0x80, b' ', 0xFF, 0x20].repeat(4);
                bytes[at] = byte;
                assert_eq!(plain_length(&bytes), if is_plain(byte) { 20 } else { at }, "{byte} at {at}");
            }
        }
    }

    #[test]
    fn a_line_is_cut_at_its_limit() {
        let long = "x".repeat(3 * MAX_LINE);
        assert_eq!(lines(&[&long, "\nnext"]).iter().map(String::len).collect::<Vec<_>>(), [MAX_LINE, 4]);
    }
}
