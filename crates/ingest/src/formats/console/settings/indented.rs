//! A dictionary that `pprint` printed and that lost lines on its way into the log, read by its columns.
//!
//! `pprint` puts all keys of one dictionary into one column, so that the column of a key tells which dictionary it is
//! in, whatever brackets are missing. Values that go on below their line, such as long lists, are left out.

use std::collections::BTreeMap;

use crate::syntax::json::Json;
use crate::syntax::python;

/// Deepest nesting read. Configs have about ten levels.
const MAX_DEPTH: usize = 64;

/// The settings that can be read in `text`.
pub(crate) fn parse(text: &str) -> BTreeMap<String, Json> {
    let mut found = Json::Null;
    let mut columns: Vec<usize> = Vec::new();
    let mut path: Vec<String> = Vec::new();
    for line in text.lines() {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let mut at = indent + usize::from(line.get(indent..).is_some_and(|rest| rest.starts_with('{')));
        // A line has one key, or one of each dictionary that begins on it.
        while let Some((key, value)) = line.get(at..).and_then(member) {
            while columns.last().is_some_and(|column| *column >= at) {
                columns.pop();
                path.pop();
            }
            if columns.len() >= MAX_DEPTH {
                break;
            }
            columns.push(at);
            path.push(key.to_owned());
            if let Ok((value, _)) = python::parse_prefix(value) {
                found.set(&path, value);
                break;
            }
            if !value.starts_with('{') {
                break;
            }
            at = line.len() - value.len() + 1;
        }
    }
    if let Json::Object(settings) = found { settings } else { BTreeMap::new() }
}

/// The key that `text` begins with, and what stands behind its colon.
fn member(text: &str) -> Option<(&str, &str)> {
    let (key, rest) = text.strip_prefix('\'')?.split_once('\'')?;
    Some((key, rest.strip_prefix(": ")?)).filter(|(key, _)| !key.contains('\\'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Json {
        Json::Object(parse(&lines.join("\n")))
    }

    #[test]
    fn columns_tell_what_is_nested() {
        let config = read(&[
            "{'actor': {'clip': 0.2,",
            "           'fsdp': {'min': 0,",
            // Here the line with the closing brackets is missing.
            "           'path': 'a}b',",
            "           'files': ['one',",
            "                     'two'],",
            "           'optim': {'lr': 1e-06, 'betas': (0.9, 0.999)}},",
            " 'trainer': {'n': None,",
            "             'name': 'x',",
        ]);
        let expected = r#"{"actor": {"clip": 0.2, "fsdp": {"min": 0}, "path": "a}b",
            "optim": {"lr": 1e-6, "betas": [0.9, 0.999]}}, "trainer": {"n": null, "name": "x"}}"#;
        assert_eq!(config, Json::parse(expected.as_bytes()).unwrap());
    }

    #[test]
    fn nothing_ends_badly() {
        assert_eq!(parse("no dictionary\n'a\n{{{\n'b':3").len(), 0);
        let deep = "{'a': ".repeat(10_000);
        assert!(parse(&deep).is_empty());
        assert_eq!(parse("{'é': {'ü': 1").len(), 1);
    }
}
