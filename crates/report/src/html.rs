//! One self-contained HTML file from blocks: figures as SVG, light and dark, on paper and on a phone.
//!
//! It asks for nothing: its policy allows its own style sheet, by its hash, and nothing else. There is no script. Every
//! text is escaped, so a run named `<script>` is a name. The file is XML too, which the tests use to read it back.

use super::Document;
use super::svg::{STYLE as FIGURE_STYLE, escaped, svg};
use rundown_content::{Block, Cell, RichText, Span, Table};

/// The style sheet of the file, before that of figures.
const STYLE: &str = include_str!("html/report.css");

/// SHA-256 of both style sheets, base64: a test computes it.
const STYLE_HASH: &str = "ulbVf6dOAGCCfXdSNhwop+QHJK1JOlChhaMU6q3WSqE=";

/// From this many sections on the file begins with a list of them.
const CONTENTS: usize = 4;

/// The file.
pub fn html(document: &Document) -> String {
    let mut page = HtmlWriter { out: String::with_capacity(16_384), sections: 0 };
    page.raw("<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta charset=\"utf-8\"/>\n");
    page.raw(&format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{STYLE_HASH}'; \
         base-uri 'none'; form-action 'none'\"/>\n"
    ));
    page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
    page.raw(
        "<meta name=\"color-scheme\" content=\"light dark\"/>\n<meta name=\"referrer\" content=\"no-referrer\"/>\n",
    );
    page.element("title", &document.title().to_string());
    page.raw(&format!("\n<style>{STYLE}{FIGURE_STYLE}</style>\n</head>\n<body>\n<main>\n"));
    page.within("h1", document.title().spans());
    page.contents(document.blocks());
    for block in document.blocks() {
        page.block(block);
    }
    page.raw("</main>\n</body>\n</html>\n");
    page.out
}

/// HTML being written.
struct HtmlWriter {
    out: String,
    sections: usize,
}

impl HtmlWriter {
    /// Our own markup.
    fn raw(&mut self, markup: &str) {
        self.out.push_str(markup);
    }

    fn text(&mut self, text: &str) {
        escaped(&mut self.out, text);
    }

    fn element(&mut self, tag: &str, text: &str) {
        self.raw(&format!("<{tag}>"));
        self.text(text);
        self.raw(&format!("</{tag}>"));
    }

    fn contents(&mut self, blocks: &[Block]) {
        let sections: Vec<&RichText> = blocks
            .iter()
            .filter_map(|block| if let Block::Heading { level: 2, text } = block { Some(text) } else { None })
            .collect();
        if sections.len() < CONTENTS {
            return;
        }
        self.raw("<nav aria-label=\"Contents\"><ol>\n");
        for (place, text) in sections.into_iter().enumerate() {
            self.raw(&format!("<li><a href=\"#s{}\">", place + 1));
            self.spans(text.spans());
            self.raw("</a></li>\n");
        }
        self.raw("</ol></nav>\n");
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading { level: 2, text } => {
                self.sections += 1;
                self.raw(&format!("<h2 id=\"s{}\">", self.sections));
                self.spans(text.spans());
                self.raw("</h2>\n");
            }
            Block::Heading { level, text } => {
                let tag = match level {
                    0..=3 => "h3",
                    4 => "h4",
                    _ => "h5",
                };
                self.within(tag, text.spans());
            }
            Block::Text(spans) => self.within("p", spans),
            Block::List(items) => self.list("ul", items),
            Block::Numbered(items) => self.list("ol", items),
            Block::Code(text) => {
                self.raw("<div class=\"scroll\" tabindex=\"0\">");
                self.element("pre", text);
                self.raw("</div>\n");
            }
            Block::Table(table) => self.table(table),
            Block::Figure(figure) => {
                self.raw("<figure>");
                if !figure.title.is_empty() {
                    self.raw("<figcaption>");
                    self.spans(figure.title.spans());
                    self.raw("</figcaption>");
                }
                self.raw("<div class=\"scroll\" tabindex=\"0\">");
                self.raw(&svg(figure));
                self.raw("</div><details><summary>Text description</summary><p class=\"description\">");
                self.text(&figure.summary);
                self.raw("</p></details></figure>\n");
            }
            Block::SideBySide(left, right) => {
                self.raw("<div class=\"pair\">\n");
                for side in [left, right] {
                    self.raw("<div>\n");
                    side.iter().for_each(|block| self.block(block));
                    self.raw("</div>\n");
                }
                self.raw("</div>\n");
            }
            Block::Panels(panels) => {
                self.raw("<div class=\"panels\">\n");
                for panel in panels {
                    self.raw("<section>\n");
                    panel.iter().for_each(|block| self.block(block));
                    self.raw("</section>\n");
                }
                self.raw("</div>\n");
            }
            Block::Fold { title, blocks } => {
                self.raw("<details><summary>");
                self.spans(title.spans());
                self.raw("</summary>\n");
                blocks.iter().for_each(|block| self.block(block));
                self.raw("</details>\n");
            }
        }
    }

    fn list(&mut self, tag: &str, items: &[Vec<Span>]) {
        // A list without items is not valid.
        if items.is_empty() {
            return;
        }
        self.raw(&format!("<{tag}>\n"));
        for item in items {
            self.within("li", item);
        }
        self.raw(&format!("</{tag}>\n"));
    }

    fn table(&mut self, table: &Table) {
        if table.rows.is_empty() {
            return;
        }
        self.raw("<div class=\"scroll\" tabindex=\"0\"><table>\n");
        if !table.caption.is_empty() {
            self.raw("<caption>");
            self.spans(table.caption.spans());
            self.raw("</caption>\n");
        }
        self.raw("<thead><tr>");
        for column in &table.columns {
            self.raw(if column.is_numeric { "<th scope=\"col\" class=\"n\">" } else { "<th scope=\"col\">" });
            self.spans(column.name.spans());
            self.raw("</th>");
        }
        self.raw("</tr></thead>\n<tbody>\n");
        let none = Cell::default();
        for row in &table.rows {
            self.raw("<tr>");
            for (place, column) in table.columns.iter().enumerate() {
                let (tag, close) = if place == 0 { ("<th scope=\"row\"", "</th>") } else { ("<td", "</td>") };
                self.raw(tag);
                self.raw(if column.is_numeric { " class=\"n\">" } else { ">" });
                let cell = row.get(place).unwrap_or(&none);
                if cell.text.is_empty() {
                    self.raw("–");
                }
                self.spans(&cell.text);
                self.raw(close);
            }
            self.raw("</tr>\n");
        }
        self.raw("</tbody></table></div>\n");
        if table.left_out > 0 {
            let rows = if table.left_out == 1 { "row is" } else { "rows are" };
            self.raw(&format!("<p class=\"description\">{} more {rows} not shown.</p>\n", table.left_out));
        }
    }

    fn within(&mut self, tag: &str, spans: &[Span]) {
        self.raw(&format!("<{tag}>"));
        self.spans(spans);
        self.raw(&format!("</{tag}>\n"));
    }

    fn spans(&mut self, spans: &[Span]) {
        for (place, span) in spans.iter().enumerate() {
            match span {
                Span::Text(text) => self.text(text),
                Span::Key(key) | Span::Metric(key) | Span::Setting(key) => self.element("code", key),
                Span::Number(..) | Span::Percent(_) | Span::Step(_) | Span::Tabular(..) => self.text(&span.plain()),
                Span::Strong(text) => self.element("strong", text),
                Span::Note(text) => {
                    self.raw(if place > 0 { " – " } else { "" });
                    self.element("small", text);
                }
                Span::Run(_, name) if name.trim().is_empty() => self.element("em", "without a name"),
                // A name in another direction must not turn what stands around it.
                Span::Run(_, name) => self.element("bdi", name),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use proptest::prelude::*;
    use rundown_content::ColumnName::{Numbers, Words};
    use rundown_content::{Figure, Shape, Tone};

    /// SHA-256 (FIPS 180-4), so that the hash in the policy can't be another than the style's.
    fn sha256(data: &[u8]) -> [u8; 32] {
        let primes = (2_u32..).filter(|n| (2..*n).all(|d| n % d != 0));
        let root = |n: u32, power: f64| (libm::pow(f64::from(n), power).fract() * 4_294_967_296.0) as u32;
        let k: Vec<u32> = primes.clone().take(64).map(|n| root(n, 1.0 / 3.0)).collect();
        let mut h: Vec<u32> = primes.take(8).map(|n| root(n, 0.5)).collect();
        let mut bytes = data.to_vec();
        bytes.push(0x80);
        while bytes.len() % 64 != 56 {
            bytes.push(0);
        }
        bytes.extend((data.len() as u64 * 8).to_be_bytes());
        for chunk in bytes.chunks(64) {
            let mut w: Vec<u32> = chunk.chunks(4).map(|b| u32::from_be_bytes(b.try_into().unwrap())).collect();
            for i in 16..64 {
                let s0 = w[i - 15].rotate_right(7) ^ w[i - 15].rotate_right(18) ^ (w[i - 15] >> 3);
                let s1 = w[i - 2].rotate_right(17) ^ w[i - 2].rotate_right(19) ^ (w[i - 2] >> 10);
                w.push(w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1));
            }
            let mut v = h.clone();
            for i in 0..64 {
                let s1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
                let choice = (v[4] & v[5]) ^ (!v[4] & v[6]);
                let t1 = v[7].wrapping_add(s1).wrapping_add(choice).wrapping_add(k[i]).wrapping_add(w[i]);
                let s0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
                let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
                v.rotate_right(1);
                v[4] = v[4].wrapping_add(t1);
                v[0] = t1.wrapping_add(s0).wrapping_add(majority);
            }
            for (h, v) in h.iter_mut().zip(v) {
                *h = h.wrapping_add(v);
            }
        }
        let bytes: Vec<u8> = h.into_iter().flat_map(u32::to_be_bytes).collect();
        bytes.try_into().unwrap()
    }

    #[test]
    fn the_policy_allows_this_style_sheet_alone() {
        let hash = |bytes: &[u8]| base64::engine::general_purpose::STANDARD.encode(sha256(bytes));
        assert_eq!(hash(b"abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
        let style = [STYLE, FIGURE_STYLE].concat();
        assert_eq!(STYLE_HASH, hash(style.as_bytes()), "put the right one in place of the left");
        assert!(!style.contains("url(") && !style.contains("@import") && !style.contains('<') && !style.contains('&'));
    }

    fn parse(html: &str) -> roxmltree::Document<'_> {
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
        roxmltree::Document::parse_with_options(html, options).unwrap()
    }

    fn hostile(text: &str) -> Vec<Block> {
        let mut table = Table::new(text, &[Words("Run"), Numbers("value")]);
        table.columns[1].name = text.into();
        table.rows.push(vec![Cell::run(1, text), Cell::number(text, 1.0)]);
        table.rows.push(vec![Cell::key(text), Cell::text(text)]);
        let shape = Shape::Dot { x: 1.0, y: 1.0, radius: 1.0, tone: Tone::Good, hint: text.to_owned() };
        let figure =
            Figure { title: text.into(), summary: text.to_owned(), width: 9.0, height: 9.0, shapes: vec![shape] };
        vec![
            Block::section(text),
            Block::part(text),
            Block::Text(vec![Span::Strong(text.to_owned()), Span::Text(text.to_owned())]),
            Block::List(vec![vec![Span::Key(text.to_owned())]]),
            Block::Numbered(vec![vec![Span::Note(text.to_owned())]]),
            Block::Code(text.to_owned()),
            Block::Table(table),
            Block::SideBySide(vec![Block::text(text)], vec![Block::Code(text.to_owned())]),
            Block::Figure(figure),
        ]
    }

    #[test]
    fn the_file_is_complete() {
        let blocks: Vec<Block> = (0..4).flat_map(|_| hostile("plain")).collect();
        let html = html(&Document::new("Two runs", &blocks, ""));
        let document = parse(&html);
        let count = |name: &str| document.descendants().filter(|node| node.tag_name().name() == name).count();
        assert_eq!([count("h1"), count("h2"), count("table"), count("svg"), count("script")], [1, 4, 4, 4, 0]);
        let links: Vec<&str> = document.descendants().filter_map(|node| node.attribute("href")).collect();
        assert_eq!(links, ["#s1", "#s2", "#s3", "#s4"]);
        assert!(document.descendants().filter_map(|node| node.attribute("src")).next().is_none());
    }

    #[test]
    fn a_name_is_a_name() {
        let name = "</title><script>alert(1)</script><img src=x onerror=alert(1)> \" onload='x' ]]> &amp;";
        let html = html(&Document::new(name, &hostile(name), ""));
        assert!(!html.contains("<script") && !html.contains("<img"));
        let document = parse(&html);
        let bdi = document.descendants().find(|node| node.tag_name().name() == "bdi").unwrap();
        assert_eq!(bdi.text(), Some(name));
    }

    proptest! {
        #[test]
        fn no_text_breaks_out(text in prop_oneof![".*", "[<>&\"'/=`a-z! \\]\\[-]{0,40}"]) {
            let written = html(&Document::new(&text, &hostile(&text), ""));
            let document = parse(&written);
            let plain = html(&Document::new("x", &hostile("x"), ""));
            let shape = |document: &roxmltree::Document<'_>| document.descendants().filter(|node| node.is_element())
                .map(|node| node.tag_name().name().to_owned())
                .filter(|name| !matches!(name.as_str(), "code" | "em" | "bdi" | "title" | "desc" | "figcaption" | "caption"))
                .collect::<Vec<_>>();
            prop_assert_eq!(shape(&document), shape(&parse(&plain)));
        }
    }
}
