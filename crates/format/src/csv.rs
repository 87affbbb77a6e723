//! Cells of the CSV files that Rundown writes: quoted where they need it, and never a formula.
//!
//! A spreadsheet takes a cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return for a formula, and a name
//! of a metric may be one that somebody made for it. An apostrophe before it makes it text
//! (<https://owasp.org/www-community/attacks/CSV_Injection>). Numbers stay numbers.

/// Adds a cell of text.
pub fn push_csv_cell(out: &mut String, text: &str) {
    let mark = if needs_mark(text) { "'" } else { "" };
    if !text.contains(['"', ',', '\n', '\r']) {
        out.push_str(mark);
        return out.push_str(text);
    }
    out.push('"');
    out.push_str(mark);
    out.push_str(&text.replace('"', "\"\""));
    out.push('"');
}

/// The text of a cell that was written with an apostrophe before a formula; any other as it is.
pub fn without_formula_mark(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| needs_mark(text)).unwrap_or(cell)
}

/// True for the beginning of a formula that is no number. One that begins with apostrophes gets one more, so that all
/// can be read back.
fn needs_mark(text: &str) -> bool {
    let inner = text.trim_start_matches('\'');
    let is_number = inner.trim_end_matches('\'').parse::<f64>().is_ok();
    inner.starts_with(['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠']) && !is_number
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cell(text: &str) -> String {
        let mut out = String::new();
        push_csv_cell(&mut out, text);
        out
    }

    #[test]
    fn formulas_become_text_and_numbers_stay() {
        for (text, written) in [
            ("reward", "reward"),
            ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
            ("=HYPERLINK(\"http://x\",\"y\")", "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\""),
            ("+1+2", "'+1+2"),
            ("-2+3", "'-2+3"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\tx", "'\tx"),
            ("\rx", "\"'\rx\""),
            ("-0.5", "-0.5"),
            ("+1e-3", "+1e-3"),
            ("-Infinity", "-Infinity"),
            ("'=x", "''=x"),
            ("'quoted'", "'quoted'"),
            ("'-0.5'", "'-0.5'"),
            ("a,b \"c\"", "\"a,b \"\"c\"\"\""),
        ] {
            assert_eq!(cell(text), written);
        }
    }

    proptest! {
        #[test]
        fn every_text_is_read_back(text in "['=+@a1\\-\t]{0,6}") {
            let written = cell(&text);
            prop_assert_eq!(without_formula_mark(&written), &text);
            let is_number = written.trim_end_matches('\'').parse::<f64>().is_ok();
            prop_assert!(!written.starts_with(['=', '@', '\t']) && (!written.starts_with(['+', '-']) || is_number));
        }
    }
}
