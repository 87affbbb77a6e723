//! Final values that a run has in its summary alone.

use super::{ConfigValue, Run};

impl Run {
    /// Numbers of the summary that were never logged as metrics, by key: an evaluation after the training, totals of the
    /// trainer. Without what the tracker keeps for itself (`_runtime`) and what describes the machine.
    pub fn final_values(&self) -> impl Iterator<Item = (&str, f64)> {
        self.summary.iter().filter_map(|(key, value)| match value {
            ConfigValue::Number(value) if self.is_final(key) => Some((key, *value)),
            _ => None,
        })
    }

    fn is_final(&self, key: &str) -> bool {
        !key.starts_with('_') && !key.starts_with("machine.") && !self.columns.contains_key(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_logged_and_what_the_tracker_keeps_is_left_out() {
        let mut run = Run::default();
        let row = run.push_row(0.0, f64::NAN);
        run.push_value("loss", row, 0.5);
        for key in ["loss", "_runtime", "machine.gpu_count", "eval/vs_random_bot/survival_rate"] {
            run.summary.insert(key, ConfigValue::Number(0.5));
        }
        run.summary.insert("note", ConfigValue::Text("x".to_owned()));
        assert_eq!(run.final_values().collect::<Vec<_>>(), [("eval/vs_random_bot/survival_rate", 0.5)]);
    }
}
