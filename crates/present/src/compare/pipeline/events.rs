//! The event logs of pipelines: error texts, groups with the highest rates of failures, and the inference engine
//! by adapter, phase and horizon.

use super::super::parts::{filled, key, maybe, maybe_share, push, run};
use super::health::PipelineRow;
use rundown_compare::facts::{EngineUse, FailureKind, ShareEstimate};
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Table};
use rundown_format::{counted, number, redact, utc};
use rundown_run::Sighting;

/// Rates of errors and failed rollouts with their intervals, then error texts, the most frequent first.
pub(super) fn errors(blocks: &mut Vec<Block>, rows: &[PipelineRow<'_>]) {
    let mut rates = Table::new(
        "Failed rollouts and error events, with 95 % intervals",
        &[Words("Run"), Words("What"), Numbers("Share"), Numbers("From"), Numbers("To"), Numbers("Of")],
    );
    let mut texts = Table::new(
        "Error texts, most frequent first. <n>, <id>, <path> and <value> stand for what differs",
        &[Words("Run"), Words("Event"), Words("Text"), Numbers("Count"), Words("First"), Words("Last")],
    );
    let mut others = Vec::new();
    for (summary, pipeline) in rows {
        let shares = [("failed rollouts", &pipeline.failed), ("error events", &pipeline.error_rate)];
        for (what, rate) in shares {
            let Some(ShareEstimate { share, count, interval: Some((low, high)), .. }) = rate else { continue };
            let bounds = [*share, *low, *high].map(|share| maybe_share(Some(share)));
            let cells = [run(summary), Cell::text(what)].into_iter().chain(bounds);
            rates.rows.push(cells.chain([maybe(*count)]).collect());
        }
        for error in &pipeline.error_texts {
            texts.rows.push(vec![
                run(summary),
                key(&error.event),
                Cell::text(redact(&error.text)),
                maybe(Some(error.count as f64)),
                Cell::text(seen(error.first)),
                Cell::text(seen(error.last)),
            ]);
        }
        if pipeline.other_errors > 0 {
            let all = usize::try_from(pipeline.other_errors).unwrap_or(usize::MAX);
            others.push(format!(
                "{} with other texts in {}",
                counted(all, "error event"),
                super::super::parts::name(summary)
            ));
        }
    }
    if rates.rows.is_empty() && texts.rows.is_empty() {
        return;
    }
    blocks.push(Block::part("Errors"));
    push(blocks, rates);
    push(blocks, filled(texts));
    if !others.is_empty() {
        blocks.push(Block::text(format!("Not listed: {}.", others.join("; "))));
    }
}

/// When an event was seen: minute, and step where it is known.
pub(crate) fn seen(at: Sighting) -> String {
    let time = at.time.and_then(utc);
    let step = at.step.map(|step| format!("step {}", number(step)));
    time.into_iter().chain(step).collect::<Vec<_>>().join(", ")
}

/// Extraction by group.
pub(super) fn extraction_by_group(blocks: &mut Vec<Block>, rows: &[PipelineRow<'_>]) {
    let columns = [
        Words("Run"),
        Words("Group"),
        Numbers("Extracted"),
        Numbers("Empty"),
        Numbers("Partial"),
        Numbers("Responses"),
    ];
    let mut table = Table::new("Extraction by group, lowest first", &columns);
    for (summary, pipeline) in rows {
        for group in &pipeline.by_group {
            let shares = [group.extracted, group.empty, group.partial].map(|share| maybe_share(Some(share)));
            let named = [run(summary), key(&group.name)].into_iter();
            table.rows.push(named.chain(shares).chain([maybe(Some(group.count as f64))]).collect());
        }
    }
    push(blocks, table);
}

/// Groups with the highest rates of failures.
pub(super) fn worst_groups(blocks: &mut Vec<Block>, rows: &[PipelineRow<'_>]) {
    let columns = [
        Words("Run"),
        Words("What fails"),
        Words("By"),
        Words("Name"),
        Numbers("Share"),
        Numbers("From"),
        Numbers("To"),
        Numbers("Of"),
    ];
    let mut table = Table::new("Highest rates of failures by group, with 95 % intervals", &columns);
    for (summary, pipeline) in rows {
        for rate in &pipeline.worst_groups {
            let what = match rate.kind {
                FailureKind::Extraction => "outputs not extracted in full",
                FailureKind::Rollouts => "failed rollouts",
                FailureKind::Events => "error events",
            };
            let (low, high) = rate.interval.unzip();
            table.rows.push(vec![
                run(summary),
                Cell::text(what),
                Cell::text(rate.label.as_str()),
                key(&rate.name),
                maybe_share(Some(rate.share)),
                maybe_share(low),
                maybe_share(high),
                maybe(Some(rate.count as f64)),
            ]);
        }
    }
    push(blocks, table);
}

/// Speeds, batch size and latency of the inference engine.
pub(super) fn engine(blocks: &mut Vec<Block>, rows: &[PipelineRow<'_>]) {
    let columns = [
        Words("Run"),
        Words("By"),
        Words("Name"),
        Numbers("Requests"),
        Numbers("Input tokens/s"),
        Numbers("Output tokens/s"),
        Numbers("Batch size"),
        Numbers("Request latency, s"),
    ];
    let mut table = Table::new("Means over the requests of the inference engine", &columns);
    for (summary, pipeline) in rows {
        for EngineUse { of, requests, input_rate, output_rate, batch, latency_s } in &pipeline.engine {
            let (by, name) = match of {
                Some((label, name)) => (Cell::text(label.as_str()), key(name)),
                None => (Cell::text("all"), Cell::default()),
            };
            table.rows.push(vec![
                run(summary),
                by,
                name,
                maybe(Some(*requests as f64)),
                maybe(*input_rate),
                maybe(*output_rate),
                maybe(*batch),
                maybe(*latency_s),
            ]);
        }
    }
    if !table.rows.is_empty() {
        blocks.push(Block::part("Inference engine"));
        blocks.push(Block::text(
            "Targets: above 500 input and 50 output tokens/s for a request, and batches above 4 (experiment-analysis guide).",
        ));
    }
    push(blocks, filled(table));
}
