//! Every key of every table in the form in which keys are compared.
//!
//! The tables are constants, so the index is made once, by the first run that is bound: made anew for each run it took
//! half of the time of a short run's diagnosis.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::table::{FrameworkKey, normal};
use super::tables::{FAMILIES, Family};

/// An entry of a table.
pub(super) struct IndexedEntry {
    /// Place of its family in [`FAMILIES`], and its own among the entries of the family.
    pub place: (usize, usize),
    pub family: &'static Family,
    pub entry: &'static FrameworkKey,
}

/// The index of all tables.
pub(super) struct TableIndex {
    by_key: BTreeMap<Cow<'static, str>, Vec<IndexedEntry>>,
    by_words: BTreeMap<String, Vec<(usize, Cow<'static, str>)>>,
}

static INDEX: LazyLock<TableIndex> = LazyLock::new(TableIndex::new);

impl TableIndex {
    /// The index.
    pub(super) fn get() -> &'static Self {
        &INDEX
    }

    fn new() -> Self {
        let mut index = Self { by_key: BTreeMap::new(), by_words: BTreeMap::new() };
        for (number, family) in FAMILIES.iter().enumerate() {
            for (place, entry) in family.entries().enumerate() {
                let key = normal(entry.key);
                // What is the name in the place of braces cannot be told from what stands around it.
                if key.contains('/') && !key.contains('{') {
                    let known = index.by_words.entry(joined_words(&key)).or_default();
                    known.retain(|(other, _)| *other != number);
                    known.push((number, key.clone()));
                }
                let entry = IndexedEntry { place: (number, place), family, entry };
                index.by_key.entry(key).or_default().push(entry);
            }
        }
        index
    }

    /// The entries with just this key, in the order of the families. The key is in normal form, with its braces if it has
    /// any.
    pub(super) fn entries(&self, key: &str) -> &[IndexedEntry] {
        self.by_key.get(key).map_or(&[], Vec::as_slice)
    }

    /// Keys with slashes that have these [`joined_words`], each with the place of its family: one a family at most.
    pub(super) fn with_words(&self, joined: &str) -> impl Iterator<Item = (usize, &str)> {
        let known = self.by_words.get(joined).into_iter().flatten();
        known.map(|(family, key)| (*family, key.as_ref()))
    }
}

/// A key with one underscore for each run of other signs.
pub(super) fn joined_words(key: &str) -> String {
    let words: Vec<&str> = key.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join("_").to_lowercase()
}
