//! Parts of the names of runs that are no settings.

/// Months, as names with a date begin: TensorBoard's default folders are named `Jun17_12-30-45_host`.
pub const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A name without what was put behind it to tell it from an equal one, an id or a file: `kl0.05 (6wdskn95)` gives `kl0.05`.
pub fn without_mark(name: &str) -> &str {
    name.strip_suffix(')').and_then(|name| name.rsplit_once(" (")).map_or(name, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_the_last_part_in_parentheses() {
        for (name, bare) in [
            ("kl0.05 (6wdskn95)", "kl0.05"),
            ("base (2) (logs/a.csv)", "base (2)"),
            ("base(2)", "base(2)"),
            ("base (2) tuned", "base (2) tuned"),
            ("", ""),
        ] {
            assert_eq!(without_mark(name), bare, "{name}");
        }
    }
}
