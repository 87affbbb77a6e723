//! Why a key that differs is no parameter: its role by its name (`settings::roles`), a value that may be a secret, or
//! values that do not group the runs.

use crate::SettingRole;
use crate::settings::is_path;
use rundown_diagnose::hyperparameter_of;

/// Why a key that differs between runs is not taken as a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExclusionReason {
    /// Its name is that of an id, a hash or an address.
    Id,
    /// Its name is that of a folder, a file or a path of an output.
    Path,
    /// Its name is that of a time, a date or a machine, or of a switch of videos or saved models.
    Circumstance,
    /// It names the run.
    Name,
    /// A seed: runs that differ in it alone are repetitions.
    Seed,
    /// It may be a secret.
    Secret,
    /// A text or whole number that differs in nearly every run.
    Unique,
    /// Only some runs have it, all with the same value.
    SomeRunsOnly,
}

impl ExclusionReason {
    /// The reason in words.
    pub fn words(self) -> &'static str {
        match self {
            ExclusionReason::Id => "an id",
            ExclusionReason::Path => "a path",
            ExclusionReason::Circumstance => "a time, a machine, or a switch of videos or saved models",
            ExclusionReason::Name => "a name of the run",
            ExclusionReason::Seed => "a seed",
            ExclusionReason::Secret => "perhaps a secret",
            ExclusionReason::Unique => "differs in nearly every run",
            ExclusionReason::SomeRunsOnly => "set in some runs only, always the same",
        }
    }
}

/// Last words of secrets.
const SECRETS: [&str; 6] = ["key", "apikey", "secret", "password", "passwd", "token"];

/// Why a key is no parameter by its role and its name. `is_text` is true where some run has a text in it.
pub(super) fn by_role(role: SettingRole, key: &str, is_text: bool) -> Option<ExclusionReason> {
    match role {
        SettingRole::Seed => Some(ExclusionReason::Seed),
        SettingRole::Name => Some(ExclusionReason::Name),
        SettingRole::Id => Some(ExclusionReason::Id),
        SettingRole::Place => Some(ExclusionReason::Path),
        SettingRole::Circumstance => Some(ExclusionReason::Circumstance),
        SettingRole::Hyperparameter => {
            (is_text && is_secret(key) && hyperparameter_of(key).is_none()).then_some(ExclusionReason::Secret)
        }
    }
}

fn is_secret(key: &str) -> bool {
    let end = key.rsplit(['.', '/', '_', '-']).next().unwrap_or(key);
    SECRETS.iter().any(|secret| end.eq_ignore_ascii_case(secret))
}

/// Why a key is no parameter by its values: `distinct` of them in `set` runs.
pub(super) fn by_values(key: &str, texts: &[impl AsRef<str>], numbers: &[f64], set: usize) -> Option<ExclusionReason> {
    if hyperparameter_of(key).is_some() {
        // Eight runs of eight models are eight copies of one, or compare nothing.
        return (numbers.is_empty() && set >= 8 && texts.len() == set).then_some(ExclusionReason::Unique);
    }
    let distinct = if numbers.is_empty() { texts.len() } else { numbers.len() };
    let nearly_all = distinct * 10 >= set * 9;
    if !numbers.is_empty() {
        // Times in seconds, and numbers that a tracker gave.
        let whole = numbers.iter().all(|number| number.fract() == 0.0 && *number >= 1e8);
        return (whole && nearly_all && set >= 3).then_some(ExclusionReason::Unique);
    }
    if texts.iter().all(|text| is_path(text.as_ref())) && distinct * 2 > set {
        return Some(ExclusionReason::Path);
    }
    (distinct >= 3 && (nearly_all || set >= 8 && distinct * 2 > set)).then_some(ExclusionReason::Unique)
}

/// True for a text that holds the run's own name or id, such as a folder made for it.
pub(super) fn holds_name(text: &str, name: &str, id: &str) -> bool {
    [name, id].iter().any(|own| own.len() >= 4 && text.contains(own))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::role_of;

    #[test]
    fn settings_stay() {
        for key in
            ["learning_rate", "lora_rank", "model_name", "dataset_path", "max_tokens", "env.name_of_map", "num_nodes"]
        {
            assert_eq!(by_role(role_of(key), key, key.contains("name")), None, "{key}");
        }
        assert_eq!(by_values("opponent", &["a", "b"], &[], 6), None);
        assert_eq!(by_values("dropout", &[""; 0], &[0.1, 0.2, 0.3], 3), None);
    }

    #[test]
    fn circumstances_go() {
        let cases = [
            ("seed", ExclusionReason::Seed),
            ("trainer.data_seed", ExclusionReason::Seed),
            ("output_dir", ExclusionReason::Path),
            ("run_name", ExclusionReason::Name),
            ("wandb.run_id", ExclusionReason::Name),
            ("git_commit", ExclusionReason::Id),
            ("hub_token", ExclusionReason::Secret),
            ("start_timestamp", ExclusionReason::Circumstance),
            ("hostname", ExclusionReason::Circumstance),
        ];
        for (key, why) in cases {
            assert_eq!(by_role(role_of(key), key, true), Some(why), "{key}");
        }
        assert_eq!(by_values("note", &["a", "b", "c", "d"], &[], 4), Some(ExclusionReason::Unique));
        assert_eq!(by_values("save_to", &["/a/1", "/a/2"], &[], 2), Some(ExclusionReason::Path));
        assert_eq!(by_values("began", &[""; 0], &[1.7e9, 1.71e9, 1.72e9], 3), Some(ExclusionReason::Unique));
    }
}
