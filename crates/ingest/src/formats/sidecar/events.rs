//! `wandb-events.jsonl`: the metrics of the machine, as SDKs until 0.9 kept them.

use std::collections::BTreeMap;

use crate::budget::{Kept, VALUE_BYTES};
use crate::syntax::json::{Json, for_each_leaf};
use crate::{FileReader, Place, Problem, Weight};
use crate::{PartKind, PartialRun};
use rundown_run::{Column, Run};

/// Longest line kept. One has some ten numbers.
const MAX_LINE: usize = 1 << 20;

/// Reads system metrics, one object a line.
#[derive(Default)]
pub(crate) struct EventsReader {
    carry: Vec<u8>,
    line: u64,
    first_bad: Option<u64>,
    bad: u64,
    times: Vec<f64>,
    system: BTreeMap<String, Column>,
}

impl EventsReader {
    fn end_line(&mut self) {
        self.line += 1;
        let line = std::mem::take(&mut self.carry);
        if !line.trim_ascii().is_empty() {
            match Json::parse(&line) {
                Ok(row) if line.len() <= MAX_LINE => self.row(&row),
                _ => {
                    self.bad += 1;
                    self.first_bad.get_or_insert(self.line);
                }
            }
        }
        self.carry = line;
        self.carry.clear();
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
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = (MAX_LINE + 1).saturating_sub(self.carry.len());
            self.carry.extend_from_slice(part.get(..room).unwrap_or(part));
            if part.ends_with(b"\n") {
                self.end_line();
            }
        }
    }

    fn kept(&self) -> Kept {
        let values: usize = self.system.values().map(Column::len).sum();
        Kept::bytes(self.carry.len() + 8 * self.times.len() + values * VALUE_BYTES as usize)
    }

    fn finish(mut self: Box<Self>) -> (Vec<PartialRun>, Vec<Problem>) {
        self.end_line();
        let mut problems = Vec::new();
        if let Some(line) = self.first_bad {
            let what = format!("{} rows of system metrics could not be understood and are left out.", self.bad);
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
            let (parts, problems) = reader.finish();
            let run = &parts[0].run;
            assert_eq!(run.system_times, [100.0, 110.0]);
            assert_eq!(run.system["network.sent"].values(), [7.0]);
            assert_eq!(run.system["cpu"].rows(), [0, 1]);
            assert_eq!(problems[0].place, Place::Line(2));
        }
    }
}
