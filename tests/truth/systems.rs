//! Runs of the source documents' own systems: a league with Elo, extraction, rollouts, a cache, power laws, rubrics.

use std::collections::BTreeMap;

use super::case::{Case, fault, healthy, remark};
use super::league::League;
use super::plan::Plan;
use super::random::{Memory, Random};
use super::simulated_run::{End, Extra, SimulatedRun};

/// Healthy ones.
pub const SHAPES: &[Case] = &[
    healthy("a league that learns, a warm cache", |random, steps| System::new(random, steps).simulate(random)),
    healthy("rubrics that improve", |random, steps| rubric(random, steps, None, None)),
];

const ELO: &[&str] = &["elo"];
const PIPELINE: &[&str] = &["rollout"];

/// Faults and remarks.
pub const FAULTS: &[Case] = &[
    fault("a league that gains nothing", &["elo_stagnant"], ELO, |random, steps| {
        simulated(random, steps, |system, _| system.gain = 0.0)
    }),
    fault(
        "a league that loses its skill",
        &["elo_gap_shrinking", "elo_stagnant", "reference_elo_rising", "regression_from_peak"],
        ELO,
        |random, steps| simulated(random, steps, |system, _| system.lost_at = 0.5),
    ),
    remark("only checkpoints among the opponents", &["only_moving_opponents"], ELO, |random, steps| {
        simulated(random, steps, |system, _| system.anchors = false)
    }),
    remark("few games", &["too_few_games"], ELO, |random, steps| {
        simulated(random, steps, |system, _| system.games = 1)
    }),
    remark("one opponent wins nearly always", &["weak_against_opponent"], ELO, |random, steps| {
        simulated(random, steps, |system, _| system.weak = true)
    }),
    fault("extraction falls", &["extraction_rate_low"], PIPELINE, |random, steps| {
        broken(random, steps, |system, at| {
            system.extraction_at = at;
            system.extraction = 0.86;
        })
    }),
    remark("answers are empty", &["empty_responses", "extraction_rate_low"], PIPELINE, |random, steps| {
        broken(random, steps, |system, at| {
            system.extraction_at = at;
            system.extraction = 0.8;
            system.empty = 0.95;
        })
    }),
    remark("answers are cut short", &["partial_responses", "extraction_rate_low"], PIPELINE, |random, steps| {
        broken(random, steps, |system, at| {
            system.extraction_at = at;
            system.extraction = 0.8;
            system.empty = 0.05;
        })
    }),
    remark("rollouts take three minutes", &["rollout_slow"], PIPELINE, |random, steps| {
        simulated(random, steps, |system, _| system.rollout = 175.0)
    }),
    fault("rollouts of the league fail", &["rollout_failures"], PIPELINE, |random, steps| {
        broken(random, steps, |system, at| system.fails_at = at)
    }),
    remark("volumes reload for minutes", &["volume_reload_slow", "step_time_outliers"], PIPELINE, |random, steps| {
        simulated(random, steps, |system, random| system.reloads = random.places(4, 20, steps - 2, 8))
    }),
    remark("little overlap", &["low_overlap"], PIPELINE, |random, steps| {
        simulated(random, steps, |system, _| system.overlap = 0.1)
    }),
    remark("no cache", &["cache_disabled"], PIPELINE, |random, steps| {
        simulated(random, steps, |system, _| system.cache = None)
    }),
    remark("a cache that stays cold", &["cache_hit_rate_low", "cache_not_warming"], PIPELINE, |random, steps| {
        simulated(random, steps, |system, _| system.cache = Some(0.2))
    }),
    // From 50 % at the start down to 40 %: a hit rate should rise as the prefix gets cached.
    remark("a cache that cools", &["cache_not_warming", "cache_hit_rate_low"], PIPELINE, |random, steps| {
        simulated(random, steps, |system, _| system.cools = true)
    }),
    remark(
        "a warm cache, rollouts as slow as ever",
        &["cache_hot_but_slow", "rollout_slow"],
        PIPELINE,
        |random, steps| {
            simulated(random, steps, |system, _| {
                system.cache = Some(0.85);
                system.rollout = 190.0;
            })
        },
    ),
    remark("reward capped below its power law", &["scaling_saturated", "plateau"], PIPELINE, |random, steps| {
        simulated(random, steps, |system, _| system.ceiling = Some(0.75))
    }),
    remark("compute a step is uneven", &["compute_per_step_uneven"], PIPELINE, |random, steps| {
        simulated(random, steps, |system, _| system.uneven = true)
    }),
    remark("a power law of compute", &["power_law_fit"], PIPELINE, |random, steps| simulated(random, steps, |_, _| {})),
    remark("KL above 0.2 at single steps", &["kl_spikes"], PIPELINE, |random, steps| {
        simulated(random, steps, |system, random| system.kl_spikes = random.places(5, 40, steps - 2, 6))
    }),
    remark("a criterion that stays low", &["criterion_stuck"], &["criteria"], |random, steps| {
        rubric(random, steps, Some("brevity"), None)
    }),
    remark("a reward logger without histograms", &["histograms_missing"], &["criteria"], |random, steps| {
        let mut simulated = rubric(random, steps, None, None);
        simulated.extras.clear();
        simulated
    }),
    remark("a rubric that was not loaded", &["rubric_not_logged"], &["criteria"], |random, steps| {
        let mut simulated = rubric(random, steps, None, None);
        simulated.channels.retain(|key, _| !key.contains("rubric"));
        simulated.extras.retain(|extra| !matches!(extra, Extra::Histograms(key) if key.contains("rubric")));
        simulated.extras.push(Extra::Text("sources", "rubric_file", "rubrics/math.yaml"));
        simulated
    }),
    remark("a criterion that falls", &["criterion_regressed"], &["criteria"], |random, steps| {
        rubric(random, steps, None, Some("clarity"))
    }),
];

/// What decides such a run.
struct System {
    steps: usize,
    gain: f64,
    lost_at: f64,
    anchors: bool,
    games: usize,
    weak: bool,
    extraction: f64,
    extraction_at: usize,
    /// Share of the failed extractions that are empty.
    empty: f64,
    rollout: f64,
    fails_at: usize,
    reloads: Vec<usize>,
    overlap: f64,
    /// Hit rate that the cache warms to.
    cache: Option<f64>,
    /// The hit rate begins at a half and falls.
    cools: bool,
    /// Share of the final gain at which the reward stays.
    ceiling: Option<f64>,
    uneven: bool,
    kl_spikes: Vec<usize>,
    onset: Option<usize>,
}

fn simulated(random: &mut Random, steps: usize, change: impl FnOnce(&mut System, &mut Random)) -> SimulatedRun {
    let mut system = System::new(random, steps);
    change(&mut system, random);
    system.simulate(random)
}

fn broken(random: &mut Random, steps: usize, change: impl FnOnce(&mut System, usize)) -> SimulatedRun {
    let at = (steps as f64 * random.between(0.35, 0.8)) as usize;
    let mut system = System::new(random, steps);
    change(&mut system, at);
    system.onset = Some(at);
    system.simulate(random)
}

impl System {
    fn new(random: &mut Random, steps: usize) -> Self {
        Self {
            steps,
            gain: random.between(1.3, 1.8),
            lost_at: 2.0,
            anchors: true,
            games: 30,
            weak: false,
            extraction: 0.985,
            extraction_at: 0,
            empty: 0.3,
            rollout: random.between(55.0, 75.0),
            fails_at: usize::MAX,
            reloads: Vec::new(),
            overlap: 0.8,
            cache: Some(random.between(0.65, 0.78)),
            cools: false,
            ceiling: None,
            uneven: false,
            kl_spikes: Vec::new(),
            onset: None,
        }
    }

    /// Skill of the newest checkpoint.
    fn skill(&self, t: f64) -> f64 {
        let rise = |t: f64| self.gain * (1.0 - libm::exp(-3.0 * t));
        if t > self.lost_at { rise(self.lost_at) - 2.6 * (t - self.lost_at) } else { rise(t) }
    }

    fn simulate(self, random: &mut Random) -> SimulatedRun {
        let mut channels: BTreeMap<String, Vec<(usize, f64)>> = BTreeMap::new();
        let mut put = |key: &str, step: usize, value: f64| {
            channels.entry(key.to_owned()).or_default().push((step, value));
        };
        let mut league = League::new(self.anchors);
        let mut latest = String::new();
        let mut kl = Memory::new(random, 0.9, 0.006);
        let mut extraction = Memory::new(random, 0.6, 0.006);
        let mut hits = Memory::new(random, 0.9, 0.015);
        let (mut years, mut queries, mut found) = (0.0, 0.0, 0.0);
        let power = |years: f64| libm::pow(years / 1e3, 0.3);
        let top = power(640.0 * self.steps as f64);
        let mut seconds = Vec::new();
        for step in 0..self.steps {
            let t = step as f64 / self.steps as f64;
            let mut kl_now = (0.03 * (step as f64 / 60.0).min(1.0) + kl.next(random)).max(0.0);
            if self.kl_spikes.contains(&step) {
                kl_now += random.between(0.25, 0.6);
            }
            let spent = 640.0 * if self.uneven && step % 11 == 0 { random.between(0.1, 0.4) } else { 1.0 };
            years += spent;
            let share = power(years) / top;
            let reward = 2.0 + 6.0 * self.ceiling.map_or(share, |ceiling| share.min(ceiling)) + 0.2 * random.normal();
            put("benchmark/reward_mean", step, reward);
            put("benchmark/reward_std", step, 2.2 + 0.2 * random.normal());
            put("benchmark/kl", step, kl_now);
            put("kl/mean", step, kl_now);
            put("kl/max", step, kl_now * random.between(3.0, 8.0));
            put("kl/beta", step, 0.01);
            put("benchmark/loss", step, 0.01 * random.normal() + 0.04 * kl_now);
            put("benchmark/grad_norm", step, 1.2 * random.factor(0.22));
            put("power_law/cumulative_simulated_years", step, years);
            put("power_law/simulated_years_per_step", step, spent);
            put("power_law/reward_at_compute", step, reward);

            let level = if step >= self.extraction_at { self.extraction } else { 0.985 };
            let rate = (level + extraction.next(random)).clamp(0.4, 1.0);
            let expected = 2816.0;
            let missed = (expected * (1.0 - rate)).round();
            put("extraction/rate", step, rate);
            put("extraction/orders_expected", step, expected);
            put("extraction/orders_extracted", step, expected - missed);
            put("extraction/empty_responses", step, (missed * self.empty / 22.0).round());
            put("extraction/partial_responses", step, (missed * (1.0 - self.empty) / 22.0).round());

            let rollout = self.rollout * random.factor(0.07);
            let training = 31.0 * random.factor(0.06);
            let mut reload = 2.1 * random.factor(0.15);
            let mut total = rollout * random.between(1.0, 1.25);
            let mut failed = 0.0;
            if step >= self.fails_at && random.chance(0.4) {
                failed = random.whole(1, 6) as f64;
                total *= random.between(1.5, 3.0);
            }
            if self.reloads.contains(&step) {
                reload = random.between(60.0, 140.0);
                total += reload;
            }
            put("benchmark/rollout_time_s", step, rollout);
            put("benchmark/training_time_s", step, training);
            let overlap = self.overlap * rollout.min(training) * random.between(0.9, 1.1);
            put("benchmark/pipeline_overlap_s", step, overlap);
            put("benchmark/trajectories", step, 128.0 - failed * 8.0);
            put("rollout/max_volume_reload_s", step, reload);
            put("rollout/max_total_s", step, total);
            put("rollout/failed_count", step, failed);
            if let Some(level) = self.cache {
                let warm = 1.0 - libm::exp(-(step as f64) / 14.0);
                let level = if self.cools { 0.5 - 0.1 * t } else { level * warm };
                let rate = (level + hits.next(random)).clamp(0.0, 0.95);
                queries += 5120.0;
                found += (5120.0 * rate).round();
                put("cache/hit_rate", step, rate);
                put("cache/total_queries", step, queries);
                put("cache/total_hits", step, found);
                put("cache/prompt_tokens", step, queries * 900.0);
                put("cache/batches", step, (step + 1) as f64 * 40.0);
            }

            if step % 25 == 0 {
                let elo = league.elo.get(&latest).copied().unwrap_or(1000.0);
                latest = format!("adapter_v{step}");
                league.join(latest.clone(), self.skill(t), elo);
            }
            if step % 5 == 0 {
                league.play(&latest, self.games, random);
                for (name, elo) in &league.elo {
                    put(&format!("elo/{name}"), step, *elo);
                }
                put("elo/challenger", step, league.elo[&latest]);
                put("elo/games_played", step, league.played as f64);
                let checkpoints = league.elo.iter().filter(|(name, _)| name.starts_with("adapter"));
                put("league/num_checkpoints", step, checkpoints.clone().count() as f64);
                put("league/best_elo", step, checkpoints.map(|(_, elo)| *elo).fold(f64::MIN, f64::max));
            }
            seconds.push(total + training - overlap);
        }
        let mut extras = vec![Extra::Switch("sources", "prefix_cache_optimized", self.cache.is_some())];
        let against = [("random_bot", 0.96), ("chaos_bot", 0.86), ("defensive_bot", 0.74), ("coordinated_bot", 0.6)];
        for (name, rate) in against {
            let rate = if self.weak && name == "coordinated_bot" { random.between(0.05, 0.15) } else { rate };
            extras.push(Extra::Summary(format!("eval/vs_{name}/win_rate"), rate));
            extras.push(Extra::Summary(format!("eval/vs_{name}/games"), 64.0));
        }
        let onset = self.onset.map(|at| (at as f64, at as f64 + 3.0));
        made(random, self.steps, channels, seconds, extras, onset)
    }
}

/// A GRPO run with rubrics: rewards as means of 16 scores, criteria every ten steps.
fn rubric(random: &mut Random, steps: usize, stuck: Option<&str>, falls: Option<&str>) -> SimulatedRun {
    let mut channels: BTreeMap<String, Vec<(usize, f64)>> = BTreeMap::new();
    let mut put = |key: &str, step: usize, value: f64| {
        channels.entry(key.to_owned()).or_default().push((step, value));
    };
    let functions = [("format_exact", 3.0), ("answer_check", 3.0), ("number_check", 1.5), ("rubric", 4.0)];
    let criteria = ["clarity", "correct_steps", "final_answer", "brevity"];
    let mut recent: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for step in 0..steps {
        let t = step as f64 / steps as f64;
        let mut total = 0.0;
        for (name, top) in functions {
            let level = top * (0.15 + 0.6 * (1.0 - libm::exp(-4.0 * t)));
            let scores: Vec<f64> = (0..16).map(|_| (level + 0.25 * top * random.normal()).clamp(0.0, top)).collect();
            let mean = scores.iter().sum::<f64>() / 16.0;
            total += mean;
            put(&format!("rewards/{name}_mean"), step, mean);
            put(&format!("rewards/{name}_max"), step, scores.iter().copied().fold(f64::MIN, f64::max));
            put(&format!("rewards/{name}_min"), step, scores.iter().copied().fold(f64::MAX, f64::min));
        }
        put("rewards/total_mean", step, total);
        put("train/step", step, step as f64);
        for name in criteria {
            let level = match name {
                name if stuck == Some(name) => 0.12,
                name if falls == Some(name) => 0.65 - 0.5 * ((t - 0.4) / 0.6).max(0.0),
                _ => 0.3 + 0.4 * t,
            };
            let scores = recent.entry(name).or_default();
            scores.push((level + 0.08 * random.normal()).clamp(0.0, 1.0));
            if step % 10 == 0 {
                let last = &scores[scores.len().saturating_sub(20)..];
                put(&format!("criteria/rubric/math/{name}_mean"), step, last.iter().sum::<f64>() / last.len() as f64);
            }
        }
    }
    let onset = falls.map(|_| (0.38 * steps as f64, 0.6 * steps as f64));
    let histograms = functions.map(|(name, _)| Extra::Histograms(format!("rewards/{name}_hist")));
    made(random, steps, channels, vec![20.0; steps], histograms.into(), onset)
}

fn made(
    random: &mut Random,
    steps: usize,
    channels: BTreeMap<String, Vec<(usize, f64)>>,
    seconds: Vec<f64>,
    extras: Vec<Extra>,
    onset: Option<(f64, f64)>,
) -> SimulatedRun {
    SimulatedRun {
        plan: Plan::usual(random, steps),
        channels,
        seconds,
        onset,
        end: End::Finished,
        last: steps - 1,
        resumed: None,
        thinned: None,
        logged_every: 1,
        extras,
    }
}
