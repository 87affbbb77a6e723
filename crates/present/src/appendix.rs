//! The appendix of the Run view, as blocks: checks without a finding, metric mapping, distributions, files, artifacts, settings.

use super::checks;
use super::config::redact_config_value;
use super::distributions::distributions;
use super::failures::failures;
use rundown_content::ColumnName::Words;
use rundown_content::{Block, Cell, Span, Table};
use rundown_diagnose::Diagnosis;
use rundown_format::rich_text::key;
use rundown_format::{RichText, bytes, counted, plural, redact, rich};
use rundown_protocol::Fold;
use rundown_run::{Artifact, Run};

/// All of it, folded away; empty parts are left out.
pub(super) fn sections(run: &Run, diagnosis: &Diagnosis) -> Vec<Fold> {
    let (quiet, skipped) = (checks::quiet_count(diagnosis), diagnosis.skipped.len());
    let listed = match run.artifacts.len() {
        1 => "1 artifact or file".to_owned(),
        many => format!("{many} artifacts and files"),
    };
    let artifacts: Vec<Vec<Span>> = run.artifacts.iter().map(artifact).collect();
    let artifacts = if artifacts.is_empty() { Vec::new() } else { vec![Block::List(artifacts)] };
    let mut folds = vec![
        fold("failures", "How responses fail".to_owned(), failures(diagnosis)),
        fold("quiet", format!("{} found nothing", counted(quiet, "check")), checks::quiet(diagnosis)),
        fold(
            Fold::SKIPPED,
            format!("{} {} skipped", counted(skipped, "check"), plural(skipped, "was", "were")),
            checks::skipped(diagnosis),
        ),
        fold("bindings", "Metric mapping".to_owned(), mapping(diagnosis)),
        fold("distributions", "Distributions".to_owned(), distributions(run, diagnosis)),
        fold("files", counted(run.files.len(), "file"), files(run)),
        fold("listed", listed, artifacts),
        fold(Fold::CONFIG, format!("Config: {}", counted(run.config.iter().count(), "setting")), config(run)),
    ];
    folds.retain(|fold| !fold.blocks.is_empty());
    folds
}

/// Which metric was bound to which quantity, and why.
pub(super) fn mapping(diagnosis: &Diagnosis) -> Vec<Block> {
    let mut table = Table::new("", &[Words("Quantity"), Words("Metric"), Words("Unit"), Words("Why")]);
    for binding in diagnosis.bindings.iter() {
        table.rows.push(vec![
            Cell::text(binding.concept.words()),
            Cell { text: vec![Span::Metric(binding.key.clone())], value: None },
            Cell::text(binding.unit.as_str()),
            Cell { text: vec![Span::Note(binding.why_and_origin(&diagnosis.bindings))], value: None },
        ]);
    }
    if table.rows.is_empty() { Vec::new() } else { vec![Block::Table(table)] }
}

fn fold(id: &str, title: String, blocks: Vec<Block>) -> Fold {
    Fold { id: id.to_owned(), title, blocks }
}

fn config(run: &Run) -> Vec<Block> {
    let mut table = Table::new("", &[Words("Setting"), Words("Value")]);
    for (setting, value) in run.config.iter() {
        table.rows.push(vec![Cell::key(setting), Cell::text(redact_config_value(setting, value))]);
    }
    if table.rows.is_empty() { Vec::new() } else { vec![Block::Table(table)] }
}

fn files(run: &Run) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !run.files.is_empty() {
        let file = |file: &rundown_run::SourceFile| -> Vec<Span> {
            let about = format!(" ({}, {})", file.format.name(), bytes(file.bytes));
            vec![Span::Key(file.path.clone()), Span::from(about)]
        };
        blocks.push(Block::List(run.files.iter().map(file).collect()));
    }
    blocks.extend(run.warnings.iter().map(|warning| Block::text(warning.message())));
    if !blocks.is_empty() && !run.axis.key.is_empty() {
        blocks.push(Block::text(rich!("Step axis: {} ({}).", key(&run.axis.key), run.axis.why.message())));
    }
    blocks
}

/// An artifact or a file of the run's server, with its type and size.
fn artifact(artifact: &Artifact) -> Vec<Span> {
    let size = artifact.bytes.map(|size| bytes(size as u64));
    let about: Vec<&str> =
        [Some(artifact.kind.as_str()).filter(|kind| !kind.is_empty()), size.as_deref()].into_iter().flatten().collect();
    let name: RichText = key(&redact(&artifact.name)).into();
    let item = if about.is_empty() { name } else { rich!("{} ({})", name, about.join(", ")) };
    item.into()
}
