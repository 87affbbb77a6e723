//! Secrets out of everything that is shown or written: config, log lines, titles, messages.
//!
//! A report is made to be sent to other people, and configs and logs hold keys more often than anybody thinks. What has
//! the shape of a key goes; what may be the hash of a commit or of a file is judged by the words around it. The rules
//! are tables ([`prefixes`], [`services`], [`names`], [`urls`]) with the source of each shape beside it; they are
//! measured against gitleaks' own samples and against harmless strings of the field (`tests/report/recall.rs`).

mod blocks;
mod commands;
mod encoded;
mod escapes;
mod headers;
mod hex;
mod key_lines;
mod named;
mod names;
mod people;
mod prefixes;
mod runs;
mod services;
mod shapes;
#[cfg(test)]
mod tests;
mod urls;

use std::borrow::Cow;
use std::ops::Range;

pub use key_lines::KeyBlock;
pub use people::People;

/// What stands in place of a secret.
pub const REDACTED: &str = "(redacted)";

/// Hex digits of a UUID.
const UUID_DIGITS: usize = 32;

/// How often a text is looked at until nothing more is found. A secret that is gone may bare another; in texts that
/// nobody made for it, two rounds are enough.
const ROUNDS: usize = 8;

/// Shortest secret that is known by its form alone, beside those with a prefix.
const SHORTEST_SHAPE: usize = 20;

/// How often base64 is decoded within base64.
const DEPTH: usize = 2;

/// The same text without its secrets: keys by their prefix or form, alone or in base64; private keys; passwords and
/// signatures in URLs; webhooks; cookies and tokens of headers; and whatever is assigned to a name such as `api_key`,
/// `token`, `secret` or `password`.
///
/// Text without a secret comes back borrowed. Redacting twice changes nothing more. Linear in the length.
pub fn redact(text: &str) -> Cow<'_, str> {
    without_secrets(text, "", None)
}

/// As [`redact`], for a text that names a run: `id`, the run's own, stays where it has the 32 hex digits of a UUID, as
/// MLflow's ids have. A W&B key has 40 and goes, even where a file gives one as its run's id; so does whatever stands
/// as the value of a password.
pub fn redact_around_id<'t>(text: &'t str, id: &str) -> Cow<'t, str> {
    let is_uuid = id.len() == UUID_DIGITS && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    without_secrets(text, "", is_uuid.then_some(id))
}

/// `name` is what the text is the value of, or empty; `id` that of the run: hex digits that are no key.
fn without_secrets<'t>(text: &'t str, name: &str, id: Option<&str>) -> Cow<'t, str> {
    let Some(mut clean) = round(text, name, id) else { return Cow::Borrowed(text) };
    for _ in 1..ROUNDS {
        match round(&clean, name, id) {
            Some(cleaner) => clean = cleaner,
            None => return Cow::Owned(clean),
        }
    }
    Cow::Owned(REDACTED.to_owned())
}

/// The text without what one look at it finds; none when that is nothing. What was redacted before divides the text:
/// nothing is found across it, so that each round has less to look at.
fn round(text: &str, name: &str, id: Option<&str>) -> Option<String> {
    let mut clean = String::new();
    let mut is_changed = false;
    for (place, piece) in text.split(REDACTED).enumerate() {
        if place > 0 {
            clean.push_str(REDACTED);
        }
        let secrets = secrets_in(piece, if place == 0 { name } else { "" }, id, DEPTH);
        is_changed |= !secrets.is_empty();
        push_without(&mut clean, piece, secrets);
    }
    is_changed.then_some(clean)
}

/// Where the secrets of a text lie, in no order. `depth` is how often base64 may still be decoded.
fn secrets_in(text: &str, name: &str, id: Option<&str>, depth: usize) -> Vec<Range<usize>> {
    let mut secrets = Vec::new();
    hex::find(text, name, &mut secrets);
    if id.is_some() {
        secrets.retain(|secret: &Range<usize>| text.get(secret.clone()) != id);
    }
    prefixes::find(text, &mut secrets);
    // Most texts are names of metrics and cells of tables: what can't be in them is not looked for.
    let present =
        text.bytes().fold(0_u128, |present, byte| present | 1_u128.checked_shl(byte.into()).unwrap_or_default());
    let has = |signs: &[u8]| signs.iter().any(|sign| present >> sign & 1 == 1);
    if text.len() >= SHORTEST_SHAPE {
        shapes::find(text, &mut secrets);
        if has(b"-") {
            blocks::find(text, &mut secrets);
        }
        if let Some(depth) = depth.checked_sub(1) {
            encoded::find(text, &|inner| !secrets_in(inner, "", None, depth).is_empty(), &mut secrets);
        }
    }
    if has(b":=>,-") {
        named::find(text, &mut secrets);
    }
    if has(b" :=") {
        headers::find(text, &mut secrets);
    }
    if has(b" ,\n") {
        commands::find(text, &mut secrets);
    }
    if has(b"/") {
        urls::find(text, &mut secrets);
    }
    secrets.retain(|secret| !secret.is_empty());
    secrets
}

/// The value of a setting without its secrets: all of it goes when the key names a secret.
///
/// The last part of the key decides: one that ends in `key`, `token`, `secret` or `password` and is not known as
/// harmless (`pad_token`, `prompt_key`).
pub fn redact_setting(key: &str, value: &str) -> String {
    let is_secret = names::is_secret(key) && !named::is_literal(value) || services::is_secret(key, value);
    if is_secret && !value.is_empty() { REDACTED.to_owned() } else { without_secrets(value, key, None).into_owned() }
}

/// The first `longest` characters of a text, with "…" where more follow. What is cut is redacted first: the beginning of
/// a key has no form by which it is known. A text that is not cut comes back as it is.
pub fn cut(text: &str, longest: usize) -> Cow<'_, str> {
    if text.char_indices().nth(longest).is_none() {
        return Cow::Borrowed(text);
    }
    let clean = redact(text);
    match clean.char_indices().nth(longest) {
        None => clean,
        Some((end, _)) => [clean.get(..end).unwrap_or_default(), "…"].concat().into(),
    }
}

/// True for a number that the key of its setting makes a secret: any behind a password's key, behind another secret's
/// only a number of seven digits or more, because smaller ones are counts and ids (`eos_token`).
pub fn is_secret_number(key: &str, value: f64) -> bool {
    names::is_secret(key) && (names::is_password(key) || value.abs() >= 1e6)
}

/// Adds `text` with [`REDACTED`] in place of its secrets.
fn push_without(clean: &mut String, text: &str, mut secrets: Vec<Range<usize>>) {
    secrets.sort_by_key(|secret| (secret.start, secret.end));
    let mut done = 0;
    for secret in secrets {
        if secret.end <= done {
            continue;
        }
        if secret.start >= done {
            clean.push_str(text.get(done..secret.start).unwrap_or_default());
            // Two that touch are one.
            if done == 0 || secret.start > done {
                clean.push_str(REDACTED);
            }
        }
        // A secret that begins within the one before it only makes that one longer.
        done = secret.end;
    }
    clean.push_str(text.get(done..).unwrap_or_default());
}

/// The longest start of `text` whose characters all satisfy `wanted`.
fn run_of(text: &str, wanted: impl Fn(char) -> bool) -> &str {
    let end = text.find(|character| !wanted(character)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// True when `text` ends in a letter or digit: a token that begins here is the rest of a word.
fn ends_within_word(text: &str) -> bool {
    text.ends_with(|character: char| character.is_ascii_alphanumeric())
}

/// True for text with a digit and a letter: a name alone seldom has both.
fn is_mixed(text: &str) -> bool {
    text.contains(|character: char| character.is_ascii_digit())
        && text.contains(|character: char| character.is_ascii_alphabetic())
}
