//! Rows that hold settings.

use super::MetricRows;
use crate::rows::names::{CONFIG_KEYS, is_kind_key};
use crate::syntax::json::Json;

impl MetricRows {
    /// The objects of settings in a row of metrics.
    pub(super) fn add_config_of_row(&mut self, row: Json) {
        let Json::Object(members) = row else { return };
        let settings = members.into_iter().filter(|(key, _)| CONFIG_KEYS.contains(&key.as_str())).collect();
        self.add_config(Json::Object(settings));
    }

    /// Settings stand in an object of their own (`args`, `config`) or directly in the line.
    pub(super) fn add_config(&mut self, line: Json) {
        let Json::Object(members) = line else { return };
        for (key, value) in members {
            match value {
                Json::Object(inner) if CONFIG_KEYS.contains(&key.as_str()) => {
                    for (key, value) in inner {
                        self.setting(&key, value);
                    }
                }
                Json::Text(_) if is_kind_key(&key) => {}
                value => self.setting(&key, value),
            }
        }
    }
}
