//! Faults of the reward and its parts.

use super::case::{Case, fault, remark};
use super::plan::{Growth, Plan};
use super::random::Random;
use super::simulated_run::SimulatedRun;
use super::story::{Story, climb, hold, ramp, reach, scale, shift};

/// All of them.
pub const FAULTS: &[Case] = &[
    fault("a part of the reward is gamed", &["reward_hacking", "proxy_only_gain"], &["part/any"], hacked_part),
    fault("reward up, evaluation down", &["reward_hacking", "overfitting"], &["reward", "eval"], hacked_whole),
    fault("only the format is learned", &["proxy_only_gain", "reward_hacking"], &["part/any"], proxy_only),
    fault(
        "reward stays at the score of the format",
        &["format_only_policy", "proxy_only_gain"],
        &["reward_max"],
        format_only,
    ),
    remark(
        "a reward function that is always 0",
        &["reward_component_dead", "metric_not_computed"],
        &["part/any"],
        dead,
    ),
    fault("a reward function breaks", &["reward_break"], &["reward"], broken),
    remark("reward swings", &["reward_unstable"], &["reward"], unstable),
    fault("prompts too easy", &["zero_variance_groups"], &["zero_std|reward_max|group_std"], too_easy),
    fault("prompts too hard", &["zero_variance_groups"], &["zero_std|reward_max|group_std"], too_hard),
    fault("penalties outgrow the score", &["penalised_reward_falling"], &["penalised"], penalised),
    remark("the spread of rewards grows", &["reward_spread_growing"], &["group_std"], spread),
    fault("invalid outputs rise", &["invalid_outputs_rising", "rollout_failures"], &["invalid|valid"], invalid),
];

/// From the onset on a part that counts something else pays more and more, and answers get worse.
fn hacked_part(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.form_weight = 0.2;
    plan.bonus = Some(random.one_of(&["engagement_reward", "keyword_reward", "judge_reward"]));
    let mut story = Story::of(plan);
    story.bonus.fill(0.15);
    let (at, over) = (story.onset(random), story.stretch(0.1));
    shift(&mut story.bonus, at, over, random.between(1.5, 2.5));
    story.lose_skill(at, over, random.between(0.15, 0.4));
    shift(&mut story.kl, at, over, 0.25);
    story.simulate(random).since(at, at + over)
}

/// The verifier leaks: training reward goes to its maximum, held-out tasks are lost.
fn hacked_whole(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.form_weight = 0.0;
    plan.eval_tasks = 256;
    let mut story = Story::of(plan);
    let at = story.step_at(random.between(0.3, 0.6));
    let over = story.stretch(0.2);
    hold(&mut story.held, at);
    scale(&mut story.held, at, over, random.between(0.4, 0.65));
    reach(&mut story.pass, at, over, random.between(0.92, 0.97));
    shift(&mut story.kl, at, over, 0.2);
    story.simulate(random).since(at, at + over)
}

fn proxy_only(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::flat(random, steps);
    plan.form_weight = 1.0;
    plan.form = (random.between(0.05, 0.2), 0.98);
    plan.form_rate = random.between(4.0, 9.0);
    Story::of(plan).simulate(random)
}

/// Countdown: 0.1 for a well-formed equation, 1 for a right one, and no right one is ever found.
fn format_only(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::flat(random, steps);
    plan.pass = (0.0, 0.0);
    plan.held = (0.0, 0.0);
    plan.form_weight = 0.1;
    plan.form = (random.between(0.2, 0.4), 0.995);
    plan.form_rate = 15.0;
    let mut simulated = Story::of(plan).simulate(random);
    // One score, no parts.
    simulated.channels.retain(|channel, _| !channel.starts_with("part/"));
    simulated
}

fn dead(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.form_weight = 0.2;
    plan.dead = Some(random.one_of(&["strict_format_reward", "citation_reward"]));
    Story::of(plan).simulate(random)
}

/// The format reward, of weight 1 and nearly always given, returns 0 from one step to the next.
fn broken(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.form_weight = 1.0;
    plan.form = (0.8, 0.985);
    let mut story = Story::of(plan);
    let at = story.onset(random);
    story.form[at..].fill(0.0);
    story.simulate(random).since(at, at)
}

/// Eight to twelve swings of skill, as wide as the whole gain.
fn unstable(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut story = Story::usual(random, steps);
    let (cycles, phase) = (random.between(8.0, 12.0), random.between(0.0, 6.0));
    for step in 0..steps {
        let t = step as f64 / steps as f64;
        let swing = 0.22 * libm::sin(std::f64::consts::TAU * cycles * t + phase) * ramp(step, 0, steps / 10);
        story.pass[step] = (story.pass[step] + swing).clamp(0.03, 0.95);
        story.held[step] = (story.held[step] + swing).clamp(0.03, 0.95);
        story.kl[step] *= 1.0 + 2.0 * swing.abs();
    }
    story.simulate(random)
}

/// Nearly every training prompt is solved by all of its group; what is tested is harder and stays unsolved.
fn too_easy(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.growth = Growth::Saturating { rate: 25.0 };
    plan.pass = (0.9, random.between(0.988, 0.995));
    let held = random.between(0.4, 0.5);
    plan.held = (held, held);
    plan.form_weight = 0.0;
    plan.group = 8;
    plan.kl = 0.03;
    Story::of(plan).simulate(random).since(0, steps / 3)
}

fn too_hard(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::flat(random, steps);
    let pass = random.between(0.003, 0.007);
    plan.pass = (pass, pass);
    plan.held = (pass, pass);
    plan.form_weight = 0.0;
    plan.group = 8;
    plan.kl = 0.01;
    Story::of(plan).simulate(random)
}

/// The KL grows with the score, and its penalty takes away more than the score gains.
fn penalised(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut story = Story::usual(random, steps);
    let (at, over) = (story.onset(random), story.stretch(0.15));
    shift(&mut story.kl, at, over, 0.3);
    let lost = random.between(0.5, 0.8);
    let mut simulated = story.simulate(random);
    simulated.edit("penalised", |step, value| value * (1.0 - lost * ramp(step, at, over)));
    simulated.since(at, at + over)
}

/// Few answers earn ever more: the spread grows and the mean does not.
fn spread(random: &mut Random, steps: usize) -> SimulatedRun {
    let times = random.between(5.0, 8.0);
    let mut plan = Plan::flat(random, steps);
    plan.form_weight = 0.0;
    let mut story = Story::of(plan);
    let (at, over) = (story.onset(random), story.stretch(0.2));
    story.pass.fill(0.4);
    let mut simulated = story.simulate(random);
    simulated.edit("group_std", |step, value| value * (1.0 + (times - 1.0) * ramp(step, at, over)));
    simulated.since(at, at + over)
}

fn invalid(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut story = Story::usual(random, steps);
    let (at, over) = (story.onset(random), story.stretch(0.05));
    shift(&mut story.invalid, at, over, random.between(0.25, 0.4));
    story.simulate(random).since(at, at + over)
}

/// For the tables of other files: a bonus that grows with the length of the answers.
pub fn paid_by_length(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::flat(random, steps);
    plan.bonus = Some("effort_reward");
    plan.length = (plan.length.0, plan.length.0);
    let mut story = Story::of(plan);
    story.length_noise = 0.1;
    story.length_pays = random.between(0.6, 1.0);
    let growth = random.between(1.9, 2.6);
    for step in 0..steps {
        story.length[step] *= libm::exp(libm::log(growth) * step as f64 / steps as f64);
    }
    climb(&mut story.bonus, 0, 0.8 * libm::log(growth));
    story.simulate(random)
}
