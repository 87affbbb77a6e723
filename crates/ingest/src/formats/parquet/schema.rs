//! The columns of a Parquet file: a tree of nodes, of which the leaves hold values.

use super::thrift::{Thrift, ThriftKind};
use super::{ParquetError, Result};
use crate::budget::COLUMN_NAME;

/// Columns within columns that are still followed.
const MAX_DEPTH: u8 = 64;

/// One column of plain values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Leaf {
    /// Dotted name, without the levels that only make lists.
    pub(super) name: String,
    pub(super) physical: Physical,
    pub(super) meaning: LeafMeaning,
    /// Bytes of a value of fixed length.
    pub(super) length: usize,
    /// Definition level of a value that is there.
    pub(super) max_definition: u16,
    /// 0 for a column with one value in each row.
    pub(super) max_repetition: u16,
}

/// How values are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Physical {
    Boolean,
    Int32,
    Int64,
    Int96,
    Float,
    Double,
    Bytes,
    FixedBytes,
}

/// What stored values mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum LeafMeaning {
    /// A number as it stands.
    Number,
    Unsigned,
    /// Units of this size: decimals, and times that become Unix seconds.
    Divided(f64),
    /// Days since 1970, to become Unix seconds.
    Days,
    /// A float of 16 bits.
    Half,
    Text,
    /// Nothing that is read, such as a map or a picture.
    Opaque,
}

/// The leaves below the root, which is the first node.
pub(super) fn leaves(elements: Vec<Element>) -> Result<Vec<Leaf>> {
    let mut schema = Schema { elements: elements.into_iter(), leaves: Vec::new() };
    let root = schema.elements.next().ok_or(ParquetError::Malformed)?;
    for _ in 0..root.children {
        schema.walk(&Above::default(), MAX_DEPTH)?;
    }
    Ok(schema.leaves)
}

/// One node of the schema, which is a tree written in depth-first order.
#[derive(Debug, Default, Clone)]
pub(super) struct Element {
    physical: Option<i64>,
    length: i64,
    repetition: i64,
    name: String,
    children: i64,
    converted: Option<i64>,
    scale: i64,
    logical: Logical,
}

/// The newer annotations, as far as they matter.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum Logical {
    #[default]
    None,
    List,
    Map,
    Text,
    Decimal,
    Date,
    Timestamp(f64),
    Unsigned,
    Half,
    Other,
}

impl Element {
    /// Reads one node.
    pub(super) fn read(thrift: &mut Thrift<'_>) -> Result<Element> {
        let mut element = Element::default();
        thrift.structure(&mut |thrift, number, kind| {
            match (number, kind) {
                (1, ThriftKind::Integer) => element.physical = Some(thrift.integer()?),
                (2, ThriftKind::Integer) => element.length = thrift.integer()?,
                (3, ThriftKind::Integer) => element.repetition = thrift.integer()?,
                (4, ThriftKind::Bytes) => element.name = String::from_utf8_lossy(thrift.bytes()?).into_owned(),
                (5, ThriftKind::Integer) => element.children = thrift.integer()?,
                (6, ThriftKind::Integer) => element.converted = Some(thrift.integer()?),
                (7, ThriftKind::Integer) => element.scale = thrift.integer()?,
                (10, ThriftKind::Struct) => element.logical = Logical::read(thrift)?,
                _ => thrift.skip(kind)?,
            }
            Ok(())
        })?;
        Ok(element)
    }

    fn is_list(&self) -> bool {
        self.logical == Logical::List || self.converted == Some(3)
    }

    fn is_map(&self) -> bool {
        self.logical == Logical::Map || matches!(self.converted, Some(1 | 2))
    }

    fn is_decimal(&self) -> bool {
        self.logical == Logical::Decimal || self.converted == Some(5)
    }

    fn meaning(&self, physical: Physical) -> LeafMeaning {
        let decimal = || LeafMeaning::Divided(libm::exp10(self.scale.clamp(0, 38) as f64));
        let by_new_name = match self.logical {
            Logical::Text => Some(LeafMeaning::Text),
            Logical::Decimal => Some(decimal()),
            Logical::Date => Some(LeafMeaning::Days),
            Logical::Timestamp(units) => Some(LeafMeaning::Divided(units)),
            Logical::Unsigned => Some(LeafMeaning::Unsigned),
            Logical::Half => Some(LeafMeaning::Half),
            Logical::Other | Logical::List | Logical::Map => Some(LeafMeaning::Opaque),
            Logical::None => None,
        };
        let by_old_name = || match self.converted? {
            0 | 4 | 19 => Some(LeafMeaning::Text),
            5 => Some(decimal()),
            6 => Some(LeafMeaning::Days),
            9 => Some(LeafMeaning::Divided(1e3)),
            10 => Some(LeafMeaning::Divided(1e6)),
            11..=14 => Some(LeafMeaning::Unsigned),
            7 | 8 | 15..=18 => Some(LeafMeaning::Number),
            _ => Some(LeafMeaning::Opaque),
        };
        let by_storage = match physical {
            // Old writers did not mark text.
            Physical::Bytes => LeafMeaning::Text,
            Physical::FixedBytes => LeafMeaning::Opaque,
            _ => LeafMeaning::Number,
        };
        let meaning = by_new_name.or_else(by_old_name).unwrap_or(by_storage);
        let fits = match meaning {
            LeafMeaning::Text => physical == Physical::Bytes,
            LeafMeaning::Half => physical == Physical::FixedBytes && self.length == 2,
            LeafMeaning::Number => !matches!(physical, Physical::Bytes | Physical::FixedBytes),
            LeafMeaning::Unsigned | LeafMeaning::Days => matches!(physical, Physical::Int32 | Physical::Int64),
            LeafMeaning::Divided(_) => {
                matches!(physical, Physical::Int32 | Physical::Int64)
                    || (physical == Physical::FixedBytes && (1..=32).contains(&self.length))
                    || (physical == Physical::Bytes && self.is_decimal())
            }
            LeafMeaning::Opaque => true,
        };
        if fits { meaning } else { LeafMeaning::Opaque }
    }
}

impl Logical {
    /// Reads the union: one field, whose number says what it is.
    fn read(thrift: &mut Thrift<'_>) -> Result<Logical> {
        let mut logical = Logical::None;
        thrift.structure(&mut |thrift, number, kind| {
            logical = match number {
                1 | 4 | 12 => Logical::Text,
                2 => Logical::Map,
                3 => Logical::List,
                5 => Logical::Decimal,
                6 => Logical::Date,
                8 if kind == ThriftKind::Struct => return timestamp(thrift).map(|found| logical = found),
                10 if kind == ThriftKind::Struct => return integer(thrift).map(|found| logical = found),
                15 => Logical::Half,
                // Times of day, and columns without any value.
                7 | 11 => Logical::None,
                _ => Logical::Other,
            };
            thrift.skip(kind)
        })?;
        Ok(logical)
    }
}

fn timestamp(thrift: &mut Thrift<'_>) -> Result<Logical> {
    let mut units = 1e3;
    thrift.structure(&mut |thrift, number, kind| match (number, kind) {
        (2, ThriftKind::Struct) => thrift.structure(&mut |thrift, number, kind| {
            units = match number {
                2 => 1e6,
                3 => 1e9,
                _ => 1e3,
            };
            thrift.skip(kind)
        }),
        _ => thrift.skip(kind),
    })?;
    Ok(Logical::Timestamp(units))
}

fn integer(thrift: &mut Thrift<'_>) -> Result<Logical> {
    let mut is_signed = true;
    thrift.structure(&mut |thrift, number, kind| {
        if let (2, ThriftKind::Bool(value)) = (number, kind) {
            is_signed = value;
        }
        thrift.skip(kind)
    })?;
    Ok(if is_signed { Logical::None } else { Logical::Unsigned })
}

struct Schema {
    elements: std::vec::IntoIter<Element>,
    leaves: Vec<Leaf>,
}

/// What the nodes above a node say about it.
#[derive(Debug, Default, Clone)]
struct Above {
    name: String,
    definition: u16,
    repetition: u16,
    is_in_map: bool,
    /// The node above is a list: this one only repeats.
    is_list: bool,
    /// The node above only repeats: this one is the element.
    is_repeater: bool,
}

impl Schema {
    /// Reads one node and everything below it.
    fn walk(&mut self, above: &Above, depth: u8) -> Result<()> {
        let depth = depth.checked_sub(1).ok_or(ParquetError::Malformed)?;
        let element = self.elements.next().ok_or(ParquetError::Malformed)?;
        let is_repeated = element.repetition == 2;
        let is_nameless = (above.is_list && is_repeated) || above.is_repeater;
        let name = match (is_nameless, above.name.is_empty()) {
            (true, _) => above.name.clone(),
            (false, true) => element.name.clone(),
            (false, false) => format!("{}.{}", above.name, element.name),
        };
        if name.len() > COLUMN_NAME {
            return Err(ParquetError::TooLarge);
        }
        let here = Above {
            name,
            definition: above.definition.saturating_add(u16::from(element.repetition != 0)),
            repetition: above.repetition.saturating_add(u16::from(is_repeated)),
            is_in_map: above.is_in_map || element.is_map(),
            is_list: element.is_list(),
            is_repeater: above.is_list && is_repeated && element.children == 1,
        };
        let Some(physical) = element.physical else {
            for _ in 0..element.children {
                self.walk(&here, depth)?;
            }
            return Ok(());
        };
        let physical = match physical {
            0 => Physical::Boolean,
            1 => Physical::Int32,
            2 => Physical::Int64,
            3 => Physical::Int96,
            4 => Physical::Float,
            5 => Physical::Double,
            6 => Physical::Bytes,
            7 => Physical::FixedBytes,
            _ => return Err(ParquetError::Malformed),
        };
        let meaning = if here.is_in_map { LeafMeaning::Opaque } else { element.meaning(physical) };
        self.leaves.push(Leaf {
            name: here.name,
            physical,
            meaning,
            length: usize::try_from(element.length).unwrap_or(0),
            max_definition: here.definition,
            max_repetition: here.repetition,
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(name: &str, children: i64, repetition: i64, converted: Option<i64>) -> Element {
        Element { name: name.into(), children, repetition, converted, ..Element::default() }
    }

    fn double(name: &str, repetition: i64) -> Element {
        Element { name: name.into(), physical: Some(5), repetition, ..Element::default() }
    }

    #[test]
    fn structures_are_dotted_and_lists_keep_their_own_name() {
        let found = leaves(vec![
            group("schema", 3, 0, None),
            double("loss", 1),
            group("h", 2, 1, None),
            group("values", 1, 1, Some(3)),
            group("list", 1, 2, None),
            double("element", 1),
            double("min", 0),
            group("m", 1, 1, Some(1)),
            group("key_value", 1, 2, None),
            double("value", 1),
        ])
        .unwrap();
        let shapes: Vec<_> =
            found.iter().map(|leaf| (leaf.name.as_str(), leaf.max_definition, leaf.max_repetition)).collect();
        assert_eq!(shapes, [("loss", 1, 0), ("h.values", 4, 1), ("h.min", 1, 0), ("m.key_value.value", 3, 1)]);
        assert_eq!(found[3].meaning, LeafMeaning::Opaque);
    }

    #[test]
    fn a_schema_that_claims_more_nodes_than_it_has_is_malformed() {
        assert!(leaves(vec![group("schema", 2, 0, None), double("a", 0)]).is_err());
        let deep: Vec<Element> = (0..500).map(|_| group("g", 1, 1, None)).collect();
        assert!(leaves(deep).is_err());
    }
}
