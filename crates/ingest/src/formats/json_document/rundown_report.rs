//! A JSON report of Rundown: each of its runs as far as a report holds one.
//!
//! The run's part of the report is carried along ([`ReportedRun`]) with its findings. Settings and thinned curves become
//! those of a [`Run`].

use crate::ReportedRun;
use crate::rows::points::{PointCollector, PointPart};
use crate::rows::run_fields::end_as;
use rundown_run::{ConfigValue, Run, RunWarning};
use rundown_schema as schema;
use rundown_schema::report::{RunReport, TraceReport, setting_value};

/// Takes the pieces of a report.
#[derive(Debug, Default)]
pub(super) struct ReportBuilder {
    schema: Option<u32>,
    has_version: bool,
    has_rulebook: bool,
    runs: Vec<ReportedRun>,
}

impl ReportBuilder {
    /// Takes a member of a report; false for one of a document that may be anything still.
    pub(super) fn member(&mut self, key: &str, value: &[u8]) -> bool {
        match key {
            "schema" => self.schema = serde_json::from_slice(value).ok(),
            "rundown" => self.has_version = true,
            "rulebook" => self.has_rulebook = true,
            _ => {}
        }
        self.is_report()
    }

    /// True once the document said what it is. Other tools put members in the order of the alphabet, the version of the
    /// schema behind the runs.
    pub(super) fn is_report(&self) -> bool {
        self.has_version && self.has_rulebook
    }

    /// Adds a run. False when it can't be read.
    pub(super) fn add(&mut self, value: &[u8]) -> bool {
        if self.schema.is_some() && !self.is_supported_version() {
            return true;
        }
        let report = serde_json::from_slice::<RunReport>(value);
        let is_good = report.is_ok();
        self.runs.extend(report.ok().map(reported_run));
        is_good
    }

    /// The runs, and whether another version wrote the report.
    pub(super) fn finish(self) -> (Vec<ReportedRun>, bool) {
        if self.is_supported_version() { (self.runs, false) } else { (Vec::new(), true) }
    }

    fn is_supported_version(&self) -> bool {
        self.schema.is_some_and(|version| schema::READABLE_VERSIONS.contains(&version))
    }
}

fn reported_run(report: RunReport) -> ReportedRun {
    let mut run = curves(&report.traces);
    run.id.clone_from(&report.id);
    run.name.clone_from(&report.name);
    run.project.clone_from(&report.project);
    run.group.clone_from(&report.group);
    run.job_type.clone_from(&report.job_type);
    run.sweep.clone_from(&report.sweep);
    run.notes.clone_from(&report.notes);
    run.tags.clone_from(&report.tags);
    run.started_at = report.started_at;
    end_as(&mut run, &report.state);
    run.ending.evidence = vec!["according to the report".to_owned()];
    for (key, value) in &report.config {
        run.config.insert(key, setting_value(value));
    }
    for (key, value) in &report.last {
        if let Some(value) = value.finite() {
            run.summary.insert(key, ConfigValue::Number(value));
        }
    }
    run.warnings.push(RunWarning::ReportOnly);
    ReportedRun { run, report: Box::new(report) }
}

/// The thinned curves as columns, joined by step.
fn curves(traces: &[TraceReport]) -> Run {
    let mut points = PointCollector::default();
    for trace in traces {
        for (step, value) in trace.steps.iter().zip(&trace.values) {
            if let (Some(step), Some(value)) = (step.finite(), value.finite()) {
                points.push(&trace.key, PointPart::Value, step, f64::NAN, value);
            }
        }
    }
    points.into_run()
}

#[cfg(test)]
mod tests {
    use crate::{Ingested, PartKind, ReportedRun, RunAssembler, open};
    use rundown_run::{FileFormat, RunState};

    const REPORT: &str = r#"{"schema": 1, "rundown": "0.1.0", "rulebook": "default 1", "runs": [
        {"id": "a", "name": "amber", "state": "crashed", "started_at": 5, "tags": ["x"], "verdict": "ugly", "findings": [],
         "config": {"optim.lr": 0.1, "limit": "Infinity"}, "last": {"reward": 3, "loss": 0.5},
         "traces": [{"key": "reward", "concept": "reward", "steps": [1, 2], "values": [2, 3]}]},
        {"id": "b", "name": "birch", "traces": []}], "comparison": {"leaderboard": []}}"#;

    fn read(text: &str, name: &str) -> crate::FileOutcome {
        let mut file = open(name, text.len() as u64);
        text.as_bytes().chunks(37).for_each(|part| file.push(part));
        file.finish()
    }

    #[test]
    fn runs_of_a_report_are_told_by_content() {
        // Also in one line, and with the version behind the runs.
        let turned = REPORT.replace("\"schema\": 1, ", "").replace("\"comparison\"", "\"schema\": 1, \"comparison\"");
        for text in [REPORT.to_owned(), REPORT.replace('\n', " "), turned] {
            let outcome = read(&text, "x.json");
            assert_eq!((outcome.format, outcome.problems.len()), (FileFormat::RundownReport, 0));
            let mut assembler = RunAssembler::default();
            assembler.add(outcome);
            let Ingested { runs, reported, .. } = assembler.assemble(Vec::new());
            assert_eq!((runs.len(), reported.len()), (0, 2));
            let ReportedRun { run, report } = &reported[0];
            assert_eq!((run.id.as_str(), run.name.as_str(), run.ending.state), ("a", "amber", RunState::Crashed));
            assert_eq!(run.series("reward").unwrap().values[..], [2.0, 3.0]);
            assert_eq!((run.step_range(), run.started_at), (Some((1.0, 2.0)), Some(5.0)));
            assert!(run.config.get("optim.lr").is_some() && report.verdict == "ugly");
        }
    }

    #[test]
    fn a_report_of_another_version_is_told() {
        let outcome = read(&REPORT.replace("\"schema\": 1", "\"schema\": 3"), "x.json");
        assert!(outcome.parts.is_empty());
        assert!(outcome.problems[0].what.contains("Another version"), "{:?}", outcome.problems);
    }

    #[test]
    fn a_cut_report_gives_the_runs_before_the_cut() {
        let (before, _) = REPORT.split_once("\"id\": \"b\"").unwrap();
        let outcome = read(before, "x.json");
        assert_eq!((outcome.parts.len(), outcome.problems.len()), (1, 1));
    }

    #[test]
    fn reports_stand_beside_runs_and_count_once() {
        let with_files = |already: Ingested, texts: &[(&str, &str)]| {
            let mut assembler = RunAssembler::default();
            already.reported.into_iter().for_each(|reported| assembler.add_reported(reported));
            texts.iter().for_each(|(name, text)| assembler.add(read(text, name)));
            assembler.assemble(already.runs)
        };
        let first = with_files(Ingested::default(), &[("1.json", REPORT), ("copy/1.json", REPORT)]);
        assert_eq!(first.reported.len(), 2, "{:?}", first.problems);
        // Another run of the same id is another run: ids from file names repeat.
        let other = REPORT.replace("amber", "ash");
        let both = with_files(first, &[("2.json", &other), ("log.csv", "step,reward\n1,2\n2,3\n")]);
        assert_eq!(both.runs.iter().map(|run| run.id.as_str()).collect::<Vec<_>>(), ["log.csv"], "{:?}", both.problems);
        let mut ids: Vec<&str> = both.reported.iter().map(|reported| reported.run.id.as_str()).collect();
        ids.sort_unstable();
        assert_eq!(ids, ["a", "a (2.json)", "b"]);
        assert!(both.reported.iter().all(|reported| reported.run.files.len() == 1));
    }

    #[test]
    fn other_documents_with_a_member_of_that_name_are_what_they_were() {
        let text = r#"{"rundown": 1, "history": [{"step": 1, "loss": 2}, {"step": 2, "loss": 1}]}"#;
        let outcome = read(text, "x.json");
        assert_eq!(outcome.parts.len(), 1);
        assert!(outcome.parts[0].kind == PartKind::History);
    }
}
