//! Synthetic runs for the tests of the checks.

use crate::verdict::Outcomes;
use crate::{Action, ActionKind, Check, Context, Finding, Outcome, QuietReason, Rulebook, SettingName};
use rundown_run::{ConfigValue, Run, RunState};
use rundown_stats::testing::white;
use rundown_vocabulary::bind;

/// A run that is made key by key.
pub(crate) struct Synthetic {
    pub(crate) run: Run,
    steps: usize,
    series: Vec<(String, Vec<(usize, f64)>)>,
}

impl Synthetic {
    /// A finished TRL run of `steps` steps without any metric.
    pub(crate) fn new(steps: usize) -> Self {
        let mut run = Run { id: "synthetic".to_owned(), ..Run::default() };
        run.ending.state = RunState::Finished;
        for key in ["num_generations", "max_completion_length", "per_device_train_batch_size"] {
            run.config.insert(key, ConfigValue::Number(8.0));
        }
        Self { run, steps, series: Vec::new() }
    }

    /// A healthy run: reward, evaluation, KL and entropy as they should be.
    pub(crate) fn healthy(steps: usize) -> Self {
        Self::new(steps)
            .noisy("train/reward", 0.15, |t| 1.4 + 0.7 * saturating(t))
            .every("eval/accuracy", 10, |t| (0.48 + 0.44 * saturating(t)).min(1.0))
            .noisy("train/kl", 0.02, |t| 0.2 * saturating(t))
            .noisy("train/entropy", 0.03, |t| 0.57 - 0.35 * saturating(t))
            .noisy("train/grad_norm", 0.3, |_| 3.0)
            .noisy("train/completions/mean_length", 2.0, |_| 120.0)
            .noisy("train/completions/clipped_ratio", 0.001, |_| 0.01)
            .noisy("train/frac_reward_zero_std", 0.02, |t| 0.2 * t)
    }

    /// Adds `level(t) + noise`, with t from 0 to 1; the noise never takes a level that is not negative below zero.
    pub(crate) fn noisy(mut self, key: &str, noise: f64, level: impl Fn(f64) -> f64) -> Self {
        let seed = key.bytes().fold(7_u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
        let values = white(seed, self.steps)
            .iter()
            .enumerate()
            .map(|(step, draw)| {
                let level = level(step as f64 / self.steps as f64);
                let value = level + noise * draw;
                (step, if level >= 0.0 { value.max(0.0) } else { value })
            })
            .collect();
        self.put(key, values);
        self
    }

    /// Adds `level(t)` at every `every`-th step.
    pub(crate) fn every(mut self, key: &str, every: usize, level: impl Fn(f64) -> f64) -> Self {
        let values =
            (0..self.steps).step_by(every).map(|step| (step, level(step as f64 / self.steps as f64))).collect();
        self.put(key, values);
        self
    }

    /// Takes a metric away again.
    pub(crate) fn without(mut self, key: &str) -> Self {
        self.series.retain(|(name, _)| name != key);
        self
    }

    /// Sets a number of the config.
    pub(crate) fn config(mut self, key: &str, value: f64) -> Self {
        self.run.config.insert(key, ConfigValue::Number(value));
        self
    }

    fn put(&mut self, key: &str, values: Vec<(usize, f64)>) {
        self.series.retain(|(name, _)| name != key);
        self.series.push((key.to_owned(), values));
    }

    /// Takes away what was logged before a step.
    pub(crate) fn logged_from(mut self, first: usize) -> Self {
        self.series.iter_mut().for_each(|(_, values)| values.retain(|(step, _)| step + 1 >= first));
        self
    }

    /// The run with its rows; steps count from 1.
    pub(crate) fn build(self) -> Run {
        let mut run = self.run;
        for step in 0..self.steps {
            let row = run.push_row((step + 1) as f64, f64::NAN);
            run.push_value("train/global_step", row, (step + 1) as f64);
        }
        for (key, values) in &self.series {
            for (step, value) in values {
                run.push_value(key, *step as u32, *value);
            }
        }
        run.choose_axis();
        run
    }

    /// What a check says of it, beside all others: redundant findings are removed.
    pub(crate) fn check(self, check: &Check) -> Outcome {
        self.check_by(&Rulebook::default(), check)
    }

    /// The same by another rulebook.
    pub(crate) fn check_by(self, rulebook: &Rulebook, check: &Check) -> Outcome {
        let run = self.build();
        let bindings = bind(&run);
        let mut all = Outcomes::of(&Context::new(&run, &bindings, rulebook));
        all.findings.retain(|finding| finding.code == check.code);
        if !all.findings.is_empty() {
            return Outcome::Found(all.findings);
        }
        if let Some(quiet) = all.quiet.into_iter().find(|quiet| quiet.code == check.code) {
            return Outcome::Quiet(quiet.evidence);
        }
        let skipped = all.skipped.into_iter().find(|skipped| skipped.code == check.code);
        Outcome::Skipped(skipped.expect("a check has an outcome").need)
    }

    /// The one finding of a check.
    pub(crate) fn finding(self, check: &Check) -> Finding {
        self.finding_by(&Rulebook::default(), check)
    }

    /// The same by another rulebook.
    pub(crate) fn finding_by(self, rulebook: &Rulebook, check: &Check) -> Finding {
        match self.check_by(rulebook, check) {
            Outcome::Found(mut findings) if findings.len() == 1 => findings.remove(0),
            other => panic!("expected one finding, got {other:?}"),
        }
    }

    /// Why a check found nothing though a number of it meets its limit.
    pub(crate) fn quiet_reason(self, check: &Check) -> Option<QuietReason> {
        let run = self.build();
        let bindings = bind(&run);
        let all = Outcomes::of(&Context::new(&run, &bindings, &Rulebook::default()));
        all.quiet.into_iter().find(|quiet| quiet.code == check.code)?.reason
    }

    /// True when a check looked and found nothing.
    pub(crate) fn quiet(self, check: &Check) -> bool {
        matches!(self.check(check), Outcome::Quiet(_))
    }
}

/// What is asked of a run in its context, by the usual rulebook.
pub(crate) fn within<T>(run: &Run, ask: impl FnOnce(&Context<'_>) -> T) -> T {
    let (bindings, rulebook) = (bind(run), Rulebook::default());
    ask(&Context::new(run, &bindings, &rulebook))
}

/// What a single check finds in a run.
#[track_caller]
pub(crate) fn found(run: &Run, check: &Check) -> Vec<Finding> {
    match within(run, |context| check.outcome(context)) {
        Outcome::Found(findings) => findings,
        other => panic!("expected findings, got {other:?}"),
    }
}

/// The rulebook with one threshold edited.
pub(crate) fn edited(name: &str, value: f64) -> Rulebook {
    let mut rulebook = Rulebook::default();
    rulebook.threshold_mut(name).expect("a known threshold").value = value;
    rulebook
}

/// From 0 to 1, fast at first.
pub(crate) fn saturating(t: f64) -> f64 {
    1.0 - libm::exp(-6.0 * t)
}

/// 0 before `at`, 1 from it on.
pub(crate) fn jump(t: f64, at: f64) -> f64 {
    if t < at { 0.0 } else { 1.0 }
}

/// What an action changes, from what, to what; empty where that is unknown or advice.
pub fn change(action: &Action) -> (String, String, String) {
    match &action.kind {
        ActionKind::Do(change) => (change.to_string(), String::new(), String::new()),
        ActionKind::Set { setting: SettingName::Key(name) | SettingName::Words(name), from, to } => {
            let from = from.as_ref().map(|from| from.text.clone());
            (name.clone(), from.unwrap_or_default(), to.text.clone())
        }
    }
}
