//! Experiments that close gaps in the evidence: a config that contradicts itself, no evaluation, no repeated seed.

use super::{Experiment, ExperimentContext, ExperimentReason, StopRule};
use crate::matched_runs::fingerprint;
use crate::settings::words_of;
use crate::{
    Grouping, MIN_RUNS_OF_GROUP, Parameter, RunSummary, Trace, group_by, is_shown_alike, is_sure_lead, outcome,
    setting_columns,
};
use rundown_diagnose::{Hyperparameter, SettingName, Verdict};
use rundown_vocabulary::Concept;

/// Runs of one config from which on its outcome is more than a single draw; a difference to another config takes
/// [`MIN_RUNS_OF_GROUP`] of each.
const ENOUGH_REPEATS: usize = 3;

/// Score of more seeds of a bad run: below that of any remedy, which is 0.325 at the least.
const SEEDS_OF_BAD: f64 = 0.3;

/// No evaluation on held-out tasks: nothing else can be trusted without one. In games and control the return of an episode
/// is the outcome itself.
pub(super) fn evaluation(context: &ExperimentContext<'_>) -> Option<Experiment> {
    if context.acts_in_environments() {
        return None;
    }
    let measured =
        |trace: &Trace| matches!(trace.concept, Concept::Evaluation | Concept::ReferenceElo | Concept::WinRate);
    if context.summaries.iter().any(|summary| summary.traces.iter().any(measured)) {
        return None;
    }
    Some(Experiment {
        reason: ExperimentReason::NoEvaluation,
        change: SettingName::Words("evaluation".to_owned()),
        words: "evaluation on held-out tasks".to_owned(),
        from: "none found".to_owned(),
        to: vec!["every 10 to 20 steps, on 200 tasks or more".to_owned()],
        stop: StopRule::RunsAlong,
        score: 1.0,
    })
}

/// The contradiction in the best run's config: until it is settled, no other setting tells what it does. Not where runs differ in
/// the setting that would settle it: what it did here counts more than a rule.
pub(super) fn conflict(context: &ExperimentContext<'_>) -> Option<Experiment> {
    let conflict = context.best()?.1.conflict.clone()?;
    if context.analysis.effects.iter().any(|effect| effect.parameter.key == conflict.setting.as_str()) {
        return None;
    }
    Some(Experiment {
        reason: ExperimentReason::ConfigConflict { title: conflict.title },
        words: words_of(conflict.setting.as_str()),
        change: conflict.setting,
        from: conflict.from,
        to: vec![conflict.to],
        stop: StopRule::NoGain,
        score: 0.95,
    })
}

/// The best config was run once or twice: what it leads by may be luck.
pub(super) fn repetition(context: &ExperimentContext<'_>) -> Option<Experiment> {
    if context.has_no_config() {
        return without_config(context);
    }
    let (best, summary, value) = context.best()?;
    let is_zero = |trace: &Trace| trace.values.iter().all(|value| *value == 0.0);
    // Of a run without a history, as a table of runs has it, the last value is the result.
    let has_result = |summary: &RunSummary| summary.points == 0 || !summary.has_no_result();
    // Other seeds tell nothing of a run without a result, or that was 0 all along, and repeat a contradiction.
    if !has_result(summary) || summary.conflict.is_some() || context.metric.trace_in(summary).is_some_and(is_zero) {
        return None;
    }
    let varied: Vec<Parameter> = context.analysis.effects.iter().map(|effect| effect.parameter.clone()).collect();
    let wanted = fingerprint(&varied, best);
    let same = |run: &usize| fingerprint(&varied, *run) == wanted;
    let repeated = repeats(context, best, context.sample.runs.iter().copied().filter(same).collect());
    if repeated >= ENOUGH_REPEATS {
        return None;
    }
    let has_both = |summary: &&RunSummary| !summary.config.is_empty() && has_result(summary);
    let is_rival = |run: &usize| context.summaries.get(*run).is_some_and(has_both);
    let behind = context.eligible.iter().skip_while(|(run, _)| *run != best);
    let next = behind.filter(|(run, _)| is_rival(run)).find(|(run, _)| !same(run) && context.is_comparable(*run));
    let lead = next.map(|(run, other)| {
        (context.name_of(*run), if is_shown_alike(value, *other) { 0.0 } else { (value - other).abs() })
    });
    let run = summary.name_or_id().to_owned();
    let reason = ExperimentReason::FewRepeats { run, outcome: value, repeats: repeated, lead };
    let seeds = more_seeds(context, reason, format!("{} more seeds", MIN_RUNS_OF_GROUP - repeated));
    // A bad run is mended before it is repeated.
    Some(if summary.verdict == Verdict::Bad { Experiment { score: SEEDS_OF_BAD, ..seeds } } else { seeds })
}

/// Where no config is known, and the best two runs are within their noise: other seeds of both tell which is better. No experiment
/// where another run has the name of the best one up to its last letter (`ppo_v1`, `ppo_v2`): it may be a repeat. Names of digits
/// alone say nothing.
fn without_config(context: &ExperimentContext<'_>) -> Option<Experiment> {
    let [(best, value), (next, _)] = context.eligible.first_chunk::<2>()?;
    let (summary, next) = (context.summaries.get(*best)?, context.summaries.get(*next)?);
    let is_close = is_sure_lead(&outcome(summary, &context.metric)?, &outcome(next, &context.metric)?) == Some(false);
    let start = name_start(summary);
    let may_repeat = |run: &&&RunSummary| !start.is_empty() && name_start(run) == start;
    // The best one itself is among them.
    let is_repeated = context.summaries.iter().filter(may_repeat).count() > 1;
    if !is_close || is_repeated || summary.has_no_result() || next.has_no_result() {
        return None;
    }
    let (run, next) = (summary.name_or_id().to_owned(), next.name_or_id().to_owned());
    let reason = ExperimentReason::WithinNoise { run, outcome: *value, next };
    Some(more_seeds(context, reason, format!("{} more seeds of each", MIN_RUNS_OF_GROUP - 1)))
}

fn name_start(summary: &RunSummary) -> &str {
    summary.name_or_id().trim_end_matches(|character: char| !character.is_alphabetic())
}

fn more_seeds(context: &ExperimentContext<'_>, reason: ExperimentReason, to: String) -> Experiment {
    Experiment {
        reason,
        change: context.current(Hyperparameter::Seed).name,
        words: "seed".to_owned(),
        from: String::new(),
        to: vec![to],
        stop: StopRule::FullLength,
        score: 0.7,
    }
}

/// Of runs that agree with the best one in all that varies, those that record the same settings, itself among them. A file with a
/// few settings, or none, does not tell that the others are the same.
fn repeats(context: &ExperimentContext<'_>, best: usize, alike: Vec<usize>) -> usize {
    let place = alike.iter().position(|run| *run == best);
    let runs: Vec<&RunSummary> = alike.iter().filter_map(|run| context.summaries.get(*run).copied()).collect();
    let groups = group_by(&runs, &setting_columns(&runs), &Grouping::Repeats);
    let group = place.and_then(|place| groups.iter().find(|group| group.members.contains(&place)));
    group.map_or(1, |group| group.members.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TestRun, critical, refs, summary};
    use crate::{ConflictSummary, FindingSummary, Recommendations, Target, advise};
    use rundown_diagnose::{Code, Severity};
    use rundown_run::ConfigValue;
    use rundown_vocabulary::Direction;

    fn advised(summaries: &[RunSummary], values: &[f64]) -> Recommendations {
        let values: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
        advise(&refs(summaries), &Target { key: "eval/accuracy", direction: Direction::Up, values: &values })
    }

    /// How often the best config was run, where its repetition is proposed.
    fn repeats_of(found: &Recommendations) -> Option<usize> {
        found.experiments.iter().find_map(|experiment| match experiment.reason {
            ExperimentReason::FewRepeats { repeats, .. } => Some(repeats),
            _ => None,
        })
    }

    const RATE: (&str, ConfigValue) = ("learning_rate", ConfigValue::Number(1e-6));
    const SIZE: (&str, ConfigValue) = ("num_generations", ConfigValue::Number(8.0));

    #[test]
    fn experiments_build_on_a_run_whose_config_is_known_and_that_has_begun() {
        let begun = RunSummary { points: 2, steps: Some((0.0, 1.0)), ..summary(&[RATE]) };
        let whole = RunSummary { points: 40, steps: Some((0.0, 39.0)), ..summary(&[RATE]) };
        let runs = [RunSummary::default(), begun, whole];
        let best = |count: usize| advised(&runs[..count], &[0.9, 0.8, 0.7][..count]);
        assert_eq!([1, 2, 3].map(|count| best(count).best_config.best_run), [Some(0), Some(1), Some(2)]);
        assert_eq!([2, 3].map(|count| repeats_of(&best(count))), [None, Some(2)]);
    }

    #[test]
    fn the_lead_is_that_over_a_run_with_a_result() {
        let run = |(name, rate, points): (&str, f64, usize)| RunSummary {
            name: name.to_owned(),
            points,
            steps: Some((0.0, points as f64 - 1.0)),
            ..summary(&[("learning_rate", ConfigValue::Number(rate))])
        };
        let runs = [("best", 1e-6, 40), ("begun", 1e-5, 2), ("whole", 1e-4, 40)].map(run);
        let found = advised(&runs, &[0.9, 0.8, 0.7]);
        let next = found.experiments.iter().find_map(|experiment| match &experiment.reason {
            ExperimentReason::FewRepeats { lead, .. } => lead.as_ref().map(|(name, _)| name.as_str()),
            _ => None,
        });
        assert_eq!(next, Some("whole"));
    }

    #[test]
    fn runs_of_a_table_are_repeated_though_only_their_last_values_are_known() {
        let lack = FindingSummary { severity: Severity::Note, ..critical(Code::InsufficientData) };
        let run = |rate: f64, points: usize| RunSummary {
            points,
            verdict: Verdict::Undecided,
            findings: vec![lack.clone()],
            ..summary(&[("learning_rate", ConfigValue::Number(rate))])
        };
        let found = |points: usize| repeats_of(&advised(&[run(1e-6, points), run(1e-5, points)], &[0.9, 0.8]));
        assert_eq!((found(0), found(12)), (Some(1), None));
    }

    #[test]
    fn a_run_that_records_less_is_no_repeat() {
        let repeats = |second: RunSummary| repeats_of(&advised(&[summary(&[RATE, SIZE]), second], &[0.9, 0.8]));
        assert_eq!(repeats(summary(&[RATE, SIZE])), Some(2));
        assert_eq!(repeats(summary(&[RATE])), Some(1));
        assert_eq!(repeats(RunSummary::default()), Some(1));
    }

    #[test]
    fn without_a_config_runs_within_the_noise_are_repeated() {
        let seeds = |names: [&str; 2], second: f64| {
            let levels = [0.5, second];
            let run = |(name, level): (&str, &f64)| {
                let curve = [level - 0.01, level + 0.01].repeat(12);
                RunSummary::of(0, TestRun::new(name).evaluation("eval/accuracy", &curve).diagnosed())
            };
            let runs: Vec<RunSummary> = names.into_iter().zip(&levels).map(run).collect();
            let mut found = advised(&runs, &levels).experiments.into_iter();
            let repeated = found.find(|found| matches!(found.reason, ExperimentReason::WithinNoise { .. }))?;
            Some(repeated.to.concat())
        };
        assert_eq!(seeds(["ppo", "grpo"], 0.499).as_deref(), Some("4 more seeds of each"));
        assert_eq!(seeds(["ppo", "grpo"], 0.3), None, "a clear lead");
        assert_eq!(seeds(["ppo_v2", "ppo_v1"], 0.499), None, "repeats already");
        assert_eq!(seeds(["ppo", "ppo_2"], 0.499), None, "repeats already");
        assert!(seeds(["ppo", "ppo_kl"], 0.499).is_some() && seeds(["17", "18"], 0.499).is_some());
    }

    #[test]
    fn a_contradiction_is_settled_before_anything_is_varied_or_repeated() {
        let conflict = Some(ConflictSummary {
            title: "Groups of one response".into(),
            setting: SettingName::Key("num_generations".to_owned()),
            from: "1".to_owned(),
            to: "8".to_owned(),
        });
        let found = advised(&[RunSummary { conflict: conflict.clone(), ..summary(&[RATE]) }], &[0.5]);
        let place = |change: &str| found.experiments.iter().position(|other| other.change.as_str() == change);
        assert!(place("num_generations").is_some() && place("num_generations") < place("learning_rate"));
        assert_eq!(repeats_of(&found), None);
        // Both values were tried.
        let of_groups = |size: f64| summary(&[RATE, ("num_generations", ConfigValue::Number(size))]);
        let runs = [RunSummary { conflict, ..of_groups(1.0) }, of_groups(8.0)];
        let found = advised(&runs, &[0.5, 0.4]);
        assert!(found.experiments.iter().all(|other| other.change.as_str() != "num_generations"));
    }
}
