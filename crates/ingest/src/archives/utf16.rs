//! UTF-16 around any text file: PowerShell's `>` and Excel write it. What is in it is read as if it were UTF-8.
//!
//! The standard library decodes (`char::decode_utf16`); this file cuts pushed slices into units, and joins units and pairs
//! that a slice cuts apart. `encoding_rs` would do so too, and brings the tables of forty encodings.

use super::pending::Pending;
use super::{ArchiveMember, OpenMember, STEP};
use crate::budget::FileBudget;
use crate::reader::FileOutcome;

/// True when the first bytes are the mark of UTF-16, and not that of UTF-32.
pub(crate) fn is_marked(head: &[u8]) -> bool {
    (head.starts_with(b"\xff\xfe") && !head.starts_with(b"\xff\xfe\0\0")) || head.starts_with(b"\xfe\xff")
}

/// Decodes and passes on. Halves of pairs that stand alone become U+FFFD.
pub(crate) struct Utf16 {
    input: Pending,
    inner: Box<dyn ArchiveMember>,
    /// The byte order, known from the mark.
    is_big: Option<bool>,
    /// First byte of a unit whose second is still to come.
    half: Option<u8>,
    /// First unit of a pair whose second is still to come.
    high: Option<u16>,
}

impl Utf16 {
    pub(crate) fn new(path: &str, budget: &FileBudget, open: OpenMember) -> Self {
        let inner = open(path.to_owned(), budget.inside());
        Self { input: Pending::default(), inner, is_big: None, half: None, high: None }
    }

    fn unit(&mut self, first: u8, second: u8, text: &mut String) {
        let Some(is_big) = self.is_big else {
            self.is_big = Some(first == 0xfe);
            return;
        };
        let unit = if is_big { u16::from_be_bytes([first, second]) } else { u16::from_le_bytes([first, second]) };
        let units = self.high.take().into_iter().chain([unit]);
        if (0xd800..0xdc00).contains(&unit) {
            // A high half that follows a high half leaves the first one alone.
            text.extend(units.take_while(|earlier| *earlier != unit).map(|_| '\u{fffd}'));
            self.high = Some(unit);
            return;
        }
        text.extend(char::decode_utf16(units).map(|unit| unit.unwrap_or('\u{fffd}')));
    }
}

impl ArchiveMember for Utf16 {
    fn wants_bytes(&self) -> bool {
        self.inner.wants_bytes()
    }

    fn begin(&mut self, bytes: &[u8]) {
        if self.wants_bytes() {
            self.input.add(bytes);
        }
    }

    fn work(&mut self) -> bool {
        if self.inner.work() {
            return true;
        }
        if !self.inner.wants_bytes() {
            self.input.clear();
        }
        if self.input.is_empty() {
            return false;
        }
        let input = std::mem::take(&mut self.input);
        let step = input.first(STEP / 2);
        let mut text = String::with_capacity(step.len());
        for byte in step {
            match self.half.take() {
                None => self.half = Some(*byte),
                Some(first) => self.unit(first, *byte, &mut text),
            }
        }
        let length = step.len();
        self.input = input;
        self.input.consume(length);
        self.inner.begin(text.as_bytes());
        true
    }

    fn finish(mut self: Box<Self>, is_stopped: bool) -> FileOutcome {
        while self.work() {}
        if !is_stopped && (self.half.is_some() || self.high.is_some()) {
            self.inner.begin("\u{fffd}".as_bytes());
        }
        self.inner.finish(is_stopped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open;
    use rundown_run::FileFormat;

    fn encoded(text: &str, is_big: bool) -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(|unit| if is_big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    }

    #[test]
    fn both_orders_are_read_in_any_slices() {
        let text = "step,loss,\u{1f600}\r\n1,0.5,2\r\n2,0.25,3\r\n";
        for is_big in [false, true] {
            for slice in [1, 3, 1000] {
                let bytes = encoded(text, is_big);
                let mut file = open("x.csv", bytes.len() as u64);
                bytes.chunks(slice).for_each(|part| file.push(part));
                let outcome = file.finish();
                let run = &outcome.parts[0].run;
                assert_eq!(run.columns["loss"].values(), [0.5, 0.25]);
                assert_eq!(run.columns["\u{1f600}"].values(), [2.0, 3.0]);
            }
        }
    }

    #[test]
    fn damage_and_other_files_do_no_harm() {
        let mut bytes = b"\xff\xfe".to_vec();
        for unit in [0xd800_u16, 0xd800, 0xdc00, 0xdc00, 0x41] {
            bytes.extend(unit.to_le_bytes());
        }
        bytes.push(7);
        let mut file = open("x.bin2", bytes.len() as u64);
        file.push(&bytes);
        assert_eq!(file.finish().format, FileFormat::Unknown);
        assert!(!is_marked(b"\xff\xfe\0\0"));
    }
}
