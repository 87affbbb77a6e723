//! Names of people and machines out of what is made to be shared: home folders, user names, e-mail and IP addresses,
//! hosts.
//!
//! No secrets, so that views keep them; but a report that is sent to strangers need not tell who trained where.

mod words;

use std::borrow::Cow;
use std::net::Ipv6Addr;
use std::ops::Range;

use memchr::{memchr_iter, memchr2_iter, memmem};

use super::escapes::escape_length;
use super::{ends_within_word, named, names, run_of, runs};
use words::{HOMES, HOST_WORDS, NOBODY, PRIVATE, PUBLIC, USER_WORDS};

const USER: &str = "(user)";
const EMAIL: &str = "(email)";
const ADDRESS: &str = "(address)";
const HOST: &str = "(host)";

/// How often a text is searched at most. Most texts need it twice: once to hide, and once to see that no more is to be hidden.
const MAX_ROUNDS: usize = 4;
/// Shortest name that is looked for everywhere.
const SHORTEST_NAME: usize = 3;

/// Where a name stands, and what comes in its place.
type Hidden = (Range<usize>, &'static str);

/// The names of people and machines that some runs tell of themselves, which are hidden wherever they stand.
#[derive(Debug, Clone, Default)]
pub struct People {
    /// A phrase, where the name lies in it, and what comes in its place.
    phrases: Vec<(String, Range<usize>, &'static str)>,
}

impl People {
    /// Notes the value of a setting, if its name says that it is that of a person or machine.
    pub fn learn_setting(&mut self, key: &str, value: &str) {
        if let Some(mark) = mark_of(key).filter(|_| is_name(value)) {
            self.learn(value, mark);
        }
    }

    /// Notes the name of a machine.
    pub fn learn_host(&mut self, host: &str) {
        if is_name(host) {
            self.learn(host, HOST);
        }
    }

    /// Notes whose project it is. Names of teams are words of the field too (`openai/gsm8k`): it is hidden before its
    /// project and in addresses alone.
    pub fn learn_entity(&mut self, entity: &str, project: &str) {
        const SITE: &str = "wandb.ai/";
        if !is_name(entity) {
            return;
        }
        self.phrases.push((format!("{SITE}{entity}"), SITE.len()..SITE.len() + entity.len(), USER));
        if !project.is_empty() {
            self.phrases.push((format!("{entity}/{project}"), 0..entity.len(), USER));
        }
    }

    fn learn(&mut self, name: &str, mark: &'static str) {
        let phrase = (name.to_owned(), 0..name.len(), mark);
        if name.len() >= SHORTEST_NAME && !self.phrases.contains(&phrase) {
            self.phrases.push(phrase);
        }
    }

    /// The text without names of people and machines: those that were learned, and what has the form of one. The text of
    /// a JSON file stays one. Hiding twice changes nothing more.
    pub fn hide<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut shared = Cow::Borrowed(text);
        // A mark in place of a name may show where another one begins.
        for _ in 0..MAX_ROUNDS {
            let hidden = self.names(&shared);
            if hidden.is_empty() {
                break;
            }
            shared = Cow::Owned(without(&shared, hidden));
        }
        shared
    }

    /// Where names of people and machines stand in a text.
    fn names(&self, text: &str) -> Vec<Hidden> {
        let mut hidden = Vec::new();
        for (phrase, name, mark) in &self.phrases {
            for start in places(text, phrase) {
                let after = text.get(start + phrase.len()..).unwrap_or_default();
                if begins_word(text, start) && !after.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
                    hidden.push((start + name.start..start + name.end, *mark));
                }
            }
        }
        homes(text, &mut hidden);
        emails(text, &mut hidden);
        addresses(text, &mut hidden);
        hosts(text, &mut hidden);
        assigned(text, &mut hidden);
        hidden
    }
}

/// Where a phrase stands. Whole exports are searched for twenty phrases: with `str::match_indices` an export of 18 MB took
/// 1.15 s, with this and its like for single bytes 0.36 s.
fn places<'t>(text: &'t str, phrase: &'t str) -> impl Iterator<Item = usize> + 't {
    memmem::find_iter(text.as_bytes(), phrase)
}

fn without(text: &str, mut hidden: Vec<Hidden>) -> String {
    hidden.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (range, mark) in hidden {
        if range.start < done || range.is_empty() {
            continue;
        }
        out.push_str(text.get(done..range.start).unwrap_or_default());
        out.push_str(mark);
        done = range.end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

/// The name after `/home/` and its like.
fn homes(text: &str, hidden: &mut Vec<Hidden>) {
    for home in HOMES {
        for start in places(text, home) {
            let begin = start + home.len();
            let name = run_of(text.get(begin..).unwrap_or_default(), |c| of_name(c) || c == '@');
            let name = name.trim_end_matches('.');
            if !name.is_empty() && !is_nobody(name) {
                hidden.push((begin..begin + name.len(), USER));
            }
        }
    }
}

/// `name@host.domain`, but for `git@`, versions (`pkg@v1.2.3`) and metrics (`mean@32/x.y`).
fn emails(text: &str, hidden: &mut Vec<Hidden>) {
    for at in memchr_iter(b'@', text.as_bytes()) {
        let before = text.get(..at).unwrap_or_default();
        let local =
            before.bytes().rev().take(64).take_while(|b| b.is_ascii_alphanumeric() || b"._%+-".contains(b)).count();
        let start = at - local;
        // An escape such as `\n` is not part of the name.
        let start = start + escape_length(text, start);
        let domain =
            run_of(text.get(at + 1..).unwrap_or_default(), |c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'));
        let domain = domain.trim_end_matches(['.', '-']);
        let Some((host, last)) = domain.rsplit_once('.') else { continue };
        let is_domain = !host.is_empty() && last.len() >= 2 && last.bytes().all(|byte| byte.is_ascii_alphabetic());
        let name = text.get(start..at).unwrap_or_default();
        if is_domain && !name.is_empty() && name != "git" {
            hidden.push((start..at + 1 + domain.len(), EMAIL));
        }
    }
}

/// IPv4 and IPv6, but for those of the machine itself and for versions.
fn addresses(text: &str, hidden: &mut Vec<Hidden>) {
    runs::for_each(text, 7, |byte| byte.is_ascii_digit() || byte == b'.', &mut |run| {
        let digits = text.get(run.clone()).unwrap_or_default();
        let address = digits.trim_end_matches('.');
        let end = run.start + address.len();
        let parts: Vec<&str> = address.split('.').collect();
        let is_address = parts.len() == 4 && parts.iter().all(|part| part.len() <= 3 && part.parse::<u8>().is_ok());
        let is_own = address.starts_with("127.") || address.starts_with("0.") || address.starts_with("255.");
        let after = text.get(end..).unwrap_or_default();
        let is_longer = after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '+'))
            || (after.starts_with('-') && !after.starts_with("->"));
        if is_address && !is_own && !is_longer && begins_word(text, run.start) && !is_version(text, run.start) {
            hidden.push((run.start..end, ADDRESS));
        }
    });
    runs::for_each(text, 6, |byte| byte.is_ascii_hexdigit() || byte == b':', &mut |run| {
        let start = run.start + escape_length(text, run.start);
        let found = text.get(start..run.end).unwrap_or_default();
        // A colon behind it is a mark of the sentence.
        let address = if found.ends_with("::") { found } else { found.trim_end_matches(':') };
        let is_long = address.matches(':').count() >= 3 || address.starts_with("fe80::") || address.starts_with("fd");
        let after = text.get(start + address.len()..).unwrap_or_default();
        let is_free = begins_word(text, start) && !after.starts_with(|c: char| c.is_alphanumeric());
        let parsed = address.parse::<Ipv6Addr>().ok().filter(|_| is_long && is_free);
        if parsed.is_some_and(|address| !address.is_loopback() && !address.is_unspecified()) {
            hidden.push((start..start + address.len(), ADDRESS));
        }
    });
}

/// True for four numbers behind a sign or a word that says that they are a version.
fn is_version(text: &str, start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default();
    let near = before.get(before.ceil_char_boundary(before.len().saturating_sub(24))..).unwrap_or_default();
    let word = near.trim_end_matches([' ', ':', '=', '"', '\'', '(']).to_ascii_lowercase();
    near.ends_with(['-', '.', '_', '~', '^'])
        || ["==", ">=", "<=", "~=", "> ", "< "].iter().any(|sign| near.ends_with(sign))
        || ["version", "driver", "release", "cuda", "cudnn", "nccl", "build"].iter().any(|end| word.ends_with(end))
}

/// Names in private networks: `node12.cluster.internal`, `ip-10-0-0-3`.
fn hosts(text: &str, hidden: &mut Vec<Hidden>) {
    for end in PRIVATE {
        for start in places(text, end) {
            let before = text.get(..start).unwrap_or_default();
            let length =
                before.bytes().rev().take(200).take_while(|b| b.is_ascii_alphanumeric() || b"-.".contains(b)).count();
            let begin = start - length;
            let begin = begin + escape_length(text, begin);
            let rest = run_of(text.get(start + end.len()..).unwrap_or_default(), |c| {
                c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')
            });
            let is_host = rest.trim_end_matches(['.', '-']).is_empty() || rest.starts_with('.') && is_private(rest);
            let has_digit = text.get(begin..start).is_some_and(|name| !name.is_empty() && !name.starts_with('.'));
            let from_path =
                text.get(..begin).is_some_and(|before| before.ends_with(['/', '_']) && !before.ends_with("//"));
            if is_host && has_digit && !from_path {
                hidden.push((begin..start + end.len() + rest.trim_end_matches(['.', '-']).len(), HOST));
            }
        }
    }
    for start in places(text, "ip-") {
        let digits = run_of(text.get(start + 3..).unwrap_or_default(), |c| c.is_ascii_digit() || c == '-');
        if digits.split('-').filter(|part| !part.is_empty()).count() == 4 && begins_word(text, start) {
            hidden.push((start..start + 3 + digits.trim_end_matches('-').len(), HOST));
        }
    }
}

fn is_private(name: &str) -> bool {
    PRIVATE.iter().any(|end| name.ends_with(end))
}

/// `username: …`, `host=…`, `"user": "…"`.
fn assigned(text: &str, hidden: &mut Vec<Hidden>) {
    for sign in memchr2_iter(b':', b'=', text.as_bytes()) {
        let name = named::name_before(text, sign);
        let start = sign - text.get(..sign).and_then(|before| before.rfind(name)).map_or(0, |at| sign - at);
        let name = name.get(escape_length(text, start)..).unwrap_or_default();
        let Some(mark) = mark_of(name) else { continue };
        let after = text.get(sign + 1..).unwrap_or_default();
        let gap = run_of(after, |c| matches!(c, ' ' | '"' | '\'' | '\\' | '`'));
        let value = run_of(after.get(gap.len()..).unwrap_or_default(), |c| of_name(c) || matches!(c, '[' | ']'));
        let value = value.trim_end_matches(['.', ']', '-']);
        let end = sign + 1 + gap.len() + value.len();
        let is_call = text.get(end..).is_some_and(|rest| rest.starts_with(['(', '/']) || rest.starts_with("::"));
        if is_name(value) && !is_call && value.len() <= 200 {
            hidden.push((end - value.len()..end, mark));
        }
    }
}

/// What hides the value of a setting of this name; none when it holds no name.
fn mark_of(key: &str) -> Option<&'static str> {
    let last = names::last_word(key);
    let is = |words: &[&str]| words.iter().any(|word| last.eq_ignore_ascii_case(word));
    if is(&USER_WORDS) {
        return Some(USER);
    }
    is(&HOST_WORDS).then_some(HOST)
}

/// True for what may be the name of a person or machine: letters among it, and nobody's account.
fn is_name(value: &str) -> bool {
    value.len() >= 2
        && value.contains(|c: char| c.is_alphabetic())
        && value.chars().all(|c| of_name(c) || matches!(c, '[' | '@'))
        && !is_nobody(value)
        && !PUBLIC.iter().any(|host| value.ends_with(host))
}

fn is_nobody(name: &str) -> bool {
    NOBODY.iter().any(|nobody| name.eq_ignore_ascii_case(nobody))
}

fn of_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '.' | '_' | '-')
}

/// True where a word begins: after no letter, or after an escape as JSON writes it.
fn begins_word(text: &str, start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default();
    let ends_escape = |length| start > length && escape_length(text, start - length) == length;
    ends_escape(1) || ends_escape(5) || !(ends_within_word(before) || before.ends_with('_'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn people_and_machines_are_hidden() {
        let mut people = People::default();
        people.learn_setting("config.username", "alice");
        people.learn_host("gpu-a12");
        people.learn_entity("acme-lab", "grpo");
        for (text, expected) in [
            ("/home/bob/runs/x.py", "/home/(user)/runs/x.py"),
            ("/Users/bob.smith/x", "/Users/(user)/x"),
            ("C:\\Users\\Bob\\runs", "C:\\Users\\(user)\\runs"),
            ("\"C:\\\\Users\\\\Bob\\\\runs\"", "\"C:\\\\Users\\\\(user)\\\\runs\""),
            ("mail bob.smith+x@example.org.", "mail (email)."),
            ("\"a\\nbob@example.org\"", "\"a\\n(email)\""),
            ("from 10.12.0.3:29500 to 192.168.1.7", "from (address):29500 to (address)"),
            ("at 2001:db8::8a2e:370:7334, port", "at (address), port"),
            ("[fe80::1ff:fe23:4567:890a]:80", "[(address)]:80"),
            ("node12.cluster.internal is down", "(host) is down"),
            ("ip-10-0-0-3.ec2.internal and ip-10-0-0-4", "(host) and (host)"),
            ("hostname: node-12", "hostname: (host)"),
            ("SLURM_JOB_USER=bob SLURMD_NODENAME=n01", "SLURM_JOB_USER=(user) SLURMD_NODENAME=(host)"),
            ("{\"username\": \"bob\", \"host\": \"node12\"}", "{\"username\": \"(user)\", \"host\": \"(host)\"}"),
            ("started by alice on gpu-a12", "started by (user) on (host)"),
            ("\"x\\nalice: ok\"", "\"x\\n(user): ok\""),
            ("https://wandb.ai/acme-lab/grpo/runs/1", "https://wandb.ai/(user)/grpo/runs/1"),
            ("acme-lab/grpo", "(user)/grpo"),
        ] {
            let hidden = people.hide(text).into_owned();
            assert_eq!(hidden, expected);
            assert_eq!(people.hide(&hidden), expected, "hiding twice");
        }
    }

    #[test]
    fn versions_metrics_and_public_hosts_stay() {
        let mut people = People::default();
        people.learn_setting("user", "root");
        people.learn_setting("model.name", "qwen");
        for text in [
            "torch==2.5.1.3 nvidia-cublas-cu12==12.4.5.8 driver version 535.104.5.1",
            "nvidia_cublas_cu12-12.4.5.8-py3-none-any.whl libfoo.so.1.2.3.4",
            "version: 1.2.3.4",
            "http://127.0.0.1:8265 and 0.0.0.0:8000, localhost",
            "val-core/acc/best@32/mean pass@1 transformers@v4.46.0 qwen",
            "git@github.com:huggingface/trl.git https://huggingface.co/Qwen",
            "12:34:56 and 2025-01-01T12:00:00 c10d::ProcessGroup std::vec at::Tensor",
            "role: user, {\"role\": \"user\", \"content\": \"hi\"}",
            "user: root, host: 0.5, node: 3, host=huggingface.co",
            "train/host_memory: 12.5 acme-lab alice",
            "/home/ /root/x /homes",
            "step:2 - reward:0.5 - kl:0.01",
        ] {
            assert_eq!(people.hide(text), text);
        }
    }

    proptest! {
        #[test]
        fn json_stays_json_and_twice_is_once(
            text in "([a-z]{1,4}|[\\\\n\"@./:=]|user|host|/home/|@x.org|10.0.0.1|::1|é){0,12}",
        ) {
            let mut people = People::default();
            people.learn_setting("user", "bob");
            let json = serde_json::to_string(&text).unwrap();
            let hidden = people.hide(&json).into_owned();
            prop_assert!(serde_json::from_str::<String>(&hidden).is_ok(), "{}", hidden);
            prop_assert_eq!(people.hide(&hidden).into_owned(), hidden);
        }
    }
}
