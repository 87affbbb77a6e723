//! The last value of each key of the summary, kept as raw bytes.
//!
//! Every row of history is followed by summary records that repeat it, half of the file. Only the last value of a
//! key counts, so that none is parsed before the end.

use super::keys::{KeyId, MetricKeys};
use super::records::SettingChange;
use crate::syntax::json::Json;
use rundown_stats::CompactSort;

/// Last raw values by key.
#[derive(Debug, Default)]
pub(crate) struct LatestValues {
    values: Vec<LatestValue>,
    changes: u64,
}

#[derive(Debug, Default, Clone)]
struct LatestValue {
    bytes: Vec<u8>,
    /// Number of the change that set it, 0 when it is not set.
    set_by: u64,
}

impl LatestValues {
    pub(crate) fn apply(&mut self, change: &SettingChange<'_>, keys: &mut MetricKeys) {
        self.changes += 1;
        match change {
            SettingChange::Update(item) => {
                let id = keys.id(item);
                let Some(value) = self.value(id) else { return };
                value.bytes.clear();
                value.bytes.extend_from_slice(item.value);
                let changes = self.changes;
                if let Some(value) = self.value(id) {
                    value.set_by = changes;
                }
            }
            SettingChange::Remove(item) => {
                let path = item.path();
                for (id, value) in self.values.iter_mut().enumerate() {
                    if keys.get(id).is_some_and(|key| key.path.starts_with(&path)) {
                        value.set_by = 0;
                    }
                }
            }
        }
    }

    /// The summary as one object. A value set later replaces what an earlier one put in its way.
    pub(crate) fn into_json(self, keys: &MetricKeys) -> Json {
        let mut in_order: Vec<(KeyId, LatestValue)> =
            self.values.into_iter().enumerate().filter(|(_, value)| value.set_by > 0).collect();
        in_order.compact_sort_by_key(|(_, value)| value.set_by);
        let mut summary = Json::Object(std::collections::BTreeMap::new());
        for (id, value) in in_order {
            if let (Some(key), Ok(json)) = (keys.get(id), Json::parse(&value.bytes)) {
                summary.set(&key.path, json);
            }
        }
        summary
    }

    fn value(&mut self, id: KeyId) -> Option<&mut LatestValue> {
        if id >= self.values.len() {
            self.values.resize_with(id + 1, LatestValue::default);
        }
        self.values.get_mut(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wandb::records::Item;

    #[test]
    fn the_last_change_wins() {
        let mut keys = MetricKeys::default();
        let mut latest = LatestValues::default();
        let a = b"\x12\x01a";
        let ab = b"\x12\x01a\x12\x01b";
        let ac = b"\x12\x01a\x12\x01c";
        let mut set = |path: &[u8], value: &[u8]| {
            latest.apply(&SettingChange::Update(Item { encoded_path: path, value }), &mut keys);
        };
        set(ab, b"1");
        set(a, b"5");
        set(ac, b"7");
        set(b"\x12\x01x", b"1");
        set(b"\x12\x01x", b"2");
        set(b"\x12\x01y", b"3");
        latest.apply(&SettingChange::Remove(Item { encoded_path: b"\x12\x01y", value: b"" }), &mut keys);
        assert_eq!(latest.into_json(&keys), Json::parse(br#"{"a": {"c": 7}, "x": 2}"#).unwrap());
    }
}
