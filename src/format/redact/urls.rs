//! Passwords in URLs: `scheme://user:password@host`.

use std::ops::Range;

use super::{REDACTED, is_mixed};

/// Longest part between `://` and `@` that is looked at.
const LONGEST: usize = 1024;

/// A user name alone is a token from this length on (`https://TOKEN@github.com`).
const TOKEN_AS_USER: usize = 16;

pub(super) fn find(text: &str, secrets: &mut Vec<Range<usize>>) {
    for (sign, separator) in text.match_indices("://") {
        let start = sign + separator.len();
        let authority: &str = text
            .get(start..)
            .and_then(|rest| {
                rest.split(|c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'')).next()
            })
            .unwrap_or_default();
        if authority.len() > LONGEST {
            continue;
        }
        let Some((user, _)) = authority.rsplit_once('@') else { continue };
        let secret = match user.split_once(':') {
            Some((name, _)) => start + name.len() + 1..start + user.len(),
            None if user.len() >= TOKEN_AS_USER && is_mixed(user) => start..start + user.len(),
            None => continue,
        };
        let value = text.get(secret.clone()).unwrap_or_default();
        if !value.is_empty() && value != REDACTED {
            secrets.push(secret);
        }
    }
}
