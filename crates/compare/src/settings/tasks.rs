//! Settings that say what is trained on: rewards of other tasks are on another scale.

/// Last words in the keys of settings that define the tasks: harder tasks give less reward.
const TASKS: [&str; 14] = [
    "dataset",
    "datasets",
    "dataset_name",
    "dataset_path",
    "dataset_id",
    "dataset_config",
    "train_files",
    "train_file",
    "train_data",
    "task",
    "task_name",
    "env",
    "env_id",
    "env_name",
];

/// True for the key of a setting that defines the tasks.
pub(crate) fn names_tasks(key: &str) -> bool {
    let last = key.rsplit(['.', '/']).next().unwrap_or(key);
    TASKS.iter().any(|name| name.eq_ignore_ascii_case(last))
}

#[cfg(test)]
mod tests {
    use super::*;

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
