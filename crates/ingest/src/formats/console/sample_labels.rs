//! Lines that introduce a part of a sample, such as `Question: …` or `GT Answer: 12`: numbers printed between them are of
//! that one sample.

/// Last words of such labels; lower case.
const LABELS: [&str; 12] = [
    "question", "prompt", "completion", "generation", "answer", "response", "truth", "extracted", "output", "user",
    "assistant", "solution",
];
/// Most words of a label, and most bytes.
const MAX_WORDS: usize = 3;
const MAX_LABEL: usize = 60;

/// True for a line that begins with the label of a part of a sample.
pub(super) fn is_sample_label(line: &str) -> bool {
    let Some((label, _)) = line.split_once(':') else { return false };
    if label.len() > MAX_LABEL {
        return false;
    }
    let words: Vec<&str> = label.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let last = words.last().copied().unwrap_or_default();
    words.len() <= MAX_WORDS && LABELS.iter().any(|known| known.eq_ignore_ascii_case(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_samples_are_known() {
        for line in ["Question: what is", "------- Question:", "GT Answer:  12", "**Response:** x", "user: hi"] {
            assert!(is_sample_label(line), "{line}");
        }
        for line in
            ["Metrics: {'reward': 1.0}", "Generation KL Error: 0.1", "reward: 0.5", "Answer", "Mean response length: 3"]
        {
            assert!(!is_sample_label(line), "{line}");
        }
    }
}
