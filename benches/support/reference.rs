//! A fixed computation whose time tells how fast the machine is while a benchmark runs: what shares its processors may halve
//! every figure in milliseconds from one hour to the next.

use std::process::Command;
use std::time::{Duration, Instant};

/// A loop of 3 x 10^7 additions, as `docs/performance.md` names it. Prints its own milliseconds, without the start of the program.
const SCRIPT: &str = "const start = performance.now(); \
    const add = () => { let sum = 0; for (let i = 0; i < 3e7; i++) sum = (sum + (i ^ sum)) | 0; return sum; }; \
    const sum = add(); \
    console.log(performance.now() - start, sum)";

/// Measurements take seconds to minutes each; the loop takes some tenths of a second.
const INTERVAL: Duration = Duration::from_secs(10);

/// Runs the loop now and then.
#[derive(Debug, Default)]
pub struct ReferenceLoop {
    last: Option<Instant>,
}

impl ReferenceLoop {
    /// Milliseconds of the loop; `None` where Node cannot be started.
    pub fn time(&mut self) -> Option<f64> {
        let output = Command::new("node").args(["-e", SCRIPT]).output().ok()?;
        self.last = Some(Instant::now());
        String::from_utf8_lossy(&output.stdout).split(' ').next()?.parse().ok()
    }

    /// As `time`, but not again within ten seconds.
    pub fn time_when_due(&mut self) -> Option<f64> {
        let is_due = self.last.is_none_or(|last| last.elapsed() >= INTERVAL);
        if is_due { self.time() } else { None }
    }
}
