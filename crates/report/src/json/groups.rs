//! Groups of runs and whether they differ, as programs read it.

use super::compared::run_name;
use super::finding::clean;
use rundown_compare::{
    GroupContrast, GroupLevel, RunGroup, RunSummary, contrasts, group_by, group_levels, setting_columns,
};
use rundown_present::compare::{GROUP_SEED, Selection};
use rundown_schema::comparison::{ContrastReport, GroupReport, GroupsReport, Interval};
use rundown_stats::{IntervalEstimate, SplitMix64};

/// `None` where the runs share no outcome or no two belong together.
pub(super) fn groups_report(summaries: &[&RunSummary], selection: &Selection) -> Option<GroupsReport> {
    let metric = selection.metric.as_ref()?;
    let mut groups = group_by(summaries, &setting_columns(summaries), &selection.grouping);
    groups.retain(|group| group.members.len() > 1);
    if groups.is_empty() {
        return None;
    }
    // The seed and the order of drawing are those of the other reports, so that all say the same numbers.
    let mut random = SplitMix64::new(GROUP_SEED);
    let levels = group_levels(summaries, &groups, metric, &mut random);
    let found = contrasts(summaries, &groups, &levels, metric, &mut random);
    Some(GroupsReport {
        levels: groups.iter().zip(&levels).map(|(group, level)| group_report(summaries, group, level)).collect(),
        contrasts: found.iter().map(|contrast| contrast_report(&groups, contrast)).collect(),
    })
}

fn group_report(summaries: &[&RunSummary], group: &RunGroup, level: &GroupLevel) -> GroupReport {
    GroupReport {
        label: clean(&group.label),
        runs: group.members.iter().filter_map(|place| summaries.get(*place)).map(|summary| run_name(summary)).collect(),
        compared: level.levels.len(),
        broken: level.broken,
        seeds: group.seeds,
        mean: level.mean.into(),
        iqm: level.iqm.into(),
        low: level.interval.map(|found| found.low),
        high: level.interval.map(|found| found.high),
        std_dev: level.spread.into(),
    }
}

fn contrast_report(groups: &[RunGroup], contrast: &GroupContrast) -> ContrastReport {
    let label = |place: usize| groups.get(place).map(|group| clean(&group.label)).unwrap_or_default();
    ContrastReport {
        better: label(contrast.better),
        worse: label(contrast.worse),
        difference: contrast.gain.map(interval),
        probability_of_improvement: contrast.improvement.map(interval),
        p: contrast.p.into(),
        p_corrected: contrast.p_corrected.into(),
        claim: contrast.claim.as_str().to_owned(),
    }
}

fn interval(found: IntervalEstimate) -> Interval {
    Interval { value: found.estimate.into(), low: found.low.into(), high: found.high.into() }
}
