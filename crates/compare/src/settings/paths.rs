//! Texts that say where something lies.

/// Beginnings of paths.
const ROOTS: [&str; 4] = ["/", "~", "./", "../"];

/// True for a path or an address. `owner/model` is a name, and a prompt with tags or words is a text, whatever slashes it
/// holds.
pub(crate) fn is_path(text: &str) -> bool {
    let is_of_windows = text.starts_with(r"\\") || text.get(1..3) == Some(r":\");
    if is_of_windows || ROOTS.iter().any(|root| text.starts_with(root)) {
        return !text.contains('\n');
    }
    let is_word = !text.contains(|letter: char| letter.is_whitespace() || matches!(letter, '<' | '>'));
    is_word && (text.contains("://") || text.matches('/').count() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_addresses_are_told_from_names_and_prompts() {
        for path in ["/data/a", "~/a", "./a", "../a b/c", r"C:\a", r"\\host\a", "s3://a/b", "https://a", "a/b/c"] {
            assert!(is_path(path), "{path}");
        }
        let prompt = "Think first: <think>...</think><answer>...</answer>";
        for text in [
            "Qwen/Qwen2.5-0.5B",
            "adam",
            prompt,
            "<think></think><answer></answer>",
            r"answer is (\d+)",
            "yes / no / maybe",
            "",
        ] {
            assert!(!is_path(text), "{text}");
        }
    }
}
