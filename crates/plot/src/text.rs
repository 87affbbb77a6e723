//! How wide a label will be, without asking anyone. Measuring text in a browser goes through the DOM: a forced
//! reflow, and an inline style that a strict content security policy refuses.

/// Estimated width of `text` in a sans-serif font of `size_px` pixels, in pixels.
///
/// Widths in thousandths of the font size are those of Helvetica, the widest of the usual system fonts for figures
/// but for DejaVu Sans (636), whose figure width is used for digits so that a label never overlaps.
pub fn text_width(text: &str, size_px: f64) -> f64 {
    let thousandths: u32 = text.chars().map(advance).sum();
    f64::from(thousandths) * size_px / 1000.0
}

fn advance(letter: char) -> u32 {
    match letter {
        '0'..='9' => 636,
        '.' | ',' | ':' | ' ' | '/' | 'i' | 'j' | 'l' | 't' | 'f' => 318,
        '-' => 360,
        '−' | '+' | '∞' | '→' | '…' => 1000,
        'm' | 'w' | 'M' | 'W' => 975,
        'A'..='Z' => 700,
        // Chinese, Japanese, Korean; pictures.
        '\u{1100}'.. => 1100,
        _ => 615,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_grows_with_text_and_size() {
        assert_eq!(text_width("", 10.0), 0.0);
        assert!(text_width("100", 10.0) > text_width("1.0", 10.0));
        assert!((text_width("10", 20.0) - 2.0 * text_width("10", 10.0)).abs() < 1e-12);
    }
}
