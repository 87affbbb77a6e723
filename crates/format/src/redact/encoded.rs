//! Secrets in base64: a private key, a file of credentials, `user:password`.

use std::ops::Range;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::{run_of, runs};

/// Takes text that was cut off: what a report shows of a value may end anywhere.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Shortest run that is decoded: base64 of fifteen characters.
const SHORTEST: usize = 20;
/// What is decoded of a run, in characters; and what of it must be text for the rest to be decoded.
const LONGEST: usize = 65_536;
const START: usize = 20;

/// Finds runs of base64 whose text has something to hide, as `is_secret` says.
pub(super) fn find(text: &str, is_secret: &dyn Fn(&str) -> bool, secrets: &mut Vec<Range<usize>>) {
    runs::for_each(text, SHORTEST, is_base64, &mut |run| {
        if text.get(run.clone()).and_then(decoded).is_some_and(|inner| is_secret(&inner)) {
            let after = text.get(run.end..).unwrap_or_default();
            secrets.push(run.start..run.end + run_of(after, |c| c == '=').len());
        }
    });
}

/// True for base64 of `user:password`.
pub(super) fn is_pair(value: &str) -> bool {
    let body = value.trim_end_matches('=');
    let is_base64 = body.len() >= 6 && body.len() < 512 && body.bytes().all(is_base64);
    let pair = is_base64.then(|| decoded(body)).flatten();
    pair.is_some_and(|pair| pair.split_once(':').is_some_and(|(user, word)| !user.is_empty() && !word.is_empty()))
}

/// The text of a run of base64, in its usual form or that of addresses; none when it is no text.
fn decoded(run: &str) -> Option<String> {
    let run = run.get(..run.len().min(LONGEST))?;
    is_text(&bytes_of(run.get(..run.len().min(START))?)?)?;
    let bytes = bytes_of(run)?;
    is_text(&bytes).map(str::to_owned)
}

fn bytes_of(run: &str) -> Option<Vec<u8>> {
    // A single character after the last group of four holds no byte.
    let whole = if run.len() % 4 == 1 { run.len() - 1 } else { run.len() };
    let usual: Vec<u8> = run.bytes().take(whole).map(usual_sign).collect();
    BASE64.decode(usual).ok()
}

fn usual_sign(byte: u8) -> u8 {
    match byte {
        b'-' => b'+',
        b'_' => b'/',
        byte => byte,
    }
}

/// Bytes as text without control characters, but for a character cut off at the end.
fn is_text(bytes: &[u8]) -> Option<&str> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => std::str::from_utf8(bytes.get(..error.valid_up_to())?).ok()?,
        Err(_) => return None,
    };
    text.chars().all(|c| !c.is_control() || c.is_ascii_whitespace()).then_some(text)
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}
