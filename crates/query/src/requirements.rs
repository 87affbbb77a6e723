//! What of a run a query needs to know: which columns a server's list must carry, and what only a loaded run shows.

use super::Query;
use super::expression::{Predicate, QueryKey};
use super::fields::RunFields;

impl Query {
    /// The keys that only a loaded run shows, as in [`Query::keys`].
    pub fn keys_after_loading(&self) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        self.each_predicate(&mut |predicate| {
            let key = predicate.key.to_string();
            if predicate.key.needs_loading() && !keys.contains(&key) {
                keys.push(key);
            }
        });
        keys
    }

    /// Keys of the settings, and of the metrics, that a list must carry to decide the query.
    pub fn column_keys(&self) -> (Vec<String>, Vec<String>) {
        let (mut settings, mut metrics) = (Vec::new(), Vec::new());
        self.each_predicate(&mut |predicate| match &predicate.key {
            QueryKey::Property(_) => {}
            QueryKey::Setting(key) => settings.push(key.clone()),
            QueryKey::Metric(key) => metrics.push(key.clone()),
            QueryKey::SettingOrMetric(key) => {
                settings.push(key.clone());
                metrics.push(key.clone());
            }
        });
        (settings, metrics)
    }

    /// True when the row lacks a setting of the query under its whole key: the key may be the end of one that the list
    /// does not carry.
    pub fn lacks_settings(&self, row: &impl RunFields) -> bool {
        let mut lacks = false;
        self.each_predicate(&mut |predicate| {
            lacks |= match &predicate.key {
                QueryKey::Property(_) | QueryKey::Metric(_) => false,
                QueryKey::Setting(key) => !has_setting(row, key),
                QueryKey::SettingOrMetric(key) => row.metric(key).is_none() && !has_setting(row, key),
            };
        });
        lacks
    }

    fn each_predicate(&self, visit: &mut dyn FnMut(&Predicate)) {
        if let Some(root) = &self.root {
            root.each_predicate(visit);
        }
    }
}

/// True for a setting of this key, or a section.
fn has_setting(row: &impl RunFields, key: &str) -> bool {
    let is_key = |name: &str| name.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    row.setting_keys().any(is_key)
}
