//! A whole run as one JSON file, to keep, to send, and to read back without loss (docs/run-export.md).
//!
//! A report says what happened; this holds the data: every logged number, settings, histograms, tables, log and
//! artifacts, in the serde form of [`Run`]. `rundown_ingest` reads the file as any other.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::json::finding_report;
use rundown_diagnose::Finding;
use rundown_format::redact::{KeyBlock, REDACTED};
use rundown_format::redact_around_id;
use rundown_present::config::redact_config_value;
use rundown_run::{
    Artifact, Config, ConfigValue, Ending, ErrorText, EventLog, LabelMean, Log, LoggedCell, LoggedTable, MetricRule,
    Run, TableFile,
};
use rundown_schema::finding::FindingReport;
use rundown_stats::CompactCollect as _;

/// Version of the format. It grows when a member changes its meaning or goes; new members may come without.
pub const RUN_EXPORT: u32 = 1;

/// What becomes of keys and passwords in settings and logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrets {
    /// They stay: the export is exact.
    Keep,
    /// They go, as in reports: for an export that leaves the machine.
    Redact,
}

#[derive(Serialize)]
struct RunExport<'r> {
    rundown_run: u32,
    #[serde(flatten)]
    run: &'r Run,
    /// For readers of the file; not read back. Without secrets in either case.
    findings: Vec<FindingReport>,
}

/// A whole run as JSON in one line. `findings` may be empty.
///
/// # Errors
/// Only those of the serialiser, which has none for this data.
pub fn run_export(run: &Run, findings: &[Finding], secrets: Secrets) -> serde_json::Result<String> {
    let run = match secrets {
        Secrets::Keep => Cow::Borrowed(run),
        Secrets::Redact => Cow::Owned(redacted(run)),
    };
    let findings = findings.iter().map(finding_report).collect();
    let mut line = serde_json::to_string(&RunExport { rundown_run: RUN_EXPORT, run: &run, findings })?;
    line.push('\n');
    Ok(line)
}

/// The run without secrets; its id stays in every text.
fn redacted(run: &Run) -> Run {
    let mut clean = run.clone();
    redact_run(&mut clean, &|text| {
        if let Cow::Owned(clean) = redact_around_id(text, &run.id) {
            *text = clean;
        }
    });
    clean
}

/// Makes a text clean.
type Clean<'c> = &'c dyn Fn(&mut String);

fn redact_run(run: &mut Run, clean: Clean<'_>) {
    // Fields are listed in full, here and below, so that a new one can't be forgotten.
    let Run {
        id,
        name,
        entity,
        project,
        group,
        job_type,
        sweep,
        host,
        notes,
        tags,
        started_at: _,
        ending: Ending { state: _, exit_code: _, interrupted: _, expects_exit: _, evidence },
        files,
        origins,
        config,
        summary,
        row_steps: _,
        row_times: _,
        starts_at: _,
        columns,
        bands,
        sampling,
        unfetched: _,
        unlisted: _,
        system,
        system_times: _,
        histograms,
        tables,
        artifacts,
        metric_rules,
        log,
        events,
        axis,
        warnings,
    } = run;
    [id, name].into_iter().for_each(clean);
    [entity, project, group, job_type, sweep, host, notes].into_iter().flatten().for_each(clean);
    tags.iter_mut().chain(evidence).for_each(clean);
    files.iter_mut().for_each(|file| clean(&mut file.path));
    clean_keys(origins, clean);
    clean_keys(columns, clean);
    clean_keys(bands, clean);
    clean_keys(system, clean);
    clean_keys(histograms, clean);
    clean_settings(config, clean);
    clean_settings(summary, clean);
    sampling.iter_mut().filter_map(|sampling| sampling.key.as_mut()).for_each(clean);
    tables.iter_mut().for_each(|table| clean_table(table, clean));
    for Artifact { name, kind, version, aliases, .. } in artifacts {
        [name, kind, version].into_iter().chain(aliases).for_each(clean);
    }
    for MetricRule { name, step_metric, .. } in metric_rules {
        [Some(name), step_metric.as_mut()].into_iter().flatten().for_each(clean);
    }
    clean_log(log, clean);
    clean_events(events, clean);
    clean(&mut axis.key);
    for warning in warnings {
        warning.text_mut().into_iter().for_each(clean);
    }
}
/// Makes the keys of a map clean.
fn clean_keys<T>(map: &mut BTreeMap<String, T>, clean: Clean<'_>) {
    *map = std::mem::take(map)
        .into_iter()
        .map(|(mut key, value)| {
            clean(&mut key);
            (key, value)
        })
        .compact_collect();
}

fn clean_settings(config: &mut Config, clean: Clean<'_>) {
    for (key, value) in std::mem::take(config).iter() {
        let shown = redact_config_value(key, value);
        // A value without secrets keeps its type.
        let value = if shown == value.to_string() { value.clone() } else { ConfigValue::Text(shown) };
        let mut key = key.to_owned();
        clean(&mut key);
        config.insert(key, value);
    }
}

fn clean_table(TableFile { key, row: _, path, rows: _, content }: &mut TableFile, clean: Clean<'_>) {
    [key, path].into_iter().for_each(clean);
    let Some(LoggedTable { columns, rows, dropped: _ }) = content else { return };
    columns.iter_mut().for_each(clean);
    for cell in rows.iter_mut().flatten() {
        if let LoggedCell::Text(text) = cell {
            clean(text);
        }
    }
}

fn clean_log(log: &mut Log, clean: Clean<'_>) {
    let mut key_block = KeyBlock::default();
    for line in &mut log.lines {
        if key_block.holds(&line.text) {
            line.text = REDACTED.to_owned();
        } else {
            clean(&mut line.text);
        }
    }
}

fn clean_events(EventLog { errors, other_errors: _, means, other_names: _ }: &mut EventLog, clean: Clean<'_>) {
    errors.iter_mut().flat_map(|ErrorText { event, text, .. }| [event, text]).for_each(clean);
    means.iter_mut().flat_map(|LabelMean { name, key, .. }| [name, key]).for_each(clean);
}
