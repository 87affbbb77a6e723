//! What our own escaped Markdown says, as spans: the report of one run is written once, and HTML shows the same words.
//!
//! Only what [`super::escape`] and the sections write is understood: code spans, strong words, backslashes, `&lt;`.

use crate::content::Span;

/// The spans of an escaped line.
pub(super) fn spoken(safe: &str) -> Vec<Span> {
    let mut spans = Spans::default();
    let mut rest = safe;
    while let Some(first) = rest.chars().next() {
        let after = rest.get(first.len_utf8()..).unwrap_or_default();
        match first {
            '\\' => {
                // The next character means itself.
                let Some(next) = after.chars().next().filter(char::is_ascii_punctuation) else {
                    spans.push('\\');
                    rest = after;
                    continue;
                };
                spans.push(next);
                rest = after.get(next.len_utf8()..).unwrap_or_default();
            }
            '`' if after.contains('`') => {
                let (key, behind) = after.split_once('`').unwrap_or_default();
                spans.key(key);
                rest = behind;
            }
            '*' if after.starts_with('*') && (spans.strong.is_some() || after.get(1..).is_some_and(closes)) => {
                spans.turn();
                rest = after.get(1..).unwrap_or_default();
            }
            '&' => {
                let found = ENTITIES.iter().find_map(|(name, sign)| Some((after.strip_prefix(name)?, *sign)));
                let (behind, sign) = found.unwrap_or((after, '&'));
                spans.push(sign);
                rest = behind;
            }
            _ => {
                spans.push(first);
                rest = after;
            }
        }
    }
    spans.finish()
}

/// The same as one text, keys between backticks.
pub(super) fn plain(safe: &str) -> String {
    let mut text = String::with_capacity(safe.len());
    for span in spoken(safe) {
        match span {
            Span::Key(key) | Span::Metric(key) | Span::Setting(key) => {
                text.push('`');
                text.push_str(&key);
                text.push('`');
            }
            // A backtick of its own would make a key of what follows.
            Span::Text(words)
            | Span::Strong(words)
            | Span::Run(_, words)
            | Span::Note(words)
            | Span::Link(words, _) => text.push_str(&words.replace('`', "'")),
            Span::Number(..) | Span::Percent(_) | Span::Step(_) => text.push_str(&span.plain()),
        }
    }
    text
}

const ENTITIES: [(&str, char); 3] = [("lt;", '<'), ("gt;", '>'), ("amp;", '&')];

/// True when strong words that begin here end somewhere.
fn closes(rest: &str) -> bool {
    rest.contains("**")
}

#[derive(Default)]
struct Spans {
    done: Vec<Span>,
    text: String,
    /// Strong words in the making.
    strong: Option<String>,
}

impl Spans {
    fn push(&mut self, letter: char) {
        self.strong.as_mut().unwrap_or(&mut self.text).push(letter);
    }

    fn key(&mut self, key: &str) {
        if let Some(strong) = &mut self.strong {
            strong.push_str(key);
            return;
        }
        self.flush();
        self.done.push(Span::Key(key.to_owned()));
    }

    /// Strong words begin or end.
    fn turn(&mut self) {
        match self.strong.take() {
            Some(strong) => self.done.push(Span::Strong(strong)),
            None => {
                self.flush();
                self.strong = Some(String::new());
            }
        }
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            self.done.push(Span::Text(std::mem::take(&mut self.text)));
        }
    }

    fn finish(mut self) -> Vec<Span> {
        if let Some(strong) = self.strong.take() {
            self.text.push_str(&strong);
        }
        self.flush();
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::super::escape::{code, prose, text};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_was_escaped_is_said_again() {
        let line = format!("**Verdict: ugly.** {} in {}", text("a_b <c> & *d* \\e"), code("x/y"));
        let expected = [
            Span::Strong("Verdict: ugly.".to_owned()),
            Span::Text(" a_b <c> & *d* \\e in ".to_owned()),
            Span::Key("x/y".to_owned()),
        ];
        assert_eq!(spoken(&line), expected);
        assert_eq!(plain("1. `beta` is \\`odd\\`"), "1. `beta` is 'odd'");
    }

    proptest! {
        #[test]
        fn any_text_comes_back(raw in "[a-z0-9 <>&*_`|\\\\~#.+=\\[\\]-]{0,30}") {
            let said = |spans: Vec<Span>| spans.into_iter().map(|span| span.plain()).collect::<String>();
            let clean = crate::format::redact(&raw).into_owned();
            prop_assert_eq!(said(spoken(&text(&raw))), clean.trim());
            prop_assert_eq!(said(spoken(&code(&raw))), clean);
            let _ = spoken(&prose(&raw));
            let _ = spoken(&raw);
        }
    }
}
