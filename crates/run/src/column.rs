//! A metric as it was logged; [`super::Series`] is how it is read.
//!
//! W&B rows are sparse: different keys are logged in different rows. A column therefore keeps, beside its
//! values, only the rows that they came from (8 bytes a point, 12 where rows are missing); the steps and times of all
//! rows are kept once per run. Choosing another x axis is then free, and a series is made when it is looked at.

use serde::{Deserialize, Serialize, Serializer};

use super::list::{self, List};
use super::row_numbers::{KeptRows, RowNumbers};
use rundown_format::exact;

/// The logged values of one key, in the order of logging.
///
/// Columns are most of what a run takes in memory. After [`Column::share`] a clone takes nothing, until it or this one
/// changes.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(from = "ColumnJson")]
pub struct Column {
    rows: KeptRows,
    values: List<f64>,
    quantum: Option<f64>,
}

/// True when both hold the same, NaN by NaN.
impl PartialEq for Column {
    fn eq(&self, other: &Self) -> bool {
        self.quantum == other.quantum
            && self.rows == other.rows
            && (self.values.is_shared_with(&other.values) || list::is_same(&self.values, &other.values))
    }
}

/// A column as a file is to hold it.
#[derive(Serialize)]
struct WrittenColumn<'c> {
    rows: RowNumbers<'c>,
    #[serde(serialize_with = "exact::list::serialize")]
    values: &'c [f64],
    #[serde(skip_serializing_if = "Option::is_none")]
    quantum: Option<f64>,
}

impl Serialize for Column {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WrittenColumn { rows: self.rows(), values: &self.values, quantum: self.quantum }.serialize(serializer)
    }
}

/// A column as a file holds it, whose lists may differ in length.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ColumnJson {
    rows: Vec<u32>,
    #[serde(with = "exact::list")]
    values: Vec<f64>,
    quantum: Option<f64>,
}

impl From<ColumnJson> for Column {
    fn from(mut json: ColumnJson) -> Self {
        let points = json.rows.len().min(json.values.len());
        json.rows.truncate(points);
        json.values.truncate(points);
        json.values.shrink_to_fit();
        let mut rows = KeptRows::default();
        rows.append(0, RowNumbers::List(&json.rows));
        Self { rows, values: json.values.into(), quantum: json.quantum }
    }
}

/// The points of rows in their order.
impl FromIterator<(u32, f64)> for Column {
    fn from_iter<P: IntoIterator<Item = (u32, f64)>>(points: P) -> Self {
        let mut column = Column::default();
        points.into_iter().for_each(|(row, value)| column.push(row, value));
        column
    }
}

impl Column {
    /// Adds a value that was logged in row `row` (0-based, in the order of logging). Non-finite values are kept.
    #[inline]
    pub fn push(&mut self, row: u32, value: f64) {
        let values = self.values.own();
        self.rows.push(values.len(), row);
        values.push(value);
    }

    /// Adds values and the rows in which they were logged. If the two differ in number, the excess is dropped.
    pub fn append_rows(&mut self, rows: RowNumbers<'_>, values: impl IntoIterator<Item = f64>) {
        let own = self.values.own();
        let before = own.len();
        own.extend(values.into_iter().take(rows.len()));
        self.rows.append(before, rows.up_to(own.len() - before));
    }

    /// Adds values of rows in any order, sorted by row.
    pub fn extend_unordered(&mut self, mut points: Vec<(u32, f64)>) {
        points.sort_by_key(|(row, _)| *row);
        points.into_iter().for_each(|(row, value)| self.push(row, value));
    }

    /// Number of values that fit without new memory.
    pub fn capacity(&self) -> usize {
        let values = self.values.capacity();
        self.rows.capacity().map_or(values, |rows| rows.min(values))
    }

    /// Bytes of memory that the points take.
    pub fn bytes(&self) -> u64 {
        (self.rows.bytes() + self.len() * size_of::<f64>()) as u64
    }

    /// Makes room for `len` values in all, and for no more: growing by itself, a column takes up to three times its
    /// size while it moves. Without the memory nothing happens.
    pub fn make_room(&mut self, len: usize) {
        self.rows.make_room(len);
        let values = self.values.own();
        let _ = values.try_reserve_exact(len.saturating_sub(values.len()));
    }

    /// Drops the values behind the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.rows.truncate(len);
        self.values.own().truncate(len);
    }

    /// Gives back the room that is not used.
    pub fn shrink_to_fit(&mut self) {
        self.rows.shrink_to_fit();
        self.values.own().shrink_to_fit();
    }

    /// Lets clones from now on hold the same points as this column.
    pub(crate) fn share(&mut self) {
        self.rows.share();
        self.values.share();
    }

    /// Row numbers, one for each value.
    #[inline]
    pub fn rows(&self) -> RowNumbers<'_> {
        self.rows.of(self.values.len())
    }

    /// Values in the order of logging.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Number of logged values, non-finite ones included.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True when nothing was logged.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The value logged last, whatever it is.
    pub fn last(&self) -> Option<f64> {
        self.values.last().copied()
    }

    /// How many values are NaN or infinite.
    pub fn nonfinite(&self) -> usize {
        self.values.iter().filter(|value| !value.is_finite()).count()
    }

    /// The resolution at which the source printed the values, where it rounds all of them alike (0.001 for three
    /// decimals).
    pub fn quantum(&self) -> Option<f64> {
        self.quantum
    }

    /// Says that the source rounded the values to multiples of `quantum`.
    pub fn set_quantum(&mut self, quantum: f64) {
        self.quantum = Some(quantum);
    }

    /// The value in a row that has one.
    pub fn value_in(&self, row: u32) -> Option<f64> {
        self.values.get(self.rows().place_of(row)?).copied()
    }

    /// Row and value of each point.
    pub fn points(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.rows().iter().zip(self.values.iter().copied())
    }

    /// Adds every point of `other`, its row numbers moved up by `offset`.
    pub fn append(&mut self, other: &Column, offset: u32) {
        let own = self.values.own();
        match other.rows() {
            RowNumbers::Range { first, len } => {
                self.rows.append(own.len(), RowNumbers::Range { first: first.saturating_add(offset), len });
            }
            RowNumbers::List(rows) => {
                let moved: Vec<u32> = rows.iter().map(|row| row.saturating_add(offset)).collect();
                self.rows.append(own.len(), RowNumbers::List(&moved));
            }
        }
        own.extend_from_slice(&other.values);
        // Of two resolutions the coarser one holds for the whole.
        self.quantum = self.quantum.into_iter().chain(other.quantum).reduce(f64::max);
    }
}

/// The lowest and the highest value behind each point of a metric, where the source drew a bucket of rows or a group
/// of runs as one point.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Band {
    /// Lowest values, in rows of the run.
    pub low: Column,
    /// Highest values, in rows of the run.
    pub high: Column,
}
