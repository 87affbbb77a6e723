//! From what happens to what is logged: batches are sampled, answers are cut at the limit, tasks are drawn.
//!
//! Each step draws prompts of different difficulty and a group of rollouts for each, so that reward, its spread, the
//! zero-variance groups and the advantages belong together.

use std::collections::BTreeMap;

use super::plan::Plan;
use super::random::{Memory, Random};
use super::simulated_run::{End, SimulatedRun};
use super::story::Story;

/// What one batch of rollouts gave.
#[derive(Default)]
struct Batch {
    solved: f64,
    formed: f64,
    bonus: f64,
    reward: f64,
    group_std: f64,
    batch_std: f64,
    zero_std: f64,
    max: f64,
    min: f64,
    advantage_max: f64,
    advantage_min: f64,
}

/// Channels in the making.
#[derive(Default)]
struct Log(BTreeMap<String, Vec<(usize, f64)>>);

impl Log {
    fn put(&mut self, channel: &str, step: usize, value: f64) {
        match self.0.get_mut(channel) {
            Some(points) => points.push((step, value)),
            None => {
                self.0.insert(channel.to_owned(), vec![(step, value)]);
            }
        }
    }
}

impl Story {
    /// The run as it was measured.
    pub fn simulate(self, random: &mut Random) -> SimulatedRun {
        let plan = self.plan.clone();
        let mut log = Log::default();
        let mut seconds = Vec::new();
        let mut slow = Slow {
            skill: Memory::new(random, 0.9, 0.06),
            entropy: Memory::new(random, 0.95, 0.03),
            length: Memory::new(random, 0.9, self.length_noise),
            kl: Memory::new(random, 0.8, 0.07),
        };
        let mut tokens = 0.0;
        for step in 0..plan.steps {
            let wobble = slow.length.next(random);
            let answer = Answer::of(&plan, self.length[step] * libm::exp(wobble));
            let valid = 1.0 - self.invalid[step];
            let uncut = if plan.cut_costs { 1.0 - answer.cut } else { 1.0 };
            let batch = self.batch(step, uncut * valid, slow.skill.next(random), wobble, random);
            log_rewards(&mut log, step, &plan, &batch);
            let used = self.log_lengths(&mut log, step, &answer, random);
            tokens += used;
            self.log_policy(&mut log, step, &batch, &mut slow, random);
            self.log_system(&mut log, step, random);
            let mut took = self.log_times(&mut log, step, used, random);
            log.put("tokens_total", step, tokens);
            if step == 0 || (step + 1).is_multiple_of(plan.eval_every) {
                let solved = (self.held[step] * uncut * valid).clamp(0.0, 1.0);
                let tasks = plan.eval_tasks;
                log.put("eval", step, random.successes(tasks, solved) as f64 / tasks as f64);
                took += 0.4 * tasks as f64 / 10.0;
            }
            seconds.push(took);
        }
        let last = plan.steps - 1;
        SimulatedRun {
            plan,
            channels: log.0,
            seconds,
            onset: None,
            end: End::Finished,
            last,
            resumed: None,
            thinned: None,
            logged_every: 1,
            extras: Vec::new(),
        }
    }

    fn batch(&self, step: usize, allowed: f64, drift: f64, wobble: f64, random: &mut Random) -> Batch {
        let plan = &self.plan;
        let pass = self.pass[step] * allowed;
        // The mean of a logistic over normal difficulties is flatter than the logistic of the mean.
        let stretch = (1.0 + 0.346 * plan.spread * plan.spread).sqrt();
        let skill = stretch * libm::log(pass.max(1e-12) / (1.0 - pass).max(1e-12)) + drift;
        let (bonus, form) = (self.bonus[step], self.form[step] * (1.0 - self.invalid[step]));
        let group = plan.group;
        let mut batch = Batch { max: f64::MIN, min: f64::MAX, ..Batch::default() };
        let (mut sum, mut squares) = (0.0, 0.0);
        let mut rewards = vec![0.0; group];
        for _ in 0..plan.prompts {
            let chance = 1.0 / (1.0 + libm::exp(-(skill + plan.spread * random.normal())));
            let is_same = random.chance(self.same[step]);
            let first = (random.chance(chance), random.chance(form));
            for reward in &mut rewards {
                let (solved, formed) =
                    if is_same { first } else { (pass > 0.0 && random.chance(chance), random.chance(form)) };
                let extra = if bonus > 0.0 { (bonus * (1.0 + 0.2 * random.normal())).max(0.0) } else { 0.0 };
                let extra = extra + self.length_pays * wobble;
                batch.solved += f64::from(u8::from(solved));
                batch.formed += f64::from(u8::from(formed));
                batch.bonus += extra;
                *reward = f64::from(u8::from(solved)) + plan.form_weight * f64::from(u8::from(formed)) + extra;
            }
            let mean = rewards.iter().sum::<f64>() / group as f64;
            let spread: f64 = rewards.iter().map(|reward| (reward - mean) * (reward - mean)).sum();
            let std = (spread / (group - 1) as f64).sqrt();
            batch.group_std += std;
            if std < 1e-9 {
                batch.zero_std += 1.0;
            }
            for reward in &rewards {
                sum += reward;
                squares += reward * reward;
                batch.max = batch.max.max(*reward);
                batch.min = batch.min.min(*reward);
                let advantage = if std < 1e-9 { 0.0 } else { (reward - mean) / (std + 1e-6) };
                batch.advantage_max = batch.advantage_max.max(advantage);
                batch.advantage_min = batch.advantage_min.min(advantage);
            }
        }
        let all = (plan.prompts * group) as f64;
        batch.solved /= all;
        batch.formed /= all;
        batch.bonus /= all;
        batch.reward = sum / all;
        batch.batch_std = (squares / all - batch.reward * batch.reward).max(0.0).sqrt();
        batch.group_std /= plan.prompts as f64;
        batch.zero_std /= plan.prompts as f64;
        batch
    }

    fn log_lengths(&self, log: &mut Log, step: usize, answer: &Answer, random: &mut Random) -> f64 {
        let plan = &self.plan;
        let rollouts = plan.prompts * plan.group;
        let error = plan.length_spread / (rollouts as f64).sqrt();
        let cut = random.successes(rollouts, answer.cut) as f64 / rollouts as f64;
        // Where all are cut nothing is left to vary.
        let mean = (answer.mean * random.factor(error * (1.0 - answer.cut))).min(plan.cap);
        // Those that are cut have the length of the limit.
        let mean = if plan.has_end_token { mean.max(cut * plan.cap) } else { mean };
        let longest = if cut > 0.0 { plan.cap } else { (mean * random.between(2.3, 3.4)).min(plan.cap - 1.0) };
        log.put("length", step, mean);
        log.put("length_max", step, longest.round());
        log.put("length_min", step, (mean * random.between(0.2, 0.35)).round());
        if plan.has_end_token {
            log.put("truncated", step, cut);
        } else {
            log.put("without_end_token", step, 1.0);
        }
        let ended = (mean - cut * plan.cap) / (1.0 - cut).max(1e-9);
        log.put("terminated_length", step, if cut < 1.0 { ended.clamp(0.0, plan.cap) } else { 0.0 });
        rollouts as f64 * (mean + 180.0)
    }

    fn log_policy(&self, log: &mut Log, step: usize, batch: &Batch, slow: &mut Slow, random: &mut Random) {
        let plan = &self.plan;
        let mut kl = self.kl[step] * libm::exp(slow.kl.next(random));
        // The k3 estimate is exponential in the log-ratio: a single token may dominate a batch.
        if kl > 1e-3 && random.chance(0.003) {
            kl *= random.between(2.0, 5.0);
        }
        let spike = self.kl_spikes.iter().find(|(at, _)| *at == step);
        kl = spike.map_or(kl, |(_, level)| kl.max(*level)).min(10.0);
        if plan.beta > 0.0 {
            log.put("kl", step, kl);
            log.put("kl_sequence", step, kl * log.0["length"].last().map_or(1.0, |(_, length)| *length));
        }
        let entropy = self.entropy[step] * libm::exp(slow.entropy.next(random)) * random.factor(0.012);
        log.put("entropy", step, entropy);

        let signal = (1.0 - batch.zero_std + 0.02) / 0.7;
        let mut grad = self.grad[step] * signal.sqrt() * random.factor(plan.grad_spread);
        if random.chance(0.01) {
            grad *= random.between(1.5, 3.0);
        }
        if batch.zero_std >= 1.0 {
            grad = self.grad[step] * plan.beta * 0.5;
        }
        let spike = self.grad_spikes.iter().find(|(at, _)| *at == step);
        log.put("grad", step, grad * spike.map_or(1.0, |(_, factor)| *factor));
        log.put("lr", step, plan.lr * plan.rate(step));
        log.put("loss", step, 0.012 * random.normal() + plan.beta * kl + self.loss[step] * random.factor(0.15));

        let several = plan.updates > 1;
        let clip = if several { self.clip[step] * random.factor(0.22) } else { 0.0 };
        log.put("clip", step, clip);
        log.put("clip_high", step, 0.7 * clip);
        log.put("clip_low", step, 0.3 * clip);
        let ratio = if several { self.ratio[step] * random.factor(0.15) } else { 0.0 };
        let sign = if several { 0.0004 * random.normal() } else { 0.0 };
        log.put("ratio_kl_signed", step, ratio + sign);
        log.put("ratio_kl", step, ratio + if several { 0.0006 * random.factor(0.3) } else { 0.0 });

        let gap = self.mismatch[step] * random.factor(0.1);
        log.put("mismatch_logp", step, gap);
        log.put("mismatch_prob", step, 0.25 * gap);
        log.put("mismatch_kl", step, 0.6 * gap * gap * random.factor(0.2));
        log.put("mismatch_pearson", step, (1.0 - 0.12 * gap).max(0.0));
        log.put("weight_min", step, libm::exp(-18.0 * gap));
        if plan.critic {
            let explained = self.explained[step] + 0.05 * random.normal();
            log.put("explained", step, explained.min(0.99));
            log.put("value_loss", step, 0.11 * (1.0 - self.explained[step]) * random.factor(0.15));
            log.put("value_mean", step, batch.reward * (0.5 + 0.5 * explained.clamp(-1.0, 1.0)));
        }
    }

    fn log_system(&self, log: &mut Log, step: usize, random: &mut Random) {
        let rollouts = self.plan.prompts * self.plan.group;
        let share = |p: f64, random: &mut Random| random.successes(rollouts, p) as f64 / rollouts as f64;
        let invalid = share(self.invalid[step], random);
        log.put("invalid", step, invalid);
        log.put("valid", step, 1.0 - invalid);
        log.put("failed", step, share(self.failed[step], random));
        let lost = share(self.failed[step], random);
        log.put("failed_count", step, (lost * rollouts as f64).round());
        log.put("stale", step, self.stale[step] * random.factor(0.08));
        log.put("stale_max", step, (2.2 * self.stale[step]).ceil());
        let of_all = self.plan.prompts as f64;
        log.put("stale_count", step, (of_all * (0.12 * self.stale[step]).min(1.0) * random.factor(0.1)).round());
        log.put("dropped_count", step, (of_all * (0.03 * (self.stale[step] - 1.0)).clamp(0.0, 0.4)).round());
        let (trainer, rollouts) = self.idle[step];
        log.put("trainer_idle", step, (trainer * random.factor(0.1)).min(1.0));
        log.put("rollout_idle", step, (rollouts * random.factor(0.1)).min(1.0));
        log.put("gpu", step, self.gpu[step] + 0.15 * random.normal());
        log.put("gpu_reserved", step, (self.gpu[step] * 1.08).ceil());
        log.put("cpu", step, self.cpu[step] + 0.4 * random.normal());
    }

    /// Logs times and returns the seconds of the step.
    fn log_times(&self, log: &mut Log, step: usize, tokens: f64, random: &mut Random) -> f64 {
        let plan = &self.plan;
        let slowness = self.slowness[step] * random.factor(0.035);
        let generation = tokens / plan.speed * slowness;
        let update = (plan.seconds + tokens / plan.speed * 0.4) * slowness;
        let stall = self.stalls.iter().find(|(at, _)| *at == step).map_or(0.0, |(_, seconds)| *seconds);
        let saves = (step + 1).is_multiple_of(plan.eval_every * 5);
        let saving = if saves { 0.5 * plan.seconds } else { 0.0 };
        let took = generation + update + stall;
        log.put("gen_seconds", step, generation + 0.8 * stall);
        log.put("update_seconds", step, update + 0.2 * stall);
        log.put("step_seconds", step, took);
        // verl's time of a step includes its evaluation and its checkpoint.
        let evaluates = step == 0 || (step + 1).is_multiple_of(plan.eval_every);
        let testing = if evaluates { 0.4 * plan.eval_tasks as f64 / 10.0 * random.factor(0.05) } else { 0.0 };
        if evaluates {
            log.put("testing_seconds", step, testing);
        }
        if saves {
            log.put("saving_seconds", step, saving);
        }
        log.put("whole_seconds", step, took + testing + saving);
        log.put("throughput", step, tokens / took);
        log.put("tokens", step, tokens);
        took + saving
    }
}

/// Noise that lasts.
struct Slow {
    skill: Memory,
    entropy: Memory,
    length: Memory,
    kl: Memory,
}

/// How long answers are, with the limit.
struct Answer {
    mean: f64,
    cut: f64,
}

impl Answer {
    /// Log-normal lengths of this mean, cut at the plan's limit.
    fn of(plan: &Plan, mean: f64) -> Answer {
        let spread = plan.length_spread;
        let centre = libm::log(mean) - 0.5 * spread * spread;
        let limit = (libm::log(plan.cap) - centre) / spread;
        let cut = 1.0 - normal(limit);
        Answer { mean: mean * normal(limit - spread) + plan.cap * cut, cut }
    }
}

/// The normal distribution function.
fn normal(z: f64) -> f64 {
    0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
}

fn log_rewards(log: &mut Log, step: usize, plan: &Plan, batch: &Batch) {
    log.put("reward", step, batch.reward);
    log.put("penalised", step, batch.reward);
    log.put("group_std", step, batch.group_std);
    log.put("batch_std", step, batch.batch_std);
    log.put("zero_std", step, batch.zero_std);
    log.put("reward_max", step, batch.max);
    log.put("reward_min", step, batch.min);
    log.put("advantage_max", step, batch.advantage_max);
    log.put("advantage_min", step, batch.advantage_min);
    let has_parts = plan.form_weight > 0.0 || plan.bonus.is_some() || plan.dead.is_some();
    if !has_parts {
        return;
    }
    log.put("part/accuracy_reward", step, batch.solved);
    if plan.form_weight > 0.0 {
        log.put("part/format_reward", step, batch.formed);
    }
    if let Some(name) = plan.bonus {
        log.put(&format!("part/{name}"), step, batch.bonus);
    }
    if let Some(name) = plan.dead {
        log.put(&format!("part/{name}"), step, 0.0);
    }
}
