//! A place in a text that is read character by character, counted in characters, as errors name places.

use std::str::Chars;

/// A place in a text.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'t> {
    rest: Chars<'t>,
    at: usize,
}

impl<'t> Cursor<'t> {
    /// The start of a text.
    pub(super) fn new(text: &'t str) -> Self {
        Self { rest: text.chars(), at: 0 }
    }

    /// How many characters lie before it.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// What lies behind it.
    pub(super) fn rest(&self) -> &'t str {
        self.rest.as_str()
    }

    /// The next character, which stays the next one.
    pub(super) fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    /// Takes the next character.
    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.rest.next()?;
        self.at += 1;
        Some(next)
    }

    /// Takes the next character if it is this one.
    pub(super) fn take(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        if is_there {
            self.bump();
        }
        is_there
    }
}
