//! Live use: when a check would first have fired, and whether its alarm stayed.
//!
//! A run is diagnosed again as it stood at some steps. That costs a diagnosis for each, so it is done on request only.

use crate::{Code, Diagnosis, Severity};
use rundown_run::{Ending, Log, Run, RunState};

/// Diagnoses that narrow the first alarm down between two probes.
const NARROWING: usize = 5;

/// How a run is diagnosed: by which rulebook, with what the user set.
pub type By<'a> = &'a dyn Fn(&Run) -> Diagnosis;

/// The diagnoses of a run as it grew.
#[derive(Debug, Clone, PartialEq)]
pub struct Watch {
    /// Ascending by step; the last one is the whole run.
    pub probes: Vec<Probe>,
}

/// The diagnosis of a run up to a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// The step.
    pub step: f64,
    /// Warnings and critical findings, in the order of the findings.
    pub alarms: Vec<Code>,
}

/// An alarm that was raised and then was not there any more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flap {
    /// The check.
    pub code: Code,
    /// Step at which it was raised.
    pub raised: f64,
    /// Step at which it was gone.
    pub gone: f64,
    /// True when the whole run has it again.
    pub back: bool,
}

/// The run as it stood when it had reached `step`: still going on, without what was written at its end.
pub fn prefix(run: &Run, step: f64) -> Run {
    let mut prefix = run.until(step);
    prefix.ending = Ending { state: RunState::Running, ..Ending::default() };
    prefix.log = Log::default();
    prefix
}

/// Diagnoses a run at `probes` steps, evenly over its length, and as a whole.
pub fn watch(run: &Run, by: By<'_>, probes: usize) -> Watch {
    let Some((first, last)) = run.step_range() else { return Watch { probes: Vec::new() } };
    let step = |place: usize| first + (last - first) * place as f64 / probes.max(1) as f64;
    let mut watched: Vec<Probe> =
        (1..probes).map(|place| Probe { step: step(place), alarms: alarms(&by(&prefix(run, step(place)))) }).collect();
    watched.push(Probe { step: last, alarms: alarms(&by(run)) });
    Watch { probes: watched }
}

/// Writes into each warning and critical finding when it would first have fired.
pub fn mark_first_alarms(run: &Run, by: By<'_>, diagnosis: &mut Diagnosis, probes: usize) {
    let watch = watch(run, by, probes);
    for finding in diagnosis.findings.iter_mut().filter(|finding| finding.severity > Severity::Note) {
        finding.first_alarm = watch.first_alarm(run, by, finding.code);
    }
}

impl Watch {
    /// The step at which the alarm of a check would first have been raised, to a thirtieth of the distance between two
    /// probes; `None` when it never was.
    fn first_alarm(&self, run: &Run, by: By<'_>, code: Code) -> Option<f64> {
        let place = self.probes.iter().position(|probe| probe.alarms.contains(&code))?;
        let mut raised = self.probes.get(place)?.step;
        let before = place.checked_sub(1).and_then(|before| self.probes.get(before)).map(|probe| probe.step);
        // The end of a run is known only when it has ended.
        let at_end = place + 1 == self.probes.len() && !raises(run, by, code, raised);
        let mut quiet = before.or_else(|| run.step_range().map(|(first, _)| first))?;
        for _ in 0..if at_end { 0 } else { NARROWING } {
            let middle = f64::midpoint(quiet, raised);
            if raises(run, by, code, middle) {
                raised = middle;
            } else {
                quiet = middle;
            }
        }
        // Something is logged at the step that is named.
        let reached = run.axis.steps.iter().copied().filter(|step| *step <= raised).reduce(f64::max);
        reached.or(Some(raised))
    }

    /// Alarms that came and went. One that comes once and stays is not counted, nor is one that gives way to another form of it.
    pub fn flaps(&self) -> Vec<Flap> {
        let mut flaps: Vec<Flap> = Vec::new();
        let last = self.probes.last();
        for (probe, next) in self.probes.iter().zip(self.probes.iter().skip(1)) {
            let stays = |code: &Code| {
                next.alarms.contains(code) || other_form(*code).is_some_and(|form| next.alarms.contains(&form))
            };
            for code in probe.alarms.iter().filter(|code| !stays(code)) {
                let raised =
                    self.probes.iter().find(|probe| probe.alarms.contains(code)).map_or(f64::NAN, |at| at.step);
                let back = last.is_some_and(|last| last.alarms.contains(code));
                if flaps.iter().all(|flap| flap.code != *code) {
                    flaps.push(Flap { code: *code, raised, gone: next.step, back });
                }
            }
        }
        flaps
    }
}

/// The finding that takes the place of another one as the same fault gets worse, or less sure.
fn other_form(code: Code) -> Option<Code> {
    match code {
        Code::NoLearning => Some(Code::RegressionFromPeak),
        Code::RegressionFromPeak => Some(Code::NoLearning),
        Code::Overfitting => Some(Code::RewardHacking),
        Code::KlDrift => Some(Code::KlBlowUp),
        _ => None,
    }
}

fn raises(run: &Run, by: By<'_>, code: Code, step: f64) -> bool {
    alarms(&by(&prefix(run, step))).contains(&code)
}

fn alarms(diagnosis: &Diagnosis) -> Vec<Code> {
    let alarming = diagnosis.findings.iter().filter(|finding| finding.severity > Severity::Note);
    alarming.map(|finding| finding.code).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, jump, saturating};
    use crate::{Rulebook, diagnose};

    fn by_default(run: &Run) -> Diagnosis {
        diagnose(run, &Rulebook::default())
    }

    fn blown() -> Run {
        Synthetic::healthy(300).noisy("train/kl", 0.02, |t| 0.1 * saturating(t) + 5.0 * jump(t, 0.5)).build()
    }

    #[test]
    fn a_jump_is_reported_soon_after_it() {
        let run = blown();
        let watch = watch(&run, &by_default, 20);
        let first = watch.first_alarm(&run, &by_default, Code::KlBlowUp).unwrap();
        assert!((151.0..=190.0).contains(&first), "{first}");
        assert_eq!(watch.first_alarm(&run, &by_default, Code::RewardHacking), None);
        let mut diagnosis = by_default(&run);
        mark_first_alarms(&run, &by_default, &mut diagnosis, 20);
        let blow_up = diagnosis.findings.iter().find(|finding| finding.code == Code::KlBlowUp).unwrap();
        assert_eq!(blow_up.first_alarm, Some(first));
    }

    #[test]
    fn a_prefix_knows_nothing_of_the_end() {
        let mut run = blown();
        run.ending.state = RunState::Crashed;
        let prefix = prefix(&run, 100.0);
        assert_eq!(prefix.step_range(), Some((1.0, 100.0)));
        assert_eq!(prefix.ending.state, RunState::Running);
        assert!(alarms(&by_default(&prefix)).is_empty());
    }

    #[test]
    fn alarms_of_synthetic_runs_stay() {
        let runs = [
            Synthetic::healthy(300).build(),
            blown(),
            Synthetic::healthy(300)
                .noisy("train/reward", 0.05, |t| 1.0 + 0.8 * saturating(t) - 1.2 * jump(t, 0.6))
                .build(),
            Synthetic::healthy(300)
                .every("eval/accuracy", 10, |_| 0.5)
                .noisy("train/reward", 0.001, |_| 1.0)
                .noisy("train/frac_reward_zero_std", 0.002, |_| 0.998)
                .build(),
            Synthetic::healthy(300).config("actor_rollout_ref.rollout.n", 1.0).build(),
        ];
        for (number, run) in runs.iter().enumerate() {
            assert_eq!(watch(run, &by_default, 20).flaps(), [], "run {number}");
        }
    }

    #[test]
    fn what_comes_and_goes_flapped() {
        let probe = |step, alarms: &[Code]| Probe { step, alarms: alarms.to_vec() };
        let watch = Watch {
            probes: vec![
                probe(1.0, &[]),
                probe(2.0, &[Code::KlBlowUp]),
                probe(3.0, &[]),
                probe(4.0, &[Code::KlBlowUp, Code::RewardBreak]),
            ],
        };
        assert_eq!(watch.flaps(), [Flap { code: Code::KlBlowUp, raised: 2.0, gone: 3.0, back: true }]);
    }

    #[test]
    fn an_empty_run_is_never_alarming() {
        assert_eq!(watch(&Run::default(), &by_default, 20).probes, []);
    }
}
