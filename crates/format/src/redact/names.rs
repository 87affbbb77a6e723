//! Names that say that a secret follows: of settings, variables, flags and headers.

/// How sure a name makes us that a secret follows in running text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Suspicion {
    None,
    /// Only when the value looks random.
    Some,
    /// Unless the value is a number, or a word that is no secret.
    Likely,
    Certain,
}

/// Ends of a name that say that a password follows, however short.
const PASSWORDS: [&str; 8] =
    ["password", "passwd", "passphrase", "passcode", "secret", "secrets", "pwd", "authorization"];

/// Ends of a name that may say so.
const KEYS: [&str; 2] = ["key", "token"];

/// Whole last words of a name after which something random is a secret.
const VAGUE: &[&str] = &["auth", "creds", "dsn", "keys", "login", "pat", "sig", "signature", "sid"];

/// Whole last words that say so, unless the value is a number or a path.
const LIKELY: [&str; 5] = ["pass", "credential", "credentials", "cookie", "cookies"];

/// Words before `pass` that make it a round, a count or a test that went well.
const HARMLESS_PASSES: &[&str] = &[
    "all", "backward", "bwd", "eval", "first", "forward", "fwd", "high", "low", "max", "mean", "min", "model", "multi",
    "n", "num", "one", "second", "single", "test", "tests", "train", "two", "val", "warmup",
];

/// Words before `key` and `token` that leave no doubt.
const ACCESS_WORDS: &[&str] = &[
    "access", "account", "admin", "anthropic", "api", "app", "auth", "aws", "azure", "bearer", "bot", "client",
    "comet", "consumer", "csrf", "deploy", "encryption", "gh", "git", "github", "gitlab", "google", "hf", "hub",
    "huggingface", "id", "jwt", "license", "master", "mistral", "neptune", "oauth", "openai", "personal", "private",
    "push", "refresh", "registry", "security", "service", "session", "shared", "signing", "slack", "ssh", "storage",
    "subscription", "swanlab", "telegram", "wandb", "webhook", "x", "xsrf",
];

/// Words before `key` and `token` that name a column or a special token of a vocabulary.
const HARMLESS_WORDS: &[&str] = &[
    "answer", "assistant", "attention", "audio", "batch", "bos", "cache", "chosen", "class", "cls", "column", "config",
    "content", "data", "dataset", "dict", "end", "eos", "eot", "experiment", "first", "fn", "foreign", "group",
    "image", "index", "input", "item", "label", "last", "mask", "max", "message", "messages", "metric", "min", "model",
    "new", "next", "output", "pad", "per", "primary", "problem", "project", "prompt", "query", "question", "rejected",
    "response", "reward", "role", "run", "sep", "solution", "sort", "special", "start", "step", "stop", "system",
    "target", "task", "text", "think", "tool", "truth", "unk", "user", "video",
];

/// True when a setting of this name should hide its value.
pub(super) fn is_secret(name: &str) -> bool {
    let [last, previous, _] = last_words(name);
    let harmless = is_one_of(previous, HARMLESS_WORDS);
    is_password_word(last)
        || matches!(suspicion(name), Suspicion::Likely | Suspicion::Certain)
        || (KEYS.iter().any(|end| before_end(last, end).is_some()) && !harmless)
}

/// True when even a short number under this name is a secret.
pub(super) fn is_password(name: &str) -> bool {
    is_password_word(last_word(name))
}

pub(super) fn suspicion(name: &str) -> Suspicion {
    let [last, previous, third] = last_words(name);
    // `bot_token_2` and `api_key1`: the number says only that there are more of them.
    let (last, previous) = if is_number(last) { (previous, third) } else { (last, previous) };
    let last = last.trim_end_matches(|character: char| character.is_ascii_digit());
    if last.len() < 3 {
        return Suspicion::None;
    }
    if is_password_word(last) {
        return Suspicion::Certain;
    }
    let is = |word: &str| last.eq_ignore_ascii_case(word);
    if is("pass") && is_one_of(previous, HARMLESS_PASSES) {
        return Suspicion::None;
    }
    if LIKELY.iter().any(|word| is(word)) {
        return Suspicion::Likely;
    }
    if is_one_of(last, VAGUE) {
        return Suspicion::Some;
    }
    match KEYS.iter().find_map(|end| before_end(last, end)) {
        None => Suspicion::None,
        Some(joined) if is_one_of(joined, ACCESS_WORDS) || is_one_of(previous, ACCESS_WORDS) => Suspicion::Certain,
        Some(_) if is_one_of(previous, HARMLESS_WORDS) => Suspicion::None,
        Some(_) => Suspicion::Some,
    }
}

fn is_password_word(word: &str) -> bool {
    PASSWORDS.iter().any(|end| before_end(word, end).is_some())
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    !word.is_empty() && words.iter().any(|other| word.eq_ignore_ascii_case(other))
}

/// What stands before the end of a word, if it ends so in any case.
fn before_end<'w>(word: &'w str, end: &str) -> Option<&'w str> {
    let (start, tail) = word.split_at_checked(word.len().checked_sub(end.len())?)?;
    tail.eq_ignore_ascii_case(end).then_some(start)
}

/// The last word of a name.
pub(super) fn last_word(name: &str) -> &str {
    last_words(name).first().copied().unwrap_or_default()
}

/// The last three words, the last one first, of the last part of a dotted or slashed name: `model.hubToken` gives
/// `Token` and `hub`.
fn last_words(name: &str) -> [&str; 3] {
    let mut rest = name.rsplit(['.', '/']).next().unwrap_or(name);
    let mut words = [""; 3];
    for word in &mut words {
        rest = rest.trim_end_matches(|c: char| !c.is_alphanumeric());
        let mut start = rest.len();
        let mut later = None;
        for (place, character) in rest.char_indices().rev() {
            // A capital after a small letter begins a word.
            let begins = later.is_some_and(char::is_uppercase) && character.is_lowercase();
            if !character.is_alphanumeric() || begins {
                break;
            }
            start = place;
            later = Some(character);
        }
        *word = rest.get(start..).unwrap_or_default();
        rest = rest.get(..start).unwrap_or_default();
    }
    words
}
