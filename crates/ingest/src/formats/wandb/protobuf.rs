//! The protobuf wire format, as far as records of `.wandb` files use it.
//!
//! TensorBoard's and SwanLab's messages are `prost`'s. This reader stays for `.wandb` history, where a message is forty
//! keys and numbers and a file has millions of them: it borrows every key and value from the block, and keys are
//! looked up by their encoded bytes. Over 4,000 rows of 60 metrics (9.7 MB, one core) walking them took 1.6 ms, decoding
//! them into `prost` messages 107 ms (90 MB/s; with `Bytes` for the texts the same), which alone is below the budget of
//! 250 MB/s for the whole reader. A value that is malformed costs itself here, and the whole row in `prost`. Field
//! numbers come from wandb/proto/wandb_internal.proto.

/// The payload of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Payload<'a> {
    Varint(u64),
    Bytes(&'a [u8]),
    /// 32 or 64 bits, which no record that is read uses.
    Fixed,
}

/// A message that ends early or holds what no protobuf writer makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("malformed protobuf")]
pub(crate) struct Malformed;

/// The fields of a message, in the order in which they were written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(crate) fn of(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    /// Bytes not yet read.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Number and payload of the next field, or `None` at the end.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<(u32, Payload<'a>)>, Malformed> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let field = u32::try_from(tag >> 3).map_err(|_| Malformed)?;
        let payload = match tag & 7 {
            0 => Payload::Varint(self.varint()?),
            1 => self.fixed(8)?,
            2 => {
                let length = usize::try_from(self.varint()?).map_err(|_| Malformed)?;
                Payload::Bytes(self.take(length)?)
            }
            5 => self.fixed(4)?,
            _ => return Err(Malformed),
        };
        Ok(Some((field, payload)))
    }

    #[inline]
    fn varint(&mut self) -> Result<u64, Malformed> {
        let (&first, rest) = self.rest.split_first().ok_or(Malformed)?;
        if first < 0x80 {
            self.rest = rest;
            return Ok(u64::from(first));
        }
        self.long_varint()
    }

    fn long_varint(&mut self) -> Result<u64, Malformed> {
        let mut value = 0_u64;
        for (index, byte) in self.rest.iter().take(10).enumerate() {
            value |= u64::from(byte & 0x7F) << (7 * index);
            if *byte < 0x80 {
                self.rest = self.rest.get(index + 1..).unwrap_or_default();
                return Ok(value);
            }
        }
        Err(Malformed)
    }

    fn fixed(&mut self, length: usize) -> Result<Payload<'a>, Malformed> {
        self.take(length).map(|_| Payload::Fixed)
    }

    #[inline]
    fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Malformed)?;
        self.rest = rest;
        Ok(taken)
    }
}

/// A `google.protobuf.Timestamp` in Unix seconds.
pub(crate) fn timestamp(message: &[u8]) -> Result<f64, Malformed> {
    let mut fields = Fields::of(message);
    let (mut seconds, mut nanos) = (0_i64, 0_i64);
    while let Some(field) = fields.next()? {
        match field {
            (1, Payload::Varint(value)) => seconds = value as i64,
            (2, Payload::Varint(value)) => nanos = value as i64,
            _ => {}
        }
    }
    Ok(seconds as f64 + nanos as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_walked_in_order() {
        let mut fields =
            Fields::of(b"\x08\x96\x01\x82\x01\x02hi\x1d\x01\x02\x03\x04\x21\x01\x02\x03\x04\x05\x06\x07\x08");
        assert_eq!(fields.next(), Ok(Some((1, Payload::Varint(150)))));
        assert_eq!(fields.next(), Ok(Some((16, Payload::Bytes(b"hi")))));
        assert_eq!(fields.next(), Ok(Some((3, Payload::Fixed))));
        assert_eq!(fields.next(), Ok(Some((4, Payload::Fixed))));
        assert_eq!(fields.next(), Ok(None));
    }

    #[test]
    fn negative_numbers_take_ten_bytes() {
        let mut fields = Fields::of(b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
        assert_eq!(fields.next(), Ok(Some((1, Payload::Varint(u64::MAX)))));
    }

    #[test]
    fn what_ends_early_is_malformed() {
        let overlong = [0x80; 11];
        for message in [&b"\x08"[..], b"\x08\x80", b"\x0a\x05abc", b"\x0b", b"\x09\x01", &overlong] {
            assert_eq!(Fields::of(message).next(), Err(Malformed), "{message:?}");
        }
    }

    #[test]
    fn timestamps_are_seconds() {
        assert_eq!(timestamp(b"\x08\x0a\x10\x80\xca\xb5\xee\x01"), Ok(10.5));
    }
}
