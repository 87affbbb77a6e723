//! What the names in a row of metrics mean, whatever tool wrote it: which is the step, which is the time, what kind of
//! row it is, and what is no metric.

use std::borrow::Cow;

use super::counting::{has_fractions, is_counter, only_restarts, rises_from_each_start, rises_with_each, wanders};
use super::worded_step::worded_step;
use crate::syntax::json::plain_number;
use crate::syntax::python::called_number;
use rundown_run::{Column, Run, RunWarning, STEP_KEYS};

/// Objects that only wrap the metrics of a row; verl's FileLogger writes `{"step": 1, "data": {…}}`.
pub(crate) const WRAPPERS: [&str; 4] = ["data", "metrics", "logs", "values"];
/// Objects that hold settings.
pub(crate) const CONFIG_KEYS: [&str; 5] = ["config", "args", "hparams", "hyperparameters", "params"];
/// Last words of keys that say what kind of row it is: `split`, `log_type`.
const KIND_WORDS: [&str; 7] = ["type", "kind", "event", "split", "mode", "phase", "stage"];
/// Kinds of row whose metrics must not mix with those of training.
const EVALUATIONS: [(&str, &str); 9] = [
    ("eval", "eval/"),
    ("evaluation", "eval/"),
    ("val", "val/"),
    ("valid", "val/"),
    ("validation", "val/"),
    ("test", "test/"),
    ("dev", "val/"),
    ("heldout", "eval/"),
    ("holdout", "eval/"),
];
/// Words that say by themselves that it is an evaluation: as a flag of a row, or before the name of a metric.
const EVALUATION_FLAGS: [&str; 6] = ["eval", "evaluation", "val", "validation", "heldout", "holdout"];
/// Texts that a row of samples has and a row of metrics has not.
pub(super) const SAMPLE_KEYS: [&str; 8] =
    ["prompt", "prompts", "completion", "completions", "response", "responses", "output", "messages"];
/// Texts of which a row of samples has one of each kind: what was asked, and what was answered.
const QUESTION_KEYS: [&str; 6] = ["question", "problem", "query", "instruction", "input", "task"];
const ANSWER_KEYS: [&str; 10] = [
    "answer", "generated", "generated_text", "generation", "model_answer", "model_output", "pred", "prediction",
    "predicted", "solution",
];
/// Other names of the step, lower case, in order of trust.
const STEP_NAMES: [&str; 24] = [
    "step", "global_steps", "training_step", "train_step", "trainer_step",
    // What `n_grpo_steps` plans: each may have several updates, and some rows are of none of them.
    "grpo_step", "ppo_step", "rl_step", "optimizer_step", "opt_step", "iteration", "iterations", "iter", "update",
    "updates", "steps", "current_steps", "current_step", "training_iteration", "timesteps_total", "total_timesteps",
    "num_timesteps", "timesteps", "timestep",
];
/// Names of counters within a group of metrics, as in `time/total_timesteps`, the finest first; lower case.
const GROUPED_STEPS: [&str; 6] =
    ["total_timesteps", "num_timesteps", "timesteps_total", "global_step", "step", "iterations"];
/// Names of counters of what holds many steps, which count the rows where nothing finer does; lower case.
const COARSE_STEPS: [&str; 5] = ["episode", "ep", "rollout", "batch_index", "batch_idx"];
/// The same with those that begin again.
pub(crate) const COARSE_COUNTERS: [&str; 4] = ["episode", "rollout", "epoch", "batch"];
/// Names of counters that count on while the number of steps in each of what they count goes up and down; lower case.
const STEADY_COUNTERS: [&str; 4] = ["episode", "ep", "rollout", "epoch"];
/// Names that may hold a time of day; the value decides.
const TIME_NAMES: [&str; 10] =
    ["_timestamp", "ts", "timestamp", "wall_time", "wall time", "time", "_time", "datetime", "date", "created_at"];

/// The prefix of the metrics in a row of this kind.
pub(crate) fn evaluation(kind: &str) -> Option<&'static str> {
    EVALUATIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(kind)).map(|(_, prefix)| *prefix)
}

/// The prefix of the metrics under a name that has a word of evaluations, such as `eval_history` or `evals`.
pub(crate) fn evaluation_in_name(name: &str) -> Option<&'static str> {
    let of_word = |word: &str| evaluation(word).or_else(|| evaluation(word.strip_suffix('s')?));
    name.split(|letter: char| !letter.is_alphanumeric()).find_map(of_word)
}

/// The prefix of the metrics in a row with this flag set: `"eval": true`. With `"test": true` the whole run may be a
/// trial.
pub(crate) fn evaluation_flag(key: &str) -> Option<&'static str> {
    let name = key.strip_prefix("is_").unwrap_or(key);
    evaluation(name).filter(|_| is_one_of(name, &EVALUATION_FLAGS))
}

/// True for a name whose first word says that it is of an evaluation: `val/acc`, `eval_reward`. `test_pass_rate` may be of
/// the tests in a task.
pub(crate) fn is_of_evaluation(name: &str) -> bool {
    // Asked of every field of a verl line: most names begin with another letter, and the first word need not be found.
    let letter = |name: &str| name.bytes().next().map(|letter| letter.to_ascii_lowercase());
    if !EVALUATION_FLAGS.iter().any(|flag| letter(flag) == letter(name)) {
        return false;
    }
    let first = name.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or(name);
    is_one_of(first, &EVALUATION_FLAGS)
}

/// The name of a metric of an evaluation: `prefix` stands before it, unless it counts steps or its own first word says that it
/// is of an evaluation.
pub(crate) fn evaluation_name<'k>(key: &'k str, prefix: &str) -> Cow<'k, str> {
    let first = key.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or(key);
    let is_named = first.eq_ignore_ascii_case(prefix.trim_end_matches('/')) || is_of_evaluation(key);
    if is_step_name(key) || is_named { Cow::Borrowed(key) } else { Cow::Owned(format!("{prefix}{key}")) }
}

/// True for a key whose texts or lists are those of samples.
pub(crate) fn is_sample_key(key: &str) -> bool {
    SAMPLE_KEYS.contains(&key)
}

/// True for a key whose texts are what a model was asked.
pub(super) fn is_question_key(key: &str) -> bool {
    QUESTION_KEYS.contains(&key)
}

/// True for a key whose texts are answers, of a model or of a data set.
pub(super) fn is_answer_key(key: &str) -> bool {
    ANSWER_KEYS.contains(&key)
}

/// True for a key whose texts say what kind of row it is.
pub(crate) fn is_kind_key(key: &str) -> bool {
    let last = key.rsplit(['_', '.', '/', ' ']).next().unwrap_or(key);
    KIND_WORDS.iter().any(|word| word.eq_ignore_ascii_case(last))
}

/// True for a key whose texts say what kind of row it is, or when it was written.
pub(crate) fn is_row_text(name: &str) -> bool {
    is_kind_key(name) || is_time_name(name)
}

/// True for every name under which a step is known.
pub(crate) fn is_step_name(name: &str) -> bool {
    STEP_KEYS.contains(&name) || is_one_of(name, &STEP_NAMES) || name == "_step"
}

/// True for a name whose numbers are those of a metric, whatever they are: none of a time, nor of the tracker itself.
pub(crate) fn is_metric_name(name: &str) -> bool {
    !name.starts_with('_') && !is_time_name(name)
}

/// A number that a logger wrote as text: a step, one with a point or an exponent, or an array of one as Python prints it.
/// Other digits may be a name.
pub(super) fn written_number(key: &str, text: &str) -> Option<f64> {
    const LONGEST: usize = 32;
    let is_meant = || is_step_name(key) || text.contains(['.', 'e', 'E']);
    let plain = (text.len() <= LONGEST && is_meant()).then(|| plain_number(text.as_bytes())).flatten();
    plain.or_else(|| called_number(text))
}

/// True for a column without which no run can be diagnosed.
pub(super) fn is_essential(name: &str) -> bool {
    is_step_name(name) || is_time_name(name) || memchr::memmem::find(name.as_bytes(), b"reward").is_some()
}

/// True for a name under which a row's time is known.
pub(crate) fn is_time_name(name: &str) -> bool {
    is_one_of(name, &TIME_NAMES)
}

/// True for a name of what counts: a step, an episode, an epoch, a batch, a checkpoint.
pub(crate) fn is_count_name(name: &str) -> bool {
    is_step_name(name) || is_one_of(name, &COARSE_COUNTERS) || name.eq_ignore_ascii_case("checkpoint")
}

/// True where an episode, an epoch or a batch counts the rows of a run: whole, and rising from row to row but for the
/// places where it begins again.
pub(crate) fn has_coarse_counter(run: &Run) -> bool {
    let counts = |column: &Column| column.len() == run.row_steps.len() && is_counter(column.values());
    run.columns.iter().any(|(name, column)| is_one_of(name, &COARSE_COUNTERS) && counts(column))
}

/// A step column of another name becomes `step`; of several the first one that most rows have, as rows of rollouts count no updates.
/// So does one within a group of metrics that rises in each row; with no counter at all, so does the only column that is called
/// `…_step`, and an episode or a rollout that rises with each row is the step, or the epoch. Numbers with fractions count no steps,
/// and numbers that go up and down beside a counter that does not are lengths: those of the episodes.
pub(crate) fn settle_step(run: &mut Run, has_counter: bool) {
    let has_points = |column: &Column| column.values().iter().any(|value| value.is_finite());
    if STEP_KEYS.iter().any(|key| run.columns.get(*key).is_some_and(has_points)) {
        return;
    }
    let same_name = |known: &str| run.columns.keys().find(|name| is_same_name(name, known)).cloned();
    let values = |name: &String| run.columns.get(name).map(Column::values).unwrap_or_default();
    let candidates =
        || STEP_NAMES.iter().filter_map(|known| same_name(known)).filter(|name| !has_fractions(values(name)));
    let steady = || candidates().find(|name| !wanders(values(name)));
    // Not of each row: the last one may only say that the run is done. One that begins again may count within an episode.
    let most = candidates().map(|name| values(&name).len()).max();
    let in_most_rows = |name: &String| {
        let values = values(name);
        Some(values.len()) == most && values.is_sorted() && values.first() < values.last()
    };
    if let Some(name) = candidates().find(in_most_rows).or_else(|| candidates().next()) {
        let is_as_long = |other: &String| values(other).len() >= values(&name).len();
        let counts = |other: &String| is_as_long(other) && only_restarts(values(other));
        let coarse = || STEADY_COUNTERS.iter().filter_map(|known| same_name(known)).find(counts);
        let is_length = wanders(values(&name));
        match (is_length.then(steady).flatten().filter(is_as_long), is_length.then(coarse).flatten()) {
            (None, Some(_)) if has_counter => {}
            (None, Some(counter)) => count_by(run, counter),
            (other, _) => {
                if let Some(column) = run.columns.remove(&other.unwrap_or(name)) {
                    run.columns.insert("step".to_owned(), column);
                }
            }
        }
        return;
    }
    let rows = run.row_steps.len();
    let named = grouped_step(run).or_else(|| if has_counter { None } else { worded_step(run) });
    if let Some(column) = named.and_then(|name| run.columns.remove(&name)) {
        run.columns.insert("step".to_owned(), column);
        return;
    }
    if has_counter {
        return;
    }
    let same_name = |known: &str| run.columns.keys().find(|name| is_same_name(name, known)).cloned();
    // A counter that begins again may count within each epoch; without epochs another run begins there.
    let has_epochs = same_name("epoch").is_some();
    let rises = |values: &[f64]| if has_epochs { rises_with_each(values) } else { rises_from_each_start(values, 0) };
    let counts = |column: &Column| column.len() == rows && rises(column.values());
    let is_counter = |name: &&String| is_one_of(name, &COARSE_STEPS) && run.columns.get(*name).is_some_and(counts);
    let counter = run.columns.keys().find(is_counter).cloned().or_else(|| same_name("epoch"));
    if let Some(counter) = counter {
        count_by(run, counter);
    }
}

/// The counter of steps within a group of metrics. A row of an evaluation may repeat that of the training: one in five.
fn grouped_step(run: &Run) -> Option<String> {
    let rows = run.row_steps.len();
    let counts = |column: &Column| column.len() == rows && rises_from_each_start(column.values(), rows / 5);
    let is_last = |name: &str, known: &str| name.rsplit_once('/').is_some_and(|(_, last)| is_same_name(last, known));
    GROUPED_STEPS.iter().find_map(|known| {
        let mut columns = run.columns.iter();
        columns.find(|(name, column)| is_last(name, known) && counts(column)).map(|(name, _)| name.clone())
    })
}

/// Makes a counter of something else the step.
fn count_by(run: &mut Run, counter: String) {
    if let Some(column) = run.columns.get(&counter).cloned() {
        run.columns.insert("step".to_owned(), column);
        run.warnings.push(RunWarning::StepsFromCounter { counter });
    }
}

/// The column that counts the steps of each row, by its name; of steps before what holds many of them, even where only some rows
/// have one.
pub(super) fn counter_of(run: &Run) -> Option<&Column> {
    let rows = run.row_steps.len();
    let named = |known: &&str| run.columns.iter().find(|(name, _)| is_same_name(name, known)).map(|(_, column)| column);
    let steps = || STEP_KEYS.iter().chain(&STEP_NAMES).filter_map(named);
    let of_each_row = steps().find(|column| column.len() == rows).or_else(|| steps().next());
    of_each_row.or_else(|| COARSE_STEPS.iter().chain(&["epoch"]).find_map(named))
}

/// True for one of these names, in any letter case, its words joined by underscores, spaces or hyphens.
pub(crate) fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|other| is_same_name(name, other))
}

fn is_same_name(name: &str, known: &str) -> bool {
    let is_same = |(letter, known): (u8, u8)| {
        letter.eq_ignore_ascii_case(&known) || (known == b'_' && matches!(letter, b' ' | b'-'))
    };
    name.len() == known.len() && name.bytes().zip(known.bytes()).all(is_same)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(key: &str, values: &[f64]) -> Run {
        let mut run = Run::default();
        for value in values {
            let row = run.push_row(f64::from(run.row_steps.len() as u32), f64::NAN);
            run.push_value(key, row, *value);
        }
        run
    }

    #[test]
    fn an_episode_that_rises_with_each_row_is_the_step() {
        let step = |key: &str, values: &[f64], has_counter| {
            let mut run = run(key, values);
            settle_step(&mut run, has_counter);
            run.columns.contains_key("step")
        };
        assert!(step("Episode", &[5.0, 10.0, 15.0], false));
        assert!(!step("episode", &[5.0, 10.0, 15.0], true), "the tracker counts");
        assert!(step("episode", &[1.0, 2.0, 3.0, 4.0, 5.0, 1.0, 2.0, 3.0, 4.0, 5.0], false), "two runs");
        assert!(!step("episode", &[1.0, 2.0, 1.0, 2.0, 1.0, 2.0], false), "numbers of something else");
        assert!(!step("episode", &[1.0, 1.0, 2.0], false) && !step("rollout", &[0.5, 0.7], false));
    }

    #[test]
    fn a_counter_within_a_group_is_the_step_where_it_rises_in_each_row() {
        let step = |key: &str, values: &[f64]| {
            let mut run = run(key, values);
            settle_step(&mut run, true);
            run.columns.contains_key("step")
        };
        assert!(step("time/total_timesteps", &[2048.0, 4096.0, 6144.0]) && step("time/iterations", &[1.0, 2.0, 3.0]));
        assert!(step("time/total_timesteps", &[10.0, 20.0, 30.0, 30.0, 40.0]), "an evaluation");
        assert!(!step("time/total_timesteps", &[10.0, 20.0, 20.0, 20.0, 40.0]));
        assert!(!step("rollout/step", &[12.0, 9.0, 31.0]), "lengths");
        assert!(!step("timing/step", &[0.5, 0.7, 0.9]), "seconds");
    }

    #[test]
    fn the_length_of_an_episode_is_no_step() {
        let lengths: Vec<f64> = (0..40).map(|row| f64::from(10 + row * 7 % 11)).collect();
        let counted = |columns: &[(&str, Vec<f64>)]| {
            let mut run = run(columns[0].0, &columns[0].1);
            for (name, values) in &columns[1..] {
                (0..).zip(values).for_each(|(row, value)| run.push_value(name, row, *value));
            }
            settle_step(&mut run, false);
            run.columns.get("step").map(|column| column.values().to_vec())
        };
        let each = |every: usize| (0..40).map(|row| (row / every) as f64).collect::<Vec<f64>>();
        let steps = || ("steps", lengths.clone());
        for counter in ["episode", "ep", "epoch", "rollout"] {
            assert_eq!(counted(&[steps(), (counter, each(1))]), Some(each(1)), "{counter}");
            assert_eq!(counted(&[steps(), (counter, each(2))]), Some(each(2)), "{counter}: two rows of each");
        }
        assert_eq!(counted(&[steps(), ("total_timesteps", each(1))]), Some(each(1)));
        assert_eq!(counted(&[steps()]), Some(lengths.clone()), "nothing else counts");
        assert_eq!(counted(&[steps(), ("episode", lengths.clone())]), Some(lengths.clone()));
        let within: Vec<f64> = (0..40).map(|row| f64::from(row % 8)).collect();
        assert_eq!(
            counted(&[("iter", within.clone()), ("epoch", each(8))]),
            Some(within),
            "begins again in each epoch"
        );
        let means: Vec<f64> = (0..40).map(|row| 20.5 + f64::from(row)).collect();
        assert_eq!(counted(&[("steps", means), ("reward", each(1))]), None, "means of lengths");
    }

    #[test]
    fn the_counter_that_most_rows_have_counts_before_one_of_some_rows() {
        let mut run = Run::default();
        for row in 0..12 {
            run.push_row(f64::from(row), f64::NAN);
            run.push_value("grpo_step", row, f64::from(row / 3));
            if row % 3 > 0 {
                run.push_value("optimizer_step", row, f64::from(row));
            }
        }
        let done = run.push_row(12.0, f64::NAN);
        run.push_value("seconds", done, 90.0);
        settle_step(&mut run, false);
        assert_eq!((run.columns["step"].len(), run.columns["step"].last()), (12, Some(3.0)));
        assert_eq!(run.columns["optimizer_step"].len(), 8);
        let mut run = self::run("timestep", &[0.0, 1.0, 2.0, 3.0, 4.0, 0.0, 1.0, 2.0, 3.0, 4.0]);
        (4..8).for_each(|row| run.push_value("train_step", row, f64::from(row)));
        settle_step(&mut run, false);
        assert_eq!(run.columns["step"].values(), [4.0, 5.0, 6.0, 7.0], "begins again with each episode");
    }

    #[test]
    fn a_step_of_the_algorithm_counts_before_its_updates() {
        let mut run = run("grpo_step", &[0.0, 1.0, 1.0, 1.0, 2.0]);
        (0..5).for_each(|row| run.push_value("optimizer_step", row, f64::from(row)));
        settle_step(&mut run, false);
        assert_eq!(run.columns["step"].values(), [0.0, 1.0, 1.0, 1.0, 2.0]);
        assert!(run.columns.contains_key("optimizer_step"));
    }

    #[test]
    fn the_words_of_a_step_may_be_joined_in_any_way() {
        for name in ["total timesteps", "Total Timesteps", "training-step", "GLOBAL_STEPS"] {
            let mut run = run(name, &[10.0, 20.0, 30.0]);
            settle_step(&mut run, false);
            assert!(is_step_name(name) && run.columns.contains_key("step"), "{name}");
        }
        assert!(!is_step_name("total_time_steps_left") && !is_step_name("steps per second"));
    }

    #[test]
    fn counters_of_many_steps_count_rows() {
        assert!(has_coarse_counter(&run("batch", &[0.0, 1.0, 2.0, 3.0, 4.0, 0.0, 1.0, 2.0])));
        assert!(!has_coarse_counter(&run("batch", &[32.0, 32.0])));
        assert!(!has_coarse_counter(&run("id", &[1.0, 2.0])));
    }
}
