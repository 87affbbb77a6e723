//! Sessions as the worker drives them, natively.

use super::*;
use rundown_protocol::{
    Choice, Fault, FileRow, FileStatus, FormatMark, LinesRequest, ProjectRequest, ProjectView, QueryMatches, Reply,
    ReportFormat, Request, RunView, SeriesRef, Topic, VerdictMark, XAxis,
};
use rundown_report::{Format as ReportKind, write};

/// Adds files as one drop, and diagnoses what waits for it, as the worker does.
fn drop_files(session: &mut Session, files: &[(&str, &str)]) {
    let paths: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    let mut reading = session.begin_reading(session.last_number + 1, &paths);
    files.iter().enumerate().for_each(|(place, (_, text))| reading.note_arrival(place, text.len() as u64));
    while let Some(place) = reading.next_file() {
        let (name, text) = files[place];
        let mut file = session.open_file(&rundown_ingest::Budget::default(), name, text.len() as u64, None);
        file.push(text.as_bytes());
        let outcome = file.finish();
        session.note_file(name, text.len() as u64, &outcome);
        reading.add(place, outcome);
        for whole in session.add_whole_runs(&mut reading) {
            session.diagnose(whole.number);
        }
    }
    session.end_reading(reading);
    diagnose_all(session);
}

fn diagnose_all(session: &mut Session) {
    while let Some(pending) = session.next_pending() {
        session.diagnose(pending.number);
    }
}

fn reply(session: &mut Session, request: Request) -> Reply {
    assert!(session.next_pending_for(&request).is_none(), "the worker diagnoses first");
    session.answer(&request).reply.unwrap()
}

fn list(session: &mut Session) -> RunList {
    let Reply::Runs(list) = reply(session, Request::ListRuns) else { panic!("no list") };
    list
}

fn view(session: &mut Session, run: u32, last_steps: u32) -> RunView {
    let Reply::Run(view) = reply(session, Request::OpenRun { run, last_steps }) else { panic!("no view") };
    *view
}

fn report(session: &mut Session, format: ReportFormat) -> String {
    let Reply::Report(text) = reply(session, Request::Report { runs: Vec::new(), format, hides_names: false }) else {
        panic!("no report")
    };
    text
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
fn a_dropped_run_is_decoded_once_and_diagnosed_once() {
    let mut session = Session::default();
    drop_files(&mut session, &[("a.csv", &falling(200))]);
    let whole = view(&mut session, 1, 0);
    assert!(whole.findings.iter().any(|card| card.code == "kl_blow_up"));
    for format in [ReportFormat::Markdown, ReportFormat::Html, ReportFormat::Json, ReportFormat::Runs] {
        assert!(report(&mut session, format).len() > 1_000);
    }
    reply(&mut session, Request::Report { runs: vec![1], format: ReportFormat::Preview, hides_names: false });
    let compare = ProjectRequest { topic: Topic::Compare, runs: Vec::new(), chosen: Vec::new(), width: 800 };
    reply(&mut session, Request::OpenProject(compare));
    reply(&mut session, Request::Find { query: "kl_blow_up".to_owned(), cursor: 0 });
    list(&mut session);
    assert_eq!(session.statistics(), Statistics { files_decoded: 1, diagnoses: 1, partial_diagnoses: 0 });

    drop_files(&mut session, &[("other/b.csv", &falling(150))]);
    view(&mut session, 1, 0);
    assert_eq!(session.statistics().diagnoses, 2, "a run that others join is not diagnosed again");
    session.apply_settings("[rulebook]\nkl_warning = 0.8").unwrap();
    diagnose_all(&mut session);
    view(&mut session, 2, 0);
    assert_eq!(session.statistics(), Statistics { files_decoded: 2, diagnoses: 4, partial_diagnoses: 0 });
}

#[test]
fn runs_are_listed_opened_and_forgotten() {
    let mut session = Session::default();
    drop_files(&mut session, &[("a.csv", &falling(200))]);
    let found = list(&mut session);
    let row = &found.runs[0];
    assert_eq!((row.run, row.verdict, found.files), (1, VerdictMark::Ugly, 1));
    assert_eq!(found.measure, "eval/accuracy");
    // The mean of the last forty points.
    assert!((row.value.unwrap() - (0.5 - 179.5 / 500.0)).abs() < 1e-12 && row.spark.len() > 30);
    assert_eq!(view(&mut session, 1, 0).steps, Some((0.0, 199.0)));
    assert_eq!(view(&mut session, 1, 50).steps, Some((150.0, 199.0)), "a part of the run");
    assert_eq!(view(&mut session, 1, 0).steps, Some((0.0, 199.0)));
    let Reply::Files(files) = reply(&mut session, Request::ListFiles) else { panic!("no files") };
    assert_eq!(
        files,
        [FileRow {
            path: "a.csv".to_owned(),
            format: FormatMark::Choice(FormatChoice::Table),
            status: FileStatus::Used
        }]
    );
    session.clear();
    assert!(list(&mut session).runs.is_empty());
    let gone = session.answer(&Request::OpenRun { run: 1, last_steps: 0 }).reply;
    assert_eq!(gone, Err(Fault::UnknownRun));
    drop_files(&mut session, &[("a.csv", &falling(200))]);
    assert_eq!(list(&mut session).runs[0].run, 2, "numbers are not used again");
}

#[test]
fn files_without_a_run_are_counted_apart() {
    let mut session = Session::default();
    let (a, b) = (falling(200), falling(150));
    let used = [("a/a.csv", a.as_str()), ("a/config.yaml", "lr: 1e-5")];
    let empty = [("empty.csv", ""), ("paper.pdf", "%PDF-1.7"), ("notes.odd", "To do.")];
    let alone = ("b/config.yaml", "lr: 1e-4");
    drop_files(&mut session, &[&used[..], &empty, &[alone]].concat());
    let found = list(&mut session);
    assert!(found.runs.len() == 1 && found.read.starts_with("2 files read, 4 not used, "), "{}", found.read);
    let Reply::Files(files) = reply(&mut session, Request::ListFiles) else { panic!("no files") };
    let is_of = |status: FileStatus, path: &str| files.iter().any(|file| file.path == path && file.status == status);
    assert!(used.iter().all(|(path, _)| is_of(FileStatus::Used, path)) && is_of(FileStatus::RunMissing, alone.0));
    drop_files(&mut session, &[("b/b.csv", &b), alone]);
    assert!(list(&mut session).read.starts_with("4 files read, 3 not used, "), "with its run");
}

#[test]
fn a_removed_run_comes_back_with_its_files_alone() {
    let mut session = Session::default();
    drop_files(&mut session, &[("a.csv", &falling(200)), ("b.csv", &falling(150))]);
    let b = list(&mut session).runs.iter().find(|row| row.name == "b").unwrap().run;
    let names = |list: &RunList| list.runs.iter().map(|row| row.name.clone()).collect::<Vec<_>>();
    let Reply::Runs(left) = reply(&mut session, Request::RemoveRuns { runs: vec![b, 77] }) else { panic!("no list") };
    assert_eq!(names(&left), ["a"]);
    assert_eq!(session.answer(&Request::OpenRun { run: b, last_steps: 0 }).reply, Err(Fault::UnknownRun));
    drop_files(&mut session, &[("c.csv", &falling(120))]);
    assert_eq!(list(&mut session).runs.len(), 2, "another file does not bring it back");
    assert_eq!(session.statistics().diagnoses, 3, "nor is another run diagnosed again");
    drop_files(&mut session, &[("b.csv", &falling(150))]);
    let again = list(&mut session);
    assert!(again.runs.len() == 3 && names(&again).contains(&"b".to_owned()));
    assert!(again.runs.iter().all(|row| row.run != b), "its number is not used again");
}

#[test]
fn a_report_is_that_of_the_run() {
    let mut session = Session::default();
    drop_files(&mut session, &[("a.csv", &falling(200)), ("b.csv", &falling(150))]);
    let diagnosed: Vec<_> =
        session.runs.iter().map(|loaded| (loaded.run.run(), loaded.run.diagnosis().unwrap())).collect();
    let expected = [ReportKind::Markdown, ReportKind::Json, ReportKind::Html].map(|format| write(&diagnosed, format));
    let formats = [ReportFormat::Markdown, ReportFormat::Json, ReportFormat::Html];
    assert_eq!(formats.map(|format| report(&mut session, format)), expected);
}

#[test]
fn a_report_is_listed_and_opened_as_its_run_was() {
    let mut session = Session::default();
    drop_files(&mut session, &[("a.csv", &falling(300))]);
    let (row, whole) = (list(&mut session).runs.remove(0), view(&mut session, 1, 0));
    let json = report(&mut session, ReportFormat::Json);

    let mut session = Session::default();
    drop_files(&mut session, &[("reports/a.json", &json)]);
    assert!(matches!(session.runs[0].run, LoadedRun::Reported { .. }));
    assert_eq!(session.statistics().diagnoses, 0);
    let again = list(&mut session).runs.remove(0);
    assert_eq!((again.verdict, &again.worst, &again.name), (row.verdict, &row.worst, &row.name));
    assert!((again.value.unwrap() - row.value.unwrap()).abs() < 1e-6 && again.spark.len() > 30);
    let shown = view(&mut session, 1, 0);
    let codes = |view: &RunView| view.findings.iter().map(|card| card.code.clone()).collect::<Vec<_>>();
    assert_eq!((codes(&shown), shown.verdict), (codes(&whole), whole.verdict));
    assert!(format!("{shown:?}").contains("Only a report of this run"), "{shown:?}");
    assert_eq!((shown.measure.as_str(), shown.headline), ("eval/accuracy", whole.headline));
}

#[test]
fn settings_change_the_diagnosis_of_every_run() {
    let mut session = Session::default();
    drop_files(&mut session, &[("a.csv", &falling(200))]);
    let has_kl = |view: RunView| view.findings.iter().any(|card| card.code == "kl_blow_up");
    assert!(has_kl(view(&mut session, 1, 0)));
    let wrong = session.apply_settings("[rulebook]\nkl = 3").unwrap_err().to_string();
    assert!(wrong.contains("no threshold kl in"), "{wrong}");
    assert!(session.next_pending().is_none(), "settings that can't be used change nothing");
    session.apply_settings("[metrics]\nkl = \"none\"\nodd = \"entropy\"").unwrap();
    diagnose_all(&mut session);
    let found = list(&mut session);
    assert!(found.news.is_empty() && found.runs.len() == 1, "another opinion is no news");
    assert!(!has_kl(view(&mut session, 1, 0)));
}

#[test]
fn new_findings_of_a_run_that_grew_are_listed_once() {
    let mut session = Session::default();
    drop_files(&mut session, &[("a.csv", &falling(100))]);
    assert!(list(&mut session).news.is_empty(), "nobody watched it before");
    drop_files(&mut session, &[("a.csv", &falling(300))]);
    let news = list(&mut session).news;
    assert!(news.iter().any(|row| row.text.contains("KL blow-up")), "{news:?}");
    assert!(news.is_sorted_by_key(|row| std::cmp::Reverse(row.severity)));
    assert!(list(&mut session).news.is_empty());
}

#[test]
fn an_excluded_run_is_listed_with_a_problem_and_never_diagnosed() {
    let identity = RunIdentity { id: "a".to_owned(), file: "a.csv".to_owned() };
    let mut first = Session::default();
    drop_files(&mut first, &[("a.csv", &falling(200))]);
    let known = first.runs[0].identity();
    assert_eq!(known.file, identity.file);

    let mut session = Session::default();
    session.exclude(&["lost.csv".to_owned()], vec![known]);
    drop_files(&mut session, &[("a.csv", &falling(200)), ("b.csv", &falling(150))]);
    assert_eq!(session.statistics().diagnoses, 1, "the other run");
    let found = list(&mut session);
    let verdict = |name: &str| found.runs.iter().find(|row| row.name == name).map(|row| row.verdict);
    assert_eq!((verdict("a"), verdict("b")), (Some(VerdictMark::Undecided), Some(VerdictMark::Ugly)));
    let problem = found.problems.iter().find(|row| row.file == "a.csv").unwrap();
    assert!(problem.lost && problem.text.contains("stopped while it diagnosed"), "{problem:?}");
    assert!(found.problems.iter().any(|row| row.file == "lost.csv" && row.lost));
    let number = found.runs.iter().find(|row| row.name == "a").unwrap().run;
    assert_eq!(view(&mut session, number, 0).headline, "Not diagnosed");
    view(&mut session, number, 50);
    for format in [ReportFormat::Markdown, ReportFormat::Html, ReportFormat::Json, ReportFormat::Runs] {
        assert!(report(&mut session, format).contains("\"a\"") || format != ReportFormat::Json);
    }
    session.apply_settings("").unwrap();
    assert_eq!(session.next_pending().map(|pending| pending.name), Some("b".to_owned()));
}

#[test]
fn lines_are_drawn_again_when_the_run_grew() {
    let mut session = Session::default();
    let request = |session: &mut Session| {
        let series = ["kl", "nowhere"].map(|key| SeriesRef { run: 1, key: key.to_owned() });
        let wanted = LinesRequest { series: series.to_vec(), width_px: 400, ..LinesRequest::default() };
        let answer = session.answer(&Request::Lines(wanted));
        let Ok(Reply::Lines(lines)) = answer.reply else { panic!("no lines") };
        assert_eq!(lines.lines.len(), 1);
        (lines.x_extent, lines.lines[0].points)
    };
    drop_files(&mut session, &[("a.csv", &falling(100))]);
    assert_eq!(request(&mut session), (Some((0.0, 99.0)), 100));
    drop_files(&mut session, &[("a.csv", &falling(300))]);
    assert_eq!(request(&mut session), (Some((0.0, 299.0)), 300));
}

#[test]
fn what_counts_tokens_may_be_set() {
    let mut session = Session::default();
    let rows: String = (0..20).map(|step| format!("{step},0.5,{}\n", 1_000 * step)).collect();
    drop_files(&mut session, &[("a.csv", &format!("step,reward,things\n{rows}"))]);
    let over_tokens = |session: &mut Session| {
        let series = vec![SeriesRef { run: 1, key: "reward".to_owned() }];
        let wanted = LinesRequest { series, x: XAxis::Tokens, width_px: 400, ..LinesRequest::default() };
        let Reply::Lines(lines) = reply(session, Request::Lines(wanted)) else { panic!("no lines") };
        (lines.x_extent, lines.lines.len())
    };
    assert_eq!(over_tokens(&mut session), (None, 0));
    session.apply_settings("[metrics]\nthings = \"tokens\"").unwrap();
    diagnose_all(&mut session);
    assert_eq!(over_tokens(&mut session), (Some((0.0, 19_000.0)), 1));
    session.apply_settings("[metrics]\nthings = \"none\"").unwrap();
    diagnose_all(&mut session);
    assert_eq!(over_tokens(&mut session), (None, 0));
}

/// Nine diagnosed runs: three learning rates, three seeds each; the middle rate is best.
fn sweep() -> Session {
    let mut session = Session::default();
    let mut files = Vec::new();
    for (rate, level) in [("1e-5", 0.2), ("1e-4", 0.8), ("1e-3", 0.3)] {
        for seed in 0..3 {
            let config = format!("{{\"learning_rate\": {rate}, \"seed\": {seed}}}");
            let rows: Vec<String> = (0..40)
                .map(|step| {
                    let value = level + 0.01 * f64::from(seed) + f64::from(step) / 4_000.0;
                    format!("{{\"step\": {step}, \"eval/accuracy\": {value}}}")
                })
                .collect();
            let text =
                format!("{{\"name\": \"lr-{rate}-{seed}\", \"config\": {config}, \"history\": [{}]}}", rows.join(", "));
            files.push((format!("lr-{rate}-{seed}.json"), text));
        }
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    drop_files(&mut session, &files);
    session
}

fn project(session: &mut Session, topic: Topic, chosen: &[(&str, &str)]) -> ProjectView {
    let chosen = chosen.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let request = ProjectRequest { topic, runs: Vec::new(), chosen, width: 800 };
    let Reply::Project(view) = reply(session, Request::OpenProject(request)) else { panic!("no view") };
    view
}

fn find(session: &mut Session, query: &str) -> QueryMatches {
    let request = Request::Find { query: query.to_owned(), cursor: query.chars().count() as u32 };
    let Reply::Matches(matches) = reply(session, request) else { panic!("no matches") };
    matches
}

#[test]
fn runs_have_ids_of_their_own_and_settings_to_group_by() {
    let mut session = sweep();
    let found = list(&mut session);
    assert_eq!(found.settings, ["learning_rate", "seed"]);
    let ids: std::collections::BTreeSet<&str> = found.runs.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(ids.len(), 9);
    let mut session = Session::default();
    drop_files(&mut session, &[("b/run.csv", &falling(100)), ("a/run.csv", &falling(200))]);
    let found = list(&mut session);
    let ids: std::collections::BTreeSet<&str> = found.runs.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(ids.len(), 2);
    assert!(found.settings.is_empty());
}

#[test]
fn what_is_chosen_decides_a_view_over_all_runs() {
    let mut session = sweep();
    let chosen = [("metric", "eval/accuracy"), ("group", "config.learning_rate")];
    let view = project(&mut session, Topic::Compare, &chosen);
    let value = |name: &str| {
        let is_it = |choice: &&Choice| choice.name == name;
        view.choices.iter().find(is_it).map_or("", |choice| choice.value.as_str())
    };
    assert_eq!((value("metric"), value("group")), ("eval/accuracy", "config.learning_rate"));
    let all = format!("{:?}", view.blocks);
    assert!(all.contains("1e-4"), "{all}");
}

#[test]
fn every_view_answers_whatever_is_chosen() {
    let mut session = sweep();
    for topic in Topic::ALL {
        for chosen in [&[][..], &[("metric", "nowhere"), ("cost", "?"), ("baseline", "x"), ("group", "config.")]] {
            let view = project(&mut session, topic, chosen);
            assert!(view.choices.iter().all(|choice| !choice.options.is_empty()));
            project(&mut Session::default(), topic, chosen);
        }
    }
}

#[test]
fn queries_select_and_say_where_they_are_wrong() {
    let mut session = sweep();
    assert_eq!(find(&mut session, "config.learning_rate == 1e-4 and seed > 0").runs.len(), 2);
    assert_eq!(find(&mut session, "").runs.len(), 9);
    let (at, what) = find(&mut session, "config.learning_rate >").fault.unwrap();
    assert!(at >= 20 && !what.is_empty());
    let misspelt = find(&mut session, "config.learning_rat == 1e-4");
    assert_eq!((misspelt.runs.len(), misspelt.fault), (0, None));
    assert_eq!(misspelt.unknown, [("config.learning_rat".to_owned(), "config.learning_rate".to_owned())]);
    let completions = find(&mut session, "config.lear").completions;
    assert!(completions.iter().any(|(text, _)| text.starts_with("config.learning_rate")), "{completions:?}");
}

/// Links in the preview of a report lead to the runs that they name, whatever their numbers are.
#[test]
fn a_previewed_report_links_to_its_runs() {
    let mut session = Session::default();
    let (short, long) = (falling(30), falling(60));
    drop_files(&mut session, &[("zebra.csv", &short)]);
    drop_files(&mut session, &[("ant.csv", &long), ("moth.csv", &short)]);
    let numbers: BTreeMap<String, u32> = list(&mut session).runs.into_iter().map(|row| (row.name, row.run)).collect();
    let request = Request::Report { runs: Vec::new(), format: ReportFormat::Preview, hides_names: false };
    let Reply::Project(ProjectView { mut blocks, .. }) = reply(&mut session, request) else { panic!("no preview") };
    let mut linked = std::collections::BTreeSet::new();
    let note = std::cell::RefCell::new(&mut linked);
    for block in &mut blocks {
        block.renumber_runs(&|number| {
            note.borrow_mut().insert(number);
            number
        });
    }
    assert_eq!(linked, numbers.values().copied().collect());
    let text = format!("{blocks:?}");
    for (name, number) in numbers {
        assert!(text.contains(&format!("Run({number}, {name:?})")), "{name} is {number}");
    }
}
