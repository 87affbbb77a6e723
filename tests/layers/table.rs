//! The table in the documentation of `src/lib.rs`: which module may use which.
//!
//! A row is `| module | holds | may use |`. The first cell names one module or several, or a part of one as
//! `engine::worker`; the last one `–`, `all above`, or a list of modules and parts of them. A row whose `holds` ends
//! with `; wasm only` is built for the browser alone. What stands in parentheses is a remark.

/// A row for each module of the table, in its order.
pub struct Table {
    pub rows: Vec<Row>,
}

/// A module, or a part of one, and what it may use besides itself.
#[derive(Debug, PartialEq)]
pub struct Row {
    pub module: Vec<String>,
    pub may_use: Vec<Vec<String>>,
    pub wasm_only: bool,
}

const HEADER: &str = "//! | module | holds | may use |";
const WASM_ONLY: &str = "wasm only";

impl Table {
    /// Reads the table.
    ///
    /// # Errors
    /// Where there is no table, or a cell is none of what is described above; the text names it.
    pub fn read(documentation: &str) -> Result<Self, String> {
        let mut lines = documentation.lines().skip_while(|line| *line != HEADER).skip(2);
        let mut table = Self { rows: Vec::new() };
        for line in lines.by_ref().map_while(|line| line.strip_prefix("//! |")) {
            let cells: Vec<&str> = line.trim().trim_end_matches('|').split('|').map(str::trim).collect();
            let [modules, holds, may_use] = cells[..] else { return Err(format!("not three cells: {line}")) };
            let wasm_only = holds.ends_with(&format!("; {WASM_ONLY}"));
            if !wasm_only && line.contains(WASM_ONLY) {
                return Err(format!("a part that is {WASM_ONLY} needs a row of its own: {line}"));
            }
            let may_use = table.paths(may_use).map_err(|error| format!("{error}: {line}"))?;
            for module in modules.split(',') {
                table.rows.push(Row { module: path(module), may_use: may_use.clone(), wasm_only });
            }
        }
        if table.rows.is_empty() { Err(format!("no table: {HEADER}")) } else { Ok(table) }
    }

    /// The modules of a cell. Only rows above are known yet, so no arrow can point up.
    fn paths(&self, cell: &str) -> Result<Vec<Vec<String>>, String> {
        let cell = without_remarks(cell);
        match cell.trim() {
            "" | "–" | "-" => Ok(Vec::new()),
            "all above" => Ok(self.rows.iter().map(|row| row.module.clone()).collect()),
            list => list.split(',').map(|item| self.known(item)).collect(),
        }
    }

    fn known(&self, item: &str) -> Result<Vec<String>, String> {
        let path = path(item);
        let is_above = self.rows.iter().any(|row| path.starts_with(&row.module));
        if is_above { Ok(path) } else { Err(format!("{} is no module of a row above", path.join("::"))) }
    }

    /// The row of a module: that of the part where it has one of its own.
    pub fn row(&self, module: &[String]) -> Option<&Row> {
        let rows = self.rows.iter().filter(|row| module.starts_with(&row.module));
        rows.max_by_key(|row| row.module.len())
    }
}

impl Row {
    /// True when a file of this row may use the path.
    pub fn allows(&self, table: &Table, path: &[String]) -> bool {
        let is_own = table.row(path).is_some_and(|row| row.module == self.module);
        // A part with a row of its own is not allowed by its module's name.
        let allows = |allowed: &Vec<String>| {
            path.starts_with(allowed) && table.row(path).is_some_and(|row| row.module.len() <= allowed.len())
        };
        is_own || self.may_use.iter().any(allows)
    }
}

fn path(cell: &str) -> Vec<String> {
    cell.trim().trim_matches(['[', ']', '`']).split("::").map(str::to_owned).collect()
}

fn without_remarks(cell: &str) -> String {
    let mut depth = 0_usize;
    let mut text = String::new();
    for letter in cell.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => text.push(letter),
            _ => {}
        }
    }
    text
}
