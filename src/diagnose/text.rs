//! Numbers as they stand in the sentences of a finding.

/// Three significant digits; powers of ten below 0.001 and from a million on: `0.0123`, `6.1`, `1e-7`.
pub(crate) fn num(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    let decade = libm::floor(libm::log10(size));
    if !(-3.0..6.0).contains(&decade) {
        return short_power(value);
    }
    let decimals = (2.0 - decade).clamp(0.0, 6.0) as usize;
    let text = format!("{value:.decimals$}");
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A share as a whole percentage: `91 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// A step: whole where it is whole.
pub(crate) fn step(value: f64) -> String {
    if value == value.round() { format!("{value:.0}") } else { num(value) }
}

/// As a power of ten: `1e-3`, `3.33e-5`.
pub(crate) fn short_power(value: f64) -> String {
    let text = format!("{value:.2e}");
    match text.split_once('e') {
        Some((mantissa, power)) => {
            let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
            format!("{mantissa}e{power}")
        }
        None => text,
    }
}

/// A sentence or name to stand within another: abbreviations, such as KL, and names stay as they are.
pub(crate) fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() && !text.starts_with("Elo ") => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let expected = [
            (0.0, "0"),
            (0.484375, "0.484"),
            (6.1, "6.1"),
            (1927.3, "1927"),
            (1e-7, "1e-7"),
            (3.3e-4, "3.3e-4"),
            (0.0123, "0.0123"),
            (-2.5, "-2.5"),
            (1e6, "1e6"),
            (f64::NAN, "NaN"),
        ];
        for (value, text) in expected {
            assert_eq!(num(value), text);
        }
        assert_eq!(step(31.0), "31");
        assert_eq!(step(10.25), "10.2");
        assert_eq!(percent(0.914), "91 %");
        let names = ["Reward break", "KL blow-up", "Elo stagnant", "A gain"].map(lower_first);
        assert_eq!(names, ["reward break", "KL blow-up", "Elo stagnant", "a gain"]);
    }
}
