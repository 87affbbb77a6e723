//! The health of pipelines in words: healthy, degraded or unhealthy, and what decided it.

use super::super::parts::{MAX_ROWS, push_list, run_span};
use rundown_compare::RunSummary;
use rundown_compare::facts::{Health, MissedTarget, Pipeline, PipelineHealth, Target};
use rundown_content::{Block, Span};
use rundown_format::{counted, number, percent_to, quantity, rich};
use rundown_stats::CompactSort as _;

/// A run with its pipeline.
pub(super) type PipelineRow<'a> = (&'a RunSummary, &'a Pipeline);

/// The state of each pipeline, the worst first.
pub(super) fn health(blocks: &mut Vec<Block>, rows: &[PipelineRow<'_>]) {
    let mut assessed: Vec<(&PipelineRow<'_>, PipelineHealth)> =
        rows.iter().filter_map(|row| Some((row, row.0.pipeline_health()?))).collect();
    assessed.compact_sort_by_key(|(_, health)| std::cmp::Reverse(health.level));
    blocks.push(answer(&assessed));
    let ill = assessed.iter().filter(|(_, health)| health.level != Health::Healthy).take(MAX_ROWS);
    push_list(blocks, ill.map(|(row, health)| sentence(row, health)).collect());
    let worst = assessed.first().filter(|(_, health)| health.level != Health::Healthy);
    if let Some(((_, pipeline), _)) = worst {
        blocks.push(Block::text(format!(
            "Degraded: a target is missed. Unhealthy: more than {} % of the events or rollouts are errors, or a check of \
             the pipeline, of extraction or of the cache is critical. A counted share misses a target where its whole 95 % interval does.",
            number(100.0 * pipeline.rulebook.error_rate_unhealthy().value)
        )));
    }
}

fn answer(assessed: &[(&PipelineRow<'_>, PipelineHealth)]) -> Block {
    let count = |level: Health| assessed.iter().filter(|(_, health)| health.level == level).count();
    let (degraded, unhealthy) = (count(Health::Degraded), count(Health::Unhealthy));
    Block::text(match (assessed, degraded + unhealthy) {
        ([], _) => "No metric is logged for which the guides have a target.".to_owned(),
        ([(_, only)], 0) => format!("The pipeline {}.", in_words(only)),
        ([_], _) => {
            format!("The pipeline is {}:", if unhealthy > 0 { Health::Unhealthy } else { Health::Degraded }.as_str())
        }
        (all, 0) => format!("All {} pipelines meet every target that can be checked.", all.len()),
        (all, _) => format!(
            "Of {} pipelines {} every target that can be checked, {degraded} {} degraded and {unhealthy} unhealthy:",
            all.len(),
            if count(Health::Healthy) == 1 { "1 meets".to_owned() } else { format!("{} meet", count(Health::Healthy)) },
            if degraded == 1 { "is" } else { "are" },
        ),
    })
}

fn sentence((summary, _): &PipelineRow<'_>, health: &PipelineHealth) -> Vec<Span> {
    rich!("{} {}.", run_span(summary), in_words(health)).into()
}

/// The level and what decided it: `is degraded: 2 % of the rollouts fail (target: below 1 %)`.
pub(crate) fn in_words(health: &PipelineHealth) -> String {
    let critical = health.critical.iter().map(|code| format!("{} is critical", code.phrase()));
    let reasons: Vec<String> = health.missed.iter().map(missed).chain(critical).collect();
    let level = health.level.as_str();
    let targets = counted(health.checked, "target");
    match (reasons.is_empty(), health.is_known()) {
        (true, true) => {
            format!("is {level}: it meets every target of the guides that can be checked, {targets}")
        }
        (true, false) => {
            format!("meets every target of the guides that can be checked: {targets}, too few to call it {level}")
        }
        (false, _) => format!("is {level}: {}", reasons.join("; ")),
    }
}

fn missed(missed: &MissedTarget) -> String {
    let share = percent_to(missed.value, 1);
    let seconds = quantity(missed.value.round(), "s");
    let value = number(missed.value);
    let below = |limit: String| format!("(target: below {limit})");
    let above = |limit: String| format!("(target: above {limit})");
    let limit = missed.limit;
    let in_percent = format!("{} %", number(100.0 * limit));
    match missed.target {
        Target::RolloutP95 => format!("95 % of the rollouts take up to {seconds} {}", below(quantity(limit, "s"))),
        Target::SlowestRollout => {
            format!("the slowest rollout of a step takes {seconds} {}", below(quantity(limit, "s")))
        }
        Target::FailedRollouts => format!("{share} of the rollouts fail {}", below(in_percent)),
        Target::StepsWithFailures => format!("rollouts fail in {share} of the steps {}", below(in_percent)),
        Target::ErrorEvents => format!("{share} of the events are errors {}", below(in_percent)),
        Target::Extraction => format!("{share} of the outputs could be extracted {}", above(in_percent)),
        Target::ExtractionAtEnd => format!("the extraction rate ended at {share} {}", above(in_percent)),
        Target::Empty => format!("{share} of the responses are empty {}", below(in_percent)),
        Target::Partial => format!("{share} of the responses are partial {}", below(in_percent)),
        Target::CacheHits => format!("the cache hit rate is {share} after the warm-up {}", above(in_percent)),
        Target::OutputRate => format!("a request gets {value} output tokens/s {}", above(number(limit))),
        Target::InputRate => format!("a request gets {value} input tokens/s {}", above(number(limit))),
        Target::Batch => format!("a batch of the engine holds {value} on average {}", above(number(limit))),
    }
}
