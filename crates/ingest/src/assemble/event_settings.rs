//! Whether the settings of two event files are those of one training: what says where it writes, how long it goes on and how
//! often it logs may differ between the starts of one.

use rundown_run::Run;

/// Words in the names of settings that say where a start writes, how long it goes on or how often it logs; lower case.
const BOOKKEEPING: [&str; 14] = [
    "dir", "path", "file", "name", "time", "date", "resume", "checkpoint", "save", "logging", "eval", "hub", "epochs",
    "steps",
];
/// Settings with such a word that change how the model is trained.
const OF_TRAINING: [&str; 3] = ["gradient_accumulation_steps", "warmup_steps", "model_name_or_path"];

/// True where both runs have settings and one that changes how the model is trained differs.
pub(super) fn are_different(run: &Run, later: &Run) -> bool {
    if run.config.is_empty() || later.config.is_empty() {
        return false;
    }
    // A setting that one of them lacks may be new in the version of a library.
    let differs = |(key, value)| later.config.get(key).is_some_and(|other| other != value) && !is_bookkeeping(key);
    run.config.iter().any(differs)
}

fn is_bookkeeping(key: &str) -> bool {
    let name = key.rsplit('.').next().unwrap_or(key);
    !OF_TRAINING.contains(&name) && name.split(['_', '-', '/']).any(|word| BOOKKEEPING.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::ConfigValue;

    fn run(settings: &[(&str, f64)]) -> Run {
        let mut run = Run::default();
        for (key, value) in settings {
            run.config.insert(*key, ConfigValue::Number(*value));
        }
        run
    }

    #[test]
    fn what_a_start_may_change_is_no_difference() {
        let first = run(&[("learning_rate", 1e-5), ("max_steps", 100.0), ("logging_dir", 1.0), ("warmup_steps", 5.0)]);
        let longer = run(&[("learning_rate", 1e-5), ("max_steps", 200.0), ("logging_dir", 2.0), ("use_new", 1.0)]);
        assert!(!are_different(&first, &longer) && !are_different(&first, &run(&[])));
        assert!(are_different(&first, &run(&[("learning_rate", 2e-5)])));
        assert!(are_different(&first, &run(&[("warmup_steps", 6.0)])));
    }
}
