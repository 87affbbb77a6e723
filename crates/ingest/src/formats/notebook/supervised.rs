//! Supervised trainings beside one by rewards: many notebooks teach a format or train a reward model first. Read as runs
//! they would be compared with the training that they only prepare.

use crate::{Place, Problem, Weight};
use rundown_run::Run;

/// Parts of the names of classes that train by rewards.
const BY_REWARDS: [&str; 4] = ["GRPO", "PPO", "RLOO", "Reinforce"];
/// Classes of a supervised training and of their arguments, without a prefix such as `Unsloth`.
const SUPERVISED_CLASSES: [&str; 3] = ["SFTTrainer", "SFTConfig", "Seq2SeqTrainer"];
/// The Trainer itself.
const PLAIN_TRAINER: &str = "Trainer";
/// The same for the training of a reward model, whose rewards are those of pairs.
const REWARD_MODEL: [&str; 2] = ["RewardTrainer", "RewardConfig"];

/// What a class trains.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum TrainerKind {
    #[default]
    Unknown,
    ByRewards,
    Supervised,
    RewardModel,
}

impl TrainerKind {
    /// The kind of a class; `None` for one that says nothing of it.
    pub(super) fn of(class: &str) -> Option<Self> {
        let ends = |names: &[&str]| names.iter().any(|name| class.ends_with(name));
        let is_trainer = class.ends_with("Trainer");
        if (is_trainer || class.ends_with("Config")) && BY_REWARDS.iter().any(|part| class.contains(part)) {
            return Some(Self::ByRewards);
        }
        match class {
            _ if ends(&REWARD_MODEL) => Some(Self::RewardModel),
            _ if ends(&SUPERVISED_CLASSES) || class == PLAIN_TRAINER => Some(Self::Supervised),
            _ => is_trainer.then_some(Self::Unknown),
        }
    }
}

/// A training of a notebook.
pub(super) struct Training {
    pub run: Run,
    /// Number of its cell.
    pub cell: usize,
    pub kind: TrainerKind,
}

impl Training {
    fn has_reward(&self) -> bool {
        self.run.columns.keys().any(|key| key.to_lowercase().contains("reward"))
    }

    fn is_supervised(&self) -> bool {
        match self.kind {
            TrainerKind::RewardModel => true,
            TrainerKind::Supervised => !self.has_reward(),
            TrainerKind::Unknown | TrainerKind::ByRewards => false,
        }
    }

    fn is_by_rewards(&self) -> bool {
        self.kind == TrainerKind::ByRewards || (self.has_reward() && !self.is_supervised())
    }
}

/// Takes supervised trainings out where another one is by rewards, and says which.
pub(super) fn leave_out(trainings: &mut Vec<Training>) -> Option<Problem> {
    if !trainings.iter().any(Training::is_by_rewards) {
        return None;
    }
    let mut cells: Vec<String> = Vec::new();
    trainings.retain(|training| {
        let is_supervised = training.is_supervised();
        if is_supervised {
            cells.push(format!("cell {}", training.cell));
        }
        !is_supervised
    });
    cells.dedup();
    let what = match cells.as_slice() {
        [] => return None,
        [cell] => format!("The supervised training of {cell} is left out: this notebook trains by rewards too."),
        cells => format!(
            "The supervised trainings of {} are left out: this notebook trains by rewards too.",
            cells.join(", ")
        ),
    };
    Some(Problem::here(Place::File, Weight::Remark, what, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_say_what_they_train() {
        use TrainerKind::{ByRewards, RewardModel, Supervised, Unknown};
        let expected = [
            ("GRPOTrainer", Some(ByRewards)),
            ("UnslothPPOConfig", Some(ByRewards)),
            ("SFTTrainer", Some(Supervised)),
            ("UnslothSFTConfig", Some(Supervised)),
            ("Trainer", Some(Supervised)),
            ("RewardTrainer", Some(RewardModel)),
            ("DPOTrainer", Some(Unknown)),
            ("TrainingArguments", None),
            ("SupportConfig", None),
        ];
        for (class, kind) in expected {
            assert_eq!(TrainerKind::of(class), kind, "{class}");
        }
    }

    #[test]
    fn supervised_trainings_count_where_nothing_else_is() {
        let training = |cell, kind, key: &str| {
            let mut run = Run::default();
            let row = run.push_row(0.0, f64::NAN);
            run.push_value(key, row, 0.5);
            Training { run, cell, kind }
        };
        let left = |mut trainings: Vec<Training>| {
            let problem = leave_out(&mut trainings);
            (trainings.iter().map(|training| training.cell).collect::<Vec<_>>(), problem.is_some())
        };
        let supervised = || training(1, TrainerKind::Supervised, "Training Loss");
        assert_eq!(left(vec![supervised(), training(2, TrainerKind::Unknown, "reward")]), (vec![2], true));
        assert_eq!(left(vec![supervised(), training(2, TrainerKind::Unknown, "loss")]), (vec![1, 2], false));
        assert_eq!(left(vec![supervised(), training(2, TrainerKind::ByRewards, "loss")]), (vec![2], true));
        let with_rewards = || training(3, TrainerKind::Supervised, "mean_reward");
        assert_eq!(left(vec![supervised(), with_rewards()]), (vec![3], true), "a class of one's own");
        assert_eq!(left(vec![supervised(), training(4, TrainerKind::RewardModel, "mean_reward")]), (vec![1, 4], false));
    }
}
