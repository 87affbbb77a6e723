//! What a Rust source names: the paths that it uses, what it imports and defines.
//!
//! Sources are read as tokens, so comments and strings do not count, and a path counts wherever it stands. What is
//! compiled for tests alone is left out.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// What a source names.
#[derive(Default)]
pub struct Names {
    /// Paths from the crate's root.
    pub used: Vec<Vec<String>>,
    /// `use` items of the file's own module: the name, and the path from the crate's root.
    pub imports: Vec<(String, Vec<String>)>,
    /// Items of the file's own module.
    pub defined: BTreeSet<String>,
    /// All words.
    pub words: BTreeSet<String>,
    /// Modules in files of their own that are compiled for tests alone.
    pub test_modules: Vec<Vec<String>>,
}

impl Names {
    /// Reads the source of a module.
    pub fn of(module: &[String], source: &str) -> Self {
        let tokens: TokenStream = source.parse().unwrap_or_else(|error| panic!("{module:?}: {error}"));
        let mut names = Self::default();
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        names.items(&tokens, module);
        names.walk(&tokens, module);
        names
    }

    /// Imports and definitions that stand at the top of the file.
    fn items(&mut self, tokens: &[TokenTree], module: &[String]) {
        let mut rest = tokens;
        while let Some((token, after)) = rest.split_first() {
            rest = after;
            if is_for_tests(token) {
                rest = item(after).1;
                continue;
            }
            match (word(token).as_deref(), after) {
                (Some("use"), _) => {
                    for import in tree(after) {
                        self.import(import, module);
                    }
                }
                (Some("struct" | "enum" | "fn" | "trait" | "type" | "const" | "static" | "union"), [name, ..]) => {
                    self.defined.extend(word(name));
                }
                _ => {}
            }
        }
    }

    /// A `use` without `crate`, `self` or `super` begins at a module below this one, or at another crate.
    fn import(&mut self, import: Leaf, module: &[String]) {
        let up = import.path.iter().take_while(|part| *part == "super").count();
        let path = match import.path.first().map(String::as_str) {
            Some("crate") => import.path.get(1..).unwrap_or_default().to_vec(),
            Some("super") if up <= module.len() => {
                module.iter().take(module.len() - up).chain(import.path.iter().skip(up)).cloned().collect()
            }
            Some("self") => module.iter().chain(import.path.iter().skip(1)).cloned().collect(),
            _ => module.iter().chain(&import.path).cloned().collect(),
        };
        self.imports.push((import.name, path));
    }

    fn walk(&mut self, tokens: &[TokenTree], module: &[String]) {
        let mut rest = tokens;
        while let Some((token, after)) = rest.split_first() {
            rest = after;
            if is_for_tests(token) {
                let (test, beyond) = item(after);
                if let [.., keyword, name, TokenTree::Punct(_)] = test
                    && word(keyword).as_deref() == Some("mod")
                {
                    self.test_modules.push(module.iter().cloned().chain(word(name)).collect());
                }
                rest = beyond;
                continue;
            }
            if let TokenTree::Group(group) = token {
                self.walk(&group.stream().into_iter().collect::<Vec<_>>(), module);
            }
            let Some(found) = word(token) else { continue };
            match (found.as_str(), after) {
                ("mod", [name, TokenTree::Group(body), beyond @ ..]) => {
                    let inner: Vec<String> = module.iter().cloned().chain(word(name)).collect();
                    self.walk(&body.stream().into_iter().collect::<Vec<_>>(), &inner);
                    rest = beyond;
                }
                ("crate", _) => self.use_paths(&[], after),
                ("self", _) => self.use_paths(module, after),
                ("super", _) => {
                    let mut up = 1;
                    while let [_, _, next, ..] = rest
                        && word(next).as_deref() == Some("super")
                        && let Some(beyond) = rest.get(3..)
                    {
                        (up, rest) = (up + 1, beyond);
                    }
                    if let Some(parent) = module.len().checked_sub(up).and_then(|length| module.get(..length)) {
                        self.use_paths(parent, rest);
                    }
                }
                _ => {}
            }
            self.words.insert(found);
        }
    }

    /// Takes the paths that go on after `crate`, `self` or `super`.
    fn use_paths(&mut self, from: &[String], tokens: &[TokenTree]) {
        let [TokenTree::Punct(first), TokenTree::Punct(second), after @ ..] = tokens else { return };
        if first.as_char() == ':' && second.as_char() == ':' {
            self.used.extend(tree(after).into_iter().map(|leaf| from.iter().cloned().chain(leaf.path).collect()));
        }
    }
}

/// One path of a `use` tree, and the name that it gets.
struct Leaf {
    path: Vec<String>,
    name: String,
}

/// The paths that `a::b`, `{a, b::c as d}` or `*` spell.
fn tree(tokens: &[TokenTree]) -> Vec<Leaf> {
    match tokens {
        [TokenTree::Group(group), ..] if group.delimiter() == Delimiter::Brace => {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            inner.split(|token| is_punct(token, ',')).flat_map(tree).collect()
        }
        [first, ..] if is_punct(first, '*') => vec![Leaf { path: vec!["*".to_owned()], name: "*".to_owned() }],
        [first, colon, second, after @ ..] if is_punct(colon, ':') && is_punct(second, ':') => {
            let Some(first) = word(first) else { return Vec::new() };
            let below = tree(after);
            if below.is_empty() {
                // `Type::<T>` ends the path.
                return vec![Leaf { name: first.clone(), path: vec![first] }];
            }
            let join = |leaf: Leaf| {
                if leaf.path == ["self"] {
                    let name = if leaf.name == "self" { first.clone() } else { leaf.name };
                    return Leaf { path: vec![first.clone()], name };
                }
                Leaf { path: [std::slice::from_ref(&first), &leaf.path[..]].concat(), name: leaf.name }
            };
            below.into_iter().map(join).collect()
        }
        [first, after @ ..] => {
            let Some(path) = word(first) else { return Vec::new() };
            let renamed = match after {
                [keyword, name, ..] if word(keyword).as_deref() == Some("as") => word(name),
                _ => None,
            };
            vec![Leaf { name: renamed.unwrap_or_else(|| path.clone()), path: vec![path] }]
        }
        [] => Vec::new(),
    }
}

fn word(token: &TokenTree) -> Option<String> {
    if let TokenTree::Ident(word) = token { Some(word.to_string()) } else { None }
}

fn is_punct(token: &TokenTree, letter: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == letter)
}

fn is_for_tests(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(attribute) if attribute.to_string().replace(' ', "") == "[cfg(test)]")
}

/// Splits after the first item, which ends with a body or a semicolon.
fn item(tokens: &[TokenTree]) -> (&[TokenTree], &[TokenTree]) {
    let end = tokens.iter().position(|token| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        token => is_punct(token, ';'),
    });
    tokens.split_at(end.map_or(tokens.len(), |end| end + 1))
}
