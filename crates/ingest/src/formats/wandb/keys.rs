//! Keys seen so far, found again by their bytes.
//!
//! A run names the same few hundred keys hundreds of thousands of times. The bytes that name a key in a record
//! are looked up as they stand, so that a key is decoded once in a run and not once a row.

use rustc_hash::FxHashMap;

use super::records::Item;
use crate::budget::COLUMN_NAME;
use crate::rows::columns::{ColumnsByName, LEFT_OUT};

/// Number of a key within its file.
pub(crate) type KeyId = usize;
/// Number of a dictionary that holds nested keys.
pub(crate) type GroupId = usize;

/// What a key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyUse {
    /// `_step`.
    Step,
    /// `_timestamp`, Unix seconds.
    Time,
    /// `_runtime`, seconds since the start.
    Runtime,
    /// `_wandb` and what is nested in it.
    Internal,
    /// The `_type` of a media dictionary.
    MediaType(GroupId),
    /// Anything else: its column.
    Metric(usize),
}

/// A key.
#[derive(Debug)]
pub(crate) struct MetricKey {
    /// Elements as the user nested them.
    pub(crate) path: Vec<String>,
    /// What it is for.
    pub(crate) used_as: KeyUse,
    /// The dictionaries that it lies in, outermost first.
    pub(crate) groups: Vec<GroupId>,
}

/// A dictionary with nested keys.
#[derive(Debug)]
pub(crate) struct KeyGroup {
    /// Its name, joined with dots as W&B shows it.
    pub(crate) name: String,
    /// Number of path elements.
    pub(crate) depth: usize,
}

/// All keys, groups and columns of a file.
#[derive(Debug, Default)]
pub(crate) struct MetricKeys {
    by_bytes: FxHashMap<Box<[u8]>, KeyId>,
    keys: Vec<MetricKey>,
    groups: Vec<KeyGroup>,
    groups_by_path: FxHashMap<Vec<String>, GroupId>,
    pub(crate) columns: ColumnsByName,
}

impl MetricKeys {
    /// The number of the item's key.
    #[inline]
    pub(crate) fn id(&mut self, item: &Item<'_>) -> KeyId {
        match self.by_bytes.get(item.encoded_path) {
            Some(id) => *id,
            None => self.add(item),
        }
    }

    pub(crate) fn get(&self, id: KeyId) -> Option<&MetricKey> {
        self.keys.get(id)
    }

    pub(crate) fn group(&self, id: GroupId) -> Option<&KeyGroup> {
        self.groups.get(id)
    }

    /// Number of groups so far.
    pub(crate) fn group_count(&self) -> usize {
        self.groups.len()
    }

    fn add(&mut self, item: &Item<'_>) -> KeyId {
        let path = item.path();
        // Each group keeps its whole path; a name that is too long for a column has none.
        let is_named = item.encoded_path.len() <= COLUMN_NAME;
        let depths = if is_named { 1..path.len() } else { 0..0 };
        let groups: Vec<GroupId> =
            depths.filter_map(|depth| path.get(..depth)).map(|path| self.group_at(path)).collect();
        let used_as = match (path.as_slice(), groups.last()) {
            ([key], _) if key == "_step" => KeyUse::Step,
            ([key], _) if key == "_timestamp" => KeyUse::Time,
            ([key], _) if key == "_runtime" => KeyUse::Runtime,
            ([key, ..], _) if key == "_wandb" => KeyUse::Internal,
            ([.., key], Some(group)) if key == "_type" => KeyUse::MediaType(*group),
            _ if !is_named => KeyUse::Metric(LEFT_OUT),
            _ => KeyUse::Metric(self.columns.named(&path.join("."))),
        };
        let id = self.keys.len();
        self.keys.push(MetricKey { path, used_as, groups });
        self.by_bytes.insert(item.encoded_path.into(), id);
        id
    }

    fn group_at(&mut self, path: &[String]) -> GroupId {
        if let Some(group) = self.groups_by_path.get(path) {
            return *group;
        }
        let group = self.groups.len();
        self.groups_by_path.insert(path.to_vec(), group);
        self.groups.push(KeyGroup { name: path.join("."), depth: path.len() });
        group
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_is_one_column_however_it_was_nested() {
        let mut keys = MetricKeys::default();
        let nested = keys.id(&Item { encoded_path: b"\x12\x01a\x12\x01b", value: b"" });
        let dotted = keys.id(&Item { encoded_path: b"\x0a\x03a.b", value: b"" });
        assert_ne!(nested, dotted);
        assert_eq!(keys.get(nested).unwrap().used_as, keys.get(dotted).unwrap().used_as);
        assert_eq!(keys.id(&Item { encoded_path: b"\x12\x01a\x12\x01b", value: b"" }), nested);
        assert_eq!(keys.group(0).unwrap().name, "a");
    }

    #[test]
    fn internal_keys_are_known() {
        let mut keys = MetricKeys::default();
        let used_as = |keys: &mut MetricKeys, path: &[u8]| {
            let id = keys.id(&Item { encoded_path: path, value: b"" });
            keys.get(id).unwrap().used_as
        };
        assert_eq!(used_as(&mut keys, b"\x12\x05_step"), KeyUse::Step);
        assert_eq!(used_as(&mut keys, b"\x12\x06_wandb\x12\x07runtime"), KeyUse::Internal);
        assert_eq!(used_as(&mut keys, b"\x12\x04hist\x12\x05_type"), KeyUse::MediaType(1));
        assert!(keys.columns.into_map().is_empty());
    }
}
