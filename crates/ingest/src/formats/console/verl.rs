//! verl's console lines: `step:1 - actor/kl_loss:0.001 - actor/grad_norm:np.float64(0.3)`.
//!
//! verl printed three decimals until 2025 and full numbers since (`aggregate_logger.py`). Names may hold `@`, `(`
//! and `:`, so that a pair is split at its last colon.

mod plan;
mod rows;

use super::progress::leading_number;
use crate::syntax::json::leading_decimal;
use crate::syntax::python;
pub(super) use plan::VerlPlan;
pub(super) use rows::VerlRows;

/// What stands between two metrics.
const SEPARATOR: &str = " - ";
/// Whole fields behind the rest of a broken one, at least: text has none of them.
const FIELDS_BEHIND: usize = 2;
/// Places in a segment that are tried: more would make long segments cost more than linear time.
const MAX_TRIES: usize = 8;
/// Characters at which W&B cuts a line of the output that it keeps.
const CUT_AT: usize = 4096;

/// The metrics of one line.
#[derive(Debug, PartialEq)]
pub(crate) struct VerlLine<'a> {
    /// Training step.
    pub(crate) step: u64,
    fields: &'a str,
}

/// A value as it is printed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PrintedValue {
    /// The number.
    pub(crate) value: f64,
    /// Digits behind the point, where it is printed without an exponent.
    pub(crate) decimals: Option<usize>,
}

/// The line of metrics in a segment, wherever it starts: loggers put a time or a level before it.
pub(crate) fn line(segment: &str) -> Option<VerlLine<'_>> {
    memchr::memmem::find_iter(segment.as_bytes(), b"step:").take(MAX_TRIES).find_map(|at| {
        let (before, rest) = segment.split_at_checked(at)?;
        if before.ends_with(|c: char| c.is_alphanumeric() || "_/.-".contains(c)) {
            return None;
        }
        let (step, rest) = leading_number(rest.get(5..)?.trim_start())?;
        let line = VerlLine { step, fields: rest.strip_prefix(SEPARATOR)? };
        line.has_metric().then_some(line)
    })
}

/// A segment without its last field where W&B cut the line: the number there may have lost digits.
fn without_cut_field(segment: &str) -> &str {
    // A character has four bytes at most: most lines are not counted.
    let may_be_cut = (CUT_AT..=4 * CUT_AT).contains(&segment.len());
    if !may_be_cut || segment.chars().count() != CUT_AT || line(segment).is_none() {
        return segment;
    }
    segment.rsplit_once(SEPARATOR).map_or(segment, |(whole, _)| whole)
}

/// True for fields alone, such as `- kl:0.001 - n:3 -`: what a line of metrics goes on with where it was broken.
pub(crate) fn are_fields(text: &str) -> bool {
    let text = text.strip_prefix("- ").unwrap_or(text);
    let text = text.strip_suffix(" -").unwrap_or(text);
    text.split(SEPARATOR).all(is_field)
}

/// True for a text that goes on in the middle of the last field of `open`, with fields behind it: a terminal broke the line inside a
/// word (`- length/me` and `an:330.4 - …`) or a number (`- length/mean:368.` and `902 - …`).
pub(crate) fn goes_on_within_field(open: &str, text: &str) -> bool {
    let (Some((_, begun)), Some((end, fields))) = (open.rsplit_once(SEPARATOR), text.split_once(SEPARATOR)) else {
        return false;
    };
    if begun.contains(' ') || end.is_empty() || end.contains(' ') {
        return false;
    }
    let field = format!("{begun}{end}");
    // Behind the name of a number that was begun come its digits alone.
    let is_same = |name: &str| metric(begun).is_none_or(|(begun, _)| begun == name);
    metric(&field).is_some_and(|(name, _)| is_same(name))
        && fields.split(SEPARATOR).take(FIELDS_BEHIND).filter(|field| is_field(field)).count() == FIELDS_BEHIND
        && line(text).is_none()
}

impl VerlLine<'_> {
    /// Whether a field is a metric.
    fn has_metric(&self) -> bool {
        let mut rest = Some(self.fields);
        let mut fields = std::iter::from_fn(|| {
            let (field, after) = first_field(rest?);
            rest = after;
            Some(field)
        });
        fields.any(|field| metric(field).is_some())
    }
}

/// Reads the metrics of lines. Their names mostly come in the order of the line before: the name at the same place there is
/// compared first, and the end of a name searched for only where it differs.
#[derive(Debug, Default)]
pub(crate) struct VerlReader {
    names: Vec<String>,
}

impl VerlReader {
    /// Gives name and value of each metric; what is no number is left out.
    pub(crate) fn read(&mut self, line: &VerlLine<'_>, mut each: impl FnMut(&str, PrintedValue)) {
        let mut rest = Some(line.fields);
        let mut place = 0;
        while let Some(fields) = rest {
            if let Some(name) = self.names.get(place)
                && let Some((printed, after)) = expected(name, fields)
            {
                each(name, printed);
                place += 1;
                rest = after;
                continue;
            }
            let (field, after) = first_field(fields);
            if let Some((name, printed)) = metric(field) {
                each(name, printed);
                self.names.truncate(place);
                self.names.push(name.to_owned());
                place += 1;
            }
            rest = after;
        }
    }
}

/// The first field, and the fields after it. Not by `str::split`, which searches byte by byte in WebAssembly.
fn first_field(fields: &str) -> (&str, Option<&str>) {
    match memchr::memmem::find(fields.as_bytes(), SEPARATOR.as_bytes()) {
        Some(end) => (fields.get(..end).unwrap_or_default(), fields.get(end + SEPARATOR.len()..)),
        None => (fields, None),
    }
}

/// The value of the metric `name` where `fields` begin with it and it is a plain number, and the fields after it.
fn expected<'f>(name: &str, fields: &'f str) -> Option<(PrintedValue, Option<&'f str>)> {
    let text = fields.strip_prefix(name)?.strip_prefix(':')?;
    let (value, length) = leading_decimal(text.as_bytes())?;
    let (number, after) = text.split_at_checked(length)?;
    let after = if after.is_empty() { None } else { Some(after.strip_prefix(SEPARATOR)?) };
    Some((PrintedValue { value, decimals: decimals(number) }, after))
}

/// True for a whole field that is a metric, with nothing else beside it.
fn is_field(text: &str) -> bool {
    !text.contains(' ') && metric(text).is_some()
}

/// Name and value of a field.
fn metric(field: &str) -> Option<(&str, PrintedValue)> {
    let (name, value) = field.rsplit_once(':')?;
    let name = name.trim();
    let is_word = !name.is_empty() && !name.bytes().any(|byte| byte.is_ascii_whitespace());
    Some((name, printed(value)?)).filter(|_| is_word)
}

/// `0.001`, `nan`, `np.float64(0.3)`; Ray may add `[repeated 7x across cluster]` behind the last one.
fn printed(text: &str) -> Option<PrintedValue> {
    // Nearly all values are plain numbers: the rest of this would take longer than to read them.
    if let Some((value, length)) = leading_decimal(text.as_bytes())
        && length == text.len()
    {
        return Some(PrintedValue { value, decimals: decimals(text) });
    }
    let word = text.split_ascii_whitespace().next()?;
    let word = word.split_once('(').map_or(word, |(_, inner)| inner.trim_end_matches([')', ',']));
    Some(PrintedValue { value: python::number(word)?, decimals: decimals(word) })
}

/// Decimals of a number without an exponent.
fn decimals(number: &str) -> Option<usize> {
    let point = memchr::memchr(b'.', number.as_bytes())?;
    let fraction = number.as_bytes().get(point + 1..)?;
    fraction.iter().all(u8::is_ascii_digit).then_some(fraction.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(segment: &str) -> Option<(u64, String)> {
        read_after(&mut VerlReader::default(), segment)
    }

    /// The step, and the metrics as `name=value, …`, read after other lines by `reader`.
    fn read_after(reader: &mut VerlReader, segment: &str) -> Option<(u64, String)> {
        let line = line(segment)?;
        let mut metrics = Vec::new();
        reader.read(&line, |name, printed| metrics.push(format!("{name}={}", printed.value)));
        Some((line.step, metrics.join(", ")))
    }

    #[test]
    fn names_and_values_of_every_version_are_read() {
        for (line, step, metrics) in [
            (
                "step:3 - val-core/gsm8k/mean@1:0.221 - actor/lr(1e-4):0.010 - n:96 - x:np.float64(-0.5)",
                3,
                "val-core/gsm8k/mean@1=0.221, actor/lr(1e-4)=0.01, n=96, x=-0.5",
            ),
            (
                "INFO:2026-01-01 12:00:00 step:0 - a:b:1e-06 - note:text - c:2.0 [repeated 7x across cluster]",
                0,
                "a:b=0.000001, c=2",
            ),
            ("step:1 - kl:nan", 1, "kl=NaN"),
        ] {
            assert_eq!(read(line), Some((step, metrics.to_owned())));
        }
    }

    proptest! {
        #[test]
        fn lines_before_do_not_matter(
            lines in prop::collection::vec("step:1 - a:1( - (a|b|a:b| a):(1|0\\.5|-2e-3|nan|x|1:2|1-2|1 x)){0,5}( -| - )?", 1..5)
        ) {
            let mut reader = VerlReader::default();
            for line in lines {
                prop_assert_eq!(read_after(&mut reader, &line), read(&line), "{}", line);
            }
        }
    }

    #[test]
    fn the_number_at_which_a_line_was_cut_is_left_out() {
        let mut cut = "(T pid=1) step:1 - ".to_owned() + &"n".repeat(CUT_AT);
        cut.replace_range(CUT_AT - 15.., ":0.1 - kl:-0.04");
        assert_eq!(cut.len(), CUT_AT);
        assert_eq!(Some(without_cut_field(&cut)), cut.strip_suffix(" - kl:-0.04"));
        for whole in [format!("{cut}8"), cut.replace("step", "text"), "step:1 - kl:0.1 - n:3".to_owned()] {
            assert_eq!(without_cut_field(&whole), whole);
        }
    }

    #[test]
    fn other_lines_that_name_a_step_are_none() {
        for other in ["step:1", "step: - a:1", "global_step:1 - a:1", "step:1 - done", "step:1, a:1", "step:x - a:1"] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn the_digits_that_were_printed_are_known() {
        assert_eq!(printed("0.001").unwrap().decimals, Some(3));
        assert_eq!([printed("1e-06").unwrap().decimals, printed("1.5e-6").unwrap().decimals], [None, None]);
    }
}
