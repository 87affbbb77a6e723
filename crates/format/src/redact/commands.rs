//! Passwords as arguments of commands that take them without a telling name: `curl -u user:password`, `mysql -ppassword`;
//! and the lines of a `.netrc`.

use std::ops::Range;

use super::named::is_literal;
use super::{ends_within_word, run_of};

/// How a command takes its password.
#[derive(Clone, Copy, PartialEq)]
enum Takes {
    /// As `user:password`.
    Pair,
    /// The word after the flag.
    Word,
    /// Right after the flag, without a space.
    Glued,
}

const COMMANDS: &[(&str, &[(&str, Takes)])] = &[
    ("curl", &[("-u", Takes::Pair), ("--user", Takes::Pair), ("-U", Takes::Pair), ("--proxy-user", Takes::Pair)]),
    ("mysql", &[("-p", Takes::Glued)]),
    ("mysqldump", &[("-p", Takes::Glued)]),
    ("mysqladmin", &[("-p", Takes::Glued)]),
    ("mariadb", &[("-p", Takes::Glued)]),
    ("sshpass", &[("-p", Takes::Word), ("-p", Takes::Glued)]),
    ("docker login", &[("-p", Takes::Word)]),
    ("podman login", &[("-p", Takes::Word)]),
    ("redis-cli", &[("-a", Takes::Word)]),
    ("mongosh", &[("-p", Takes::Word)]),
    ("mongo", &[("-p", Takes::Word)]),
    ("ldapsearch", &[("-w", Takes::Word)]),
    ("wandb login", &[("", Takes::Word)]),
];

/// How far behind a command its flags are looked for.
const REACH: usize = 2048;

pub(super) fn find(text: &str, secrets: &mut Vec<Range<usize>>) {
    for (command, flags) in COMMANDS {
        for (start, _) in text.match_indices(command) {
            let is_word = !ends_within_word(text.get(..start).unwrap_or_default());
            let from = start + command.len();
            let after = text.get(from..).unwrap_or_default();
            if is_word && after.starts_with([' ', '\'', '"', ',']) {
                let reach = after.get(..after.floor_char_boundary(REACH)).unwrap_or_default();
                // Another such command has flags of its own.
                let line = reach.split(command).next().unwrap_or_default();
                for (flag, takes) in *flags {
                    argument(line, from, flag, *takes, secrets);
                }
            }
        }
    }
    netrc(text, secrets);
}

/// The value of each `flag` in `line`, which begins at `from` of the text. A backslash at its end goes on.
fn argument(line: &str, from: usize, flag: &str, takes: Takes, secrets: &mut Vec<Range<usize>>) {
    let end = line.match_indices('\n').find(|(at, _)| !line.get(..*at).unwrap_or_default().trim_end().ends_with('\\'));
    let line = line.get(..end.map_or(line.len(), |(at, _)| at)).unwrap_or_default();
    for (at, _) in line.match_indices(flag).take(8) {
        let is_free = flag.is_empty() || line.get(..at).unwrap_or_default().ends_with([' ', '\t', '\n', '\'', '"']);
        let rest = line.get(at + flag.len()..).unwrap_or_default();
        let gap = run_of(rest, |c| matches!(c, ' ' | '=' | '\'' | '"' | ','));
        if !is_free || (takes == Takes::Glued) != gap.is_empty() {
            continue;
        }
        let quote = gap.chars().last().filter(|c| matches!(c, '\'' | '"'));
        let body = rest.get(gap.len()..).unwrap_or_default();
        let value = match quote {
            Some(quote) => run_of(body, |c| c != quote),
            None => run_of(body, |c| !c.is_whitespace() && !matches!(c, '\'' | '"' | ';' | '|' | ',')),
        };
        let begin = from + at + flag.len() + gap.len();
        let secret = match takes {
            Takes::Pair => value.split_once(':').map(|(user, word)| (user.len() + 1, word)),
            // `wandb login` takes its key as its only argument; other words are flags.
            _ if flag.is_empty() => (value.len() >= 20 && at == 0).then_some((0, value)),
            _ => Some((0, value)),
        };
        let secret = secret.filter(|(_, word)| !word.is_empty() && !is_literal(word) && !word.starts_with('-'));
        if let Some((offset, word)) = secret {
            secrets.push(begin + offset..begin + offset + word.len());
        }
        if flag.is_empty() {
            return;
        }
    }
}

/// `machine HOST login NAME password WORD`, in one line or several.
fn netrc(text: &str, secrets: &mut Vec<Range<usize>>) {
    for (start, name) in text.match_indices("password") {
        let before = text.get(..start).unwrap_or_default();
        let entry = before.get(before.ceil_char_boundary(before.len().saturating_sub(256))..).unwrap_or_default();
        let mut words = entry.split_whitespace().skip_while(|word| !matches!(*word, "machine" | "default"));
        // A host has a dot: `machine learning` names no host.
        let has_host = match words.next() {
            Some("machine") => words.next().is_some_and(|host| host.contains('.') || host == "localhost"),
            first => first.is_some(),
        };
        let has = |word: &str| entry.split_whitespace().any(|other| other == word);
        let after = text.get(start + name.len()..).unwrap_or_default();
        let gap = run_of(after, char::is_whitespace);
        let is_line = entry.rsplit('\n').next().is_some_and(|line| line.trim().is_empty()) && entry.contains('\n');
        if gap.is_empty() || !has_host || !(has("login") || is_line) {
            continue;
        }
        let begin = start + name.len() + gap.len();
        let value = run_of(text.get(begin..).unwrap_or_default(), |c| !c.is_whitespace());
        if !value.is_empty() {
            secrets.push(begin..begin + value.len());
        }
    }
}
