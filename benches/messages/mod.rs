//! The engine's answers for a thousand runs, as they cross to the page and as JSON would be: the measurement behind
//! `docs/decisions/messages.md`.

use rundown_protocol::{Reply, Request, decode, encode};

use crate::comparing::{questions, session};
use crate::milliseconds;
use crate::support::measurements::{Measurement, Measurements, Peer, ROUNDS, Unit};

const RUNS: usize = 1_000;

/// Measures bytes, and the time to write and read, of each answer in both encodings.
pub fn measure(measurements: &mut Measurements) -> std::io::Result<()> {
    measurements
        .begin("Messages from the engine to the page", "postcard beside JSON by serde, written and read, natively.");
    let mut session = session(RUNS);
    let one = ("one run", Request::OpenRun { run: 1, last_steps: 0 });
    for (name, question) in questions().into_iter().chain([one]) {
        let Ok(reply) = session.answer(&question).reply else { continue };
        let (bytes, text) = (encode(&reply).unwrap_or_default(), serde_json::to_vec(&reply).unwrap_or_default());
        let ours = || milliseconds(|| decode::<Reply>(&encode(&reply).unwrap_or_default()));
        let json = || milliseconds(|| serde_json::from_slice::<Reply>(&serde_json::to_vec(&reply).unwrap_or_default()));
        let (ours, values) = (0..ROUNDS).map(|_| (ours(), json())).unzip();
        let what = format!("{RUNS} runs, {name}, {:.0} kB", bytes.len() as f64 / 1e3);
        let peer = Peer { name: format!("JSON, {:.0} kB", text.len() as f64 / 1e3), values };
        measurements.record(Measurement { peers: vec![peer], ..Measurement::new(what, Unit::Milliseconds, ours) });
    }
    Ok(())
}
