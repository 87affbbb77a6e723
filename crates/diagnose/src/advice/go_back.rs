//! Back to a checkpoint from before a step, where the settings allow that one was written by then.

use super::{advice, start_again};
use crate::Action;
use crate::context::Context;
use crate::settings::{SavedEvery, saved_every};
use rundown_format::rich;
use rundown_format::rich_text::{setting_key, step};

/// What a return to a checkpoint brings, and what to watch then.
pub(crate) struct Return {
    pub effect: &'static str,
    pub watch: &'static str,
}

/// What it brings against most findings.
pub(super) const BEFORE_HARM: Return =
    Return { effect: "keeps what was learned until then", watch: "the evaluation of that checkpoint" };

/// To a checkpoint before `onset`; to the start of the run where no evaluation was better than the first, or where the settings say
/// that no checkpoint was written.
pub(crate) fn go_back(context: &Context<'_>, onset: f64, back: &Return) -> Action {
    if context.starts_best() {
        return start_again();
    }
    let Some(saved) = saved_later(context, onset) else {
        let change = rich!("Go back to a checkpoint before step {}", step(onset));
        return advice(change, back.effect, "loses the steps since", back.watch);
    };
    let change = rich!(
        "Start again and save checkpoints more often: {} is {}, so none was written before step {}",
        setting_key(saved.key),
        saved.text.as_str(),
        step(onset)
    );
    advice(change, "what goes wrong later costs fewer steps", "loses all steps, takes disk space", back.watch)
}

/// How often checkpoints are written, where that is too seldom for one before this step.
pub(crate) fn saved_later(context: &Context<'_>, onset: f64) -> Option<SavedEvery> {
    saved_every(&context.run.config).filter(|saved| onset <= saved.steps && counts_from_start(context))
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
    use crate::Rulebook;
    use crate::checks::testing::{Synthetic, change};
    use rundown_run::ConfigValue;
    use rundown_vocabulary::bind;

    fn advised(onset: f64, settings: &[(&str, &str)]) -> String {
        advised_to(Synthetic::healthy(300), onset, settings)
    }

    fn advised_to(mut run: Synthetic, onset: f64, settings: &[(&str, &str)]) -> String {
        for (key, value) in settings {
            let value = value.parse().map_or_else(|_| ConfigValue::Text((*value).to_owned()), ConfigValue::Number);
            run.run.config.insert(*key, value);
        }
        let run = run.build();
        let (bindings, book) = (bind(&run), Rulebook::default());
        change(&go_back(&Context::new(&run, &bindings, &book), onset, &BEFORE_HARM)).0
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
}
