//! Reads blocks of documents without serde.

use super::{Bytes, Read};
use crate::content::{Anchor, Block, Cell, Column, Figure, Shape, Span, Table, Tone};

impl Read for u8 {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        bytes.byte()
    }
}

structures! {
    Table { caption columns rows left_out }
    Column { name is_numeric }
    Cell { text value }
    Figure { title summary width height shapes }
}

impl Read for Block {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        match bytes.whole() {
            0 => Block::Heading { level: Read::read(bytes), text: Read::read(bytes) },
            1 => Block::Text(Read::read(bytes)),
            2 => Block::List(Read::read(bytes)),
            3 => Block::Table(Read::read(bytes)),
            4 => Block::Figure(Read::read(bytes)),
            5 => Block::Numbered(Read::read(bytes)),
            6 => Block::Code(Read::read(bytes)),
            _ => {
                bytes.bad();
                Block::Text(Vec::new())
            }
        }
    }
}

impl Read for Span {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        match bytes.whole() {
            0 => Span::Text(Read::read(bytes)),
            1 => Span::Key(Read::read(bytes)),
            2 => Span::Strong(Read::read(bytes)),
            3 => Span::Run(Read::read(bytes), Read::read(bytes)),
            4 => Span::Note(Read::read(bytes)),
            5 => Span::Link(Read::read(bytes), Read::read(bytes)),
            6 => Span::Metric(Read::read(bytes)),
            7 => Span::Setting(Read::read(bytes)),
            8 => Span::Number(Read::read(bytes), Read::read(bytes)),
            9 => Span::Percent(Read::read(bytes)),
            10 => Span::Step(Read::read(bytes)),
            _ => {
                bytes.bad();
                Span::Text(String::new())
            }
        }
    }
}

// The fields of a variant are read in the order in which they are written here, which is that of their declaration.
impl Read for Shape {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        match bytes.whole() {
            0 => Shape::Line {
                points: Read::read(bytes),
                tone: Read::read(bytes),
                is_dashed: Read::read(bytes),
                hint: Read::read(bytes),
            },
            1 => Shape::Area { points: Read::read(bytes), tone: Read::read(bytes) },
            2 => Shape::Rectangle {
                x: Read::read(bytes),
                y: Read::read(bytes),
                width: Read::read(bytes),
                height: Read::read(bytes),
                tone: Read::read(bytes),
                hint: Read::read(bytes),
            },
            3 => Shape::Dot {
                x: Read::read(bytes),
                y: Read::read(bytes),
                radius: Read::read(bytes),
                tone: Read::read(bytes),
                hint: Read::read(bytes),
            },
            4 => Shape::Words {
                x: Read::read(bytes),
                y: Read::read(bytes),
                anchor: bytes.variant(&[Anchor::Start, Anchor::Middle, Anchor::End], Anchor::Start),
                text: Read::read(bytes),
                tone: Read::read(bytes),
                hint: Read::read(bytes),
            },
            _ => {
                bytes.bad();
                Shape::Area { points: Vec::new(), tone: Tone::Ink }
            }
        }
    }
}

impl Read for Tone {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        match bytes.whole() {
            0 => Tone::Ink,
            1 => Tone::Muted,
            2 => Tone::Grid,
            3 => Tone::Accent,
            4 => Tone::Series(Read::read(bytes)),
            5 => Tone::Good,
            6 => Tone::Bad,
            7 => Tone::Ugly,
            8 => Tone::Heat(Read::read(bytes)),
            _ => {
                bytes.bad();
                Tone::Ink
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks_from_bytes(bytes: &[u8]) -> Option<Vec<Block>> {
        let mut bytes = Bytes { left: bytes, is_bad: false };
        let blocks = Read::read(&mut bytes);
        (!bytes.is_bad && bytes.left.is_empty()).then_some(blocks)
    }

    fn every_kind() -> Vec<Block> {
        let text = |words: &str| words.to_owned();
        let mut table = Table::new("caption", &["Run", "#Reward"]);
        table.rows.push(vec![Cell::run(300, "amber-01"), Cell::number("0.5", 0.5)]);
        table.left_out = 12;
        let tones = [
            Tone::Ink,
            Tone::Muted,
            Tone::Grid,
            Tone::Accent,
            Tone::Series(7),
            Tone::Good,
            Tone::Bad,
            Tone::Ugly,
            Tone::Heat(9),
        ];
        let mut shapes: Vec<Shape> = tones
            .map(|tone| Shape::Line { points: vec![(0.5, 1.0), (2.0, -3.0)], tone, is_dashed: true, hint: text("h") })
            .into();
        shapes.push(Shape::Area { points: vec![(1.0, 2.0)], tone: Tone::Good });
        shapes.push(Shape::Rectangle { x: 1.0, y: 2.0, width: 3.0, height: 4.0, tone: Tone::Bad, hint: text("r") });
        shapes.push(Shape::Dot { x: 1.0, y: 2.0, radius: 3.0, tone: Tone::Ugly, hint: text("d") });
        for anchor in [Anchor::Start, Anchor::Middle, Anchor::End] {
            let (tone, hint) = (Tone::Ink, text("w"));
            shapes.push(Shape::Words { x: 1.0, y: 2.0, anchor, text: text("words"), tone, hint });
        }
        vec![
            Block::section("section"),
            Block::part("part"),
            Block::Text(vec![
                Span::Text(text("t")),
                Span::Key(text("k")),
                Span::Strong(text("s")),
                Span::Run(9, text("r")),
                Span::Note(text("n")),
                Span::Link(text("l"), text("https://b.c")),
            ]),
            Block::Numbered(vec![vec![Span::Text(text("first"))]]),
            Block::Code(text("a  b")),
            Block::List(vec![vec![Span::Text(text("item"))], Vec::new()]),
            Block::Table(table),
            Block::Figure(Figure { title: text("title"), summary: text("summary"), width: 10.0, height: 5.0, shapes }),
        ]
    }

    #[test]
    fn blocks_come_back_as_postcard_wrote_them() {
        let bytes = postcard::to_allocvec(&every_kind()).unwrap();
        assert_eq!(blocks_from_bytes(&bytes), Some(every_kind()));
    }

    #[test]
    fn broken_bytes_are_none() {
        let bytes = postcard::to_allocvec(&every_kind()).unwrap();
        for end in 0..bytes.len() {
            assert_eq!(blocks_from_bytes(&bytes[..end]), None, "{end}");
        }
        assert_eq!(blocks_from_bytes(&[1, 99]), None);
    }
}
