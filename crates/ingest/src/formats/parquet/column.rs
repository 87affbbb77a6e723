//! One column of a Parquet file: its pages in all row groups, put together.
//!
//! A damaged page costs the rows that it holds, or the rest of its row group where that cannot be known.

use std::rc::Rc;

use super::bits::{hybrid, old_bit_packed, repeated};
use super::blocks::FileBlocks;
use super::codec::unpack;
use super::footer::{Chunk, Footer};
use super::page_header::PageHeader;
use super::schema::Leaf;
use super::thrift::Thrift;
use super::values::{Values, decode, plain_doubles};
use super::{ParquetError, Result};
use crate::budget::VALUE_BYTES;
use rundown_run::{Column, RowNumbers};

/// A column of the table: values with the rows that hold them. A row of a list column holds several.
#[derive(Debug, Clone)]
pub(super) struct TableColumn {
    pub(super) name: String,
    pub(super) is_list: bool,
    pub(super) content: ColumnContent,
}

/// The values of a column. Rows ascend.
#[derive(Debug, Clone)]
pub(super) enum ColumnContent {
    Numbers(Column),
    Texts(Vec<(u32, Rc<str>)>),
}

impl TableColumn {
    /// The last row that holds something.
    pub(super) fn last_row(&self) -> Option<u32> {
        match &self.content {
            ColumnContent::Numbers(column) => column.rows().last(),
            ColumnContent::Texts(texts) => texts.last().map(|(row, _)| *row),
        }
    }
}

/// What may still be done for a file: a few bytes can claim billions of empty rows.
#[derive(Debug)]
pub(super) struct ColumnBudget {
    /// Cells looked at, empty ones included.
    pub(super) cells: u64,
    /// Bytes of memory for values and texts.
    pub(super) bytes: u64,
}

impl ColumnBudget {
    fn keep(&mut self, bytes: u64) -> Result<()> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or(ParquetError::TooLarge)?;
        Ok(())
    }
}

/// Entries of one page, empty ones included: their levels stand in memory beside the values. Writers put some ten
/// thousand into one.
const MAX_ENTRIES: usize = 1 << 23;

/// Reads the column of one leaf. The second part says what was damaged, by byte offset.
pub(super) fn read(
    file: &mut FileBlocks,
    footer: &Footer,
    index: usize,
    leaf: &Leaf,
    budget: &mut ColumnBudget,
) -> (TableColumn, Option<(u64, ParquetError)>) {
    let mut out =
        Out { first_row: 0, rows: 0, rows_seen: 0, foreseen: foreseen(file, footer, index), content: None, budget };
    let mut damage = None;
    for group in &footer.groups {
        out.rows = u32::try_from(group.rows).unwrap_or(u32::MAX);
        out.rows_seen = 0;
        let mut at = group.chunks.get(index).map_or(0, |chunk| chunk.start);
        let read = match group.chunks.get(index) {
            Some(chunk) if chunk.is_encrypted => Err(ParquetError::Encrypted),
            Some(chunk) => read_chunk(file, chunk, leaf, &mut out, &mut at, &mut damage),
            None => Err(ParquetError::Malformed),
        };
        if let Some(chunk) = group.chunks.get(index) {
            file.release(chunk.bytes());
        }
        // Pages that hold fewer rows than the table says are damaged, though each of them can be read.
        let counted = read.and(if out.rows_seen == out.rows { Ok(()) } else { Err(ParquetError::Malformed) });
        if let Err(error) = counted {
            damage.get_or_insert((at, error));
        }
        out.first_row = out.first_row.saturating_add(out.rows);
    }
    let mut content = out.content.unwrap_or(ColumnContent::Numbers(Column::default()));
    if let ColumnContent::Numbers(column) = &mut content {
        column.shrink_to_fit();
    }
    (TableColumn { name: leaf.name.clone(), is_list: leaf.max_repetition > 0, content }, damage)
}

/// Values that a column probably has. A footer can claim any number of rows; a chunk has a value for each few bytes.
fn foreseen(file: &FileBlocks, footer: &Footer, index: usize) -> usize {
    let rows = footer.groups.iter().fold(0_u64, |sum, group| sum.saturating_add(group.rows));
    let packed = footer.chunks(index).fold(0_u64, |sum, chunk| sum.saturating_add(chunk.length)).min(file.len() as u64);
    usize::try_from(rows.min(packed / 4)).unwrap_or(0)
}

/// Where the values of a column go.
struct Out<'b> {
    /// Row of the table at which the row group begins.
    first_row: u32,
    /// Rows of the row group.
    rows: u32,
    /// Rows of it that began so far.
    rows_seen: u32,
    /// Values for which there is room from the start.
    foreseen: usize,
    content: Option<ColumnContent>,
    budget: &'b mut ColumnBudget,
}

fn read_chunk(
    file: &FileBlocks,
    chunk: &Chunk,
    leaf: &Leaf,
    out: &mut Out<'_>,
    at: &mut u64,
    damage: &mut Option<(u64, ParquetError)>,
) -> Result<()> {
    let bytes = chunk.bytes();
    let end = bytes.end;
    let pages = file.range(bytes).ok_or(ParquetError::Malformed)?;
    let mut rest = &*pages;
    let mut dictionary = None;
    while !rest.is_empty() && out.rows_seen < out.rows {
        *at = (end - rest.len()) as u64;
        let mut thrift = Thrift::new(rest);
        let header = PageHeader::read(&mut thrift)?;
        let (body, after) = thrift.rest().split_at_checked(header.packed).ok_or(ParquetError::Malformed)?;
        rest = after;
        let page = DataPage { header: &header, body, codec: chunk.codec, leaf };
        match header.kind {
            2 => dictionary = Some(page.dictionary(out.budget)?),
            0 | 3 => {
                let is_flat = leaf.max_repetition == 0;
                match page.data(dictionary.as_ref(), out) {
                    Ok(()) => {}
                    Err(ParquetError::TooLarge) => return Err(ParquetError::TooLarge),
                    // In a flat column the header says how many rows are lost.
                    Err(error) if is_flat => {
                        damage.get_or_insert((*at, error));
                        out.begin_rows(header.values);
                    }
                    Err(error) => return Err(error),
                }
            }
            _ => {}
        }
    }
    Ok(())
}

struct DataPage<'p> {
    header: &'p PageHeader,
    body: &'p [u8],
    codec: i64,
    leaf: &'p Leaf,
}

impl DataPage<'_> {
    fn dictionary(&self, budget: &mut ColumnBudget) -> Result<Values> {
        if self.header.values > MAX_ENTRIES {
            return Err(ParquetError::TooLarge);
        }
        // Before any is made.
        budget.keep(self.header.values as u64 * VALUE_BYTES)?;
        self.check()?;
        let data = unpack(self.codec, self.body, self.header.unpacked)?;
        decode(self.leaf, 0, &data, self.header.values, None)
    }

    fn data(&self, dictionary: Option<&Values>, out: &mut Out<'_>) -> Result<()> {
        let (header, leaf, count) = (self.header, self.leaf, self.header.values);
        let rows_left = (out.rows - out.rows_seen.min(out.rows)) as usize;
        if leaf.max_repetition == 0 && count > rows_left {
            return Err(ParquetError::Malformed);
        }
        let cells = out.budget.cells.checked_sub(count as u64).filter(|_| count <= MAX_ENTRIES);
        out.budget.cells = cells.ok_or(ParquetError::TooLarge)?;
        self.check()?;
        let width = |level: u16| u16::BITS - level.leading_zeros();
        let (repetition, definition) = (width(leaf.max_repetition), width(leaf.max_definition));
        if header.kind == 3 {
            let (levels, body) = self.body.split_at_checked(header.repetition_bytes).ok_or(ParquetError::Malformed)?;
            let repetitions = Levels::read(levels, repetition, count)?;
            let (levels, body) = body.split_at_checked(header.definition_bytes).ok_or(ParquetError::Malformed)?;
            let definitions = Levels::read(levels, definition, count)?;
            let before = header.repetition_bytes + header.definition_bytes;
            let size = header.unpacked.checked_sub(before).ok_or(ParquetError::Malformed)?;
            let codec = if header.is_packed && !body.is_empty() { self.codec } else { 0 };
            return self.values(&unpack(codec, body, size)?, &repetitions, &definitions, dictionary, out);
        }
        let data = unpack(self.codec, self.body, header.unpacked)?;
        let (repetitions, rest) = Levels::first_version(&data, header.repetition_encoding, repetition, count)?;
        let (definitions, rest) = Levels::first_version(rest, header.definition_encoding, definition, count)?;
        self.values(rest, &repetitions, &definitions, dictionary, out)
    }

    /// Checks the page's sum, where its writer left one.
    fn check(&self) -> Result<()> {
        match self.header.crc {
            Some(crc) if crc32fast::hash(self.body) != crc => Err(ParquetError::Malformed),
            _ => Ok(()),
        }
    }

    fn values(
        &self,
        data: &[u8],
        repetitions: &Levels,
        definitions: &Levels,
        dictionary: Option<&Values>,
        out: &mut Out<'_>,
    ) -> Result<()> {
        let (count, max) = (self.header.values, u32::from(self.leaf.max_definition));
        // A list cannot go on from the page or the row group before it.
        if out.rows_seen == 0 && repetitions.get(0) != 0 {
            return Err(ParquetError::Malformed);
        }
        let present = definitions.count_of(max, count);
        let is_row_each = matches!(repetitions, Levels::Same(0));
        if present == 0 && is_row_each {
            out.begin_rows(count);
            return Ok(());
        }
        // Before any is made.
        out.budget.keep(present as u64 * VALUE_BYTES)?;
        if is_row_each && present == count {
            let rows = RowNumbers::Range { first: out.first_row.saturating_add(out.rows_seen), len: present };
            if let Some(doubles) = plain_doubles(self.leaf, self.header.encoding, data, present) {
                out.keep_numbers(rows, doubles?);
            } else {
                out.keep(rows, decode(self.leaf, self.header.encoding, data, present, dictionary)?)?;
            }
            out.begin_rows(count);
            return Ok(());
        }
        let values = decode(self.leaf, self.header.encoding, data, present, dictionary)?;
        let mut rows = Vec::with_capacity(present);
        for place in 0..count {
            if repetitions.get(place) == 0 {
                out.begin_rows(1);
            }
            if definitions.get(place) == max {
                rows.push(out.first_row.saturating_add(out.rows_seen.saturating_sub(1)));
            }
        }
        out.keep(RowNumbers::List(&rows), values)
    }
}

impl Out<'_> {
    fn begin_rows(&mut self, count: usize) {
        self.rows_seen = self.rows_seen.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
    }

    fn keep_numbers(&mut self, rows: RowNumbers<'_>, numbers: impl IntoIterator<Item = f64>) {
        let foreseen = self.foreseen;
        let content = self.content.get_or_insert_with(|| {
            let mut column = Column::default();
            column.make_room(foreseen);
            ColumnContent::Numbers(column)
        });
        if let ColumnContent::Numbers(column) = content {
            column.append_rows(rows, numbers);
        }
    }

    fn keep(&mut self, rows: RowNumbers<'_>, values: Values) -> Result<()> {
        match values {
            Values::Numbers(numbers) => self.keep_numbers(rows, numbers),
            Values::Texts(texts) => {
                let content = self.content.get_or_insert_with(|| ColumnContent::Texts(Vec::new()));
                if let ColumnContent::Texts(kept) = content {
                    for (row, text) in rows.iter().zip(texts) {
                        // A text of a dictionary is shared, but its use in a table of samples is a copy.
                        self.budget.keep((size_of::<(u32, Rc<str>)>() + text.len()) as u64)?;
                        kept.push((row, text));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Levels of the entries of a page.
enum Levels {
    /// The same for all, as in a page without empty cells.
    Same(u32),
    Each(Vec<u32>),
}

impl Levels {
    fn read(data: &[u8], width: u32, count: usize) -> Result<Levels> {
        if width == 0 {
            return Ok(Levels::Same(0));
        }
        match repeated(data, width, count) {
            Some(level) => Ok(Levels::Same(level)),
            None => hybrid(data, width, count).map(Levels::Each),
        }
    }

    /// Levels at the start of a page of the first version, and what follows them.
    fn first_version(data: &[u8], encoding: i64, width: u32, count: usize) -> Result<(Levels, &[u8])> {
        if width == 0 {
            return Ok((Levels::Same(0), data));
        }
        if encoding == 4 {
            let length = count.saturating_mul(width as usize).div_ceil(8);
            let (levels, rest) = data.split_at_checked(length).ok_or(ParquetError::Malformed)?;
            return Ok((Levels::Each(old_bit_packed(levels, width, count)?), rest));
        }
        let (length, rest) = data.split_first_chunk::<4>().ok_or(ParquetError::Malformed)?;
        let length = u32::from_le_bytes(*length) as usize;
        let (levels, rest) = rest.split_at_checked(length).ok_or(ParquetError::Malformed)?;
        Ok((Levels::read(levels, width, count)?, rest))
    }

    fn get(&self, place: usize) -> u32 {
        match self {
            Levels::Same(level) => *level,
            Levels::Each(levels) => levels.get(place).copied().unwrap_or_default(),
        }
    }

    /// How many of the entries have this level.
    fn count_of(&self, level: u32, entries: usize) -> usize {
        match self {
            Levels::Same(found) if *found == level => entries,
            Levels::Same(_) => 0,
            Levels::Each(levels) => levels.iter().filter(|found| **found == level).count(),
        }
    }
}
