//! The parser: from tokens to a syntax tree, by recursive descent.

use super::expression::{Expression, Operator, Predicate, QueryKey};
use super::fields::RunProperty;
use super::pattern::TextPattern;
use super::token::{QueryToken, TokenKind, tokens};
use super::value::{QueryValue, parse_number};
use super::{Query, QueryError};
use rundown_run::iso_seconds;

/// Most nested parentheses and negations.
const MAX_DEPTH: usize = 60;
const SECONDS_PER_DAY: f64 = 86_400.0;
const VERDICTS: [&str; 4] = ["good", "undecided", "bad", "ugly"];

pub(super) fn parse(text: &str) -> Result<Query, QueryError> {
    let (tokens, error) = tokens(text);
    if let Some(error) = error {
        return Err(error);
    }
    let mut parser = QueryParser { end: text.chars().count(), tokens, next: 0, depth: 0 };
    if parser.peek(0).is_none() {
        return Ok(Query::default());
    }
    let root = parser.any()?;
    match parser.peek(0) {
        None => Ok(Query { root: Some(root) }),
        Some(_) => Err(parser.error_here("Unmatched `)`.")),
    }
}

struct QueryParser {
    tokens: Vec<QueryToken>,
    next: usize,
    depth: usize,
    /// Characters of the text.
    end: usize,
}

impl QueryParser {
    fn peek(&self, ahead: usize) -> Option<&TokenKind> {
        self.tokens.get(self.next + ahead).map(|token| &token.kind)
    }

    fn at(&self) -> usize {
        self.tokens.get(self.next).map_or(self.end, |token| token.at)
    }

    fn error_here(&self, what: &str) -> QueryError {
        QueryError::new(self.at(), what)
    }

    fn next_is(&self, ahead: usize, keyword: &str) -> bool {
        self.peek(ahead).is_some_and(|kind| kind.is(keyword))
    }

    fn is_or(&self) -> bool {
        self.peek(0) == Some(&TokenKind::Or) || self.next_is(0, "or")
    }

    fn is_and(&self) -> bool {
        self.peek(0) == Some(&TokenKind::And) || self.next_is(0, "and")
    }

    /// Conditions joined by `or`.
    fn any(&mut self) -> Result<Expression, QueryError> {
        let mut parts = vec![self.all()?];
        while self.is_or() {
            self.next += 1;
            parts.push(self.all()?);
        }
        Ok(one_or(parts, Expression::Any))
    }

    /// Conditions joined by `and`, or side by side.
    fn all(&mut self) -> Result<Expression, QueryError> {
        let mut parts = vec![self.not()?];
        loop {
            if self.is_and() {
                self.next += 1;
            } else if self.is_or() || matches!(self.peek(0), None | Some(TokenKind::Close)) {
                return Ok(one_or(parts, Expression::All));
            }
            parts.push(self.not()?);
        }
    }

    fn not(&mut self) -> Result<Expression, QueryError> {
        let is_not = self.peek(0) == Some(&TokenKind::Not) || self.next_is(0, "not");
        if !is_not && self.peek(0) != Some(&TokenKind::Open) {
            return self.condition();
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error_here("Too many parentheses within each other."));
        }
        let opened = self.at();
        self.next += 1;
        let node = if is_not {
            Expression::Not(Box::new(self.not()?))
        } else {
            let inner = self.any()?;
            if self.peek(0) != Some(&TokenKind::Close) {
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
    fn condition(&mut self) -> Result<Expression, QueryError> {
        let Some(kind) = self.peek(0) else {
            return Err(self.error_here("A condition is missing here, such as `state == finished`."));
        };
        let Some(text) = kind.text().filter(|_| !self.is_and() && !self.is_or()).map(str::to_owned) else {
            return Err(self.error_here("Expected a key or a word here, such as `state` or `config.learning_rate`."));
        };
        let is_word = kind.word().is_some();
        self.next += 1;
        match self.operator() {
            Some(operator) => self.predicate(QueryKey::parse(&text), operator),
            None => Ok(search(&text, is_word)),
        }
    }

    /// Takes the operator at this token, if it is one.
    fn operator(&mut self) -> Option<Operator> {
        let negated = usize::from(self.next_is(0, "not"));
        let operator = match self.peek(0)? {
            TokenKind::Operator(operator) => *operator,
            _ if self.next_is(negated, "in") => [Operator::In, Operator::NotIn].get(negated).copied()?,
            _ if self.next_is(negated, "contains") => {
                [Operator::Contains, Operator::NotContains].get(negated).copied()?
            }
            _ => return None,
        };
        let words = if matches!(self.peek(0)?, TokenKind::Operator(_)) { 1 } else { 1 + negated };
        self.next += words;
        Some(operator)
    }

    fn predicate(&mut self, key: QueryKey, operator: Operator) -> Result<Expression, QueryError> {
        let at = self.at();
        let mut predicate = Predicate { key, operator, value: QueryValue::Null, pattern: None };
        match operator {
            Operator::Matches | Operator::NotMatches => {
                predicate.pattern = Some(self.pattern()?);
                return Ok(Expression::Predicate(predicate));
            }
            Operator::In | Operator::NotIn if !matches!(self.peek(0), Some(TokenKind::Open | TokenKind::OpenList)) => {
                return Err(self.error_here("`in` needs a list, such as `in [1, 2]`."));
            }
            Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual
                if matches!(self.peek(0), Some(TokenKind::OpenList)) || self.next_is(0, "null") =>
            {
                return Err(self.error_here("Only a number, a text or a time can be larger or smaller."));
            }
            _ => predicate.value = self.value()?,
        }
        let QueryKey::Property(property) = predicate.key else { return Ok(Expression::Predicate(predicate)) };
        let days = is_day(&predicate.value);
        normalize(property, &mut predicate.value).map_err(|what| QueryError::new(at, what))?;
        Ok(if property == RunProperty::Created { created(predicate, &days) } else { Expression::Predicate(predicate) })
    }

    fn pattern(&mut self) -> Result<TextPattern, QueryError> {
        let at = self.at();
        let (source, ignores_case) = match self.peek(0) {
            Some(TokenKind::Pattern { source, ignores_case }) => (source, *ignores_case),
            Some(TokenKind::Word(_)) if self.is_cut() => {
                return Err(
                    self.error_here("This regular expression must stand between slashes, such as `/^(lr|kl)-/`.")
                );
            }
            Some(TokenKind::Word(text) | TokenKind::Quoted(text)) => (text, false),
            _ => return Err(self.error_here("A regular expression must stand here, such as `/^lr-/`.")),
        };
        let pattern = TextPattern::new(source, ignores_case).map_err(|what| QueryError::new(at, what))?;
        self.next += 1;
        Ok(pattern)
    }

    /// True where a bare word ends at a sign in the midst of what was written as one.
    fn is_cut(&self) -> bool {
        let end = self.tokens.get(self.next).map(|token| token.end);
        let next = self.tokens.get(self.next + 1).filter(|next| Some(next.at) == end);
        next.is_some_and(|next| !matches!(next.kind, TokenKind::Close | TokenKind::And | TokenKind::Or))
    }

    /// A value or a list of them.
    fn value(&mut self) -> Result<QueryValue<'static>, QueryError> {
        let close = match self.peek(0) {
            Some(TokenKind::OpenList) => TokenKind::CloseList,
            Some(TokenKind::Open) => TokenKind::Close,
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
                Some(TokenKind::Comma) => self.next += 1,
                Some(kind) if *kind != close => {
                    return Err(self.error_here("A comma or the end of the list is missing here."));
                }
                _ => {}
            }
        }
        self.next += 1;
        Ok(QueryValue::List(values))
    }

    fn single(&mut self) -> Result<QueryValue<'static>, QueryError> {
        let value = match self.peek(0) {
            Some(TokenKind::Word(word)) => literal(word),
            Some(TokenKind::Quoted(text) | TokenKind::Key(text)) => QueryValue::text(text.clone()),
            _ => return Err(self.error_here("A value is missing here: a number, a text, true, false or null.")),
        };
        self.next += 1;
        Ok(value)
    }
}

fn one_or(mut parts: Vec<Expression>, many: fn(Vec<Expression>) -> Expression) -> Expression {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            many(parts)
        }
        None => many(parts),
    }
}

fn search(text: &str, is_word: bool) -> Expression {
    match text.strip_prefix('-').filter(|rest| is_word && !rest.is_empty()) {
        Some(unwanted) => Expression::Not(Box::new(Expression::Search(unwanted.to_ascii_lowercase()))),
        None => Expression::Search(text.to_ascii_lowercase()),
    }
}

/// The value of a bare word.
fn literal(word: &str) -> QueryValue<'static> {
    match word.to_ascii_lowercase().as_str() {
        "null" | "none" => QueryValue::Null,
        "true" => QueryValue::Bool(true),
        "false" => QueryValue::Bool(false),
        _ => parse_number(word).map_or_else(|| QueryValue::text(word.to_owned()), QueryValue::Number),
    }
}

/// Bytes of a date without a time.
const DATE_LENGTH: usize = 10;

/// For a value, or for each item of a list: whether it is a day without a time, once it is known to be a time.
fn is_day(value: &QueryValue<'_>) -> Vec<bool> {
    match value {
        QueryValue::List(items) => items.iter().flat_map(is_day).collect(),
        QueryValue::Text(text) => vec![text.trim().len() == DATE_LENGTH],
        _ => vec![false],
    }
}

/// A condition on the start of a run, in which a day without a time stands for all of its hours.
fn created(predicate: Predicate, is_day: &[bool]) -> Expression {
    if !is_day.contains(&true) {
        return Expression::Predicate(predicate);
    }
    let not = |expression| Expression::Not(Box::new(expression));
    match (predicate.operator, &predicate.value) {
        (Operator::Equal, QueryValue::Number(start)) => day(*start),
        (Operator::NotEqual, QueryValue::Number(start)) => not(day(*start)),
        (Operator::Greater, QueryValue::Number(start)) => bound(Operator::GreaterOrEqual, start + SECONDS_PER_DAY),
        (Operator::LessOrEqual, QueryValue::Number(start)) => bound(Operator::Less, start + SECONDS_PER_DAY),
        (Operator::In, QueryValue::List(items)) => one_of(items, is_day),
        (Operator::NotIn, QueryValue::List(items)) => not(one_of(items, is_day)),
        _ => Expression::Predicate(predicate),
    }
}

/// A start at one of these times, or within one of these days.
fn one_of(items: &[QueryValue<'static>], is_day: &[bool]) -> Expression {
    let one = |(item, is_day): (&QueryValue<'static>, &bool)| match item {
        QueryValue::Number(seconds) if *is_day => day(*seconds),
        item => start_of_run(Operator::Equal, item.clone()),
    };
    Expression::Any(items.iter().zip(is_day).map(one).collect())
}

/// A start within the day that begins at `start`.
fn day(start: f64) -> Expression {
    Expression::All(vec![bound(Operator::GreaterOrEqual, start), bound(Operator::Less, start + SECONDS_PER_DAY)])
}

/// A start before or after a time in Unix seconds.
fn bound(operator: Operator, seconds: f64) -> Expression {
    start_of_run(operator, QueryValue::Number(seconds))
}

fn start_of_run(operator: Operator, value: QueryValue<'static>) -> Expression {
    let key = QueryKey::Property(RunProperty::Created);
    Expression::Predicate(Predicate { key, operator, value, pattern: None })
}

/// Converts times to Unix seconds and Rundown's own words to lower case.
///
/// # Errors
/// A value that the property cannot have: one sentence.
fn normalize(property: RunProperty, value: &mut QueryValue<'static>) -> Result<(), &'static str> {
    match value {
        QueryValue::List(values) => values.iter_mut().try_for_each(|value| normalize(property, value)),
        QueryValue::Text(text) if property == RunProperty::Created => {
            let seconds = iso_seconds(text).ok_or("This is not a time, such as `2026-11-01` or `2026-11-01T12:30`.")?;
            *value = QueryValue::Number(seconds);
            Ok(())
        }
        QueryValue::Text(text) if property.is_lowercase() => {
            let lowercase = text.to_ascii_lowercase();
            let is_unknown = property == RunProperty::Verdict && !VERDICTS.contains(&lowercase.as_str());
            *value = QueryValue::text(lowercase);
            if is_unknown { Err("A verdict is `good`, `undecided`, `bad` or `ugly`.") } else { Ok(()) }
        }
        _ => Ok(()),
    }
}
