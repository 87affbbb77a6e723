//! Counts and the words around them.

use super::tick::grouped;

/// A count and its noun, whose plural has an s: `1 run`, `27 runs`, `12,040 files`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(&count.to_string()), plural(count, "", "s"))
}

/// The form of a word that goes with a count: `plural(1, "is", "are")` is `is`.
pub fn plural<'w>(count: usize, one: &'w str, many: &'w str) -> &'w str {
    if count == 1 { one } else { many }
}

/// A sentence or name to stand within another: abbreviations, such as KL, and names stay as they are.
pub fn lower_first(text: &str) -> String {
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
    fn one_is_no_plural() {
        assert_eq!(
            [0, 1, 27, 12_040].map(|count| counted(count, "run")),
            ["0 runs", "1 run", "27 runs", "12,040 runs"]
        );
        let names = ["Reward break", "KL blow-up", "Elo stagnant", "A gain"].map(lower_first);
        assert_eq!(names, ["reward break", "KL blow-up", "Elo stagnant", "a gain"]);
    }
}
