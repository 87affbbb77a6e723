//! Rows put together from replies that hold one metric each.
//!
//! The server keeps one row for a `_step`, so that the step says which row a value belongs to, whatever reply it
//! came in. A value that comes twice replaces itself: replies may overlap.

use std::collections::BTreeMap;

use rundown_ingest::json::{Json, for_each_leaf};
use rundown_ingest::wandb_media;
use rundown_run::Run;

/// Rows by step.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    /// Time of each row.
    times: BTreeMap<Step, f64>,
    values: BTreeMap<String, BTreeMap<Step, f64>>,
    /// Least and greatest value of each bucket.
    bands: BTreeMap<String, BTreeMap<Step, (f64, f64)>>,
    media: BTreeMap<(Step, String), Json>,
    newest: Option<Step>,
}

/// A finite step as a number that sorts as it does.
type Step = i64;

fn sortable(step: f64) -> Option<Step> {
    let bits = (step + 0.0).to_bits() as i64;
    step.is_finite().then_some(if bits < 0 { bits ^ i64::MAX } else { bits })
}

fn number(step: Step) -> f64 {
    f64::from_bits(if step < 0 { step ^ i64::MAX } else { step } as u64)
}

impl Rows {
    /// Adds one reply row, an object with `_step`. Of its keys those that are `wanted` are kept. False when it is not an object.
    pub(crate) fn add(&mut self, row: &Json, wanted: &dyn Fn(&str) -> bool) -> bool {
        let Json::Object(members) = row else { return false };
        let Some(step) = row.metric_at("_step").and_then(sortable) else { return false };
        let time = row.metric_at("_timestamp").filter(|time| time.is_finite());
        self.touch(step, time);
        for (key, value) in members {
            if !matches!(key.as_str(), "_step" | "_timestamp" | "_runtime" | "_wandb") {
                for_each_leaf(key, value, &mut |name, leaf| self.add_leaf(step, name, leaf, wanted));
            }
        }
        true
    }

    /// Adds a row without values.
    pub(crate) fn add_row(&mut self, step: f64, time: Option<f64>) {
        if let Some(step) = sortable(step) {
            self.touch(step, time);
        }
    }

    /// Adds one value.
    pub(crate) fn add_number(&mut self, step: f64, time: Option<f64>, key: &str, value: f64) {
        let Some(step) = sortable(step) else { return };
        self.touch(step, time);
        self.push(key, step, value);
    }

    /// Adds the least and the greatest of the values whose mean stands at a step.
    pub(crate) fn add_band(&mut self, step: f64, key: &str, least: f64, greatest: f64) {
        let Some(step) = sortable(step) else { return };
        self.touch(step, None);
        self.bands.entry(key.to_owned()).or_default().insert(step, (least, greatest));
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.times.len()
    }

    /// Number of values.
    pub(crate) fn value_count(&self) -> usize {
        self.values.values().map(BTreeMap::len).sum()
    }

    /// The last step.
    pub(crate) fn last_step(&self) -> Option<f64> {
        self.newest.map(number)
    }

    /// Moves the rows into `run`, which has none yet, and settles its axis.
    pub(crate) fn fill(&self, run: &mut Run) {
        let mut row_of: BTreeMap<Step, u32> = BTreeMap::new();
        for (step, time) in &self.times {
            row_of.insert(*step, run.push_row(number(*step), *time));
        }
        for (key, values) in &self.values {
            let points = values.iter().filter_map(|(step, value)| Some((*row_of.get(step)?, *value)));
            run.columns.insert(key.clone(), points.collect());
        }
        for (key, edges) in &self.bands {
            let band = run.bands.entry(key.clone()).or_default();
            for (step, (least, greatest)) in edges {
                if let Some(row) = row_of.get(step) {
                    band.low.push(*row, *least);
                    band.high.push(*row, *greatest);
                }
            }
        }
        for ((step, key), value) in &self.media {
            if let Some(row) = row_of.get(step) {
                wandb_media::add(run, key, *row, value);
            }
        }
        run.choose_axis();
    }

    fn touch(&mut self, step: Step, time: Option<f64>) {
        let known = self.times.entry(step).or_insert(f64::NAN);
        *known = time.unwrap_or(*known);
        self.newest = self.newest.max(Some(step));
    }

    fn add_leaf(&mut self, step: Step, key: &str, leaf: &Json, wanted: &dyn Fn(&str) -> bool) {
        if !wanted(key) {
            return;
        }
        if let Some(number) = leaf.metric() {
            self.push(key, step, number);
        } else if matches!(leaf, Json::Object(_)) {
            self.media.insert((step, key.to_owned()), leaf.clone());
        }
    }

    fn push(&mut self, key: &str, step: Step, value: f64) {
        match self.values.get_mut(key) {
            Some(values) => _ = values.insert(step, value),
            None => _ = self.values.entry(key.to_owned()).or_default().insert(step, value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::RowNumbers;

    fn add(rows: &mut Rows, text: &str) -> bool {
        rows.add(&Json::parse(text.as_bytes()).unwrap(), &|key| key != "secret")
    }

    #[test]
    fn replies_of_one_metric_each_become_rows() {
        let mut rows = Rows::default();
        for row in [
            r#"{"_step": 3, "loss": "NaN"}"#,
            r#"{"_step": 1, "loss": 0.5, "secret": 1}"#,
            r#"{"_step": 1, "_timestamp": 100.5, "d": {"x": true, "text": "no"}}"#,
            r#"{"_step": 2, "h": {"_type": "histogram", "values": [1], "bins": [0, 1]}}"#,
            r#"{"_step": 1, "loss": 0.25}"#,
        ] {
            assert!(add(&mut rows, row));
        }
        assert!(!add(&mut rows, r#"{"loss": 1}"#) && !add(&mut rows, r#"{"_step": "NaN"}"#) && !add(&mut rows, "[1]"));
        let mut run = Run::default();
        rows.fill(&mut run);
        assert_eq!(run.row_steps, [1.0, 2.0, 3.0]);
        assert_eq!((run.row_times[0], run.row_times[1].is_nan()), (100.5, true));
        assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["d.x", "loss"]);
        assert_eq!((run.columns["loss"].rows(), run.columns["loss"].values()[0]), (RowNumbers::List(&[0, 2]), 0.25));
        assert_eq!(run.histograms["h"][0].row, 1);
        assert_eq!((rows.len(), rows.value_count(), rows.last_step()), (3, 3, Some(3.0)));
    }

    #[test]
    fn steps_sort_as_numbers() {
        let mut steps = [3.0, -2.5, 0.0, -1e300, 1e-300, 1e300];
        steps.sort_by_key(|step| sortable(*step).unwrap());
        assert_eq!(steps, [-1e300, -2.5, 0.0, 1e-300, 3.0, 1e300]);
        assert!(steps.iter().all(|step| number(sortable(*step).unwrap()) == *step));
        assert_eq!((sortable(-0.0), sortable(f64::NAN)), (sortable(0.0), None));
    }
}
