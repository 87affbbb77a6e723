//! Secrets in URLs: `scheme://user:password@host`, signed queries, and webhooks, whose address is the key.

use std::ops::Range;

use super::is_mixed;

/// Longest part between `://` and `@` that is looked at.
const LONGEST: usize = 1024;
/// Longest address that is looked at.
const LONGEST_URL: usize = 8192;

/// A user name alone is a token from this length on (`https://TOKEN@github.com`).
const TOKEN_AS_USER: usize = 16;

/// Parameters of which one says that a query is signed: then all of it is the key, for as long as it is valid.
const SIGNATURES: [&str; 9] = [
    "sig=", "signature=", "x-amz-signature=", "x-amz-security-token=", "x-goog-signature=", "x-oss-signature=",
    "x-cos-signature=", "key-pair-id=", "googleaccessid=",
];

/// What comes before the secret part of a webhook's address. `find` knows a word of each.
const WEBHOOKS: [&str; 17] = [
    "hooks.slack.com/services/",
    "hooks.slack.com/workflows/",
    "hooks.slack.com/triggers/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    "webhook.office.com/webhookb2/",
    "outlook.office.com/webhook/",
    "chat.googleapis.com/v1/spaces/",
    "api.telegram.org/bot",
    "/open-apis/bot/v2/hook/",
    "oapi.dingtalk.com/robot/send?access_token=",
    "qyapi.weixin.qq.com/cgi-bin/webhook/send?key=",
    "hooks.zapier.com/hooks/catch/",
    "maker.ifttt.com/trigger/",
    "hook.integromat.com/",
    "sctapi.ftqq.com/",
    "api.day.app/",
];

pub(super) fn find(text: &str, secrets: &mut Vec<Range<usize>>) {
    let mut queries_done = 0;
    for (sign, separator) in text.match_indices("://") {
        let start = sign + separator.len();
        if let Some(secret) = password(text, start) {
            secrets.push(secret);
        }
        if start >= queries_done {
            let end = start + address(text.get(start..).unwrap_or_default()).len();
            queries_done = end;
            if let Some(query) = signed_query(text, start..end) {
                secrets.push(query);
            }
        }
    }
    if !["hook", "api.", "googleapis", "ifttt"].iter().any(|word| text.contains(word)) {
        return;
    }
    for marker in WEBHOOKS {
        for (start, _) in text.match_indices(marker) {
            let begin = start + marker.len();
            let path = address(text.get(begin..).unwrap_or_default());
            if path.len() >= 8 {
                secrets.push(begin..begin + path.len());
            }
        }
    }
}

/// The password, or the token in its place, of the address whose host part begins at `start`.
fn password(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = text.get(start..)?;
    let authority = rest.split(|c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'')).next()?;
    if authority.len() > LONGEST {
        return None;
    }
    let (user, _) = authority.rsplit_once('@')?;
    match user.split_once(':') {
        Some((_, "")) => None,
        Some((name, _)) => Some(start + name.len() + 1..start + user.len()),
        None => (user.len() >= TOKEN_AS_USER && is_mixed(user)).then(|| start..start + user.len()),
    }
}

/// The query of an address, when it is signed.
fn signed_query(text: &str, url: Range<usize>) -> Option<Range<usize>> {
    let mark = url.start + text.get(url.clone())?.find('?')? + 1;
    let query = text.get(mark..url.end)?.to_ascii_lowercase();
    let is_signed = query.split(['&', ';']).any(|part| {
        let part = part.trim_start_matches("amp;");
        SIGNATURES.iter().any(|name| part.strip_prefix(name).is_some_and(|value| value.len() >= 6))
    });
    is_signed.then_some(mark..url.end)
}

/// The start of `text` up to what can't be in an address.
fn address(text: &str) -> &str {
    let reach = text.get(..text.floor_char_boundary(LONGEST_URL)).unwrap_or_default();
    let end = reach.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`' | ')' | '\\'));
    reach.get(..end.unwrap_or(reach.len())).unwrap_or_default()
}
