//! A number as it stands in a line of text: where it begins, and what behind it shows that it is no number (`12:30:05`, `1.2.3`).

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
pub(in crate::formats::console) struct NumberToken {
    pub value: f64,
    /// Bytes, with the total of a counter.
    pub length: usize,
    pub total: Option<f64>,
}

impl NumberToken {
    /// The number that a text begins with; `None` where it goes on as no number does.
    pub(in crate::formats::console) fn of(text: &str) -> Option<Self> {
        let length = number_length(text)?;
        let (digits, rest) = text.split_at_checked(length)?;
        let value = plain(digits)?;
        if let Some(total) = rest.strip_prefix('/') {
            let total_length = total.bytes().take_while(u8::is_ascii_digit).count();
            let after = total.get(total_length..)?;
            let is_total = total_length > 0 && value.fract() == 0.0 && ends(after);
            let total = total.get(..total_length)?.parse().ok();
            return is_total.then_some(Self { value, length: length + 1 + total_length, total });
        }
        ends(rest).then_some(Self { value, length, total: None })
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

fn plain(digits: &str) -> Option<f64> {
    if digits.contains(',') { digits.replace(',', "").parse().ok() } else { digits.parse().ok() }
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
