//! Tensors, as summaries hold them: numbers of every type, and texts.
//!
//! Field numbers: tensorflow/core/framework/tensor.proto and types.proto.

use crate::ingest::formats::parquet::half;
use crate::ingest::syntax::protobuf::{Fields, Malformed, Payload};

/// Most numbers read of one tensor: histograms have some hundreds.
const MAX_NUMBERS: usize = 1 << 16;

/// A tensor whose fields have been found.
#[derive(Debug, Default)]
pub(super) struct Tensor<'a> {
    kind: u64,
    dimensions: Vec<u64>,
    content: &'a [u8],
    numbers: Vec<f64>,
    /// Texts, where the tensor holds them.
    pub(super) texts: Vec<&'a [u8]>,
}

impl<'a> Tensor<'a> {
    pub(super) fn read(message: &'a [u8]) -> Result<Tensor<'a>, Malformed> {
        let mut tensor = Tensor::default();
        let mut fields = Fields::of(message);
        // The type stands before the values in every writer's output, and half floats need it.
        while let Some((field, payload)) = fields.next()? {
            match (field, payload) {
                (1, Payload::Varint(kind)) => tensor.kind = kind,
                (2, Payload::Bytes(shape)) => tensor.dimensions = dimensions(shape)?,
                (4, Payload::Bytes(content)) => tensor.content = content,
                (8, Payload::Bytes(text)) => tensor.texts.push(text),
                (5 | 6 | 7 | 10 | 11 | 13 | 16 | 17, payload) => tensor.values(field, payload)?,
                _ => {}
            }
        }
        Ok(tensor)
    }

    /// All numbers, or `None` for another type.
    pub(super) fn numbers(&self) -> Option<Vec<f64>> {
        if self.content.is_empty() {
            let is_number = matches!(self.kind, 1..=6 | 9 | 10 | 14 | 17 | 19 | 22 | 23);
            // A writer may leave out a value of zero.
            let is_default = self.numbers.is_empty() && self.dimensions.is_empty();
            let numbers = if is_default { vec![0.0] } else { self.numbers.clone() };
            return is_number.then_some(numbers);
        }
        fn each<const N: usize>(content: &[u8], value: impl Fn([u8; N]) -> f64) -> Vec<f64> {
            content.as_chunks::<N>().0.iter().take(MAX_NUMBERS).map(|bytes| value(*bytes)).collect()
        }
        let content = self.content;
        Some(match self.kind {
            1 => each(content, |bytes| f64::from(f32::from_le_bytes(bytes))),
            2 => each(content, f64::from_le_bytes),
            3 => each(content, |bytes| f64::from(i32::from_le_bytes(bytes))),
            4 | 10 => each(content, |[byte]| f64::from(byte)),
            5 => each(content, |bytes| f64::from(i16::from_le_bytes(bytes))),
            6 => each(content, |[byte]| f64::from(byte as i8)),
            9 => each(content, |bytes| i64::from_le_bytes(bytes) as f64),
            14 => each(content, |bytes| brain_half(u16::from_le_bytes(bytes))),
            17 => each(content, |bytes| f64::from(u16::from_le_bytes(bytes))),
            19 => each(content, |bytes| half(u16::from_le_bytes(bytes))),
            22 => each(content, |bytes| f64::from(u32::from_le_bytes(bytes))),
            23 => each(content, |bytes| u64::from_le_bytes(bytes) as f64),
            _ => return None,
        })
    }

    /// True for one number.
    pub(super) fn is_scalar(&self) -> bool {
        self.dimensions.iter().all(|size| *size == 1)
    }

    /// Values in a field of their type: packed, or one by one.
    fn values(&mut self, field: u32, payload: Payload<'a>) -> Result<(), Malformed> {
        match (field, payload) {
            (5, Payload::Fixed32(bits)) => self.push(f64::from(f32::from_bits(bits))),
            (6, Payload::Fixed64(bits)) => self.push(f64::from_bits(bits)),
            (5, Payload::Bytes(packed)) => {
                packed.as_chunks().0.iter().for_each(|bytes| self.push(f64::from(f32::from_le_bytes(*bytes))));
            }
            (6, Payload::Bytes(packed)) => {
                packed.as_chunks().0.iter().for_each(|bytes| self.push(f64::from_le_bytes(*bytes)));
            }
            (_, Payload::Varint(value)) => self.integer(field, value),
            (_, Payload::Bytes(packed)) => {
                let mut values = Fields::of(packed);
                while let Some(value) = values.varint_or_end()? {
                    self.integer(field, value);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn integer(&mut self, field: u32, value: u64) {
        self.push(match (field, self.kind) {
            (13, 14) => brain_half(value as u16),
            (13, _) => half(value as u16),
            (16 | 17, _) => value as f64,
            _ => value as i64 as f64,
        });
    }

    fn push(&mut self, value: f64) {
        if self.numbers.len() < MAX_NUMBERS {
            self.numbers.push(value);
        }
    }
}

/// Google's float of 16 bits: the upper half of a float of 32.
fn brain_half(bits: u16) -> f64 {
    f64::from(f32::from_bits(u32::from(bits) << 16))
}

fn dimensions(shape: &[u8]) -> Result<Vec<u64>, Malformed> {
    let mut sizes = Vec::new();
    let mut fields = Fields::of(shape);
    while let Some(field) = fields.next()? {
        let (2, Payload::Bytes(dimension)) = field else { continue };
        let mut size = 0;
        let mut members = Fields::of(dimension);
        while let Some(member) = members.next()? {
            if let (1, Payload::Varint(value)) = member {
                size = value;
            }
        }
        sizes.push(size);
    }
    Ok(sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(message: &[u8]) -> Option<Vec<f64>> {
        Tensor::read(message).unwrap().numbers()
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
        let tensor = Tensor::read(&message).unwrap();
        assert_eq!((tensor.numbers(), tensor.texts.first().copied()), (None, Some(&b"hi"[..])));
    }
}
