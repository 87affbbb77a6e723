//! The planned number of steps, from the total of the progress bar that counts the run's steps.
//!
//! A log of a training that stopped early has the same rows as one of a short training: only the bar tells that 22 of 4,000 steps
//! were taken.

use crate::formats::console::dicts::Bars;
use crate::rows::plan;
use rundown_run::{Run, RunState};

/// Notes the total of the bar whose count at the end of the log is the step of the last row, unless settings say how many steps
/// were planned. Of several trainings in one log the settings are common, and their totals may differ.
pub(super) fn note_plan(run: &mut Run, bars: &Bars, is_framework: bool) {
    if !run.starts_at.is_empty() {
        return;
    }
    let Some((last, distance)) = last_step(run) else { return };
    let Some((done, total)) = bars.counting(last, distance, is_framework) else { return };
    plan::note_setting(run, total as f64);
    let ending = &mut run.ending;
    if ending.state != RunState::Unknown || !ending.evidence.is_empty() {
        // What stopped it came later than the last row.
        let was_stopped = !matches!(ending.state, RunState::Unknown | RunState::Finished);
        let is_ahead = was_stopped && done as f64 > last;
        ending.evidence.extend(is_ahead.then(|| plan::bar_evidence(done, total)));
        return;
    }
    if done == total && total as f64 - last < distance {
        run.ending.state = RunState::Finished;
    }
    run.ending.evidence = vec![plan::bar_evidence(done, total)];
}

/// The last step, and its distance from the one before; of a single step that itself.
fn last_step(run: &Run) -> Option<(f64, f64)> {
    let mut values = plan::step_column(run)?.values().iter().rev();
    let last = *values.next()?;
    let before = values.find(|step| **step != last).copied().unwrap_or(0.0);
    Some((last, (last - before).max(1.0)))
}

#[cfg(test)]
mod tests {
    use crate::formats::console::LogMetrics;
    use rundown_run::{Run, RunState};

    fn read(lines: &[String]) -> Run {
        let mut metrics = LogMetrics::default();
        lines.iter().for_each(|line| metrics.add(line));
        metrics.finish()
    }

    fn planned(run: &Run) -> Option<f64> {
        run.config.number(&["max_steps"]).map(|(_, planned)| planned)
    }

    fn bar(name: &str, done: u32, total: u32) -> String {
        format!("{name}  1%|#  | {done}/{total} [01:00<09:00, 6.0s/it]")
    }

    /// Rows of the Trainer, each with its bar.
    fn trainer(rows: u32, total: u32) -> Vec<String> {
        (1..=rows).flat_map(|row| [bar("", row, total), format!("{{'loss': 0.{row}, 'epoch': 1.{row:03}}}")]).collect()
    }

    #[test]
    fn the_total_of_the_bar_is_the_plan() {
        let run = read(&trainer(22, 4000));
        assert_eq!((planned(&run), run.ending.state), (Some(4000.0), RunState::Unknown));
        assert_eq!(run.ending.evidence, ["the progress bar ended at step 22 of 4000"]);
        let whole = read(&trainer(22, 22));
        assert_eq!((planned(&whole), whole.ending.state), (Some(22.0), RunState::Finished));
    }

    #[test]
    fn a_bar_that_went_on_behind_the_last_row_tells_how_far_a_killed_run_came() {
        let row = |step: u32| [bar("", step, 40), format!("{{'loss': 0.{step}, 'epoch': 1.0{step}}}")];
        let killed = "Traceback (most recent call last):\nx.api.SignalException: Process 7 got signal: 1";
        let lines: Vec<String> = [row(10), row(20), row(30), [bar("", 38, 40), killed.to_owned()]].concat();
        let lines: Vec<String> = lines.iter().flat_map(|line| line.lines()).map(str::to_owned).collect();
        let run = read(&lines);
        assert_eq!(run.ending.state, RunState::Killed);
        assert_eq!(run.ending.evidence.last().unwrap(), "the progress bar ended at step 38 of 40");
        let row =
            |step: u32| [bar("Training Progress", step, 40), format!("step {step}: loss=0.{step}, reward=0.{step}")];
        let run = read(&[&[8, 16, 24, 32].map(row).concat()[..], &[bar("Training Progress", 38, 40)]].concat());
        assert_eq!((run.row_steps.len(), run.ending.state), (4, RunState::Unknown));
        assert_eq!(run.ending.evidence, ["the progress bar ended at step 38 of 40"], "once");
    }

    #[test]
    fn settings_say_it_first() {
        let settings = ["GRPOConfig(", "beta=0.04,", "max_steps=50,", ")"].map(str::to_owned);
        assert_eq!(planned(&read(&[&settings[..], &trainer(9, 40)].concat())), Some(50.0));
        let unlimited = ["GRPOConfig(", "beta=0.04,", "max_steps=-1,", ")"].map(str::to_owned);
        let other = ["GRPOConfig(", "beta=0.04,", "total_training_steps=40,", ")"].map(str::to_owned);
        assert_eq!(planned(&read(&[&other[..], &trainer(9, 40)].concat())), None, "under its own name");
        assert_eq!(planned(&read(&[&unlimited[..], &trainer(9, 40)].concat())), Some(40.0), "one epoch, or some");
    }

    #[test]
    fn dictionaries_may_say_it_themselves() {
        let row = |step: u32| {
            format!(
                "{{'loss': 0.{step}, 'reward': 0.{step}, 'epoch': 0.{step}, 'global_step/max_steps': '{step}/9', 'elapsed_time': '{step}m 20s'}}"
            )
        };
        let closing = "{'train_runtime': 9.5, 'epoch': 1.0, 'global_step/max_steps': '9/9', 'elapsed_time': '10m'}";
        let run = read(&[row(1), row(2), row(9), closing.to_owned()]);
        assert_eq!((planned(&run), run.ending.state), (Some(9.0), RunState::Finished));
        assert_eq!(
            (run.columns["global_step"].values(), &run.row_times[..]),
            (&[1.0, 2.0, 9.0][..], &[80.0, 140.0, 560.0][..])
        );
        assert!(["max_steps", "elapsed_time"].iter().all(|name| !run.columns.contains_key(*name)));
    }

    #[test]
    fn a_bar_that_counts_something_else_is_no_plan() {
        let mapped = [vec![bar("Map", 9, 9), bar("Loading", 30, 400)], trainer(9, 40)].concat();
        assert_eq!(planned(&read(&mapped)), Some(40.0));
        let evaluated = [trainer(9, 40), vec![bar("", 1, 500), bar("", 500, 500)]].concat();
        assert_eq!(planned(&read(&evaluated)), Some(40.0));
        let row = |step: u32| format!("step {step}: reward=0.{step}, loss=0.5");
        let inner = (1..=9).flat_map(|step| [bar("Rollouts", 3, 9), bar("Rollouts", 9, 9), row(step)]);
        assert_eq!(planned(&read(&inner.collect::<Vec<_>>())), None);
    }

    #[test]
    fn a_bar_beside_the_rows_of_verl_or_of_a_loop_is_the_plan() {
        let verl = (1..=5).flat_map(|step| {
            let bar = bar("(T pid=1) Training Progress:", step, 435);
            [format!("(T pid=1) step:{step} - actor/kl:0.00{step} - critic/score/mean:0.{step}"), bar]
        });
        assert_eq!(planned(&read(&verl.collect::<Vec<_>>())), Some(435.0));
        let row = |step: u32| format!("step {step}: reward=0.{step}, loss=0.5");
        let of_loop =
            |name: &str| -> Vec<String> { (1..=9).flat_map(|step| [row(step), bar(name, step, 200)]).collect() };
        assert_eq!(planned(&read(&of_loop("GRPO"))), Some(200.0));
        assert_eq!(planned(&read(&of_loop("Epoch 1"))), None, "of one epoch");
        let epochs = [of_loop(""), of_loop("")].concat();
        assert_eq!(planned(&read(&epochs)), None, "it begins again with each epoch");
    }
}
