//! Histograms and tables that stand among the metrics of a row, as `scan_history` of W&B gives them.

use super::wandb_media;
use crate::budget::MemoryUse;
use crate::syntax::json::{Json, for_each_leaf};
use rundown_run::{Histogram, Run, TableFile};
use std::collections::BTreeMap;

/// Media by row, while rows come.
#[derive(Debug, Default)]
pub(crate) struct RowMedia {
    histograms: BTreeMap<String, Vec<Histogram>>,
    tables: Vec<TableFile>,
    /// Bytes of JSON that they were read from.
    bytes: usize,
}

impl RowMedia {
    /// Adds the media of a row of JSON, and says whether it has any. Most rows have none, and cost one search.
    pub(crate) fn add(&mut self, bytes: &[u8], row: u32) -> bool {
        let mut run = Run::default();
        if memchr::memmem::find(bytes, b"\"_type\"").is_some()
            && let Ok(Json::Object(members)) = Json::parse(bytes)
        {
            // Media may lie within the dictionaries that a user logged.
            for (key, value) in &members {
                for_each_leaf(key, value, &mut |name, leaf| wandb_media::add(&mut run, name, row, leaf));
            }
        }
        if run.histograms.is_empty() && run.tables.is_empty() {
            return false;
        }
        for (key, histograms) in run.histograms {
            self.histograms.entry(key).or_default().extend(histograms);
        }
        self.tables.extend(run.tables);
        self.bytes += bytes.len();
        true
    }

    /// What they take: of a list such as `[0,0]` each number becomes eight bytes.
    pub(crate) fn memory_use(&self) -> MemoryUse {
        MemoryUse::bytes(self.bytes.saturating_mul(4))
    }

    /// Gives them to the run of the rows.
    pub(crate) fn fill(self, run: &mut Run) {
        run.histograms = self.histograms;
        run.tables = self.tables;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_are_found_in_dictionaries_and_others_cost_nothing() {
        let row = br#"{"a": 1, "d": {"h": {"_type": "histogram", "values": [1], "bins": [0, 1]}}, "i": {"_type": "image-file"}}"#;
        let mut media = RowMedia::default();
        assert!(media.add(row, 4) && media.add(row, 5));
        assert!(!media.add(br#"{"a": {"b": 1}}"#, 6) && !media.add(b"\"_type\"", 6));
        let mut run = Run::default();
        media.fill(&mut run);
        let rows: Vec<u32> = run.histograms["d.h"].iter().map(|histogram| histogram.row).collect();
        assert_eq!((rows, run.histograms.len(), run.tables.len()), (vec![4, 5], 1, 0));
    }
}
