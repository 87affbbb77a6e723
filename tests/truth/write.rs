//! Writes a measured run as a framework would: its keys, its rows, its settings, its rounding, its restarts.

use rundown_run::{Config, ConfigValue, Ending, Histogram, Run, Thinning};

use super::random::Random;
use super::simulated_run::{End, Extra, SimulatedRun};
use super::style::{OPTIONAL, Style};

/// First second of every run.
const START: f64 = 1_765_000_000.0;

/// The run of a seed in a style; `needs` are the channels that the case is seen by.
pub fn write(simulated: &SimulatedRun, style: Style, needs: &[&str], seed: u64) -> Run {
    let is_old = style == Style::Verl && seed % 4 == 3;
    let mut random = Random::new("write", seed);
    let mut run = Run { id: format!("truth-{seed}"), name: style.as_str().to_owned(), ..Run::default() };
    run.started_at = Some(START);
    run.config = settings(simulated, style);
    run.ending = ending(simulated.end);
    for extra in &simulated.extras {
        match extra {
            Extra::Summary(key, value) => run.summary.insert(key.as_str(), ConfigValue::Number(*value)),
            Extra::Histograms(key) => {
                let every_ten = (0..=simulated.last as u32).step_by(10);
                let histograms =
                    every_ten.map(|row| Histogram { row, edges: vec![0.0, 1.0, 2.0], counts: vec![8.0; 2] });
                run.histograms.insert(key.clone(), histograms.collect());
            }
            _ => {}
        }
    }

    // One channel may stand under several keys.
    let mut columns: Vec<(String, &[(usize, f64)])> = Vec::new();
    for (channel, points) in &simulated.channels {
        let is_asked = needs.iter().any(|need| need.split('|').any(|one| one == channel));
        let goes_along = match channel.as_str() {
            "stale_max" => needs.iter().any(|need| need.contains("stale")),
            "dropped_count" => needs.iter().any(|need| need.contains("stale")),
            "rollout_idle" => needs.iter().any(|need| need.contains("trainer_idle")),
            _ => false,
        };
        if OPTIONAL.contains(&channel.as_str()) && !is_asked && !goes_along {
            continue;
        }
        columns.extend(style.keys(channel, simulated.plan.critic).into_iter().map(|key| (key, points.as_slice())));
    }
    if is_old {
        as_old_verl(&mut columns);
    }

    let mut clock = START;
    for (segment, (from, to)) in segments(simulated).into_iter().enumerate() {
        let is_lost = segment == 0 && simulated.resumed.is_some();
        let rows = rows(&mut run, simulated, style, (from, to), &mut clock);
        for (key, points) in &columns {
            let is_eval = !matches!(style, Style::Verl | Style::Sources)
                && points.len() * 2 < simulated.plan.steps
                && key.starts_with("eval");
            for (step, value) in points.iter().filter(|(step, _)| (from..=to).contains(step)) {
                let row = if is_eval { rows.eval[step - from] } else { rows.train[step - from] };
                let Some(row) = row else { continue };
                // What a restart logged again was sampled again.
                let again = if is_lost && !key.contains("lr") && !key.contains("learning_rate") && *value != 0.0 {
                    random.factor(0.03)
                } else {
                    1.0
                };
                let value = value * again;
                let unit = if key.ends_with("lr(1e-4)") { 1e4 } else { 1.0 };
                let rounded = if is_old { (value * unit * 1e3).round() / 1e3 } else { value };
                run.push_value(key, row, rounded);
            }
        }
    }
    if is_old {
        run.columns.values_mut().for_each(|column| column.set_quantum(0.001));
    }
    if simulated.thinned.is_some() {
        run.note_sampling(None, Thinning::Rows);
    }
    run.choose_axis();
    run
}

/// Names of verl before 2025: entropy, times and the learning rate were called otherwise.
fn as_old_verl(columns: &mut Vec<(String, &[(usize, f64)])>) {
    for (key, _) in columns.iter_mut() {
        *key = match key.as_str() {
            "actor/entropy" => "actor/entropy_loss".to_owned(),
            "actor/lr" => "actor/lr(1e-4)".to_owned(),
            "val-core/gsm8k/acc/mean@1" => "val/test_score/openai/gsm8k".to_owned(),
            other => other.to_owned(),
        };
    }
    columns.sort_by(|a, b| a.0.cmp(&b.0));
}

/// First and last step of each stretch without a restart.
fn segments(simulated: &SimulatedRun) -> Vec<(usize, usize)> {
    match simulated.resumed {
        Some((left, back)) => vec![(0, left), (back, simulated.last)],
        None => vec![(0, simulated.last)],
    }
}

/// Rows of the steps of a segment.
struct Rows {
    train: Vec<Option<u32>>,
    eval: Vec<Option<u32>>,
}

fn rows(run: &mut Run, simulated: &SimulatedRun, style: Style, (from, to): (usize, usize), clock: &mut f64) -> Rows {
    let mut rows = Rows { train: Vec::new(), eval: Vec::new() };
    for step in from..=to {
        let number = (step + 1) as f64;
        let seconds = simulated.seconds[step];
        *clock += seconds;
        if simulated.thinned.is_some_and(|every| (step + 1) % every != 0) {
            rows.train.push(None);
            rows.eval.push(None);
            continue;
        }
        let evaluates = step == 0 || (step + 1) % simulated.plan.eval_every == 0;
        let is_last = step == simulated.last;
        if !evaluates && !is_last && !(step + 1).is_multiple_of(simulated.logged_every) {
            rows.train.push(None);
            rows.eval.push(None);
            continue;
        }
        if style == Style::Trl {
            // TRL's profiling writes rows of its own.
            let counted = run.row_steps.len() as f64;
            let row = run.push_row(counted, *clock - 0.5 * seconds);
            run.push_value("profiling/Time taken: GRPOTrainer._prepare_inputs", row, 0.6 * seconds);
        }
        let counted = if style == Style::Trl { run.row_steps.len() as f64 } else { number };
        let row = run.push_row(counted, *clock);
        let key = match style {
            Style::Verl => "training/global_step",
            Style::Plain => "step",
            Style::Trl | Style::OpenRlhf => "train/global_step",
            Style::Sources => "_step",
        };
        if style != Style::Sources {
            run.push_value(key, row, number);
        }
        rows.train.push(Some(row));
        if !evaluates || matches!(style, Style::Verl | Style::Sources) {
            rows.eval.push(Some(row));
            continue;
        }
        let counted = if style == Style::Trl { run.row_steps.len() as f64 } else { number };
        let row = run.push_row(counted, *clock + 1.0);
        run.push_value(key, row, number);
        rows.eval.push(Some(row));
    }
    rows
}

fn ending(end: End) -> Ending {
    let (exit_code, evidence) = match end {
        End::Finished => (Some(0), "the run file ends with an exit record, code 0"),
        End::Crashed => (Some(1), "the run file has an exit record with code 1"),
        End::Cut => (None, "the run file ends without an exit record"),
    };
    Ending {
        state: end.state(),
        exit_code,
        expects_exit: true,
        evidence: vec![evidence.to_owned()],
        ..Ending::default()
    }
}

fn settings(simulated: &SimulatedRun, style: Style) -> Config {
    let plan = &simulated.plan;
    let mut config = Config::default();
    let mut number = |key: &str, value: f64| config.insert(key, ConfigValue::Number(value));
    let batch = (plan.prompts * plan.group) as f64;
    match style {
        Style::Trl => {
            number("learning_rate", plan.lr);
            number("beta", plan.beta);
            number("num_generations", plan.group as f64);
            number("generation_batch_size", batch);
            number("per_device_train_batch_size", 8.0);
            number("max_completion_length", plan.cap);
            number("temperature", plan.temperature);
            number("max_grad_norm", plan.max_grad_norm);
            number("max_steps", plan.steps as f64);
            number("warmup_steps", plan.warmup as f64);
            number("num_iterations", plan.updates as f64);
            number("epsilon", 0.2);
            if plan.lora {
                number("lora_r", 32.0);
            }
        }
        Style::Sources => {
            number("learning_rate", 1e-5);
            number("kl_beta", 0.01);
            number("batch_size", 32.0);
            number("lora_rank", 16.0);
            number("num_groups_per_step", 16.0);
            number("samples_per_group", 8.0);
            number("total_steps", plan.steps as f64);
        }
        Style::Verl => {
            number("actor_rollout_ref.actor.optim.lr", plan.lr);
            number("actor_rollout_ref.actor.kl_loss_coef", plan.beta);
            number("actor_rollout_ref.rollout.n", plan.group as f64);
            number("data.train_batch_size", plan.prompts as f64);
            number("actor_rollout_ref.actor.ppo_mini_batch_size", (plan.prompts / plan.updates).max(1) as f64);
            number("data.max_response_length", plan.cap);
            number("actor_rollout_ref.rollout.temperature", plan.temperature);
            number("actor_rollout_ref.actor.grad_clip", plan.max_grad_norm);
            number("trainer.total_training_steps", plan.steps as f64);
            number("actor_rollout_ref.actor.optim.lr_warmup_steps", plan.warmup as f64);
            number("actor_rollout_ref.actor.clip_ratio", 0.2);
            number("actor_rollout_ref.model.lora_rank", if plan.lora { 32.0 } else { 0.0 });
            config.insert("actor_rollout_ref.actor.use_kl_loss", ConfigValue::Bool(plan.beta > 0.0));
            config.insert("algorithm.use_kl_in_reward", ConfigValue::Bool(false));
            let estimator = if plan.critic { "gae" } else { "grpo" };
            config.insert("algorithm.adv_estimator", ConfigValue::Text(estimator.to_owned()));
        }
        Style::OpenRlhf => {
            number("actor_learning_rate", plan.lr);
            number("init_kl_coef", plan.beta);
            number("n_samples_per_prompt", plan.group as f64);
            number("rollout_batch_size", plan.prompts as f64);
            number("generate_max_len", plan.cap);
            number("temperature", plan.temperature);
            number("max_norm", plan.max_grad_norm);
            number("eps_clip", 0.2);
            let estimator = if plan.critic { "gae" } else { "group_norm" };
            config.insert("advantage_estimator", ConfigValue::Text(estimator.to_owned()));
        }
        Style::Plain => {
            number("lr", plan.lr);
            number("kl_coef", plan.beta);
            number("group_size", plan.group as f64);
            number("batch_size", batch);
            number("max_new_tokens", plan.cap);
            number("temperature", plan.temperature);
            number("max_grad_norm", plan.max_grad_norm);
            number("total_steps", plan.steps as f64);
        }
    }
    for extra in &simulated.extras {
        match extra {
            Extra::Number(of, key, value) if *of == style.as_str() => config.insert(*key, ConfigValue::Number(*value)),
            Extra::Switch(of, key, value) if *of == style.as_str() => config.insert(*key, ConfigValue::Bool(*value)),
            Extra::Text(of, key, value) if *of == style.as_str() => {
                config.insert(*key, ConfigValue::Text((*value).to_owned()));
            }
            _ => {}
        }
    }
    config
}
