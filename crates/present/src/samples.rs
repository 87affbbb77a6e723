//! Completions beside a finding, ready to be shown: secrets out first, then cut, then in words.
//!
//! The texts are the model's: they are shown as text, never as markup.

use rundown_diagnose::samples::{CompletionGroup, Excerpt, Samples};
use rundown_format::{counted, number, percent, redact};

/// Characters shown of the beginning of a text, and of the end of a longer one.
const EXCERPT_CHARS: (usize, usize) = (400, 200);
/// Characters shown of the end of a prompt.
const PROMPT: usize = 240;

/// What the policy wrote: all of it, or its beginning and its end with a mark between them.
pub fn excerpt_text(excerpt: &Excerpt) -> String {
    let text = redact(&excerpt.text);
    if excerpt.end.is_empty() && text.chars().count() <= EXCERPT_CHARS.0 + EXCERPT_CHARS.1 {
        return plain(&text);
    }
    let end = if excerpt.end.is_empty() { text.clone() } else { redact(&excerpt.end) };
    let left_out = (excerpt.length as usize).saturating_sub(EXCERPT_CHARS.0 + EXCERPT_CHARS.1);
    let start: String = text.chars().take(EXCERPT_CHARS.0).collect();
    plain(&format!("{start}\n[… {left_out} characters left out …]\n{}", last(&end, EXCERPT_CHARS.1)))
}

/// The end of the prompt; empty where it is not logged.
pub fn prompt_end(excerpt: &Excerpt) -> String {
    let prompt = redact(&excerpt.prompt);
    let end = last(prompt.trim(), PROMPT);
    plain(&if end.len() < prompt.trim().len() { format!("… {end}") } else { end.to_owned() })
}

/// Step, length, scores and repetitions of a completion, such as `step 12 · 40 characters · reward 0.5`.
pub fn about(excerpt: &Excerpt) -> String {
    let mut wording = format!("step {} · {}", number(excerpt.step), counted(excerpt.length as usize, "character"));
    for (name, score) in &excerpt.scores {
        wording.push_str(&format!(" · {} {}", redact(name), number(*score)));
    }
    if !excerpt.repeated.is_empty() {
        wording.push_str(&format!(" · “{}” {} times", plain(&redact(&excerpt.repeated)), excerpt.times));
    }
    wording
}

/// Which steps a side is from, and how many completions were compared.
pub fn group_heading(group: &CompletionGroup) -> String {
    let (first, last) = group.steps;
    let steps = match first == last {
        true => format!("step {}", number(first)),
        false => format!("steps {} to {}", number(first), number(last)),
    };
    format!("{steps}, {} responses", group.compared)
}

/// What changed between the sides, a row each: what, before, after.
pub fn changes(samples: &Samples) -> Vec<[String; 3]> {
    let shown = |is_share: bool, value: f64| match (value.is_finite(), is_share) {
        (false, _) => String::new(),
        (true, true) => percent(value),
        (true, false) => number(value),
    };
    let measures = samples.measures.iter().map(|measure| {
        let [before, after] = [measure.before, measure.after].map(|value| shown(measure.is_share, value));
        [redact(&measure.name).into_owned(), before, after]
    });
    let phrases = samples.phrases.iter().map(|phrase| {
        [format!("texts with “{}”", plain(&redact(&phrase.text))), percent(phrase.before), percent(phrase.after)]
    });
    measures.chain(phrases).collect()
}

/// The last characters of a text.
fn last(text: &str, characters: usize) -> &str {
    let start = text.char_indices().rev().nth(characters.saturating_sub(1));
    start.and_then(|(start, _)| text.get(start..)).unwrap_or(text)
}

/// Line breaks and tabs stay; other control characters, and those that reorder a line, become spaces.
fn plain(text: &str) -> String {
    let is_odd = |c: char| {
        c.is_control() && c != '\n' && c != '\t' || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.replace("\r\n", "\n").replace(is_odd, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(text: &str) -> Excerpt {
        Excerpt {
            step: 12.0,
            prompt: "1+1=".to_owned(),
            text: text.to_owned(),
            end: String::new(),
            length: text.chars().count() as u32,
            repeated: String::new(),
            times: 0,
            scores: vec![("reward".to_owned(), 0.5)],
        }
    }

    #[test]
    fn a_long_text_shows_both_ends_and_says_what_is_missing() {
        let long = format!("{}{}", "a ".repeat(500), "z".repeat(200));
        let shown = excerpt_text(&excerpt(&long));
        assert!(shown.contains("\n[… 600 characters left out …]\nzzz") && shown.starts_with("a a "), "{shown}");
        assert_eq!(excerpt_text(&excerpt("short\r\n\u{1b}[1mtext\u{202e}")), "short\n [1mtext ");
        let kept = Excerpt { end: "y".repeat(2_000), length: 9_000, ..excerpt(&long) };
        assert!(excerpt_text(&kept).ends_with(&"y".repeat(200)) && excerpt_text(&kept).contains("8400 characters"));
    }

    #[test]
    fn secrets_go_before_the_cut() {
        let secret = "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH";
        // The cut goes through the secret.
        let text = format!("{}{secret}{}", "x ".repeat(195), " y".repeat(400));
        let excerpt = Excerpt { prompt: format!("{secret} and {}", "q ".repeat(100)), ..excerpt(&text) };
        for shown in [excerpt_text(&excerpt), prompt_end(&excerpt)] {
            assert!(!shown.contains("abcdef") && !shown.contains("ABCD"), "{shown}");
        }
    }

    #[test]
    fn a_completion_in_words() {
        let looping = Excerpt { repeated: "so it is so".to_owned(), times: 7, ..excerpt("x") };
        assert_eq!(about(&looping), "step 12 · 1 character · reward 0.5 · “so it is so” 7 times");
        assert_eq!(prompt_end(&looping), "1+1=");
        assert!(prompt_end(&Excerpt { prompt: "p".repeat(900), ..looping }).starts_with("… ppp"));
    }
}
