//! Texts of error events, grouped: two that differ in a number, an id, a path or a quoted value are the same error.

use rustc_hash::FxHashMap;

use rundown_format::redact;
use rundown_run::{ErrorText, Sighting};

/// Most different texts that are counted while events are read; later ones count as others.
const MAX_TEXTS: usize = 4096;
/// Longest text in characters.
const MAX_LENGTH: usize = 200;
/// Shortest hexadecimal id: shorter ones are words or numbers.
const MIN_HEX_DIGITS: usize = 6;

/// Counts error events by run, event and text.
#[derive(Debug, Default)]
pub(super) struct ErrorTexts {
    seen: FxHashMap<(u32, u32, String), SeenText>,
    others: FxHashMap<u32, u64>,
}

#[derive(Debug)]
struct SeenText {
    count: u64,
    first: Sighting,
    last: Sighting,
}

impl ErrorTexts {
    /// Adds an error event by the numbers of its run and its name.
    pub(super) fn add(&mut self, run: u32, kind: u32, text: &str, at: Sighting) {
        let key = (run, kind, normal(&redact(text)));
        if let Some(known) = self.seen.get_mut(&key) {
            known.count += 1;
            known.first = known.first.earlier(at);
            known.last = known.last.later(at);
        } else if self.seen.len() < MAX_TEXTS {
            self.seen.insert(key, SeenText { count: 1, first: at, last: at });
        } else {
            *self.others.entry(run).or_default() += 1;
        }
    }

    /// The texts with the number of their run, in no order, and how many events of each run had others.
    pub(super) fn finish(self, kinds: &[String]) -> (Vec<(u32, ErrorText)>, FxHashMap<u32, u64>) {
        let texts = self.seen.into_iter().map(|((run, kind, text), SeenText { count, first, last })| {
            let event = kinds.get(kind as usize).cloned().unwrap_or_default();
            (run, ErrorText { event, text, count, first, last })
        });
        (texts.collect(), self.others)
    }
}

/// The text with `<n>`, `<id>`, `<path>` and `<value>` for what differs between two errors of one kind.
fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(MAX_LENGTH));
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let length = match (quoted(rest, out.chars().next_back()), rest.find(|c| !is_of_token(c))) {
            (Some(length), _) => {
                out.push_str("<value>");
                length
            }
            (None, Some(0)) => {
                // Any blank is one space.
                match first.is_whitespace() {
                    true if out.ends_with(' ') => {}
                    true => out.push(' '),
                    false => out.push(first),
                }
                first.len_utf8()
            }
            (None, end) => {
                let length = end.unwrap_or(rest.len());
                push_token(rest.get(..length).unwrap_or_default(), &mut out);
                length
            }
        };
        rest = rest.get(length..).unwrap_or_default();
        if out.len() > 4 * MAX_LENGTH {
            break;
        }
    }
    if out.chars().count() > MAX_LENGTH {
        out = out.chars().take(MAX_LENGTH).collect();
        out.push('…');
    }
    out
}

/// Length of the quoted value at the start of `text`, quotes included. An apostrophe within a word quotes nothing.
fn quoted(text: &str, before: Option<char>) -> Option<usize> {
    let quote = text.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
    if before.is_some_and(char::is_alphanumeric) {
        return None;
    }
    let inner = text.get(1..)?;
    let ends = inner.match_indices(quote).map(|(place, _)| place);
    let ends_here = |place: &usize| {
        let after = inner.get(place + 1..).and_then(|rest| rest.chars().next());
        !after.is_some_and(char::is_alphanumeric)
    };
    ends.into_iter().find(ends_here).map(|place| place + 2)
}

fn is_of_token(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '\\' | '~' | '-')
}

/// Adds a token; the full stop behind it is no part of it.
fn push_token(token: &str, out: &mut String) {
    let core = token.trim_end_matches('.');
    if is_path(core) {
        out.push_str("<path>");
    } else if is_id(core) {
        out.push_str("<id>");
    } else {
        push_without_numbers(core, out);
    }
    out.push_str(token.get(core.len()..).unwrap_or_default());
}

fn is_path(token: &str) -> bool {
    let is_rooted = token.starts_with(['/', '~', '\\']) || token.starts_with("./") || token.starts_with("../");
    let parts = token.split(['/', '\\']).count();
    let is_file = token.rsplit(['/', '\\']).next().is_some_and(|name| {
        name.rsplit_once('.').is_some_and(|(_, ending)| ending.starts_with(|c: char| c.is_ascii_alphabetic()))
    });
    parts > 1 && (is_rooted || parts > 2 || is_file)
}

fn is_id(token: &str) -> bool {
    let digits = token.strip_prefix("0x").unwrap_or(token);
    let hex = digits.bytes().filter(|byte| *byte != b'-').count();
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let has = |wanted: fn(&u8) -> bool| digits.bytes().any(|byte| wanted(&byte));
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    is_hex && hex > 0 && (token.starts_with("0x") || hex >= MIN_HEX_DIGITS && is_mixed)
}

/// Adds a token with `<n>` for each number in it, fractions included.
fn push_without_numbers(token: &str, out: &mut String) {
    let mut chars = token.chars().peekable();
    while let Some(c) = chars.next() {
        if !c.is_ascii_digit() {
            out.push(c);
            continue;
        }
        while chars.next_if(|next| next.is_ascii_digit() || *next == '.').is_some() {}
        out.push_str("<n>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_differs_between_equal_errors_is_replaced() {
        for (text, expected) in [
            ("game step raised ValueError", "game step raised ValueError"),
            ("rollout r00017 timed out after 120.5 s.", "rollout r<n> timed out after <n> s."),
            ("can't load 'adapter_v40' from /mnt/vol/a.pt", "can't load <value> from <path>"),
            ("object at 0x7f8b12 of 9f8e7d6c-11aa", "object at <id> of <id>"),
            ("POST https://host/v1/generate: 503", "POST https:<path>: <n>"),
            ("3/7 orders, 12 tokens/s,  src/env.py:44", "<n>/<n> orders, <n> tokens/s, <path>:<n>"),
            ("KeyError: \"FRANCE\"", "KeyError: <value>"),
            ("the facade decade failed", "the facade decade failed"),
            ("", ""),
        ] {
            assert_eq!(normal(text), expected);
        }
        assert_eq!(normal(&"word ".repeat(100)).chars().count(), MAX_LENGTH + 1);
    }

    #[test]
    fn equal_errors_are_counted_and_secrets_are_gone() {
        let mut texts = ErrorTexts::default();
        let at = |time| Sighting { time: Some(time), step: None };
        let secret = "hf_abcdefghijklmnopqrstuvwxyz012345";
        texts.add(0, 0, &format!("download with {secret} failed after 3 s"), at(2.0));
        texts.add(0, 0, &format!("download with {secret} failed after 7 s"), at(1.0));
        texts.add(1, 0, "other", at(3.0));
        let (mut found, others) = texts.finish(&["e".to_owned()]);
        found.sort_by_key(|(run, _)| *run);
        assert_eq!((found.len(), others.len()), (2, 0));
        let (_, text) = &found[0];
        assert_eq!(text.text, "download with (redacted) failed after <n> s");
        assert_eq!((text.event.as_str(), text.count, text.first, text.last), ("e", 2, at(1.0), at(2.0)));
    }

    proptest! {
        #[test]
        fn any_text_is_grouped(text in ".{0,300}") {
            prop_assert!(normal(&text).chars().count() <= MAX_LENGTH + 1);
        }
    }
}
