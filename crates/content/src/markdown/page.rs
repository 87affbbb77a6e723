//! Markdown being written: headings, lists, tables and fences, each with an empty line before it.

/// A Markdown file being written. Every text that it takes is escaped already.
#[derive(Default)]
pub(super) struct MarkdownWriter {
    text: String,
}

impl MarkdownWriter {
    /// A heading; level 1 is the title.
    pub(super) fn heading(&mut self, level: u8, safe: &str) {
        self.separate();
        let marks = "#".repeat(usize::from(level.clamp(1, 6)));
        self.text.push_str(&format!("{marks} {safe}\n"));
    }

    pub(super) fn paragraph(&mut self, safe: &str) {
        if safe.is_empty() {
            return;
        }
        self.separate();
        self.text.push_str(safe);
        self.text.push('\n');
    }

    pub(super) fn bullets(&mut self, items: &[String]) {
        self.list(items, |_| "-".to_owned());
    }

    pub(super) fn numbered(&mut self, items: &[String]) {
        self.list(items, |place| format!("{}.", place + 1));
    }

    /// A table whose columns line up as plain text, as far as they are narrow. Every row has as many cells as `header`; an
    /// empty cell shows a dash.
    pub(super) fn table(&mut self, header: &[String], numeric: &[bool], rows: &[Vec<String>]) {
        const WIDEST: usize = 48;
        let mut widths: Vec<usize> = header.iter().map(|name| name.chars().count().max(3)).collect();
        for row in rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count().min(WIDEST));
            }
        }
        self.separate();
        self.row(header, &widths, numeric);
        let line = |(place, width): (usize, &usize)| {
            let right = numeric.get(place) == Some(&true);
            let mut line = "-".repeat(width - usize::from(right));
            line.push_str(if right { ":" } else { "" });
            line
        };
        let lines: Vec<String> = widths.iter().enumerate().map(line).collect();
        self.row(&lines, &widths, numeric);
        for row in rows {
            self.row(row, &widths, numeric);
        }
    }

    /// Text as it is, in a fence that is longer than any row of backticks in it.
    pub(super) fn fenced(&mut self, text: &str) {
        self.separate();
        let (mut longest, mut row) = (2, 0);
        for character in text.chars() {
            row = if character == '`' { row + 1 } else { 0 };
            longest = longest.max(row);
        }
        let fence = "`".repeat(longest + 1);
        self.text.push_str(&format!("{fence}text\n{text}\n{fence}\n"));
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    fn list(&mut self, items: &[String], mark: impl Fn(usize) -> String) {
        if items.is_empty() {
            return;
        }
        self.separate();
        for (place, item) in items.iter().enumerate() {
            self.text.push_str(&format!("{} {item}\n", mark(place)));
        }
    }

    fn row(&mut self, cells: &[String], widths: &[usize], numeric: &[bool]) {
        for (place, width) in widths.iter().enumerate() {
            let cell = cells.get(place).map(String::as_str).filter(|cell| !cell.is_empty()).unwrap_or("–");
            let padding = " ".repeat(width.saturating_sub(cell.chars().count()));
            let (before, after) =
                if numeric.get(place) == Some(&true) { (padding.as_str(), "") } else { ("", padding.as_str()) };
            self.text.push_str(&format!("| {before}{cell}{after} "));
        }
        self.text.push_str("|\n");
    }

    fn separate(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }
}
