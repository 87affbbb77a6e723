//! Groups of runs: seeds as one, and whether groups differ.

use super::Selection;
use super::parts::{MAX_DRAWN, maybe, push};
use rundown_compare::{
    ContrastClaim, CurveBand, GroupContrast, GroupLevel, Grouping, MAX_COMPARED_GROUPS, Metric, RunGroup, RunSummary,
    SettingColumn, band, contrasts, differing_part, group_by, group_levels,
};
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Table};
use rundown_format::rich_text::{metric as metric_key, setting_key, tabular};
use rundown_format::{RichText, counted, redact, rich};
use rundown_plot::figure::{ChartSeries, LineChart};
use rundown_stats::{IntervalEstimate, SplitMix64};

/// Seed of the bootstrap: the same runs give the same intervals.
pub const GROUP_SEED: u64 = 0x5EED_0003;

/// Which runs of a group are compared.
const COMPARED: &str = "Runs that are still running, stopped early or end without the metric are not compared. A run that broke \
                        before the metric was logged counts as the worst of all.";

/// Groups, their levels and differences; nothing where no group has two runs.
pub fn repeats(summaries: &[&RunSummary], settings: &[SettingColumn<'_>], selection: &Selection) -> Vec<Block> {
    let Some(metric) = &selection.metric else { return Vec::new() };
    let mut groups = group_by(summaries, settings, &selection.grouping);
    groups.retain(|group| group.members.len() > 1);
    if groups.is_empty() {
        return match selection.grouping {
            Grouping::Repeats => Vec::new(),
            _ => vec![Block::section("Groups"), Block::text("No two runs share this.")],
        };
    }
    let mut random = SplitMix64::new(GROUP_SEED);
    let levels = group_levels(summaries, &groups, metric, &mut random);
    let mut blocks = vec![Block::section("Groups")];
    let found = contrasts(summaries, &groups, &levels, metric, &mut random);
    let claimed = found.iter().filter(|contrast| contrast.claim == ContrastClaim::Better).count();
    let tested = found.iter().filter(|contrast| contrast.claim != ContrastClaim::TooFew).count();
    // Groups without an overlap differ as clearly as a test can show.
    let is_apart = |contrast: &GroupContrast| contrast.improvement.is_some_and(|found| found.estimate >= 1.0);
    let are_apart = found.iter().any(|contrast| contrast.claim == ContrastClaim::NoDifference && is_apart(contrast));
    let comparable = levels.iter().filter(|level| !level.levels.is_empty()).count();
    let counts = (found.len(), tested, claimed);
    blocks.push(Block::text(answer(&selection.grouping, (groups.len(), comparable), counts, are_apart)));
    push(&mut blocks, table(&groups, &levels));
    if groups.iter().zip(&levels).any(|(group, level)| level.broken > 0 || level.levels.len() < group.members.len()) {
        blocks.push(Block::text(COMPARED));
    }
    if groups.len() > 1 && differing_part(summaries, metric).is_some() {
        blocks.push(Block::text("Groups are not compared where their rewards have different parts."));
    }
    let mut differences = Table::new(
        "Differences, the most certain first",
        &[
            Words("Better"),
            Words("Worse"),
            Numbers("Difference"),
            Numbers("Probability of improvement"),
            Numbers("p, corrected"),
            Words("Conclusion"),
        ],
    );
    // Pairs that are too small for a test would bury the others.
    for contrast in found.iter().filter(|contrast| contrast.claim != ContrastClaim::TooFew) {
        let label = |place: usize| groups.get(place).map(|group| redact(&group.label).into_owned()).unwrap_or_default();
        let interval = |found: Option<IntervalEstimate>| {
            found.map_or_else(Cell::default, |found| {
                let text = rich!("{} ({} to {})", tabular(found.estimate), tabular(found.low), tabular(found.high));
                Cell::number(text, found.estimate)
            })
        };
        differences.rows.push(vec![
            Cell::key(label(contrast.better)),
            Cell::key(label(contrast.worse)),
            interval(contrast.gain),
            interval(contrast.improvement),
            maybe(Some(contrast.p_corrected).filter(|p| p.is_finite())),
            Cell::text(contrast.claim.as_str()),
        ]);
    }
    push(&mut blocks, differences);
    blocks.extend(curves(summaries, &groups, (metric, selection.width), &mut random));
    blocks
}

/// `comparable` groups have a run that is compared. `are_apart` says that groups without an overlap are among those of which no
/// difference is claimed.
fn answer(
    grouping: &Grouping,
    (groups, comparable): (usize, usize),
    (compared, tested, claimed): (usize, usize, usize),
    are_apart: bool,
) -> RichText {
    let by = match grouping {
        Grouping::Repeats => {
            "Runs whose configs differ only in the seed count as repeats, unless their names differ in a number that is \
             no seed, date or id, or their rewards have other parts; without a config, those whose names differ only \
             in the seed"
                .into()
        }
        Grouping::Config(key) => rich!("Runs are grouped by {}", setting_key(key)),
        Grouping::NamePrefix => "Runs are grouped by the beginning of their names".into(),
        Grouping::Group => "Runs are grouped as in the tracker".into(),
        Grouping::Sweep => "Runs are grouped by sweep".into(),
    };
    let wording = match (compared, tested, claimed) {
        (0, ..) if groups > 1 => "no two of them can be compared".to_owned(),
        (0, ..) => "there is nothing to compare it with".to_owned(),
        (_, 0, _) => "no two of them have the five runs each that a comparison takes".to_owned(),
        (_, many @ 2.., 0) if are_apart => {
            format!(
                "no difference is significant after the correction for {many} comparisons, though in some pairs each run of \
                 one group is better than each of the other"
            )
        }
        (.., 0) => "no difference is significant".to_owned(),
        (_, 1, _) => "the difference is significant".to_owned(),
        (_, all, 1) => format!("one of {all} differences is significant"),
        (_, all, some) => format!("{some} of {all} differences are significant"),
    };
    let largest = if comparable > MAX_COMPARED_GROUPS {
        format!(", of which {MAX_COMPARED_GROUPS} are compared (the largest; of equally large ones, the better)")
    } else {
        String::new()
    };
    rich!("{}: {}{}; {}.", by, counted(groups, "group"), largest, wording)
}

fn table(groups: &[RunGroup], levels: &[GroupLevel]) -> Table {
    let columns = [
        Words("Group"),
        Numbers("Runs"),
        Numbers("Seeds"),
        Numbers("Mean"),
        Numbers("Interquartile mean"),
        Numbers("95 % interval"),
        Numbers("Standard deviation"),
    ];
    let mut table = Table::new("", &columns);
    for (group, level) in groups.iter().zip(levels) {
        let interval = level.interval.map_or_else(Cell::default, |found| {
            Cell::number(rich!("{} to {}", tabular(found.low), tabular(found.high)), found.low)
        });
        let finite = |value: f64| maybe(Some(value).filter(|value| value.is_finite()));
        table.rows.push(vec![
            Cell::key(redact(&group.label).into_owned()),
            runs(level.levels.len(), group.members.len()),
            Cell::number(group.seeds.to_string(), group.seeds as f64),
            finite(level.mean),
            finite(level.iqm),
            interval,
            finite(level.spread),
        ]);
    }
    table
}

/// How many runs of a group are compared.
fn runs(compared: usize, all: usize) -> Cell {
    let text = if compared == all { all.to_string() } else { format!("{compared} of {all}") };
    Cell::number(text, compared as f64)
}

fn curves(
    summaries: &[&RunSummary],
    groups: &[RunGroup],
    (metric, width): (&Metric, f64),
    random: &mut SplitMix64,
) -> Vec<Block> {
    let mut bands: Vec<(String, CurveBand)> = Vec::new();
    for group in groups.iter().take(MAX_DRAWN) {
        let members: Vec<&RunSummary> =
            group.members.iter().filter_map(|place| summaries.get(*place).copied()).collect();
        if let Some(band) = band(&members, metric, random) {
            bands.push((redact(&group.label).into_owned(), band));
        }
    }
    if bands.is_empty() {
        return Vec::new();
    }
    let series = bands.iter().enumerate().map(|(place, (name, band))| {
        let ends = (!band.low.is_empty()).then_some((band.low.as_slice(), band.high.as_slice()));
        ChartSeries { band: ends, ..ChartSeries::new(place, name, &band.steps, &band.middle) }
    });
    let title = rich!("{} of the groups, interquartile mean and 95 % band", metric_key(&metric.key));
    let chart = LineChart::over_steps(title, metric.key.as_str(), series);
    let note = Block::text("Pointwise bands: each holds for a single step, not for the whole curve.");
    vec![Block::Figure(chart.draw(width)), note]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_that_were_not_compared_are_not_called_alike() {
        let said = |counts| answer(&Grouping::Repeats, (2, 2), counts, false).to_string();
        assert!(said((1, 0, 0)).ends_with("2 groups; no two of them have the five runs each that a comparison takes."));
        assert!(said((3, 1, 0)).ends_with("no difference is significant."));
        assert!(said((3, 1, 1)).ends_with("the difference is significant."));
        assert!(said((0, 0, 0)).ends_with("2 groups; no two of them can be compared."));
        assert!(said((6, 3, 1)).ends_with("one of 3 differences is significant."), "of those that were compared");
        let many = |comparable| answer(&Grouping::Repeats, (161, comparable), (435, 435, 0), true).to_string();
        let of_30 = "161 groups, of which 30 are compared (the largest; of equally large ones, the better); no difference is significant after";
        assert!(many(31).contains(of_30), "{}", many(31));
        assert!(
            many(30).contains("161 groups; no difference is significant after"),
            "the others have no run that is compared"
        );
    }
}
