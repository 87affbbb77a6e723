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
    Artifact, Config, ConfigValue, Ending, ErrorText, EventLog, LabelMean, LoggedCell, LoggedTable, MetricRule, Run,
    Sampling, SourceFile, TableFile,
};
use rundown_schema::finding::FindingReport;

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
    // Fields are listed in full, so that a new one can't be forgotten here.
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
        started_at,
        ending,
        files,
        origins,
        config,
        summary,
        row_steps,
        row_times,
        starts_at,
        columns,
        bands,
        sampling,
        unfetched,
        unlisted,
        system,
        system_times,
        histograms,
        tables,
        artifacts,
        metric_rules,
        log,
        events,
        axis,
        warnings,
    } = run.clone();
    let clean = |text: String| redact_around_id(&text, &run.id).into_owned();
    let optional = |text: Option<String>| text.map(clean);
    let list = |texts: Vec<String>| texts.into_iter().map(clean).collect::<Vec<_>>();
    let mut key_block = KeyBlock::default();
    let mut log = log;
    for line in &mut log.lines {
        line.text =
            if key_block.holds(&line.text) { REDACTED.to_owned() } else { clean(std::mem::take(&mut line.text)) };
    }
    let mut axis = axis;
    axis.key = clean(axis.key);
    Run {
        id: clean(id),
        name: clean(name),
        entity: optional(entity),
        project: optional(project),
        group: optional(group),
        job_type: optional(job_type),
        sweep: optional(sweep),
        host: optional(host),
        notes: optional(notes),
        tags: list(tags),
        started_at,
        ending: Ending { evidence: list(ending.evidence), ..ending },
        files: files.into_iter().map(|file| SourceFile { path: clean(file.path), ..file }).collect(),
        origins: keys(origins, clean),
        config: settings(&config, clean),
        summary: settings(&summary, clean),
        row_steps,
        row_times,
        starts_at,
        columns: keys(columns, clean),
        bands: keys(bands, clean),
        sampling: sampling.into_iter().map(|sampling| Sampling { key: optional(sampling.key), ..sampling }).collect(),
        unfetched,
        unlisted,
        system: keys(system, clean),
        system_times,
        histograms: keys(histograms, clean),
        tables: tables.into_iter().map(|file| table(file, clean)).collect(),
        artifacts: artifacts
            .into_iter()
            .map(|artifact| Artifact {
                name: clean(artifact.name),
                kind: clean(artifact.kind),
                version: clean(artifact.version),
                aliases: list(artifact.aliases),
                ..artifact
            })
            .collect(),
        metric_rules: metric_rules
            .into_iter()
            .map(|rule| MetricRule { name: clean(rule.name), step_metric: optional(rule.step_metric), ..rule })
            .collect(),
        log,
        events: event_log(events, clean),
        axis,
        warnings: warnings.iter().map(|warning| warning.map_text(|text| clean(text.to_owned()))).collect(),
    }
}

/// A map with clean keys.
fn keys<T>(map: BTreeMap<String, T>, clean: impl Fn(String) -> String) -> BTreeMap<String, T> {
    map.into_iter().map(|(key, value)| (clean(key), value)).collect()
}

fn settings(config: &Config, clean: impl Fn(String) -> String) -> Config {
    let mut cleaned = Config::default();
    for (key, value) in config.iter() {
        let shown = redact_config_value(key, value);
        // A value without secrets keeps its type.
        let value = if shown == value.to_string() { value.clone() } else { ConfigValue::Text(shown) };
        cleaned.insert(clean(key.to_owned()), value);
    }
    cleaned
}

fn table(file: TableFile, clean: impl Fn(String) -> String) -> TableFile {
    let cell = |cell: LoggedCell| match cell {
        LoggedCell::Text(text) => LoggedCell::Text(clean(text)),
        cell => cell,
    };
    let content = file.content.map(|content| LoggedTable {
        columns: content.columns.into_iter().map(&clean).collect(),
        rows: content.rows.into_iter().map(|row| row.into_iter().map(cell).collect()).collect(),
        dropped: content.dropped,
    });
    TableFile { key: clean(file.key), path: clean(file.path), content, ..file }
}

fn event_log(events: EventLog, clean: impl Fn(String) -> String) -> EventLog {
    let error = |error: ErrorText| ErrorText { event: clean(error.event), text: clean(error.text), ..error };
    let mean = |mean: LabelMean| LabelMean { name: clean(mean.name), key: clean(mean.key), ..mean };
    EventLog {
        errors: events.errors.into_iter().map(error).collect(),
        means: events.means.into_iter().map(mean).collect(),
        ..events
    }
}
