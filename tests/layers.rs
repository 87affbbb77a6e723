//! The table of `src/lib.rs`, enforced: which module may use which, that the core knows nothing of the browser,
//! and that every file says why it exists.
//!
//! Sources are read as tokens, so comments and strings do not count, and a path counts wherever it stands. What is
//! compiled for tests alone may use anything.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may panic")]
#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A module and what it may use besides itself: modules, or parts of one.
const TABLE: &[(&str, &[&str])] = &[
    ("content", &[]),
    ("run", &[]),
    ("stats", &[]),
    ("vocabulary", &["run"]),
    ("ingest", &["run"]),
    ("remote", &[]),
    ("wandb", &["run", "ingest", "remote"]),
    ("axiom", &["run", "ingest", "remote"]),
    ("diagnose", &["run", "stats", "vocabulary"]),
    ("compare", &["run", "stats", "vocabulary", "diagnose"]),
    ("settings", &["diagnose", "vocabulary"]),
    ("plot", &["content", "run", "stats"]),
    (
        "report",
        &["content", "run", "stats", "vocabulary", "ingest", "remote", "wandb", "axiom", "diagnose", "compare", "plot"],
    ),
    ("engine", &["content", "run", "stats", "ingest", "plot"]),
    (
        "judge",
        &[
            "content",
            "run",
            "stats",
            "vocabulary",
            "diagnose",
            "compare",
            "plot",
            "report",
            "settings",
            "engine::messages",
        ],
    ),
    (
        "comparer",
        &["content", "run", "stats", "vocabulary", "diagnose", "compare", "plot", "report", "engine::messages"],
    ),
    ("selecting", &["run", "remote", "wandb", "compare"]),
    ("sources", &["run", "vocabulary", "ingest", "remote", "wandb", "axiom", "selecting", "engine::messages"]),
    ("reports", &["run", "diagnose", "compare", "settings", "report", "comparer", "engine::messages"]),
    ("worker", &["engine", "ingest"]),
    ("app", &["engine::messages", "content", "plot", "run"]),
    // The programs.
    ("main", &["app"]),
    ("bin", &["worker", "sources", "reports", "judge"]),
];

/// Modules that live in the browser.
const BROWSER_SIDE: &[&str] = &["worker", "sources", "reports", "app", "main", "bin"];

/// What only they may name.
const BROWSER_CRATES: &[&str] =
    &["console_error_panic_hook", "gloo_net", "js_sys", "leptos", "wasm_bindgen", "wasm_bindgen_futures", "web_sys"];

#[test]
fn arrows_point_down() {
    let sources = sources("src");
    let modules = sources.iter().map(|file| module_of(&file.path));
    let tests: Vec<Vec<String>> =
        modules.zip(&sources).flat_map(|(module, file)| Seen::in_source(&module, &file.text).test_modules).collect();
    let found: Vec<String> = sources
        .iter()
        .filter(|file| !tests.iter().any(|test| module_of(&file.path).starts_with(test)))
        .flat_map(|file| violations(&module_of(&file.path), &file.text).into_iter().map(|what| file.blame(&what)))
        .collect();
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn every_file_says_why_it_exists() {
    let silent: Vec<String> = ["src", "tests", "examples", "benches"]
        .iter()
        .flat_map(|folder| sources(folder))
        .filter(|file| !file.text.starts_with("//! "))
        .map(|file| file.blame("does not open with //!"))
        .collect();
    assert!(silent.is_empty(), "\n{}", silent.join("\n"));
}

#[test]
fn wrong_arrows_are_found() {
    let cases: &[(&[&str], &str, &[&str])] = &[
        (&["run", "axis"], "use crate::stats::trend;", &["run uses stats::trend"]),
        (&["ingest", "csv"], "use crate::{run::Run, stats};", &["ingest uses stats"]),
        (
            &["ingest", "csv"],
            "use crate::{run, diagnose::{checks, finding::Finding}};",
            &["ingest uses diagnose::checks", "ingest uses diagnose::finding"],
        ),
        (&["stats"], "fn f() -> usize { crate::run::count() }", &["stats uses run::count"]),
        (&["stats"], "#[cfg(test)] mod tests; use crate::run::Run;", &["stats uses run::Run"]),
        (&["stats"], "use super::run::Run;", &["stats uses run::Run"]),
        (&["stats", "trend"], "use super::super::run::Run;", &["stats uses run::Run"]),
        (&["stats", "trend"], "mod inner { use super::super::super::engine::Engine; }", &["stats uses engine::Engine"]),
        (
            &["app", "store"],
            "use crate::engine::messages::Reply; use crate::engine::Engine;",
            &["app uses engine::Engine"],
        ),
        (&["app"], "fn f() { view! { <p>{crate::diagnose::name()}</p> } }", &["app uses diagnose::name"]),
        (&["plot"], "use crate::*;", &["plot uses *"]),
        (&["plot"], "use web_sys::Window;", &["plot names web_sys"]),
        (&["engine"], "fn f(x: &js_sys::Array) {}", &["engine names js_sys"]),
        (&["main"], "fn main() { rundown::engine::start() }", &["main uses engine::start"]),
        (&["oddments"], "", &["oddments is not in the table"]),
    ];
    for (module, source, expected) in cases {
        let module: Vec<String> = module.iter().map(ToString::to_string).collect();
        assert_eq!(violations(&module, source), *expected, "{source}");
    }
}

#[test]
fn right_arrows_are_left_alone() {
    let cases: &[(&[&str], &str)] = &[
        (&["run"], "use crate::run::Column; use super::run::Axis; use self::axis::Axis;"),
        (&["run", "axis"], "use super::Column; use super::super::run::Config;"),
        (&["stats"], "//! [`crate::run`] and web_sys\nconst NAME: &str = \"crate::run\"; // crate::run"),
        (&["stats"], "#[cfg(test)] mod tests { use super::*; use crate::ingest::read; }"),
        (&["stats"], "#[cfg(test)] pub(crate) use crate::{ingest, run}; #[cfg(test)] mod tests;"),
        (&["compare"], "use crate::{diagnose::{Finding, checks::ALL}, run::*, stats::{self, trend}};"),
        (&["app", "client"], "use crate::engine::messages::{Reply, Request}; use web_sys::Window;"),
        (&["lib"], "pub mod run; pub use run::Run;"),
    ];
    for (module, source) in cases {
        let module: Vec<String> = module.iter().map(ToString::to_string).collect();
        assert_eq!(violations(&module, source), Vec::<String>::new(), "{source}");
    }
}

#[test]
fn files_for_tests_alone_are_known() {
    let seen = Seen::in_source(&["stats".to_owned()], "#[cfg(test)]\npub(crate) mod fixtures;\nmod trend;");
    assert_eq!(seen.test_modules, [["stats", "fixtures"]]);
}

/// A Rust file.
struct Source {
    path: PathBuf,
    text: String,
}

impl Source {
    fn blame(&self, what: &str) -> String {
        format!("{}: {what}", self.path.display())
    }
}

/// Every Rust file below a folder of the package, by path; none where the folder is missing.
fn sources(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                files.push(Source { path: path.strip_prefix(root).unwrap().to_path_buf(), text });
            }
        }
    }
    files.sort_by(|left, right| left.path.cmp(&right.path));
    files
}

/// `src/run/axis.rs` is `run::axis`, `src/run/mod.rs` is `run`.
fn module_of(path: &Path) -> Vec<String> {
    let mut parts: Vec<String> =
        path.with_extension("").iter().skip(1).map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    parts
}

/// What a module's source does that the table forbids, in order of appearance.
fn violations(module: &[String], source: &str) -> Vec<String> {
    let Some(top) = module.first().filter(|top| *top != "lib") else {
        return Vec::new();
    };
    let Some((_, allowed)) = TABLE.iter().find(|(name, _)| name == top) else {
        return vec![format!("{top} is not in the table")];
    };
    let seen = Seen::in_source(module, source);
    let named = seen.named.iter().filter(|_| !BROWSER_SIDE.contains(&top.as_str()));
    let named = named.map(|name| format!("{top} names {name}"));
    let used = seen.used.iter().filter(|path| {
        let allows = |allowed: &str| **path == allowed || path.starts_with(&format!("{allowed}::"));
        !allows(top) && !allowed.iter().any(|allowed| allows(allowed))
    });
    let used = used.map(|path| format!("{top} uses {path}"));
    // Twice the same is told once.
    let mut told = BTreeSet::new();
    used.chain(named).filter(|violation| told.insert(violation.clone())).collect()
}

/// What a source uses.
#[derive(Default)]
struct Seen {
    /// Paths from the crate's root, the first two segments.
    used: Vec<String>,
    /// Crates of the browser.
    named: Vec<String>,
    /// Modules in files of their own that are compiled for tests alone.
    test_modules: Vec<Vec<String>>,
}

impl Seen {
    fn in_source(module: &[String], source: &str) -> Self {
        let tokens: TokenStream = source.parse().unwrap_or_else(|error| panic!("{module:?}: {error}"));
        let mut seen = Self::default();
        seen.walk(&tokens.into_iter().collect::<Vec<_>>(), module);
        seen
    }

    fn walk(&mut self, tokens: &[TokenTree], module: &[String]) {
        let mut rest = tokens;
        while let Some((token, after)) = rest.split_first() {
            rest = after;
            match token {
                TokenTree::Group(attribute) if attribute.to_string().replace(' ', "") == "[cfg(test)]" => {
                    let (item, beyond) = item(after);
                    if let [.., TokenTree::Ident(word), TokenTree::Ident(name), TokenTree::Punct(_)] = item
                        && word == "mod"
                    {
                        self.test_modules.push(module.iter().cloned().chain([name.to_string()]).collect());
                    }
                    rest = beyond;
                }
                TokenTree::Ident(word) if word == "mod" => {
                    if let [TokenTree::Ident(name), TokenTree::Group(body), ..] = after {
                        let inner: Vec<String> = module.iter().cloned().chain([name.to_string()]).collect();
                        self.walk(&body.stream().into_iter().collect::<Vec<_>>(), &inner);
                        rest = &after[2..];
                    }
                }
                // The two programs are crates of their own, to which the library is `rundown`.
                TokenTree::Ident(word) if word == "crate" || word == "rundown" => self.path(after),
                TokenTree::Ident(word) if word == "super" => {
                    let mut up = 1;
                    while let [_, _, TokenTree::Ident(word), ..] = rest
                        && word == "super"
                        && let Some(beyond) = rest.get(3..)
                    {
                        (up, rest) = (up + 1, beyond);
                    }
                    // Below the root, `super` stays within the module.
                    if up >= module.len() {
                        self.path(rest);
                    }
                }
                TokenTree::Ident(word) if BROWSER_CRATES.iter().any(|name| word == name) => {
                    self.named.push(word.to_string());
                }
                TokenTree::Group(group) => self.walk(&group.stream().into_iter().collect::<Vec<_>>(), module),
                _ => {}
            }
        }
    }

    /// Takes the path that goes on after `crate`.
    fn path(&mut self, tokens: &[TokenTree]) {
        for path in expand(tokens, 2) {
            self.used.push(path);
        }
    }
}

/// The paths that `::a::b`, `::{a, b::c}` or `::*` spell, to a depth.
fn expand(tokens: &[TokenTree], depth: usize) -> Vec<String> {
    let [TokenTree::Punct(first), TokenTree::Punct(second), next, after @ ..] = tokens else {
        return Vec::new();
    };
    if depth == 0 || first.as_char() != ':' || second.as_char() != ':' {
        return Vec::new();
    }
    match next {
        TokenTree::Ident(word) => branch(&word.to_string(), after, depth),
        TokenTree::Punct(star) if star.as_char() == '*' => vec!["*".to_owned()],
        TokenTree::Group(group) => {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            inner
                .split(|token| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ','))
                .filter_map(|item| match item.split_first()? {
                    (TokenTree::Ident(word), after) => Some(branch(&word.to_string(), after, depth)),
                    (star, _) => Some(vec![star.to_string()]),
                })
                .flatten()
                .collect()
        }
        _ => Vec::new(),
    }
}

fn branch(word: &str, after: &[TokenTree], depth: usize) -> Vec<String> {
    let deeper = expand(after, depth - 1);
    if deeper.is_empty() {
        return vec![word.to_owned()];
    }
    deeper.iter().map(|path| if path == "self" { word.to_owned() } else { format!("{word}::{path}") }).collect()
}

/// Splits after the first item, which ends with a body or a semicolon.
fn item(tokens: &[TokenTree]) -> (&[TokenTree], &[TokenTree]) {
    let end = tokens.iter().position(|token| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(punct) => punct.as_char() == ';',
        _ => false,
    });
    tokens.split_at(end.map_or(tokens.len(), |end| end + 1))
}
