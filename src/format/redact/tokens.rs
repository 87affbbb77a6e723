//! Secrets that are known by their own shape, wherever they stand.

use std::ops::Range;

use super::{ends_within_word, is_mixed, run_of};

/// Hex shorter than this is a hash of a file or a colour; from here on it may be a key. W&B's has 40 digits.
const HEX_SUSPICIOUS: usize = 32;
const HEX_KEY: usize = 40;

/// A kind of token that begins in a known way.
struct TokenPrefix {
    text: &'static str,
    /// Characters of the token beside letters and digits.
    extra: &'static str,
    /// Fewest characters after the prefix.
    least: usize,
    /// True when no ordinary word holds the prefix, so that it counts inside a word too.
    is_unambiguous: bool,
}

const fn prefix(text: &'static str, extra: &'static str, least: usize, is_unambiguous: bool) -> TokenPrefix {
    TokenPrefix { text, extra, least, is_unambiguous }
}

const PREFIXES: &[TokenPrefix] = &[
    prefix("wandb_v1_", "_-", 8, true),
    prefix("hf_", "", 16, false),
    prefix("api_org_", "", 16, false),
    prefix("sk-", "-_", 12, false),
    prefix("ghp_", "", 16, true),
    prefix("gho_", "", 16, true),
    prefix("ghu_", "", 16, true),
    prefix("ghs_", "", 16, true),
    prefix("ghr_", "", 16, true),
    prefix("github_pat_", "_", 8, true),
    prefix("glpat-", "-_", 12, true),
    prefix("xaat-", "-", 16, true),
    prefix("xapt-", "-", 16, true),
    prefix("xoxb-", "-", 12, true),
    prefix("xoxp-", "-", 12, true),
    prefix("AIza", "-_", 30, true),
    prefix("gsk_", "", 20, false),
    prefix("nvapi-", "-_", 20, true),
    prefix("rpa_", "", 24, false),
    prefix("r8_", "", 24, false),
    prefix("npm_", "", 24, false),
    prefix("pypi-", "-_", 30, false),
];

/// A run of letters and digits as long as this is a key whatever word stands before its prefix.
const LONG_BODY: usize = 30;

pub(super) fn find(text: &str, secrets: &mut Vec<Range<usize>>) {
    hex(text, secrets);
    for prefix in PREFIXES {
        prefixed(text, prefix, secrets);
    }
    for start in ["AKIA", "ASIA"] {
        aws_key_id(text, start, secrets);
    }
    aws_secret(text, secrets);
    jwt(text, secrets);
    pem(text, secrets);
}

fn hex(text: &str, secrets: &mut Vec<Range<usize>>) {
    let mut rest = 0;
    while let Some(start) = text.get(rest..).and_then(|tail| tail.find(|c: char| c.is_ascii_hexdigit())) {
        let start = rest + start;
        let digits = run_of(text.get(start..).unwrap_or_default(), |c| c.is_ascii_hexdigit());
        rest = start + digits.len();
        let number = digits.bytes().all(|byte| byte.is_ascii_digit());
        let is_key = if number { digits.len() == HEX_KEY } else { digits.len() >= HEX_KEY };
        let is_word = !ends_within_word(text.get(..start).unwrap_or_default())
            && !text.get(rest..).unwrap_or_default().starts_with(|c: char| c.is_ascii_alphanumeric());
        if is_key || (digits.len() >= HEX_SUSPICIOUS && is_word && is_mixed(digits)) {
            secrets.push(start..rest);
        }
    }
}

fn prefixed(text: &str, prefix: &TokenPrefix, secrets: &mut Vec<Range<usize>>) {
    let mut done = 0;
    for (start, _) in text.match_indices(prefix.text) {
        if start < done {
            continue;
        }
        let body_start = start + prefix.text.len();
        let after = text.get(body_start..).unwrap_or_default();
        let body = run_of(after, |c| c.is_ascii_alphanumeric() || prefix.extra.contains(c));
        let longest = body.split(|c: char| !c.is_ascii_alphanumeric()).map(str::len).max().unwrap_or(0);
        let free = prefix.is_unambiguous || !ends_within_word(text.get(..start).unwrap_or_default());
        let random = prefix.is_unambiguous || is_mixed(body) || longest >= 16;
        if longest >= LONG_BODY || (free && body.len() >= prefix.least && random) {
            done = body_start + body.len();
            secrets.push(start..done);
        }
    }
}

fn aws_key_id(text: &str, prefix: &str, secrets: &mut Vec<Range<usize>>) {
    for (start, _) in text.match_indices(prefix) {
        let body = run_of(text.get(start..).unwrap_or_default(), |c| c.is_ascii_uppercase() || c.is_ascii_digit());
        if body.len() >= prefix.len() + 16 {
            secrets.push(start..start + body.len());
        }
    }
}

/// Forty characters of base64 with all kinds of them, on a line that speaks of a secret before.
fn aws_secret(text: &str, secrets: &mut Vec<Range<usize>>) {
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let warned = line.to_ascii_lowercase().find("secret");
        if let Some(warned) = warned {
            let mut at = warned;
            while let Some(start) = line.get(at..).and_then(|tail| tail.find(is_base64)) {
                let start = at + start;
                let body = run_of(line.get(start..).unwrap_or_default(), is_base64);
                at = start + body.len();
                let cases = body.contains(|c: char| c.is_ascii_uppercase())
                    && body.contains(|c: char| c.is_ascii_lowercase())
                    && body.contains(|c: char| c.is_ascii_digit());
                if body.len() == 40 && cases {
                    secrets.push(line_start + start..line_start + at);
                }
            }
        }
        line_start += line.len();
    }
}

fn is_base64(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '+' | '/')
}

/// A JSON web token: base64 of `{"`, and at least one dot.
fn jwt(text: &str, secrets: &mut Vec<Range<usize>>) {
    let mut done = 0;
    for (start, _) in text.match_indices("eyJ") {
        if start < done || ends_within_word(text.get(..start).unwrap_or_default()) {
            continue;
        }
        let body = run_of(text.get(start..).unwrap_or_default(), |c| {
            c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '=')
        });
        if body.len() >= 30 && body.contains('.') {
            done = start + body.len();
            secrets.push(start..done);
        }
    }
}

/// A private key, from its first line to its last, or to the end of the text.
fn pem(text: &str, secrets: &mut Vec<Range<usize>>) {
    const BEGIN: &str = "-----BEGIN ";
    let mut done = 0;
    for (start, _) in text.match_indices(BEGIN) {
        let Some(block) = text.get(start..).filter(|_| start >= done) else { continue };
        let label: String = block.chars().skip(BEGIN.len()).take(40).take_while(|c| *c != '-').collect();
        if !label.ends_with("PRIVATE KEY") {
            continue;
        }
        let end = block.find("-----END ").map_or(block.len(), |end| {
            let last_line = block.get(end + 9..).unwrap_or_default();
            last_line.find("-----").map_or(block.len(), |dashes| end + 9 + dashes + 5)
        });
        done = start + end;
        secrets.push(start..done);
    }
}
