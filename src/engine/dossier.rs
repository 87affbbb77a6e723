//! A run with its diagnosis as bytes, for the program that writes reports.

use std::collections::BTreeMap;

use super::Engine;
use crate::run::Column;

impl Engine {
    /// The runs that a request names, all of them when it names none, in the order of the engine.
    pub fn chosen(&self, numbers: &[u32]) -> Vec<u32> {
        let all = self.runs.iter().map(|held| held.number);
        all.filter(|number| numbers.is_empty() || numbers.contains(number)).collect()
    }

    /// Run and diagnosis as postcard bytes; `None` for an unknown run.
    ///
    /// A report needs the values of what the checks read. The other metrics go along with their last value alone, but
    /// where all of the run is wanted.
    pub fn dossier(&mut self, number: u32, whole: bool) -> Option<Vec<u8>> {
        while self.diagnose_next().is_some() {}
        let held = self.runs.iter_mut().find(|held| held.number == number)?;
        let diagnosis = held.diagnosis.as_ref()?;
        let mut aside: BTreeMap<String, Column> = BTreeMap::new();
        if !whole {
            let bound: Vec<&str> = diagnosis.bindings.iter().map(|binding| binding.key.as_str()).collect();
            for (key, column) in &mut held.run.columns {
                if !bound.contains(&key.as_str()) {
                    let mut short = Column::default();
                    if let Some(last) = column.values().iter().rev().find(|value| value.is_finite()) {
                        short.push(0, *last);
                    }
                    aside.insert(key.clone(), std::mem::replace(column, short));
                }
            }
        }
        // Encoding into a growing vector fails only for types that postcard can't hold, and these have none.
        let bytes = postcard::to_allocvec(&(&held.run, diagnosis)).ok();
        held.run.columns.extend(aside);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::Diagnosis;
    use crate::ingest::Intake;
    use crate::report;
    use crate::run::Run;

    /// An engine with one run of a CSV.
    fn engine() -> Engine {
        // With findings: they have the most parts that could be lost.
        let mut text = String::from("step,reward,eval/accuracy,kl,odd\n");
        for step in 0..200 {
            text.push_str(&format!("{step},0.5,{},{},NaN\n", 0.5 - step as f64 / 500.0, step as f64 / 40.0));
        }
        let mut file = crate::ingest::open("a.csv", text.len() as u64);
        file.push(text.as_bytes());
        let mut intake = Intake::default();
        intake.add(file.finish());
        let mut engine = Engine::default();
        engine.take_in(intake, 1, 100);
        engine
    }

    #[test]
    fn a_report_of_a_dossier_is_that_of_the_run() {
        let mut engine = engine();
        let number = engine.chosen(&[])[0];
        let read = |bytes: &[u8]| postcard::from_bytes::<(Run, Diagnosis)>(bytes).unwrap();
        let whole = engine.dossier(number, true).unwrap();
        let light = engine.dossier(number, false).unwrap();
        assert!(light.len() < whole.len());
        let (run, diagnosis) = read(&whole);
        assert!(!diagnosis.findings.is_empty());
        // As text: NaN is no other NaN's equal.
        assert_eq!(format!("{:?}", engine.runs[0].run), format!("{run:?}"), "nothing is lost, here or there");
        let (light_run, light_diagnosis) = read(&light);
        for format in [report::Format::Markdown, report::Format::Json] {
            let expected = report::write(&[(&run, &diagnosis)], format);
            assert_eq!(report::write(&[(&light_run, &light_diagnosis)], format), expected);
        }
        assert_eq!(engine.dossier(99, true), None);
        assert_eq!((engine.chosen(&[number]).len(), engine.chosen(&[99]).len()), (1, 0));
    }
}
