//! One setting that runs differ in.

use std::borrow::Cow;

use rundown_diagnose::Hyperparameter;
use rundown_format::{learning_rate, short};

/// What the values of a parameter are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// Numbers, compared as they are.
    Number,
    /// Numbers whose positive values span two decades or more: compared by their logarithm. A zero stands one decade
    /// below the smallest of them.
    Logarithm,
    /// On or off.
    Switch,
    /// Words, lists, or a number against none.
    Category,
}

/// One value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterLevel {
    /// The number; 0 or 1 of a switch, NaN of words.
    pub value: f64,
    /// As it is written, where that is not [`written`]: ten thousand runs of a random search have as many numbers, of
    /// which few are shown.
    pub(super) wording: Option<String>,
}

impl ParameterLevel {
    /// As it is written.
    pub fn text(&self) -> Cow<'_, str> {
        wording_or_number(self.wording.as_deref(), self.value)
    }
}

/// A value as it is written: in its own words, else as [`written`].
pub(super) fn wording_or_number(wording: Option<&str>, value: f64) -> Cow<'_, str> {
    wording.map_or_else(|| Cow::Owned(written(value, false)), Cow::Borrowed)
}

/// Another parameter that changes along with one.
#[derive(Debug, Clone, PartialEq)]
pub struct CorrelatedSetting {
    /// Its key.
    pub key: String,
    /// Spearman's correlation of the two over the runs.
    pub rho: f64,
}

/// A setting that runs differ in.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The key under which most runs have it.
    pub key: String,
    /// The setting in the words of the field; the key where it is no known one.
    pub words: String,
    /// The known setting.
    pub hyperparameter: Option<Hyperparameter>,
    /// What its values are.
    pub kind: ParameterKind,
    /// Its values: numbers ascending, words by the alphabet.
    pub levels: Vec<ParameterLevel>,
    /// For each run the place of its value in `levels`; `None` where it has none.
    pub of: Vec<Option<usize>>,
    /// Keys that split the runs in exactly the same way: their effects cannot be told from this one's.
    pub same: Vec<String>,
    /// Parameters that change along with it, |rho| above 0.8: their effects can hardly be told apart.
    pub near: Vec<CorrelatedSetting>,
}

impl Parameter {
    /// True when its values have an order.
    pub fn is_ordered(&self) -> bool {
        self.kind != ParameterKind::Category
    }

    /// True for numbers.
    pub fn is_number(&self) -> bool {
        matches!(self.kind, ParameterKind::Number | ParameterKind::Logarithm)
    }

    /// The place of a run's value.
    pub fn level_of(&self, run: usize) -> Option<usize> {
        self.of.get(run).copied().flatten()
    }

    /// The value of a run.
    pub fn value_of(&self, run: usize) -> Option<&ParameterLevel> {
        self.levels.get(self.level_of(run)?)
    }

    /// Where a value lies on the scale on which it is compared; NaN for words.
    pub fn place(&self, level: usize) -> f64 {
        self.levels.get(level).map_or(f64::NAN, |level| self.place_of(level.value))
    }

    /// Where a number lies on that scale.
    pub fn place_of(&self, value: f64) -> f64 {
        match self.kind {
            ParameterKind::Category => f64::NAN,
            ParameterKind::Number | ParameterKind::Switch => value,
            ParameterKind::Logarithm if value > 0.0 => libm::log10(value),
            ParameterKind::Logarithm => {
                let least = self.levels.iter().map(|level| level.value).filter(|value| *value > 0.0);
                libm::log10(least.fold(f64::INFINITY, f64::min)) - 1.0
            }
        }
    }

    /// The number at a place of the scale.
    pub fn value_at(&self, place: f64) -> f64 {
        if self.kind == ParameterKind::Logarithm { libm::pow(10.0, place) } else { place }
    }

    /// True when all of its numbers are whole.
    pub fn is_whole(&self) -> bool {
        self.is_number() && self.levels.iter().all(|level| level.value.fract() == 0.0)
    }

    /// A number as this parameter's values are written.
    pub fn written(&self, value: f64) -> String {
        written(
            value,
            matches!(self.hyperparameter, Some(Hyperparameter::LearningRate | Hyperparameter::CriticLearningRate)),
        )
    }
}

/// A number as configs have it: whole ones with every digit, learning rates as powers.
pub(crate) fn written(value: f64, is_rate: bool) -> String {
    if is_rate { learning_rate(value) } else { short(value) }
}
