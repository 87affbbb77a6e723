//! Fewer optimiser updates from each batch of rollouts: fewer epochs over it, or else larger mini-batches.

use super::setting_changes::FEWER_EPOCHS_PER_BATCH;
use crate::context::Context;
use crate::settings::minibatches;
use crate::{Action, ActionKind, SettingName};

/// The change of one setting; `None` where a batch makes one update already.
pub(super) fn fewer_updates(context: &Context<'_>, watch: &str) -> Option<Action> {
    let epochs = context.setting(FEWER_EPOCHS_PER_BATCH.hyperparameter);
    let split = minibatches(&context.run.config);
    let known = epochs.is_some() || split.is_some();
    if epochs.is_some_and(|epochs| epochs.value > 1.0) || !known {
        return Some(FEWER_EPOCHS_PER_BATCH.action(context, watch));
    }
    let split = split?;
    let setting = SettingName::Key(split.setting.key.clone());
    let kind = ActionKind::Set { setting, from: Some(split.setting.into()), to: split.halved.into() };
    let [effect, risk, watch] = [FEWER_EPOCHS_PER_BATCH.effect, FEWER_EPOCHS_PER_BATCH.risk, watch].map(str::to_owned);
    Some(Action { kind, effect, risk, watch })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, within};
    use rundown_run::ConfigValue;

    fn advised(settings: &[(&str, f64)]) -> Option<String> {
        let mut run = Synthetic::healthy(100);
        for (key, value) in settings {
            run.run.config.insert(*key, ConfigValue::Number(*value));
        }
        let action = within(&run.build(), |context| fewer_updates(context, ""))?;
        let ActionKind::Set { setting, from, to } = action.kind else { panic!("no setting") };
        Some(format!("{setting:?} {:?} {}", from.map(|from| from.text), to.text))
    }

    #[test]
    fn epochs_go_before_minibatches_and_one_update_stays() {
        let epochs = |value| ("actor_rollout_ref.actor.ppo_epochs", value);
        let (size, batch) = (("actor_rollout_ref.actor.ppo_mini_batch_size", 64.0), ("data.train_batch_size", 256.0));
        assert!(advised(&[epochs(4.0), size, batch]).unwrap().contains("ppo_epochs\") Some(\"4\") 2"));
        assert!(advised(&[epochs(1.0), size, batch]).unwrap().contains("ppo_mini_batch_size\") Some(\"64\") 128"));
        assert_eq!(advised(&[epochs(1.0), size, ("data.train_batch_size", 64.0)]), None);
        assert_eq!(advised(&[epochs(1.0)]), None);
        assert!(advised(&[]).unwrap().contains("epochs per batch"));
    }
}
