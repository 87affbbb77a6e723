//! A cursor over the characters of a text: positions in queries are character indices.

use std::str::Chars;

/// A cursor over the characters of a text.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'t> {
    rest: Chars<'t>,
    at: usize,
}

impl<'t> Cursor<'t> {
    /// A cursor at the start of a text.
    pub(super) fn new(text: &'t str) -> Self {
        Self { rest: text.chars(), at: 0 }
    }

    /// Number of characters before it.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The text after it.
    pub(super) fn rest(&self) -> &'t str {
        self.rest.as_str()
    }

    /// The next character, without advancing.
    pub(super) fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    /// The next character; advances past it.
    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.rest.next()?;
        self.at += 1;
        Some(next)
    }
}
