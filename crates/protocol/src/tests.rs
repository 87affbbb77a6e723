//! Holds the encoding to what both sides rely on.

use super::*;
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Figure, Scale, Shape, Span, Table, Tone};

/// Events with every kind of field: numbers, options, lists, nested types, NaN-free floats.
fn events() -> Vec<Event> {
    let mut table = Table::new("caption", &[Words("Run"), Numbers("Reward")]);
    table.rows.push(vec![Cell::run(300, "amber-01"), Cell::number("0.5", 0.5)]);
    let hint = "h".to_owned();
    let shapes = vec![
        Shape::Line {
            points: vec![(0.5, 1.0)],
            values: vec![0.25],
            tone: Tone::Series(7),
            is_dashed: true,
            hint: hint.clone(),
        },
        Shape::Dot { x: 1.0, y: 2.0, radius: 3.0, tone: Tone::Heat(9), hint },
    ];
    let figure = Figure { title: "t".into(), summary: "s".into(), width: 10.0, height: 5.0, shapes };
    let spans = vec![Span::Key("k".into()), Span::Note("n".into())];
    let blocks = vec![Block::Text(spans), Block::Table(table), Block::Figure(figure)];
    let row = RunRow {
        run: 300,
        id: "r (2)".to_owned(),
        name: "Ünïcödé".to_owned(),
        verdict: VerdictMark::Ugly,
        state: "finished".to_owned(),
        value: Some(-0.5),
        value_key: "r".to_owned(),
        spark: vec![0.25, -1e30],
        worst: vec!["a".to_owned()],
    };
    let list =
        RunList { runs: vec![row], read: "1 file read".to_owned(), topics: Topic::ALL.to_vec(), ..RunList::default() };
    let run = RunIdentity { id: "r".to_owned(), file: "a/b.csv".to_owned() };
    let work = Work::Diagnosing { run, name: "amber".to_owned() };
    let answer = |answer| Event::Answer { id: 6, answer };
    vec![
        Event::Ready { version: VERSION },
        Event::Progress { id: 5, progress: Progress { work, bytes_done: 127, ..Progress::default() } },
        answer(Ok(Reply::Runs(list))),
        answer(Ok(Reply::Project(ProjectView { choices: Vec::new(), blocks }))),
        answer(Ok(Reply::Lines(lines()))),
        answer(Ok(Reply::Table(run_table()))),
        answer(Err(Fault::SiteFile { url: "https://a.b/c".to_owned(), status: Some(404) })),
    ]
}

fn lines() -> Lines {
    let line = Line {
        series: 300,
        group: Some(LineGroup { value: "1e-4".to_owned(), runs: vec![1, 4, 6] }),
        band: Some(LineBand { x: 1, low: 2, high: 3 }),
        robust_range: Some((-0.5, 1.0)),
        ..Line::default()
    };
    Lines { x_extent: None, lines: vec![line] }
}

fn run_table() -> RunTable {
    let column = ColumnId::ToBaseline { key: "k".to_owned(), aggregate: Aggregate::Best };
    let described = RunTableColumn {
        column,
        title: "t".to_owned(),
        is_numeric: true,
        unit: "s".to_owned(),
        direction: Some(false),
        is_log: true,
        is_axis: true,
    };
    let cells = vec![Cell::number("+0.5", 0.5), Cell::default()];
    let row = RunTableRow { run: 1, cells, own_keys: vec![String::new(), "k".to_owned()] };
    RunTable { columns: vec![described.clone()], rows: vec![row], available: vec![described] }
}

#[test]
fn requests_are_read_as_they_were_written() {
    let lines = LinesRequest {
        series: vec![SeriesRef { run: 1, key: "a/b".to_owned() }],
        x: XAxis::Metric("c".to_owned()),
        window: Some((-1.0, 0.5)),
        smoothing: Smoothing { kind: SmoothingKind::Gaussian, weight: 0.9 },
        group: Some(LineGrouping { setting: "lr".to_owned(), center: Center::Iqm }),
        ..LinesRequest::default()
    };
    let format = ChartFormat::Svg { width: 800, height: 400, scale: Scale::Symlog, dark: false };
    let source = HeatSource::Rows(vec!["r".to_owned()]);
    for request in [
        Request::Lines(lines.clone()),
        Request::ExportChart(ExportRequest { title: "t".to_owned(), lines, format, hides_names: true }),
        Request::Heat(HeatRequest { source, ..HeatRequest::default() }),
        Request::Table(TableRequest { columns: vec![ColumnId::Rank], baseline: Some(3), ..TableRequest::default() }),
        Request::ListMetrics { runs: vec![1, 2] },
    ] {
        let envelope = Envelope { id: 7, request };
        assert_eq!(decode::<Envelope>(&encode(&envelope).unwrap()).unwrap(), envelope);
    }
}

#[test]
fn what_only_asks_is_a_question() {
    let text = String::new;
    for question in [
        Request::Table(TableRequest::default()),
        Request::Heat(HeatRequest::default()),
        Request::ExportChart(ExportRequest {
            title: text(),
            lines: LinesRequest::default(),
            format: ChartFormat::Csv,
            hides_names: true,
        }),
        Request::HideNames { texts: Vec::new() },
        Request::WriteMetric { settings: text(), key: text(), meaning: text() },
        Request::Lines(LinesRequest::default()),
    ] {
        assert!(question.is_question(), "{question:?}");
    }
    for other in [Request::ListRuns, Request::Clear, Request::ApplySettings { settings: text() }, Request::Ping] {
        assert!(!other.is_question(), "{other:?}");
    }
}

#[test]
fn a_payload_is_taken_out_of_its_own_reply_alone() {
    assert_eq!(RunList::try_from(Reply::Runs(RunList::default())), Ok(RunList::default()));
    assert_eq!(String::try_from(Reply::Settings("a".to_owned())), Ok("a".to_owned()));
    assert_eq!(RunTable::try_from(Reply::Done), Err(UnexpectedReply));
}

#[test]
fn events_are_read_as_they_were_written() {
    for event in events() {
        assert_eq!(decode::<Event>(&encode(&event).unwrap()).unwrap(), event);
    }
}

#[test]
fn parts_of_messages_are_errors() {
    for event in events() {
        let bytes = encode(&event).unwrap();
        for end in 0..bytes.len() {
            assert!(decode::<Event>(&bytes[..end]).is_err(), "{end} of {} bytes of {event:?}", bytes.len());
        }
        let error = decode::<Event>(&[bytes, vec![0]].concat()).unwrap_err().to_string();
        assert!(error.contains("1 bytes follow"), "{error}");
    }
}

#[test]
fn a_page_of_any_version_can_read_the_first_event() {
    assert_eq!(encode(&Event::Ready { version: 1 }).unwrap(), [0, 1]);
    assert_eq!(decode::<Event>(&[0, 77]).unwrap(), Event::Ready { version: 77 });
}

#[test]
fn a_server_query_keeps_its_key_to_itself() {
    let query = ServerQuery { service: Service::Wandb, fields: vec!["e/p".to_owned(), "0123secret".to_owned()] };
    assert!(!format!("{:?}", Request::Browse(query)).contains("secret"));
}
