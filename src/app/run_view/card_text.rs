//! A finding as Markdown, for the clipboard: it is pasted into an issue or a chat.

use rundown_content::{Block, Cell, Span, Table};
use rundown_protocol::{FindingCard, SeverityMark};

/// The finding of a run, and when it holds in words.
pub fn markdown(run: &str, when: &str, finding: &FindingCard) -> String {
    let severity = match finding.severity {
        SeverityMark::Note => "note",
        SeverityMark::Warning => "warning",
        SeverityMark::Critical => "critical",
    };
    let mut parts = vec![
        format!("### {}: {} ({severity})", run, finding.name),
        format!("{}{} · {}", when.get(..1).unwrap_or_default().to_uppercase(), tail(when), finding.standing),
    ];
    parts.extend(finding.body.iter().map(block));
    if !finding.actions.is_empty() {
        parts.push("**Try**".to_owned());
        parts.push(numbered(&finding.actions));
    }
    parts.extend(finding.reasons.iter().chain(&finding.evidence.blocks).map(block));
    parts.retain(|part| !part.trim().is_empty());
    parts.push(String::new());
    parts.join("\n\n").trim_end().to_owned() + "\n"
}

/// A table of settings as lines such as `learning_rate = 1e-5`: what its first two columns say.
pub fn setting_lines(blocks: &[Block]) -> String {
    let mut lines = String::new();
    for block in blocks {
        let Block::Table(table) = block else { continue };
        for row in &table.rows {
            if let [key, value, ..] = row.as_slice() {
                lines.push_str(&format!("{} = {}\n", plain(&key.text), plain(&value.text)));
            }
        }
    }
    lines
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading { text, .. } => format!("**{text}**"),
        Block::Text(spans) => line(spans),
        Block::List(items) => items.iter().map(|item| format!("- {}", line(item))).collect::<Vec<_>>().join("\n"),
        Block::Numbered(items) => numbered(items),
        Block::Code(text) => format!("```\n{text}\n```"),
        Block::Table(table) => rows(table),
        Block::Figure(figure) => figure.summary.clone(),
        Block::SideBySide(left, right) => all(&[left.as_slice(), right].concat()),
        Block::Panels(panels) => all(&panels.concat()),
        Block::Fold { title, blocks } => format!("**{title}**\n\n{}", all(blocks)),
    }
}

fn all(blocks: &[Block]) -> String {
    blocks.iter().map(block).collect::<Vec<_>>().join("\n\n")
}

fn numbered(items: &[Vec<Span>]) -> String {
    let item = |(place, item): (usize, &Vec<Span>)| format!("{}. {}", place + 1, line(item));
    items.iter().enumerate().map(item).collect::<Vec<_>>().join("\n")
}

fn rows(table: &Table) -> String {
    let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let mut rows = vec![
        row(table.columns.iter().map(|column| line(column.name.spans())).collect()),
        row(table.columns.iter().map(|column| if column.is_numeric { "--:" } else { "---" }.to_owned()).collect()),
    ];
    let cell = |cell: &Cell| line(&cell.text).replace('|', "\\|");
    rows.extend(table.rows.iter().map(|cells| row(cells.iter().map(cell).collect())));
    rows.join("\n")
}

fn line(spans: &[Span]) -> String {
    let mut text = String::new();
    for span in spans {
        match span {
            Span::Key(key) | Span::Metric(key) | Span::Setting(key) => text.push_str(&format!("`{key}`")),
            Span::Strong(words) => text.push_str(&format!("**{words}**")),
            Span::Note(words) => text.push_str(&format!(" – {words}")),
            Span::Link(words, address) => text.push_str(&format!("[{words}]({address})")),
            _ => text.push_str(&span.plain()),
        }
    }
    text.trim().to_owned()
}

fn plain(spans: &[Span]) -> String {
    spans.iter().map(Span::plain).collect()
}

fn tail(text: &str) -> &str {
    text.get(1..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_protocol::Fold;

    #[test]
    fn a_finding_is_copied_with_its_advice_first() {
        let mut table = Table::new("", &["Measurement", "#Value"]);
        table.rows.push(vec![Cell::text("a|b"), Cell::number("3", 3.0)]);
        let finding = FindingCard {
            code: "kl_blow_up".to_owned(),
            name: "KL blow-up".to_owned(),
            phrase: "KL blow-up".to_owned(),
            lane: 0,
            severity: SeverityMark::Critical,
            title: String::new(),
            onset: 9.0,
            end: f64::NAN,
            standing: "confidence 0.97".to_owned(),
            chart: Vec::new(),
            body: vec![Block::Text(vec![Span::Metric("kl".to_owned()), Span::from(" rose.")])],
            actions: vec![vec![
                Span::Setting("beta".to_owned()),
                Span::from(" 0 → 0.1"),
                Span::Note("watch KL".into()),
            ]],
            reasons: vec![Block::part("Would refute it"), Block::text("A level KL.")],
            evidence: Fold { blocks: vec![Block::Table(table)], ..Fold::default() },
            references: Fold::default(),
            samples: Vec::new(),
            explained_by: None,
        };
        let expected = "### amber: KL blow-up (critical)\n\nFrom step 9 · confidence 0.97\n\n`kl` rose.\n\n**Try**\n\n\
                        1. `beta` 0 → 0.1 – watch KL\n\n**Would refute it**\n\nA level KL.\n\n\
                        | Measurement | Value |\n| --- | --: |\n| a\\|b | 3 |\n";
        assert_eq!(markdown("amber", "from step 9", &finding), expected);
        assert_eq!(setting_lines(&finding.evidence.blocks), "a|b = 3\n");
    }
}
