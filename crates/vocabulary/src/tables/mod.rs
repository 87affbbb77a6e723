//! The tables of all frameworks, with what marks a run as theirs: one file a framework.

mod areal;
mod art;
mod nemo;
mod open_instruct;
mod openrlhf;
mod prime;
mod rllm;
mod skyrl;
mod slime;
mod swift;
mod tinker;
mod torchtune;
mod trl;
mod tunix;
mod verl;

use super::Framework;
use super::table::FrameworkKey;

/// Names that belong together: those of a framework, or what a variant of one adds to it.
pub(super) struct Family {
    /// Whose names they are.
    pub framework: Framework,
    /// The framework whose names it has as well, and whose marks count for it too.
    pub parent: Option<Framework>,
    /// Keys (in normal form) that mark a run as its own, beside those that its tables flag; one that ends in `/`
    /// stands for all that begin with it.
    pub marks: &'static [&'static str],
    /// Beginnings of settings that mark a run as its own.
    pub settings: &'static [&'static str],
    /// Names of its packages, in lower case, as they stand in paths, addresses and log lines.
    pub packages: &'static [&'static str],
    /// Its tables in the order of preference. What is proposed to be logged comes from the first one.
    pub tables: &'static [&'static [FrameworkKey]],
    /// The key to propose for an evaluation, where the framework has a form of its own for it.
    pub evaluation: &'static str,
}

impl Family {
    /// The keys of all its tables, in the order of preference.
    pub(super) fn entries(&self) -> impl Iterator<Item = &'static FrameworkKey> + use<> {
        self.tables.iter().copied().flatten()
    }
}

macro_rules! family {
    ($framework:ident, $module:ident, [$($package:literal),+], $evaluation:literal) => {
        family!($framework, None, $module::MARKS, $module::SETTINGS, [$($package),+], [$module::TABLE], $evaluation)
    };
    ($framework:ident, $parent:expr, $marks:expr, $settings:expr, [$($package:literal),*], [$($table:expr),+],
        $evaluation:literal) => {
        Family {
            framework: Framework::$framework,
            parent: $parent,
            marks: $marks,
            settings: $settings,
            packages: &[$($package),*],
            tables: &[$($table),+],
            evaluation: $evaluation,
        }
    };
}

/// Every family. Of two that a run is equally like, the earlier one counts.
pub(super) const FAMILIES: &[Family] = &[
    family!(Trl, None, trl::MARKS, trl::SETTINGS, ["trl"], [trl::TABLE, trl::PPO], "eval/accuracy"),
    family!(Verl, verl, ["verl", "search_r1", "tinyzero", "ragen"], "val-core/{data}/acc/mean@1"),
    family!(Trl, Some(Framework::Trl), trl::ASYNC_MARKS, &[], [], [trl::ASYNC], "eval/accuracy"),
    family!(
        MsSwift,
        Some(Framework::Trl),
        swift::MARKS,
        swift::SETTINGS,
        ["swift", "ms-swift"],
        [swift::TABLE],
        "eval/accuracy"
    ),
    family!(Rllm, Some(Framework::Verl), rllm::MARKS, rllm::SETTINGS, ["rllm"], [rllm::TABLE], "val/{data}/pass@1"),
    family!(OpenRlhf, openrlhf, ["openrlhf"], "eval/eval_{data}_pass1"),
    family!(Tunix, tunix, ["tunix"], "rewards/eval/score/mean"),
    family!(NemoRl, nemo, ["nemo_rl", "nemo-rl"], "validation/accuracy"),
    family!(SkyRl, skyrl, ["skyrl", "skyrl_train", "skyrl-train"], "eval/all/avg_score"),
    family!(PrimeRl, prime, ["prime_rl", "prime-rl"], "eval/{env}/avg@1"),
    family!(OpenInstruct, open_instruct, ["open_instruct", "open-instruct"], "eval/scores"),
    family!(Slime, slime, ["slime"], "eval/{data}"),
    family!(AReaL, areal, ["areal"], "eval-rollout/reward"),
    family!(Tinker, tinker, ["tinker_cookbook", "tinker-cookbook"], "test/env/all/reward/total"),
    family!(Art, art, ["openpipe-art"], "val/reward"),
    family!(Torchtune, torchtune, ["torchtune"], "eval/accuracy"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::table::normal;

    #[test]
    fn every_key_of_a_table_stands_for_one_concept() {
        for family in FAMILIES {
            let mut keys = BTreeSet::new();
            for entry in family.entries() {
                let name = family.framework.as_str();
                assert!(keys.insert(normal(entry.key).into_owned()), "{name}: {} is there twice", entry.key);
                assert!(entry.note.len() <= 64, "{name}: {}", entry.note);
                assert!(!entry.note.ends_with('.'), "{name}: {}", entry.note);
                assert!(entry.key.matches('{').count() <= 1, "{name}: {}", entry.key);
            }
        }
    }

    #[test]
    fn marks_are_in_the_form_in_which_keys_are_compared_and_count_once() {
        for family in FAMILIES {
            for mark in family.marks {
                let name = family.framework.as_str();
                assert_eq!(normal(mark), *mark, "{name}");
                let mut flagged = family.entries().filter(|entry| entry.is_mark);
                assert!(flagged.all(|entry| normal(entry.key) != *mark), "{name}: {mark} would count twice");
            }
        }
    }

    #[test]
    fn a_parent_comes_before_its_children() {
        for (place, family) in FAMILIES.iter().enumerate() {
            let Some(parent) = family.parent else { continue };
            let first = FAMILIES.iter().position(|other| other.framework == parent);
            assert!(first.is_some_and(|first| first < place), "{}", family.framework.as_str());
        }
    }
}
