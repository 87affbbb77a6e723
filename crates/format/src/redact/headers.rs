//! What is sent in headers: `Authorization`, `Bearer …`, cookies.

use std::ops::Range;

use super::{encoded, is_mixed, run_of};

pub(super) fn find(text: &str, secrets: &mut Vec<Range<usize>>) {
    let lower = text.to_ascii_lowercase();
    schemes(text, &lower, secrets);
    cookies(text, &lower, secrets);
}

/// `Bearer …`, and whatever follows `Authorization: Basic`, also between quotes as a printed dictionary has it.
fn schemes(text: &str, lower: &str, secrets: &mut Vec<Range<usize>>) {
    for scheme in ["bearer ", "basic ", "token ", "apikey ", "api-token "] {
        for (start, _) in lower.match_indices(scheme) {
            let before = lower.get(..start).unwrap_or_default();
            let before = before.trim_end_matches([' ', '\t', ':', '=', '"', '\'', '\\', ',', '(']);
            let telling = before.ends_with("authorization");
            let value_start = start + scheme.len();
            let value = run_of(text.get(value_start..).unwrap_or_default(), |c| {
                c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~' | '+' | '/' | '=')
            });
            let is_secret = match scheme {
                _ if telling => true,
                "bearer " => value.len() >= 16 || (value.len() >= 8 && is_mixed(value)),
                "basic " => value.len() >= 8 && encoded::is_pair(value),
                _ => false,
            };
            if is_secret && !value.is_empty() {
                secrets.push(value_start..value_start + value.len());
            }
        }
    }
}

/// `Cookie: a=b; c=d` up to the end of the line or of the quotes; also of a printed dictionary.
fn cookies(text: &str, lower: &str, secrets: &mut Vec<Range<usize>>) {
    let mut done = 0;
    for (start, name) in lower.match_indices("cookie") {
        if start < done {
            continue;
        }
        let after = text.get(start + name.len()..).unwrap_or_default();
        let after_name = after.trim_start_matches(['\\', '"', '\'']);
        let quotes = after.len() - after_name.len();
        let Some(sign) = after_name.chars().next().filter(|c| matches!(c, ':' | '=')) else { continue };
        let value = after_name.get(1..).unwrap_or_default();
        let begin = value.len() - value.trim_start_matches([' ', '\\', '"', '\'']).len();
        let is_quoted = quotes > 0 || value.get(..begin).is_some_and(|gap| gap.contains(['"', '\'']));
        let body = value.get(begin..).unwrap_or_default();
        let outer = lower.get(..start).unwrap_or_default();
        // In a command the whole header stands between quotes.
        let ends_at_quote = is_quoted || outer.ends_with(['"', '\'']) || outer.ends_with("\"set-");
        let body = run_of(body, |c| c != '\n' && !(ends_at_quote && matches!(c, '"' | '\'' | '\\')));
        // A setting such as `use_cookie: true` is no header.
        let is_cookie = body.contains('=') || (sign == ':' && is_mixed(body) && body.len() >= 12);
        let from = start + name.len() + quotes + 1 + begin;
        done = from + body.len();
        if is_cookie {
            secrets.push(from..from + body.len());
        }
    }
}
