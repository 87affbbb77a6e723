//! Tokens that are known by a part in their middle, or by their whole form.

use std::ops::Range;

use super::{ends_within_word, is_mixed, run_of};

pub(super) fn find(text: &str, secrets: &mut Vec<Range<usize>>) {
    for start in ["AKIA", "ASIA", "ABIA", "ACCA", "A3T"] {
        aws_key_id(text, start, secrets);
    }
    aws_secret(text, secrets);
    json_web_token(text, secrets);
    for middle in MIDDLES {
        around(text, middle, secrets);
    }
    discord(text, secrets);
    of_one_length(text, secrets);
}

/// A token with a known part in its middle.
struct Middle {
    text: &'static str,
    /// Characters beside letters and digits on both sides.
    extra: &'static str,
    /// Fewest and most characters before it, and fewest after it.
    before: (u8, u8),
    after: u8,
}

const MIDDLES: &[Middle] = &[
    // A secret of an app in Entra: three characters, a digit, `Q~`, 31 to 34 more.
    Middle { text: "Q~", extra: "_~.-", before: (4, 4), after: 31 },
    // HashiCorp's Terraform.
    Middle { text: ".atlasv1.", extra: "-_=", before: (14, 14), after: 60 },
    // Telegram: the number of a bot, a colon, `A`, 34 more.
    Middle { text: ":A", extra: "-_", before: (5, 16), after: 33 },
    // MaxMind.
    Middle { text: "_mmk", extra: "_", before: (30, 40), after: 0 },
    // Authress: `sc_….….acc_…`
    Middle { text: ".acc_", extra: "-_./+=", before: (12, 60), after: 40 },
    Middle { text: ".acc-", extra: "-_./+=", before: (12, 60), after: 40 },
    // Mailchimp: 32 digits and the data centre.
    Middle { text: "-us", extra: "", before: (32, 32), after: 1 },
    // Facebook: the number of an app, a bar, its secret.
    Middle { text: "|", extra: "-_", before: (15, 16), after: 27 },
];

fn around(text: &str, middle: &Middle, secrets: &mut Vec<Range<usize>>) {
    let of_token = |c: char| c.is_ascii_alphanumeric() || middle.extra.contains(c);
    let (fewest, most) = (usize::from(middle.before.0), usize::from(middle.before.1));
    for (start, _) in text.match_indices(middle.text) {
        let before = text.get(..start).unwrap_or_default();
        // `extra` never holds what ends the longer of two tokens; one more than the most is enough to know.
        let length = before.bytes().rev().take(most + 1).take_while(|byte| of_token(char::from(*byte))).count();
        let end = start + middle.text.len();
        let after = run_of(text.get(end..).unwrap_or_default(), of_token);
        if length < fewest || after.len() < usize::from(middle.after) {
            continue;
        }
        let begin = start - length.min(most);
        let head = text.get(begin..start).unwrap_or_default();
        let is_right = match middle.text {
            "Q~" => head.ends_with(|c: char| c.is_ascii_digit()),
            ":A" | "|" => length <= most && head.bytes().all(|byte| byte.is_ascii_digit()) && is_mixed(after),
            "-us" => length <= most && head.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "_mmk" => is_mixed(head),
            _ => true,
        };
        if is_right {
            secrets.push(begin..end + after.len());
        }
    }
}

fn aws_key_id(text: &str, prefix: &str, secrets: &mut Vec<Range<usize>>) {
    for (start, _) in text.match_indices(prefix) {
        let body = run_of(text.get(start..).unwrap_or_default(), |c| c.is_ascii_uppercase() || c.is_ascii_digit());
        let is_known = matches!(prefix, "AKIA" | "ASIA");
        let is_free = !ends_within_word(text.get(..start).unwrap_or_default());
        let is_drawn = is_mixed(body.get(4..).unwrap_or_default());
        if body.len() >= 20 && (is_free || is_drawn) && (is_known || (is_free && is_drawn && body.len() == 20)) {
            secrets.push(start..start + body.len());
        }
    }
}

/// Forty characters of base64 with all kinds of them, on a line that speaks of a secret before.
fn aws_secret(text: &str, secrets: &mut Vec<Range<usize>>) {
    if !["secret", "Secret", "SECRET"].iter().any(|word| text.contains(word)) {
        return;
    }
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

/// A JSON web token: base64 of `{"` or of `{` and a new line, and at least one dot.
fn json_web_token(text: &str, secrets: &mut Vec<Range<usize>>) {
    for begin in ["eyJ", "ewog"] {
        let mut done = 0;
        for (start, _) in text.match_indices(begin) {
            if start < done || ends_within_word(text.get(..start).unwrap_or_default()) {
                continue;
            }
            let body = run_of(text.get(start..).unwrap_or_default(), |c| {
                c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '=' | '/' | '\\')
            });
            if body.len() >= 30 && body.contains('.') {
                done = start + body.len();
                secrets.push(start..done);
            }
        }
    }
}

/// A bot's token: base64 of its number, of a time and of a signature, with dots between. Base64 of digits has letters and digits
/// alone, where names of runs have dashes (`Mistral-7B-Base-PPO-KL0.03-SP0.2-UE7-relationship_advice`).
fn discord(text: &str, secrets: &mut Vec<Range<usize>>) {
    let of_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    for (dot, _) in text.match_indices('.') {
        let after = text.get(dot + 1..).unwrap_or_default();
        // The second dot stands seven places further in every such token.
        if after.as_bytes().get(6) != Some(&b'.') {
            continue;
        }
        let before = text.get(..dot).unwrap_or_default();
        let head = before.bytes().rev().take(30).take_while(|byte| of_token(char::from(*byte))).count();
        let time = run_of(after, of_token);
        let tail = run_of(after.get(7..).unwrap_or_default(), of_token);
        let number = before.as_bytes().get(dot - head..).unwrap_or_default();
        let is_number = number.iter().all(u8::is_ascii_alphanumeric);
        let begins = before.as_bytes().get(dot - head).is_some_and(|byte| matches!(byte, b'M' | b'N' | b'O'));
        if (23..=28).contains(&head) && begins && is_number && time.len() == 6 && (27..=40).contains(&tail.len()) {
            secrets.push(dot - head..dot + 8 + tail.len());
        }
    }
}

/// Tokens that have a short prefix and one length: Twilio's `SK` and 32 hex digits, Vault's `s.` and 24 characters.
fn of_one_length(text: &str, secrets: &mut Vec<Range<usize>>) {
    for (prefix, length) in [("SK", 32), ("s.", 24)] {
        for (start, _) in text.match_indices(prefix) {
            let begin = start + prefix.len();
            let body = run_of(text.get(begin..).unwrap_or_default(), |c| c.is_ascii_alphanumeric());
            let is_drawn = match prefix {
                "SK" => body.bytes().all(|byte| byte.is_ascii_hexdigit()) && is_mixed(body),
                _ => is_mixed(body) && body.bytes().any(|byte| byte.is_ascii_uppercase()),
            };
            if body.len() == length && is_drawn && !ends_within_word(text.get(..start).unwrap_or_default()) {
                secrets.push(start..begin + length);
            }
        }
    }
}
