//! Escapes in texts of JSON: what is hidden begins behind one, or the text would be JSON no more.

/// Characters of an escape such as `\n` or `\u0000` behind its backslash, at `place`; 0 for none.
pub(super) fn escape_length(text: &str, place: usize) -> usize {
    let (before, escape) = text.as_bytes().split_at_checked(place).unwrap_or_default();
    if before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0 {
        return 0;
    }
    match escape {
        [b'b' | b'f' | b'n' | b'r' | b't', ..] => 1,
        [b'u', digits @ ..] if digits.iter().take(4).filter(|byte| byte.is_ascii_hexdigit()).count() == 4 => 5,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_escapes_count() {
        for (text, place, length) in [
            ("\\nx", 1, 1),
            ("\\u00e9x", 1, 5),
            ("\\\\nx", 2, 0),
            ("\\u00gg", 1, 0),
            ("\\u00", 1, 0),
            ("nx", 0, 0),
            ("", 3, 0),
        ] {
            assert_eq!(escape_length(text, place), length, "{text}");
        }
    }
}
