//! Runs that were trained on other tasks: among them a reward says nothing of any setting.

use std::collections::BTreeMap;

use super::{MIN_RUNS_FOR_EFFECTS, Parameter, ParameterLevel};
use crate::settings::names_tasks;

/// Parts of a path from its end that name the data.
const PATH_PARTS: usize = 2;

/// For each run whether its tasks are others than those that most runs with a value have in common. Runs that do not record
/// them may be on the same.
///
/// Where most runs have tasks that few others have, such as a path of their own to the same data, no run is left out.
pub(crate) fn of_other_tasks(parameters: &[Parameter], values: &[Option<f64>]) -> Vec<bool> {
    let mut is_other = vec![false; values.len()];
    let of_tasks =
        |parameter: &&Parameter| names_tasks(&parameter.key) || parameter.same.iter().any(|key| names_tasks(key));
    for parameter in parameters.iter().filter(of_tasks) {
        let tasks = distinct_tasks(parameter);
        let task_of = |run: usize| tasks.get(parameter.level_of(run)?).copied();
        let mut counts = vec![0_usize; parameter.levels.len()];
        for ((run, value), is_other) in values.iter().enumerate().zip(&is_other) {
            let task = task_of(run).filter(|_| value.is_some() && !*is_other);
            task.and_then(|task| counts.get_mut(task)).into_iter().for_each(|count| *count += 1);
        }
        let all: usize = counts.iter().sum();
        // Tasks are compared without the others where a setting can be tested among their runs.
        let of_many: usize = counts.iter().filter(|count| **count >= MIN_RUNS_FOR_EFFECTS).sum();
        if of_many == 0 || 2 * of_many < all {
            continue;
        }
        let most = counts.iter().max();
        let kept = counts.iter().position(|count| Some(count) == most);
        for (run, is_other) in is_other.iter_mut().enumerate() {
            *is_other |= task_of(run).is_some_and(|task| Some(task) != kept);
        }
    }
    is_other
}

/// For each level the first one of the same tasks: a path to the same data may begin with another machine's folders.
fn distinct_tasks(parameter: &Parameter) -> Vec<usize> {
    let mut first: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let of_level = |(place, level): (usize, &ParameterLevel)| {
        let end = level.text().rsplit('/').take(PATH_PARTS).map(str::to_owned).collect();
        *first.entry(end).or_insert(place)
    };
    parameter.levels.iter().enumerate().map(of_level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters;
    use crate::testing::{refs, summary};
    use rundown_run::ConfigValue;

    #[test]
    fn the_tasks_that_most_runs_share_are_kept() {
        let others = |of: fn(usize) -> Option<usize>| -> Vec<usize> {
            let made = (0..24_usize).map(|run| {
                let mut made = summary(&[("learning_rate", ConfigValue::Number(1e-6 * (1 + run % 2) as f64))]);
                if let Some(task) = of(run) {
                    made.config.insert("env_id", ConfigValue::Text(format!("task-{task}")));
                }
                made
            });
            let made: Vec<_> = made.collect();
            let is_other = of_other_tasks(&parameters(&refs(&made)).varying, &[Some(0.5); 24]);
            (0..24_usize).filter(|run| is_other[*run]).collect()
        };
        assert_eq!(others(|run| Some(usize::from(run < 8))), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(others(|run| Some(run / 12)), (12..24).collect::<Vec<usize>>(), "the first of equal ones");
        assert!(others(|run| Some(run % 6)).is_empty(), "four of each");
        assert!(others(|run| Some(if run < 9 { 0 } else { run / 2 })).is_empty(), "nine of one, and pairs");
        assert_eq!(others(|run| (run > 0).then_some(usize::from(run == 5))), [5], "one that records none stays");
    }

    #[test]
    fn the_same_data_in_another_folder_is_the_same() {
        let made = (0..24_usize).map(|run| {
            let folder = ["/home/a", "/scratch/b"][run % 2];
            summary(&[("data.train_files", ConfigValue::Text(format!("{folder}/gsm8k/train.parquet")))])
        });
        let made: Vec<_> = made.collect();
        let is_other = of_other_tasks(&parameters(&refs(&made)).varying, &[Some(0.5); 24]);
        assert!(is_other.iter().all(|is_other| !is_other), "{is_other:?}");
    }
}
