//! How numbers and indentation are written.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

use crate::report::numbers::rounded;

/// Serialises with rounded numbers. Cannot fail for the types of a report; an error would give its text.
pub(super) fn to_string(report: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, Rounding(PrettyFormatter::new()));
    if let Err(error) = report.serialize(&mut serializer) {
        return format!("{{\"error\": \"{}\"}}\n", error.to_string().escape_default());
    }
    bytes.push(b'\n');
    String::from_utf8(bytes).unwrap_or_default()
}

/// Pretty printing with numbers of six significant digits, whole ones without a fraction.
struct Rounding<'i>(PrettyFormatter<'i>);

impl Formatter for Rounding<'_> {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        let value = rounded(value);
        if value == 0.0 {
            return writer.write_all(b"0");
        }
        let text = if (1e-5..1e16).contains(&value.abs()) { format!("{value}") } else { format!("{value:e}") };
        writer.write_all(text.as_bytes())
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
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
}
