//! The lexer: splits the text of a query into tokens with their positions in characters.

use super::cursor::Cursor;
use super::{Operator, QueryError};

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct QueryToken {
    /// Index of its first character.
    pub(super) at: usize,
    /// Index after its last character.
    pub(super) end: usize,
    pub(super) kind: TokenKind,
}

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    /// Bare characters; also with a quoted part, as in `config."a b"` or `-"a b"`.
    Word(String),
    /// A text in quotes.
    Quoted(String),
    /// A key in backticks.
    Key(String),
    /// `/source/i`.
    Pattern {
        source: String,
        ignores_case: bool,
    },
    Operator(Operator),
    And,
    Or,
    Not,
    Open,
    Close,
    OpenList,
    CloseList,
    Comma,
}

impl TokenKind {
    /// The word, where it is a bare one.
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            TokenKind::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The text of a word, a quoted text or a key.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            TokenKind::Word(text) | TokenKind::Quoted(text) | TokenKind::Key(text) => Some(text),
            _ => None,
        }
    }

    /// True for a bare word that is `keyword` in any letter case.
    pub(super) fn is(&self, keyword: &str) -> bool {
        self.word().is_some_and(|word| word.eq_ignore_ascii_case(keyword))
    }
}

/// The tokens of a text up to the first error, and that error. A text that ends within quotes still has its last
/// token, for completion.
pub(super) fn tokens(text: &str) -> (Vec<QueryToken>, Option<QueryError>) {
    let mut lexer = Lexer { cursor: Cursor::new(text) };
    let mut tokens: Vec<QueryToken> = Vec::new();
    loop {
        while lexer.cursor.peek().is_some_and(char::is_whitespace) {
            lexer.cursor.bump();
        }
        let at = lexer.cursor.at();
        let Some(first) = lexer.cursor.peek() else { return (tokens, None) };
        let expects_pattern = matches!(
            tokens.last(),
            Some(QueryToken { kind: TokenKind::Operator(Operator::Matches | Operator::NotMatches), .. })
        );
        let (kind, error) = match first {
            '/' if expects_pattern => lexer.pattern(),
            '"' | '\'' => lexer.quoted(first, TokenKind::Quoted),
            '`' => lexer.quoted(first, TokenKind::Key),
            _ => match lexer.sign() {
                Some(kind) => (kind, None),
                None => lexer.word(),
            },
        };
        tokens.push(QueryToken { at, end: lexer.cursor.at(), kind });
        if error.is_some() {
            return (tokens, error);
        }
    }
}

/// Signs, longer ones before those that they begin with.
const SIGNS: [(&str, TokenKind); 21] = [
    ("==", TokenKind::Operator(Operator::Equal)),
    ("=~", TokenKind::Operator(Operator::Matches)),
    ("!=", TokenKind::Operator(Operator::NotEqual)),
    ("!~", TokenKind::Operator(Operator::NotMatches)),
    ("<=", TokenKind::Operator(Operator::LessOrEqual)),
    (">=", TokenKind::Operator(Operator::GreaterOrEqual)),
    ("<>", TokenKind::Operator(Operator::NotEqual)),
    ("≤", TokenKind::Operator(Operator::LessOrEqual)),
    ("≥", TokenKind::Operator(Operator::GreaterOrEqual)),
    ("≠", TokenKind::Operator(Operator::NotEqual)),
    ("&&", TokenKind::And),
    ("||", TokenKind::Or),
    ("=", TokenKind::Operator(Operator::Equal)),
    ("~", TokenKind::Operator(Operator::Matches)),
    ("<", TokenKind::Operator(Operator::Less)),
    (">", TokenKind::Operator(Operator::Greater)),
    ("(", TokenKind::Open),
    (")", TokenKind::Close),
    ("[", TokenKind::OpenList),
    ("]", TokenKind::CloseList),
    (",", TokenKind::Comma),
];

struct Lexer<'t> {
    cursor: Cursor<'t>,
}

impl Lexer<'_> {
    /// Takes the sign at the cursor, if any; `!` alone is one only at the start of a token.
    fn sign(&mut self) -> Option<TokenKind> {
        let (sign, kind) = match self.sign_here() {
            Some(found) => found,
            None if self.cursor.peek() == Some('!') => ("!", TokenKind::Not),
            None => return None,
        };
        for _ in sign.chars() {
            self.cursor.bump();
        }
        Some(kind)
    }

    fn sign_here(&self) -> Option<(&'static str, TokenKind)> {
        let rest = self.cursor.rest();
        SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)).cloned()
    }

    fn word(&mut self) -> (TokenKind, Option<QueryError>) {
        let mut word = String::new();
        while let Some(next) = self.cursor.peek() {
            // `config."my key"`, and `-"unwanted words"`.
            if matches!(next, '"' | '\'' | '`') && (word.ends_with('.') || word == "-") {
                let (part, error) = self.quoted(next, TokenKind::Word);
                word.push_str(part.text().unwrap_or_default());
                if error.is_some() {
                    return (TokenKind::Word(word), error);
                }
                continue;
            }
            if next.is_whitespace() || matches!(next, '"' | '\'' | '`') || self.sign_here().is_some() {
                break;
            }
            word.push(next);
            self.cursor.bump();
        }
        (TokenKind::Word(word), None)
    }

    /// A text between two of `quote`. A backslash escapes a quote or a backslash; before anything else it is literal.
    fn quoted(&mut self, quote: char, kind: fn(String) -> TokenKind) -> (TokenKind, Option<QueryError>) {
        let at = self.cursor.at();
        let mut text = String::new();
        self.cursor.bump();
        while let Some(next) = self.cursor.bump() {
            match (next, self.cursor.peek()) {
                ('\\', Some(escaped)) if escaped == quote || escaped == '\\' => {
                    text.push(escaped);
                    self.cursor.bump();
                }
                _ if next == quote => return (kind(text), None),
                _ => text.push(next),
            }
        }
        (kind(text), Some(QueryError::new(at, "This quote is never closed.")))
    }

    /// `/source/`, with `i` after it to ignore case. `\/` is a slash.
    fn pattern(&mut self) -> (TokenKind, Option<QueryError>) {
        let at = self.cursor.at();
        let mut source = String::new();
        let mut error = Some(QueryError::new(at, "This regular expression needs a second `/` at its end."));
        self.cursor.bump();
        while let Some(next) = self.cursor.bump() {
            match (next, self.cursor.peek()) {
                ('/', _) => {
                    error = None;
                    break;
                }
                // Both characters stay: they are escaped for the pattern as well.
                ('\\', Some(escaped)) => {
                    source.extend(['\\', escaped]);
                    self.cursor.bump();
                }
                _ => source.push(next),
            }
        }
        let mut ignores_case = false;
        while error.is_none()
            && let Some(flag) = self.cursor.peek().filter(char::is_ascii_alphanumeric)
        {
            if flag != 'i' {
                error = Some(QueryError::new(
                    self.cursor.at(),
                    "The only letter that may follow a regular expression is `i`.",
                ));
            }
            ignores_case = true;
            self.cursor.bump();
        }
        (TokenKind::Pattern { source, ignores_case }, error)
    }
}
