//! A number as it stands in a line of text: where it begins, and what behind it shows that it is no number (`12:30:05`, `1.2.3`).

use crate::rows::metric_words::{is_metric, is_of_training};
use crate::rows::names::is_one_of;

/// Words in the names of what is counted in thousands and billions.
const COUNTED: [&str; 11] =
    ["token", "tokens", "tok", "toks", "param", "params", "parameters", "sample", "samples", "flop", "flops"];
/// Words for memory, which stands in the unit that it was written in.
const MEMORY: [&str; 12] =
    ["mem", "memory", "vram", "ram", "rss", "alloc", "allocated", "reserved", "peak", "cuda", "gpu", "bytes"];

/// Units of time, and words in the names of what is measured in them.
const TIME_UNITS: [&str; 3] = ["s", "ms", "h"];
const TIMES: [&str; 9] = ["time", "timing", "timings", "took", "elapsed", "latency", "duration", "sec", "seconds"];

/// Where the next number may begin: a digit, a sign or a point before one, or a word such as `nan` after a separator.
pub(super) fn next_number(line: &str, from: usize) -> Option<usize> {
    let bytes = line.as_bytes();
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    (from..bytes.len()).find(|at| {
        let here = bytes.get(*at).copied().unwrap_or_default();
        let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied().unwrap_or(b' ');
        let after = bytes.get(at + 1).copied().unwrap_or_default();
        let begins = match here {
            b'0'..=b'9' => !matches!(before, b'-' | b'+' | b'.') || *at == from,
            b'-' | b'+' => after.is_ascii_digit() || after == b'.' || word_length(line.get(at + 1..)).is_some(),
            b'.' => after.is_ascii_digit(),
            b'n' | b'N' | b'i' | b'I' => word_length(line.get(*at..)).is_some(),
            _ => false,
        };
        begins && !is_inner(before)
    })
}

pub(super) fn is_token(c: char) -> bool {
    c.is_alphanumeric() || "_-+.:/".contains(c)
}

/// A number as it stands in a line.
pub(in crate::formats::console) struct NumberToken<'t> {
    /// As it stands, without its unit.
    pub value: f64,
    /// Bytes, with the total of a counter.
    pub length: usize,
    pub total: Option<f64>,
    /// The unit directly behind it, which is not part of its length.
    unit: &'t str,
    digits: &'t str,
}

impl<'t> NumberToken<'t> {
    /// The number that a text begins with; `None` where it goes on as no number does.
    pub(in crate::formats::console) fn of(text: &'t str) -> Option<Self> {
        let length = number_length(text)?;
        let (digits, rest) = text.split_at_checked(length)?;
        let value = plain(digits)?;
        if let Some(behind) = rest.strip_prefix('/') {
            let padded = behind.trim_start_matches(' ');
            let blanks = behind.len() - padded.len();
            let total_length = padded.bytes().take_while(u8::is_ascii_digit).count();
            let after = padded.get(total_length..)?;
            let total: Option<f64> = padded.get(..total_length)?.parse().ok();
            // `69/   160 |` is a counter whose total is as wide as it may get, `3/ 4 of them` is not.
            let is_counter = || total.is_some_and(|total| (0.0..=total).contains(&value)) && is_end_of_pair(after);
            let is_total = total_length > 0 && value.fract() == 0.0 && ends(after) && (blanks == 0 || is_counter());
            let length = length + 1 + blanks + total_length;
            return is_total.then_some(Self { value, length, total, unit: "", digits });
        }
        ends(rest).then(|| Self { value, length, total: None, unit: unit(digits, rest), digits })
    }

    /// The number as that of a metric of this name: `1.2M` is 1,200,000, and `950ms` 0.95 seconds.
    /// Per cent stay per cent: whether a metric is a share is decided by all of its values.
    /// Bytes stay as they stand: `40.1G` is 40.1.
    pub(super) fn value_of(&self, name: &str) -> f64 {
        let exponent = match self.unit {
            "" => return self.value,
            unit if has_word(name, &[unit]) => return self.value,
            "ms" => -3,
            _ if has_word(name, &MEMORY) && !has_word(name, &COUNTED) => return self.value,
            "k" | "K" => 3,
            "M" => 6,
            // Of other things it may be bytes.
            "B" if has_word(name, &COUNTED) => 9,
            _ => return self.value,
        };
        plain(&format!("{}e{exponent}", self.digits)).unwrap_or(self.value)
    }

    /// True for the time that something took under a name of a metric without a unit: `rewards=4.69s` is no reward, and is left
    /// out. Other units of time do not stand behind such names.
    pub(super) fn is_time_of(&self, name: &str) -> bool {
        TIME_UNITS.contains(&self.unit)
            && (is_metric(name) || is_of_training(name))
            && !has_word(name, &TIMES)
            && !has_word(name, &[self.unit])
    }
}

/// Bytes of the number or of the word for one that a text begins with.
fn number_length(text: &str) -> Option<usize> {
    let sign = usize::from(text.starts_with(['-', '+']));
    let body = text.get(sign..)?;
    if let Some(length) = word_length(Some(body)) {
        return Some(sign + length);
    }
    let digits = |from: usize| body.get(from..).map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    let mut length = digits(0);
    // Thousands are separated by commas in groups of three.
    while (1..=3).contains(&length) || body.get(..length).is_some_and(|number| number.contains(',')) {
        if body.get(length..).is_some_and(|rest| rest.starts_with(',')) && digits(length + 1) == 3 {
            length += 4;
        } else {
            break;
        }
    }
    if body.get(length..)?.starts_with('.') && (length > 0 || digits(1) > 0) {
        length += 1 + digits(length + 1);
    }
    if length == 0 {
        return None;
    }
    if let Some(exponent) = body.get(length..).and_then(|rest| rest.strip_prefix(['e', 'E'])) {
        let sign = usize::from(exponent.starts_with(['-', '+']));
        let count = digits(length + 1 + sign);
        if count > 0 {
            length += 1 + sign + count;
        }
    }
    // A point at the end of a sentence is not part of the number.
    let is_sentence = body.get(..length)?.ends_with('.');
    Some(sign + length - usize::from(is_sentence && body.get(length..)?.trim_start().is_empty()))
}

/// Bytes of the word for a number that is not finite, if a text begins with one.
fn word_length(text: Option<&str>) -> Option<usize> {
    let words = ["nan", "NaN", "inf", "Infinity", "Inf"];
    let is_whole = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    words
        .iter()
        .find(|word| text.and_then(|text| text.strip_prefix(**word)).is_some_and(is_whole))
        .map(|word| word.len())
}

/// The unit directly behind a number, of letters. One with an exponent has none.
fn unit<'t>(digits: &str, rest: &'t str) -> &'t str {
    let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let is_plain = !digits.bytes().any(|byte| byte.is_ascii_alphabetic());
    rest.get(..letters).filter(|_| is_plain).unwrap_or_default()
}

/// True for the name of a metric with one of these words, such as its unit (`latency_ms`).
fn has_word(name: &str, known: &[&str]) -> bool {
    name.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| is_one_of(word, known))
}

fn plain(digits: &str) -> Option<f64> {
    if digits.contains(',') { digits.replace(',', "").parse().ok() } else { digits.parse().ok() }
}

/// True where the next pair, or the end of the line, follows.
fn is_end_of_pair(after: &str) -> bool {
    let rest = after.trim_start();
    rest.is_empty() || rest.starts_with(['|', ',', ';', ')', ']'])
}

/// True where a number may end: at a blank, a bracket or a sign, with a short unit such as `s`, `ms` or `GB` between.
fn ends(rest: &str) -> bool {
    let unit = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let mut behind = rest.get(unit..).unwrap_or_default().chars();
    let (next, after) = (behind.next(), behind.next());
    if unit > 2 {
        return false;
    }
    match next {
        None => true,
        // `12:30:05`, `2026-01-02`, `1.2.3` and paths are no numbers.
        Some(':' | '-' | '.' | '/') => !after.is_some_and(|after| after.is_alphanumeric()),
        Some(next) => !next.is_alphanumeric() && next != '_',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(name: &str, text: &str) -> Option<f64> {
        NumberToken::of(text).map(|token| token.value_of(name))
    }

    #[test]
    fn a_unit_behind_a_number_counts() {
        for (text, expected) in [
            ("980K", 980e3),
            ("4.35k", 4350.0),
            ("1.2M,", 1.2e6),
            ("3B", 3e9),
            ("1,000K", 1e6),
            ("950ms", 0.95),
            ("1.4s", 1.4),
            ("0.8%", 0.8),
            ("7m", 7.0),
            ("16 M", 16.0),
            ("32GB", 32.0),
            ("1e-3M", 1e-3),
            ("12/50", 12.0),
        ] {
            assert_eq!(value("tokens", text), Some(expected), "{text}");
        }
        assert_eq!(value("x", "0x1F"), None);
    }

    #[test]
    fn blanks_may_stand_before_a_total() {
        let counter = |text: &str| NumberToken::of(text).map(|token| (token.value, token.total, token.length));
        assert_eq!(counter("69/   160| loss"), Some((69.0, Some(160.0), 9)));
        assert_eq!(counter("0/  4 | ppo epoch"), Some((0.0, Some(4.0), 5)));
        for text in ["3/ 4 of them", "5/ 4 |", "2.5/ 4 |", "3/ x", "3/ "] {
            assert_eq!(counter(text), None, "{text}");
        }
    }

    #[test]
    fn a_unit_that_the_metric_has_changes_nothing() {
        assert_eq!(value("latency_ms", "950ms"), Some(950.0));
        assert_eq!(value("gpu mem", "45.2G"), Some(45.2));
    }

    #[test]
    fn bytes_stay_as_they_stand() {
        for (name, text, expected) in [
            ("peak", "40.1G", 40.1),
            ("tokens", "4G", 4.0),
            ("cuda", "512M", 512.0),
            ("alloc", "900K", 900.0),
            ("payload", "512B", 512.0),
            ("total_params", "1.5B", 1.5e9),
            ("tokens/s/gpu", "1.2K", 1200.0),
            ("gpu time", "950ms", 0.95),
        ] {
            assert_eq!(value(name, text), Some(expected), "{name} {text}");
        }
    }
}
