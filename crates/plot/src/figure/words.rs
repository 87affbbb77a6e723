//! Words of figures, made to fit.

use std::borrow::Cow;

use crate::text_width;
use rundown_content::Figure;
use rundown_format::number;

/// Longest text of a hint, in characters.
const HINT: usize = 240;

/// `text` on one line of at most `room` pixels. What is too long loses its middle: names differ at their ends.
pub(super) fn shortened(text: &str, room: f64) -> String {
    // What was measured once must fit when it is measured letter by letter.
    let room = room + 0.01;
    let mut width = 0.0;
    if text.chars().all(|letter| {
        width += advance(letter);
        width <= room
    }) {
        return text.chars().map(plain).collect();
    }
    let half = (room - advance('…')) / 2.0;
    if half <= 0.0 {
        return String::new();
    }
    let mut front = String::new();
    front.extend(text.chars().scan(0.0, |used, letter| within(used, letter, half)));
    let back: Vec<char> = text.chars().rev().scan(0.0, |used, letter| within(used, letter, half)).collect();
    front.truncate(front.trim_end().len());
    front.push('…');
    front.extend(back.into_iter().rev());
    front
}

/// A name and its numbers, for a hint: `run-7: beta 0.1, reward 0.8`.
pub(super) fn facts(name: &str, numbers: &[(&str, f64)]) -> String {
    let mut wording: String = name.chars().take(HINT).map(plain).collect();
    for (place, (what, value)) in numbers.iter().enumerate() {
        wording.push_str(if place > 0 {
            ", "
        } else if wording.is_empty() {
            ""
        } else {
            ": "
        });
        wording.extend(what.chars().take(HINT).map(plain));
        if !what.is_empty() {
            wording.push(' ');
        }
        wording.push_str(&number(*value));
    }
    wording
}

/// A text for a hint: one line, not endless.
pub(super) fn hint(text: &str) -> String {
    facts(text, &[])
}

/// Sentences of a summary: items, at most `most` of them, parted by semicolons.
pub(super) fn listed(items: &[String], most: usize) -> String {
    let shown = items.iter().take(most).cloned().collect::<Vec<_>>().join("; ");
    match items.len().saturating_sub(most) {
        0 => format!("{shown}."),
        rest => format!("{shown}; and {rest} more."),
    }
}

/// A name for a summary, in which a long one costs no more than a short one.
pub(super) fn named(name: &str) -> Cow<'_, str> {
    if name.is_empty() { Cow::Borrowed("without a name") } else { Cow::Owned(shortened(name, 400.0)) }
}

/// Width of a text in a figure, pixels.
pub(super) fn width(text: &str) -> f64 {
    text_width(text, Figure::TEXT_SIZE)
}

fn advance(letter: char) -> f64 {
    width(plain(letter).encode_utf8(&mut [0; 4]))
}

fn within(used: &mut f64, letter: char, room: f64) -> Option<char> {
    *used += advance(letter);
    (*used <= room).then(|| plain(letter))
}

/// Line breaks and what reorders text become spaces.
fn plain(letter: char) -> char {
    let is_odd = letter.is_control() || matches!(letter, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if is_odd { ' ' } else { letter }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shortened("reward", 100.0), "reward");
        let cut = shortened("actor/a-very-long-name-of-a-run-seed-3", 90.0);
        assert!(cut.starts_with("actor") && cut.ends_with("eed-3") && cut.contains('…'), "{cut}");
        assert!(width(&cut) <= 90.01);
        assert_eq!(shortened("0.25", width("0.25")), "0.25");
        assert_eq!(shortened("anything", 3.0), "");
        assert_eq!(shortened("two\nlines\u{202e}", 200.0), "two lines ");
        assert!(shortened(&"界".repeat(1_000_000), 90.0).chars().count() < 12);
    }

    #[test]
    fn hints_end() {
        assert_eq!(facts("a", &[("beta", 0.1), ("", 2.0)]), "a: beta 0.1, 2");
        assert!(hint(&"x".repeat(9999)).len() <= HINT);
        assert_eq!(listed(&["a".to_owned(), "b".to_owned(), "c".to_owned()], 2), "a; b; and 1 more.");
    }
}
