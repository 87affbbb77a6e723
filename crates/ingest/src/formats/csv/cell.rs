//! Cells as numbers, and text as a table: delimiters, decimal commas, thousands.

use crate::syntax::json::{nonfinite_word, plain_number};
use crate::syntax::python::called_number;

/// A cell as a number; `None` for text and for the many ways to write nothing.
///
/// With a semicolon or a tab between cells a comma is a decimal comma, as spreadsheets of many countries save it;
/// between commas it separates thousands: `"1,234.5"`. What is in percent is a share: `45.1%` is 0.451.
pub(crate) fn number(cell: &str, delimiter: u8) -> Option<f64> {
    match cell.strip_suffix('%') {
        Some(percent) => without_percent(percent.trim_end(), delimiter).map(|percent| percent / 100.0),
        None => without_percent(cell, delimiter),
    }
}

fn without_percent(cell: &str, delimiter: u8) -> Option<f64> {
    if let Some(value) = plain_number(cell.as_bytes()) {
        return Some(value);
    }
    match cell.bytes().next()? {
        b'0'..=b'9' | b'-' | b'+' | b'.' => {}
        b'\'' | b'"' => {
            // No quotes are left in it: the next call is the last.
            let inner = cell.trim_matches(['\'', '"']);
            return if inner.len() + 2 == cell.len() { number(inner, delimiter) } else { None };
        }
        _ => {
            return match cell.to_ascii_lowercase().as_str() {
                "nan" => Some(f64::NAN),
                "inf" | "infinity" => Some(f64::INFINITY),
                "true" => Some(1.0),
                "false" => Some(0.0),
                _ => nonfinite_word(cell).or_else(|| called_number(cell)),
            };
        }
    }
    if !cell.contains(',') {
        return cell.parse().ok();
    }
    let (groups, decimal) = match (delimiter, cell.rfind(','), cell.rfind('.')) {
        (b',', _, _) => (',', '.'),
        (_, Some(comma), Some(point)) if comma < point => (',', '.'),
        // "1,234,567" has groups whatever stands between the cells.
        (_, _, None) if cell.matches(',').count() > 1 => (',', '.'),
        _ => ('.', ','),
    };
    let whole = cell.split(decimal).next().unwrap_or_default();
    if !is_grouped(whole, groups) {
        return None;
    }
    let plain: String = cell.chars().filter(|c| *c != groups).map(|c| if c == decimal { '.' } else { c }).collect();
    plain.parse().ok()
}

/// True for digits without separators, and for groups of three behind a first one of one to three.
fn is_grouped(whole: &str, separator: char) -> bool {
    let digits = whole.trim_start_matches(['-', '+']);
    if !digits.contains(separator) {
        return true;
    }
    let mut groups = digits.split(separator);
    let first = groups.next().map_or(0, str::len);
    (1..=3).contains(&first) && groups.all(|group| group.len() == 3 && group.bytes().all(|b| b.is_ascii_digit()))
}

/// The delimiter that the first line has most of, if it has any.
pub(crate) fn delimiter(head: &[u8]) -> Option<u8> {
    let line = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let (mut in_quotes, mut commas, mut semicolons, mut tabs) = (false, 0, 0, 0);
    for byte in line {
        match byte {
            b'"' => in_quotes = !in_quotes,
            b'\n' if !in_quotes => break,
            b',' if !in_quotes => commas += 1,
            b';' if !in_quotes => semicolons += 1,
            b'\t' if !in_quotes => tabs += 1,
            _ => {}
        }
    }
    let best = [(tabs, b'\t'), (semicolons, b';'), (commas, b',')].into_iter().max_by_key(|(count, _)| *count);
    best.filter(|(count, _)| *count > 0).map(|(_, delimiter)| delimiter)
}

/// A column's name as the other formats write it: notebooks show `Training Loss` and `rewards / correctness`.
pub(super) fn clean_name(name: &str) -> String {
    let name = name.trim_start_matches('\u{feff}').trim().replace(" / ", "/");
    match name.to_ascii_lowercase().as_str() {
        "training loss" => "loss".to_owned(),
        "validation loss" => "eval_loss".to_owned(),
        lower @ ("step" | "epoch") => lower.to_owned(),
        // The index that pandas writes has no name, or this one when it was read back.
        "unnamed: 0" => String::new(),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_mean_what_they_mean_in_their_file() {
        for (cell, delimiter, expected) in [
            ("1,234", b',', Some(1234.0)),
            ("1,234,567.5", b',', Some(1_234_567.5)),
            ("-1,234e2", b',', None),
            ("12,34", b',', None),
            ("0,5", b';', Some(0.5)),
            ("1,234", b';', Some(1.234)),
            ("1.234,5", b';', Some(1234.5)),
            ("1,234.5", b';', Some(1234.5)),
            ("1,00E-05", b';', Some(1e-5)),
            ("-0,25", b'\t', Some(-0.25)),
            ("'0.5'", b',', Some(0.5)),
            ("45%", b',', Some(0.45)),
            ("-2,5 %", b';', Some(-0.025)),
            ("%", b',', None),
            ("'", b',', None),
            ("None", b',', None),
            ("-inf", b',', Some(f64::NEG_INFINITY)),
            ("tensor(0.25, device='cuda:0')", b',', Some(0.25)),
            ("np.float64(0.25)", b';', Some(0.25)),
            ("2026-11-01", b',', None),
            ("a,b", b';', None),
        ] {
            assert_eq!(number(cell, delimiter), expected, "{cell}");
        }
    }
}
