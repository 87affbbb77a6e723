//! The views over all runs: what can be chosen in each, and its blocks.

use super::compare::{
    Selection, advice, board, costs, effects, front, league, next, pipeline, repeats, rubric, scaling, settings,
};
use super::settings_reference::settings_reference;
use crate::compare::{ConfigDiff, CostMeasure, Grouping, Metric, RunSummary, config_diff};
use crate::content::Block;
use crate::protocol::{Choice, ProjectRequest, ProjectView, Topic};
use crate::vocabulary::{Concept, Direction};

/// Value of a choice that leaves it to the runs.
const NONE: &str = "";
/// Most metrics and settings that a menu offers.
const OFFERED: usize = 60;

/// The view of `request.topic` over these runs.
pub fn project_view(summaries: &[&RunSummary], request: &ProjectRequest) -> ProjectView {
    let mut selection = Selection::of(summaries);
    let mut choices = Vec::new();
    let mut diff = ConfigDiff::default();
    if matches!(request.topic, Topic::Compare | Topic::Signals) {
        choices.extend(metric_choice(summaries, request, &mut selection));
        choices.extend(direction_choice(request, &mut selection));
    }
    if request.topic == Topic::Compare {
        choices.extend(cost_choice(summaries, request, &mut selection));
        choices.push(baseline_choice(summaries, request, &mut selection));
        diff = config_diff(summaries);
        choices.extend(group_choice(summaries, request, &mut selection, &diff));
    }
    let mut blocks = blocks(summaries, request.topic, &selection, diff);
    // The view has its name already.
    if matches!(blocks.first(), Some(Block::Heading { .. }))
        && !matches!(request.topic, Topic::Compare | Topic::Signals | Topic::Settings)
    {
        blocks.remove(0);
    }
    ProjectView { choices, blocks }
}

fn blocks(summaries: &[&RunSummary], topic: Topic, selection: &Selection, diff: ConfigDiff<'_>) -> Vec<Block> {
    match topic {
        Topic::Compare => [
            board(summaries, selection),
            front(summaries, selection),
            repeats(summaries, selection),
            settings(summaries, selection, diff),
        ]
        .concat(),
        Topic::Signals => match advice(summaries, selection) {
            Some(advice) => [next(summaries, &advice), effects(summaries, &advice)].concat(),
            None => {
                vec![Block::text("The runs share no measure of how good they are: log an evaluation in all of them.")]
            }
        },
        Topic::League => league(summaries),
        Topic::Scaling => scaling(summaries),
        Topic::Pipeline => pipeline(summaries),
        Topic::Rewards => rubric(summaries),
        Topic::Settings => settings_reference(summaries),
    }
}

/// What the user chose under a name.
fn chosen<'r>(request: &'r ProjectRequest, name: &str) -> Option<&'r str> {
    let found = request.chosen.iter().find(|(known, _)| known == name)?;
    Some(found.1.as_str()).filter(|value| *value != NONE)
}

/// Metrics that runs may be compared by: those with curves, evaluations and rewards first.
fn metric_choice(summaries: &[&RunSummary], request: &ProjectRequest, selection: &mut Selection) -> Option<Choice> {
    let mut keys: Vec<&str> = Vec::new();
    for concept in [Concept::Evaluation, Concept::Reward, Concept::RewardComponent] {
        for trace in summaries.iter().flat_map(|summary| summary.traces_of(concept)) {
            if !keys.contains(&trace.key.as_str()) {
                keys.push(&trace.key);
            }
        }
    }
    for trace in summaries.iter().flat_map(|summary| &summary.traces) {
        if keys.len() < OFFERED && !keys.contains(&trace.key.as_str()) {
            keys.push(&trace.key);
        }
    }
    for key in summaries.iter().flat_map(|summary| summary.last.keys()) {
        if keys.len() < OFFERED && !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    if let Some(key) = chosen(request, "metric") {
        // The choice may be older than these runs.
        let metric = Some(Metric::chosen(summaries, key, None)).filter(|metric| metric.runs > 0);
        selection.metric = metric.or(selection.metric.take());
    }
    let value = selection.metric.as_ref().map(|metric| metric.key.clone()).unwrap_or_default();
    if !value.is_empty() && !keys.contains(&value.as_str()) {
        keys.push(&value);
    }
    let options: Vec<(String, String)> = keys.into_iter().map(|key| (key.to_owned(), key.to_owned())).collect();
    (!options.is_empty()).then(|| choice("metric", "Compare by", options, value.clone()))
}

/// Which way the metric is better. Each metric keeps its own choice.
fn direction_choice(request: &ProjectRequest, selection: &mut Selection) -> Option<Choice> {
    let metric = selection.metric.as_mut()?;
    let name = format!("direction of {}", metric.key);
    if let Some(direction) = chosen(request, &name).and_then(Direction::from_name) {
        metric.direction = direction;
    }
    let value = if metric.direction == Direction::Down { Direction::Down } else { Direction::Up };
    let options = [(Direction::Up, "higher is better"), (Direction::Down, "lower is better")];
    let options = options.map(|(direction, words)| (direction.name().to_owned(), words.to_owned()));
    Some(choice(&name, "where", options.to_vec(), value.name().to_owned()))
}

fn cost_choice(summaries: &[&RunSummary], request: &ProjectRequest, selection: &mut Selection) -> Option<Choice> {
    let known: Vec<(&'static str, CostMeasure)> = costs(summaries);
    if let Some(wanted) = chosen(request, "cost")
        && let Some((_, cost)) = known.iter().find(|(name, _)| *name == wanted)
    {
        selection.cost = Some(cost.clone());
    }
    let value = known.iter().find(|(_, cost)| selection.cost.as_ref() == Some(cost)).map(|(name, _)| *name)?;
    let options = known.iter().map(|(name, _)| ((*name).to_owned(), name.to_lowercase())).collect();
    Some(choice("cost", "Cost", options, value.to_owned()))
}

fn baseline_choice(summaries: &[&RunSummary], request: &ProjectRequest, selection: &mut Selection) -> Choice {
    selection.baseline = chosen(request, "baseline").and_then(|number| number.parse().ok());
    let mut options = vec![(NONE.to_owned(), "none".to_owned())];
    options.extend(summaries.iter().map(|summary| (summary.number.to_string(), summary.name.clone())));
    let value = selection.baseline.map(|number| number.to_string()).unwrap_or_default();
    choice("baseline", "Baseline", options, value)
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
    let keys: Vec<&str> = diff.rows.iter().take(OFFERED).map(|row| row.key).collect();
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
