//! Secrets that are known by the name that they are assigned to.

use std::ops::Range;

use super::{REDACTED, is_mixed, run_of};

/// Longest name looked at before a sign of assignment.
const LONGEST_NAME: usize = 128;

/// Ends of a name that say that a password follows, however short.
const PASSWORDS: [&str; 6] = ["password", "passwd", "passphrase", "secret", "secrets", "pwd"];

/// Ends of a name that may say so.
const KEYS: [&str; 4] = ["key", "token", "credential", "credentials"];

/// Words before `key` and `token` that leave no doubt.
const ACCESS_WORDS: [&str; 24] = [
    "access",
    "admin",
    "api",
    "auth",
    "aws",
    "bearer",
    "client",
    "encryption",
    "gh",
    "git",
    "github",
    "hf",
    "hub",
    "huggingface",
    "id",
    "license",
    "openai",
    "private",
    "refresh",
    "session",
    "signing",
    "ssh",
    "wandb",
    "x",
];

/// Words before `key` and `token` that name a column or a special token of a vocabulary.
const HARMLESS_WORDS: [&str; 48] = [
    "answer",
    "assistant",
    "audio",
    "bos",
    "chosen",
    "class",
    "cls",
    "column",
    "content",
    "dict",
    "end",
    "eos",
    "fn",
    "foreign",
    "group",
    "image",
    "index",
    "input",
    "label",
    "mask",
    "max",
    "message",
    "messages",
    "metric",
    "min",
    "new",
    "next",
    "output",
    "pad",
    "primary",
    "prompt",
    "query",
    "rejected",
    "response",
    "reward",
    "role",
    "sep",
    "sort",
    "start",
    "step",
    "stop",
    "target",
    "text",
    "think",
    "tool",
    "unk",
    "user",
    "video",
];

/// True when a setting of this name should hide its value.
pub(super) fn is_secret(name: &str) -> bool {
    let words = words_of(name);
    let Some((last, before)) = words.split_last() else { return false };
    let harmless = before.last().is_some_and(|word| HARMLESS_WORDS.contains(&word.as_str()));
    let ends = |ends: &[&str]| ends.iter().any(|end| last.ends_with(end));
    ends(&PASSWORDS) || (ends(&KEYS) && !harmless)
}

/// True when even a short number under this name is a secret.
pub(super) fn is_password(name: &str) -> bool {
    words_of(name).last().is_some_and(|last| PASSWORDS.iter().any(|end| last.ends_with(end)))
}

/// How sure a name makes us that a secret follows in running text.
#[derive(PartialEq)]
enum Suspicion {
    None,
    /// Only when the value looks random.
    Some,
    Certain,
}

fn suspicion(name: &str) -> Suspicion {
    let words = words_of(name);
    let Some((last, before)) = words.split_last() else { return Suspicion::None };
    if PASSWORDS.iter().any(|end| last.ends_with(end)) {
        return Suspicion::Certain;
    }
    if !KEYS.iter().any(|end| last.ends_with(end)) {
        return Suspicion::None;
    }
    let is_access = |word: &str| ACCESS_WORDS.contains(&word);
    let joined = KEYS.iter().find_map(|end| last.strip_suffix(end));
    match before.last() {
        _ if joined.is_some_and(is_access) => Suspicion::Certain,
        Some(word) if is_access(word) => Suspicion::Certain,
        Some(word) if HARMLESS_WORDS.contains(&word.as_str()) => Suspicion::None,
        _ => Suspicion::Some,
    }
}

/// Words of the last part of a dotted or slashed name, in lower case: `model.hubToken` gives `hub`, `token`.
fn words_of(name: &str) -> Vec<String> {
    let last = name.rsplit(['.', '/']).next().unwrap_or(name);
    let mut words: Vec<String> = Vec::new();
    let mut previous = '_';
    for character in last.chars() {
        let new_word = !previous.is_alphanumeric() || (character.is_uppercase() && previous.is_lowercase());
        previous = character;
        if !character.is_alphanumeric() {
            continue;
        }
        if new_word {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(character.to_lowercase());
        }
    }
    words
}

pub(super) fn find(text: &str, secrets: &mut Vec<Range<usize>>) {
    assignments(text, secrets);
    flags(text, secrets);
    headers(text, secrets);
}

/// `name=value`, `name: value`, `"name": "value"`, `name => 'value'`.
fn assignments(text: &str, secrets: &mut Vec<Range<usize>>) {
    let mut done = 0;
    for (sign, _) in text.match_indices([':', '=']) {
        if sign < done {
            continue;
        }
        let suspicion = suspicion(name_before(text, sign));
        if suspicion == Suspicion::None {
            continue;
        }
        let after = text.get(sign..).unwrap_or_default();
        let skipped = run_of(after, |c| matches!(c, ':' | '=' | '>' | ' ' | '\t'));
        if let Some(value) = value_at(text, sign + skipped.len(), suspicion) {
            done = value.end;
            secrets.push(value);
        }
    }
}

/// `--name value`, also as a printed list of arguments: `'--name', 'value'`.
fn flags(text: &str, secrets: &mut Vec<Range<usize>>) {
    for (start, _) in text.match_indices("--") {
        let name_start = start + 2;
        let name = run_of(text.get(name_start..).unwrap_or_default(), is_name);
        if name.len() > LONGEST_NAME || !is_secret(name) {
            continue;
        }
        let name_end = name_start + name.len();
        let gap = run_of(text.get(name_end..).unwrap_or_default(), |c| matches!(c, ' ' | '\t' | ',' | '\'' | '"'));
        // The value's own opening quote belongs to the value.
        let value_start = name_end + gap.trim_end_matches(['\'', '"']).len();
        let value = value_at(text, value_start, Suspicion::Certain);
        let unquoted = text.get(name_end + gap.len()..).unwrap_or_default();
        if let Some(value) = value.filter(|_| !gap.is_empty() && !unquoted.starts_with('-')) {
            secrets.push(value);
        }
    }
}

/// `Bearer …`, and whatever follows `Authorization: Basic`, also between quotes as a printed dictionary has it.
fn headers(text: &str, secrets: &mut Vec<Range<usize>>) {
    let lower = text.to_ascii_lowercase();
    for scheme in ["bearer ", "basic ", "token ", "apikey "] {
        for (start, _) in lower.match_indices(scheme) {
            let before = lower.get(..start).unwrap_or_default();
            let before = before.trim_end_matches([' ', '\t', ':', '=', '"', '\'', '\\', ',', '(']);
            let telling = before.ends_with("authorization");
            if !telling && scheme != "bearer " {
                continue;
            }
            let value_start = start + scheme.len();
            let value = run_of(text.get(value_start..).unwrap_or_default(), |c| {
                c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~' | '+' | '/' | '=')
            });
            if telling || value.len() >= 16 || (value.len() >= 8 && is_mixed(value)) {
                secrets.push(value_start..value_start + value.len());
            }
        }
    }
    secrets.retain(|secret| !secret.is_empty());
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '.')
}

/// The name that ends before `sign`, its quotes and a space or two left out.
fn name_before(text: &str, sign: usize) -> &str {
    let before = text.get(..sign).unwrap_or_default();
    let before = before.trim_end_matches([' ', '\t']).trim_end_matches(['"', '\'', '`', '\\']);
    let length: usize = before.chars().rev().take(LONGEST_NAME).take_while(|c| is_name(*c)).map(char::len_utf8).sum();
    before.get(before.len() - length..).unwrap_or_default()
}

/// Where the value that starts at `start` lies, if it is worth hiding.
fn value_at(text: &str, start: usize, suspicion: Suspicion) -> Option<Range<usize>> {
    let rest = text.get(start..)?;
    let escapes = run_of(rest, |c| c == '\\');
    let quote = rest.get(escapes.len()..)?.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let (value_start, value) = match quote {
        Some(quote) => {
            let value_start = start + escapes.len() + 1;
            let inside = text.get(value_start..)?;
            (value_start, run_of(inside, |c| c != quote && c != '\n').trim_end_matches('\\'))
        }
        None => (
            start,
            run_of(rest, |c| !c.is_whitespace() && !matches!(c, ',' | ';' | '&' | '"' | '\'' | '`' | '}' | ']')),
        ),
    };
    let value = if quote.is_none() { value.trim_end_matches(')') } else { value };
    let hides = match suspicion {
        Suspicion::None => false,
        Suspicion::Some => is_random(value),
        Suspicion::Certain => !is_literal(value),
    };
    let already = value.is_empty() || value.starts_with(REDACTED.trim_end_matches(')'));
    if hides && !already { Some(value_start..value_start + value.len()) } else { None }
}

fn is_random(value: &str) -> bool {
    value.len() >= 12 && is_mixed(value) && value.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '/' | '<' | '('))
}

fn is_literal(value: &str) -> bool {
    matches!(value, "null" | "None" | "none" | "true" | "false" | "True" | "False" | "{" | "[" | "...")
}
