//! Metric keys within our own sentences, and words that several sections use.

use crate::format::number;
use crate::vocabulary::Bindings;

/// Puts metric keys between backticks in a sentence that has none. A key that could be a word (`reward`) stays one.
pub(super) fn marked(sentence: &str, bindings: &Bindings) -> String {
    if sentence.contains('`') {
        return sentence.to_owned();
    }
    let is_key = |word: &str| word.contains(['/', '_']) && bindings.iter().any(|binding| binding.key == word);
    let words = sentence.split(' ').map(|word| {
        let bare = word.trim_end_matches([',', '.', ':', ';']);
        match word.strip_prefix(bare).filter(|_| is_key(bare)) {
            Some(after) => format!("`{bare}`{after}"),
            None => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// `1 check`, `3 checks`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A large count: `1.152 billion`, `794.7 million`, and smaller ones in full.
pub(super) fn large(count: f64) -> String {
    match count.abs() {
        size if size >= 1e9 => format!("{} billion", number(count / 1e9)),
        size if size >= 1e6 => format!("{} million", number(count / 1e6)),
        _ => number(count.round()),
    }
}

/// A limit as it is said: `> 0.2` is `above 0.2`. HTML's signs would only be read as entities in plain text.
pub(super) fn limit(threshold: &str) -> String {
    let said = threshold.replace(" > ", " above ").replace(" < ", " below ");
    match (said.strip_prefix("> "), said.strip_prefix("< ")) {
        (Some(rest), _) => format!("above {rest}"),
        (_, Some(rest)) => format!("below {rest}"),
        _ => said,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::{Binding, Concept, Direction, Scale, Unit};

    #[test]
    fn keys_are_marked_and_words_are_not() {
        let mut bindings = Bindings::default();
        for (concept, key) in [(Concept::Evaluation, "eval/accuracy"), (Concept::Reward, "reward")] {
            let (unit, scale, direction) = (Unit::Plain, Scale::One, Direction::Up);
            let why = String::new();
            bindings.push(Binding { concept, key: key.to_owned(), unit, scale, direction, name: None, why });
        }
        assert_eq!(marked("eval/accuracy: the reward rose", &bindings), "`eval/accuracy`: the reward rose");
        assert_eq!(marked("`x` and eval/accuracy", &bindings), "`x` and eval/accuracy");
    }

    #[test]
    fn limits_are_words() {
        assert_eq!(limit("> 0.2 (rulebook)"), "above 0.2 (rulebook)");
        assert_eq!(limit("< 5e-8 or > 0.001"), "below 5e-8 or above 0.001");
        assert_eq!(limit("none"), "none");
        assert_eq!(
            [large(1.152e9), large(794_716_050.0), large(195_873.4)],
            ["1.152 billion", "794.7 million", "195873"]
        );
    }
}
