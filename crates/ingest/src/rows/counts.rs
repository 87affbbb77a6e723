//! Cells and texts of counts such as `12/64`, right answers of all: their shares are the metric.

/// Different totals that a column of counts has at most: dates and other fractions have many.
const MAX_TOTALS: usize = 4;

/// What stands in the place of a count that is missing.
const MISSING_COUNTS: [&str; 6] = ["-", "–", "n/a", "na", "none", "null"];

/// What the cells of a column show of counts.
#[derive(Debug, Default)]
pub(crate) struct ColumnCounts {
    /// Different totals so far.
    totals: Vec<u32>,
    /// Cells that are neither counts nor empty; and whether numbers are among them.
    has_others: bool,
    has_numbers: bool,
}

impl ColumnCounts {
    /// The share that a cell counts, in a column that had nothing but counts so far.
    pub(crate) fn share(&mut self, text: &str) -> Option<f64> {
        if self.has_others || MISSING_COUNTS.iter().any(|word| text.eq_ignore_ascii_case(word)) {
            return None;
        }
        let found = count(text);
        let Some((count, total)) = found else {
            self.has_others = true;
            return None;
        };
        if !self.totals.contains(&total) {
            self.totals.push(total);
        }
        self.has_others = self.totals.len() > MAX_TOTALS;
        Some(f64::from(count) / f64::from(total))
    }

    /// Notes a plain number.
    pub(crate) fn number(&mut self) {
        self.has_others = true;
        self.has_numbers = true;
    }

    /// True where numbers go with the counts that are left out.
    pub(crate) fn has_numbers(&self) -> bool {
        self.has_numbers
    }

    /// True where counts were read as shares, and other cells show that the column holds something else.
    pub(crate) fn are_refuted(&self) -> bool {
        self.has_others && !self.totals.is_empty()
    }
}

/// Count and total of a cell.
fn count(text: &str) -> Option<(u32, u32)> {
    let (count, total) = text.split_once('/')?;
    let whole = |part: &str| part.trim().parse::<u32>().ok();
    let (count, total) = (whole(count)?, whole(total)?);
    (total > 1 && count <= total).then_some((count, total))
}
