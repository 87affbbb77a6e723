//! Which sections the user opened or folded, as this browser remembers it.

use std::collections::BTreeMap;

/// Choices that are remembered at most: of the sections of a hundred projects.
const MAX_CHOICES: usize = 500;

/// Sections that the user opened (true) or folded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Folds {
    chosen: BTreeMap<String, bool>,
}

impl Folds {
    /// From the text that [`Folds::text`] gave: a line for each section, `+` before an open one.
    pub fn read(text: &str) -> Self {
        let line = |line: &str| match (line.strip_prefix('+'), line.strip_prefix('-')) {
            (Some(name), _) => Some((name.to_owned(), true)),
            (_, Some(name)) => Some((name.to_owned(), false)),
            _ => None,
        };
        Self { chosen: text.lines().filter_map(line).take(MAX_CHOICES).collect() }
    }

    /// The choices as a text.
    pub fn text(&self) -> String {
        let lines = self.chosen.iter().map(|(name, is_open)| format!("{}{name}\n", if *is_open { '+' } else { '-' }));
        lines.collect()
    }

    /// What the user chose for a section.
    pub fn of(&self, name: &str) -> Option<bool> {
        self.chosen.get(name).copied()
    }

    /// Sets what the user chose for a section.
    pub fn set(&mut self, name: &str, is_open: bool) {
        self.chosen.insert(name.to_owned(), is_open);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read_as_they_were_written() {
        let mut folds = Folds::default();
        folds.set("train/loss", false);
        folds.set("-odd name", true);
        assert_eq!(Folds::read(&folds.text()), folds);
        assert_eq!((folds.of("train/loss"), folds.of("-odd name"), folds.of("eval")), (Some(false), Some(true), None));
        assert_eq!(Folds::read("nonsense\n\n"), Folds::default());
    }
}
