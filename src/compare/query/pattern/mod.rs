//! Regular expressions in linear time, without a crate: those are as large as the rest of the engine.
//!
//! Literals, `.`, classes, `\d \w \s \b` and their opposites, `* + ? {m,n}`, groups, `|`, `^`, `$`, and case that does
//! not count. All of it is a part of RE2's syntax with the same meaning. Classes are of ASCII, as RE2's are; only the
//! case of ASCII letters is ignored. There are no captures and no references back, so that all ways through a
//! pattern are followed side by side (Thompson 1968): the work is bounded by pattern times text.

mod program;
mod syntax;

use program::Program;

/// A regular expression, ready to be looked for.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    source: String,
    ignores_case: bool,
    program: Program,
}

/// What is wrong with a regular expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PatternError {
    /// Character of the pattern, from 0.
    pub(super) at: usize,
    /// One plain sentence.
    pub(super) what: &'static str,
}

impl Pattern {
    pub(super) fn new(source: &str, ignores_case: bool) -> Result<Self, PatternError> {
        let parsed = syntax::parse(source)?;
        let program = Program::new(parsed, ignores_case).ok_or(PatternError { at: 0, what: TOO_LARGE })?;
        Ok(Self { source: source.to_owned(), ignores_case, program })
    }

    /// True when the pattern is found anywhere in the text.
    pub(super) fn finds(&self, text: &str) -> bool {
        self.program.finds(text)
    }

    /// The same pattern as RE2 writes it.
    pub(super) fn for_re2(&self) -> String {
        if self.ignores_case { format!("(?i){}", self.source) } else { self.source.clone() }
    }
}

const TOO_LARGE: &str = "This regular expression is too large.";

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source && self.ignores_case == other.ignores_case
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn finds(source: &str, text: &str) -> bool {
        Pattern::new(source, false).unwrap().finds(text)
    }

    #[test]
    fn what_the_language_promises() {
        for (source, yes, no) in [
            ("^lr-", "lr-3", "a-lr-3"),
            ("seed[0-9]+$", "run-seed12", "seed12-run"),
            (r"\d{2,3}x", "a123x", "a1x"),
            ("a|bc|", "", "\0never"),
            ("(ab)*c", "ababc", "abab"),
            (r"a\.b", "a.b", "axb"),
            ("[^a-c]", "d", "abc"),
            (r"\bend\b", "the end.", "bending"),
            ("x{0}y", "y", "x"),
            (r"[\w-]+@[\d\]]", "a-b@]", "a-b@x"),
            ("é+", "café", "cafe"),
            ("a{,2}", "a{,2}", "aa"),
            (r"\/", "a/b", "ab"),
            ("[]a]", "]", "b"),
        ] {
            assert!(finds(source, yes), "{source} in {yes}");
            if no != "\0never" {
                assert!(!finds(source, no), "{source} in {no}");
            }
        }
        let pattern = Pattern::new("^[^B]r$", true).unwrap();
        assert!(pattern.finds("aR") && !pattern.finds("br"));
    }

    #[test]
    fn errors_point_at_the_character() {
        for (source, at) in [
            ("a(b", 1),
            ("ab)", 2),
            ("[a", 0),
            ("*a", 0),
            ("a**", 2),
            (r"a\", 1),
            ("a{3,2}", 1),
            ("[b-a]", 1),
            (r"\q", 0),
        ] {
            assert_eq!(Pattern::new(source, false).map_err(|error| error.at), Err(at), "{source}");
        }
        assert!(Pattern::new("(((a{900}){900}){900})", false).is_err());
        assert!(Pattern::new("((((){1000}){1000}){1000}){1000}", false).is_err());
        assert!(Pattern::new(&"(".repeat(100_000), false).is_err());
    }

    #[test]
    fn a_bad_pattern_costs_linear_time() {
        let text = "a".repeat(20_000);
        assert!(!finds("(a*)*b", &text));
        assert!(!finds("(a|a|aa)+$b", &text));
    }

    fn source() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            "[abAB01 _.-]".prop_map(|c| if c == "." { r"\.".to_owned() } else { c }),
            Just(".".to_owned()),
            Just("^".to_owned()),
            Just("$".to_owned()),
            prop::sample::select(vec![r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", r"\b", r"\B"]).prop_map(str::to_owned),
            prop::sample::select(vec!["[a-b]", "[^a]", r"[^\d_]", r"[\Wa]", "[AB-]", r"[\s0]"]).prop_map(str::to_owned),
        ];
        leaf.prop_recursive(4, 24, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
                prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| format!("({})", parts.join("|"))),
                (inner, prop::sample::select(vec!["*", "+", "?", "{2}", "{1,}", "{0,2}", "{1,3}", "*?", "+?"]))
                    .prop_map(|(part, times)| format!("(?:{part}){times}")),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn it_finds_what_the_regex_crate_finds(source in source(), text in "[abAB01 _.\n-]{0,12}", ignores_case: bool) {
            let peer = regex::bytes::RegexBuilder::new(&source)
                .unicode(false)
                .case_insensitive(ignores_case)
                .build()
                .unwrap();
            let ours = Pattern::new(&source, ignores_case).unwrap();
            prop_assert_eq!(ours.finds(&text), peer.is_match(text.as_bytes()), "{} in {:?}", source, text);
        }

        #[test]
        fn no_pattern_panics(source in ".{0,20}", text in ".{0,20}") {
            if let Ok(pattern) = Pattern::new(&source, true) {
                let _ = pattern.finds(&text);
            }
        }
    }
}
