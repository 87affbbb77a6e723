//! Statements of Python source: where each begins and ends, without comments.
//!
//! No crate: parsers of Python's grammar refuse the magic lines of notebooks (`%pip install x`, `!ls`) and build a tree of
//! a whole program, of which only calls and assignments are asked for.

/// A statement, on one line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Statement {
    /// True inside of a block: a function, a condition, a loop.
    pub is_indented: bool,
    pub text: String,
}

/// The statements of a source. Magic lines of notebooks are skipped.
pub(super) fn statements(source: &str) -> Vec<Statement> {
    let mut found = Vec::new();
    let mut text = String::new();
    let mut quotes = Quotes::default();
    let mut depth = 0_usize;
    let mut is_indented = false;
    for line in source.lines() {
        let is_new = text.is_empty() && depth == 0 && !quotes.is_open();
        if is_new {
            is_indented = line.starts_with([' ', '\t']);
            if line.trim_start().starts_with(['%', '!', '?']) {
                continue;
            }
        }
        let mut goes_on = false;
        let mut rest = line;
        while let Some(letter) = rest.chars().next() {
            let length = quotes.advance(rest);
            let (part, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
            rest = behind;
            if length > 1 || quotes.is_open() || letter == '\'' || letter == '"' {
                text.push_str(part);
                continue;
            }
            match letter {
                '#' => break,
                '\\' if behind.trim().is_empty() => {
                    goes_on = true;
                    break;
                }
                ';' if depth == 0 => {
                    end(&mut found, &mut text, is_indented);
                    continue;
                }
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            text.push_str(part);
        }
        quotes.end_line(goes_on);
        if depth > 0 || quotes.is_open() || goes_on {
            text.push(' ');
        } else {
            end(&mut found, &mut text, is_indented);
        }
    }
    end(&mut found, &mut text, is_indented);
    found
}

fn end(found: &mut Vec<Statement>, text: &mut String, is_indented: bool) {
    let statement = std::mem::take(text).trim().to_owned();
    if !statement.is_empty() {
        found.push(Statement { is_indented, text: statement });
    }
}

/// Texts between quotes, as they are passed.
#[derive(Debug, Default)]
pub(super) struct Quotes {
    open: Option<&'static str>,
}

impl Quotes {
    const ALL: [&'static str; 4] = ["'''", "\"\"\"", "'", "\""];

    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Passes what a text begins with: a quote, an escaped letter in a text, or one letter. Gives its length in bytes.
    pub(super) fn advance(&mut self, rest: &str) -> usize {
        let letter = rest.chars().next().map_or(0, char::len_utf8);
        match self.open {
            Some(_) if rest.starts_with('\\') => letter + rest.chars().nth(1).map_or(0, char::len_utf8),
            Some(quote) if rest.starts_with(quote) => {
                self.open = None;
                quote.len()
            }
            Some(_) => letter,
            None => match Self::ALL.into_iter().find(|quote| rest.starts_with(quote)) {
                Some(quote) => {
                    self.open = Some(quote);
                    quote.len()
                }
                None => letter,
            },
        }
    }

    /// Ends a text that has to end on its line.
    fn end_line(&mut self, goes_on: bool) {
        if !goes_on && self.open.is_some_and(|quote| quote.len() == 1) {
            self.open = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(source: &str) -> Vec<String> {
        let shown =
            |statement: Statement| format!("{}{}", if statement.is_indented { "  " } else { "" }, statement.text);
        statements(source).into_iter().map(shown).collect()
    }

    #[test]
    fn statements_go_over_lines_and_end_at_semicolons() {
        assert_eq!(
            of("a = 1 # one\nb = f(\n  2, # two\n)\nc = 3; d = 4\n"),
            ["a = 1", "b = f(   2,  )", "c = 3", "d = 4"]
        );
        assert_eq!(of("a = 1 + \\\n  2\nif a:\n    b = 3\n"), ["a = 1 +    2", "if a:", "  b = 3"]);
    }

    #[test]
    fn texts_may_hold_anything() {
        assert_eq!(of("a = '#;(' # x\nb = \"it's\\\"\"\n"), ["a = '#;('", "b = \"it's\\\"\""]);
        assert_eq!(of("a = '''x = 1\n# y\n'''\nb = 2"), ["a = '''x = 1 # y '''", "b = 2"]);
        assert_eq!(of("a = 'é\nb = 2"), ["a = 'é", "b = 2"], "a text that is not closed ends with its line");
    }

    #[test]
    fn magic_lines_are_none() {
        assert_eq!(of("%pip install x\n!ls (\na = 1"), ["a = 1"]);
        assert_eq!(of("a = (1\n% 2)"), ["a = (1 % 2)"]);
    }
}
