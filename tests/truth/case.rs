//! What a case is: a run with a known cause, and what must be found in it.

use std::ops::Range;

use rundown_diagnose::Severity;

use super::random::Random;
use super::simulated_run::SimulatedRun;

/// One fault, or one healthy shape.
pub struct Case {
    /// Its name in the table.
    pub name: &'static str,
    /// What must be found: the first is the right name, the others are honest ones too. Empty for a healthy shape.
    pub codes: &'static [&'static str],
    /// A finding below this does not count.
    pub least: Severity,
    /// Channels without which nobody could see it.
    pub needs: &'static [&'static str],
    /// Makes the run of so many steps.
    pub make: fn(&mut Random, usize) -> SimulatedRun,
}

/// A healthy shape.
pub const fn healthy(name: &'static str, make: fn(&mut Random, usize) -> SimulatedRun) -> Case {
    Case { name, codes: &[], least: Severity::Warning, needs: &["reward"], make }
}

/// A fault that somebody has to act on.
pub const fn fault(
    name: &'static str,
    codes: &'static [&'static str],
    needs: &'static [&'static str],
    make: fn(&mut Random, usize) -> SimulatedRun,
) -> Case {
    Case { name, codes, least: Severity::Warning, needs, make }
}

/// Something worth knowing: a note is enough.
pub const fn remark(
    name: &'static str,
    codes: &'static [&'static str],
    needs: &'static [&'static str],
    make: fn(&mut Random, usize) -> SimulatedRun,
) -> Case {
    Case { name, codes, least: Severity::Note, needs, make }
}

/// Seeds of each case that were looked at while rules were tuned.
pub const TUNED: Range<u64> = 0..20;

/// Seeds of each case that no rule was tuned on, and the release whose table shows them. A release moves the range on:
/// who has read what was missed in the last one may have tuned on it.
pub const FRESH: (&str, Range<u64>) = ("0.1.0", 8_000..8_100);

/// Seeds that were fresh once, and then were looked at while rules were changed.
pub const SPENT: &[(&str, Range<u64>)] = &[
    ("0.1.0", 1_000..1_050),
    ("0.1.0", 3_000..3_100),
    ("0.1.0", 4_000..4_100),
    ("0.1.0", 6_000..6_100),
    ("0.1.0", 7_000..7_100),
];

/// The run of a case and a seed.
pub fn simulate(case: &Case, seed: u64) -> SimulatedRun {
    let mut random = Random::new(case.name, seed);
    let steps = [200, 240, 280, 320, 360, 400, 480][random.whole(0, 6)];
    let mut simulated = (case.make)(&mut random, steps);
    // Some runs were resumed, whatever else was the matter with them: at a third, well before most faults.
    if seed % 7 == 5 && simulated.resumed.is_none() && simulated.last > steps / 2 && simulated.thinned.is_none() {
        let left = steps / 4 + random.whole(0, 10);
        simulated.resumed = Some((left, left - random.whole(4, 9)));
    }
    simulated
}
