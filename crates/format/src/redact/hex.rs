//! Long runs of hex digits: keys of W&B and others, or hashes of commits and files. The words around them tell.

use std::ops::Range;

use super::{ends_within_word, runs};

/// Shorter ones are colours, addresses and pieces of hashes.
const SHORTEST: usize = 32;
/// A key of W&B, and a commit.
const WANDB_KEY: usize = 40;
/// Lengths of keys that are hex: W&B's, and 32 and 64 bytes of others. Ids of Ray have 32, 36, 48 and 56 digits.
const KEY_LENGTHS: [usize; 3] = [WANDB_KEY, 64, 128];
/// How much before the digits is looked at, and how many words of it.
const LOOKED_AT: usize = 96;
const WORDS: usize = 5;

/// Words before the hash of a commit or of a file.
const HASH_WORDS: &[&str] = &[
    "b2sum", "blake2", "blake3", "blob", "blobs", "branch", "cache", "checksum", "checksums", "checkout", "cid",
    "commit", "commits", "committed", "crc", "digest", "etag", "fingerprint", "fingerprints", "git", "githash", "hash",
    "hashes", "head", "layer", "md5", "merge", "objects", "oid", "parent", "ref", "refs", "resolve", "rev", "revision",
    "revisions", "sha", "sha1", "sha224", "sha256", "sha512", "snapshot", "snapshots", "sum", "tree", "version",
];

/// Words before a key.
const KEY_WORDS: &[&str] = &[
    "apikey", "auth", "bearer", "cookie", "credential", "credentials", "key", "keys", "login", "passphrase", "passwd",
    "password", "pwd", "secret", "secrets", "session", "sig", "signature", "token", "tokens",
];

/// Finds keys in `text`. `name` is what the text is the value of, or empty.
pub(super) fn find(text: &str, name: &str, secrets: &mut Vec<Range<usize>>) {
    runs::for_each(text, SHORTEST, |byte| byte.is_ascii_hexdigit(), &mut |digits| {
        if is_key(text, digits.clone(), name) {
            secrets.push(digits);
        }
    });
}

fn is_key(text: &str, digits: Range<usize>, name: &str) -> bool {
    let length = digits.len();
    let shown = text.get(digits.clone()).unwrap_or_default();
    let (mut letters, mut numbers) = (false, false);
    for byte in shown.bytes() {
        letters |= byte.is_ascii_alphabetic();
        numbers |= byte.is_ascii_digit();
    }
    if !numbers || (!letters && length != WANDB_KEY) {
        return false;
    }
    let before = text.get(..digits.start).unwrap_or_default();
    let after = text.get(digits.end..).unwrap_or_default();
    let is_word = !ends_within_word(before) && !after.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !is_word {
        return length >= WANDB_KEY;
    }
    // A key of a W&B server that somebody hosts, whatever word stands before it.
    if length == WANDB_KEY && before.ends_with("local-") {
        return true;
    }
    if before.ends_with('@') || names_file(after) {
        return false;
    }
    // A single value of the length of a key is one until something says otherwise; a folder or file is named by a hash.
    // Of 32 digits are ids and checksums.
    nearest(before, name).unwrap_or(KEY_LENGTHS.contains(&length) && !is_in_path(before))
}

/// What the nearest telling word before says: true for a key, false for a hash.
fn nearest(before: &str, name: &str) -> Option<bool> {
    let from = before.ceil_char_boundary(before.len().saturating_sub(LOOKED_AT));
    let line = before.get(from..).unwrap_or_default();
    let line = line.rsplit('\n').next().unwrap_or_default();
    let words = |text: &str| -> Option<bool> {
        let words = text.rsplit(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.take(WORDS).find_map(|word| {
            let word = word.to_ascii_lowercase();
            if HASH_WORDS.contains(&word.as_str()) || ["sha", "hash", "commit"].iter().any(|end| word.ends_with(end)) {
                return Some(false);
            }
            (KEY_WORDS.contains(&word.as_str()) || word.ends_with("key")).then_some(true)
        })
    };
    words(line).or_else(|| words(name))
}

/// True within the path of a file, three folders deep: what is written so by libraries is a hash.
fn is_in_path(before: &str) -> bool {
    let from = before.ceil_char_boundary(before.len().saturating_sub(4 * LOOKED_AT));
    let word =
        before.get(from..).unwrap_or_default().rsplit(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '='));
    let path = word.into_iter().next().unwrap_or_default();
    path.ends_with('/') && path.matches('/').count() >= 4 && !path.contains("://")
}

/// True for what follows a hash in the lists that `sha256sum` and `git ls-remote` write: two signs and a file, a branch.
fn names_file(after: &str) -> bool {
    let is_file = |name: &str| name.split_whitespace().next().is_some_and(|word| word.contains(['.', '/']));
    let name = after.strip_prefix("  ").or_else(|| after.strip_prefix(" *"));
    let is_branch = ["\trefs/", " refs/", "\tHEAD", " HEAD", " (HEAD"].iter().any(|sign| after.starts_with(sign));
    is_branch || name.is_some_and(is_file)
}
