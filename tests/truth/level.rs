//! Runs that stay level or learn slowly: nothing in them has fallen or collapsed.
//!
//! Every check looks at many places of a curve, so that noise alone looks like a fall somewhere. Here nothing ever
//! fell: each claim of a loss is a false one, also where the noise of the rewards wanders from step to step.

use rundown_diagnose::Severity;

use super::labels::{diagnosis_of, line};
use super::plan::{Growth, Plan};
use super::random::Random;
use super::simulated_run::SimulatedRun;
use super::story::Story;
use super::style::Style;
use super::write::write;

/// Runs of each kind under each trainer's names.
const RUNS: u64 = 20;

/// Claims that something was lost, or broke.
const CLAIMS: &[&str] = &[
    "regression_from_peak", "reward_break", "reward_hacking", "penalised_reward_falling", "overfitting",
    "criterion_regressed", "reward_unstable", "entropy_collapse", "entropy_explosion", "length_collapse",
    "length_explosion", "gradient_dying", "kl_blow_up", "loss_divergence", "critic_failure",
];

/// A trainer: how it names its metrics, and whether it has a critic.
const TRAINERS: [(Style, bool); 5] =
    [(Style::Trl, false), (Style::Trl, true), (Style::Verl, false), (Style::OpenRlhf, false), (Style::Plain, false)];

#[test]
fn nothing_is_lost_in_runs_that_stay_level() {
    assert_nothing_is_lost("level", |plan| plan.growth = Growth::Flat);
}

#[test]
fn nothing_is_lost_in_runs_that_learn_slowly() {
    assert_nothing_is_lost("slow", |plan| {
        plan.growth = Growth::Line { until: 1.0 };
        plan.pass.1 = plan.pass.0 + 0.12;
        plan.held = (plan.pass.0 - 0.02, plan.pass.0 + 0.08);
    });
}

fn assert_nothing_is_lost(name: &str, change: impl Fn(&mut Plan)) {
    let mut wrong = Vec::new();
    for (style, critic) in TRAINERS {
        for seed in 0..runs() {
            let run = write(&simulate(name, (style, critic), seed, &change), style, &["reward"], seed);
            let diagnosis = diagnosis_of(&run);
            let is_claim = |code: &str| CLAIMS.contains(&code);
            let mut warnings = diagnosis.findings.iter().filter(|finding| finding.severity > Severity::Note);
            if warnings.any(|finding| is_claim(finding.code.as_str())) {
                wrong.push(line(&format!("{name} {} {critic} {seed}", style.as_str()), &diagnosis));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), TRAINERS.len() as u64 * runs());
}

/// More where somebody asks for them: `RUNDOWN_LEVEL_RUNS=200`.
fn runs() -> u64 {
    std::env::var("RUNDOWN_LEVEL_RUNS").ok().and_then(|text| text.parse().ok()).unwrap_or(RUNS)
}

fn simulate(name: &str, (style, critic): (Style, bool), seed: u64, change: &impl Fn(&mut Plan)) -> SimulatedRun {
    let mut random = Random::new(&format!("{name} {} {critic}", style.as_str()), seed);
    let steps = [200, 300, 400, 600][random.whole(0, 3)];
    let mut plan = Plan::usual(&mut random, steps);
    plan.critic = critic;
    plan.entropy.1 = plan.entropy.0;
    plan.length.1 = plan.length.0;
    plan.form = (0.95, 0.95);
    plan.eval_tasks = random.one_of(&[64, 128, 256, 500]);
    plan.eval_every = random.one_of(&[5, 10, 20]);
    change(&mut plan);
    let mut run = Story::of(plan).simulate(&mut random);
    wander(&mut run, &mut random);
    run
}

/// Adds noise to the reward whose neighbours resemble each other, as batches of a sorted data set do.
fn wander(run: &mut SimulatedRun, random: &mut Random) {
    let (stays, size) = (random.one_of(&[0.0, 0.5, 0.9]), random.between(0.0, 0.03));
    let mut level = 0.0;
    let wandering: Vec<f64> = (0..=run.last)
        .map(|_| {
            level = stays * level + libm::sqrt(1.0 - stays * stays) * random.normal();
            size * level
        })
        .collect();
    run.edit("reward", |step, value| value + wandering.get(step).copied().unwrap_or(0.0));
}
