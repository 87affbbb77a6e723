//! The views over all runs: what can be chosen in each, and its blocks.

use super::compare::{
    AdviceCache, Selection, costs, front, league, pipeline, repeats, rubric, scaling, settings_in_short, signals,
    standings,
};
use super::settings_reference::settings_reference;
use rundown_compare::facts::RewardTarget;
use rundown_compare::{
    ConfigDiff, Grouping, KeyPlaces, Metric, RunSummary, config_diff, primary_metric, setting_columns,
};
use rundown_content::Block;
use rundown_protocol::{Choice, ProjectRequest, ProjectView, Topic};
use rundown_vocabulary::{Concept, Direction};

/// Value of a choice that leaves it to the runs.
const NO_CHOICE: &str = "";
/// What metrics measure that are offered first.
const FIRST_CONCEPTS: [Concept; 3] = [Concept::Evaluation, Concept::Reward, Concept::RewardComponent];
/// Most metrics and settings that a menu offers.
const MAX_OFFERED: usize = 60;

/// The view of `request.topic` over these runs.
pub fn project_view(summaries: &[&RunSummary], request: &ProjectRequest, cache: &mut AdviceCache) -> ProjectView {
    let is_by_metric = matches!(request.topic, Topic::Compare | Topic::Signals);
    let metric = is_by_metric.then(|| chosen_metric(summaries, &request.chosen)).flatten();
    let mut selection = Selection { width: f64::from(request.width), ..Selection::by(metric) };
    let mut choices = Vec::new();
    if is_by_metric {
        choices.extend(metric_choice(summaries, &selection));
        choices.extend(direction_choice(&selection));
    }
    let mut blocks = match request.topic {
        Topic::Compare => {
            let settings = setting_columns(summaries);
            let diff = config_diff(summaries, &settings);
            choices.extend(cost_choice(summaries, request, &mut selection));
            choices.extend(group_choice(summaries, request, &mut selection, &diff));
            [
                standings(summaries, &settings, &selection),
                front(summaries, &selection),
                repeats(summaries, &settings, &selection),
                settings_in_short(summaries, &diff),
            ]
            .concat()
        }
        Topic::Signals => match cache.advice(summaries, &selection) {
            Some(advice) => signals(summaries, &selection, &advice),
            None => {
                vec![Block::text("The runs share no measure of how good they are: log an evaluation in all of them.")]
            }
        },
        Topic::League => league(summaries, selection.width),
        Topic::Scaling => {
            choices.extend(target_choice(summaries, request, &mut selection));
            scaling(summaries, selection.target, selection.width)
        }
        Topic::Pipeline => pipeline(summaries, selection.width),
        Topic::Rewards => rubric(summaries, selection.width),
        Topic::Settings => settings_reference(summaries),
    };
    // The view has its name already.
    if matches!(blocks.first(), Some(Block::Heading { .. }))
        && !matches!(request.topic, Topic::Compare | Topic::Signals | Topic::Settings)
    {
        blocks.remove(0);
        blocks = blocks.into_iter().map(|block| block.nested(-1)).collect();
    }
    ProjectView { choices, blocks }
}

/// The metric that the user chose to compare by, and which way it is better; else what the runs themselves suggest.
pub fn chosen_metric(summaries: &[&RunSummary], chosen: &[(String, String)]) -> Option<Metric> {
    // The choice may be older than these runs.
    let wanted = value_of(chosen, Choice::METRIC).map(|key| Metric::chosen(summaries, key, None));
    let mut metric = wanted.filter(|metric| metric.runs > 0).or_else(|| primary_metric(summaries))?;
    if let Some(direction) = value_of(chosen, &direction_of(&metric)).and_then(Direction::from_name) {
        metric.direction = direction;
    }
    Some(metric)
}

/// Name of the choice of a metric's direction: each metric keeps its own.
fn direction_of(metric: &Metric) -> String {
    format!("{}{}", Choice::DIRECTION_OF, metric.key)
}

/// What the user chose under a name.
fn chosen<'r>(request: &'r ProjectRequest, name: &str) -> Option<&'r str> {
    value_of(&request.chosen, name)
}

fn value_of<'r>(chosen: &'r [(String, String)], name: &str) -> Option<&'r str> {
    let found = chosen.iter().find(|(known, _)| known == name)?;
    Some(found.1.as_str()).filter(|value| *value != NO_CHOICE)
}

/// Metrics that runs may be compared by: those with curves, evaluations and rewards first.
fn metric_choice(summaries: &[&RunSummary], selection: &Selection) -> Option<Choice> {
    let mut keys = offered_metrics(summaries);
    let value = selection.metric.as_ref().map(|metric| metric.key.clone()).unwrap_or_default();
    if !value.is_empty() && !keys.contains(&value.as_str()) {
        keys.push(&value);
    }
    let options: Vec<(String, String)> = keys.into_iter().map(|key| (key.to_owned(), key.to_owned())).collect();
    (!options.is_empty()).then(|| choice(Choice::METRIC, "Compare by", options, value.clone()))
}

/// All metrics of the kinds that come first, then others with curves and those with a last value alone, to a limit.
fn offered_metrics<'e>(summaries: &[&'e RunSummary]) -> Vec<&'e str> {
    const OTHERS: usize = FIRST_CONCEPTS.len();
    const VALUES: usize = OTHERS + 1;
    let mut found: [KeyPlaces<'e>; VALUES + 1] = Default::default();
    for summary in summaries {
        found.iter_mut().for_each(KeyPlaces::next_run);
        let rank = |concept| FIRST_CONCEPTS.iter().position(|first| *first == concept).unwrap_or(OTHERS);
        let curves = summary.traces.iter().map(|trace| (rank(trace.concept), trace.key.as_str()));
        for (kind, key) in curves.chain(summary.last.keys().map(|key| (VALUES, key.as_str()))) {
            if let Some(keys) = found.get_mut(kind) {
                keys.place(key);
            }
        }
    }
    let mut offered: Vec<&str> = Vec::new();
    for (kind, keys) in found.iter().enumerate() {
        for key in keys.keys() {
            let has_room = kind < OTHERS || offered.len() < MAX_OFFERED;
            if has_room && !offered.contains(key) {
                offered.push(key);
            }
        }
    }
    offered
}

/// Which way the metric is better.
fn direction_choice(selection: &Selection) -> Option<Choice> {
    let metric = selection.metric.as_ref()?;
    let value = if metric.direction == Direction::Down { Direction::Down } else { Direction::Up };
    let options = [(Direction::Up, "higher is better"), (Direction::Down, "lower is better")];
    let options = options.map(|(direction, words)| (direction.name().to_owned(), words.to_owned()));
    Some(choice(&direction_of(metric), "where", options.to_vec(), value.name().to_owned()))
}

/// The reward whose compute is asked for; none where no run has compute and reward.
fn target_choice(summaries: &[&RunSummary], request: &ProjectRequest, selection: &mut Selection) -> Option<Choice> {
    selection.target = chosen(request, "target").and_then(RewardTarget::from_name).unwrap_or_default();
    let words = |target: RewardTarget| match target {
        RewardTarget::HalfOfRest => "half of what is left to the ceiling",
        RewardTarget::Ninety => "90 % of the way to the ceiling",
        RewardTarget::NinetyFive => "95 % of the way to the ceiling",
        RewardTarget::NinetyNine => "99 % of the way to the ceiling",
        RewardTarget::BestRun => "best level at the end of any run",
    };
    let options = RewardTarget::ALL.iter().map(|target| (target.name().to_owned(), words(*target).to_owned()));
    let has_any = summaries.iter().any(|summary| summary.scaling.is_some());
    has_any.then(|| choice("target", "Target", options.collect(), selection.target.name().to_owned()))
}

fn cost_choice(summaries: &[&RunSummary], request: &ProjectRequest, selection: &mut Selection) -> Option<Choice> {
    let known = costs(summaries);
    let wanted = chosen(request, "cost").and_then(|wanted| known.iter().find(|cost| cost.name == wanted));
    let cost = wanted.or_else(|| known.first())?;
    selection.cost = Some(cost.clone());
    let options = known.iter().map(|cost| (cost.name.to_owned(), cost.name.to_lowercase())).collect();
    Some(choice("cost", "Cost", options, cost.name.to_owned()))
}

/// Ways to group these runs; none where there is nothing to group by.
fn group_choice(
    summaries: &[&RunSummary],
    request: &ProjectRequest,
    selection: &mut Selection,
    diff: &ConfigDiff<'_>,
) -> Option<Choice> {
    let mut options = vec![("repeats", "same config".to_owned()), ("name", "beginning of the name".to_owned())];
    if summaries.iter().any(|summary| summary.group.is_some()) {
        options.push(("group", "group".to_owned()));
    }
    if summaries.iter().any(|summary| summary.sweep.is_some()) {
        options.push(("sweep", "sweep".to_owned()));
    }
    let keys: Vec<&str> = diff.rows.iter().chain(&diff.partial).take(MAX_OFFERED).map(|row| row.key).collect();
    let value = chosen(request, "group").unwrap_or("repeats");
    selection.grouping = match value {
        "name" => Grouping::NamePrefix,
        "group" => Grouping::Group,
        "sweep" => Grouping::Sweep,
        key if key.starts_with("config.") => Grouping::Config(key.trim_start_matches("config.").to_owned()),
        _ => Grouping::Repeats,
    };
    let mut options: Vec<(String, String)> =
        options.into_iter().map(|(value, words)| (value.to_owned(), words)).collect();
    options.extend(keys.into_iter().map(|key| (format!("config.{key}"), key.to_owned())));
    Some(choice("group", "Group by", options, value.to_owned()))
}

fn choice(name: &str, label: &str, options: Vec<(String, String)>, value: String) -> Choice {
    Choice { name: name.to_owned(), label: label.to_owned(), options, value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_diagnose::{Rulebook, diagnose};
    use rundown_run::Run;
    use rundown_stats::testing::white;

    /// A reward that rises from 0.2 to 0.7, half of it at 60 units of compute.
    fn bounded() -> RunSummary {
        let mut run = Run::default();
        for (place, noise) in white(5, 400).iter().enumerate() {
            let x = place as f64 + 1.0;
            let row = run.push_row(x, 60.0 * x);
            run.push_value("power_law/cumulative_flops", row, x);
            run.push_value("train/reward", row, 0.2 + 0.5 / (1.0 + libm::pow(60.0 / x, 1.6)) + 0.01 * noise);
        }
        run.choose_axis();
        RunSummary::of(0, (&run, &diagnose(&run, &Rulebook::default())))
    }

    #[test]
    fn the_direction_is_chosen_for_a_metric_and_decides_who_leads() {
        let named = |number: u32, name: &str, level: f64| {
            let mut run = Run { name: name.to_owned(), ..Run::default() };
            for (place, noise) in white(u64::from(number), 100).iter().enumerate() {
                let row = run.push_row(place as f64, f64::NAN);
                run.push_value("my_number", row, level + 0.01 * noise);
            }
            run.choose_axis();
            RunSummary::of(number, (&run, &diagnose(&run, &Rulebook::default())))
        };
        let (low, high) = (named(1, "low", 0.2), named(2, "high", 0.8));
        let first = |direction: &str| {
            let chosen = [("metric", "my_number"), ("direction of my_number", direction)];
            let chosen = chosen.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
            let request = ProjectRequest { topic: Topic::Compare, runs: Vec::new(), chosen, width: 700 };
            let view = project_view(&[&low, &high], &request, &mut AdviceCache::default());
            assert!(view.choices.iter().any(|choice| choice.label == "where" && choice.value == direction));
            let leads =
                view.blocks.iter().map(|block| format!("{block:?}")).find(|block| block.contains("comes first"));
            leads.unwrap().split("comes first").next().unwrap().to_owned()
        };
        assert!(first("up").contains("high"), "{}", first("up"));
        assert!(first("down").contains("low"), "{}", first("down"));
    }

    #[test]
    fn the_target_is_chosen_and_its_compute_shown() {
        let summary = bounded();
        let view = |target: &str| {
            let chosen = vec![("target".to_owned(), target.to_owned())];
            let request = ProjectRequest { topic: Topic::Scaling, runs: Vec::new(), chosen, width: 700 };
            project_view(&[&summary], &request, &mut AdviceCache::default())
        };
        let compute = |target: &str| {
            let blocks = view(target).blocks;
            let tables =
                blocks.iter().filter_map(|block| if let Block::Table(table) = block { Some(table) } else { None });
            let table = tables.into_iter().next().unwrap().clone();
            let place =
                table.columns.iter().position(|column| column.name.to_string() == "Compute for the target").unwrap();
            table.rows[0][place].value.unwrap()
        };
        assert_eq!(view("").choices[0].value, "90");
        assert!(compute("99") > 2.0 * compute("90"));
        assert_eq!(compute("no such target"), compute("90"));
    }
}
