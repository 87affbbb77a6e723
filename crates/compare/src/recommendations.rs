//! Everything about what next in one answer: signals, experiments, and the best default config.

use super::sample::{RunSample, Target, comparable_sample};
use super::{
    BestConfig, EffectAnalysis, Experiment, FailureEffect, RunSummary, best_config, effects_of, experiments,
    failure_effects, parameters,
};

/// What the settings did, what to run next, and what to use meanwhile.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recommendations {
    /// The runs that were compared.
    pub sample: RunSample,
    /// What the settings did.
    pub analysis: EffectAnalysis,
    /// The setting that goes with each finding, where one does.
    pub failures: Vec<FailureEffect>,
    /// Three to six experiments, the most useful first.
    pub experiments: Vec<Experiment>,
    /// The suggested default, or why there is none.
    pub best_config: BestConfig,
}

/// Reads signals, experiments and the best default config from runs and an outcome. The same runs give the same answer.
pub fn advise(summaries: &[&RunSummary], target: &Target<'_>) -> Recommendations {
    let parameters = parameters(summaries);
    let failures = failure_effects(summaries, &parameters.varying);
    let sample = comparable_sample(summaries, target, &parameters.varying);
    let analysis = effects_of(parameters, &sample, target);
    let experiments = experiments(summaries, target, &analysis, &sample);
    let best_config = best_config(summaries, target, &analysis, &sample);
    Recommendations { sample, analysis, failures, experiments, best_config }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TestRun, critical, refs, summary};
    use crate::{ExperimentReason, FindingSummary};
    use rundown_diagnose::{Code, Severity, Verdict};
    use rundown_run::ConfigValue;
    use rundown_vocabulary::{Concept, Direction};

    #[test]
    fn experiments_start_from_a_run_with_data_enough() {
        let values = [0.9, 0.5, 0.4, 0.3];
        let outcomes = values.map(Some);
        let made = |has_few: [bool; 4]| {
            let run = |(place, few): (usize, bool)| {
                let mut run = summary(&[("learning_rate", ConfigValue::Number(1e-6 * (1.0 + place as f64)))]);
                run.name = format!("run {place}");
                if few {
                    run.verdict = Verdict::Undecided;
                    let note = FindingSummary { severity: Severity::Note, ..critical(Code::InsufficientData) };
                    run.findings = vec![note];
                }
                run
            };
            let runs: Vec<RunSummary> = has_few.into_iter().enumerate().map(run).collect();
            advise(&refs(&runs), &Target { key: "eval/accuracy", direction: Direction::Up, values: &outcomes })
        };
        let best_run = |has_few| made(has_few).best_config.best_run;
        assert_eq!(best_run([false; 4]), Some(0));
        assert_eq!(best_run([true, false, false, false]), Some(1));
        // Of runs of few points alone the best one is as good a start as any.
        assert_eq!(best_run([true; 4]), Some(0));
        // And none leads a run of a higher outcome.
        let lone = made([true, false, false, true]);
        let led = lone.experiments.iter().find_map(|experiment| match &experiment.reason {
            ExperimentReason::FewRepeats { lead: Some((name, _)), .. } => Some(name.as_str()),
            _ => None,
        });
        assert_eq!(led, Some("run 2"));
    }

    #[test]
    fn a_critic_needs_no_groups() {
        let has_groups = |settings: &[(&str, f64)]| {
            let made = [1e-6, 2e-6].map(|rate| {
                let mut run = summary(&[("learning_rate", ConfigValue::Number(rate))]);
                settings.iter().for_each(|(key, value)| run.config.insert(*key, ConfigValue::Number(*value)));
                run
            });
            let target = Target { key: "eval/accuracy", direction: Direction::Up, values: &[Some(0.5), Some(0.4)] };
            advise(&refs(&made), &target).experiments.iter().any(|found| found.words == "responses per prompt")
        };
        assert!(has_groups(&[]) && has_groups(&[("lam", 0.95), ("num_generations", 8.0)]));
        assert!(!has_groups(&[("lam", 0.95)]));
    }

    #[test]
    fn no_run_is_led_on_other_tasks() {
        let lead_by = |concept: Concept, key: &str, environments: [&str; 2], acts_in_environment: bool| {
            let made = environments.map(|environment| {
                let logged = RunSummary::of(0, TestRun::new("a").metric(concept, key, &[0.5; 12]).diagnosed());
                let rate = ConfigValue::Number(1.0 + environment.len() as f64);
                let mut config = summary(&[("learning_rate", rate)]).config;
                if !environment.is_empty() {
                    config.insert("env_id", ConfigValue::Text(environment.to_owned()));
                }
                RunSummary { config, acts_in_environment, ..logged }
            });
            let values = [Some(0.5), Some(0.4)];
            let found = advise(&refs(&made), &Target { key, direction: Direction::Up, values: &values });
            found.experiments.into_iter().find_map(|experiment| match experiment.reason {
                ExperimentReason::FewRepeats { lead, .. } => Some(lead.is_some()),
                _ => None,
            })
        };
        let lead = |environments: [&str; 2]| lead_by(Concept::Reward, "reward", environments, false);
        assert_eq!(lead(["Ant-v4", "Hopper-v4"]), Some(false));
        // A run that names no task may be on the same.
        assert_eq!(lead(["Ant-v4", ""]), Some(true));
        // A return on held-out episodes is in the units of its environment, a held-out score of a model is not.
        let held_out = |acts: bool| lead_by(Concept::Evaluation, "eval/mean_reward", ["Ant-v4", "Hopper-v4"], acts);
        assert_eq!((held_out(true), held_out(false)), (Some(false), Some(true)));
    }
}
