//! A heat map as the page keeps it, of histograms or of rows of metrics: cells to draw, what lies under the pointer.

use rundown_format::{counted, number, percent_to};
use rundown_plot::{ChartCell, Range, Theme, Tick, XKind, position};
use rundown_protocol::{ArrayIndex, HeatColumns};

/// Columns of cells over x. The lists of columns are equally long.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeatData {
    /// Metric key.
    pub key: String,
    /// x of the first and of the last histogram of each column, ascending.
    pub logged: Vec<(f64, f64)>,
    /// Left and right edge of each column.
    pub edges: Vec<(f64, f64)>,
    /// Edges of the bins, ascending.
    pub bins: Vec<f64>,
    /// Share of each bin: column after column, the lowest bin first.
    pub shares: Vec<f64>,
    /// Histograms in the window, or points of all rows.
    pub histograms: u64,
    /// Names of rows of metrics, the lowest first; empty for histograms.
    pub rows: Vec<String>,
    /// What the shares of each row of metrics stand for at 0 and at 1.
    pub row_ranges: Vec<(f64, f64)>,
}

/// A cell.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatReading {
    /// x of the first and of the last histogram of the column.
    pub logged: (f64, f64),
    /// Lower and upper edge of the bin.
    pub bin: (f64, f64),
    /// Share of the bin, 0 to 1; of a row of a metric its value.
    pub share: f64,
    /// Name of the row; `None` for histograms.
    pub row: Option<String>,
}

impl HeatData {
    /// Puts the arrays of a reply in place; `take` gives the array of an index.
    pub fn new(reply: HeatColumns, take: impl Fn(ArrayIndex) -> Vec<f64>) -> Self {
        let pairs = |a, b| take(a).into_iter().zip(take(b)).collect();
        Self {
            key: reply.key,
            logged: pairs(reply.first, reply.last),
            edges: pairs(reply.from, reply.to),
            bins: take(reply.bins),
            shares: take(reply.shares),
            histograms: reply.histograms,
            rows: reply.rows,
            row_ranges: reply.row_ranges,
        }
    }

    /// The range of the bins.
    pub fn range(&self) -> Option<Range> {
        Range::new(*self.bins.first()?, *self.bins.last()?)
    }

    /// Names of rows at their places on the y axis.
    pub fn names(&self) -> Vec<Tick> {
        let last_part = |row: &String| row.rsplit('/').next().unwrap_or(row).to_owned();
        let rows = self.rows.iter().enumerate();
        rows.map(|(index, row)| Tick { value: index as f64 + 0.5, label: last_part(row) }).collect()
    }

    /// What the colours stand for: the words before them, their light and their dark end.
    pub fn scale(&self) -> (&'static str, String, String) {
        if self.rows.is_empty() {
            return ("share of the values of a step", "0".to_owned(), percent_to(self.largest(), 1));
        }
        match self.row_ranges.split_first() {
            Some(((low, high), rest)) if rest.iter().all(|range| range == &(*low, *high)) => {
                ("value", number(*low), number(*high))
            }
            _ => ("scaled per metric", "lowest".to_owned(), "highest".to_owned()),
        }
    }

    /// The largest share: the dark or bright end of the colours.
    fn largest(&self) -> f64 {
        if self.rows.is_empty() { self.shares.iter().copied().fold(0.0, f64::max) } else { 1.0 }
    }

    /// The cells that hold anything. Neighbours of one colour in a column are one cell.
    pub fn cells(&self, theme: &Theme) -> Vec<ChartCell> {
        let largest = self.largest();
        let mut cells: Vec<ChartCell> = Vec::new();
        for (shares, x) in self.columns().zip(&self.edges) {
            for (share, y) in shares.iter().zip(self.bins()) {
                let is_empty = share.is_nan() || (self.rows.is_empty() && *share <= 0.0);
                if is_empty {
                    continue;
                }
                let color = theme.heat_color(share / largest);
                match cells.last_mut().filter(|below| below.x == *x && below.y.1 == y.0 && below.color == color) {
                    Some(below) => below.y.1 = y.1,
                    None => cells.push(ChartCell { x: *x, y, color }),
                }
            }
        }
        cells
    }

    /// The cell of the column nearest to `x` that holds `y`; its fullest bin without a `y`.
    pub fn reading(&self, x: f64, y: Option<f64>) -> Option<HeatReading> {
        let away = |(first, last): &(f64, f64)| (x - (first / 2.0 + last / 2.0)).abs();
        let columns = self.logged.iter().enumerate();
        let (column, _) = columns.min_by(|(_, a), (_, b)| away(a).total_cmp(&away(b)))?;
        self.reading_of(column, y)
    }

    /// The fullest bin of at most `most` columns, evenly spread, the first and the last one included.
    pub fn sample(&self, most: usize) -> Vec<HeatReading> {
        let count = self.logged.len();
        let stride = count.div_ceil(most.max(1)).max(1);
        let is_wanted = |column: &usize| column.is_multiple_of(stride) || *column + 1 == count;
        (0..count).filter(is_wanted).filter_map(|column| self.reading_of(column, None)).collect()
    }

    /// Every cell, column after column.
    pub fn readings(&self) -> impl Iterator<Item = HeatReading> {
        self.columns().zip(&self.logged).flat_map(|(shares, logged)| {
            let cells = shares.iter().zip(self.bins()).enumerate();
            cells.map(|(row, (share, bin))| self.cell(row, *logged, bin, *share))
        })
    }

    /// The picture in one sentence.
    pub fn sentence(&self, kind: XKind) -> String {
        let ends = self.reading_of(0, None).zip(self.reading_of(self.logged.len().saturating_sub(1), None));
        let is_rows = !self.rows.is_empty();
        let count = match is_rows {
            true => format!("{}, {}", counted(self.rows.len(), "row"), counted(self.histograms as usize, "point")),
            false => counted(self.histograms as usize, "histogram"),
        };
        let Some((first, last)) = ends else { return format!("{}: {count}", self.key) };
        let described = |reading: HeatReading| format!("{}, at {}", reading.words(), reading.position_text(kind));
        let most = if is_rows { "highest" } else { "fullest bin" };
        format!("{}: {count}; {most} at first {}; at last {}", self.key, described(first), described(last))
    }

    fn reading_of(&self, column: usize, y: Option<f64>) -> Option<HeatReading> {
        let cells = || self.columns().nth(column).into_iter().flatten().copied().zip(self.bins()).enumerate();
        let (row, (share, bin)) = match y {
            Some(y) => cells().find(|(_, (_, (low, high)))| y >= *low && y <= *high)?,
            None => cells().reduce(|most, next| if next.1.0 > most.1.0 { next } else { most })?,
        };
        Some(self.cell(row, *self.logged.get(column)?, bin, share))
    }

    fn cell(&self, row: usize, logged: (f64, f64), bin: (f64, f64), share: f64) -> HeatReading {
        let (low, high) = self.row_ranges.get(row).copied().unwrap_or_default();
        match self.rows.get(row) {
            Some(name) => HeatReading { logged, bin, share: low + (high - low) * share, row: Some(name.clone()) },
            None => HeatReading { logged, bin, share, row: None },
        }
    }

    fn columns(&self) -> impl Iterator<Item = &[f64]> {
        self.shares.chunks(self.bins.len().saturating_sub(1).max(1))
    }

    fn bins(&self) -> impl Iterator<Item = (f64, f64)> {
        self.bins.iter().copied().zip(self.bins.iter().copied().skip(1))
    }
}

impl HeatReading {
    /// The bin and its share, or the metric and its value: `0.5 to 0.6: 32.0 %`.
    pub fn words(&self) -> String {
        if let Some(row) = &self.row {
            return format!("{row}: {}", number(self.share));
        }
        format!("{} to {}: {}", number(self.bin.0), number(self.bin.1), percent_to(self.share, 1))
    }

    /// Where it was logged: `step 5`, or `step 5 to step 9`.
    pub fn position_text(&self, kind: XKind) -> String {
        let (first, last) = self.logged;
        let from = position(first, kind);
        if last > first { format!("{from} to {}", position(last, kind)) } else { from }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two columns, at steps 0 and 10 to 20, on three bins.
    fn data() -> HeatData {
        HeatData {
            key: "h".into(),
            logged: vec![(0.0, 0.0), (10.0, 20.0)],
            edges: vec![(-5.0, 5.0), (5.0, 25.0)],
            bins: vec![0.0, 1.0, 2.0, 4.0],
            shares: vec![0.2, 0.8, 0.0, 0.5, 0.5, 0.0],
            histograms: 3,
            ..HeatData::default()
        }
    }

    #[test]
    fn rows_of_metrics_have_names_and_values() {
        let rows = HeatData { rows: ["rubric/a", "rubric/b", "c"].map(str::to_owned).to_vec(), ..data() };
        let rows = HeatData { row_ranges: vec![(10.0, 20.0); 3], bins: vec![0.0, 1.0, 2.0, 3.0], ..rows };
        assert_eq!(rows.reading(0.0, Some(1.5)).unwrap().words(), "rubric/b: 18");
        assert_eq!(rows.names().iter().map(|name| name.label.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(rows.scale(), ("value", "10".to_owned(), "20".to_owned()));
        let mixed = HeatData { row_ranges: vec![(10.0, 20.0), (0.0, 1.0), (0.0, 2.0)], ..rows.clone() };
        assert_eq!(mixed.scale().0, "scaled per metric");
        assert_eq!(mixed.reading(0.0, Some(1.5)).unwrap().words(), "rubric/b: 0.8");
        assert_eq!(rows.cells(&Theme::LIGHT).last().unwrap().y.1, 3.0, "the least value is drawn too");
        assert!(rows.sentence(XKind::Number).starts_with("h: 3 rows, 3 points; highest at first rubric/b: 18"));
    }

    #[test]
    fn what_lies_under_the_pointer_is_a_bin_of_the_nearest_column() {
        let data = data();
        let low = data.reading(3.0, Some(0.5)).unwrap();
        assert_eq!((low.logged, low.bin, low.share), ((0.0, 0.0), (0.0, 1.0), 0.2));
        assert_eq!(low.words(), "0 to 1: 20.0 %");
        let late = data.reading(100.0, Some(3.0)).unwrap();
        assert_eq!(
            (late.bin, late.share, late.position_text(XKind::Number)),
            ((2.0, 4.0), 0.0, "step 10 to step 20".into())
        );
        assert_eq!(data.reading(0.0, Some(9.0)), None, "above all bins");
        assert_eq!(data.reading(0.0, None).unwrap().bin, (1.0, 2.0), "the fullest bin");
        assert_eq!(HeatData::default().reading(0.0, None), None);
    }

    #[test]
    fn empty_bins_are_not_drawn_and_equal_neighbours_are_one_cell() {
        let cells = data().cells(&Theme::LIGHT);
        let places: Vec<_> = cells.iter().map(|cell| (cell.x, cell.y)).collect();
        assert_eq!(places, [((-5.0, 5.0), (0.0, 1.0)), ((-5.0, 5.0), (1.0, 2.0)), ((5.0, 25.0), (0.0, 2.0))]);
        assert_eq!(cells[1].color, Theme::LIGHT.heat[9]);
        assert_ne!(cells[0].color, cells[1].color);
        assert!(HeatData::default().cells(&Theme::DARK).is_empty());
    }

    #[test]
    fn the_picture_has_a_sentence_and_a_sample() {
        assert_eq!(
            data().sentence(XKind::Number),
            "h: 3 histograms; fullest bin at first 1 to 2: 80.0 %, at step 0; at last 0 to 1: 50.0 %, at step 10 to step 20"
        );
        assert_eq!(data().sample(1).len(), 2);
        assert_eq!(HeatData::default().sentence(XKind::Number), ": 0 histograms");
    }

    #[test]
    fn arrays_of_different_lengths_give_what_there_is() {
        let reply = HeatColumns { key: "h".into(), from: 9, to: 9, bins: 1, histograms: 2, ..HeatColumns::default() };
        let arrays = [vec![1.0, 2.0, 3.0], vec![0.0, 1.0, 2.0]];
        let data = HeatData::new(reply, |index| arrays.get(index as usize).cloned().unwrap_or_default());
        assert!(data.cells(&Theme::LIGHT).is_empty());
        assert_eq!(data.reading(3.0, None), None, "the column has no cells");
        assert_eq!(data.reading(2.0, None).unwrap().share, 3.0);
    }
}
