//! Which side of a training step, sampling or training, holds up the other.

use crate::advice::FindingTexts;
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::topics::event_rates::is_long_enough;
use crate::topics::step_phases::Phases;
use crate::{Code, Evidence, Outcome, Severity, Threshold};
use rundown_format::rich;
use rundown_format::rich_text::{metric, percent};
use rundown_vocabulary::Concept;

/// Sampling or training as the bottleneck of a step: by the time that the other one waits, else by its share of the
/// step.
pub(crate) struct Bottleneck<'t> {
    pub code: Code,
    /// The waiting time of the other side.
    pub waiting: Concept,
    pub phase: fn(&Phases) -> f64,
    pub phase_concept: Concept,
    pub phase_share: &'t Threshold,
    pub waits: &'static str,
    pub takes: &'static str,
    pub detail: &'static str,
    pub words: &'static FindingTexts,
}

impl Bottleneck<'_> {
    pub fn assess(&self, context: &Context<'_>) -> Outcome {
        let phases = Phases::of(context);
        let waiting = context.signal(self.waiting);
        if let Some((signal, share)) = waiting.and_then(|signal| Some((signal, phases.share(signal)?))) {
            return self.outcome(context, signal, share, context.rulebook.wait_share(), self.waits, 0.8);
        }
        match context.signal(self.phase_concept) {
            Some(signal) if phases.alternate() => {
                let share = (self.phase)(&phases) / phases.step;
                self.outcome(context, signal, share, self.phase_share, self.takes, 0.6)
            }
            _ => Outcome::Skipped(context.need(&[self.waiting, Concept::RolloutTime, Concept::TrainTime])),
        }
    }

    fn outcome(
        &self,
        context: &Context<'_>,
        signal: &MetricSeries<'_>,
        share: f64,
        threshold: &Threshold,
        verb: &str,
        confidence: f64,
    ) -> Outcome {
        let evidence =
            vec![Evidence::new(rich!("{} against the step", metric(signal.key())), share, "").above(threshold)];
        if share <= threshold.value || !is_long_enough(context, signal) {
            return Outcome::Quiet(evidence);
        }
        let title = rich!("{} {} of the typical step", verb, percent(share));
        let finding = context.finding(self.code, Severity::Note, title, Some(signal.step(0)), self.words);
        Outcome::Found(vec![finding.supported_by(self.detail, &[signal], evidence, confidence)])
    }
}
