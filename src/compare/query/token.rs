//! Splits the text of a query into tokens, each with its place in characters.

use super::cursor::Cursor;
use super::{How, QueryError};

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    /// First character.
    pub(super) at: usize,
    /// The character behind the last one.
    pub(super) end: usize,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// Bare characters; also a key with a quoted part, as in `config."a b"`.
    Word(String),
    /// What stood between quotes.
    Quoted(String),
    /// What stood between backticks.
    Key(String),
    /// `/source/i`.
    Pattern {
        source: String,
        ignores_case: bool,
    },
    Compare(How),
    And,
    Or,
    Not,
    Open,
    Close,
    OpenList,
    CloseList,
    Comma,
}

impl Kind {
    /// The word, where it is a bare one.
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The text of a word, a quoted text or a key.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Kind::Word(text) | Kind::Quoted(text) | Kind::Key(text) => Some(text),
            _ => None,
        }
    }

    /// True for a bare word that is `keyword` in any letter case.
    pub(super) fn is(&self, keyword: &str) -> bool {
        self.word().is_some_and(|word| word.eq_ignore_ascii_case(keyword))
    }
}

/// The tokens of a text, as far as it can be split, and what stopped that. A text that ends within quotes still gives
/// its last token, for completion.
pub(super) fn tokens(text: &str) -> (Vec<Token>, Option<QueryError>) {
    let mut lexer = Lexer { cursor: Cursor::new(text) };
    let mut tokens: Vec<Token> = Vec::new();
    loop {
        while lexer.cursor.peek().is_some_and(char::is_whitespace) {
            lexer.cursor.bump();
        }
        let at = lexer.cursor.at();
        let Some(first) = lexer.cursor.peek() else { return (tokens, None) };
        let awaits_pattern =
            matches!(tokens.last(), Some(Token { kind: Kind::Compare(How::Finds | How::FindsNot), .. }));
        let (kind, trouble) = match first {
            '/' if awaits_pattern => lexer.pattern(),
            '"' | '\'' => lexer.quoted(first, Kind::Quoted),
            '`' => lexer.quoted(first, Kind::Key),
            _ => match lexer.sign() {
                Some(kind) => (kind, None),
                None => lexer.word(),
            },
        };
        tokens.push(Token { at, end: lexer.cursor.at(), kind });
        if trouble.is_some() {
            return (tokens, trouble);
        }
    }
}

/// Signs, longer ones before those that they begin with.
const SIGNS: [(&str, Kind); 21] = [
    ("==", Kind::Compare(How::Equal)),
    ("=~", Kind::Compare(How::Finds)),
    ("!=", Kind::Compare(How::Unequal)),
    ("!~", Kind::Compare(How::FindsNot)),
    ("<=", Kind::Compare(How::LessOrEqual)),
    (">=", Kind::Compare(How::GreaterOrEqual)),
    ("<>", Kind::Compare(How::Unequal)),
    ("≤", Kind::Compare(How::LessOrEqual)),
    ("≥", Kind::Compare(How::GreaterOrEqual)),
    ("≠", Kind::Compare(How::Unequal)),
    ("&&", Kind::And),
    ("||", Kind::Or),
    ("=", Kind::Compare(How::Equal)),
    ("~", Kind::Compare(How::Finds)),
    ("<", Kind::Compare(How::Less)),
    (">", Kind::Compare(How::Greater)),
    ("(", Kind::Open),
    (")", Kind::Close),
    ("[", Kind::OpenList),
    ("]", Kind::CloseList),
    (",", Kind::Comma),
];

struct Lexer<'t> {
    cursor: Cursor<'t>,
}

impl Lexer<'_> {
    /// The sign that stands here, if any; `!` alone is one only at the start of a token.
    fn sign(&mut self) -> Option<Kind> {
        let (sign, kind) = match self.sign_here() {
            Some(found) => found,
            None if self.cursor.peek() == Some('!') => ("!", Kind::Not),
            None => return None,
        };
        for _ in sign.chars() {
            self.cursor.bump();
        }
        Some(kind)
    }

    fn sign_here(&self) -> Option<(&'static str, Kind)> {
        let rest = self.cursor.rest();
        SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)).cloned()
    }

    fn word(&mut self) -> (Kind, Option<QueryError>) {
        let mut word = String::new();
        while let Some(next) = self.cursor.peek() {
            if matches!(next, '"' | '\'' | '`') && word.ends_with('.') {
                let (part, trouble) = self.quoted(next, Kind::Word);
                word.push_str(part.text().unwrap_or_default());
                if trouble.is_some() {
                    return (Kind::Word(word), trouble);
                }
                continue;
            }
            if next.is_whitespace() || matches!(next, '"' | '\'' | '`') || self.sign_here().is_some() {
                break;
            }
            word.push(next);
            self.cursor.bump();
        }
        (Kind::Word(word), None)
    }

    /// A text between two of `quote`. A backslash keeps a quote or a backslash; before anything else it is itself.
    fn quoted(&mut self, quote: char, kind: fn(String) -> Kind) -> (Kind, Option<QueryError>) {
        let at = self.cursor.at();
        let mut text = String::new();
        self.cursor.bump();
        while let Some(next) = self.cursor.bump() {
            match (next, self.cursor.peek()) {
                ('\\', Some(kept)) if kept == quote || kept == '\\' => {
                    text.push(kept);
                    self.cursor.bump();
                }
                _ if next == quote => return (kind(text), None),
                _ => text.push(next),
            }
        }
        (kind(text), Some(QueryError::new(at, "This quote is never closed.")))
    }

    /// `/source/` with `i` behind it to ignore the case of letters. `\/` is a slash.
    fn pattern(&mut self) -> (Kind, Option<QueryError>) {
        let at = self.cursor.at();
        let mut source = String::new();
        let mut trouble = Some(QueryError::new(at, "This regular expression needs a second `/` at its end."));
        self.cursor.bump();
        while let Some(next) = self.cursor.bump() {
            match (next, self.cursor.peek()) {
                ('/', _) => {
                    trouble = None;
                    break;
                }
                // Both characters stay, so that places in the pattern are those in the query.
                ('\\', Some(kept)) => {
                    source.extend(['\\', kept]);
                    self.cursor.bump();
                }
                _ => source.push(next),
            }
        }
        let mut ignores_case = false;
        while trouble.is_none()
            && let Some(flag) = self.cursor.peek().filter(char::is_ascii_alphanumeric)
        {
            if flag != 'i' {
                trouble = Some(QueryError::new(
                    self.cursor.at(),
                    "The only letter that may stand behind a regular expression is `i`.",
                ));
            }
            ignores_case = true;
            self.cursor.bump();
        }
        (Kind::Pattern { source, ignores_case }, trouble)
    }
}
