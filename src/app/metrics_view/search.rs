//! Which metrics a search finds.

/// A search, ready to be matched.
///
/// Words match anywhere, without regard to the case of ASCII letters (the tables for all others would be a twentieth
/// of the page), and all must match. `*` stands for anything, and a word with one
/// matches the whole key: `train/*/mean`. A word that begins with `-` must not match. `a|b` matches either.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    words: Vec<Word>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    wanted: bool,
    choices: Vec<String>,
}

impl Search {
    /// Reads what the user typed.
    pub fn new(typed: &str) -> Self {
        let words = typed
            .split_whitespace()
            .filter_map(|word| {
                let (wanted, word) = match word.strip_prefix('-') {
                    Some(rest) => (false, rest),
                    None => (true, word),
                };
                let choices: Vec<String> =
                    word.split('|').filter(|choice| !choice.is_empty()).map(str::to_ascii_lowercase).collect();
                (!choices.is_empty()).then_some(Word { wanted, choices })
            })
            .collect();
        Self { words }
    }

    /// True when nothing is searched for: everything is found.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// True when the search finds `key`.
    pub fn finds(&self, key: &str) -> bool {
        if self.words.is_empty() {
            return true;
        }
        let key = key.to_ascii_lowercase();
        self.words.iter().all(|word| word.wanted == word.choices.iter().any(|choice| matches(choice, &key)))
    }
}

fn matches(choice: &str, key: &str) -> bool {
    if !choice.contains('*') {
        return key.contains(choice);
    }
    let mut parts = choice.split('*');
    let Some(mut rest) = parts.next().and_then(|start| key.strip_prefix(start)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let end = parts.pop().unwrap_or_default();
    // The earliest place for each part leaves the most for the next: no need to go back.
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(end)
}

/// The pattern of a search written as `/pattern/`.
pub fn pattern(typed: &str) -> Option<&str> {
    typed.trim().strip_prefix('/')?.strip_suffix('/').filter(|pattern| !pattern.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(typed: &str) -> Vec<&'static str> {
        let keys = ["train/reward", "train/reward_std", "train/completions/mean_length", "eval/Accuracy"];
        let search = Search::new(typed);
        keys.into_iter().filter(|key| search.finds(key)).collect()
    }

    #[test]
    fn words_match_anywhere_and_all_must() {
        assert_eq!(found(""), found("   "));
        assert_eq!(found("").len(), 4);
        assert_eq!(found("REWARD"), ["train/reward", "train/reward_std"]);
        assert_eq!(found("reward -std"), ["train/reward"]);
        assert_eq!(found("train length"), ["train/completions/mean_length"]);
        assert_eq!(found("accuracy|length"), ["train/completions/mean_length", "eval/Accuracy"]);
        assert_eq!(found("- |"), found(""));
    }

    #[test]
    fn a_star_stands_for_anything() {
        assert_eq!(found("*reward"), ["train/reward"]);
        assert_eq!(found("train/*/mean*"), ["train/completions/mean_length"]);
        assert_eq!(found("*"), found(""));
        assert_eq!(found("t*r*_*d"), ["train/reward_std"]);
        assert_eq!(found("a*b*c*d"), Vec::<&str>::new());
        assert_eq!(found("train/reward*reward"), Vec::<&str>::new(), "the two may not overlap");
    }

    #[test]
    fn a_pattern_stands_between_slashes() {
        assert_eq!(pattern(" /a|b/ "), Some("a|b"));
        for typed in ["/", "//", "train/", "/train"] {
            assert_eq!(pattern(typed), None, "{typed}");
        }
    }
}
