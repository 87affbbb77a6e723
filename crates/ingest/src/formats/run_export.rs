//! Runs that Rundown itself exported (docs/run-export.md): one JSON object whose first member is `rundown_run`.
//!
//! Members are read one by one, in the serde form of [`Run`]: a damaged member costs itself, a missing one is empty, and an
//! unknown one is left alone, so that files of a later version still give what this one understands.

use serde::de::DeserializeOwned;

use crate::syntax::json::Piece;
use rundown_format::exact::Exact;
use rundown_run::{Column, ExportedWarning, Log, Run};

/// Version that is written and read.
const VERSION: u32 = 1;

const HISTORY: &str = "history";
const BANDS: &str = "bands";
const SYSTEM: &str = "system";
const HISTOGRAMS: &str = "histograms";

/// Builds a run from the pieces of its export.
#[derive(Debug, Default)]
pub(crate) struct ExportBuilder {
    run: Run,
    /// Members that could not be understood.
    bad: u64,
    is_newer: bool,
}

impl ExportBuilder {
    /// True for the members that hold the values of a run: they come metric by metric, as one of them may be longer than
    /// all that is kept of it.
    pub(crate) fn opens(key: &str) -> bool {
        matches!(key, HISTORY | BANDS | SYSTEM | HISTOGRAMS)
    }

    /// Adds the next piece.
    pub(crate) fn add(&mut self, piece: Piece<'_>) {
        let is_good = match piece {
            Piece::Element { key, value } => self.element(key, value),
            Piece::Inner { object, key, value } => self.inner(object, key, value),
            Piece::Member { key, value } => self.member(key, value),
        };
        self.bad += u64::from(is_good.is_none());
    }

    /// The run, how many parts of it could not be read, and whether a newer version wrote it.
    ///
    /// Columns keep only points in rows that the run has: a damaged file must not invent rows.
    pub(crate) fn finish(mut self) -> (Run, u64, bool) {
        let run = &mut self.run;
        for places in run.origins.values_mut() {
            places.retain(|place| *place < run.files.len());
        }
        let rows = run.row_steps.len().max(run.row_times.len());
        run.row_times.resize(rows, f64::NAN);
        let last = run.row_steps.last().copied().unwrap_or(0.0);
        run.row_steps.resize(rows, last);
        run.starts_at.retain(|row| (*row as usize) < rows);
        let mut lost = 0;
        let mut keep = |column: &mut Column, rows: usize| {
            if column.rows().iter().any(|row| row as usize >= rows) {
                *column = column.points().filter(|(row, _)| (*row as usize) < rows).collect();
                lost += 1;
            }
        };
        run.columns.values_mut().for_each(|column| keep(column, rows));
        run.bands.values_mut().flat_map(|band| [&mut band.low, &mut band.high]).for_each(|column| keep(column, rows));
        let rows = run.system_times.len();
        run.system.values_mut().for_each(|column| keep(column, rows));
        (self.run, self.bad + lost, self.is_newer)
    }

    /// Takes an element of a list. `None` where it can't be read.
    fn element(&mut self, key: &str, value: &[u8]) -> Option<()> {
        let run = &mut self.run;
        match key {
            "row_steps" => run.row_steps.push(read::<Exact>(value)?.0),
            "row_times" => run.row_times.push(read::<Exact>(value)?.0),
            "system_times" => run.system_times.push(read::<Exact>(value)?.0),
            "starts_at" => run.starts_at.push(read(value)?),
            "warnings" => run.warnings.push(read::<ExportedWarning>(value)?.into()),
            "tags" => run.tags.push(read(value)?),
            "files" => run.files.push(read(value)?),
            "tables" => run.tables.push(read(value)?),
            "artifacts" => run.artifacts.push(read(value)?),
            "metric_rules" => run.metric_rules.push(read(value)?),
            "sampling" => run.sampling.push(read(value)?),
            _ => {}
        }
        Some(())
    }

    /// Takes a member of one of the objects that [`ExportBuilder::opens`] names. `None` where it can't be read.
    fn inner(&mut self, object: &str, key: &str, value: &[u8]) -> Option<()> {
        let (run, key) = (&mut self.run, key.to_owned());
        match object {
            HISTORY => _ = run.columns.insert(key, read(value)?),
            BANDS => _ = run.bands.insert(key, read(value)?),
            SYSTEM => _ = run.system.insert(key, read(value)?),
            HISTOGRAMS => _ = run.histograms.insert(key, read(value)?),
            _ => {}
        }
        Some(())
    }

    /// Takes a member that is no list. `None` where it can't be read.
    fn member(&mut self, key: &str, value: &[u8]) -> Option<()> {
        let run = &mut self.run;
        match key {
            "rundown_run" => self.is_newer = read::<Exact>(value)?.0 > f64::from(VERSION),
            "id" => run.id = read(value)?,
            "name" => run.name = read(value)?,
            "entity" => run.entity = read(value)?,
            "project" => run.project = read(value)?,
            "group" => run.group = read(value)?,
            "job_type" => run.job_type = read(value)?,
            "sweep" => run.sweep = read(value)?,
            "host" => run.host = read(value)?,
            "notes" => run.notes = read(value)?,
            "started_at" => run.started_at = read::<Option<Exact>>(value)?.map(|time| time.0),
            "ending" => run.ending = read(value)?,
            "origins" => run.origins = read(value)?,
            "config" => run.config = read(value)?,
            "summary" => run.summary = read(value)?,
            // Those that are objects come member by member.
            HISTORY | BANDS | SYSTEM | HISTOGRAMS => return None,
            "unfetched" => run.unfetched = read(value)?,
            "unlisted" => run.unlisted = read(value)?,
            "events" => run.events = read(value)?,
            "log" => {
                let log: Log = read(value)?;
                log.lines.into_iter().for_each(|line| run.log.push(line));
                run.log.dropped += log.dropped;
            }
            _ => {}
        }
        Some(())
    }
}

fn read<T: DeserializeOwned>(value: &[u8]) -> Option<T> {
    serde_json::from_slice(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_are_read_back_where_their_rows_are_there() {
        let mut export = ExportBuilder::default();
        for (key, value) in [("row_steps", "0"), ("row_steps", "0"), ("starts_at", "1"), ("starts_at", "9")] {
            export.add(Piece::Element { key, value: value.as_bytes() });
        }
        let (run, lost, _) = export.finish();
        assert_eq!((run.starts_at, lost), (vec![1], 0));
    }

    #[test]
    fn a_damaged_metric_costs_itself() {
        let mut export = ExportBuilder::default();
        for key in ["row_steps", "row_steps"] {
            export.add(Piece::Element { key, value: b"1" });
        }
        for (object, key, value) in [
            (HISTORY, "loss", r#"{"rows": [0, 1], "values": [0.5, "NaN"]}"#),
            (HISTORY, "bad", r#"{"rows": [0, "x"]}"#),
            (BANDS, "loss", r#"{"low": {"rows": [0], "values": [0.4]}}"#),
        ] {
            export.add(Piece::Inner { object, key, value: value.as_bytes() });
        }
        export.add(Piece::Member { key: SYSTEM, value: b"null" });
        let (run, lost, _) = export.finish();
        assert_eq!((run.columns.keys().cloned().collect::<Vec<_>>(), lost), (vec!["loss".to_owned()], 2));
        assert_eq!((run.columns["loss"].len(), run.bands["loss"].low.values()), (2, &[0.4][..]));
    }
}
