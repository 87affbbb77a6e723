//! Holds every type to what postcard writes.

use super::*;
use crate::content::{Anchor, Block, Cell, Column, Figure, Shape, Span, Table, Tone};
use proptest::prelude::*;

fn text(words: &str) -> String {
    words.to_owned()
}

/// One block and one shape of each kind.
fn document() -> Document {
    let hint = text("hint");
    let anchors = [Anchor::Start, Anchor::Middle, Anchor::End];
    let tones = [Tone::Ink, Tone::Muted, Tone::Grid, Tone::Accent, Tone::Good, Tone::Bad, Tone::Ugly];
    let words = |(place, anchor): (usize, Anchor)| Shape::Words {
        x: place as f32,
        y: 2.0,
        anchor,
        text: text("w"),
        tone: Tone::Heat(9),
        hint: hint.clone(),
    };
    let dot = |tone: Tone| Shape::Dot { x: 1.0, y: 2.0, radius: 3.0, tone, hint: hint.clone() };
    let mut shapes = vec![
        Shape::Line { points: vec![(1.0, -2.0)], tone: Tone::Series(7), is_dashed: true, hint: hint.clone() },
        Shape::Area { points: vec![(0.5, 0.25), (3.0, 4.0)], tone: Tone::Muted },
        Shape::Rectangle { x: 1.0, y: 2.0, width: 3.0, height: 4.0, tone: Tone::Good, hint: hint.clone() },
    ];
    shapes.extend(anchors.into_iter().enumerate().map(words));
    shapes.extend(tones.map(dot));
    let table = Table {
        caption: text("c"),
        columns: vec![Column { name: text("n"), is_numeric: true }],
        rows: vec![vec![Cell { text: vec![Span::Run(5, text("r"))], value: Some(-1.5) }, Cell::default()]],
        left_out: 300,
    };
    Document {
        choices: vec![Choice {
            name: text("n"),
            label: text("l"),
            options: vec![(text("v"), text("w"))],
            value: text("v"),
        }],
        blocks: vec![
            Block::section("s"),
            Block::text("a `b`"),
            Block::List(vec![vec![Span::Strong(text("s"))]]),
            Block::Table(table),
            Block::Figure(Figure { title: text("t"), summary: text("s"), width: 1.0, height: 2.0, shapes }),
        ],
    }
}

/// One event of each kind, with a different value in every field.
fn events() -> Vec<Event> {
    let row = RunRow {
        run: 300,
        name: text("amber-07"),
        verdict: VerdictMark::Ugly,
        state: text("finished"),
        value: -0.5,
        spark: vec![0.25, -1e30],
        last_step: 500.0,
        worst: vec![text("a"), text("Ünïcödé")],
    };
    let list = RunList {
        project: text("p"),
        measure: text("m"),
        runs: vec![row.clone(), RunRow { verdict: VerdictMark::Good, ..row }],
        problems: vec![ProblemRow { file: text("f"), place: text("line 1"), text: text("t"), lost: true }],
        files: u32::MAX,
        bytes: u64::MAX,
        read_ms: 1.5,
        diagnose_ms: 2.5,
        news: vec![NewsRow { run: 300, text: text("n"), severity: SeverityMark::Critical }],
        going: 2,
        fault: text("fault"),
        topics: Topic::ALL.to_vec(),
    };
    let offer = Offer {
        text: text("o"),
        failed: true,
        runs: vec![OfferRow { id: text("i"), name: text("n"), detail: text("d") }],
        advice: vec![(text("try"), text("python"))],
        fault: Some((3, text("q"))),
        is_open: true,
    };
    let fold = |id: &str| Fold { id: text(id), title: text("t"), blocks: vec![Block::text("a `b`")] };
    let card = FindingCard {
        code: text("kl_blow_up"),
        name: text("KL"),
        phrase: text("kl"),
        lane: 2,
        severity: SeverityMark::Critical,
        title: text("title"),
        onset: 21.0,
        end: 22.0,
        standing: text("confidence 0.97"),
        chart: vec![text("train/kl")],
        told: vec![Block::Numbered(vec![vec![Span::Note(text("n")), Span::Link(text("l"), text("https://b.c"))]])],
        arithmetic: fold("a"),
        references: fold(""),
        samples: vec![Block::Code(text("c")), Block::part("p")],
        explained_by: Some(3),
    };
    let view = RunView {
        run: 7,
        verdict: VerdictMark::Bad,
        headline: text("h"),
        summary: vec![Span::Strong(text("s"))],
        facts: vec![vec![Span::Text(text("l")), Span::Strong(text("v")), Span::Note(text("r"))]],
        skipped: text("3 checks skipped"),
        step_key: text("k"),
        step_why: text("w"),
        steps: (1.0, 2.0),
        lanes: vec![text("reward")],
        findings: vec![card.clone(), FindingCard { explained_by: None, severity: SeverityMark::Note, ..card }],
        well: vec![Block::text("w")],
        folds: vec![fold(Fold::SKIPPED), fold(Fold::CONFIG)],
        measure: text("eval/accuracy"),
    };
    let metric =
        MetricRow { key: text("k"), points: 1 << 40, nonfinite: 1, last: 2.0, min: 3.0, max: 4.0, constant: true };
    let metrics = MetricList {
        run: 9,
        sections: vec![MetricSection { name: text("s"), metrics: vec![metric] }],
        rest: text("more"),
    };
    let line = Line {
        key: text("k"),
        x: 0,
        y: 1,
        smooth_x: 2,
        smooth_y: 3,
        nan_x: 4,
        positive_infinity_x: 5,
        negative_infinity_x: 6,
        y_range: Some((-1.0, 1.0)),
        points: 77,
    };
    let lines = Lines { run: 4, x_extent: None, lines: vec![line] };
    let progress =
        Progress { doing: text("d"), bytes_done: 127, bytes_total: 128, files_done: 16_383, files_total: 16_384 };
    let replies = [
        Ok(Reply::Runs(list)),
        Ok(Reply::Run(Box::new(view))),
        Ok(Reply::Metrics(metrics)),
        Ok(Reply::Lines(lines)),
        Ok(Reply::Report(text("# report"))),
        Ok(Reply::Done),
        Ok(Reply::Offer(offer)),
        Ok(Reply::Files(vec![(text("path"), text("table"))])),
        Ok(Reply::Document(document())),
        Ok(Reply::Found(Found {
            runs: vec![1, 300],
            fault: Some((4, text("f"))),
            completions: vec![(text("c"), text("d"))],
        })),
        Err(Fault::Cancelled),
        Err(Fault::NoSuchRun),
        Err(Fault::BadMessage),
        Err(Fault::Failed(text("why"))),
    ];
    let mut events = vec![Event::Ready, Event::Progress { id: 5, progress }];
    events.extend(replies.map(|reply| Event::Reply { id: 6, reply }));
    events
}

#[test]
fn what_postcard_writes_is_read_back() {
    for event in events() {
        let bytes = postcard::to_allocvec(&event).unwrap();
        assert_eq!(Event::from_bytes(&bytes), Some(event));
    }
}

#[test]
fn half_a_message_is_none() {
    for event in events() {
        let bytes = postcard::to_allocvec(&event).unwrap();
        for end in 0..bytes.len() {
            assert_eq!(Event::from_bytes(&bytes[..end]), None, "{end} of {} bytes of {event:?}", bytes.len());
        }
        assert_eq!(Event::from_bytes(&[bytes, vec![0]].concat()), None, "one byte too many: {event:?}");
    }
}

proptest! {
    #[test]
    fn what_is_read_is_what_postcard_reads(
        which in 0..14usize,
        place: prop::sample::Index,
        byte: u8,
    ) {
        let mut bytes = postcard::to_allocvec(&events()[which]).unwrap();
        let place = place.index(bytes.len());
        bytes[place] = byte;
        // Damage that postcard takes for a message reads the same; what it refuses must only end.
        let ours = Event::from_bytes(&bytes);
        if let Ok((theirs, [])) = postcard::take_from_bytes::<Event>(&bytes) {
            prop_assert_eq!(format!("{:?}", ours), format!("{:?}", Some(theirs)));
        }
    }
}
