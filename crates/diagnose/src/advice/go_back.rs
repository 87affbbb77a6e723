//! Back to a checkpoint from before a step, where the settings allow that one was written by then and not deleted since.

use super::{advice, start_again};
use crate::context::Context;
use crate::settings::{kept_last, saved_every};
use crate::{Action, Finding};
use rundown_format::rich_text::{metric, setting_key, step};
use rundown_format::{rich, short};

/// What a return to a checkpoint brings, and what to watch then.
pub(crate) struct Return {
    pub effect: &'static str,
    pub watch: &'static str,
}

/// What it brings against most findings.
pub(super) const BEFORE_HARM: Return =
    Return { effect: "keeps what was learned until then", watch: "the evaluation of that checkpoint" };

/// To a checkpoint before `onset`; to the start of the run where no evaluation was better than the first, or where the settings say
/// that no checkpoint was written, or kept.
pub(crate) fn go_back(context: &Context<'_>, onset: f64, back: &Return) -> Action {
    if context.starts_best() {
        return start_again();
    }
    let Some(missing) = missing_before(context, onset) else {
        let change = rich!("Go back to a checkpoint before step {}", step(onset));
        return advice(change, back.effect, "loses the steps since", back.watch);
    };
    let (key, text, onset) = (setting_key(missing.key), missing.text.as_str(), step(onset));
    let change = match missing.is_deleted {
        true => {
            rich!(
                "Start again and keep more checkpoints: {} is {}, so those from before step {} were deleted",
                key,
                text,
                onset
            )
        }
        false => {
            rich!(
                "Start again and save checkpoints more often: {} is {}, so none was written before step {}",
                key,
                text,
                onset
            )
        }
    };
    advice(change, "what goes wrong later costs fewer steps", "loses all steps, takes disk space", back.watch)
}

/// Replaces the advice to go back to before the onset by the best level as the aim: by the onset of a slow fall much of it is lost.
pub(crate) fn go_back_to_best(context: &Context<'_>, finding: &mut Finding, best: f64, key: &str) {
    // No checkpoint is better than the initial weights, which the advice then names.
    let Some(onset) = finding.onset.filter(|_| !context.starts_best()) else { return };
    let has_checkpoint = context.has_checkpoint_before(best) && missing_before(context, onset).is_none();
    let plain = go_back(context, onset, &BEFORE_HARM);
    let mut actions = finding.actions.iter_mut();
    let Some(action) = actions.find(|action| has_checkpoint && **action == plain) else { return };
    let change = rich!(
        "Go back to the checkpoint nearest to step {}, around which {} was best",
        step(best.round()),
        metric(key)
    );
    *action = advice(change, BEFORE_HARM.effect, "loses the steps since", BEFORE_HARM.watch);
}

/// Why there is no checkpoint from before a step, by the settings.
pub(crate) struct MissingCheckpoint {
    /// The setting that says so, and its value.
    key: &'static str,
    text: String,
    /// Later ones took its place.
    is_deleted: bool,
}

/// `None` where a checkpoint from before this step may be there.
pub(crate) fn missing_before(context: &Context<'_>, onset: f64) -> Option<MissingCheckpoint> {
    let config = &context.run.config;
    let saved = saved_every(config)?;
    if onset <= saved.steps && counts_from_start(context) {
        return Some(MissingCheckpoint { key: saved.key, text: saved.text, is_deleted: false });
    }
    let kept = kept_last(config).filter(|_| context.counts_steps())?;
    let written = (context.last_step() / saved.steps).floor();
    let oldest = (written - kept.count + 1.0) * saved.steps;
    (onset <= oldest && written > kept.count).then(|| MissingCheckpoint {
        key: kept.key,
        text: short(kept.count),
        is_deleted: true,
    })
}

/// False for a run that ended before the first checkpoint that its settings allow.
pub(super) fn may_have_checkpoint(context: &Context<'_>) -> bool {
    !saved_every(&context.run.config)
        .is_some_and(|saved| context.last_step() < saved.steps && counts_from_start(context))
}

/// True where the steps are the trainer's own and the log holds them from the first on: a resumed run has a checkpoint already.
fn counts_from_start(context: &Context<'_>) -> bool {
    context.is_logged_from_start() && context.counts_steps()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change, within};
    use rundown_run::ConfigValue;

    fn advised(onset: f64, settings: &[(&str, &str)]) -> String {
        advised_to(Synthetic::healthy(300), onset, settings)
    }

    fn advised_to(mut run: Synthetic, onset: f64, settings: &[(&str, &str)]) -> String {
        for (key, value) in settings {
            let value = value.parse().map_or_else(|_| ConfigValue::Text((*value).to_owned()), ConfigValue::Number);
            run.run.config.insert(*key, value);
        }
        change(&within(&run.build(), |context| go_back(context, onset, &BEFORE_HARM))).0
    }

    #[test]
    fn no_checkpoint_is_worth_going_back_to_where_the_first_evaluation_is_the_best() {
        let falling = Synthetic::healthy(300).every("eval/accuracy", 10, |t| 0.5 - 0.4 * t);
        let text = advised_to(falling, 120.0, &[]);
        assert!(text.starts_with("Start again from the initial weights"), "{text}");
        let trained = Synthetic::healthy(500).every("eval/accuracy", 100, |t| 0.5 - 0.4 * t).logged_from(2);
        let text = advised_to(trained, 220.0, &[]);
        assert_eq!(text, "Go back to a checkpoint before step 220", "the first evaluation is of step 101");
    }

    #[test]
    fn a_run_is_sent_back_to_a_checkpoint_only_where_one_may_be() {
        let back = "Go back to a checkpoint before step 120";
        for settings in [&[][..], &[("save_steps", "50")], &[("trainer.save_freq", "20")], &[("save_steps", "0.1")]] {
            assert_eq!(advised(120.0, settings), back, "{settings:?}");
        }
        assert_eq!(advised(120.0, &[("save_steps", "500"), ("save_strategy", "epoch")]), back);
        for (settings, why) in [
            (&[("save_steps", "500")][..], "save_steps is 500"),
            (&[("save_steps", "500"), ("save_strategy", "SaveStrategy.STEPS")], "save_steps is 500"),
            (&[("save_steps", "50"), ("save_strategy", "no")], "save_strategy is no"),
            (&[("trainer.save_freq", "-1")], "trainer.save_freq is -1"),
            (&[("trainer.save_freq", "120")], "trainer.save_freq is 120"),
        ] {
            let text = advised(120.0, settings);
            assert!(text.starts_with("Start again and save checkpoints more often") && text.contains(why), "{text}");
        }
    }

    #[test]
    fn a_run_is_not_sent_back_to_a_checkpoint_that_later_ones_replaced() {
        let back = "Go back to a checkpoint before step 120";
        let kept = |limit: &'static str, others: &[(&'static str, &'static str)]| {
            let settings = [&[("save_steps", "50"), ("save_total_limit", limit)][..], others].concat();
            advised(120.0, &settings)
        };
        let deleted =
            "Start again and keep more checkpoints: save_total_limit is 2, so those from before step 120 were deleted";
        assert_eq!(kept("2", &[]), deleted, "those of the steps 250 and 300 are left");
        assert_eq!([kept("5", &[]), kept("6", &[]), kept("-1", &[])], [back; 3]);
        for keeps in [ConfigValue::Bool(true), ConfigValue::Text("True".to_owned())] {
            let mut best = Synthetic::healthy(300).config("save_steps", 50.0).config("save_total_limit", 2.0);
            best.run.config.insert("load_best_model_at_end", keeps);
            assert_eq!(advised_to(best, 120.0, &[]), back);
        }
    }
}
