//! Redaction: a planted key never survives, and redacting twice changes nothing more.

use rundown_format::redact;

/// Keys of services in the forms that they are documented to have; made up.
const KEYS: [&str; 8] = [
    "wandb_v1_AbCdEf0123456789ghIJKLmnop_qrstuvwxyzABCD",
    "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH",
    "sk-proj-abc123DEF456ghi789JKL012mno345",
    "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "github_pat_11ABCDEFG0123456789_abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ",
    "AKIAIOSFODNN7EXAMPLE",
    "glpat-AbCdEfGhIjKlMnOpQrSt",
    "xoxb-123456789012-123456789012-abcdefghijklmnopqrstuvwx",
];

/// The input as text, with a key planted where its first bytes say.
pub fn redaction(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    twice_is_once(&text);
    let (Some(first), Some(second)) = (input.first(), input.get(1)) else { return };
    let key = KEYS[usize::from(*first) % KEYS.len()];
    // The fuzzer learns the keys. One that it wrote directly behind a letter is not redacted, and need not be.
    if text.contains(key) {
        return;
    }
    let characters: Vec<(usize, char)> = text.char_indices().collect();
    let at = characters[usize::from(*second) % characters.len()].0;
    let (before, after) = text.split_at(at);
    for (left, right) in [(" ", " "), ("\"", "\""), ("=", "\n"), (": '", "',")] {
        let planted = format!("{before}{left}{key}{right}{after}");
        let clean = twice_is_once(&planted);
        assert!(!clean.contains(key), "{key} survives in {planted:?}: {clean:?}");
    }
}

fn twice_is_once(text: &str) -> String {
    let once = redact(text).into_owned();
    assert_eq!(redact(&once), once, "redacting twice, of {text:?}");
    once
}
