//! Which runs belong together: repeats of one config, sweeps, names that begin alike.

mod fingerprints;
mod run_names;

use rundown_stats::CompactCollect as _;
use std::collections::{BTreeMap, BTreeSet};

use fingerprints::{Fingerprint, fingerprints};
pub use run_names::name_prefix;
pub(crate) use run_names::settings_in_name;
use run_names::{seed_in_name, without_counter};

use super::run_summary::{RewardedRun, unshared_part};
use super::settings::SettingColumn;
use super::{RunSummary, SettingRole, copies, role_of};
use rundown_run::{ConfigValue, without_mark};
use rundown_stats::CompactSort as _;
use rundown_vocabulary::Concept;

/// By what runs are grouped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Grouping {
    /// The same config but for seeds, outputs, machines and times; names that differ in a counter, a date or words alone; and
    /// rewards of the same parts, as far as these are known.
    Repeats,
    /// The value of a config key.
    Config(String),
    /// The name without the number at its end.
    NamePrefix,
    /// The group that the tracker keeps.
    Group,
    /// The sweep.
    Sweep,
}

/// Runs that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct RunGroup {
    /// What they share, to be shown. It may hold the value of a setting: redact it where it is shown.
    pub label: String,
    /// Places in the summaries that were given, ascending.
    pub members: Vec<usize>,
    /// Different seeds among them, "none" not counted.
    pub seeds: usize,
}

/// Groups runs. Larger groups come first, then in the order of their first runs. Runs to which the grouping does not
/// apply (no config, no sweep) are left out, and so are copies of others; a run alone is a group of its own. `settings` are
/// [`setting_columns`](super::setting_columns) of these runs.
pub fn group_by(summaries: &[&RunSummary], settings: &[SettingColumn<'_>], grouping: &Grouping) -> Vec<RunGroup> {
    let seeds = seeds(summaries.len(), settings);
    let mut groups: Vec<RunGroup> = match grouping {
        Grouping::Repeats => repeats(summaries, settings, &seeds),
        _ => by_label(summaries, &|summary| label(summary, grouping)),
    };
    for group in &mut groups {
        let of_config = |index: &usize| seeds.get(*index).filter(|seeds| !seeds.is_empty());
        let of_name = |index: &usize| Some(seed_in_name(&summaries.get(*index)?.name)?.0);
        group.seeds = if let [alone] = group.members.as_slice() {
            // Of thousands of runs alone no seed is written.
            usize::from(of_config(alone).is_some() || of_name(alone).is_some())
        } else {
            let words = |index: &usize| match of_config(index) {
                Some(seeds) => Some(in_words(seeds)),
                None => of_name(index).map(str::to_owned),
            };
            group.members.iter().filter_map(words).compact_collect::<BTreeSet<String>>().len()
        };
    }
    groups
        .compact_sort_by(|a, b| b.members.len().cmp(&a.members.len()).then(a.members.first().cmp(&b.members.first())));
    groups
}

fn by_label(summaries: &[&RunSummary], label: &dyn Fn(&RunSummary) -> Option<String>) -> Vec<RunGroup> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let copies = copies(summaries);
    for ((index, summary), copy) in summaries.iter().enumerate().zip(&copies) {
        // A copy is no independent sample.
        if copy.is_none()
            && let Some(label) = label(summary)
        {
            groups.entry(label).or_default().push(index);
        }
    }
    groups.into_iter().map(|(label, members)| RunGroup { label, members, seeds: 0 }).collect()
}

fn label(summary: &RunSummary, grouping: &Grouping) -> Option<String> {
    match grouping {
        Grouping::Repeats => None,
        Grouping::Config(_) if summary.config.is_empty() => None,
        Grouping::Config(key) => {
            Some(summary.config.get(key).map_or_else(|| NOT_SET.to_owned(), ConfigValue::to_string))
        }
        Grouping::NamePrefix => Some(name_prefix(&summary.name).to_owned()),
        Grouping::Group => summary.group.clone(),
        Grouping::Sweep => summary.sweep.clone(),
    }
}

const NOT_SET: &str = "not set";

/// Runs with the same parts of the reward, and one of them of which they are known. Runs of which none is known join the first such
/// group.
type RewardedAlike<'s> = (Option<RewardedRun<'s>>, Vec<usize>);

/// Runs whose hyperparameters are the same, those in their names included: many studies write into names what no config holds. So
/// must be the parts of their rewards, which stand in the code. Each group is named by the beginning that its names share.
fn repeats(summaries: &[&RunSummary], columns: &[SettingColumn<'_>], seeds: &[Vec<&ConfigValue>]) -> Vec<RunGroup> {
    let mut found: BTreeMap<(Fingerprint, String), Vec<RewardedAlike<'_>>> = BTreeMap::new();
    let copies = copies(summaries);
    let fingerprints = fingerprints(summaries, columns, seeds);
    for (((index, summary), copy), fingerprint) in summaries.iter().enumerate().zip(&copies).zip(fingerprints) {
        if let Some(fingerprint) = fingerprint.filter(|_| copy.is_none()) {
            let groups = found.entry((fingerprint, settings_in_name(&summary.name))).or_default();
            let own = summary.with_parts(summary.traces_of(Concept::Reward).next());
            let is_alike = |known: Option<RewardedRun<'_>>| {
                known.zip(own).is_none_or(|(known, own)| unshared_part(known, own).is_none())
            };
            match groups.iter_mut().find(|(known, _)| is_alike(*known)) {
                Some((known, members)) => {
                    members.push(index);
                    *known = known.or(own);
                }
                None => groups.push((own, vec![index])),
            }
        }
    }
    let label = |members: &[usize]| {
        let mut names = members.iter().filter_map(|index| summaries.get(*index)).map(|summary| summary.name.as_str());
        let first = names.next().unwrap_or_default();
        if members.len() < 2 {
            return first.to_owned();
        }
        let shared = names.map(without_mark).fold(without_mark(first), shared_start);
        let joints = ['-', '_', ' ', '.', '=', '/', ',', '#', '(', '[', '{'];
        // `train, ` is left of `train, cell 12`.
        let shared = without_counter(name_prefix(shared.trim_end_matches(joints))).trim_end_matches(joints);
        if !shared.is_empty() {
            return shared.to_owned();
        }
        beside_seed(summaries, members).unwrap_or_else(|| and_more(first, members.len() - 1))
    };
    let mut groups: Vec<RunGroup> = found
        .into_values()
        .flatten()
        .map(|(_, members)| RunGroup { label: label(&members), members, seeds: 0 })
        .collect();
    let mut labels: BTreeMap<String, usize> = BTreeMap::new();
    groups.iter().for_each(|group| *labels.entry(group.label.clone()).or_default() += 1);
    // Names that do not tell the groups apart: then the first run of each does.
    for group in groups.iter_mut().filter(|group| labels.get(&group.label).is_some_and(|times| *times > 1)) {
        let first = group.members.first().and_then(|index| summaries.get(*index));
        if let Some(first) = first.filter(|first| !first.name.is_empty()) {
            group.label = and_more(&first.name, group.members.len().saturating_sub(1));
        }
    }
    groups
}

/// What the names of some runs share beside their seeds: `sac/walk` of `seed 1 (sac/walk)` and `seed 2 (sac/walk)`.
fn beside_seed(summaries: &[&RunSummary], members: &[usize]) -> Option<String> {
    let mut rests = members.iter().map(|index| seed_in_name(&summaries.get(*index)?.name).map(|(_, rest)| rest));
    let first = rests.next()??;
    let is_shared = members.len() > 1 && rests.all(|rest| rest.as_ref() == Some(&first));
    let label = first.trim_matches(|letter: char| letter == ' ' || matches!(letter, '(' | ')'));
    (is_shared && !label.is_empty()).then(|| label.to_owned())
}

fn and_more(name: &str, more: usize) -> String {
    if more == 0 || name.is_empty() { name.to_owned() } else { [name, " and ", &more.to_string(), " more"].concat() }
}

fn shared_start<'n>(a: &'n str, b: &str) -> &'n str {
    let end =
        a.char_indices().zip(b.chars()).find(|((_, a), b)| a != b).map_or(a.len().min(b.len()), |((at, _), _)| at);
    a.get(..end).unwrap_or(a)
}

/// The seeds of each run, in the order of their keys.
fn seeds<'e>(runs: usize, columns: &[SettingColumn<'e>]) -> Vec<Vec<&'e ConfigValue>> {
    let mut seeds = vec![Vec::new(); runs];
    for column in columns.iter().filter(|column| role_of(column.key) == SettingRole::Seed) {
        for (run, value) in &column.values {
            seeds.get_mut(*run).into_iter().for_each(|seeds| seeds.push(*value));
        }
    }
    seeds
}

fn in_words(seeds: &[&ConfigValue]) -> String {
    seeds.iter().map(|seed| seed.to_string()).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setting_columns;
    use crate::testing::TestRun;
    use rundown_run::Config;

    fn summary(name: &str, settings: &[(&str, f64)]) -> RunSummary {
        let mut config = Config::default();
        settings.iter().for_each(|(key, value)| config.insert(*key, ConfigValue::Number(*value)));
        if !settings.is_empty() {
            config.insert("output_dir", ConfigValue::Text(format!("out/{name}")));
            config.insert("label", ConfigValue::Text(name.to_owned()));
        }
        RunSummary { id: format!("id-{name}"), name: name.into(), config, ..RunSummary::default() }
    }

    fn grouped(summaries: &[RunSummary], grouping: &Grouping) -> Vec<(String, Vec<usize>, usize)> {
        let summaries: Vec<&RunSummary> = summaries.iter().collect();
        group_by(&summaries, &setting_columns(&summaries), grouping)
            .into_iter()
            .map(|group| (group.label, group.members, group.seeds))
            .collect()
    }

    #[test]
    fn repeats_differ_in_nothing_but_the_seed() {
        let summaries = [
            summary("low-1", &[("lr", 1e-5), ("seed", 1.0)]),
            summary("high-1", &[("lr", 1e-4), ("seed", 1.0)]),
            summary("low-2", &[("lr", 1e-5), ("seed", 2.0)]),
            summary("high-2", &[("lr", 1e-4), ("seed", 2.0)]),
            summary("low-3", &[("lr", 1e-5), ("seed", 3.0)]),
            summary("bare", &[]),
            summary("alone", &[("lr", 1e-3)]),
        ];
        assert_eq!(
            grouped(&summaries, &Grouping::Repeats),
            [("low".into(), vec![0, 2, 4], 3), ("high".into(), vec![1, 3], 2), ("alone".into(), vec![6], 0)]
        );
        assert_eq!(
            grouped(&summaries, &Grouping::Config("lr".into()))
                .iter()
                .map(|group| group.0.as_str())
                .collect::<Vec<_>>(),
            ["1e-5", "1e-4", "0.001"]
        );
        assert_eq!(grouped(&summaries[5..], &Grouping::Config("none".into())), [("not set".into(), vec![1], 0)]);
        assert!(grouped(&summaries, &Grouping::Sweep).is_empty());
        let unknown = [summary("a", &[("max_steps", 500.0)]), summary("b", &[("max_steps", 500.0), ("seed", 2.0)])];
        assert!(grouped(&unknown, &Grouping::Repeats).is_empty(), "no hyperparameter is known");
        let tasks = [("a-1", 1.0), ("a-2", 2.0)].map(|(name, seed)| summary(name, &[("env_id", 1.0), ("seed", seed)]));
        assert_eq!(grouped(&tasks, &Grouping::Repeats).len(), 1);
        let tasks = ["ppo", "dqn"].map(|name| summary(name, &[("env_id", 1.0)]));
        assert!(grouped(&tasks, &Grouping::Repeats).is_empty(), "a task alone");
    }

    #[test]
    fn without_a_config_names_that_differ_in_the_seed_alone_are_of_repeats() {
        let names = ["v1/ppo_seed1", "v1/grpo_seed1", "v1/ppo_seed2", "v2/ppo_seed1", "v1/grpo_seed2", "baseline"];
        let found = grouped(&names.map(|name| summary(name, &[])), &Grouping::Repeats);
        let expected = [("v1/ppo", vec![0, 2], 2), ("v1/grpo", vec![1, 4], 2), ("v2/ppo_seed1", vec![3], 1)];
        assert_eq!(found, expected.map(|(label, members, seeds)| (label.to_owned(), members, seeds)));
        let of_words = ["grpo_hint/seed1", "grpo_base/seed1", "grpo_hint/seed2"].map(|name| {
            let mut made = summary(name, &[]);
            made.config.insert("run_name.model_size", ConfigValue::Number(7.0));
            made
        });
        let members: Vec<_> =
            grouped(&of_words, &Grouping::Repeats).into_iter().map(|(_, members, _)| members).collect();
        assert_eq!(members, [vec![0, 2], vec![1]], "settings in the names are no config");
        let of_counts = ["lr_1e-5/run1", "lr_1e-5/run2"].map(|name| summary(name, &[("run_name.lr", 1e-5)]));
        assert_eq!(grouped(&of_counts, &Grouping::Repeats).len(), 1, "their words are the same");
        // A config tells what the runs share, and the name which seed it was.
        let of_config = ["ppo_seed1", "ppo_seed2"].map(|name| summary(name, &[("lr", 1e-5)]));
        assert_eq!(grouped(&of_config, &Grouping::Repeats), [("ppo".into(), vec![0, 1], 2)]);
    }

    #[test]
    fn a_group_is_named_without_the_ids_of_its_runs() {
        let summaries = ["main (cv187v2u)", "main (68j1aab2)"].map(|name| summary(name, &[("lr", 1e-5)]));
        assert_eq!(grouped(&summaries, &Grouping::Repeats), [("main".into(), vec![0, 1], 0)]);
    }

    #[test]
    fn groups_whose_names_begin_with_the_seed_are_named_by_the_rest() {
        let names = ["seed 1 (sac/walk)", "seed 1 (ppo/walk)", "seed 2 (sac/walk)", "seed 2 (ppo/walk)"];
        let found = grouped(&names.map(|name| summary(name, &[])), &Grouping::Repeats);
        let labels: Vec<(&str, usize)> =
            found.iter().map(|(label, members, _)| (label.as_str(), members.len())).collect();
        assert_eq!(labels, [("sac/walk", 2), ("ppo/walk", 2)]);
    }

    #[test]
    fn a_group_is_not_named_by_what_counts_its_runs() {
        for (names, label) in [
            (["train_grpo, cell 12", "train_grpo, cell 20"], "train_grpo"),
            (["cell 12", "cell 20"], "cell 12 and 1 more"),
            (["cell 12", "cell 13"], "cell 12 and 1 more"),
        ] {
            let summaries = names.map(|name| summary(name, &[("lr", 1e-5)]));
            assert_eq!(grouped(&summaries, &Grouping::Repeats), [(label.into(), vec![0, 1], 0)]);
        }
    }

    #[test]
    fn what_the_names_alone_tell_apart_is_no_repeat() {
        let names = ["grpo-r32-p0.1", "grpo0.5B-r32-p0.1", "grpo-r32-p0.1-20250615", "grpo-r32-p0.1-20250617"];
        let summaries = names.map(|name| summary(name, &[("num_rollouts", 32.0)]));
        let found = grouped(&summaries, &Grouping::Repeats);
        let members: Vec<&[usize]> = found.iter().map(|(_, members, _)| members.as_slice()).collect();
        assert_eq!(members, [&[0_usize, 2, 3][..], &[1]], "{found:?}");
    }

    #[test]
    fn beside_few_settings_the_words_of_names_tell_runs_apart() {
        let names = ["main-clip-1", "main-diff-1", "main-clip-2"];
        let members = |settings: &[(&str, f64)]| {
            let found = grouped(&names.map(|name| summary(name, settings)), &Grouping::Repeats);
            found.into_iter().map(|(_, members, _)| members).collect::<Vec<_>>()
        };
        assert_eq!(members(&[("learning_rate", 5e-6)]), [vec![0, 2], vec![1]]);
        assert_eq!(members(&[("learning_rate", 5e-6), ("seed", 1.0)]), [[0, 1, 2]]);
        assert_eq!(members(&[("learning_rate", 5e-6), ("beta", 0.04), ("temperature", 1.0)]), [[0, 1, 2]]);
    }

    #[test]
    fn runs_that_are_rewarded_for_something_else_are_no_repeats() {
        // One function under the names of two versions of TRL, and a run of which no part is known.
        let parts = [Some("rewards/a"), Some("rewards/b/mean"), Some("rewards/a/mean"), None];
        let made = |(place, part): (usize, Option<&str>)| {
            let values = rundown_stats::testing::white(place as u64 + 1, 30);
            let run = TestRun::new("run").reward("r", &values);
            let run = part.into_iter().fold(run, |run, part| run.metric(Concept::RewardComponent, part, &values));
            RunSummary { config: summary("a", &[("lr", 1e-5)]).config, ..RunSummary::of(0, run.diagnosed()) }
        };
        let summaries: Vec<RunSummary> = parts.into_iter().enumerate().map(made).collect();
        let found = grouped(&summaries, &Grouping::Repeats);
        let members: Vec<&[usize]> = found.iter().map(|(_, members, _)| members.as_slice()).collect();
        assert_eq!(members, [&[0_usize, 2, 3][..], &[1]], "{found:?}");
    }

    #[test]
    fn a_copy_is_in_no_group() {
        let made = |seed: u64| {
            let run = TestRun::new(&format!("lr-{seed}")).reward("r", &rundown_stats::testing::white(seed, 30));
            RunSummary { config: summary("a", &[("lr", 1e-5)]).config, ..RunSummary::of(0, run.diagnosed()) }
        };
        let twice = [made(1), made(2), made(1), made(2)];
        for grouping in [Grouping::Repeats, Grouping::Config("lr".into()), Grouping::NamePrefix] {
            let found = grouped(&twice, &grouping);
            assert_eq!(
                found.iter().map(|(_, members, _)| members.as_slice()).collect::<Vec<_>>(),
                [[0, 1]],
                "{found:?}"
            );
        }
    }

    #[test]
    fn names_that_begin_alike_are_a_group() {
        let summaries = [summary("a-1", &[]), summary("b-1", &[]), summary("a-2", &[])];
        assert_eq!(grouped(&summaries, &Grouping::NamePrefix), [("a".into(), vec![0, 2], 0), ("b".into(), vec![1], 0)]);
    }
}
