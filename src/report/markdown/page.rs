//! Headings, lists and tables, so that the sections say what and not how.

/// Markdown being written.
pub(super) struct Page {
    text: String,
    /// Level of the outermost heading: 1 for a report of its own, 2 within one of many runs.
    level: usize,
}

impl Page {
    pub(super) fn new() -> Self {
        Self { text: String::new(), level: 1 }
    }

    /// Headings from here on are `levels` deeper.
    pub(super) fn nest(&mut self, levels: usize) {
        self.level += levels;
    }

    /// A heading `depth` levels below the outermost. `safe` is already escaped.
    pub(super) fn heading(&mut self, depth: usize, safe: &str) {
        self.separate();
        let marks = "#".repeat((self.level + depth).min(6));
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

    /// A table; nothing when it has no rows. An empty cell shows a dash.
    pub(super) fn table<const N: usize>(&mut self, header: [&str; N], rows: &[[String; N]]) {
        if rows.is_empty() {
            return;
        }
        self.separate();
        self.row(header.iter().copied());
        self.row([(); N].iter().map(|()| "---"));
        for row in rows {
            self.row(row.iter().map(|cell| if cell.is_empty() { "–" } else { cell.as_str() }));
        }
    }

    /// A table whose columns line up as plain text, as far as they are narrow. Every row has as many cells as `header`.
    pub(super) fn padded_table(&mut self, header: &[String], numeric: &[bool], rows: &[Vec<String>]) {
        const WIDEST: usize = 48;
        let mut widths: Vec<usize> = header.iter().map(|name| name.chars().count().max(3)).collect();
        for row in rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count().min(WIDEST));
            }
        }
        self.separate();
        self.padded_row(header, &widths, numeric);
        let line = |(place, width): (usize, &usize)| {
            let right = numeric.get(place) == Some(&true);
            let mut line = "-".repeat(width - usize::from(right));
            line.push_str(if right { ":" } else { "" });
            line
        };
        let lines: Vec<String> = widths.iter().enumerate().map(line).collect();
        self.padded_row(&lines, &widths, numeric);
        for row in rows {
            self.padded_row(row, &widths, numeric);
        }
    }

    fn padded_row(&mut self, cells: &[String], widths: &[usize], numeric: &[bool]) {
        for (place, width) in widths.iter().enumerate() {
            let cell = cells.get(place).map(String::as_str).filter(|cell| !cell.is_empty()).unwrap_or("–");
            let padding = " ".repeat(width.saturating_sub(cell.chars().count()));
            let (before, after) =
                if numeric.get(place) == Some(&true) { (padding.as_str(), "") } else { ("", padding.as_str()) };
            for part in ["| ", before, cell, after, " "] {
                self.text.push_str(part);
            }
        }
        self.text.push_str("|\n");
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

    fn row<'c>(&mut self, cells: impl Iterator<Item = &'c str>) {
        for cell in cells {
            self.text.push_str("| ");
            self.text.push_str(cell);
            self.text.push(' ');
        }
        self.text.push_str("|\n");
    }

    fn separate(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }
}
