//! `wandb-events.jsonl`: the metrics of the machine, as SDKs until 0.9 kept them.

use std::collections::BTreeMap;

use crate::budget::{MemoryUse, VALUE_BYTES};
use crate::syntax::json::{Json, for_each_leaf};
use crate::syntax::lines::LineSplitter;
use crate::{FileEnd, FileReader, Occurrences, Place, Problem, Weight};
use crate::{PartKind, PartialRun};
use rundown_run::{Column, Run};

/// Longest line kept. One has some ten numbers.
const MAX_LINE: usize = 1 << 20;

/// Reads system metrics, one object a line.
#[derive(Default)]
pub(crate) struct EventsReader {
    lines: LineSplitter,
    /// Number of the line that was read last.
    line: u64,
    /// Lines that could not be understood.
    bad: Occurrences,
    times: Vec<f64>,
    system: BTreeMap<String, Column>,
}

impl EventsReader {
    fn add_line(&mut self, line: &[u8]) {
        self.line += 1;
        if !line.trim_ascii().is_empty() {
            match Json::parse(line) {
                Ok(row) if line.len() <= MAX_LINE => self.row(&row),
                _ => self.bad.add(self.line),
            }
        }
    }

    fn row(&mut self, row: &Json) {
        let Json::Object(members) = row else { return };
        let number = self.times.len() as u32;
        self.times.push(row.metric_at("_timestamp").unwrap_or(f64::NAN));
        for (key, value) in members {
            // `.wandb` files name the same metrics without the prefix.
            if let Some(name) = key.strip_prefix("system.") {
                for_each_leaf(name, value, &mut |name, leaf| self.add(name, number, leaf));
            }
        }
    }

    fn add(&mut self, name: &str, row: u32, value: &Json) {
        let Some(number) = value.metric() else { return };
        match self.system.get_mut(name) {
            Some(column) => column.push(row, number),
            None => self.system.entry(name.to_owned()).or_default().push(row, number),
        }
    }
}

impl FileReader for EventsReader {
    fn push(&mut self, bytes: &[u8]) {
        let mut lines = std::mem::take(&mut self.lines);
        lines.push(bytes, MAX_LINE, |bytes| memchr::memchr(b'\n', bytes), |line| self.add_line(line));
        self.lines = lines;
    }

    fn memory_use(&self) -> MemoryUse {
        let values: usize = self.system.values().map(Column::len).sum();
        MemoryUse::bytes(self.lines.memory_use() + 8 * self.times.len() + values * VALUE_BYTES as usize)
    }

    fn finish(mut self: Box<Self>, _: &mut FileEnd) -> (Vec<PartialRun>, Vec<Problem>) {
        let last = std::mem::take(&mut self.lines).finish();
        self.add_line(&last);
        let mut problems = Vec::new();
        if let Some(line) = self.bad.first {
            let what = format!("{} rows of system metrics could not be understood and were skipped.", self.bad.count);
            problems.push(Problem::here(Place::Line(line), Weight::Remark, what, ""));
        }
        let run = Run { system_times: self.times, system: self.system, ..Run::default() };
        (vec![PartialRun::of(run, PartKind::Sidecar)], problems)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_system_metrics() {
        let text = "{\"system.cpu\": 5.5, \"system.network\": {\"sent\": 7}, \"_timestamp\": 100, \"_wandb\": true}\r\n\
                    oops\n{\"system.cpu\": NaN, \"_timestamp\": 110}";
        for slice in [1, 7, 1000] {
            let mut reader = Box::new(EventsReader::default());
            text.as_bytes().chunks(slice).for_each(|part| reader.push(part));
            let (parts, problems) = reader.finish(&mut FileEnd::default());
            let run = &parts[0].run;
            assert_eq!(run.system_times, [100.0, 110.0]);
            assert_eq!(run.system["network.sent"].values(), [7.0]);
            assert_eq!(run.system["cpu"].rows(), [0, 1]);
            assert_eq!(problems[0].place, Place::Line(2));
        }
    }
}
