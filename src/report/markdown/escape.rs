//! Text from files, made safe for Markdown: it can neither become markup or HTML nor break a table.

use std::borrow::Cow;

use crate::format::{redact, redact_around_id};

/// Plain text on one line: secrets out, control characters to spaces, Markdown and HTML specials escaped.
pub(super) fn text(raw: &str) -> String {
    escape(one_line(&redact(raw)).trim())
}

/// Text that never begins a line, such as a unit after its number.
pub(super) fn inside(raw: &str) -> String {
    escape_inside(&one_line(&redact(raw)))
}

/// A key, path or value in a code span; as escaped text where a code span could not hold it safely.
pub(super) fn code(raw: &str) -> String {
    span(&one_line(&redact(raw)))
}

/// As [`text`], for what may hold the id of its run: the id stays.
pub(super) fn text_of(raw: &str, id: &str) -> String {
    escape(one_line(&redact_around_id(raw, id)).trim())
}

/// As [`code`], for what may hold the id of its run: the id stays.
pub(super) fn code_of(raw: &str, id: &str) -> String {
    span(&one_line(&redact_around_id(raw, id)))
}

/// Text whose secrets are gone already, and that never begins a line.
pub(super) fn bare_text(raw: &str) -> String {
    escape_inside(&one_line(raw))
}

/// A key whose secrets are gone already.
pub(super) fn bare_code(raw: &str) -> String {
    span(&one_line(raw))
}

/// Our own sentence, in which keys from files stand between backticks.
pub(super) fn prose(raw: &str) -> String {
    let line = one_line(&redact(raw)).trim().to_owned();
    let pieces: Vec<&str> = line.split('`').collect();
    // An odd backtick has no partner: it is a character like any other.
    let lonely = if pieces.len().is_multiple_of(2) { pieces.len() - 1 } else { pieces.len() };
    let mut safe = String::with_capacity(line.len() + 16);
    for (place, piece) in pieces.iter().enumerate() {
        if place == lonely {
            safe.push_str("\\`");
            safe.push_str(&escape_inside(piece));
        } else if place % 2 == 1 {
            safe.push_str(&span(piece));
        } else if place == 0 {
            safe.push_str(&escape(piece));
        } else {
            safe.push_str(&escape_inside(piece));
        }
    }
    safe
}

/// [`prose`] that ends with a full stop when it has no other end.
pub(super) fn sentence(raw: &str) -> String {
    let mut safe = prose(raw);
    if !safe.is_empty() && !safe.ends_with(['.', '!', '?', ')']) {
        safe.push('.');
    }
    safe
}

fn span(line: &str) -> String {
    if line.is_empty() {
        return String::new();
    }
    if line.contains(['`', '|', '<', '>', '&', '\\']) { escape(line) } else { format!("`{line}`") }
}

fn one_line(raw: &str) -> Cow<'_, str> {
    // Line and paragraph separators and the bidirectional controls can reorder what stands around them.
    let odd = |c: char| c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if raw.contains(odd) { Cow::Owned(raw.replace(odd, " ")) } else { Cow::Borrowed(raw) }
}

/// Escapes a text that may begin a line.
fn escape(line: &str) -> String {
    guarded(escape_inside(line))
}

/// Keeps what is escaped already from being a heading or a list where it begins a line.
pub(super) fn guarded(body: String) -> String {
    let marker = body.trim_start_matches(|c: char| c.is_ascii_digit());
    if body.starts_with(['#', '-', '+', '=']) {
        return format!("\\{body}");
    }
    // "1. " would begin an ordered list.
    let digits = body.len() - marker.len();
    let starts_list = digits > 0 && marker.starts_with(['.', ')']) && matches!(marker.chars().nth(1), None | Some(' '));
    match body.split_at_checked(digits) {
        Some((number, rest)) if starts_list => format!("{number}\\{rest}"),
        _ => body,
    }
}

fn escape_inside(line: &str) -> String {
    let mut safe = String::with_capacity(line.len() + 8);
    let mut previous = ' ';
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied().unwrap_or(' ');
        match character {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            // Underscores within a word are no emphasis, and escaping them makes keys hard to read.
            '_' if previous.is_alphanumeric() && next.is_alphanumeric() => safe.push('_'),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' => {
                safe.push('\\');
                safe.push(character);
            }
            _ => safe.push(character),
        }
        previous = character;
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(
            text("<script>alert(1)</script> & *bold*"),
            "&lt;script&gt;alert(1)&lt;/script&gt; &amp; \\*bold\\*"
        );
        assert_eq!(text("[x](javascript:1) a|b `c`"), "\\[x\\](javascript:1) a\\|b \\`c\\`");
        assert_eq!(text("line\nbreak\r\u{202e}"), "line break");
        assert_eq!(text("# no heading"), "\\# no heading");
        assert_eq!(text("- no list"), "\\- no list");
        assert_eq!(text("3. no list"), "3\\. no list");
        assert_eq!(
            text("3.5 is a number, kl_loss a key, _this_ not"),
            "3.5 is a number, kl_loss a key, \\_this\\_ not"
        );
    }

    #[test]
    fn keys_stand_in_code_spans() {
        assert_eq!(code("train/kl"), "`train/kl`");
        assert_eq!(code("a|b"), "a\\|b");
        assert_eq!(code("a`b"), "a\\`b");
        assert_eq!(code("<b>"), "&lt;b&gt;");
        assert_eq!(code(""), "");
        assert_eq!(prose("`train/kl` rose to 6.1*"), "`train/kl` rose to 6.1\\*");
        assert_eq!(prose("one ` alone"), "one \\` alone");
        assert_eq!(prose("`a|b` and `c` and ` rest"), "a\\|b and `c` and \\` rest");
    }

    #[test]
    fn secrets_go_first() {
        let secret = "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH";
        for safe in [text(secret), code(secret), prose(&format!("`{secret}`"))] {
            assert!(safe.contains("(redacted)") && !safe.contains("abcdef"), "{safe}");
        }
    }

    proptest! {
        #[test]
        fn nothing_is_left_that_could_be_markup(raw in "[a<>&|`*_\\[\\]\\\\#~ \n\t-]{0,40}") {
            for safe in [text(&raw), code(&raw), prose(&raw)] {
                prop_assert!(!safe.contains(['<', '>', '\n']), "{}", safe);
                let unescaped = safe.replace("\\\\", "").replace("\\|", "");
                prop_assert!(!unescaped.contains('|'), "{}", safe);
                let ticks = safe.replace("\\\\", "").replace("\\`", "").matches('`').count();
                prop_assert!(ticks % 2 == 0, "{}", safe);
            }
        }
    }
}
