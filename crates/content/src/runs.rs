//! The runs that blocks link to, by number.

use super::{Block, Span};
use rundown_format::RichText;

impl Block {
    /// Gives each link to a run the number that stands for it elsewhere.
    pub fn renumber_runs(&mut self, number_of: &dyn Fn(u32) -> u32) {
        let each = |blocks: &mut Vec<Block>| blocks.iter_mut().for_each(|block| block.renumber_runs(number_of));
        let spans = |spans: &mut [Span]| renumber(spans, number_of);
        let rich = |text: &mut RichText| renumber(text.spans_mut(), number_of);
        match self {
            Block::Heading { text, .. } => rich(text),
            Block::Text(text) => spans(text),
            Block::List(items) | Block::Numbered(items) => items.iter_mut().for_each(|item| spans(item)),
            Block::Table(table) => {
                rich(&mut table.caption);
                table.columns.iter_mut().for_each(|column| rich(&mut column.name));
                table.rows.iter_mut().flatten().for_each(|cell| spans(&mut cell.text));
            }
            Block::SideBySide(left, right) => {
                each(left);
                each(right);
            }
            Block::Panels(panels) => panels.iter_mut().for_each(each),
            Block::Fold { title, blocks } => {
                rich(title);
                each(blocks);
            }
            // No link stands in them.
            Block::Figure(_) | Block::Code(_) => {}
        }
    }
}

fn renumber(spans: &mut [Span], number_of: &dyn Fn(u32) -> u32) {
    for span in spans {
        if let Span::Run(number, _) = span {
            *number = number_of(*number);
        }
    }
}
