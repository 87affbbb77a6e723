//! From tokens to a query.

use super::field::{Field, Property};
use super::matches::number_in;
use super::pattern::Pattern;
use super::token::{Kind, Token, tokens};
use super::{How, Node, Query, QueryError, Test};
use crate::run::{ConfigValue, iso_seconds};

/// Parentheses and negations within each other.
const DEEPEST: usize = 60;
const DAY: f64 = 86_400.0;
const VERDICTS: [&str; 4] = ["good", "undecided", "bad", "ugly"];

pub(super) fn parse(text: &str) -> Result<Query, QueryError> {
    let (tokens, trouble) = tokens(text);
    if let Some(trouble) = trouble {
        return Err(trouble);
    }
    let mut parser = Parser { end: text.chars().count(), tokens, next: 0, depth: 0 };
    if parser.peek(0).is_none() {
        return Ok(Query::default());
    }
    let root = parser.any()?;
    match parser.peek(0) {
        None => Ok(Query { root: Some(root) }),
        Some(_) => Err(parser.wrong("This does not belong here: a parenthesis was closed that was never opened.")),
    }
}

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
    /// Characters of the text.
    end: usize,
}

impl Parser {
    fn peek(&self, ahead: usize) -> Option<&Kind> {
        self.tokens.get(self.next + ahead).map(|token| &token.kind)
    }

    fn at(&self) -> usize {
        self.tokens.get(self.next).map_or(self.end, |token| token.at)
    }

    fn wrong(&self, what: &str) -> QueryError {
        QueryError::new(self.at(), what)
    }

    fn next_is(&self, ahead: usize, keyword: &str) -> bool {
        self.peek(ahead).is_some_and(|kind| kind.is(keyword))
    }

    fn is_or(&self) -> bool {
        self.peek(0) == Some(&Kind::Or) || self.next_is(0, "or")
    }

    fn is_and(&self) -> bool {
        self.peek(0) == Some(&Kind::And) || self.next_is(0, "and")
    }

    /// Conditions joined by `or`.
    fn any(&mut self) -> Result<Node, QueryError> {
        let mut parts = vec![self.all()?];
        while self.is_or() {
            self.next += 1;
            parts.push(self.all()?);
        }
        Ok(one_or(parts, Node::Any))
    }

    /// Conditions joined by `and`, or side by side.
    fn all(&mut self) -> Result<Node, QueryError> {
        let mut parts = vec![self.not()?];
        loop {
            if self.is_and() {
                self.next += 1;
            } else if self.is_or() || matches!(self.peek(0), None | Some(Kind::Close)) {
                return Ok(one_or(parts, Node::All));
            }
            parts.push(self.not()?);
        }
    }

    fn not(&mut self) -> Result<Node, QueryError> {
        let is_not = self.peek(0) == Some(&Kind::Not) || self.next_is(0, "not");
        if !is_not && self.peek(0) != Some(&Kind::Open) {
            return self.condition();
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.wrong("Too many parentheses within each other."));
        }
        let opened = self.at();
        self.next += 1;
        let node = if is_not {
            Node::Not(Box::new(self.not()?))
        } else {
            let inner = self.any()?;
            if self.peek(0) != Some(&Kind::Close) {
                let what =
                    if self.peek(0).is_none() { "This parenthesis is never closed." } else { "`)` is missing here." };
                return Err(QueryError::new(if self.peek(0).is_none() { opened } else { self.at() }, what));
            }
            self.next += 1;
            inner
        };
        self.depth -= 1;
        Ok(node)
    }

    /// A key with an operator and a value, or something to search for.
    fn condition(&mut self) -> Result<Node, QueryError> {
        let Some(kind) = self.peek(0) else {
            return Err(self.wrong("Something is missing here, such as `state == finished`."));
        };
        let Some(text) = kind.text().filter(|_| !self.is_and() && !self.is_or()).map(str::to_owned) else {
            return Err(self.wrong("A key or a word must stand here, such as `state` or `config.learning_rate`."));
        };
        let is_word = kind.word().is_some();
        self.next += 1;
        match self.operator() {
            Some(how) => self.test(Field::of(&text), how),
            None => Ok(search(&text, is_word)),
        }
    }

    /// Takes the operator that stands here, if one does.
    fn operator(&mut self) -> Option<How> {
        let negated = usize::from(self.next_is(0, "not"));
        let how = match self.peek(0)? {
            Kind::Compare(how) => *how,
            _ if self.next_is(negated, "in") => [How::In, How::NotIn].get(negated).copied()?,
            _ if self.next_is(negated, "contains") => [How::Contains, How::ContainsNot].get(negated).copied()?,
            _ => return None,
        };
        let words = if matches!(self.peek(0)?, Kind::Compare(_)) { 1 } else { 1 + negated };
        self.next += words;
        Some(how)
    }

    fn test(&mut self, field: Field, how: How) -> Result<Node, QueryError> {
        let at = self.at();
        let mut test = Test { field, how, value: ConfigValue::Null, pattern: None };
        match how {
            How::Finds | How::FindsNot => {
                test.pattern = Some(self.pattern()?);
                return Ok(Node::Test(test));
            }
            How::In | How::NotIn if !matches!(self.peek(0), Some(Kind::Open | Kind::OpenList)) => {
                return Err(self.wrong("`in` needs a list, such as `in [1, 2]`."));
            }
            How::Less | How::LessOrEqual | How::Greater | How::GreaterOrEqual
                if matches!(self.peek(0), Some(Kind::OpenList)) || self.next_is(0, "null") =>
            {
                return Err(self.wrong("Only a number, a text or a time can be larger or smaller."));
            }
            _ => test.value = self.value()?,
        }
        let Field::Property(property) = test.field else { return Ok(Node::Test(test)) };
        checked(property, &mut test.value).map_err(|what| QueryError::new(at, what))?;
        let is_day = property == Property::Created
            && self
                .tokens
                .get(self.next.wrapping_sub(1))
                .is_some_and(|token| token.kind.text().is_some_and(|text| text.trim().len() == DATE_LENGTH));
        match (how, &test.value) {
            (How::Equal, ConfigValue::Number(start)) if is_day => Ok(day(*start)),
            (How::Unequal, ConfigValue::Number(start)) if is_day => Ok(Node::Not(Box::new(day(*start)))),
            _ => Ok(Node::Test(test)),
        }
    }

    fn pattern(&mut self) -> Result<Pattern, QueryError> {
        let at = self.at();
        let (source, ignores_case) = match self.peek(0) {
            Some(Kind::Pattern { source, ignores_case }) => (source, *ignores_case),
            Some(Kind::Word(text) | Kind::Quoted(text)) => (text, false),
            _ => return Err(self.wrong("A regular expression must stand here, such as `/^lr-/`.")),
        };
        let is_bare = self.peek(0).is_some_and(|kind| kind.word().is_some());
        let pattern = Pattern::new(source, ignores_case)
            .map_err(|error| QueryError::new(at + error.at + usize::from(!is_bare), error.what))?;
        self.next += 1;
        Ok(pattern)
    }

    /// A value or a list of them.
    fn value(&mut self) -> Result<ConfigValue, QueryError> {
        let close = match self.peek(0) {
            Some(Kind::OpenList) => Kind::CloseList,
            Some(Kind::Open) => Kind::Close,
            _ => return self.single(),
        };
        let opened = self.at();
        self.next += 1;
        let mut values = Vec::new();
        while self.peek(0) != Some(&close) {
            if self.peek(0).is_none() {
                return Err(QueryError::new(opened, "This list is never closed."));
            }
            values.push(self.single()?);
            match self.peek(0) {
                Some(Kind::Comma) => self.next += 1,
                Some(kind) if *kind != close => {
                    return Err(self.wrong("A comma or the end of the list is missing here."));
                }
                _ => {}
            }
        }
        self.next += 1;
        Ok(ConfigValue::List(values))
    }

    fn single(&mut self) -> Result<ConfigValue, QueryError> {
        let value = match self.peek(0) {
            Some(Kind::Word(word)) => literal(word),
            Some(Kind::Quoted(text) | Kind::Key(text)) => ConfigValue::Text(text.clone()),
            _ => return Err(self.wrong("A value is missing here: a number, a text, true, false or null.")),
        };
        self.next += 1;
        Ok(value)
    }
}

fn one_or(mut parts: Vec<Node>, many: fn(Vec<Node>) -> Node) -> Node {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            many(parts)
        }
        None => many(parts),
    }
}

fn search(text: &str, is_word: bool) -> Node {
    match text.strip_prefix('-').filter(|rest| is_word && !rest.is_empty()) {
        Some(unwanted) => Node::Not(Box::new(Node::Search(unwanted.to_ascii_lowercase()))),
        None => Node::Search(text.to_ascii_lowercase()),
    }
}

/// The value of a bare word.
fn literal(word: &str) -> ConfigValue {
    match word.to_ascii_lowercase().as_str() {
        "null" | "none" => ConfigValue::Null,
        "true" => ConfigValue::Bool(true),
        "false" => ConfigValue::Bool(false),
        _ => number_in(word).map_or_else(|| ConfigValue::Text(word.to_owned()), ConfigValue::Number),
    }
}

/// Bytes of a date without a time.
const DATE_LENGTH: usize = 10;

/// Any time of the day that begins at `start`.
fn day(start: f64) -> Node {
    let test = |how, seconds| {
        let value = ConfigValue::Number(seconds);
        Node::Test(Test { field: Field::Property(Property::Created), how, value, pattern: None })
    };
    Node::All(vec![test(How::GreaterOrEqual, start), test(How::Less, start + DAY)])
}

/// Makes times seconds and words of Rundown lower case; says what is no such value.
fn checked(property: Property, value: &mut ConfigValue) -> Result<(), &'static str> {
    match value {
        ConfigValue::List(values) => values.iter_mut().try_for_each(|value| checked(property, value)),
        ConfigValue::Text(text) if property == Property::Created => {
            let seconds = iso_seconds(text).ok_or("This is not a time, such as `2026-11-01` or `2026-11-01T12:30`.")?;
            *value = ConfigValue::Number(seconds);
            Ok(())
        }
        ConfigValue::Text(text) if property.is_word() => {
            *text = text.to_ascii_lowercase();
            let is_unknown = property == Property::Verdict && !VERDICTS.contains(&text.as_str());
            if is_unknown { Err("A verdict is `good`, `undecided`, `bad` or `ugly`.") } else { Ok(()) }
        }
        _ => Ok(()),
    }
}
