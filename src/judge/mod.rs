//! What is said of the runs that the engine holds: diagnoses, verdicts, the run list, comparisons.
//!
//! A program of its own beside the engine, in the same worker: it gets a run as bytes (a [`Case`]), says what happened
//! in it and keeps what comparisons need ([`Entry`]). A run's whole diagnosis is not kept but made again when somebody
//! opens the run or wants a report: that takes milliseconds, and ten thousand of them would take gigabytes.

mod behind;
mod card;
mod list;
mod news;
mod view;

use std::collections::BTreeMap;

use crate::compare::Entry;
use crate::diagnose::{Diagnosis, Options, Rulebook, diagnose_with};
use crate::engine::messages::{Case, Fault, Listing, NewsRow, Reply, encoded};
use crate::settings::Settings;
use crate::vocabulary::is_known;
use news::Known;

/// Everything that was said of the runs of one page.
#[derive(Default)]
pub struct Judge {
    rulebook: Rulebook,
    options: Options,
    runs: BTreeMap<u32, Judged>,
    /// What is new in runs that grew, until somebody is told.
    news: Vec<NewsRow>,
}

/// What is kept of a diagnosed run.
struct Judged {
    entry: Entry,
    known: Known,
    /// The whole diagnosis of a run that was diagnosed elsewhere: it can't be made again.
    told: Option<Box<Diagnosis>>,
}

impl Judge {
    /// Diagnoses a run and remembers what was said. False for bytes that are no [`Case`] of this version.
    pub fn take(&mut self, case: &[u8]) -> bool {
        let Ok(case) = postcard::from_bytes::<Case<'static>>(case) else { return false };
        let diagnosis = self.diagnose(&case);
        self.remember(Entry::of(case.number, (&case.run, &diagnosis)), Known::of(&diagnosis), None);
        true
    }

    /// Remembers what was said elsewhere of a run ([`crate::compare::told`]). False for bytes of another version.
    pub fn take_told(&mut self, told: &[u8]) -> bool {
        let Ok((entry, diagnosis)) = postcard::from_bytes::<(Entry, Box<Diagnosis>)>(told) else { return false };
        let known = Known::of(&diagnosis);
        self.remember(entry, known, Some(diagnosis));
        true
    }

    /// Judges by these settings from now on, and forgets what was said by others. False for bytes of another version.
    pub fn set(&mut self, settings: &[u8]) -> bool {
        let read = postcard::from_bytes::<Settings>(settings);
        let is_read = read.is_ok();
        if let Ok(Settings { rulebook, options }) = read {
            (self.rulebook, self.options) = (rulebook, options);
            self.forget();
        }
        is_read
    }

    /// Which of these metric keys the checks may read, one byte each; as postcard bytes, like the keys.
    pub fn wants(&self, keys: &[u8]) -> Vec<u8> {
        let keys: Vec<String> = postcard::from_bytes(keys).unwrap_or_default();
        let chosen = |key: &str| self.options.choices.iter().any(|choice| choice.key == key);
        encoded(&keys.iter().map(|key| is_known(key) || chosen(key)).collect::<Vec<bool>>())
    }

    /// The run list as an encoded reply. `listing` says which runs are still there, and what the engine knows besides.
    pub fn list(&mut self, listing: &[u8]) -> Vec<u8> {
        let Ok(listing) = postcard::from_bytes::<Listing>(listing) else { return bad_message() };
        self.runs.retain(|number, _| listing.runs.contains(number));
        let mut news = std::mem::take(&mut self.news);
        news.sort_by_key(|row| std::cmp::Reverse(row.severity));
        let entries: Vec<&Entry> = self.runs.values().map(|judged| &judged.entry).collect();
        reply(Reply::Runs(list::run_list(&entries, listing, news)))
    }

    /// What comparisons need of all runs, encoded for [`crate::comparer::Comparer::take`].
    pub fn entries(&self) -> Vec<u8> {
        let entries: Vec<&Entry> = self.runs.values().map(|judged| &judged.entry).collect();
        encoded(&entries)
    }

    /// The Run view of a run as an encoded reply. Nothing is remembered: it may be a part of the run.
    pub fn view(&self, case: &[u8]) -> Vec<u8> {
        let Some((case, diagnosis)) = self.diagnosed(case) else { return bad_message() };
        reply(Reply::Run(Box::new(view::run_view(case.number, &case.run, &diagnosis))))
    }

    /// The diagnosis of a run, encoded; nothing for bytes that are no [`Case`] of this version.
    pub fn diagnosis(&self, case: &[u8]) -> Vec<u8> {
        self.diagnosed(case).map(|(_, diagnosis)| encoded(&diagnosis)).unwrap_or_default()
    }

    /// Forgets all runs.
    pub fn forget(&mut self) {
        self.runs.clear();
        self.news.clear();
    }

    fn remember(&mut self, entry: Entry, known: Known, told: Option<Box<Diagnosis>>) {
        let number = entry.number;
        if let Some(before) = self.runs.get(&number) {
            self.news.extend(before.known.news(number, &entry.name, &known));
        }
        self.runs.insert(number, Judged { entry, known, told });
    }

    fn diagnosed(&self, case: &[u8]) -> Option<(Case<'static>, Diagnosis)> {
        let case: Case<'static> = postcard::from_bytes(case).ok()?;
        let told = self.runs.get(&case.number).and_then(|judged| judged.told.as_deref());
        let diagnosis = match told {
            Some(told) => told.clone(),
            None => self.diagnose(&case),
        };
        Some((case, diagnosis))
    }

    fn diagnose(&self, case: &Case<'_>) -> Diagnosis {
        let mut diagnosis = diagnose_with(&case.run, &self.rulebook, &self.options);
        diagnosis.nonfinite += case.nonfinite_aside;
        diagnosis
    }
}

fn reply(reply: Reply) -> Vec<u8> {
    encoded(&Ok::<Reply, Fault>(reply))
}

fn bad_message() -> Vec<u8> {
    encoded(&Err::<Reply, Fault>(Fault::BadMessage))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare;
    use crate::engine::Engine;
    use crate::engine::messages::{Event, RunList, RunView, VerdictMark, encoded_reply};
    use crate::ingest::{Intake, open};
    use crate::report;

    fn take_in(engine: &mut Engine, name: &str, text: &str) {
        let mut file = open(name, text.len() as u64);
        file.push(text.as_bytes());
        let mut intake = Intake::default();
        intake.add(file.finish());
        engine.take_in(intake, 1, text.len() as u64);
    }

    /// Judges what is not judged yet, as the worker does.
    fn judge_all(engine: &mut Engine, judge: &mut Judge) {
        while let Some((number, _)) = engine.next_unjudged() {
            if let Some(keys) = engine.keys_to_ask(number) {
                let flags = judge.wants(&keys);
                engine.note_asked(&keys, &flags);
            }
            let case = engine.case(number, 0).unwrap();
            let said = if engine.is_told(number) { judge.take_told(&told(&case)) } else { judge.take(&case) };
            assert!(said);
            engine.note_judged(number);
        }
    }

    /// What the program that reads reports makes of a case.
    fn told(case: &[u8]) -> Vec<u8> {
        let case: Case<'_> = postcard::from_bytes(case).unwrap();
        encoded(&compare::told(case.number, &case.run).unwrap())
    }

    /// What the page reads.
    fn replied(reply: &[u8]) -> Result<Reply, Fault> {
        match Event::from_bytes(&encoded_reply(1, reply)) {
            Some(Event::Reply { id: 1, reply }) => reply,
            other => panic!("{other:?}"),
        }
    }

    fn list(engine: &Engine, judge: &mut Judge) -> RunList {
        let Ok(Reply::Runs(list)) = replied(&judge.list(&encoded(&engine.listing()))) else { panic!("no list") };
        list
    }

    fn view(engine: &mut Engine, judge: &Judge, last_steps: u32) -> RunView {
        let case = engine.case(1, last_steps).unwrap();
        let Ok(Reply::Run(view)) = replied(&judge.view(&case)) else { panic!("no view") };
        *view
    }

    /// A run whose KL blows up while its accuracy falls, of so many steps.
    fn falling(steps: u32) -> String {
        let row = |step: u32| {
            let at = f64::from(step);
            let kl = if step < 120 { 0.01 } else { (at - 120.0) / 20.0 };
            format!("{step},0.5,{},{kl},NaN\n", 0.5 - at / 500.0)
        };
        let rows: String = (0..steps).map(row).collect();
        format!("step,reward,eval/accuracy,kl,odd\n{rows}")
    }

    #[test]
    fn runs_are_listed_opened_and_forgotten() {
        let (mut engine, mut judge) = (Engine::default(), Judge::default());
        take_in(&mut engine, "a.csv", &falling(200));
        judge_all(&mut engine, &mut judge);
        let found = list(&engine, &mut judge);
        let row = &found.runs[0];
        assert_eq!((row.run, row.verdict, found.files), (1, VerdictMark::Ugly, 1));
        assert_eq!((found.measure.as_str(), row.last_step), ("eval/accuracy", 199.0));
        assert!((row.value - (0.5 - 199.0 / 500.0)).abs() < 1e-12 && row.spark.len() > 30);
        let whole = view(&mut engine, &judge, 0);
        assert!(whole.findings.iter().any(|card| card.code == "kl_blow_up"));
        assert_eq!(whole.steps, (0.0, 199.0));
        assert_eq!(view(&mut engine, &judge, 50).steps, (150.0, 199.0), "a part of the run, and nothing is remembered");
        assert_eq!(list(&engine, &mut judge).runs[0].last_step, 199.0);
        engine.clear();
        judge.forget();
        assert!(list(&engine, &mut judge).runs.is_empty());
        assert_eq!(judge.view(b"?"), bad_message());
        assert!(!judge.take(b"?") && !judge.take_told(b"?"));
    }

    #[test]
    fn a_report_is_listed_and_opened_as_its_run_was() {
        let (mut engine, mut judge) = (Engine::default(), Judge::default());
        take_in(&mut engine, "a.csv", &falling(300));
        judge_all(&mut engine, &mut judge);
        let (row, whole) = (list(&engine, &mut judge).runs.remove(0), view(&mut engine, &judge, 0));
        let case: Case<'_> = postcard::from_bytes(&engine.case(1, 0).unwrap()).unwrap();
        let diagnosis = judge.diagnosis(&engine.case(1, 0).unwrap());
        let diagnosis: Diagnosis = postcard::from_bytes(&diagnosis).unwrap();
        let report = report::write(&[(&case.run, &diagnosis)], report::Format::Json);

        let (mut engine, mut judge) = (Engine::default(), Judge::default());
        take_in(&mut engine, "reports/a.json", &report);
        judge_all(&mut engine, &mut judge);
        let again = list(&engine, &mut judge).runs.remove(0);
        assert_eq!((again.verdict, &again.worst, &again.name), (row.verdict, &row.worst, &row.name));
        assert!((again.value - row.value).abs() < 1e-6 && again.last_step == row.last_step && again.spark.len() > 30);
        let shown = view(&mut engine, &judge, 0);
        let codes = |view: &RunView| view.findings.iter().map(|card| card.code.clone()).collect::<Vec<_>>();
        assert_eq!((codes(&shown), shown.verdict), (codes(&whole), whole.verdict));
        assert!(format!("{shown:?}").contains("only the report"), "{shown:?}");
        assert_eq!((shown.measure.as_str(), shown.headline), ("eval/accuracy", whole.headline));
    }

    #[test]
    fn runs_are_judged_anew_by_what_the_user_set() {
        let (mut engine, mut judge) = (Engine::default(), Judge::default());
        take_in(&mut engine, "a.csv", &falling(200));
        judge_all(&mut engine, &mut judge);
        let has_kl = |view: RunView| view.findings.iter().any(|card| card.code == "kl_blow_up");
        assert!(has_kl(view(&mut engine, &judge, 0)));
        let settings = Settings::parse("[metrics]\nkl = \"none\"\nodd = \"entropy\"").unwrap();
        assert!(judge.set(&encoded(&settings)) && !judge.set(b"?"));
        engine.note_forgotten();
        judge_all(&mut engine, &mut judge);
        let found = list(&engine, &mut judge);
        assert!(found.news.is_empty() && found.runs.len() == 1, "another opinion is no news");
        assert!(!has_kl(view(&mut engine, &judge, 0)));
        assert_eq!(judge.wants(&encoded(&vec!["odd"])), encoded(&vec![true]));
    }

    #[test]
    fn news_of_a_run_that_grew_are_told_once() {
        let (mut engine, mut judge) = (Engine::default(), Judge::default());
        take_in(&mut engine, "a.csv", &falling(100));
        judge_all(&mut engine, &mut judge);
        assert!(list(&engine, &mut judge).news.is_empty(), "nobody watched it before");
        take_in(&mut engine, "a.csv", &falling(300));
        judge_all(&mut engine, &mut judge);
        let news = list(&engine, &mut judge).news;
        assert!(news.iter().any(|row| row.text.contains("KL blow-up")), "{news:?}");
        assert!(news.is_sorted_by_key(|row| std::cmp::Reverse(row.severity)));
        assert!(list(&engine, &mut judge).news.is_empty());
    }

    #[test]
    fn a_report_of_a_case_is_that_of_the_run() {
        let (mut engine, judge) = (Engine::default(), Judge::default());
        take_in(&mut engine, "a.csv", &falling(200));
        let bytes = engine.case(1, 0).unwrap();
        assert_eq!(bytes, engine.whole_case(1).unwrap(), "nothing of a small run is left out");
        let case: Case<'_> = postcard::from_bytes(&bytes).unwrap();
        let direct = diagnose_with(&case.run, &Rulebook::default(), &Options::default());
        let crossed: Diagnosis = postcard::from_bytes(&judge.diagnosis(&bytes)).unwrap();
        assert!(!crossed.findings.is_empty());
        for format in [report::Format::Markdown, report::Format::Json] {
            let expected = report::write(&[(&case.run, &direct)], format);
            assert_eq!(report::write(&[(&case.run, &crossed)], format), expected);
        }
        assert_eq!((engine.case(99, 0), engine.case(99, 5), engine.whole_case(99)), (None, None, None));
    }

    #[test]
    fn of_a_very_large_run_only_what_the_checks_read_crosses() {
        let (mut engine, mut judge) = (Engine::default(), Judge::default());
        let mut text = String::from("step,reward");
        (0..60).for_each(|place| text.push_str(&format!(",odd{place}")));
        text.push('\n');
        for step in 0..70_000 {
            text.push_str(&format!("{step},{}", step % 7));
            (0..60).for_each(|_| text.push_str(if step == 5 { ",nan" } else { ",1" }));
            text.push('\n');
        }
        take_in(&mut engine, "a.csv", &text);
        judge_all(&mut engine, &mut judge);
        let case = engine.case(1, 0).unwrap();
        assert!(case.len() * 5 < engine.whole_case(1).unwrap().len());
        let read: Case<'_> = postcard::from_bytes(&case).unwrap();
        assert_eq!((read.run.columns["odd7"].len(), read.run.columns["reward"].len()), (1, 70_000));
        let diagnosis: Diagnosis = postcard::from_bytes(&judge.diagnosis(&case)).unwrap();
        assert_eq!(diagnosis.nonfinite, 60, "what was left out is counted");
        assert_eq!(engine.case(1, 0).unwrap(), case, "the engine keeps the whole run");
    }
}
