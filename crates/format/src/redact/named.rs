//! Secrets that are known by the name that they are assigned to.

use std::ops::Range;

use super::names::{Suspicion, is_secret, suspicion};
use super::{encoded, is_mixed, run_of, services};

/// Longest name looked at before a sign of assignment.
const LONGEST_NAME: usize = 128;
/// Longest value of a name that tells little.
const LONGEST_VALUE: usize = 2048;
/// Longest start of a value that is examined.
const LONGEST_EXAMINED: usize = 512;

/// Shortest part of a path that is a key because it looks drawn at random.
const SHORTEST_DRAWN: usize = 24;

/// How far before a value its name is looked for where both have their own place.
const REACH: usize = 160;

/// Types between a name and its value: `api_key: str = "…"`, `var apiKey string = "…"`.
const TYPES: [&str; 7] = ["str", "string", "String", "bytes", "Any", "text", "char"];

pub(super) fn find(text: &str, secrets: &mut Vec<Range<usize>>) {
    assignments(text, secrets);
    arguments(text, secrets);
    flags(text, secrets);
}

/// `name=value`, `name: value`, `"name": "value"`, `name => 'value'`, `name ?= value`, `<name>value</name>`.
fn assignments(text: &str, secrets: &mut Vec<Range<usize>>) {
    let mut done = 0;
    for (sign, _) in text.match_indices([':', '=', '>']) {
        if sign < done {
            continue;
        }
        let name = name_before(text, sign);
        if name.is_empty() {
            continue;
        }
        let after = text.get(sign..).unwrap_or_default();
        let mut skipped = run_of(after, |c| matches!(c, ':' | '=' | '>' | ' ' | '\t')).len();
        if after.starts_with('>') {
            if !text.get(..sign - name.len()).unwrap_or_default().ends_with('<') {
                continue;
            }
            skipped = run_of(after, |c| c == '>' || c.is_whitespace()).len();
        }
        // Blanks of a metric's name may have become underscores.
        let blanks = run_of(after.get(skipped..).unwrap_or_default(), |c| c == '_');
        let is_quoted = after.get(skipped + blanks.len()..).is_some_and(|rest| rest.starts_with(['"', '\'', '`']));
        let start = sign + skipped + if is_quoted { blanks.len() } else { 0 };
        let name = if name.eq_ignore_ascii_case("value") { paired_name(text, sign) } else { name };
        let suspicion = suspicion(name);
        let reach = match suspicion {
            Suspicion::None => services::LONGEST,
            Suspicion::Some => LONGEST_VALUE,
            Suspicion::Likely | Suspicion::Certain => usize::MAX,
        };
        let Some(value) = value_at(text, start, reach) else { continue };
        if value.len() > LONGEST_VALUE {
            // Nothing within it is looked at again, so that the time stays linear.
            done = value.end;
        }
        if hides(text, &value, name, suspicion) {
            done = value.end;
            secrets.push(value);
        } else if let Some(part) = key_before_slash(text, &value, name, suspicion) {
            done = part.end;
            secrets.push(part);
        }
    }
}

/// A key that further parts of a path follow, as in a metric's name: `vs_dropbox_token=…/win_rate`. It is that of a
/// service, or looks drawn at random: names of models and users stand before a slash too.
fn key_before_slash(text: &str, value: &Range<usize>, name: &str, suspicion: Suspicion) -> Option<Range<usize>> {
    let (part, _) = text.get(value.clone())?.split_once('/')?;
    let is_drawn = suspicion != Suspicion::None && part.len() >= SHORTEST_DRAWN && services::is_drawn(part);
    (is_drawn || services::is_secret(name, part)).then(|| value.start..value.start + part.len())
}

/// `setProperty("NAME", "value")`, `('NAME', 'value')`: both between quotes.
fn arguments(text: &str, secrets: &mut Vec<Range<usize>>) {
    for quote in ["\",", "',"] {
        for (sign, _) in text.match_indices(quote) {
            let name = name_before(text, sign + 1);
            let after = text.get(sign + quote.len()..).unwrap_or_default();
            let gap = run_of(after, |c| matches!(c, ' ' | '_')).len();
            let is_quoted = after.get(gap..).is_some_and(|rest| rest.starts_with(['"', '\'', '`']));
            if !is_quoted || name.is_empty() {
                continue;
            }
            // `["api_key", "lr"]` is a list of names: a value looks random.
            let suspicion = if suspicion(name) == Suspicion::None { Suspicion::None } else { Suspicion::Some };
            let value = value_at(text, sign + quote.len() + gap, LONGEST_EXAMINED);
            if let Some(value) = value.filter(|value| hides(text, value, name, suspicion)) {
                secrets.push(value);
            }
        }
    }
}

/// `--name value`, also as a printed list of arguments: `'--name', 'value'`.
fn flags(text: &str, secrets: &mut Vec<Range<usize>>) {
    for (start, _) in text.match_indices("--") {
        let name_start = start + 2;
        let after = text.get(name_start..).unwrap_or_default();
        if !after.starts_with(|c: char| c.is_ascii_alphabetic()) {
            continue;
        }
        let name = run_of(after, is_name);
        if name.len() > LONGEST_NAME || !is_secret(name) {
            continue;
        }
        let name_end = name_start + name.len();
        let gap = run_of(text.get(name_end..).unwrap_or_default(), |c| matches!(c, ' ' | '\t' | ',' | '\'' | '"'));
        // The value's own opening quote belongs to the value.
        let value_start = name_end + gap.trim_end_matches(['\'', '"']).len();
        let unquoted = text.get(name_end + gap.len()..).unwrap_or_default();
        let value = value_at(text, value_start, usize::MAX).filter(|_| !gap.is_empty() && !unquoted.starts_with('-'));
        if let Some(value) = value.filter(|value| hides(text, value, name, Suspicion::Certain)) {
            secrets.push(value);
        }
    }
}

/// The name that belongs to a value of its own: `"name": "HF_TOKEN", "value": "…"`, `<add key="Password" value="…"/>`.
fn paired_name(text: &str, sign: usize) -> &str {
    let before = text.get(..sign).unwrap_or_default();
    let before = before.get(before.ceil_char_boundary(before.len().saturating_sub(REACH))..).unwrap_or_default();
    let Some(place) = ["name", "key", "Name", "Key"].iter().filter_map(|word| before.rfind(word)).max() else {
        return "";
    };
    let after = before.get(place..).unwrap_or_default();
    let after = after.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    run_of(after.trim_start_matches(['"', '\'', ':', '=', ' ', '\\']), is_name)
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '.')
}

/// The name that ends before `sign`, its quotes, signs such as `?=`, a type and a space or two left out.
pub(super) fn name_before(text: &str, sign: usize) -> &str {
    let word = word_before(text, sign);
    if !TYPES.contains(&word) {
        return word;
    }
    let start = text.get(..sign).and_then(|before| before.rfind(word)).unwrap_or_default();
    let outer = text.get(..start).unwrap_or_default().trim_end_matches([' ', '\t', ':']);
    word_before(text, outer.len())
}

fn word_before(text: &str, end: usize) -> &str {
    let before = text.get(..end).unwrap_or_default();
    let before = before.trim_end_matches(['?', '+', '.', ' ', '\t', '_']).trim_end_matches(['"', '\'', '`', '\\']);
    let length: usize = before.chars().rev().take(LONGEST_NAME).take_while(|c| is_name(*c)).map(char::len_utf8).sum();
    before.get(before.len() - length..).unwrap_or_default()
}

/// Where the value that starts at `start` lies: within its quotes, or up to a space or a sign. None when it is longer
/// than `reach`.
fn value_at(text: &str, start: usize, reach: usize) -> Option<Range<usize>> {
    let rest = text.get(start..)?;
    let rest = rest.get(..rest.floor_char_boundary(reach.saturating_add(8)))?;
    let escapes = run_of(rest, |c| c == '\\');
    let quote = rest.get(escapes.len()..)?.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let (value_start, value) = match quote {
        Some(quote) => {
            let value_start = start + escapes.len() + 1;
            let inside = rest.get(escapes.len() + 1..)?;
            (value_start, run_of(inside, |c| c != quote && c != '\n').trim_end_matches('\\'))
        }
        None => {
            let value = run_of(rest, |c| {
                !c.is_whitespace() && !matches!(c, ',' | ';' | '&' | '"' | '\'' | '`' | '}' | ']' | '<')
            });
            let escaped_end = value.find("\\n").or_else(|| value.find("\\r")).unwrap_or(value.len());
            (start, value.get(..escaped_end)?.trim_end_matches(')'))
        }
    };
    (!value.is_empty() && value.len() <= reach).then(|| value_start..value_start + value.len())
}

/// True when a value under this name is to be hidden.
fn hides(text: &str, value: &Range<usize>, name: &str, suspicion: Suspicion) -> bool {
    let value = text.get(value.clone()).unwrap_or_default();
    match suspicion {
        Suspicion::None => services::is_secret(name, value),
        Suspicion::Some => is_random(value) || encoded::is_pair(value) || services::is_secret(name, value),
        Suspicion::Likely => !is_literal(value) && !is_number(value) && !is_path(value),
        // `PWD` is the working directory.
        Suspicion::Certain if name.ends_with("PWD") && is_path(value) => false,
        Suspicion::Certain => !is_literal(value),
    }
}

fn is_random(value: &str) -> bool {
    let examined = value.get(..value.floor_char_boundary(LONGEST_EXAMINED)).unwrap_or_default();
    let has_path = examined.contains('/') && !is_base64_key(examined);
    examined.len() >= 12
        && is_mixed(examined)
        && !has_path
        && !is_literal(value)
        && examined.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '<' | '('))
}

/// Base64 with a slash in it, and no path: no dots, both cases and digits.
fn is_base64_key(value: &str) -> bool {
    value.len() >= 32
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
        && value.bytes().filter(u8::is_ascii_digit).count() >= 3
        && value.bytes().any(|byte| byte.is_ascii_uppercase())
        && value.bytes().any(|byte| byte.is_ascii_lowercase())
}

fn is_number(value: &str) -> bool {
    value.parse::<f64>().is_ok() || value.trim_end_matches('%').parse::<f64>().is_ok()
}

fn is_path(value: &str) -> bool {
    value.starts_with(['/', '~', '.']) || value.get(1..3).is_some_and(|drive| matches!(drive, ":\\" | ":/"))
}

/// True for what stands in place of a secret: nothing, a type, a variable, stars.
pub(super) fn is_literal(value: &str) -> bool {
    let is_variable = |name: &str| name.len() > 1 && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
    let is_one_sign =
        value.starts_with(['*', 'x', 'X', '.']) && value.bytes().all(|b| value.as_bytes().first() == Some(&b));
    matches!(value, "null" | "None" | "none" | "true" | "false" | "True" | "False" | "{" | "[" | "..." | "not" | "is")
        || TYPES.contains(&value)
        || is_one_sign
        || value.strip_prefix('$').is_some_and(is_variable)
        || ["${", "$(", "{{", "os.environ", "os.getenv", "Optional[", "SecretStr"].iter().any(|s| value.starts_with(s))
        || (value.starts_with('<') && value.ends_with('>'))
        || scheme_of(value).is_some_and(|rest| rest.is_empty() || is_literal(rest))
}

/// What follows the scheme of an `Authorization` header.
fn scheme_of(value: &str) -> Option<&str> {
    let (scheme, rest) = value.split_once(' ').unwrap_or((value, ""));
    let is_scheme =
        ["bearer", "basic", "token", "apikey", "api-token", "digest"].iter().any(|s| scheme.eq_ignore_ascii_case(s));
    is_scheme.then_some(rest)
}
