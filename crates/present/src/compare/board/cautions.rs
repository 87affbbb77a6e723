//! What to keep in mind where runs are compared by one metric: what it is in each of them, and which of them are comparable.

use crate::compare::parts::{different_parts, key_span, run_span};
use rundown_compare::{Metric, RunSummary, SettingColumn, copies, differing_part, rewarded_by, uneven};
use rundown_content::Block;
use rundown_format::{RichText, counted, number, rich};

/// The cautions that hold for these runs; `is_comparable` is their [`rundown_compare::comparable`].
pub fn cautions(
    summaries: &[&RunSummary],
    settings: &[SettingColumn<'_>],
    metric: &Metric,
    is_comparable: &[bool],
) -> Vec<Block> {
    let found = [
        other_keys(summaries, metric),
        lengths(summaries, metric),
        copied(summaries),
        rewards(summaries, settings, metric, is_comparable),
    ];
    found.into_iter().flatten().collect()
}

/// The keys of runs of other frameworks, which log the metric under their own.
fn other_keys(summaries: &[&RunSummary], metric: &Metric) -> Option<Block> {
    let mut keys: Vec<(&str, usize)> = Vec::new();
    for key in summaries.iter().map(|summary| metric.key_in(summary)).filter(|key| *key != metric.key) {
        match keys.iter_mut().find(|(known, _)| *known == key) {
            Some((_, runs)) => *runs += 1,
            None => keys.push((key, 1)),
        }
    }
    let key = |(key, runs): (&str, usize)| rich!("{} ({})", key_span(key), counted(runs, "run"));
    let keys: Vec<RichText> = keys.into_iter().map(key).collect();
    (!keys.is_empty()).then(|| {
        Block::text(rich!("Runs that log this metric under another key: {}.", RichText::joined(keys, ", ", ", ")))
    })
}

/// A caution where runs trained for different numbers of steps.
fn lengths(summaries: &[&RunSummary], metric: &Metric) -> Option<Block> {
    let ends = summaries.iter().filter_map(|summary| metric.trace_in(summary)).map(|trace| trace.last_step);
    let (least, most) = uneven(ends)?;
    let wording = format!(
        "Final values are not comparable: the runs end at different steps ({} to {}).",
        number(least),
        number(most)
    );
    Some(Block::text(wording))
}

/// The setting of the reward in which the runs that have it differ, where they are compared by it.
pub fn reward_setting<'e>(
    summaries: &[&RunSummary],
    settings: &[SettingColumn<'e>],
    metric: &Metric,
) -> Option<&'e str> {
    let has_reward = |run: usize| summaries.get(run).is_some_and(|summary| metric.trace_in(summary).is_some());
    metric.is_reward().then(|| rewarded_by(settings, has_reward)).flatten()
}

/// A caution where the reward that runs are compared by is not the same in all of them.
fn rewards(
    summaries: &[&RunSummary],
    settings: &[SettingColumn<'_>],
    metric: &Metric,
    is_comparable: &[bool],
) -> Option<Block> {
    let alike = is_comparable.iter().filter(|is_comparable| **is_comparable).count();
    let compared = if (1..summaries.len()).contains(&alike) {
        format!(" Only the {alike} of {} runs with the parts of the best one are compared.", summaries.len())
    } else {
        String::new()
    };
    let Some(key) = reward_setting(summaries, settings, metric) else {
        let part = differing_part(summaries, metric)?;
        return Some(Block::text(rich!(
            "The {}, so {} is not comparable: an evaluation on the same tasks would be.{}",
            different_parts(part),
            key_span(&metric.key),
            compared
        )));
    };
    Some(Block::text(rich!(
        "The runs differ in what is rewarded ({}), so their {} is not comparable: an evaluation on the same tasks would be.{}",
        key_span(key),
        key_span(&metric.key),
        compared
    )))
}

/// Runs with the same numbers as another one.
fn copied(summaries: &[&RunSummary]) -> Option<Block> {
    let copies = copies(summaries);
    let mut found =
        summaries.iter().zip(&copies).filter_map(|(summary, first)| Some((*summary, *summaries.get((*first)?)?)));
    let (copy, first) = found.next()?;
    let more = match found.count() {
        0 => String::new(),
        1 => ", and one more run is such a duplicate".to_owned(),
        many => format!(", and {many} more runs are such duplicates"),
    };
    Some(Block::text(rich!(
        "{} has the same numbers as {}{}: duplicates count once where runs are compared.",
        run_span(copy),
        run_span(first),
        more
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Selection, standings};
    use rundown_compare::comparable;
    use rundown_compare::testing::TestRun;
    use rundown_vocabulary::Concept;

    #[test]
    fn runs_end_at_the_steps_that_they_logged() {
        let made = [500, 1000].map(|steps| TestRun::new("a").reward("r", &vec![0.5; steps]));
        let summaries: Vec<RunSummary> = made.iter().map(|run| RunSummary::of(0, run.diagnosed())).collect();
        let all: Vec<&RunSummary> = summaries.iter().collect();
        let shown =
            lengths(&all, &Selection::of(&all).metric.unwrap()).map(|block| rundown_content::markdown([&block]));
        assert!(shown.as_ref().unwrap().contains("different steps (500 to 1000)"), "{shown:?}");
    }

    #[test]
    fn a_run_leads_those_on_its_own_tasks() {
        let runs = [("ant", 0.9, "Ant"), ("hopper", 0.5, "Hopper"), ("high", 0.8, "Ant"), ("as", 0.9, "Ant")];
        let made = runs.map(|(name, level, environment)| {
            let run = TestRun::new(name).reward("r", &[level - 0.01, level + 0.01].repeat(6));
            let mut summary = RunSummary::of(0, run.diagnosed());
            summary.config.insert("env_id", rundown_run::ConfigValue::Text(environment.to_owned()));
            summary
        });
        let said = |all: &[&RunSummary]| rundown_content::markdown(&standings(all, &[], &Selection::of(all)));
        let two = said(&[&made[0], &made[1]]);
        assert!(two.contains("No run leads: the others with a value were trained on other tasks than"), "{two}");
        let three = said(&[&made[0], &made[1], &made[2]]);
        assert!(three.contains("leads") && three.contains("Runs on other tasks are not compared with it."), "{three}");
        let alike = said(&[&made[0], &made[1], &made[3]]);
        assert!(alike.contains("all on the same tasks have the same verdict"), "{alike}");
        let same = said(&[&made[0], &made[2]]);
        assert!(same.contains("leads") && !same.contains("other tasks are not"), "{same}");
    }

    #[test]
    fn no_run_leads_by_a_reward_of_another_scale() {
        let made = [(0.1, "lambda_fair"), (1.0, "lambda_fair"), (0.1, "lr"), (1.0, "lr")].map(|(value, key)| {
            let mut summary = RunSummary::of(0, TestRun::new("a").reward("r", &[value; 12]).diagnosed());
            summary.config.insert(key, rundown_run::ConfigValue::Number(value));
            summary
        });
        let said = |all: &[&RunSummary]| {
            let columns = rundown_compare::setting_columns(all);
            rundown_content::markdown(&standings(all, &columns, &Selection::of(all)))
        };
        let scaled = said(&[&made[0], &made[1]]);
        assert!(scaled.contains("in what is rewarded") && !scaled.contains("first, with"), "{scaled}");
        let alike = said(&[&made[2], &made[3]]);
        assert!(alike.contains("first, with") || alike.contains("leads"), "{alike}");
    }

    #[test]
    fn keys_of_other_frameworks_are_named() {
        let made = ["r", "r", "critic/rewards/mean"].map(|key| TestRun::new("a").reward(key, &[0.5; 12]));
        let summaries: Vec<RunSummary> = made.iter().map(|run| RunSummary::of(0, run.diagnosed())).collect();
        let words = |summaries: &[&RunSummary]| {
            let block = other_keys(summaries, &Selection::of(summaries).metric?)?;
            Some(rundown_content::markdown([&block]))
        };
        let all: Vec<&RunSummary> = summaries.iter().collect();
        assert_eq!(
            words(&all).unwrap().trim(),
            "Runs that log this metric under another key: `critic/rewards/mean` (1 run)."
        );
        assert_eq!(words(&all[..2]), None);
    }

    #[test]
    fn rewards_of_other_parts_are_not_compared() {
        let run = |number: u32, parts: &[&str]| {
            let parts = parts.iter().fold(TestRun::new("a").reward("reward", &[0.5; 12]), |run, part| {
                run.metric(Concept::RewardComponent, part, &[0.5; 12])
            });
            RunSummary::of(number, parts.diagnosed())
        };
        let runs = [run(0, &["rewards/right", "rewards/language"]), run(1, &["rewards/right"]), run(2, &[])];
        let said = |of: &[&RunSummary]| {
            let metric = Metric::chosen(of, "reward", None);
            let block = rewards(of, &[], &metric, &comparable(of, &metric))?;
            Some(rundown_content::markdown([&block]))
        };
        let found = said(&[&runs[0], &runs[1]]);
        assert!(
            found.as_ref().is_some_and(|said| said.contains("`rewards/language` is not in all of them")),
            "{found:?}"
        );
        assert_eq!((said(&[&runs[0], &runs[2]]), said(&[&runs[1], &runs[1]])), (None, None), "unknown, and the same");
        let is_led =
            |of: &[&RunSummary]| rundown_content::markdown(&standings(of, &[], &Selection::of(of))).contains("lead");
        assert_eq!((is_led(&[&runs[0], &runs[1]]), is_led(&[&runs[0], &runs[2]])), (false, true));
        let one_is_odd = [&runs[1], &runs[1], &runs[0]];
        let found = said(&one_is_odd);
        assert!(found.as_ref().is_some_and(|said| said.contains("Only the 2 of 3 runs")), "{found:?}");
        assert!(is_led(&one_is_odd));
    }
}
