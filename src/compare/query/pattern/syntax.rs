//! Reads a regular expression.

use super::PatternError;
use crate::compare::query::cursor::Cursor;

/// Largest number in braces, as in RE2.
const MOST_TIMES: u32 = 1000;
/// Groups within each other.
const DEEPEST: usize = 50;

const NOTHING_TO_REPEAT: &str = "There is nothing here that could be repeated.";

/// A part of a regular expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    /// One character of a set: its place in [`Parsed::sets`].
    One(usize),
    /// The start of the text.
    Start,
    /// The end of the text.
    End,
    /// A boundary of a word, or none.
    Boundary(bool),
    /// One behind the other.
    Sequence(Vec<Piece>),
    /// One of them.
    Either(Vec<Piece>),
    /// At least and at most so often; `None` without a limit.
    Repeat(Box<Piece>, u32, Option<u32>),
}

/// A set of characters.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Set {
    /// First and last characters.
    pub(super) ranges: Vec<(char, char)>,
    /// All others are meant.
    pub(super) is_negated: bool,
}

/// A regular expression as it was read.
pub(super) struct Parsed {
    pub(super) root: Piece,
    pub(super) sets: Vec<Set>,
}

pub(super) fn parse(source: &str) -> Result<Parsed, PatternError> {
    let mut reader = Reader { cursor: Cursor::new(source), depth: 0, sets: Vec::new() };
    let root = reader.either()?;
    match reader.cursor.peek() {
        Some(_) => Err(reader.wrong("This parenthesis was never opened.")),
        None => Ok(Parsed { root, sets: reader.sets }),
    }
}

const DIGITS: [(char, char); 1] = [('0', '9')];
const NO_DIGITS: [(char, char); 2] = [('\0', '/'), (':', char::MAX)];
const WORD: [(char, char); 4] = [('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
const NO_WORD: [(char, char); 5] = [('\0', '/'), (':', '@'), ('[', '^'), ('`', '`'), ('{', char::MAX)];
// Not the vertical tab, as in RE2.
const SPACE: [(char, char); 3] = [('\t', '\n'), ('\x0c', '\r'), (' ', ' ')];
const NO_SPACE: [(char, char); 4] = [('\0', '\x08'), ('\x0b', '\x0b'), ('\x0e', '\x1f'), ('!', char::MAX)];

struct Reader<'s> {
    cursor: Cursor<'s>,
    depth: usize,
    sets: Vec<Set>,
}

impl Reader<'_> {
    fn wrong(&self, what: &'static str) -> PatternError {
        PatternError { at: self.cursor.at(), what }
    }

    fn set(&mut self, set: Set) -> Piece {
        self.sets.push(set);
        Piece::One(self.sets.len() - 1)
    }

    fn either(&mut self) -> Result<Piece, PatternError> {
        let mut choices = vec![self.sequence()?];
        while self.cursor.take('|') {
            choices.push(self.sequence()?);
        }
        Ok(Piece::Either(choices))
    }

    fn sequence(&mut self) -> Result<Piece, PatternError> {
        let mut pieces = Vec::new();
        while !matches!(self.cursor.peek(), None | Some('|' | ')')) {
            let piece = self.piece()?;
            pieces.push(self.repeated(piece)?);
        }
        Ok(Piece::Sequence(pieces))
    }

    fn piece(&mut self) -> Result<Piece, PatternError> {
        let at = self.cursor.at();
        let Some(first) = self.cursor.peek() else { return Err(self.wrong("Something is missing here.")) };
        if matches!(first, '*' | '+' | '?') || braces(self.cursor.rest()).is_some() {
            return Err(self.wrong(NOTHING_TO_REPEAT));
        }
        self.cursor.bump();
        Ok(match first {
            '^' => Piece::Start,
            '$' => Piece::End,
            '.' => self.set(Set { ranges: vec![('\n', '\n')], is_negated: true }),
            '[' => return self.class(at),
            '(' => return self.group(at),
            '\\' => match self.cursor.peek() {
                Some(letter @ ('b' | 'B')) => {
                    self.cursor.bump();
                    Piece::Boundary(letter == 'b')
                }
                _ => {
                    let ranges = self.escaped(at)?;
                    self.set(Set { ranges, is_negated: false })
                }
            },
            other => self.set(Set { ranges: vec![(other, other)], is_negated: false }),
        })
    }

    fn group(&mut self, at: usize) -> Result<Piece, PatternError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.wrong("Too many parentheses within each other."));
        }
        if self.cursor.take('?') && !self.cursor.take(':') {
            return Err(self.wrong("Of groups with `?` only `(?:` is known."));
        }
        let inner = self.either()?;
        if !self.cursor.take(')') {
            return Err(PatternError { at, what: "This parenthesis is never closed." });
        }
        self.depth -= 1;
        Ok(inner)
    }

    /// The characters behind a backslash.
    fn escaped(&mut self, at: usize) -> Result<Vec<(char, char)>, PatternError> {
        let one = |character: char| Ok(vec![(character, character)]);
        match self.cursor.bump() {
            Some('d') => Ok(DIGITS.to_vec()),
            Some('D') => Ok(NO_DIGITS.to_vec()),
            Some('w') => Ok(WORD.to_vec()),
            Some('W') => Ok(NO_WORD.to_vec()),
            Some('s') => Ok(SPACE.to_vec()),
            Some('S') => Ok(NO_SPACE.to_vec()),
            Some('n') => one('\n'),
            Some('t') => one('\t'),
            Some('r') => one('\r'),
            Some(other) if other.is_ascii_punctuation() => one(other),
            _ => Err(PatternError { at, what: "A backslash here means nothing that is known." }),
        }
    }

    fn class(&mut self, at: usize) -> Result<Piece, PatternError> {
        let mut set = Set { ranges: Vec::new(), is_negated: self.cursor.take('^') };
        let mut is_first = true;
        loop {
            let from = self.cursor.at();
            let low = match self.cursor.bump() {
                None => return Err(PatternError { at, what: "This class is never closed." }),
                Some(']') if !is_first => return Ok(self.set(set)),
                Some('\\') => {
                    let ranges = self.escaped(from)?;
                    match ranges.as_slice() {
                        [(low, high)] if low == high => *low,
                        _ => {
                            set.ranges.extend(ranges);
                            is_first = false;
                            continue;
                        }
                    }
                }
                Some(character) => character,
            };
            is_first = false;
            let mut ahead = self.cursor.clone();
            let is_range = ahead.bump() == Some('-') && !matches!(ahead.bump(), None | Some(']'));
            if !is_range {
                set.ranges.push((low, low));
                continue;
            }
            self.cursor.bump();
            let high = match self.cursor.bump() {
                Some('\\') => match self.escaped(from)?.as_slice() {
                    [(low, high)] if low == high => *high,
                    _ => return Err(PatternError { at: from, what: "This range has no end." }),
                },
                Some(character) => character,
                None => low,
            };
            if high < low {
                return Err(PatternError { at: from, what: "This range ends before it begins." });
            }
            set.ranges.push((low, high));
        }
    }

    fn repeated(&mut self, piece: Piece) -> Result<Piece, PatternError> {
        let (least, most, length) = match self.cursor.peek() {
            Some('*') => (0, None, 1),
            Some('+') => (1, None, 1),
            Some('?') => (0, Some(1), 1),
            _ => match braces(self.cursor.rest()) {
                Some(times) => times,
                None => return Ok(piece),
            },
        };
        if least > MOST_TIMES || most.is_some_and(|most| most > MOST_TIMES || most < least) {
            return Err(self.wrong("Times in braces are at most 1000, the smaller one first."));
        }
        for _ in 0..length {
            self.cursor.bump();
        }
        // "As few as possible" finds the same texts.
        self.cursor.take('?');
        if matches!(self.cursor.peek(), Some('*' | '+' | '?')) || braces(self.cursor.rest()).is_some() {
            return Err(self.wrong(NOTHING_TO_REPEAT));
        }
        Ok(Piece::Repeat(Box::new(piece), least, most))
    }
}

/// The times in braces at the start of a text, and how many characters these are. Other braces are characters.
fn braces(text: &str) -> Option<(u32, Option<u32>, usize)> {
    let mut is_closed = false;
    let (mut numbers, mut digits, mut commas, mut length) = ([0_u32; 2], [0_u32; 2], 0_usize, 1);
    for character in text.strip_prefix('{')?.chars() {
        length += 1;
        match (character, character.to_digit(10)) {
            (_, Some(digit)) => {
                let number = numbers.get_mut(commas)?;
                *number = number.saturating_mul(10).saturating_add(digit);
                *digits.get_mut(commas)? += 1;
            }
            (',', _) if commas == 0 => commas = 1,
            ('}', _) => {
                is_closed = true;
                break;
            }
            _ => return None,
        }
    }
    let ([least, most], [has_least, has_most]) = (numbers, digits);
    if has_least == 0 || !is_closed {
        return None;
    }
    match (commas, has_most) {
        (0, _) => Some((least, Some(least), length)),
        (_, 0) => Some((least, None, length)),
        _ => Some((least, Some(most), length)),
    }
}
