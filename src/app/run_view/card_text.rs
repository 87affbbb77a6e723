//! A finding as Markdown, for the clipboard: it is pasted into an issue or a chat.

use rundown_content::{Block, Span, markdown};
use rundown_protocol::FindingCard;

/// The finding of a run.
pub fn card_markdown(run: &str, finding: &FindingCard) -> String {
    let (first, rest) = finding.when.split_at_checked(1).unwrap_or_default();
    let mut blocks = vec![
        Block::part(format!("{run}: {} ({})", finding.name, finding.severity.word())),
        Block::text(format!("{}{rest} · {}", first.to_uppercase(), finding.standing)),
    ];
    blocks.extend(finding.body.iter().cloned().map(within));
    if !finding.actions.is_empty() {
        blocks.extend([within(Block::part("Try")), Block::Numbered(finding.actions.clone())]);
    }
    blocks.extend(finding.reasons.iter().chain(&finding.evidence.blocks).cloned().map(within));
    markdown(&blocks)
}

/// A table of settings as lines such as `learning_rate = 1e-5`: what its first two columns say.
pub fn setting_lines(blocks: &[Block]) -> String {
    let mut lines = String::new();
    for block in blocks {
        let Block::Table(table) = block else { continue };
        for row in &table.rows {
            if let [key, value, ..] = row.as_slice() {
                lines.push_str(&format!("{} = {}\n", key.plain(), value.plain()));
            }
        }
    }
    lines
}

/// A block of the card: its headings are strong words below that of the finding.
fn within(block: Block) -> Block {
    match block {
        Block::Heading { text, .. } => Block::Text(vec![Span::Strong(text.to_string())]),
        block => block,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_content::ColumnName::{Numbers, Words};
    use rundown_content::{Cell, Table};
    use rundown_protocol::{Fold, SeverityMark};

    #[test]
    fn a_finding_is_copied_with_its_advice_first() {
        let mut table = Table::new("", &[Words("Measurement"), Numbers("Va|ue")]);
        table.rows.push(vec![Cell::text("a|b"), Cell::number("3", 3.0)]);
        let finding = FindingCard {
            code: "kl_blow_up".to_owned(),
            name: "KL blow-up".to_owned(),
            phrase: "KL blow-up".to_owned(),
            lane: 0,
            severity: SeverityMark::Critical,
            title: String::new(),
            onset: Some(9.0),
            end: None,
            when: "from step 9".to_owned(),
            standing: "confidence 97 %".to_owned(),
            chart: Vec::new(),
            body: vec![
                Block::Text(vec![Span::Metric("kl".to_owned()), Span::from(" rose.")]),
                Block::Text(vec![Span::Key("a`b".to_owned()), Span::from(" *is* <b>")]),
            ],
            actions: vec![vec![
                Span::Setting("beta".to_owned()),
                Span::from(" 0 → 0.1"),
                Span::Note("watch KL".into()),
            ]],
            reasons: vec![Block::part("What would refute it"), Block::text("A level KL.")],
            evidence: Fold { blocks: vec![Block::Table(table)], ..Fold::default() },
            references: Fold::default(),
            samples: Vec::new(),
            explained_by: None,
        };
        let expected = "### amber: KL blow-up (critical)\n\nFrom step 9 · confidence 97 %\n\n`kl` rose.\n\na\\`b \\*is\\* &lt;b>\n\n**Try**\n\n\
                        1. `beta` 0 → 0.1 – watch KL\n\n**What would refute it**\n\nA level KL.\n\n\
                        | Measurement | Va\\|ue |\n| ----------- | -----: |\n| a\\|b        |      3 |\n";
        assert_eq!(card_markdown("amber", &finding), expected);
        assert_eq!(setting_lines(&finding.evidence.blocks), "a|b = 3\n");
    }
}
