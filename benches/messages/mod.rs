//! The engine's answers for a thousand runs, as they cross to the page and as JSON would be: the measurement behind
//! `docs/decisions/messages.md`.

use std::fmt::Write as _;

use rundown_engine::session::Session;
use rundown_ingest::RunAssembler;
use rundown_protocol::{ProjectRequest, Reply, Request, Topic, decode, encode};

use super::{best_of, line, ms, wave};

const RUNS: usize = 1_000;
const STEPS: usize = 50;
const WIDTH: u32 = 1_000;

/// Prints bytes, and the time to write and read, of each answer in both encodings.
pub fn table() {
    let mut session = session();
    let project =
        |topic| Request::OpenProject(ProjectRequest { topic, runs: Vec::new(), chosen: Vec::new(), width: WIDTH });
    let questions = [
        ("list", Request::ListRuns),
        ("Compare view", project(Topic::Compare)),
        ("Signals view", project(Topic::Signals)),
        ("one run", Request::OpenRun { run: 1, last_steps: 0 }),
    ];
    for (name, question) in questions {
        let Ok(reply) = session.answer(&question).reply else { continue };
        let (wrote, bytes) = best_of(5, || encode(&reply).unwrap_or_default());
        let (read, _) = best_of(5, || decode::<Reply>(&bytes).is_ok());
        report(&format!("message, {RUNS} runs, {name}, postcard"), bytes.len(), &ms(wrote), &ms(read));
        let (wrote, text) = best_of(5, || serde_json::to_vec(&reply).unwrap_or_default());
        let (read, is_read) = best_of(5, || serde_json::from_slice::<Reply>(&text).is_ok());
        let read = if is_read { ms(read) } else { "not readable".to_owned() };
        report(&format!("message, {RUNS} runs, {name}, JSON"), text.len(), &ms(wrote), &read);
    }
}

fn report(what: &str, bytes: usize, wrote: &str, read: &str) {
    line(what, &format!("{:.0} kB, {wrote} + {read}", bytes as f64 / 1e3), "");
}

/// Diagnosed runs, each from a table of three metrics.
fn session() -> Session {
    let mut session = Session::default();
    let mut assembler = RunAssembler::default();
    for run in 0..RUNS {
        let mut text = String::from("step,train/reward,eval/accuracy,kl\n");
        for step in 0..STEPS {
            let noise = |place: usize| 0.05 * wave(run * 7_919 + place * 977 + step).fract();
            let gain = 1.0 - 1.0 / (1.0 + step as f64 / 10.0);
            let _ = writeln!(text, "{step},{},{},{}", gain + noise(0), gain + noise(1), noise(2));
        }
        let mut file =
            session.open_file(&rundown_ingest::Budget::default(), &format!("run-{run:04}.csv"), text.len() as u64, "");
        file.push(text.as_bytes());
        assembler.add(file.finish());
    }
    session.add(assembler, RUNS as u32, 0);
    while let Some(pending) = session.next_pending() {
        session.diagnose(pending.number);
    }
    session
}
