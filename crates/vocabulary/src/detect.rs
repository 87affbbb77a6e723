//! Whose names a run uses, and in which order the tables are asked.
//!
//! Forks keep most names and add some, plain loops share a name or two with each trainer; so marks are counted, and
//! the framework with the most of them is taken. The tables of the others are asked after it, the more alike first.

use super::Framework;
use super::table::{Keys, below};
use super::table_index::TableIndex;
use super::tables::{FAMILIES, Family};
use rundown_run::{ConfigValue, Run};
use rundown_stats::CompactSort as _;

/// Fewer marks than this do not make a framework: plain loops share a name or two with each.
const MARKS_NEEDED: usize = 3;
/// A variant must show more than one mark of its own before it counts as more than its parent.
const OWN_MARKS_NEEDED: usize = 2;
/// Log lines that are searched for the names of packages.
const LINES_SEARCHED: usize = 200;

/// The families of tables to ask, in order.
pub(super) struct Similarity {
    /// Whose names the run uses.
    pub framework: Framework,
    /// Its own families: the variant first, then what it derives from.
    pub own: Vec<&'static Family>,
    /// The others that share any mark with the run, the more alike first. TRL and verl, whose names most loops copy,
    /// are always among them.
    pub others: Vec<&'static Family>,
}

/// Compares a run with every family.
#[inline(never)]
pub(super) fn similarity(run: &Run, keys: &Keys<'_>) -> Similarity {
    let counted = marks(run, keys);
    // Where the keys leave no doubt, no log needs to be searched.
    let doubtful = counted.iter().all(|count| *count < 2 * MARKS_NEEDED);
    let texts = if doubtful { hints(run) } else { Vec::new() };
    // A parent stands before its children, so that its score is there when theirs is made.
    let mut scored: Vec<(usize, &'static Family)> = Vec::with_capacity(FAMILIES.len());
    for (family, count) in FAMILIES.iter().zip(counted) {
        let named = |package: &&str| texts.iter().any(|text| names(text, package));
        let own = count + usize::from(family.packages.iter().any(named));
        let score = match family.parent {
            Some(_) if own < OWN_MARKS_NEEDED => 0,
            Some(parent) => own + score_of(&scored, parent),
            None => own,
        };
        scored.push((score, family));
    }
    scored.compact_sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let best = scored.first().filter(|(score, _)| *score >= MARKS_NEEDED).map(|(_, family)| *family);
    let parent = best.and_then(|best| best.parent);
    let base = FAMILIES.iter().find(|family| Some(family.framework) == parent);
    let own: Vec<&'static Family> = best.into_iter().chain(base).collect();
    let is_own = |family: &Family| own.iter().any(|own| std::ptr::eq(*own, family));
    let always = |family: &Family| family.parent.is_none() && is_copied(family.framework);
    let others = scored.iter().filter(|(score, family)| (*score > 0 || always(family)) && !is_own(family));
    let others = others.map(|(_, family)| *family).collect();
    Similarity { framework: best.map_or(Framework::Unknown, |best| best.framework), own, others }
}

/// True for the frameworks whose names most training loops copy.
pub(super) fn is_copied(framework: Framework) -> bool {
    matches!(framework, Framework::Trl | Framework::Verl)
}

impl Similarity {
    /// True when a key without a prefix may be taken for one of this family's: a bare `kl` or `lr` is anybody's.
    pub(super) fn trusts_bare_keys(&self, family: &Family) -> bool {
        is_copied(family.framework) || self.own.iter().any(|own| std::ptr::eq(*own, family))
    }

    /// False where a beginning such as `val/` that says "held out" elsewhere holds metrics of the training.
    pub(super) fn holds_out(&self, key: &str) -> bool {
        self.framework != Framework::OpenInstruct || !key.starts_with("val/")
    }
}

fn score_of(scored: &[(usize, &'static Family)], framework: Framework) -> usize {
    scored.iter().find(|(_, family)| family.framework == framework).map_or(0, |(score, _)| *score)
}

/// How many marks of each family a run carries, in the order of [`FAMILIES`]: keys and settings.
fn marks(run: &Run, keys: &Keys<'_>) -> Vec<usize> {
    let count = |family: &Family| {
        let logged = |mark: &&&str| match mark.ends_with('/') {
            true => below(keys, mark).next().is_some(),
            false => keys.contains_key(**mark),
        };
        let set = |beginning: &&&str| run.config.iter().any(|(key, _)| key.starts_with(**beginning));
        family.marks.iter().filter(logged).count() + family.settings.iter().filter(set).count()
    };
    let mut counted: Vec<usize> = FAMILIES.iter().map(count).collect();
    let index = TableIndex::get();
    for known in keys.keys().flat_map(|key| index.entries(key)).filter(|known| known.entry.is_mark) {
        counted.get_mut(known.place.0).into_iter().for_each(|count| *count += 1);
    }
    counted
}

/// What may name the framework's package, in lower case: script, repository, project, and the log's first lines.
fn hints(run: &Run) -> Vec<String> {
    let mut texts: Vec<String> = run.project.iter().map(|project| project.to_lowercase()).collect();
    for key in ["machine.program", "machine.git.remote"] {
        if let Some(ConfigValue::Text(text)) = run.summary.get(key) {
            texts.push(text.to_lowercase());
        }
    }
    texts.extend(run.log.lines.iter().take(LINES_SEARCHED).map(|line| line.text.to_lowercase()));
    texts
}

/// True when `word` stands in `text` with no letter, digit or underscore beside it.
fn names(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let (before, behind) = text.split_at_checked(at).unwrap_or((text, ""));
        let joins = |letter: char| letter.is_alphanumeric() || letter == '_';
        let behind = behind.strip_prefix(word).unwrap_or("");
        !before.ends_with(joins) && !behind.starts_with(joins)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::normal;
    use rundown_run::{LogLine, Stream};

    fn detected(logged: &[&str]) -> Framework {
        let keys: Keys<'_> = logged.iter().map(|key| (normal(key).into_owned(), *key)).collect();
        similarity(&Run::default(), &keys).framework
    }

    #[test]
    fn each_framework_is_known_by_a_usual_row_of_it() {
        let cases: [(Framework, &[&str]); 15] = [
            (Framework::Trl, &["train/reward", "train/reward_std", "train/kl", "train/loss", "train/rewards/acc/mean"]),
            (Framework::Verl, &["actor/pg_loss", "critic/score/mean", "response_length/mean", "timing_s/step"]),
            (Framework::MsSwift, &["reward", "reward_std", "kl", "memory(GiB)", "train_speed(s/it)", "entropy/mean"]),
            (Framework::Rllm, &["actor/pg_loss", "critic/score/mean", "batch/solve_none", "batch/solve_all"]),
            (Framework::OpenRlhf, &["train/reward", "train/kl", "train/ppo_kl", "train/actor_lr", "train/vllm_kl"]),
            (Framework::Tunix, &["actor/train/kl", "rewards/train/score/mean", "completions/train/mean_length"]),
            (Framework::NemoRl, &["train/reward", "train/gen_kl_error", "train/probs_ratio", "train/kl_penalty"]),
            (Framework::SkyRl, &["reward/avg_raw_reward", "policy/policy_lr", "generate/avg_num_tokens"]),
            (Framework::PrimeRl, &["train/agg/all/solver/reward/mean", "off_policy/mean", "time/wait_for_batch"]),
            (Framework::OpenInstruct, &["scores", "val/sequence_lengths", "val/stop_rate", "objective/kl0_avg"]),
            (
                Framework::Slime,
                &["rollout/raw_reward", "perf/train_wait_time", "rollout/truncated_ratio", "train/ppo_kl"],
            ),
            (
                Framework::AReaL,
                &["ppo_actor/task_reward/avg", "timeperf/rollout", "rollout/reward", "ppo_actor/update/lr"],
            ),
            (Framework::Tinker, &["env/all/reward/total", "progress/batch", "optim/kl_sample_train_v1", "optim/lr"]),
            (Framework::Art, &["train/reward", "train/reward_std_dev", "loss/grad_norm", "time/step_wall_s"]),
            (Framework::Torchtune, &["rewards", "successes", "approx_policy_kl", "ratios", "clipfrac", "kl_loss"]),
        ];
        for (framework, logged) in cases {
            assert_eq!(detected(logged), framework, "{}", framework.as_str());
        }
        let newer = ["reward", "reward_std", "kl", "completions/mean_length", "train_speed(iter/s)"];
        assert_eq!(detected(&newer), Framework::MsSwift);
        let older = ["objective/kl", "ppo/returns/mean", "ppo/policy/advantages_mean"];
        assert_eq!(detected(&older), Framework::Trl, "PPO up to 0.11");
        assert_eq!(
            detected(&["ppo/policy/loss", "ppo/returns/std", "reward", "kl"]),
            Framework::Unknown,
            "a loop of its own"
        );
        assert_eq!(detected(&["reward", "kl", "accuracy", "loss", "val/accuracy"]), Framework::Unknown);
    }

    #[test]
    fn one_name_of_a_variant_does_not_make_it() {
        let verl = ["actor/pg_loss", "critic/score/mean", "timing_s/gen", "batch/num_tasks"];
        assert_eq!(detected(&verl), Framework::Verl);
    }

    #[test]
    fn a_package_in_the_log_counts_as_one_mark() {
        let mut run = Run::default();
        let line = "  File \"/site-packages/verl/trainer/main_ppo.py\", line 3".to_owned();
        run.log.push(LogLine { stream: Stream::Error, text: line });
        let logged = ["actor/grad_norm", "actor/entropy"];
        let keys: Keys<'_> = logged.iter().map(|key| (normal(key).into_owned(), *key)).collect();
        assert_eq!(similarity(&run, &keys).framework, Framework::Verl);
        assert_eq!(similarity(&Run::default(), &keys).framework, Framework::Unknown);
    }

    #[test]
    fn the_command_of_a_run_without_metrics_names_its_framework() {
        let mut run = Run::default();
        let line = "['python', '-m', 'openrlhf.cli.train_ppo'] exits with return code = -6".to_owned();
        run.log.push(LogLine { stream: Stream::Error, text: line });
        assert_eq!(similarity(&run, &Keys::new()).framework, Framework::Unknown);
        for key in ["micro_rollout_batch_size", "generate_max_len"] {
            run.config.insert(key, ConfigValue::Number(1.0));
        }
        assert_eq!(similarity(&run, &Keys::new()).framework, Framework::OpenRlhf);
    }

    #[test]
    fn words_within_words_name_no_package() {
        assert!(names("/x/trl/trainer.py", "trl") && names("import trl", "trl"));
        assert!(!names("control", "trl") && !names("trl_copy", "trl") && !names("ü", "trl"));
    }
}
