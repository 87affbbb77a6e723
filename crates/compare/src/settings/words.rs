//! The words for a setting: experiments and the default config name it alike.

use rundown_diagnose::hyperparameter_of;

/// A setting in the words of the field; its key where it is no known one.
pub(crate) fn words_of(key: &str) -> String {
    hyperparameter_of(key).map_or_else(|| key.to_owned(), |known| known.words().to_owned())
}
