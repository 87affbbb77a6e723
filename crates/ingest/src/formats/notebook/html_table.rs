//! Tables in HTML that a program wrote: pandas, and the progress display of the Hugging Face Trainer.
//!
//! No crate: what is needed is the text of `th` and `td`, of pages that browsers have shown, and a parser of HTML with
//! its tree would be larger than the rest of this reader.

/// A table: the cells of its first row, and those of the others.
pub(super) struct HtmlTable {
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl HtmlTable {
    /// Every table of a page, in order.
    pub(super) fn all(html: &str) -> Vec<Self> {
        let tables = html.split("<table").skip(1).map(|table| table.split("</table").next().unwrap_or(table));
        tables.filter_map(Self::of).collect()
    }

    /// True where a column holds the steps.
    pub(super) fn has_steps(&self) -> bool {
        self.header.iter().any(|name| is_step(name))
    }

    fn of(table: &str) -> Option<Self> {
        let mut rows = table.split("<tr").skip(1).map(cells).filter(|cells| !cells.is_empty());
        Some(Self { header: rows.next()?, rows: rows.collect() })
    }
}

/// True for the name of the column with the steps.
pub(super) fn is_step(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case("step")
}

/// The texts of the cells of a row.
fn cells(row: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = row;
    while let Some(at) = rest.find("<t") {
        let (_, cell) = rest.split_at(at + 2);
        rest = cell;
        // `<thead>` and `<tbody>` begin like cells.
        let is_cell = cell.starts_with(['d', 'h']) && cell.get(1..).is_some_and(|tag| tag.starts_with(['>', ' ']));
        let Some((_, text)) = cell.split_once('>').filter(|_| is_cell) else { continue };
        let end = text.find("</t").or_else(|| text.find("<t")).unwrap_or(text.len());
        found.push(plain(text.get(..end).unwrap_or(text)));
        rest = text.get(end..).unwrap_or_default();
    }
    found
}

/// Text without tags and entities.
fn plain(html: &str) -> String {
    let mut text = String::new();
    for (place, part) in html.split('<').enumerate() {
        let shown = if place == 0 { part } else { part.split_once('>').map_or("", |(_, shown)| shown) };
        text.push_str(shown);
    }
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")];
    entities.iter().fold(text, |text, (entity, sign)| text.replace(entity, sign)).trim().to_owned()
}
