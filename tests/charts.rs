//! What the Metrics view draws of real `.wandb` files beside metrics by their step: the machine, and histograms.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "tests may panic")]

use rundown_engine::session::Session;
use rundown_ingest::RunAssembler;
use rundown_protocol::{
    ChartFormat, ExportRequest, Heat, HeatRequest, HeatSource, Lines, LinesRequest, MetricKind, MetricList, Reply,
    Request, SeriesRef, XAxis,
};

mod support;

use support::{dropped, labelled, read};

/// A session with the one run below a folder of the corpus, as dropped.
fn session(folder: &str, run: &str) -> Session {
    let mut assembler = RunAssembler::default();
    for (path, file) in dropped(&labelled(folder).join(run)) {
        assembler.add(read(&path, &std::fs::read(file).unwrap(), 4 << 20));
    }
    let mut session = Session::default();
    session.add(assembler, 1, 1);
    session
}

fn list(session: &mut Session) -> MetricList {
    match session.answer(&Request::ListMetrics { runs: vec![1] }).reply {
        Ok(Reply::Metrics(list)) => list,
        other => panic!("{other:?}"),
    }
}

fn draw(session: &mut Session, key: &str, x: XAxis) -> (Lines, Vec<Vec<f64>>) {
    let series = vec![SeriesRef { run: 1, key: key.to_owned() }];
    let answer = session.answer(&Request::Lines(LinesRequest { series, x, width_px: 400, ..LinesRequest::default() }));
    match answer.reply {
        Ok(Reply::Lines(lines)) => (lines, answer.arrays),
        other => panic!("{other:?}"),
    }
}

fn heat(session: &mut Session, key: &str, x: XAxis) -> (Heat, Vec<Vec<f64>>) {
    let source = HeatSource::Histograms(key.to_owned());
    let answer = session.answer(&Request::Heat(HeatRequest { run: 1, source, x, window: None, width_px: 400 }));
    match answer.reply {
        Ok(Reply::Heat(heat)) => (heat, answer.arrays),
        other => panic!("{other:?}"),
    }
}

#[test]
fn metrics_of_the_machine_are_listed_last_and_drawn_over_steps_and_time() {
    let mut session = session("tiny-grpo", "amber-01");
    let sections = list(&mut session).sections;
    let system = sections.last().unwrap();
    assert_eq!(system.name, "system");
    let row = system.metrics.iter().find(|row| !row.constant).expect("one that changes");
    let (low, high) = draw(&mut session, "train/reward", XAxis::Step).0.x_extent.unwrap();
    let (lines, arrays) = draw(&mut session, &row.key, XAxis::Step);
    let line = &lines.lines[0];
    let steps = &arrays[line.x as usize];
    assert!(
        steps.is_sorted() && steps.iter().all(|step| *step >= low && *step <= high),
        "{steps:?} of {low} to {high}"
    );
    let seconds = draw(&mut session, &row.key, XAxis::RelativeTime);
    assert_eq!(seconds.0.lines[0].points, line.points);
    assert!(seconds.1[seconds.0.lines[0].x as usize].iter().all(|x| x.abs() < 86_400.0), "{:?}", seconds.1);
}

#[test]
fn histograms_are_listed_with_their_means_and_drawn_as_columns() {
    let mut session = session("systems", "lattice-10");
    let sections = list(&mut session).sections;
    let rewards = sections.iter().find(|section| section.name == "rewards").unwrap();
    let row = rewards.metrics.iter().find(|row| row.kind == MetricKind::Histograms).expect("histograms");
    assert!(row.key.ends_with("_hist"), "{}", row.key);
    for x in [XAxis::Step, XAxis::RelativeTime] {
        let (Heat { x_extent, columns }, arrays) = heat(&mut session, &row.key, x);
        let heat = columns.unwrap();
        let array = |index: u32| &arrays[index as usize];
        assert_eq!(heat.histograms, array(heat.first).len() as u64);
        let bins = array(heat.bins).len() - 1;
        assert_eq!(array(heat.shares).len(), bins * array(heat.first).len());
        for column in array(heat.shares).chunks(bins) {
            assert!((column.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{column:?}");
        }
        assert_eq!(x_extent, Some((array(heat.first)[0], *array(heat.last).last().unwrap())));
    }
    assert_eq!(draw(&mut session, &row.key, XAxis::Step).0, Lines::default());
}

#[test]
fn a_metric_stands_over_every_axis_and_its_table_has_every_point() {
    let mut session = session("tiny-grpo", "amber-01");
    while let Some(pending) = session.next_pending() {
        session.diagnose(pending.number);
    }
    let over = |session: &mut Session, x: XAxis| {
        let (lines, arrays) = draw(session, "train/reward", x);
        let line = lines.lines.first().expect("a line").clone();
        (line.points, arrays[line.x as usize].clone(), lines.x_extent.unwrap())
    };
    let (points, ..) = over(&mut session, XAxis::Step);
    for x in [XAxis::Tokens, XAxis::RelativeTime, XAxis::WallTime, XAxis::Metric("train/kl".to_owned())] {
        let (found, places, (low, high)) = over(&mut session, x.clone());
        assert_eq!(found, points, "{x:?}");
        assert!(places.is_sorted() && low < high, "{x:?}: {places:?}");
    }
    let (_, _, (low, high)) = over(&mut session, XAxis::WallTime);
    assert!(low > 1.6e9 && high - low < 86_400.0, "{low} {high}");

    let list = list(&mut session);
    let kl = list.sections.iter().flat_map(|section| &section.metrics).find(|row| row.key == "train/kl").unwrap();
    assert_eq!((kl.unit.as_str(), kl.about.as_str(), kl.runs), ("nats/token", "KL to the reference", 1));
    let series = vec![SeriesRef { run: 1, key: "train/reward".to_owned() }];
    let lines = LinesRequest { series, width_px: 20, ..LinesRequest::default() };
    let wanted = ExportRequest { title: "Reward".to_owned(), lines, format: ChartFormat::Csv, hides_names: false };
    let Ok(Reply::Report(table)) = session.answer(&Request::ExportChart(wanted)).reply else { panic!("no table") };
    assert_eq!(table.lines().count() as u64, points + 1);
}
