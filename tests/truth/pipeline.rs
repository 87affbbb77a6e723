//! Faults of the machinery and of the record itself.

use super::case::{Case, fault, remark};
use super::plan::Plan;
use super::random::Random;
use super::simulated_run::{End, Extra, SimulatedRun};
use super::story::{Story, climb, scale, shift};

/// All of them.
pub const FAULTS: &[Case] = &[
    fault("rollouts fail", &["rollout_failures"], &["failed|failed_count"], failures),
    remark("single steps take ten times as long", &["step_time_outliers"], &["step_seconds|whole_seconds"], outliers),
    remark("hours without a step", &["stalled", "step_time_outliers"], &["reward"], stalled),
    fault("half of the throughput is gone", &["throughput_regression"], &["step_seconds|whole_seconds"], throughput),
    remark("the trainer waits", &["rollout_bound"], &["trainer_idle"], rollout_bound),
    remark("the rollouts wait", &["trainer_bound"], &["trainer_idle"], trainer_bound),
    remark("memory creeps", &["memory_creep"], &["gpu"], creep),
    fault("NaN to the end", &["nonfinite_values"], &["grad"], nonfinite),
    fault("ends with an error", &["run_crashed"], &["reward"], crashed),
    remark("ends without an exit record", &["run_crashed"], &["reward"], cut),
    remark("resumed, steps logged twice", &["restarted_with_overlap"], &["reward"], resumed),
    remark("entropy is 0 in every row", &["metric_not_computed"], &["entropy"], not_computed),
    remark("every fifth row came", &["sampled_history"], &["reward"], sampled),
    remark("a few steps only", &["insufficient_data"], &["reward"], short),
    remark("a KL coefficient that nothing uses", &["config_conflict"], &["settings"], conflict),
    remark("a limit of the gradient norm of 100", &["config_unusual"], &["reward"], unusual),
];

fn failures(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut story = Story::usual(random, steps);
    let at = story.onset(random);
    let over = story.stretch(0.02);
    shift(&mut story.failed, at, over, random.between(0.12, 0.25));
    story.simulate(random).since(at, at + over)
}

/// Three to five steps, none of them with an evaluation or a checkpoint.
fn outliers(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut story = Story::usual(random, steps);
    let every = story.plan.eval_every;
    let count = random.whole(3, 5);
    let places = random.places(count, steps / 5, steps - 2, 7);
    let places: Vec<usize> =
        places.into_iter().map(|step| if (step + 1) % every == 0 { step + 3 } else { step }).collect();
    let tokens = (story.plan.prompts * story.plan.group) as f64 * (story.plan.length.0 + 180.0);
    let usual = story.plan.seconds + 1.4 * tokens / story.plan.speed;
    story.stalls = places.iter().map(|step| (*step, usual * random.between(9.0, 25.0))).collect();
    let first = places.first().copied().unwrap_or(0);
    story.simulate(random).since(first, first)
}

/// Nothing but the clock of the rows shows it.
fn stalled(random: &mut Random, steps: usize) -> SimulatedRun {
    let story = Story::usual(random, steps);
    let at = story.onset(random);
    let mut simulated = story.simulate(random).since(at, at + 1);
    simulated.seconds[at] += random.between(3.0, 9.0) * 3600.0;
    simulated
}

fn throughput(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.length.1 = plan.length.0;
    let mut story = Story::of(plan);
    let at = story.onset(random);
    scale(&mut story.slowness, at, 1, random.between(1.7, 2.4));
    story.simulate(random).since(at, at + 1)
}

fn rollout_bound(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut story = Story::usual(random, steps);
    story.idle.fill((random.between(0.5, 0.7), 0.04));
    story.simulate(random)
}

fn trainer_bound(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut story = Story::usual(random, steps);
    story.idle.fill((0.04, random.between(0.5, 0.7)));
    story.simulate(random)
}

/// A leak on both sides, with answers as long as ever: 78 of 80 GB at the end.
fn creep(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.length.1 = plan.length.0;
    let mut story = Story::of(plan);
    let at = story.step_at(random.between(0.05, 0.2));
    story.gpu.fill(random.between(42.0, 48.0));
    let rise = 72.0 - story.gpu[0];
    climb(&mut story.gpu, at, rise);
    climb(&mut story.cpu, at, random.between(60.0, 120.0));
    story.simulate(random)
}

/// Parameters become NaN: loss, gradient, KL and entropy are, and nothing is solved any more.
fn nonfinite(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut story = Story::usual(random, steps);
    let at = story.onset(random);
    story.pass[at..].fill(0.0);
    story.held[at..].fill(0.0);
    story.form[at..].fill(0.0);
    let mut simulated = story.simulate(random).since(at, at);
    for channel in ["grad", "loss", "kl", "kl_sequence", "entropy"] {
        simulated.edit(channel, |step, value| if step >= at { f64::NAN } else { value });
    }
    simulated
}

fn ended(random: &mut Random, steps: usize, end: End) -> SimulatedRun {
    let story = Story::usual(random, steps);
    let last = story.step_at(random.between(0.35, 0.9));
    let mut simulated = story.simulate(random).since(last, last);
    simulated.end = end;
    simulated.last = last;
    simulated
}

fn crashed(random: &mut Random, steps: usize) -> SimulatedRun {
    ended(random, steps, End::Crashed)
}

fn cut(random: &mut Random, steps: usize) -> SimulatedRun {
    ended(random, steps, End::Cut)
}

fn resumed(random: &mut Random, steps: usize) -> SimulatedRun {
    let story = Story::usual(random, steps);
    let left = story.onset(random);
    let back = left - random.whole(12, 35);
    let mut simulated = story.simulate(random).since(back, left + 1);
    simulated.resumed = Some((left, back));
    simulated
}

fn not_computed(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut simulated = Story::usual(random, steps).simulate(random);
    simulated.edit("entropy", |_, _| 0.0);
    simulated
}

fn sampled(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut simulated = Story::usual(random, steps).simulate(random);
    simulated.thinned = Some(5);
    simulated
}

fn short(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut simulated = Story::usual(random, steps).simulate(random);
    simulated.last = random.whole(8, 20);
    simulated
}

/// A coefficient far from its default, with both of its uses switched off.
fn conflict(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.beta = 0.0;
    let mut simulated = Story::of(plan).simulate(random);
    simulated.extras = vec![
        Extra::Number("verl", "actor_rollout_ref.actor.kl_loss_coef", 0.05),
        Extra::Number("verl", "algorithm.kl_ctrl.kl_coef", 0.05),
    ];
    simulated
}

fn unusual(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.max_grad_norm = 100.0;
    plan.temperature = 0.3;
    Story::of(plan).simulate(random)
}
