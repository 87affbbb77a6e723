//! Putting the key that there is in place of one that no run has.

/// The query with every `unknown` that stands as a word of its own replaced.
pub fn with_key(query: &str, unknown: &str, known: &str) -> String {
    if unknown.is_empty() {
        return query.to_owned();
    }
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | '/');
    let mut repaired = String::new();
    let mut rest = query;
    while let Some((before, after)) = rest.split_once(unknown) {
        let stands_alone = !before.ends_with(is_part) && !after.starts_with(is_part);
        repaired.push_str(before);
        repaired.push_str(if stands_alone { known } else { unknown });
        rest = after;
    }
    repaired.push_str(rest);
    repaired
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_keys_alone_are_replaced() {
        let repaired = with_key("config.lr > 1 and config.lr_end < config.lr", "config.lr", "config.learning_rate");
        assert_eq!(repaired, "config.learning_rate > 1 and config.lr_end < config.learning_rate");
        assert_eq!(with_key("(lr>1)", "lr", "learning_rate"), "(learning_rate>1)");
        assert_eq!(with_key("a.lr > 1", "lr", "x"), "a.lr > 1");
        assert_eq!(with_key("lr > 1", "", "x"), "lr > 1");
    }
}
