//! Keys of no trainer but of the systems around one: pipeline, extraction, caches, leagues, rubrics, scaling, and the
//! events of exported logs.
//!
//! One name may stand for any agent, opponent or criterion, so beside the table there are patterns for families of
//! keys. What a family does not explain (spreads, histograms, and `game/*` and `placement/*`, which the League view
//! shows) stays unbound and is listed.

use std::collections::BTreeMap;

use super::agents::{Agent, agent};
use super::table::{FrameworkKey, entry, normal, words};
use super::{Binding, Concept, Direction, Scale, Unit};
use rundown_run::{RowNumbers, Run};
use rundown_stats::{CompactCollect as _, CompactSort as _};

/// Keys in normal form, in the order of preference within a concept.
const TABLE: &[FrameworkKey] = &[
    entry(Concept::Reward, "benchmark/reward_mean", ""),
    entry(Concept::RewardStd, "benchmark/reward_std", "over the batch"),
    entry(Concept::KlToReference, "benchmark/kl", "mean over tokens"),
    entry(Concept::KlToReference, "kl/mean", "mean over tokens"),
    entry(Concept::KlToReference, "axiom/training/kl_divergence", "mean over tokens"),
    entry(Concept::KlCoefficient, "kl/beta", ""),
    entry(Concept::PolicyLoss, "benchmark/loss", ""),
    entry(Concept::PolicyLoss, "axiom/training/loss", ""),
    entry(Concept::GradientNorm, "benchmark/grad_norm", ""),
    entry(Concept::GradientNorm, "axiom/training/grad_norm", ""),
    entry(Concept::LearningRate, "axiom/training/learning_rate", ""),
    entry(Concept::RolloutTime, "benchmark/rollout_time_s", "of a batch of rollouts"),
    entry(Concept::RolloutTimeP95, "rollout/max_total_s", "the slowest of the step, a little above it"),
    entry(Concept::RolloutDuration, "axiom/rollout/duration_s", "one point a rollout"),
    entry(Concept::TrainTime, "benchmark/training_time_s", ""),
    entry(Concept::ReloadTime, "rollout/max_volume_reload_s", "the slowest of the step"),
    entry(Concept::ReloadTime, "axiom/inference/adapter_load_time_s", "one point a request"),
    entry(Concept::Overlap, "benchmark/pipeline_overlap_s", "seconds in which both ran").in_unit(Unit::Seconds),
    entry(Concept::Throughput, "axiom/inference/output_tokens_per_second", "one point a request"),
    entry(Concept::Throughput, "axiom/inference/tokens_per_second", "one point a request"),
    entry(Concept::ErrorRate, "axiom/error/event", "1 for an error event, 0 for any other"),
    entry(Concept::FailedRollouts, "rollout/failed_count", "of the step"),
    entry(Concept::CompletedRollouts, "axiom/rollout/success", "1 completed, 0 failed"),
    entry(Concept::Trajectories, "benchmark/trajectories", "of the step"),
    entry(Concept::ExtractionRate, "axiom/extraction/success", "1 for a response with all its outputs"),
    entry(Concept::EmptyResponses, "extraction/empty_responses", "of the step").in_unit(Unit::Count),
    entry(Concept::EmptyResponses, "axiom/extraction/empty", "1 for a response without any output"),
    entry(Concept::PartialResponses, "extraction/partial_responses", "of the step").in_unit(Unit::Count),
    entry(Concept::PartialResponses, "axiom/extraction/partial", "1 for a response with some outputs"),
    entry(Concept::CacheHitRate, "axiom/cache/hit_rate", ""),
    entry(Concept::CacheHitRate, "axiom/inference/prefix_cache_hit_rate", "one point a request"),
    entry(Concept::CacheQueries, "cache/total_queries", "in all"),
    entry(Concept::CacheHits, "cache/total_hits", "in all"),
    entry(Concept::CacheBatches, "cache/batches", "of the inference engine"),
    entry(Concept::WinRate, "elo/win_rate", "against the pool, which moves too"),
    entry(Concept::Games, "elo/games_played", "in all"),
    entry(Concept::Games, "elo/games", "in all"),
    entry(Concept::Games, "elo/total_games", "in all"),
    entry(Concept::LeagueCheckpoints, "league/num_checkpoints", ""),
    entry(Concept::EloGap, "elo/gap", ""),
    entry(Concept::HostMemory, "memory_percent", "percent of the machine").in_unit(Unit::Plain),
];

/// Fewest ratings of an agent that show what it is.
const RATINGS: usize = 5;
/// Who joins after one part in so many of the run has joined later.
const LATER: u32 = 10;
/// Words of what is measured over a league, and of no agent.
const MEASURES: [&str; 18] = [
    "mean", "median", "max", "min", "std", "avg", "gap", "spread", "range", "top", "rate", "games", "count", "num",
    "k", "delta", "change", "rank",
];

/// What the keys of a run stand for in the systems around the trainer, the primary binding of a concept first.
///
/// `keys` holds the logged metrics by their normal form. Event columns that stand by the clock beside the metrics of
/// the machine are bound as well.
#[inline(never)]
pub(super) fn systems(run: &Run, keys: &BTreeMap<String, &str>) -> Vec<Binding> {
    let clocked: BTreeMap<String, &str> = run
        .system
        .keys()
        .filter(|key| key.starts_with("axiom/") || key.ends_with("memory_percent"))
        .map(|key| (normal(key.trim_start_matches("system.")).into_owned(), key.as_str()))
        .compact_collect();
    let mut found = Vec::new();
    for entry in TABLE {
        if let Some(key) = keys.get(entry.key).or_else(|| clocked.get(entry.key)) {
            let why = match entry.note {
                "" => "Its plain name.".to_owned(),
                note => format!("Its plain name: {note}."),
            };
            found.push(Binding { unit: entry.unit, ..binding(entry.concept, key, None, why) });
        }
    }
    // The reward at some compute is the reward again: only where nothing else is.
    if !keys.contains_key("benchmark/reward_mean")
        && let Some(key) = keys.get("power_law/reward_at_compute")
    {
        found.push(binding(Concept::Reward, key, None, "The reward at the compute so far.".to_owned()));
    }
    for (normal, key) in keys.iter().chain(&clocked) {
        found.extend(family(normal, key));
    }
    unnamed(run, keys, &mut found);
    found.compact_sort_by_key(agent_order);
    found
}

fn binding(concept: Concept, key: &str, name: Option<&str>, why: String) -> Binding {
    let direction = match concept {
        // The best of a league is picked after the fact: it can only rise.
        Concept::Elo if name.is_some_and(|name| agent(name) == Agent::Best) => Direction::Neutral,
        _ => concept.direction(),
    };
    Binding {
        concept,
        key: key.to_owned(),
        unit: concept.unit(),
        scale: Scale::One,
        direction,
        name: name.map(str::to_owned),
        why,
    }
}

/// The policy itself before its checkpoints, the newest of these first; the base model before other references.
fn agent_order(binding: &Binding) -> (u8, std::cmp::Reverse<u64>) {
    let kind = match (binding.concept, &binding.name) {
        (Concept::Elo | Concept::ReferenceElo, Some(name)) => agent(name),
        _ => Agent::Policy,
    };
    let (rank, version) = match kind {
        Agent::Policy => (0, 0),
        Agent::Checkpoint(version) => (1, version),
        Agent::Fixed(true) => (2, 0),
        Agent::Fixed(false) => (3, 0),
        Agent::Best | Agent::Unknown => (4, 0),
    };
    (rank, std::cmp::Reverse(version))
}

/// What a key stands for as one of a family, where any name may be a part of it.
fn family(normal: &str, key: &str) -> Option<Binding> {
    let (head, rest) = normal.split_once('/')?;
    match head {
        "elo" => rated(rest, key),
        "league" => match rest {
            "best_elo" => rated(rest, key),
            _ => rated(rest.strip_prefix("elo/")?, key),
        },
        "criteria" => {
            let name = rest.strip_suffix("_mean").or_else(|| rest.strip_suffix("/mean"))?;
            let why = "The mean score of one criterion of a rubric, by the form of the key.".to_owned();
            Some(binding(Concept::Criterion, key, Some(name), why))
        }
        "final" => {
            let name = rest.strip_suffix("_mean")?;
            let why = "Written once at the end, by the form of the key.".to_owned();
            Some(binding(Concept::FinalScore, key, Some(name), why))
        }
        "power_law" => {
            let (concept, why) = if rest.starts_with("cumulative_") {
                (Concept::Compute, "Cumulative, by its name.")
            } else if rest.ends_with("_per_step") && rest != "compute_per_step" {
                (Concept::ComputePerStep, "Of one step, by its name.")
            } else {
                return None;
            };
            Some(binding(concept, key, None, why.to_owned()))
        }
        "extraction" => {
            let (concept, why) = if rest.ends_with("_expected") {
                (Concept::ExpectedOutputs, "What the responses should hold, by its name.")
            } else if rest.ends_with("_extracted") {
                (Concept::ExtractedOutputs, "What was extracted, by its name.")
            } else {
                return None;
            };
            Some(binding(concept, key, None, why.to_owned()))
        }
        "axiom" => {
            let group = rest.strip_prefix("extraction/success/")?;
            let why = "The same for one group of responses.".to_owned();
            Some(binding(Concept::ExtractionRate, key, Some(group), why))
        }
        _ => against(normal, key),
    }
}

/// `elo/{agent}`.
fn rated(name: &str, key: &str) -> Option<Binding> {
    let kind = agent(name);
    let (concept, why) = match kind {
        Agent::Policy => (Concept::Elo, "The policy under training, by its name."),
        Agent::Checkpoint(_) => (Concept::Elo, "A checkpoint of the policy, by its name."),
        Agent::Best => (Concept::Elo, "The best of the league so far, by its name."),
        Agent::Fixed(_) => (Concept::ReferenceElo, "An opponent that never changes, by its name."),
        Agent::Unknown => return None,
    };
    Some(binding(concept, key, Some(name), why.to_owned()))
}

/// Ratings of agents whose names do not say what they are: what they did in the league says it. A rating that never
/// moves while others do is held fixed; who joins later is a state that was saved on the way.
fn unnamed(run: &Run, keys: &BTreeMap<String, &str>, found: &mut Vec<Binding>) {
    let rated = |key: &&str| -> Option<(RowNumbers<'_>, &[f64])> {
        let column = run.columns.get(*key).filter(|column| column.len() >= RATINGS)?;
        Some((column.rows(), column.values()))
    };
    let moves = |values: &[f64]| values.iter().any(|value| Some(value) != values.first());
    let named: Vec<(RowNumbers<'_>, &[f64])> = found
        .iter()
        .filter(|binding| matches!(binding.concept, Concept::Elo | Concept::ReferenceElo))
        .filter_map(|binding| rated(&binding.key.as_str()))
        .collect();
    let unknown: Vec<(&str, &str)> = keys
        .iter()
        .filter_map(|(normal, key)| {
            let name = normal.strip_prefix("elo/").or_else(|| normal.strip_prefix("league/elo/"))?;
            let is_agent =
                agent(name) == Agent::Unknown && words(name).iter().all(|word| !MEASURES.contains(&word.as_str()));
            is_agent.then_some((name, *key))
        })
        .collect();
    let others = unknown.iter().filter_map(|(_, key)| rated(key));
    let all: Vec<(RowNumbers<'_>, &[f64])> = named.into_iter().chain(others).collect();
    let Some(begin) = all.iter().filter_map(|(rows, _)| rows.first()).min() else { return };
    let Some(end) = all.iter().filter_map(|(rows, _)| rows.last()).max() else { return };
    if all.len() < 2 || all.iter().all(|(_, values)| !moves(values)) {
        return;
    }
    for (name, key) in unknown {
        let Some((rows, values)) = rated(&key) else { continue };
        let later = rows.first().is_some_and(|first| LATER * first.saturating_sub(begin) > end.saturating_sub(begin));
        let (concept, why) = match (later, moves(values)) {
            (true, _) => (Concept::Elo, "An agent that joined later: a state that was saved on the way."),
            (false, false) => (Concept::ReferenceElo, "An agent whose rating is held fixed."),
            (false, true) => continue,
        };
        found.push(binding(concept, key, Some(name), why.to_owned()));
    }
}

/// `eval/vs_{opponent}/win_rate`, `…/games`, and `win_rate/vs_{opponent}`.
fn against(normal: &str, key: &str) -> Option<Binding> {
    let opponent = normal.split('/').find_map(|part| part.strip_prefix("vs_"))?;
    let is = |names: &[&str]| normal.split('/').any(|part| names.contains(&part));
    let concept = if is(&["win_rate", "winrate", "win_rates"]) {
        Concept::WinRate
    } else if is(&["games", "num_games", "games_played", "n_games"]) {
        Concept::Games
    } else {
        return None;
    };
    Some(binding(concept, key, Some(opponent), "Against a named opponent, by the form of the key.".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bindings, bind};
    use rundown_run::Column;

    fn bound(keys: &[&str]) -> Bindings {
        let mut run = Run::default();
        for step in 0..3 {
            let row = run.push_row(f64::from(step), f64::NAN);
            for key in keys {
                run.push_value(key, row, 0.25 * f64::from(step));
            }
        }
        run.choose_axis();
        bind(&run)
    }

    fn keys(bindings: &Bindings, concept: Concept) -> Vec<&str> {
        bindings.all(concept).iter().map(|binding| binding.key.as_str()).collect()
    }

    #[test]
    fn agents_of_a_league_are_told_apart() {
        let bindings = bound(&[
            "elo/adapter_v0", "elo/adapter_v25", "elo/base_model", "elo/random_bot", "elo/challenger", "elo/alice",
            "elo/win_rate", "elo/games_played", "league/best_elo", "league/num_checkpoints",
        ]);
        let elo = ["elo/challenger", "elo/adapter_v25", "elo/adapter_v0", "league/best_elo"];
        assert_eq!(keys(&bindings, Concept::Elo), elo);
        assert_eq!(keys(&bindings, Concept::ReferenceElo), ["elo/base_model", "elo/random_bot"]);
        assert_eq!(keys(&bindings, Concept::Games), ["elo/games_played"]);
        assert_eq!(keys(&bindings, Concept::WinRate), ["elo/win_rate"]);
        assert_eq!(keys(&bindings, Concept::LeagueCheckpoints), ["league/num_checkpoints"]);
    }

    #[test]
    fn agents_without_a_telling_name_are_known_by_what_they_do() {
        let mut run = Run::default();
        for step in 0..40_u32 {
            let row = run.push_row(f64::from(step), f64::NAN);
            let wave = f64::from(step * 37 % 11);
            run.push_value("elo/ada", row, 1000.0 + wave);
            run.push_value("elo/bob", row, 1000.0);
            run.push_value("elo/spread", row, wave);
            if step >= 15 {
                run.push_value("elo/cy", row, 1010.0 + wave);
            }
        }
        run.choose_axis();
        let bindings = bind(&run);
        assert_eq!(keys(&bindings, Concept::ReferenceElo), ["elo/bob"]);
        assert_eq!(keys(&bindings, Concept::Elo), ["elo/cy"]);
    }

    #[test]
    fn opponents_and_criteria_keep_their_names() {
        let bindings = bound(&[
            "eval/vs_random_bot/win_rate",
            "eval/vs_random_bot/games",
            "eval/vs_random_bot/survival_rate",
            "criteria/rubric/math/brevity_mean",
            "final/rubric_mean",
            "final/rubric_std",
        ]);
        let name = |concept| bindings.first(concept).and_then(|binding| binding.name.as_deref());
        assert_eq!(name(Concept::WinRate), Some("random_bot"));
        assert_eq!(name(Concept::Games), Some("random_bot"));
        assert_eq!(name(Concept::Criterion), Some("rubric/math/brevity"));
        assert_eq!(keys(&bindings, Concept::FinalScore), ["final/rubric_mean"]);
    }

    #[test]
    fn pipeline_scaling_and_events() {
        let bindings = bound(&[
            "benchmark/reward_mean",
            "power_law/reward_at_compute",
            "power_law/cumulative_simulated_years",
            "power_law/simulated_years_per_step",
            "benchmark/pipeline_overlap_s",
            "benchmark/trajectories",
            "extraction/orders_expected",
            "extraction/orders_extracted",
            "extraction/rate",
            "axiom/extraction/success",
            "axiom/extraction/success/FRANCE",
            "axiom/rollout/duration_s",
        ]);
        assert_eq!(keys(&bindings, Concept::Reward), ["benchmark/reward_mean"]);
        assert_eq!(keys(&bindings, Concept::Trajectories), ["benchmark/trajectories"]);
        assert_eq!(keys(&bindings, Concept::Compute), ["power_law/cumulative_simulated_years"]);
        assert_eq!(keys(&bindings, Concept::ComputePerStep), ["power_law/simulated_years_per_step"]);
        assert_eq!(bindings.first(Concept::Overlap).map(|binding| binding.unit), Some(Unit::Seconds));
        let rates = bindings.all(Concept::ExtractionRate);
        assert_eq!(rates.iter().filter(|binding| binding.name.is_none()).count(), 2);
        assert_eq!(keys(&bindings, Concept::RolloutDuration), ["axiom/rollout/duration_s"]);
        let alone = bound(&["power_law/reward_at_compute", "power_law/cumulative_flops"]);
        assert_eq!(keys(&alone, Concept::Reward), ["power_law/reward_at_compute"]);
        let cache = bound(&["cache/total_queries", "cache/total_hits", "cache/batches"]);
        for (concept, key) in [
            (Concept::CacheQueries, "cache/total_queries"),
            (Concept::CacheHits, "cache/total_hits"),
            (Concept::CacheBatches, "cache/batches"),
        ] {
            assert_eq!(keys(&cache, concept), [key]);
        }
    }

    #[test]
    fn events_beside_a_run_are_bound() {
        let mut run = Run { system_times: vec![0.0], ..Run::default() };
        let mut column = Column::default();
        column.push(0, 80.0);
        run.system.insert("axiom/rollout/duration_s".to_owned(), column);
        assert_eq!(keys(&bind(&run), Concept::RolloutDuration), ["axiom/rollout/duration_s"]);
    }
}
