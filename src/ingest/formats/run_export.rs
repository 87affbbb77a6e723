//! Runs that Rundown itself exported (docs/run-export.md): one JSON object whose first member is `rundown_run`.
//!
//! Everything is read back as it was. What is missing is as if it had been empty, and what is unknown is left alone,
//! so that files of a later version still give what this one understands.

use crate::ingest::syntax::json::{Json, JsonError, Piece, Scanner, Token, nonfinite_word, number};
use crate::run::{
    Artifact, Band, Cell, Column, Config, ConfigValue, Ending, ExportedWarning, FileFormat, Histogram, LogLine,
    MetricRule, Run, RunState, Sampling, SourceFile, Stream, Table, TableFile, Thinning,
};

/// Version that is written and read.
const VERSION: f64 = 1.0;

/// Builds a run from the pieces of its export.
#[derive(Debug, Default)]
pub(crate) struct ExportBuilder {
    run: Run,
    /// Members that could not be understood.
    bad: u64,
    is_newer: bool,
}

impl ExportBuilder {
    /// Takes the next piece.
    pub(crate) fn take(&mut self, piece: Piece<'_>) {
        let is_good = match piece {
            Piece::Element { key, value } => self.element(key, value),
            Piece::Member { key, value } => self.member(key, value),
        };
        self.bad += u64::from(is_good.is_none());
    }

    /// The run, how many parts of it could not be read, and whether a newer version wrote it.
    ///
    /// Columns keep only points in rows that the run has: a damaged file must not invent rows.
    pub(crate) fn finish(mut self) -> (Run, u64, bool) {
        let run = &mut self.run;
        let rows = run.row_steps.len().max(run.row_times.len());
        run.row_times.resize(rows, f64::NAN);
        let last = run.row_steps.last().copied().unwrap_or(0.0);
        run.row_steps.resize(rows, last);
        let mut lost = 0;
        let mut keep = |column: &mut Column, rows: usize| {
            if column.rows().iter().any(|row| *row as usize >= rows) {
                let mut kept = Column::default();
                column
                    .points()
                    .filter(|(row, _)| (*row as usize) < rows)
                    .for_each(|(row, value)| kept.push(row, value));
                *column = kept;
                lost += 1;
            }
        };
        run.columns.values_mut().for_each(|column| keep(column, rows));
        run.bands.values_mut().flat_map(|band| [&mut band.low, &mut band.high]).for_each(|column| keep(column, rows));
        let rows = run.system_times.len();
        run.system.values_mut().for_each(|column| keep(column, rows));
        (self.run, self.bad + lost, self.is_newer)
    }

    fn element(&mut self, key: &str, value: &[u8]) -> Option<()> {
        let run = &mut self.run;
        let list = match key {
            "row_steps" => &mut run.row_steps,
            "row_times" => &mut run.row_times,
            "system_times" => &mut run.system_times,
            "warnings" => {
                run.warnings.push(serde_json::from_slice::<ExportedWarning>(value).ok()?.into_warning());
                return Some(());
            }
            "tags" | "files" | "tables" | "artifacts" | "metric_rules" | "sampling" => {
                return self.object(key, Json::parse(value).ok()?);
            }
            _ => return Some(()),
        };
        let mut scanner = Scanner::new(value);
        list.push(number_of(&scanner.next().ok()??)?);
        Some(())
    }

    fn object(&mut self, key: &str, value: Json) -> Option<()> {
        let run = &mut self.run;
        match key {
            "tags" => run.tags.push(value.text()?.to_owned()),
            "files" => run.files.push(SourceFile {
                path: text(&value, "path")?,
                format: FileFormat::from_name(&text(&value, "format")?),
                bytes: integer(value.get("bytes")?)?,
                crc32: u32::try_from(integer(value.get("crc32")?)?).ok()?,
            }),
            "tables" => run.tables.push(table_file(&value)?),
            "artifacts" => run.artifacts.push(artifact(&value)?),
            "metric_rules" => run.metric_rules.push(MetricRule {
                name: text(&value, "name")?,
                step_metric: text(&value, "step_metric"),
                maximise: match value.get("maximise") {
                    Some(Json::Bool(maximise)) => Some(*maximise),
                    _ => None,
                },
            }),
            "sampling" => {
                let word = text(&value, "how")?;
                let how = Thinning::ALL.into_iter().find(|how| how.as_str() == word)?;
                run.sampling.push(Sampling { key: text(&value, "key"), how });
            }
            _ => {}
        }
        Some(())
    }

    fn member(&mut self, key: &str, value: &[u8]) -> Option<()> {
        let run = &mut self.run;
        match key {
            "history" => {
                return columns(value, |key, column| _ = run.columns.insert(key, column)).ok();
            }
            "system" => return columns(value, |key, column| _ = run.system.insert(key, column)).ok(),
            "bands" => return bands(value, run).ok(),
            _ => {}
        }
        let value = Json::parse(value).ok()?;
        let optional = match key {
            "id" => return value.text().map(|id| id.clone_into(&mut run.id)),
            "name" => return value.text().map(|name| name.clone_into(&mut run.name)),
            "rundown_run" => {
                self.is_newer = value.metric()? > VERSION;
                return Some(());
            }
            "unfetched" => {
                run.unfetched = integer(&value)?;
                return Some(());
            }
            "unlisted" => {
                run.unlisted = value == Json::Bool(true);
                return Some(());
            }
            "started_at" => {
                run.started_at = value.metric();
                return Some(());
            }
            "ending" => return ending(&value).map(|ending| run.ending = ending),
            "config" => return config(value).map(|config| run.config = config),
            "summary" => return config(value).map(|config| run.summary = config),
            "histograms" => return histograms(value, run),
            "origins" => return origins(value, run),
            "log" => return log(&value, run),
            "entity" => &mut run.entity,
            "project" => &mut run.project,
            "group" => &mut run.group,
            "job_type" => &mut run.job_type,
            "sweep" => &mut run.sweep,
            "host" => &mut run.host,
            "notes" => &mut run.notes,
            _ => return Some(()),
        };
        *optional = value.text().map(str::to_owned);
        Some(())
    }
}

/// Reads `{"key": {"rows": […], "values": […]}, …}`.
fn columns(bytes: &[u8], mut put: impl FnMut(String, Column)) -> Result<(), JsonError> {
    let mut scanner = Scanner::new(bytes);
    if scanner.next()? != Some(Token::ObjectStart) {
        return Ok(());
    }
    while let Some(Token::Key(key)) = scanner.next()? {
        let key = key.into_owned();
        if scanner.next()? == Some(Token::ObjectStart) {
            put(key, column(&mut scanner)?);
        }
    }
    Ok(())
}

/// Reads a column whose `{` has been read.
fn column(scanner: &mut Scanner<'_>) -> Result<Column, JsonError> {
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    let mut quantum = None;
    while let Some(Token::Key(key)) = scanner.next()? {
        let list = match key.as_ref() {
            "rows" => &mut rows,
            "values" => &mut values,
            _ => &mut Vec::new(),
        };
        match scanner.next()? {
            Some(Token::ArrayStart) => {
                while let Some(token) = scanner.next()? {
                    match token {
                        Token::ArrayEnd => break,
                        Token::ArrayStart | Token::ObjectStart => scanner.skip_rest()?,
                        token => list.push(number_of(&token).unwrap_or(f64::NAN)),
                    }
                }
            }
            Some(Token::ObjectStart) => scanner.skip_rest()?,
            Some(token) if key == "quantum" => quantum = number_of(&token),
            _ => {}
        }
    }
    let mut column = Column::default();
    if let Some(quantum) = quantum {
        column.set_quantum(quantum);
    }
    for (row, value) in rows.into_iter().zip(values) {
        if (0.0..=f64::from(u32::MAX)).contains(&row) {
            column.push(row as u32, value);
        }
    }
    Ok(column)
}

fn bands(bytes: &[u8], run: &mut Run) -> Result<(), JsonError> {
    let mut scanner = Scanner::new(bytes);
    if scanner.next()? != Some(Token::ObjectStart) {
        return Ok(());
    }
    while let Some(Token::Key(key)) = scanner.next()? {
        let key = key.into_owned();
        let mut band = Band::default();
        if scanner.next()? == Some(Token::ObjectStart) {
            while let Some(Token::Key(part)) = scanner.next()? {
                let is_low = part == "low";
                if scanner.next()? == Some(Token::ObjectStart) {
                    let column = column(&mut scanner)?;
                    *if is_low { &mut band.low } else { &mut band.high } = column;
                }
            }
        }
        run.bands.insert(key, band);
    }
    Ok(())
}

/// Reads `{"key": [places in files], …}`.
fn origins(value: Json, run: &mut Run) -> Option<()> {
    let Json::Object(members) = value else { return None };
    for (key, places) in members {
        let places = numbers(Some(&places)).into_iter().filter(|place| *place >= 0.0).map(|place| place as usize);
        run.origins.insert(key, places.filter(|place| *place < run.files.len()).collect());
    }
    Some(())
}

fn number_of(token: &Token<'_>) -> Option<f64> {
    match token {
        Token::Number(text) => Some(number(text)),
        Token::Text(text) => nonfinite_word(text),
        _ => None,
    }
}

fn text(value: &Json, key: &str) -> Option<String> {
    value.get(key)?.text().map(str::to_owned)
}

fn texts(value: Option<&Json>) -> Vec<String> {
    match value {
        Some(Json::List(list)) => list.iter().filter_map(Json::text).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

fn numbers(value: Option<&Json>) -> Vec<f64> {
    match value {
        Some(Json::List(list)) => list.iter().map(|value| value.metric().unwrap_or(f64::NAN)).collect(),
        _ => Vec::new(),
    }
}

fn integer(value: &Json) -> Option<u64> {
    match value {
        Json::Number(value) if *value >= 0.0 => Some(*value as u64),
        Json::BigInteger(text) => text.parse().ok(),
        _ => None,
    }
}

/// A setting is its JSON; a number that JSON cannot write is `{"number": "NaN"}`.
fn config(value: Json) -> Option<Config> {
    let Json::Object(members) = value else { return None };
    let mut config = Config::default();
    members.into_iter().for_each(|(key, value)| config.insert(key, setting(value)));
    Some(config)
}

fn setting(value: Json) -> ConfigValue {
    match value {
        Json::Null => ConfigValue::Null,
        Json::Bool(value) => ConfigValue::Bool(value),
        Json::Number(value) => ConfigValue::Number(value),
        Json::BigInteger(text) => ConfigValue::Number(number(&text)),
        Json::Text(text) => ConfigValue::Text(text),
        Json::List(values) => ConfigValue::List(values.into_iter().map(setting).collect()),
        Json::Object(_) => value.get("number").and_then(Json::metric).map_or(ConfigValue::Null, ConfigValue::Number),
    }
}

fn ending(value: &Json) -> Option<Ending> {
    let states = [
        RunState::Finished,
        RunState::Running,
        RunState::Crashed,
        RunState::Failed,
        RunState::Killed,
        RunState::Unknown,
    ];
    let word = value.get("state")?.text()?;
    Some(Ending {
        state: states.into_iter().find(|state| state.as_str() == word)?,
        exit_code: value.get("exit_code").and_then(Json::metric).map(|code| code as i32),
        expects_exit: value.get("expects_exit") == Some(&Json::Bool(true)),
        evidence: texts(value.get("evidence")),
    })
}

fn histograms(value: Json, run: &mut Run) -> Option<()> {
    let Json::Object(members) = value else { return None };
    for (key, list) in members {
        let Json::List(list) = list else { return None };
        let histogram = |value: &Json| {
            let row = u32::try_from(integer(value.get("row")?)?).ok()?;
            Some(Histogram { row, edges: numbers(value.get("edges")), counts: numbers(value.get("counts")) })
        };
        run.histograms.insert(key, list.iter().filter_map(histogram).collect());
    }
    Some(())
}

fn table_file(value: &Json) -> Option<TableFile> {
    let content = value.get("content").filter(|content| **content != Json::Null).map(|content| Table {
        columns: texts(content.get("columns")),
        rows: match content.get("rows") {
            Some(Json::List(rows)) => rows.iter().map(cells).collect(),
            _ => Vec::new(),
        },
        dropped: content.get("dropped").and_then(integer).unwrap_or(0),
    });
    Some(TableFile {
        key: text(value, "key")?,
        row: u32::try_from(integer(value.get("row")?)?).ok()?,
        path: text(value, "path")?,
        rows: value.get("rows").and_then(integer),
        content,
    })
}

fn cells(row: &Json) -> Vec<Cell> {
    let Json::List(row) = row else { return Vec::new() };
    let cell = |value: &Json| match value {
        Json::Null | Json::List(_) => Cell::Null,
        Json::Bool(value) => Cell::Bool(*value),
        Json::Number(value) => Cell::Number(*value),
        Json::BigInteger(text) => Cell::Number(number(text)),
        Json::Text(text) => Cell::Text(text.clone()),
        Json::Object(_) => value.get("number").and_then(Json::metric).map_or(Cell::Null, Cell::Number),
    };
    row.iter().map(cell).collect()
}

/// Also how other exports write an artifact.
pub(crate) fn artifact(value: &Json) -> Option<Artifact> {
    Some(Artifact {
        name: text(value, "name")?,
        kind: text(value, "type").unwrap_or_default(),
        version: text(value, "version").unwrap_or_default(),
        aliases: texts(value.get("aliases")),
        bytes: value.get("size").and_then(Json::metric),
        created_at: value.get("created_at").and_then(|time| match time {
            Json::Text(text) => crate::ingest::time::any_seconds(text),
            other => other.metric(),
        }),
    })
}

fn log(value: &Json, run: &mut Run) -> Option<()> {
    let Json::List(lines) = value.get("lines")? else { return None };
    for line in lines {
        let Json::List(parts) = line else { return None };
        let [Json::Text(stream), Json::Text(text)] = parts.as_slice() else { return None };
        let stream = match stream.as_str() {
            "out" => Stream::Out,
            "error" => Stream::Error,
            _ => Stream::File,
        };
        run.log.push(LogLine { stream, text: text.clone() });
    }
    run.log.dropped += value.get("dropped").and_then(integer).unwrap_or(0);
    Some(())
}
