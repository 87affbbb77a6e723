//! Which parts a run has besides trainer and model: vLLM as sampler, tools or a retriever. Advice about a part that is
//! not there helps nobody.
//!
//! Frameworks write the defaults of such parts into every config, used or not: a switch decides before they do.

use crate::context::Context;
use crate::topics::data_shift::AT_ONCE;
use crate::{Code, Finding, Severity};
use rundown_run::{ConfigValue, Run};
use rundown_vocabulary::Concept;

/// Keys under which frameworks keep the share of the GPU memory that vLLM takes.
pub(crate) const VLLM_SHARES: [&str; 4] = [
    "vllm_gpu_memory_utilization",
    "actor_rollout_ref.rollout.gpu_memory_utilization",
    "generator.inference_engine.gpu_memory_utilization",
    "policy.generation.vllm_cfg.gpu_memory_utilization",
];
/// The switch of TRL and of what keeps its names, with or without a section before it.
const VLLM_SWITCH: &str = "use_vllm";
const VLLM: &str = "vllm";
/// A share that leaves half of the memory to the trainer.
const HALF: f64 = 0.5;

/// Ends of settings that are only set, or switched on, where text comes from outside the policy.
const TOOL_SETTINGS: [&str; 10] = [
    "multi_turn", "multi_turn.enable", "tool_config_path", "interaction_config_path", "tools", "do_search",
    "search_url", "retriever.url", "retriever_url", "environment_factory",
];
/// Words of metrics that are only logged there.
const TOOL_METRICS: [&str; 3] = ["tool", "retriev", "search"];
/// Turns of a dialogue without tools, where the prompt counts as one.
const PLAIN_TURNS: f64 = 2.0;
/// What may have shortened the responses of a run with tools whose reward broke at once.
const TOOL_TEXT_MISSING: &str = "Responses became shorter when the reward fell. They contain what tools return, and that text is missing when the tools fail.";

/// True for a run that samples with vLLM and gives it more than half of the memory, as far as it tells.
pub(crate) fn vllm_may_hold_less(run: &Run) -> bool {
    run.config.number(&VLLM_SHARES).is_none_or(|(_, share)| share > HALF) && uses_vllm(run)
}

/// By its switch; else by any setting, metric or line of the log that names it.
fn uses_vllm(run: &Run) -> bool {
    let switch = run.config.iter().find(|(key, _)| key.rsplit('.').next() == Some(VLLM_SWITCH));
    if let Some((_, value)) = switch {
        return value.is_set();
    }
    let names = |text: &str| text.to_lowercase().contains(VLLM);
    let set = |(key, value): (&str, &ConfigValue)| value.is_set() && (names(key) || names(&value.to_string()));
    run.config.iter().any(set)
        || run.columns.keys().any(|key| names(key))
        || run.log.lines.iter().any(|line| names(&line.text))
}

/// True for a run in whose responses there is text of tools or a retriever: more turns than a question and its answer, a
/// setting that only such runs have, or a metric of them that was not zero all along.
pub(crate) fn has_tools(context: &Context<'_>) -> bool {
    let has_turns = context.signal(Concept::Turns).is_some_and(|turns| turns.max() > PLAIN_TURNS);
    let is_set = |(key, value): (&str, &ConfigValue)| {
        let ends = |end: &&str| key.strip_suffix(*end).is_some_and(|before| before.is_empty() || before.ends_with('.'));
        TOOL_SETTINGS.iter().any(ends) && value.is_set()
    };
    let run = context.run;
    let is_logged = |key: &str| TOOL_METRICS.iter().any(|word| key.contains(word));
    has_turns
        || run.config.iter().any(is_set)
        || run.columns.iter().any(|(key, column)| is_logged(key) && column.values().iter().any(|value| *value > 0.0))
}

/// Tells of a reward that broke in a run with tools what broke with it: responses hold the text that tools return, and sampling waits
/// for them, so that neither is known to be the policy's doing.
#[inline(never)]
pub(crate) fn tell_what_broke_with_reward(findings: &mut [Finding], context: &Context<'_>) {
    let broke = findings.iter().find(|finding| finding.code == Code::RewardBreak && finding.severity > Severity::Note);
    let broke = broke.and_then(|finding| finding.onset).filter(|_| has_tools(context));
    let Some((broke, reward)) = broke.zip(context.signal(Concept::Reward)) else { return };
    let place = |step: f64| reward.steps.partition_point(|at| *at < step);
    let is_at_once = |onset: f64| place(onset).abs_diff(place(broke)) <= AT_ONCE;
    for finding in findings.iter_mut().filter(|finding| finding.onset.is_some_and(is_at_once)) {
        match finding.code {
            Code::LengthCollapse if finding.explained_by == [Code::RewardBreak] => {
                finding.detail = TOOL_TEXT_MISSING.into();
                finding.causes.clear();
                finding.actions.clear();
            }
            Code::ThroughputRegression if finding.explained_by.is_empty() => {
                finding.explained_by.push(Code::RewardBreak);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, within};

    fn run(settings: &[(&str, ConfigValue)]) -> Run {
        let mut run = Run::default();
        settings.iter().for_each(|(key, value)| run.config.insert(*key, value.clone()));
        run
    }

    #[test]
    fn a_switch_decides_before_defaults_that_name_it() {
        let share = ("vllm_gpu_memory_utilization", ConfigValue::Number(0.9));
        assert!(vllm_may_hold_less(&run(std::slice::from_ref(&share))));
        assert!(vllm_may_hold_less(&run(&[share.clone(), ("args.use_vllm", ConfigValue::Bool(true))])));
        assert!(!vllm_may_hold_less(&run(&[share, ("use_vllm", ConfigValue::Text("False".to_owned()))])));
    }

    #[test]
    fn a_name_in_settings_metrics_or_log_shows_it() {
        let engine = |name: &str| run(&[("actor_rollout_ref.rollout.name", ConfigValue::Text(name.to_owned()))]);
        assert!(vllm_may_hold_less(&engine("vllm")) && !vllm_may_hold_less(&engine("sglang")));
        let mut logged = Run::default();
        assert!(!vllm_may_hold_less(&logged));
        logged.log.push(rundown_run::LogLine {
            stream: rundown_run::Stream::File,
            text: "INFO vLLM engine starts".to_owned(),
        });
        assert!(vllm_may_hold_less(&logged));
    }

    #[test]
    fn tools_show_in_turns_settings_or_metrics() {
        let has = |run: Synthetic| within(&run.build(), has_tools);
        let plain = || Synthetic::healthy(40);
        assert!(!has(plain()));
        assert!(!has(plain().every("num_turns/mean", 1, |_| 2.0)), "a question and its answer");
        assert!(has(plain().every("num_turns/mean", 1, |t| 2.0 + t)));
        assert!(!has(plain().every("tools/call_frequency", 1, |_| 0.0)));
        assert!(has(plain().every("tools/call_frequency", 1, |_| 0.5)));
        let mut verl = plain();
        verl.run.config.insert("actor_rollout_ref.rollout.multi_turn.enable", ConfigValue::Bool(false));
        verl.run.config.insert("actor_rollout_ref.rollout.multi_turn.tool_config_path", ConfigValue::Null);
        assert!(!has(verl), "defaults of every config");
        let mut search = plain();
        search.run.config.insert("retriever.url", ConfigValue::Text("http://localhost/retrieve".to_owned()));
        assert!(has(search));
    }

    #[test]
    fn half_of_the_memory_is_not_too_much() {
        let share = |share| run(&[("vllm_gpu_memory_utilization", ConfigValue::Number(share))]);
        assert!(!vllm_may_hold_less(&share(0.5)) && vllm_may_hold_less(&share(0.6)));
    }

    #[test]
    fn what_breaks_with_the_reward_of_a_run_with_tools_is_not_known_to_be_the_policys_doing() {
        let told = |turns: f64, later: f64| {
            let run = Synthetic::healthy(40).every("num_turns/mean", 1, move |_| turns).build();
            let of = |code: Code, onset: f64, explained_by: &[Code]| {
                let finding = Finding::new(code, Severity::Warning, "");
                let detail = "The policy takes a shortcut.".into();
                Finding { onset: Some(onset), detail, explained_by: explained_by.to_vec(), ..finding }
            };
            let mut findings = [
                of(Code::RewardBreak, 20.0, &[]),
                of(Code::LengthCollapse, 20.0 + later, &[Code::RewardBreak]),
                of(Code::ThroughputRegression, 20.0 + later, &[]),
            ];
            within(&run, |context| tell_what_broke_with_reward(&mut findings, context));
            let [_, length, pace] = findings;
            (length.detail.to_string().contains("tools"), pace.explained_by == [Code::RewardBreak])
        };
        assert_eq!(told(4.0, 1.0), (true, true));
        assert_eq!(told(4.0, 9.0), (false, false), "later than the reward");
        assert_eq!(told(2.0, 1.0), (false, false), "without tools");
    }
}
