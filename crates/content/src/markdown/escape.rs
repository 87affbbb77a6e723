//! Text from files, made safe for Markdown: it can neither become markup or HTML nor break a table.

use std::borrow::Cow;

/// Text on one line: control characters to spaces, Markdown and HTML specials escaped. Where it begins a line, see
/// [`guarded`].
pub(super) fn text(raw: &str) -> String {
    escape_inside(&one_line(raw))
}

/// A key, path or value in a code span; as escaped text where a code span could not hold it safely.
pub(super) fn code(raw: &str) -> String {
    span(&one_line(raw))
}

fn span(line: &str) -> String {
    if line.is_empty() {
        return String::new();
    }
    if line.contains(['`', '|', '<', '>', '&', '\\']) { escape_inside(line) } else { format!("`{line}`") }
}

fn one_line(raw: &str) -> Cow<'_, str> {
    // Line and paragraph separators and the bidirectional controls can reorder what stands around them.
    let odd = |c: char| c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if raw.contains(odd) { Cow::Owned(raw.replace(odd, " ")) } else { Cow::Borrowed(raw) }
}

/// Keeps what is escaped already from being a heading or a list where it begins a line.
pub(super) fn guarded(body: String) -> String {
    let marker = body.trim_start_matches(|c: char| c.is_ascii_digit());
    if body.starts_with(['#', '-', '+', '=', '>']) {
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

    fn line(raw: &str) -> String {
        guarded(text(raw))
    }

    #[test]
    fn markup_becomes_text() {
        assert_eq!(line("<script>alert(1)</script> & *bold*"), "&lt;script>alert(1)&lt;/script> &amp; \\*bold\\*");
        assert_eq!(line("[x](javascript:1) a|b `c`"), "\\[x\\](javascript:1) a\\|b \\`c\\`");
        assert_eq!(line("line\nbreak\r\u{202e}"), "line break  ");
        assert_eq!(line("# no heading"), "\\# no heading");
        assert_eq!(line("- no list"), "\\- no list");
        assert_eq!(line("> no quote"), "\\> no quote");
        assert_eq!(line("3. no list"), "3\\. no list");
        assert_eq!(
            line("3.5 is a number, kl_loss a key, _this_ not"),
            "3.5 is a number, kl_loss a key, \\_this\\_ not"
        );
    }

    #[test]
    fn keys_stand_in_code_spans() {
        assert_eq!(code("train/kl"), "`train/kl`");
        assert_eq!(code("a|b"), "a\\|b");
        assert_eq!(code("a`b"), "a\\`b");
        assert_eq!(code("<b>"), "&lt;b>");
        assert_eq!(code(""), "");
    }

    proptest! {
        #[test]
        fn nothing_is_left_that_could_be_markup(raw in "[a<>&|`*_\\[\\]\\\\#~ \n\t-]{0,40}") {
            for safe in [line(&raw), code(&raw)] {
                prop_assert!(!safe.contains(['<', '\n']), "{}", safe);
                let unescaped = safe.replace("\\\\", "").replace("\\|", "");
                prop_assert!(!unescaped.contains('|'), "{}", safe);
                let ticks = safe.replace("\\\\", "").replace("\\`", "").matches('`').count();
                prop_assert!(ticks % 2 == 0, "{}", safe);
            }
        }
    }
}
