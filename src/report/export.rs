//! A whole run as one JSON file, to keep, to send, and to read back without loss (docs/run-export.md).
//!
//! A report says what happened; this holds what it was said of: every logged number, settings, histograms, tables,
//! log and artifacts. Numbers are written so that reading gives the same bits; what JSON cannot write is a string
//! (`"NaN"`, `"Infinity"`, `"-Infinity"`). `crate::ingest` reads the file as any other.

use std::borrow::Cow;
use std::fmt::{self, Write};

use super::json::json_finding;
use crate::diagnose::{Diagnosis, Finding};
use crate::format::redact::{KeyBlock, REDACTED};
use crate::format::redact_around_id;
use crate::run::{
    Artifact, Band, Cell, Column, Config, ConfigValue, Ending, ExportedWarning, Histogram, Log, Run, Stream, TableFile,
};
use serde::Serialize;

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

/// Appends a whole run as one line, without its secrets: the file is made to be sent around.
pub fn write_line(lines: &mut String, run: &Run, diagnosis: &Diagnosis) {
    let mut object = String::new();
    // A String takes whatever is written.
    let _ = write_run(&mut object, run, &diagnosis.findings, Secrets::Redact);
    // Line breaks stand between members alone: those in texts are escaped.
    lines.extend(object.split('\n'));
    lines.push('\n');
}

/// Writes a run. `findings` may be empty; they are for readers of the file and are not read back.
///
/// # Errors
/// Only those of `out`: a `String` never fails.
pub fn write_run(out: &mut dyn Write, run: &Run, findings: &[Finding], secrets: Secrets) -> fmt::Result {
    // Named one by one, so that a new field cannot be forgotten here.
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
        axis,
        warnings,
    } = run;
    let mut out = Out { out, secrets, id };
    write!(out.out, "{{\"rundown_run\": {RUN_EXPORT}")?;
    out.member("id")?;
    out.text(id)?;
    out.member("name")?;
    out.text(name)?;
    let optional = [
        ("entity", entity),
        ("project", project),
        ("group", group),
        ("job_type", job_type),
        ("sweep", sweep),
        ("host", host),
        ("notes", notes),
    ];
    for (key, value) in optional {
        out.member(key)?;
        out.optional_text(value.as_deref())?;
    }
    out.member("tags")?;
    out.list(tags, |out, tag| out.text(tag))?;
    out.member("started_at")?;
    out.optional_number(*started_at)?;
    out.member("ending")?;
    out.ending(ending)?;
    out.member("files")?;
    out.list(files, |out, file| {
        out.out.write_str("{\"path\": ")?;
        out.text(&file.path)?;
        out.out.write_str(", \"format\": ")?;
        out.text(file.format.name())?;
        write!(out.out, ", \"bytes\": {}, \"crc32\": {}}}", file.bytes, file.crc32)
    })?;
    out.member("origins")?;
    out.object(origins, |out, files| out.list(files, |out, file| write!(out.out, "{file}")))?;
    out.member("config")?;
    out.config(config)?;
    out.member("summary")?;
    out.config(summary)?;
    out.member("axis")?;
    out.out.write_str("{\"key\": ")?;
    out.text(&axis.key)?;
    out.out.write_str(", \"why\": ")?;
    out.text(axis.why.message())?;
    out.out.write_str("}")?;
    out.member("row_steps")?;
    out.numbers(row_steps)?;
    out.member("row_times")?;
    out.numbers(row_times)?;
    out.member("history")?;
    out.object(columns, Out::column)?;
    out.member("bands")?;
    out.object(bands, Out::band)?;
    out.member("sampling")?;
    out.list(sampling, |out, sampling| {
        out.out.write_str("{\"key\": ")?;
        match &sampling.key {
            Some(key) => out.text(key)?,
            None => out.out.write_str("null")?,
        }
        write!(out.out, ", \"how\": \"{}\"}}", sampling.how.as_str())
    })?;
    out.member("system_times")?;
    out.numbers(system_times)?;
    out.member("system")?;
    out.object(system, Out::column)?;
    out.member("histograms")?;
    out.object(histograms, |out, list| out.list(list, Out::histogram))?;
    out.member("tables")?;
    out.list(tables, Out::table)?;
    out.member("artifacts")?;
    out.list(artifacts, Out::artifact)?;
    out.member("unfetched")?;
    write!(out.out, "{unfetched}")?;
    out.member("unlisted")?;
    write!(out.out, "{unlisted}")?;
    out.member("metric_rules")?;
    out.list(metric_rules, |out, rule| {
        out.out.write_str("{\"name\": ")?;
        out.text(&rule.name)?;
        out.out.write_str(", \"step_metric\": ")?;
        out.optional_text(rule.step_metric.as_deref())?;
        out.out.write_str(match rule.maximise {
            Some(true) => ", \"maximise\": true}",
            Some(false) => ", \"maximise\": false}",
            None => ", \"maximise\": null}",
        })
    })?;
    out.member("log")?;
    out.log(log)?;
    out.member("warnings")?;
    out.list(warnings, |out, warning| {
        out.json(&ExportedWarning::of(warning.map_text(|text| out.cleaned(text).into_owned())))
    })?;
    out.member("findings")?;
    out.list(findings, |out, finding| {
        // Findings quote settings and log lines: without secrets in either case.
        out.json(&json_finding(finding))
    })?;
    out.out.write_str("}\n")
}

struct Out<'o> {
    out: &'o mut dyn Write,
    secrets: Secrets,
    /// Of the run: it stays in every text.
    id: &'o str,
}

impl Out<'_> {
    fn member(&mut self, key: &str) -> fmt::Result {
        self.out.write_str(",\n")?;
        self.json(key)?;
        self.out.write_str(": ")
    }

    /// Begins a member of an object within the run.
    fn inner_member(&mut self, index: usize, key: &str) -> fmt::Result {
        self.out.write_str(if index > 0 { ",\n  " } else { "\n  " })?;
        self.text(key)?;
        self.out.write_str(": ")
    }

    fn json(&mut self, value: &(impl Serialize + ?Sized)) -> fmt::Result {
        self.out.write_str(&serde_json::to_string(value).map_err(|_| fmt::Error)?)
    }

    fn cleaned<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.secrets {
            Secrets::Keep => Cow::Borrowed(text),
            Secrets::Redact => redact_around_id(text, self.id),
        }
    }

    fn text(&mut self, text: &str) -> fmt::Result {
        self.json(&*self.cleaned(text))
    }

    fn optional_text(&mut self, text: Option<&str>) -> fmt::Result {
        match text {
            Some(text) => self.text(text),
            None => self.out.write_str("null"),
        }
    }

    /// The shortest text that reads as the same number.
    fn number(&mut self, value: f64) -> fmt::Result {
        match value {
            _ if value.is_nan() => self.out.write_str("\"NaN\""),
            f64::INFINITY => self.out.write_str("\"Infinity\""),
            f64::NEG_INFINITY => self.out.write_str("\"-Infinity\""),
            // Without an exponent these would be long, or integers that other readers round.
            _ if value != 0.0 && !(1e-5..1e15).contains(&value.abs()) => write!(self.out, "{value:e}"),
            _ => write!(self.out, "{value}"),
        }
    }

    fn optional_number(&mut self, value: Option<f64>) -> fmt::Result {
        match value {
            Some(value) => self.number(value),
            None => self.out.write_str("null"),
        }
    }

    fn numbers(&mut self, values: &[f64]) -> fmt::Result {
        self.list(values, |out, value| out.number(*value))
    }

    fn list<'t, T: 't>(
        &mut self,
        items: impl IntoIterator<Item = &'t T>,
        mut write: impl FnMut(&mut Self, &'t T) -> fmt::Result,
    ) -> fmt::Result {
        self.out.write_str("[")?;
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.out.write_str(", ")?;
            }
            write(self, item)?;
        }
        self.out.write_str("]")
    }

    fn object<'t, T: 't>(
        &mut self,
        members: impl IntoIterator<Item = (&'t String, &'t T)>,
        mut write: impl FnMut(&mut Self, &'t T) -> fmt::Result,
    ) -> fmt::Result {
        self.out.write_str("{")?;
        for (index, (key, value)) in members.into_iter().enumerate() {
            self.inner_member(index, key)?;
            write(self, value)?;
        }
        self.out.write_str("}")
    }

    fn column(&mut self, column: &Column) -> fmt::Result {
        self.out.write_str("{\"rows\": ")?;
        self.list(column.rows(), |out, row| write!(out.out, "{row}"))?;
        self.out.write_str(", \"values\": ")?;
        self.numbers(column.values())?;
        if let Some(quantum) = column.quantum() {
            self.out.write_str(", \"quantum\": ")?;
            self.number(quantum)?;
        }
        self.out.write_str("}")
    }

    fn band(&mut self, band: &Band) -> fmt::Result {
        self.out.write_str("{\"low\": ")?;
        self.column(&band.low)?;
        self.out.write_str(", \"high\": ")?;
        self.column(&band.high)?;
        self.out.write_str("}")
    }

    fn histogram(&mut self, histogram: &Histogram) -> fmt::Result {
        write!(self.out, "{{\"row\": {}, \"edges\": ", histogram.row)?;
        self.numbers(&histogram.edges)?;
        self.out.write_str(", \"counts\": ")?;
        self.numbers(&histogram.counts)?;
        self.out.write_str("}")
    }

    fn ending(&mut self, ending: &Ending) -> fmt::Result {
        write!(self.out, "{{\"state\": \"{}\", \"exit_code\": ", ending.state.as_str())?;
        match ending.exit_code {
            Some(code) => write!(self.out, "{code}")?,
            None => self.out.write_str("null")?,
        }
        write!(self.out, ", \"expects_exit\": {}, \"evidence\": ", ending.expects_exit)?;
        self.list(&ending.evidence, |out, text| out.text(text))?;
        self.out.write_str("}")
    }

    fn config(&mut self, config: &Config) -> fmt::Result {
        self.out.write_str("{")?;
        for (index, (key, value)) in config.iter().enumerate() {
            self.inner_member(index, key)?;
            let shown = match self.secrets {
                Secrets::Keep => None,
                Secrets::Redact => Some(crate::present::config::redact_config_value(key, value))
                    .filter(|shown| *shown != value.to_string()),
            };
            match shown {
                Some(redacted) => self.json(&redacted)?,
                None => self.setting(value)?,
            }
        }
        self.out.write_str("}")
    }

    fn setting(&mut self, value: &ConfigValue) -> fmt::Result {
        match value {
            ConfigValue::Null => self.out.write_str("null"),
            ConfigValue::Bool(value) => write!(self.out, "{value}"),
            ConfigValue::Number(value) => self.typed_number(*value),
            ConfigValue::Text(text) => self.json(text),
            ConfigValue::List(values) => self.list(values, Out::setting),
        }
    }

    /// A number where a text may stand as well: one that JSON cannot write is marked.
    fn typed_number(&mut self, value: f64) -> fmt::Result {
        if value.is_finite() {
            return self.number(value);
        }
        self.out.write_str("{\"number\": ")?;
        self.number(value)?;
        self.out.write_str("}")
    }

    fn table(&mut self, table: &TableFile) -> fmt::Result {
        self.out.write_str("{\"key\": ")?;
        self.text(&table.key)?;
        write!(self.out, ", \"row\": {}, \"path\": ", table.row)?;
        self.text(&table.path)?;
        self.out.write_str(", \"rows\": ")?;
        match table.rows {
            Some(rows) => write!(self.out, "{rows}")?,
            None => self.out.write_str("null")?,
        }
        self.out.write_str(", \"content\": ")?;
        let Some(content) = &table.content else { return self.out.write_str("null}") };
        write!(self.out, "{{\"dropped\": {}, \"columns\": ", content.dropped)?;
        self.list(&content.columns, |out, name| out.text(name))?;
        self.out.write_str(", \"rows\": ")?;
        self.list(&content.rows, |out, row| out.list(row, Out::cell))?;
        self.out.write_str("}}")
    }

    fn cell(&mut self, cell: &Cell) -> fmt::Result {
        match cell {
            Cell::Null => self.out.write_str("null"),
            Cell::Bool(value) => write!(self.out, "{value}"),
            Cell::Number(value) => self.typed_number(*value),
            Cell::Text(text) => self.text(text),
        }
    }

    fn artifact(&mut self, artifact: &Artifact) -> fmt::Result {
        self.out.write_str("{\"name\": ")?;
        self.text(&artifact.name)?;
        self.out.write_str(", \"type\": ")?;
        self.text(&artifact.kind)?;
        self.out.write_str(", \"version\": ")?;
        self.text(&artifact.version)?;
        self.out.write_str(", \"aliases\": ")?;
        self.list(&artifact.aliases, |out, alias| out.text(alias))?;
        self.out.write_str(", \"size\": ")?;
        self.optional_number(artifact.bytes)?;
        self.out.write_str(", \"created_at\": ")?;
        self.optional_number(artifact.created_at)?;
        self.out.write_str("}")
    }

    fn log(&mut self, log: &Log) -> fmt::Result {
        write!(self.out, "{{\"dropped\": {}, \"lines\": ", log.dropped)?;
        let mut key = KeyBlock::default();
        self.list(&log.lines, |out, line| {
            out.out.write_str(match line.stream {
                Stream::Out => "[\"out\", ",
                Stream::Error => "[\"error\", ",
                Stream::File => "[\"file\", ",
            })?;
            let is_hidden = key.holds(&line.text) && out.secrets == Secrets::Redact;
            out.text(if is_hidden { REDACTED } else { &line.text })?;
            out.out.write_str("]")
        })?;
        self.out.write_str("}")
    }
}
