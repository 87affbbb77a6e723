//! Literal keyword arguments of calls in Python source: `GRPOConfig(learning_rate=5e-6, max_steps=STEPS)`.
//!
//! Nothing is evaluated. A name stands for a literal that was assigned to it at the top level before; whatever else may
//! have changed it (a loop, a condition, an import) makes it unknown.

use std::collections::BTreeMap;

use super::json::Json;
use super::python::literal;
use super::python_statements::{Quotes, Statement, statements};

/// A call.
#[derive(Debug, PartialEq)]
pub(crate) struct Call {
    /// The last part of its name.
    pub name: String,
    /// Keyword arguments that are known.
    pub arguments: Vec<(String, Json)>,
    /// True inside of a block, which may not have been run.
    pub is_indented: bool,
}

/// Statements that name things without an assignment.
const NAMING_STATEMENTS: [&str; 9] =
    ["for ", "with ", "import ", "from ", "del ", "def ", "class ", "async ", "global "];

/// Reads sources one after another, as the cells of a notebook.
#[derive(Debug, Default)]
pub(crate) struct SourceCalls {
    names: BTreeMap<String, Json>,
    /// Dictionaries with names as their keys, which a call takes as `**NAME`.
    dictionaries: BTreeMap<String, Vec<(String, Json)>>,
}

impl SourceCalls {
    /// The calls of names that are wanted, in order.
    pub(crate) fn read(&mut self, source: &str, is_wanted: impl Fn(&str) -> bool) -> Vec<Call> {
        let mut found = Vec::new();
        for statement in statements(source) {
            if !statement.text.starts_with("def ") && !statement.text.starts_with("class ") {
                self.calls(&statement, &is_wanted, &mut found);
            }
            self.assign(&statement);
        }
        found
    }

    /// The names at the top level that stand for literals now.
    pub(crate) fn names(&self) -> &BTreeMap<String, Json> {
        &self.names
    }

    fn calls(&self, statement: &Statement, is_wanted: &impl Fn(&str) -> bool, found: &mut Vec<Call>) {
        for (name, inside) in calls_in(&statement.text) {
            if !is_wanted(name) {
                continue;
            }
            let is_indented = statement.is_indented;
            let mut arguments = Vec::new();
            for argument in split(inside, ',') {
                let dictionary = argument.trim().strip_prefix("**").filter(|_| !is_indented);
                match dictionary.and_then(|name| self.dictionaries.get(name.trim())) {
                    Some(members) => arguments.extend(members.iter().cloned()),
                    None => arguments.extend(self.argument(argument, is_indented)),
                }
            }
            found.push(Call { name: name.to_owned(), arguments, is_indented });
        }
    }

    /// A keyword argument. In a block a name may be that of an argument of the function around it.
    fn argument(&self, text: &str, is_indented: bool) -> Option<(String, Json)> {
        let (key, value) = text.split_once('=')?;
        let (key, value) = (key.trim(), value.trim());
        if !is_name(key) || value.starts_with('=') {
            return None;
        }
        let known = || self.value(value).filter(|_| !is_indented);
        Some((key.to_owned(), literal(value).or_else(known)?))
    }

    /// The value of a name, or of two known numbers with an operator between them: `max_seq_length - max_prompt_length`.
    fn value(&self, text: &str) -> Option<Json> {
        if let Some(known) = self.names.get(text) {
            return Some(known.clone());
        }
        let operator = text.find(['+', '-', '*'])?;
        let (left, right) = (text.get(..operator)?.trim(), text.get(operator + 1..)?.trim());
        let number = |text: &str| match literal(text).or_else(|| self.names.get(text).cloned())? {
            Json::Number(number) => Some(number),
            _ => None,
        };
        let (left, right) = (number(left)?, number(right)?);
        Some(Json::Number(match text.as_bytes().get(operator)? {
            b'+' => left + right,
            b'-' => left - right,
            _ => left * right,
        }))
    }

    /// Notes what a statement assigns.
    fn assign(&mut self, statement: &Statement) {
        let text = &statement.text;
        let names_things = NAMING_STATEMENTS.iter().any(|word| text.starts_with(word));
        let parts: Vec<&str> = split(text, '=').collect();
        let (targets, value) = match parts.split_last() {
            _ if names_things => (text.as_str(), None),
            Some((value, [target])) => (*target, Some(*value)),
            Some((_, [])) | None => return,
            _ => (text.as_str(), None),
        };
        let name = targets.split(':').next().unwrap_or(targets).trim();
        for word in targets.split(|letter: char| !letter.is_alphanumeric() && letter != '_') {
            self.names.remove(word);
            self.dictionaries.remove(word);
        }
        if !is_name(name) || statement.is_indented {
            return;
        }
        let known = value.and_then(|value| literal(value).or_else(|| self.value(value.trim())));
        if let Some(value) = known {
            self.names.insert(name.to_owned(), value);
        } else if let Some(members) = value.and_then(|value| self.dictionary(value)) {
            self.dictionaries.insert(name.to_owned(), members);
        }
    }

    /// The known members of `dict(lr=1e-6, …)` or `{"lr": 1e-6, …}`.
    fn dictionary(&self, text: &str) -> Option<Vec<(String, Json)>> {
        let text = text.trim();
        if let Some(inside) = text.strip_prefix("dict(").and_then(|rest| rest.strip_suffix(')')) {
            return Some(split(inside, ',').filter_map(|argument| self.argument(argument, false)).collect());
        }
        let inside = text.strip_prefix('{')?.strip_suffix('}')?;
        let member = |text: &str| {
            let (key, value) = text.split_once(':')?;
            let Some(Json::Text(key)) = literal(key) else { return None };
            self.argument(&format!("{key}={value}"), false)
        };
        Some(split(inside, ',').filter_map(member).collect())
    }
}

fn is_name(text: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    !text.is_empty() && text.chars().all(is_part) && !text.starts_with(|first: char| first.is_ascii_digit())
}

/// The letters of a text that stand outside of quotes, each with its place in bytes.
fn outside_of_quotes(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut quotes = Quotes::default();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..)?;
            let (letter, start, was_open) = (rest.chars().next()?, at, quotes.is_open());
            at += quotes.advance(rest);
            if !was_open && !quotes.is_open() {
                return Some((start, letter));
            }
        }
    })
}

/// Every call of a statement, also one within another: the last part of its name, and what is between its brackets.
fn calls_in(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut open: Vec<(&str, usize)> = Vec::new();
    for (at, letter) in outside_of_quotes(text) {
        match letter {
            '(' | '[' | '{' => {
                let before = text.get(..at).unwrap_or_default().trim_end();
                let word = before.rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_').next();
                open.push((word.unwrap_or_default(), at + 1));
            }
            ')' | ']' | '}' => {
                if let Some((name, from)) = open.pop()
                    && let Some(inside) = text.get(from..at)
                    && is_name(name)
                {
                    found.push((name, inside));
                }
            }
            _ => {}
        }
    }
    found
}

/// The parts of a text between separators that stand outside of brackets and quotes. A sign of equality that is a part of
/// a comparison separates nothing.
fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut parts = Vec::new();
    let (mut depth, mut from) = (0_usize, 0);
    for (at, letter) in outside_of_quotes(text) {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ if letter == separator && depth == 0 => {
                let (before, rest) = text.split_at_checked(at).unwrap_or_default();
                let is_comparison = rest.starts_with("==") || before.ends_with(['=', '!', '<', '>']);
                if letter != '=' || !is_comparison {
                    parts.extend(text.get(from..at));
                    from = at + letter.len_utf8();
                }
            }
            _ => {}
        }
    }
    parts.extend(text.get(from..));
    parts.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(sources: &[&str]) -> Vec<String> {
        let mut reader = SourceCalls::default();
        let calls = sources.iter().flat_map(|source| reader.read(source, |name| name.ends_with("Config")));
        let shown = |call: Call| {
            let arguments =
                call.arguments.into_iter().map(|(key, value)| format!("{key}={}", value.into_config_value()));
            format!("{}({})", call.name, arguments.collect::<Vec<_>>().join(", "))
        };
        calls.collect::<Vec<_>>().into_iter().map(shown).collect()
    }

    #[test]
    fn literals_and_names_of_literals_are_arguments() {
        let cells = [
            "STEPS: int = 60 # all\nname = 'a, b=3'\n",
            "args = trl.GRPOConfig(\n    learning_rate = 2e-6, # low\n    max_steps=STEPS,\n    run_name=name,\n    \
             fp16=not True, f=g(x=1), steps=STEPS // 2, **rest\n)",
        ];
        assert_eq!(read(&cells), ["GRPOConfig(learning_rate=2e-6, max_steps=60, run_name=a, b=3)"]);
        for common in ["dict(lr=1e-6, n=STEPS, f=g(), )", "{'lr': 1e-6, \"n\": STEPS, 'f': g()}"] {
            let call = "GRPOConfig(**common, seed=3)";
            assert_eq!(read(&[&format!("STEPS = 60\ncommon = {common}"), call]), ["GRPOConfig(lr=1e-6, n=60, seed=3)"]);
            assert_eq!(read(&[&format!("common = {common}\ncommon['lr'] = 1"), call]), ["GRPOConfig(seed=3)"]);
        }
        let lengths = "all = 512\nprompt = all - 480\nGRPOConfig(length=all - prompt, n=2 * 4, of=all - other, m=a.b)";
        assert_eq!(read(&[lengths]), ["GRPOConfig(length=480, n=8)"]);
        let nested = ["T(args=PPOConfig(lr=1), peft=LoraConfig(r=8, target=['q', 'v']))"];
        assert_eq!(read(&nested), ["PPOConfig(lr=1)", "LoraConfig(r=8)"]);
    }

    #[test]
    fn a_name_that_may_have_changed_is_unknown() {
        let with = |between: &str| read(&[&format!("n = 4\n{between}\nGRPOConfig(n=n)")]);
        assert_eq!(with("m = 5"), ["GRPOConfig(n=4)"]);
        assert_eq!(with("n = 5"), ["GRPOConfig(n=5)"]);
        for between in [
            "n += 1", "n = f()", "n, m = 1, 2", "m = n = 3", "for n in x:\n    pass", "from x import n",
            "if a:\n    n = 3", "if a: n = 3", "def n(): pass",
        ] {
            assert_eq!(with(between), ["GRPOConfig()"], "{between}");
        }
        assert_eq!(with("f(n=5)"), ["GRPOConfig(n=4)"], "an argument is no assignment");
        assert_eq!(with("n == 5"), ["GRPOConfig(n=4)"]);
    }

    #[test]
    fn what_is_no_call_is_none() {
        assert!(read(&["class GRPOConfig(Base, x=1): pass", "# GRPOConfig(a=1)", "s = 'GRPOConfig(a=1)'"]).is_empty());
        assert!(read(&["GRPOConfig(a=1", "def f(c=GRPOConfig(a=1)):\n    pass", "Configs(a=1)"]).is_empty());
        assert_eq!(read(&["n = 4\ndef f(n):\n    return GRPOConfig(a=1, n=n)"]), ["GRPOConfig(a=1)"]);
    }
}
