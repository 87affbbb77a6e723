//! What the Metrics view draws of real `.wandb` files beside lines over the steps: metrics of the machine.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers included"
)]

use rundown::engine::session::Session;
use rundown::ingest::RunAssembler;
use rundown::protocol::{Lines, LinesRequest, MetricList, Reply, Request, XAxis};

mod support;

use support::{dropped, labelled, read};

/// A session with the one run below a folder of the corpus, as dropped.
fn session(folder: &str) -> Session {
    let mut assembler = RunAssembler::default();
    for (path, file) in dropped(&labelled(folder.split('/').next().unwrap()).join(folder.split_once('/').unwrap().1)) {
        assembler.add(read(&path, &std::fs::read(file).unwrap(), 4 << 20));
    }
    let mut session = Session::default();
    session.add(assembler, 1, 1);
    session
}

fn list(session: &mut Session) -> MetricList {
    match session.answer(&Request::ListMetrics { run: 1 }).reply {
        Ok(Reply::Metrics(list)) => list,
        other => panic!("{other:?}"),
    }
}

fn draw(session: &mut Session, key: &str, x: XAxis) -> (Lines, Vec<Vec<f64>>) {
    let wanted = LinesRequest { run: 1, keys: vec![key.to_owned()], x, window: None, width_px: 400, smoothing: 0.0 };
    let answer = session.answer(&Request::Lines(wanted));
    match answer.reply {
        Ok(Reply::Lines(lines)) => (lines, answer.arrays),
        other => panic!("{other:?}"),
    }
}

#[test]
fn metrics_of_the_machine_are_listed_last_and_drawn_over_steps_and_time() {
    let mut session = session("tiny-grpo/amber-01");
    let sections = list(&mut session).sections;
    let system = sections.last().unwrap();
    assert_eq!(system.name, "system");
    let row = system.metrics.iter().find(|row| row.points > 1 && !row.constant).expect("one that changes");
    let (low, high) = draw(&mut session, "train/reward", XAxis::Step).0.x_extent.unwrap();
    let (lines, arrays) = draw(&mut session, &row.key, XAxis::Step);
    let line = &lines.lines[0];
    assert_eq!(line.points, row.points);
    let steps = &arrays[line.x as usize];
    assert!(steps.is_sorted() && steps.iter().all(|step| *step >= low && *step <= high), "{steps:?} of {low} to {high}");
    assert_eq!(line.y_range, Some((row.min, row.max)));
    let seconds = draw(&mut session, &row.key, XAxis::RelativeTime);
    assert_eq!(seconds.0.lines[0].points, row.points);
    assert!(seconds.1[seconds.0.lines[0].x as usize].iter().all(|x| x.abs() < 86_400.0), "{:?}", seconds.1);
}
