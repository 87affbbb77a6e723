//! How the numbers and the indentation of a report are written.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

use rundown_format::rounded;

/// Serialises with rounded numbers. Cannot fail for the types of a report; an error would give its text.
pub fn to_string(report: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(
        &mut bytes,
        Rounding { pretty: PrettyFormatter::new(), pending_item: None, is_inline: false },
    );
    if let Err(error) = report.serialize(&mut serializer) {
        return format!("{{\"error\": \"{}\"}}\n", error.to_string().escape_default());
    }
    bytes.push(b'\n');
    String::from_utf8(bytes).unwrap_or_default()
}

/// Pretty printing with numbers of six significant digits, whole ones without a fraction. Numbers of a list stand in
/// one line: a curve would take a hundred.
struct Rounding<'i> {
    pretty: PrettyFormatter<'i>,
    /// A value of a list comes next, and what it is decides where it stands; true for the first one.
    pending_item: Option<bool>,
    /// The list holds numbers, in one line.
    is_inline: bool,
}

impl Rounding<'_> {
    /// Puts a value that is no number of a list in a line of its own.
    fn begin_own_line<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        match self.pending_item.take() {
            Some(is_first) => {
                self.is_inline = false;
                self.pretty.begin_array_value(writer, is_first)
            }
            None => Ok(()),
        }
    }

    /// Puts a number of a list behind the one before it.
    fn join<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        match self.pending_item.take() {
            Some(is_first) => {
                self.is_inline = true;
                if is_first { Ok(()) } else { writer.write_all(b", ") }
            }
            None => Ok(()),
        }
    }
}

/// Whole numbers are written as serde_json writes them.
macro_rules! whole_numbers {
    ($($write:ident $number:ty,)+) => {
        $(fn $write<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: $number) -> io::Result<()> {
            self.join(writer)?;
            self.pretty.$write(writer, value)
        })+
    };
}

impl Formatter for Rounding<'_> {
    whole_numbers! {
        write_i8 i8, write_i16 i16, write_i32 i32, write_i64 i64, write_i128 i128,
        write_u8 u8, write_u16 u16, write_u32 u32, write_u64 u64, write_u128 u128, write_f32 f32,
    }

    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        self.join(writer)?;
        let value = rounded(value);
        if value == 0.0 {
            return writer.write_all(b"0");
        }
        let text = if (1e-5..1e16).contains(&value.abs()) { format!("{value}") } else { format!("{value:e}") };
        writer.write_all(text.as_bytes())
    }

    fn write_null<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.join(writer)?;
        writer.write_all(b"null")
    }

    fn write_bool<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: bool) -> io::Result<()> {
        self.begin_own_line(writer)?;
        self.pretty.write_bool(writer, value)
    }

    fn begin_string<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin_own_line(writer)?;
        self.pretty.begin_string(writer)
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin_own_line(writer)?;
        self.is_inline = false;
        self.pretty.begin_array(writer)
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.is_inline = false;
        self.pretty.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, _writer: &mut W, first: bool) -> io::Result<()> {
        self.pending_item = Some(first);
        Ok(())
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        // The end of a list of numbers stands in their line: the pretty printer has no such lines.
        if self.is_inline { Ok(()) } else { self.pretty.end_array_value(writer) }
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin_own_line(writer)?;
        self.pretty.begin_object(writer)
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.pretty.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_and_whole_ones_have_no_fraction() {
        let numbers = [61.0, 1.0 / 3.0, 2e-7, f64::NAN, f64::INFINITY, -0.0, 1e300, 123_456_789.0];
        let text = to_string(&numbers).replace([' ', '\n'], "");
        assert_eq!(text, "[61,0.333333,2e-7,null,null,0,1e300,123456789]");
        let read: Vec<Option<f64>> = serde_json::from_str(&text).unwrap();
        assert_eq!(read[2], Some(2e-7));
    }

    #[test]
    fn numbers_of_a_list_stand_in_one_line() {
        let text = to_string(&(
            vec![1.5, f64::NAN, 3.0],
            vec!["a"],
            Vec::<f64>::new(),
            vec![vec![1, 2], vec![3]],
            (1, "x", 2.5),
        ));
        let expected = "[\n  [1.5, null, 3],\n  [\n    \"a\"\n  ],\n  [],\n  [\n    [1, 2],\n    [3]\n  ],\n  [1,\n    \"x\", 2.5\n  ]\n]\n";
        assert_eq!(text, expected);
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
    }
}
