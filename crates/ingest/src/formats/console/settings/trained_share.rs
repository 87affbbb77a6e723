//! How much of a model is trained, as PEFT and Unsloth print it: an adapter where it is a small part.
//!
//! Logs often say nothing else of an adapter, and learning rates of adapters are ten to a hundred times those of whole models.

use crate::syntax::json::Json;

/// What PEFT and Unsloth write before the trained number and before the number of all parameters.
const PHRASES: [(&str, &str); 2] = [("trainable params: ", "|| all params: "), ("Trainable parameters = ", " of ")];
/// A larger part than this is no adapter. Ours: adapters of every rank train less than a tenth.
const LARGEST_ADAPTER: f64 = 0.5;

/// `use_peft` as settings have it; `None` for any other line.
pub(super) fn adapter(line: &str) -> Option<(String, Json)> {
    // Most lines are spared the closer look.
    if !line.contains("rainable param") {
        return None;
    }
    let (trained, all) = PHRASES.iter().find_map(|(before, between)| {
        let (_, rest) = line.split_once(before)?;
        let (trained, all) = rest.split_once(between)?;
        Some((number(trained)?, number(all)?))
    })?;
    (all > 0.0).then(|| ("use_peft".to_owned(), Json::Bool(trained < LARGEST_ADAPTER * all)))
}

/// The number that a text begins with, with commas between thousands.
fn number(text: &str) -> Option<f64> {
    let is_part = |letter: char| letter.is_ascii_digit() || letter == ',';
    let end = text.find(|letter| !is_part(letter)).unwrap_or(text.len());
    text.get(..end)?.replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_trained_part_is_an_adapter() {
        let of = |line| adapter(line).map(|(_, value)| value == Json::Bool(true));
        assert_eq!(of("trainable params: 20,185,088 || all params: 7,635,801,600 || trainable%: 0.2643"), Some(true));
        assert_eq!(of("\\        /    Trainable parameters = 18,464,768 of 1,562,179,072 (1.18% trained)"), Some(true));
        assert_eq!(of("trainable params: 1,562,179,072 || all params: 1,562,179,072 || trainable%: 100"), Some(false));
        for line in ["trainable params: none", "Trainable parameters = x of y", "step: 1 - reward: 0.5", ""] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
