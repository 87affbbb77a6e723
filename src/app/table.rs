//! Tables: the first column names the row, the first row the columns. Wide ones scroll by themselves.

use super::dom::{Children, El, Part, div, table, tbody, td, th, thead, tr};

/// A table in the making.
pub struct Rows {
    class: &'static str,
    right: Vec<bool>,
    head: El,
    body: El,
}

impl Rows {
    /// A table of this class. `right` says which columns are aligned to the right; columns beyond it are not.
    pub fn new(class: &'static str, right: &[bool]) -> Self {
        Self { class, right: right.to_vec(), head: thead(), body: tbody() }
    }

    /// Names the columns.
    pub fn head<C: Children>(&mut self, cells: impl IntoIterator<Item = C>) {
        let row = self.cells(cells, |_| th().attr("scope", "col"));
        self.head.push(row);
    }

    /// Adds a row.
    pub fn row<C: Children>(&mut self, cells: impl IntoIterator<Item = C>) {
        let row = self.cells(cells, |column| if column == 0 { th().attr("scope", "row") } else { td() });
        self.body.push(row);
    }

    /// The finished table.
    pub fn view(self) -> Part {
        div().class("scroll-x").child(table().class(self.class).child((self.head, self.body))).view()
    }

    fn cells<C: Children>(&self, cells: impl IntoIterator<Item = C>, cell: fn(usize) -> El) -> El {
        let mut row = tr();
        for (column, content) in cells.into_iter().enumerate() {
            let made = cell(column).child(content);
            let is_right = self.right.get(column) == Some(&true);
            row.push(if is_right { made.class("right") } else { made });
        }
        row
    }
}
