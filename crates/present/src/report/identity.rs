//! What a run is, its important settings, and how its report was computed.

use super::list;
use crate::config::{setting_rows, setting_value};
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Span, Table};
use rundown_diagnose::Diagnosis;
use rundown_format::rich_text::{key, setting_key};
use rundown_format::{RichText, bytes, counted, number, rich, utc};
use rundown_run::{ConfigValue, Run};
use rundown_vocabulary::Framework;

/// Settings beyond the known ones that are all shown.
const FEW_SETTINGS: usize = 16;

pub(super) fn identity(run: &Run, diagnosis: &Diagnosis) -> Vec<Block> {
    let mut items: Vec<Vec<Span>> = Vec::new();
    let mut item = |label: &str, value: RichText| {
        if !value.is_empty() {
            items.push(rich!("{}: {}", label, value).into());
        }
    };
    let literal = |text: &str| if text.is_empty() { RichText::default() } else { key(text).into() };
    let optional = |text: &Option<String>| text.as_deref().map(literal).unwrap_or_default();
    item("Id", literal(&run.id));
    let project: Vec<&str> = run.entity.iter().chain(&run.project).map(String::as_str).collect();
    item("Project", literal(&project.join("/")));
    item("Group", optional(&run.group));
    item("Sweep", optional(&run.sweep));
    item("Job type", optional(&run.job_type));
    item("Tags", RichText::joined(run.tags.iter().map(|tag| literal(tag)), ", ", ", "));
    item("Started", run.started_at.and_then(utc).unwrap_or_default().into());
    item("Notes", run.notes.as_deref().unwrap_or_default().into());
    let mut state = run.ending.state.as_str().to_owned();
    if let Some(exit_code) = run.ending.exit_code {
        state.push_str(&format!(", exit code {exit_code}"));
    }
    for evidence in &run.ending.evidence {
        state.push_str(&format!("; {evidence}"));
    }
    item("State", state.into());
    let framework = match diagnosis.bindings.framework {
        Framework::Unknown => "not recognised",
        framework => framework.as_str(),
    };
    item("Framework", framework.into());
    if let Some((first, last)) = run.step_range() {
        let axis = rich!("{}: {}", key(&run.axis.key), run.axis.why.message());
        item("Steps", rich!("{} to {}, {} logged ({})", number(first), number(last), diagnosis.points, axis));
    }
    let mut blocks = vec![Block::section("Identity and state")];
    blocks.extend(list(items));
    blocks
}

pub(super) fn config(run: &Run) -> Vec<Block> {
    let known = setting_rows(&run.config);
    let mut table = Table::new("", &[Words("Quantity"), Words("Setting"), Words("Value")]);
    for row in &known {
        let remark = if row.remark.is_empty() { String::new() } else { format!(" ({})", row.remark) };
        table.rows.push(vec![
            Cell::text(row.what),
            Cell::key(row.key.as_str()),
            Cell::text(rich!("{}{}", key(&row.value), remark)),
        ]);
    }
    let others: Vec<(&str, &ConfigValue)> =
        run.config.iter().filter(|(key, _)| known.iter().all(|row| row.key != *key)).collect();
    let rest: RichText = if !others.is_empty() && others.len() <= FEW_SETTINGS {
        let others = others
            .iter()
            .map(|(setting, value)| rich!("{} = {}", setting_key(setting), key(&setting_value(setting, value))));
        rich!("Other settings: {}.", RichText::joined(others, ", ", ", "))
    } else {
        match (known.is_empty(), others.len()) {
            (true, 0) => "The files hold no config.".into(),
            (true, others) => rich!("None of {} is a known training setting.", counted(others, "setting")),
            (false, 0) => RichText::default(),
            (false, others) => rich!("Not shown: {}.", counted(others, "other setting")),
        }
    };
    let mut blocks = vec![Block::section("Important config")];
    if !table.rows.is_empty() {
        blocks.push(Block::Table(table));
    }
    if !rest.is_empty() {
        blocks.push(Block::text(rest));
    }
    blocks
}

pub(super) fn provenance(run: &Run, diagnosis: &Diagnosis) -> Vec<Block> {
    let mut table = Table::new("", &[Words("File"), Words("Format"), Numbers("Size"), Words("CRC-32")]);
    for file in &run.files {
        table.rows.push(vec![
            Cell::key(file.path.as_str()),
            Cell::text(file.format.name()),
            Cell::number(bytes(file.bytes), file.bytes as f64),
            Cell::key(format!("{:08x}", file.crc32)),
        ]);
    }
    let mut blocks = vec![
        Block::section("How it was computed"),
        Block::text(format!(
            "Rundown {}, rulebook {}. The same files give the same report.",
            env!("CARGO_PKG_VERSION"),
            diagnosis.rulebook.title()
        )),
    ];
    if !table.rows.is_empty() {
        blocks.push(Block::Table(table));
    }
    blocks
}
