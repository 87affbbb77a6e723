//! Nothing that the engine tells the page holds a secret of a file: run list, views, tables, charts, files, messages as
//! they are sent. Nor do names of people where they are to be hidden.

use rundown_content::Scale;
use rundown_engine::session::Session;
use rundown_ingest::{RunAssembler, open};
use rundown_protocol::{
    ChartFormat, ExportRequest, LineGrouping, LinesRequest, ProjectRequest, Reply, ReportFormat, Request, SeriesRef,
    TableRequest, Topic, encode,
};
use rundown_report::{Secrets, run_export};
use rundown_run::{ConfigValue, Run};

use crate::recall::one_of_each_rule;
use crate::secrets::{lines, planted, planted_with};

fn session(count: usize) -> Session {
    session_of((0..count).map(planted).collect())
}

fn session_of(runs: Vec<Run>) -> Session {
    let mut session = Session::default();
    let mut assembler = RunAssembler::default();
    for (number, mut run) in runs.into_iter().enumerate() {
        run.name.push_str(" of alice.smith on gpu-box-17");
        run.host = Some("gpu-box-17".to_owned());
        run.entity = Some("acme-lab".to_owned());
        run.project = Some("grpo".to_owned());
        run.config.insert("username", ConfigValue::Text("alice.smith".to_owned()));
        run.config.insert("output_dir", ConfigValue::Text("/home/alice/out on 10.20.30.40".to_owned()));
        run.config.insert("contact", ConfigValue::Text("alice@example.org".to_owned()));
        let text = run_export(&run, &[], Secrets::Keep).unwrap();
        let path = format!("runs/{number}.json");
        let mut reader = open(&path, text.len() as u64);
        reader.push(text.as_bytes());
        assembler.add(reader.finish());
    }
    session.add(assembler, 0, 0);
    while let Some(pending) = session.next_pending() {
        session.diagnose(pending.number);
    }
    session
}

/// Everything that the page can ask of these runs.
fn questions(session: &mut Session) -> Vec<Request> {
    let runs: Vec<u32> = session.run_list().runs.iter().map(|row| row.run).collect();
    let mut questions = vec![
        Request::ListRuns,
        Request::ListFiles,
        Request::ListMetrics { runs: runs.clone() },
        Request::Table(TableRequest::default()),
        Request::Find { query: "config.".to_owned(), cursor: 7 },
        Request::Find { query: "nonsense ==".to_owned(), cursor: 0 },
    ];
    let mut keys = vec!["train/reward".to_owned()];
    if let Ok(Reply::Metrics(list)) = session.answer(&questions[2]).reply {
        keys = list.sections.into_iter().flat_map(|section| section.metrics).map(|metric| metric.key).collect();
    }
    for run in &runs {
        questions.push(Request::OpenRun { run: *run, last_steps: 0 });
    }
    for topic in Topic::ALL {
        let request = ProjectRequest { topic, runs: Vec::new(), chosen: Vec::new(), width: 800 };
        questions.push(Request::OpenProject(request));
    }
    let preview = Request::Report { runs: Vec::new(), format: ReportFormat::Preview, hides_names: false };
    questions.push(preview);
    for format in FORMATS {
        questions.push(Request::Report { runs: Vec::new(), format, hides_names: false });
    }
    let series: Vec<SeriesRef> =
        runs.iter().flat_map(|run| keys.iter().map(|key| SeriesRef { run: *run, key: key.clone() })).collect();
    let drawn = LinesRequest { series, width_px: 400, ..LinesRequest::default() };
    let grouped = LinesRequest {
        group: Some(LineGrouping { setting: "grader".to_owned(), ..LineGrouping::default() }),
        ..drawn.clone()
    };
    for lines in [drawn, grouped] {
        questions.push(Request::Lines(lines.clone()));
        let svg = ChartFormat::Svg { width: 800, height: 400, scale: Scale::Linear, dark: false };
        for format in [ChartFormat::Csv, svg] {
            let title = "train/reward".to_owned();
            questions.push(Request::ExportChart(ExportRequest {
                title,
                lines: lines.clone(),
                format,
                hides_names: false,
            }));
        }
    }
    questions
}

const FORMATS: [ReportFormat; 4] = [ReportFormat::Markdown, ReportFormat::Json, ReportFormat::Html, ReportFormat::Runs];

/// The places of these parts in what was sent.
fn leaks(bytes: &[u8], parts: &[String]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let around = |part: &String| {
        let at = text.find(part.as_str())?;
        let from = text.floor_char_boundary(at.saturating_sub(60));
        Some(text.get(from..)?.chars().take(140).collect())
    };
    parts.iter().filter_map(around).collect()
}

#[test]
fn no_message_holds_a_secret() {
    let count = 3;
    let parts: Vec<String> = (0..count).flat_map(lines).map(|(part, _)| part).collect();
    no_message_holds(session(count), &parts);
}

#[test]
fn no_message_holds_a_key_of_any_rule() {
    let lines = one_of_each_rule();
    let parts: Vec<String> = lines.iter().map(|(part, _)| part.clone()).collect();
    no_message_holds(session_of(vec![planted_with(0, &lines), planted_with(1, &lines)]), &parts);
}

#[track_caller]
fn no_message_holds(mut session: Session, parts: &[String]) {
    let questions = questions(&mut session);
    assert!(questions.len() > 25);
    for question in questions {
        let reply = session.answer(&question).reply;
        let sent = encode(&reply).unwrap();
        let what = format!("{question:?}").chars().take(80).collect::<String>();
        assert_eq!(leaks(&sent, parts), Vec::<String>::new(), "answer to {what}");
        // What the page knows of it comes back in requests and links.
        assert_eq!(leaks(&encode(&question).unwrap(), parts), Vec::<String>::new(), "{what}");
    }
}

#[test]
fn what_is_shared_names_no_people_or_machines_and_views_do() {
    let names = ["gpu-box-17", "alice.smith", "/home/alice", "10.20.30.40", "alice@example", "acme-lab/"];
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    let mut session = session(2);
    for format in FORMATS {
        let mut ask = |hides_names| match session.answer(&Request::Report { runs: vec![1], format, hides_names }).reply
        {
            Ok(Reply::Report(text)) => text,
            other => panic!("{other:?}"),
        };
        let (open, shared) = (ask(false), ask(true));
        assert!(!leaks(open.as_bytes(), &names).is_empty(), "{format:?} tells names");
        assert_eq!(leaks(shared.as_bytes(), &names), Vec::<String>::new(), "{format:?}");
        if matches!(format, ReportFormat::Json | ReportFormat::Runs) {
            // Still read as what it is.
            let mut reader = open_shared(format, &shared);
            reader.push(shared.as_bytes());
            let mut assembler = RunAssembler::default();
            assembler.add(reader.finish());
            let read = assembler.assemble(Vec::new());
            assert_eq!(read.runs.len() + read.reported.len(), 1, "{format:?}: {:?}", read.problems);
        }
    }
}

#[test]
fn charts_and_tables_that_are_shared_name_no_people_or_machines() {
    let mut session = session(2);
    let names = ["gpu-box-17".to_owned(), "alice.smith".to_owned()];
    let number = session.run_list().runs[0].run;
    let series = vec![SeriesRef { run: number, key: "train/reward".to_owned() }];
    let lines = LinesRequest { series, width_px: 400, ..LinesRequest::default() };
    let svg = ChartFormat::Svg { width: 800, height: 400, scale: Scale::Linear, dark: false };
    for format in [ChartFormat::Csv, svg] {
        let mut ask = |hides_names| {
            let title = "reward of alice.smith".to_owned();
            let request = ExportRequest { title, lines: lines.clone(), format, hides_names };
            match session.answer(&Request::ExportChart(request)).reply {
                Ok(Reply::Report(text)) => text,
                other => panic!("{other:?}"),
            }
        };
        let (open, shared) = (ask(false), ask(true));
        assert!(!leaks(open.as_bytes(), &names).is_empty(), "{format:?} tells names");
        assert_eq!(leaks(shared.as_bytes(), &names), Vec::<String>::new(), "{format:?}");
        assert_eq!(open.lines().count(), shared.lines().count(), "{format:?}");
    }
    let table = "run,verdict\nalice.smith/7,good\n".to_owned();
    match session.answer(&Request::HideNames { texts: vec![table, "gpu-box-17".to_owned()] }).reply {
        Ok(Reply::Texts(texts)) => assert_eq!(texts, ["run,verdict\n(user)/7,good\n", "(host)"]),
        other => panic!("{other:?}"),
    }
}

fn open_shared(format: ReportFormat, text: &str) -> rundown_ingest::OpenFile {
    let name = if format == ReportFormat::Json { "report.json" } else { "runs.rundown.jsonl" };
    open(name, text.len() as u64)
}
