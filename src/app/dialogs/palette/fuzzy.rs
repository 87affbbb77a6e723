//! How well letters match a text: they must stand in it in their order, and count more at the start of a word and beside
//! each other, so that `arhk` finds "amber-07: reward hacking" and `tk` finds `train/kl` before `truncated/kind`.

/// For a letter that begins a word.
const WORD_START: i32 = 10;
/// For a letter right behind the one before.
const NEIGHBOUR: i32 = 6;
/// For each letter.
const LETTER: i32 = 1;
/// Off for each letter that is passed over between two, at most.
const MAX_GAP: i32 = 5;
/// For a text that is what was typed.
const WHOLE: i32 = 20;

/// A score, the higher the better; `None` where some word of `query` does not match. An empty query matches all alike.
pub fn score(query: &str, text: &str) -> Option<i32> {
    let text: Vec<char> = text.chars().collect();
    let lower: Vec<char> = text.iter().map(|letter| letter.to_ascii_lowercase()).collect();
    let mut total = 0;
    for word in query.split_whitespace() {
        let word: Vec<char> = word.chars().map(|letter| letter.to_ascii_lowercase()).collect();
        total += best(&word, &text, &lower)?;
        if word == lower {
            total += WHOLE;
        }
    }
    // Of two that match alike the shorter one is closer.
    Some(total * 100 - i32::try_from(text.len().min(99)).unwrap_or_default())
}

/// The places of the best texts for a query, at most `most`, the best first; equal ones in their order.
pub fn ranked<'t>(query: &str, texts: impl Iterator<Item = &'t str>, most: usize) -> Vec<usize> {
    let mut found: Vec<(i32, usize)> = Vec::new();
    for (index, text) in texts.enumerate() {
        if let Some(score) = if query.trim().is_empty() { Some(0) } else { score(query, text) } {
            let at = found.partition_point(|(known, _)| *known >= score);
            if at < most {
                found.insert(at, (score, index));
                found.truncate(most);
            }
        }
    }
    found.into_iter().map(|(_, index)| index).collect()
}

/// The best of the matches that begin at each place of the first letter.
fn best(word: &[char], text: &[char], lower: &[char]) -> Option<i32> {
    let first = word.first()?;
    let starts = lower.iter().enumerate().filter(|(_, letter)| *letter == first).map(|(index, _)| index);
    starts.filter_map(|start| matched(word, text, lower, start)).max()
}

/// The match that begins at `start` and prefers, letter by letter, the next one, then the next start of a word.
fn matched(word: &[char], text: &[char], lower: &[char], start: usize) -> Option<i32> {
    let mut score = LETTER + if is_word_start(text, start) { WORD_START } else { 0 };
    let mut at = start;
    for letter in word.iter().skip(1) {
        let is_here = |index: usize| lower.get(index) == Some(letter);
        if is_here(at + 1) {
            at += 1;
            score += LETTER + NEIGHBOUR;
            continue;
        }
        let mut indexes = (at + 1..lower.len()).filter(|index| is_here(*index));
        let nearest = indexes.next()?;
        let next = std::iter::once(nearest).chain(indexes).find(|index| is_word_start(text, *index));
        let to = next.unwrap_or(nearest);
        let gap = i32::try_from(to - at - 1).unwrap_or(MAX_GAP).min(MAX_GAP);
        score += LETTER - gap + if next.is_some() { WORD_START } else { 0 };
        at = to;
    }
    Some(score)
}

/// True for a letter behind none, behind a separator, and for a capital behind a small letter.
fn is_word_start(text: &[char], index: usize) -> bool {
    let before = index.checked_sub(1).and_then(|before| text.get(before));
    let here = text.get(index);
    match (before, here) {
        (None, _) => true,
        (Some(before), Some(here)) => !before.is_alphanumeric() || (before.is_lowercase() && here.is_uppercase()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(query: &str, texts: &[&'static str]) -> &'static str {
        let index = ranked(query, texts.iter().copied(), 1);
        index.first().map_or("", |index| texts[*index])
    }

    #[test]
    fn letters_match_in_their_order() {
        assert!(score("tkl", "train/kl").is_some());
        assert!(score("KL", "train/kl").is_some() && score("kl", "train/KL").is_some());
        assert!(score("lk", "train/kl").is_none());
        assert!(score("amber hack", "reward hacking in amber-07").is_some(), "words in any order");
        assert!(score("amber x", "amber-07").is_none());
        assert!(score("über", "Über-run").is_none() || score("ber", "Über-run").is_some());
    }

    #[test]
    fn starts_of_words_and_neighbours_win() {
        assert_eq!(first("tk", &["truncated_kind_of", "train/kl", "stack"]), "train/kl");
        assert_eq!(first("reward", &["penalised reward falling", "reward", "reward_std"]), "reward");
        assert_eq!(first("am7", &["alarm-17", "amber-07", "amber-17"]), "amber-07");
        assert_eq!(first("met", &["Show comments", "Metrics"]), "Metrics");
        assert_eq!(first("cf", &["Choose a folder", "Copy format"]), "Copy format");
    }

    #[test]
    fn at_most_so_many_are_given_and_equal_ones_stay() {
        let texts: Vec<String> = (0..200).map(|run| format!("run-{run:03}")).collect();
        let found = ranked("run", texts.iter().map(String::as_str), 50);
        assert_eq!(found, (0..50).collect::<Vec<_>>());
        assert_eq!(ranked("", texts.iter().map(String::as_str), 3), [0, 1, 2]);
        assert!(ranked("xyz", texts.iter().map(String::as_str), 3).is_empty());
    }
}
