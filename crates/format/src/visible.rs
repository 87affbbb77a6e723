//! Control characters made visible: in names of files, and in everything that is written to a terminal.
//!
//! An escape sequence in a file's name could move the cursor or change a title, and an override of the writing direction
//! shows `gpj.exe` as `exe.jpg`.

use std::borrow::Cow;

/// The text in one line, with a sign for each control character: `␛` for an escape, `\u{202e}` for one without a sign.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_control) { Cow::Owned(with_signs(text, &[])) } else { Cow::Borrowed(text) }
}

/// The same of a text of several lines, whose ends and tabs stay.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    let is_kept = |c: char| matches!(c, '\n' | '\t');
    let is_plain = !text.chars().any(|c| is_control(c) && !is_kept(c));
    if is_plain { Cow::Borrowed(text) } else { Cow::Owned(with_signs(text, &['\n', '\t'])) }
}

fn with_signs(text: &str, kept: &[char]) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match u32::from(character) {
            _ if kept.contains(&character) || !is_control(character) => out.push(character),
            // Unicode has a sign for each of the first 32 and for delete.
            code @ 0..=0x1f => out.push(char::from_u32(0x2400 + code).unwrap_or(char::REPLACEMENT_CHARACTER)),
            0x7f => out.push('\u{2421}'),
            _ => out.extend(character.escape_unicode()),
        }
    }
    out
}

/// Control characters of ASCII and of Latin 1, marks and overrides of the writing direction, and separators of lines.
fn is_control(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_moves_the_cursor_or_turns_a_name_around() {
        assert_eq!(visible("\u{1b}[31mred\u{7f}\u{9b}0m.log"), "␛[31mred␡\\u{9b}0m.log");
        assert_eq!(visible("a\u{202e}gpj.exe\u{2066}"), "a\\u{202e}gpj.exe\\u{2066}");
        assert_eq!(visible("two\nlines\ttab\r"), "two␊lines␉tab␍");
        assert_eq!(visible_lines("two\nlines\ttab\r\u{1b}"), "two\nlines\ttab␍␛");
        assert!(matches!(visible("Ünïcödé 日本 😀.log"), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn no_control_character_is_left(text in any::<String>()) {
            prop_assert!(!visible(&text).chars().any(is_control));
            let once = visible(&text).into_owned();
            prop_assert_eq!(visible(&once), once.as_str());
            prop_assert!(!visible_lines(&text).chars().any(|c| is_control(c) && !matches!(c, '\n' | '\t')));
        }
    }
}
