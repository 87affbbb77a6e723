//! Settings that say what is trained on: rewards of other tasks are on another scale.

use crate::RunSummary;
use rundown_run::ConfigValue;

/// Last words in the keys of settings that define the tasks: harder tasks give less reward.
const TASKS: [&str; 14] = [
    "dataset", "datasets", "dataset_name", "dataset_path", "dataset_id", "dataset_config", "train_files", "train_file",
    "train_data", "task", "task_name", "env", "env_id", "env_name",
];

/// Those of them that hold a name and no path: the same data may lie in a folder of its own for each run.
const NAMED_TASKS: [&str; 5] = ["task", "task_name", "env", "env_id", "env_name"];

/// True for the key of a setting that defines the tasks.
pub fn names_tasks(key: &str) -> bool {
    ends_in(key, &TASKS)
}

fn ends_in(key: &str, names: &[&str]) -> bool {
    let last = key.rsplit(['.', '/']).next().unwrap_or(key);
    names.iter().any(|name| name.eq_ignore_ascii_case(last))
}

/// Which runs name another environment or task than one run. Runs that name none may be on the same.
pub(crate) fn names_other_tasks<'s>(than: &'s RunSummary) -> impl Fn(&RunSummary) -> bool + use<'s> {
    let task = |(key, value): (&'s str, &'s ConfigValue)| match value {
        ConfigValue::Text(task) if ends_in(key, &NAMED_TASKS) => Some((key, task)),
        _ => None,
    };
    let tasks: Vec<(&'s str, &'s String)> = than.config.iter().filter_map(task).collect();
    move |other: &RunSummary| {
        tasks
            .iter()
            .any(|(key, task)| matches!(other.config.get(key), Some(ConfigValue::Text(found)) if found != *task))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::summary;

    #[test]
    fn runs_are_on_other_tasks_where_both_name_them() {
        let on = |key: &str, task: &str| summary(&[(key, ConfigValue::Text(task.to_owned()))]);
        let (ant, hopper) = (on("args.env_id", "Ant-v4"), on("args.env_id", "Hopper-v4"));
        let is_other = names_other_tasks(&ant);
        assert!(is_other(&hopper) && !is_other(&ant) && !is_other(&summary(&[])) && !is_other(&on("env", "x")));
        assert!(!names_other_tasks(&summary(&[]))(&hopper));
        // Data may lie in a folder of its own.
        let (one, two) = (on("train_files", "/a/1.parquet"), on("train_files", "/b/2.parquet"));
        assert!(!names_other_tasks(&one)(&two));
    }

    #[test]
    fn the_last_word_of_a_key_names_the_tasks() {
        for key in ["env", "data.train_files", "args/Dataset_Name"] {
            assert!(names_tasks(key), "{key}");
        }
        for key in ["num_envs", "dataset.shuffle", "task.timeout", ""] {
            assert!(!names_tasks(key), "{key}");
        }
    }
}
