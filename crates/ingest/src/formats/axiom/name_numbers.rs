//! Numbers that stand for names, in the order in which these are first seen.

use rustc_hash::FxHashMap;

/// Names by number.
#[derive(Debug, Default)]
pub(super) struct Names {
    numbers: FxHashMap<String, u32>,
    pub(super) names: Vec<String>,
}

impl Names {
    pub(super) fn has(&self, name: &str) -> bool {
        self.numbers.contains_key(name)
    }

    /// The number of a name, a new one where it has none.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.numbers.insert(name.to_owned(), number);
        self.names.push(name.to_owned());
        number
    }
}
