//! Numbers of tensors, of every type that summaries use.

use super::messages::{DataType, TensorMessage};
use crate::formats::parquet::half;

/// Most numbers read of one tensor: histograms have some hundreds.
const MAX_NUMBERS: usize = 1 << 16;

impl TensorMessage {
    /// All numbers, or `None` for a type without numbers.
    pub(super) fn numbers(&self) -> Option<Vec<f64>> {
        if self.content.is_empty() { self.listed_numbers() } else { self.packed_numbers() }
    }

    /// True for one number.
    pub(super) fn is_scalar(&self) -> bool {
        self.shape.iter().flat_map(|shape| &shape.dimensions).all(|dimension| dimension.size == 1)
    }

    /// The numbers in the list of their type.
    fn listed_numbers(&self) -> Option<Vec<f64>> {
        let mut numbers = match self.dtype() {
            DataType::Float => each(&self.float_values, |value| f64::from(*value)),
            DataType::Double => each(&self.double_values, |value| *value),
            DataType::Int32 | DataType::Uint8 | DataType::Int16 | DataType::Int8 | DataType::Uint16 => {
                each(&self.int_values, |value| f64::from(*value))
            }
            DataType::Int64 => each(&self.int64_values, |value| *value as f64),
            DataType::Bool => each(&self.bool_values, |value| f64::from(u8::from(*value))),
            DataType::Bfloat16 => each(&self.half_values, |bits| bfloat16(*bits as u16)),
            DataType::Half => each(&self.half_values, |bits| half(*bits as u16)),
            DataType::Uint32 => each(&self.uint32_values, |value| f64::from(*value)),
            DataType::Uint64 => each(&self.uint64_values, |value| *value as f64),
            DataType::Invalid | DataType::String => return None,
        };
        // A writer may leave out a value of zero.
        if numbers.is_empty() && self.shape.as_ref().is_none_or(|shape| shape.dimensions.is_empty()) {
            numbers.push(0.0);
        }
        Some(numbers)
    }

    /// The numbers in the tensor's memory, little endian.
    fn packed_numbers(&self) -> Option<Vec<f64>> {
        fn values<const N: usize>(content: &[u8], value: impl Fn([u8; N]) -> f64) -> Vec<f64> {
            each(content.as_chunks::<N>().0, |bytes| value(*bytes))
        }
        let content = &self.content;
        Some(match self.dtype() {
            DataType::Float => values(content, |bytes| f64::from(f32::from_le_bytes(bytes))),
            DataType::Double => values(content, f64::from_le_bytes),
            DataType::Int32 => values(content, |bytes| f64::from(i32::from_le_bytes(bytes))),
            DataType::Uint8 | DataType::Bool => values(content, |[byte]| f64::from(byte)),
            DataType::Int16 => values(content, |bytes| f64::from(i16::from_le_bytes(bytes))),
            DataType::Int8 => values(content, |[byte]| f64::from(byte as i8)),
            DataType::Int64 => values(content, |bytes| i64::from_le_bytes(bytes) as f64),
            DataType::Bfloat16 => values(content, |bytes| bfloat16(u16::from_le_bytes(bytes))),
            DataType::Uint16 => values(content, |bytes| f64::from(u16::from_le_bytes(bytes))),
            DataType::Half => values(content, |bytes| half(u16::from_le_bytes(bytes))),
            DataType::Uint32 => values(content, |bytes| f64::from(u32::from_le_bytes(bytes))),
            DataType::Uint64 => values(content, |bytes| u64::from_le_bytes(bytes) as f64),
            DataType::Invalid | DataType::String => return None,
        })
    }
}

fn each<T>(values: &[T], value: impl Fn(&T) -> f64) -> Vec<f64> {
    values.iter().take(MAX_NUMBERS).map(value).collect()
}

/// bfloat16: the upper half of a float of 32 bits.
fn bfloat16(bits: u16) -> f64 {
    f64::from(f32::from_bits(u32::from(bits) << 16))
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::*;

    fn numbers(message: &[u8]) -> Option<Vec<f64>> {
        TensorMessage::decode(message).unwrap().numbers()
    }

    #[test]
    fn every_type_gives_its_number() {
        let float = [&[8, 1, 0x2A, 4][..], &1.5_f32.to_le_bytes()].concat();
        assert_eq!(numbers(&float), Some(vec![1.5]));
        let unpacked = [&[8, 1, 0x2D][..], &1.5_f32.to_le_bytes()].concat();
        assert_eq!(numbers(&unpacked), Some(vec![1.5]));
        let content = [&[8, 2, 0x22, 8][..], &(-2.5_f64).to_le_bytes()].concat();
        assert_eq!(numbers(&content), Some(vec![-2.5]));
        assert_eq!(numbers(&[8, 3, 0x3A, 1, 5]), Some(vec![5.0]));
        assert_eq!(numbers(&[8, 9, 0x50, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]), Some(vec![-1.0]));
        assert_eq!(numbers(&[8, 14, 0x6A, 3, 0x80, 0x7F, 0]), Some(vec![1.0, 0.0]));
        assert_eq!(numbers(&[8, 14, 0x22, 2, 0x80, 0x3F]), Some(vec![1.0]));
        assert_eq!(numbers(&[8, 19, 0x22, 2, 0x00, 0x3C]), Some(vec![1.0]));
        assert_eq!(numbers(&[8, 10, 0x58, 1]), Some(vec![1.0]));
        assert_eq!(numbers(&[8, 1]), Some(vec![0.0]), "a value of zero may be left out");
    }

    #[test]
    fn texts_are_no_numbers() {
        let message = [8, 7, 0x42, 2, b'h', b'i'];
        let tensor = TensorMessage::decode(&message[..]).unwrap();
        assert_eq!((tensor.numbers(), tensor.string_values), (None, vec![b"hi".to_vec()]));
    }
}
