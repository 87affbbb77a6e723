//! A run as bytes, for the programs that judge it and write reports of it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::messages::{Case, encoded};
use super::{Engine, Held, Said};
use crate::run::{Column, Run};

/// Values of a run that cross as they are: 48 MB. Of more, only the metrics that the checks read.
const WHOLE: usize = 4_000_000;

impl Engine {
    /// The runs that a request names, all of them when it names none, in the order of the engine.
    pub fn chosen(&self, numbers: &[u32]) -> Vec<u32> {
        let all = self.runs.iter().map(|held| held.number);
        all.filter(|number| numbers.is_empty() || numbers.contains(number)).collect()
    }

    /// Number and name of the next run that was not judged since it came or grew.
    pub fn next_unjudged(&self) -> Option<(u32, String)> {
        let held = self.runs.iter().find(|held| held.said == Said::Nothing)?;
        Some((held.number, held.run.name.clone()))
    }

    /// True for a run of which only a report is there: what it says is read, not found again.
    pub fn is_told(&self, number: u32) -> bool {
        self.held(number).is_some_and(|held| held.run.reported.is_some())
    }

    /// Says that a run is judged.
    pub fn note_judged(&mut self, number: u32) {
        self.note_said(number, Said::Judged);
    }

    /// Says that the judge broke down on a run.
    pub fn note_hopeless(&mut self, number: u32) {
        self.note_said(number, Said::Hopeless);
    }

    /// Says that whatever was said of the runs is lost.
    pub fn note_forgotten(&mut self) {
        let judged = self.runs.iter_mut().filter(|held| held.said == Said::Judged);
        judged.for_each(|held| held.said = Said::Nothing);
    }

    fn note_said(&mut self, number: u32, said: Said) {
        self.runs.iter_mut().filter(|held| held.number == number).for_each(|held| held.said = said);
    }

    /// The metric keys of a run, as bytes, of which somebody has to say whether the checks read them: none of a run that
    /// crosses as it is.
    pub fn keys_to_ask(&self, number: u32) -> Option<Vec<u8>> {
        let run = &self.held(number)?.run;
        if values(run) <= WHOLE {
            return None;
        }
        let keys = run.columns.keys().chain(run.system.keys()).filter(|key| !self.read_by_checks.contains_key(*key));
        Some(encoded(&keys.collect::<Vec<&String>>())).filter(|keys| keys.len() > 1)
    }

    /// The answer to [`Engine::keys_to_ask`]: one flag for each key.
    pub fn note_asked(&mut self, keys: &[u8], flags: &[u8]) {
        let keys: Vec<String> = postcard::from_bytes(keys).unwrap_or_default();
        let flags: Vec<bool> = postcard::from_bytes(flags).unwrap_or_default();
        self.read_by_checks.extend(keys.into_iter().zip(flags));
    }

    /// A run as a [`Case`]; only its last steps unless `last_steps` is 0. `None` for an unknown run.
    pub fn case(&mut self, number: u32, last_steps: u32) -> Option<Vec<u8>> {
        if last_steps > 0 {
            let tail = self.held(number)?.run.tail(f64::from(last_steps));
            return Some(self.encode(number, tail).0);
        }
        let held = self.runs.iter_mut().find(|held| held.number == number)?;
        let run = std::mem::take(&mut held.run);
        let (bytes, run) = self.encode(number, run);
        if let Some(held) = self.runs.iter_mut().find(|held| held.number == number) {
            held.run = run;
        }
        Some(bytes)
    }

    /// A run as a [`Case`] with nothing left out.
    pub fn whole_case(&self, number: u32) -> Option<Vec<u8>> {
        let run = Cow::Borrowed(&self.held(number)?.run);
        Some(encoded(&Case { number, run, nonfinite_aside: 0 }))
    }

    pub(super) fn held(&self, number: u32) -> Option<&Held> {
        self.runs.iter().find(|held| held.number == number)
    }

    /// The bytes, and the run as it was.
    fn encode(&self, number: u32, mut run: Run) -> (Vec<u8>, Run) {
        // Bands are for charts.
        let bands = std::mem::take(&mut run.bands);
        let mut aside = BTreeMap::new();
        let mut nonfinite_aside = 0;
        if values(&run) > WHOLE {
            let is_aside = |key: &str| !self.read_by_checks.get(key).copied().unwrap_or(true);
            for (key, column) in run.columns.iter_mut().chain(run.system.iter_mut()).filter(|(key, _)| is_aside(key)) {
                nonfinite_aside += column.nonfinite();
                let stand_in = stand_in(column);
                aside.insert(key.clone(), std::mem::replace(column, stand_in));
            }
        }
        let bytes = encoded(&Case { number, run: Cow::Borrowed(&run), nonfinite_aside });
        for (key, column) in run.columns.iter_mut().chain(run.system.iter_mut()) {
            if let Some(whole) = aside.remove(key) {
                *column = whole;
            }
        }
        run.bands = bands;
        (bytes, run)
    }
}

fn values(run: &Run) -> usize {
    run.columns.values().chain(run.system.values()).map(Column::len).sum()
}

/// The last finite value alone.
fn stand_in(column: &Column) -> Column {
    let mut last = Column::default();
    let finite = column.points().filter(|(_, value)| value.is_finite());
    if let Some((row, value)) = finite.last() {
        last.push(row, value);
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::{Intake, open};

    #[test]
    fn runs_that_break_the_judge_down_are_asked_of_once() {
        let mut engine = Engine::default();
        let mut intake = Intake::default();
        for name in ["a.csv", "b.csv", "c.csv"] {
            let text = format!("step,{name}\n1,2\n2,3\n");
            let mut file = open(name, text.len() as u64);
            file.push(text.as_bytes());
            intake.add(file.finish());
        }
        engine.take_in(intake, 3, 100);
        let mut asked = Vec::new();
        while let Some((number, _)) = engine.next_unjudged() {
            asked.push(number);
            assert!(asked.len() < 9, "without end: {asked:?}");
            // The first and the last of them break a judge down, and with it goes what it knew.
            if number == 2 {
                engine.note_judged(number);
            } else {
                engine.note_forgotten();
                engine.note_hopeless(number);
            }
        }
        assert_eq!(asked, [1, 2, 3, 2]);
    }
}
