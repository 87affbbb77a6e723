//! The views over all runs, for up to ten thousand of them.

use std::fmt::Write as _;

use rundown_engine::session::Session;
use rundown_ingest::{Budget, RunAssembler};
use rundown_protocol::{ProjectRequest, Request, Topic};

use crate::milliseconds;
use crate::support::measurements::{Measurement, Measurements, ROUNDS, Scaling, Unit};
use crate::synthetic::wave;

const STEPS: usize = 50;
/// Width of the charts in the views.
const WIDTH: u32 = 1_000;
/// The design's limit for each answer, in ms; it is meant for the browser.
const BUDGET: f64 = 300.0;
/// Runs of which each answer is measured; growth is measured up to them.
const MAX_RUNS: usize = 10_000;

/// How often each answer is measured for its growth, of which the fastest counts. The sizes take turns: when the machine is
/// busy for a while, all of them are measured meanwhile.
const TURNS: usize = 25;

/// Measures the answers.
pub fn measure(measurements: &mut Measurements) -> std::io::Result<()> {
    measurements
        .begin("Views over all runs", "Natively, the engine's answer alone: three metrics and two settings a run.");
    let mut sessions: Vec<(usize, Session)> =
        [MAX_RUNS / 16, MAX_RUNS / 4, MAX_RUNS].map(|runs| (runs, session(runs))).into();
    for (what, question) in questions() {
        let mut times = vec![Vec::new(); sessions.len()];
        for _ in 0..TURNS {
            for ((_, session), times) in sessions.iter_mut().zip(&mut times) {
                times.push(milliseconds(|| session.answer(&question)));
            }
        }
        let least = times.iter().map(|times| times.iter().copied().fold(f64::INFINITY, f64::min));
        let points = sessions.iter().map(|(runs, _)| *runs as f64).zip(least).collect();
        let most = times.pop().unwrap_or_default().into_iter().take(ROUNDS).collect();
        measurements
            .record(Measurement::new(format!("{what}, {MAX_RUNS} runs"), Unit::Milliseconds, most).at_most(BUDGET));
        measurements.record_scaling(Scaling { what: what.to_owned(), size: "runs".to_owned(), points });
    }
    Ok(())
}

/// What the page asks for its views over all runs.
pub fn questions() -> [(&'static str, Request); 4] {
    let project =
        |topic| Request::OpenProject(ProjectRequest { topic, runs: Vec::new(), chosen: Vec::new(), width: WIDTH });
    let query = "config.lr > 0.0003 and summary.eval/accuracy > 0.5".to_owned();
    [
        ("list", Request::ListRuns),
        ("query", Request::Find { query, cursor: 0 }),
        ("Compare", project(Topic::Compare)),
        ("Signals", project(Topic::Signals)),
    ]
}

/// Diagnosed runs, each from a table of three metrics, with a seed and a learning rate.
pub fn session(runs: usize) -> Session {
    let mut session = Session::default();
    let mut assembler = RunAssembler::default();
    for run in 0..runs {
        let mut text = String::new();
        let rate = 1e-4 * (1 + run % 7) as f64;
        let _ = writeln!(text, "{{\"config\": {{\"seed\": {run}, \"lr\": {rate}}}}}");
        for step in 0..STEPS {
            let noise = |place: usize| 0.05 * wave((run * 7_919 + place * 977 + step) as u64).fract();
            let gain = (1.0 - 1.0 / (1.0 + step as f64 / 10.0)) * (0.5 + 500.0 * rate);
            let [reward, accuracy, kl] = [gain + noise(0), gain + noise(1), noise(2)];
            let _ = writeln!(
                text,
                "{{\"step\": {step}, \"train/reward\": {reward}, \"eval/accuracy\": {accuracy}, \"kl\": {kl}}}"
            );
        }
        let path = format!("run-{run:05}.jsonl");
        let mut file = session.open_file(&Budget::default(), &path, text.len() as u64, None);
        file.push(text.as_bytes());
        assembler.add(file.finish());
    }
    session.add(assembler, runs as u32, 0);
    while let Some(pending) = session.next_pending() {
        session.diagnose(pending.number);
    }
    session
}
