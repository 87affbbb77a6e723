//! Regular expressions in queries: `regex-lite`, and which of them mean the same to RE2.

use regex_lite::{Regex, RegexBuilder};

/// Most bytes of a compiled pattern; a pattern beyond it could make a search over many runs slow.
const SIZE_LIMIT: usize = 1 << 18;

/// A compiled regular expression.
#[derive(Debug, Clone)]
pub struct TextPattern {
    source: String,
    ignores_case: bool,
    regex: Regex,
}

impl TextPattern {
    /// Compiles a regular expression.
    ///
    /// # Errors
    /// For a malformed or too large one: one sentence that says what is wrong.
    pub(super) fn new(source: &str, ignores_case: bool) -> Result<Self, String> {
        let regex = RegexBuilder::new(source).case_insensitive(ignores_case).size_limit(SIZE_LIMIT).build();
        let regex = regex.map_err(|error| format!("This regular expression is not valid: {error}."))?;
        Ok(Self { source: source.to_owned(), ignores_case, regex })
    }

    /// True when it matches anywhere in the text.
    pub(super) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// The same pattern for RE2, or `None` where RE2 could match less: its syntax differs in flags, `{,n}`, some
    /// escapes and nested classes, and its `\s` has no vertical tab.
    pub fn for_re2(&self) -> Option<String> {
        is_common_syntax(&self.source)
            .then(|| if self.ignores_case { format!("(?i){}", self.source) } else { self.source.clone() })
    }
}

impl PartialEq for TextPattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source && self.ignores_case == other.ignores_case
    }
}

/// True for a valid pattern made only of what `regex-lite` and RE2 read alike: literals, `.`, classes,
/// `\d \w \b \n \r \t` and their opposites, `* + ?`, groups, `|`, `^`, `$`.
fn is_common_syntax(source: &str) -> bool {
    let mut rest = source.chars().peekable();
    let mut is_in_class = false;
    while let Some(next) = rest.next() {
        let is_common = match next {
            '\\' => rest.next().is_some_and(|escaped| match escaped {
                'b' | 'B' => !is_in_class,
                'd' | 'D' | 'w' | 'W' | 'n' | 'r' | 't' => true,
                other => other.is_ascii_punctuation() && !matches!(other, '<' | '>'),
            }),
            '[' if !is_in_class => {
                is_in_class = true;
                rest.next_if_eq(&'^');
                rest.next_if_eq(&']');
                true
            }
            ']' if is_in_class => {
                is_in_class = false;
                true
            }
            '[' => false,
            '&' | '~' | '-' if is_in_class => rest.peek() != Some(&next),
            '(' if !is_in_class => rest.next_if_eq(&'?').is_none() || rest.next_if_eq(&':').is_some(),
            '{' => is_in_class,
            _ => true,
        };
        if !is_common {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn pattern(source: &str, ignores_case: bool) -> TextPattern {
        TextPattern::new(source, ignores_case).unwrap()
    }

    #[test]
    fn case_is_ignored_where_asked() {
        assert!(pattern("seed\\d$", true).is_match("lr-1-Seed3"));
        assert!(!pattern("seed\\d$", false).is_match("lr-1-Seed3"));
    }

    #[test]
    fn malformed_and_huge_patterns_are_errors() {
        for source in ["a(b", "ab)", "[a", "*a", "a\\", "[b-a]", "(((a{900}){900}){900})", &"(".repeat(100_000)] {
            assert!(TextPattern::new(source, false).is_err(), "{source}");
        }
    }

    #[test]
    fn the_server_gets_only_patterns_that_it_reads_alike() {
        for source in
            ["^lr-", "seed[0-9]+$", "a|b", "(ab)*c", "(?:ab)?", "a\\.b", "[^a-c]", "\\bend\\b", "[]a]", "[{}]"]
        {
            assert_eq!(pattern(source, false).for_re2().as_deref(), Some(source));
        }
        for source in ["\\s", "a{2}", "(?i)a", "(?P<n>a)", "\\x41", "\\<a"] {
            assert_eq!(pattern(source, false).for_re2(), None, "{source}");
        }
        assert_eq!(pattern("a", true).for_re2().as_deref(), Some("(?i)a"));
    }
}
