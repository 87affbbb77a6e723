//! How more rollouts can run at once: advice of the checks that find the sampling of a run too slow for its training.

use crate::advice::{action, advice};
use crate::context::Context;
use crate::measure::series::Fifth;
use crate::{Action, ActionKind, SettingName};
use rundown_run::ConfigValue;
use rundown_vocabulary::Concept;

/// Last parts of the keys under which frameworks keep the number of groups (prompts) that a step samples.
const GROUPS_PER_STEP: [&str; 3] = ["num_groups_per_step", "groups_per_batch", "num_prompts_per_step"];

/// Requests that wait for the sampling engine from which more of them would only wait, too.
const QUEUE: f64 = 1.0;

const WATCH: &str = "trajectories per second";

/// What to try for more rollouts at once: more groups per step, unless requests wait for the engines already, and more
/// containers for the engines.
pub(crate) fn actions(context: &Context<'_>) -> Vec<Action> {
    let waits = context.signal(Concept::RequestsWaiting).is_some_and(|waiting| waiting.level(Fifth::Last) >= QUEUE);
    let groups = (!waits).then(|| more_groups(context));
    groups.into_iter().chain([more_containers(context)]).collect()
}

fn more_groups(context: &Context<'_>) -> Action {
    let mut named = context.run.config.iter().filter(|(key, _)| GROUPS_PER_STEP.contains(&last_part(key)));
    let known = named.find_map(|(key, value)| Some((key, value.as_number()?)));
    let kind = match known {
        Some((key, groups)) => ActionKind::Set {
            setting: SettingName::Key(key.to_owned()),
            from: Some(groups.into()),
            to: (2.0 * groups).into(),
        },
        None => ActionKind::Set {
            setting: SettingName::Words("prompts per step".to_owned()),
            from: None,
            to: "twice as many".into(),
        },
    };
    let effect = "more rollouts run at once, and a slow one holds up less of the step";
    action(kind, effect, "a larger batch; no gain where the sampling engines are busy already", WATCH)
}

fn more_containers(context: &Context<'_>) -> Action {
    let change = if runs_on_modal(context) {
        "Look at the containers in the Modal dashboard: whether their number follows the rollouts, how long cold starts \
         take, and the limits on containers and concurrent inputs"
    } else {
        "Look at the replicas of the sampling engine: whether their number follows the rollouts, how long one takes to \
         start, and the limit on it"
    };
    advice(change, "rollouts do not wait for an engine", "more GPUs are paid for", WATCH)
}

/// True where a setting, a host or a metric of the run names Modal, the cloud for containers.
fn runs_on_modal(context: &Context<'_>) -> bool {
    let named = |key: &str| key.split(['.', '/', '_']).next().is_some_and(|word| word.eq_ignore_ascii_case("modal"));
    let valued = |value: &ConfigValue| match value {
        ConfigValue::Text(text) => text.eq_ignore_ascii_case("modal") || text.contains(".modal.run"),
        _ => false,
    };
    context.run.config.iter().any(|(key, value)| named(key) || valued(value))
        || context.run.columns.keys().any(|key| named(key))
}

fn last_part(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change, within};

    fn advised(run: Synthetic) -> Vec<(String, String, String)> {
        within(&run.build(), actions).iter().map(change).collect()
    }

    #[test]
    fn groups_per_step_are_doubled_under_their_own_key() {
        let found = advised(Synthetic::healthy(50).config("trainer.num_groups_per_step", 16.0));
        assert_eq!(found[0], ("trainer.num_groups_per_step".into(), "16".into(), "32".into()));
        assert_eq!(advised(Synthetic::healthy(50))[0].2, "twice as many");
        let busy = advised(Synthetic::healthy(50).noisy("inference/num_requests_waiting", 0.5, |_| 30.0));
        assert_eq!(busy.len(), 1, "{busy:?}");
        assert!(busy[0].0.contains("replicas"), "{busy:?}");
    }

    #[test]
    fn modal_is_named_only_where_the_run_names_it() {
        let names = |run: Synthetic| advised(run).iter().any(|action| action.0.contains("Modal"));
        assert!(names(Synthetic::healthy(50).config("modal.max_containers", 8.0)));
        assert!(names(Synthetic::healthy(50).noisy("modal/containers", 0.1, |_| 4.0)));
        assert!(!names(Synthetic::healthy(50).config("modality.count", 2.0).config("bimodal", 1.0)));
    }
}
