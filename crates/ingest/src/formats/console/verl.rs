//! verl's console lines: `step:1 - actor/kl_loss:0.001 - actor/grad_norm:np.float64(0.3)`.
//!
//! verl printed three decimals until 2025 and full numbers since (`aggregate_logger.py`). Names may hold `@`, `(`
//! and `:`, so that a pair is split at its last colon.

use super::progress::leading_number;
use crate::syntax::json::leading_decimal;
use crate::syntax::python;

/// What stands between two metrics.
const SEPARATOR: &[u8] = b" - ";
/// Places in a segment that are tried: more would make long segments cost more than linear time.
const MAX_TRIES: usize = 8;

/// The metrics of one line.
#[derive(Debug, PartialEq)]
pub(crate) struct VerlLine<'a> {
    /// Training step.
    pub(crate) step: u64,
    fields: &'a str,
}

/// A value as it is printed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Printed {
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
        let line = VerlLine { step, fields: rest.strip_prefix(" - ")? };
        line.pairs().next().is_some().then_some(line)
    })
}

impl<'a> VerlLine<'a> {
    /// Name and value of each metric; what is no number is left out.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&'a str, Printed)> + use<'a> {
        fields(self.fields).filter_map(|field| {
            let (name, value) = field.rsplit_once(':')?;
            let is_trimmed = name.bytes().all(|byte| byte.is_ascii_graphic());
            let name = if is_trimmed { name } else { name.trim() };
            let is_word = !name.is_empty() && (is_trimmed || !name.bytes().any(|byte| byte.is_ascii_whitespace()));
            Some((name, printed(value)?)).filter(|_| is_word)
        })
    }
}

/// What stands between ` - `. Searched by memchr, as `str::split` took a tenth of the time of a log.
fn fields(text: &str) -> impl Iterator<Item = &str> {
    let ends = memchr::memmem::find_iter(text.as_bytes(), SEPARATOR).chain([text.len()]);
    ends.scan(0, |start, end| {
        let field = text.get(*start..end);
        *start = end + SEPARATOR.len();
        field
    })
}

/// `0.001`, `nan`, `np.float64(0.3)`; Ray may add `[repeated 7x across cluster]` behind the last one.
fn printed(text: &str) -> Option<Printed> {
    // Nearly all values are plain numbers: the rest of this would take longer than to read them.
    if let Some((value, length)) = leading_decimal(text.as_bytes())
        && length == text.len()
    {
        return Some(Printed { value, decimals: decimals(text) });
    }
    let word = text.split_ascii_whitespace().next()?;
    let word = word.split_once('(').map_or(word, |(_, inner)| inner.trim_end_matches([')', ',']));
    Some(Printed { value: python::number(word)?, decimals: decimals(word) })
}

/// Digits behind the point of a number without an exponent.
fn decimals(number: &str) -> Option<usize> {
    let point = memchr::memchr(b'.', number.as_bytes())?;
    let fraction = number.as_bytes().get(point + 1..)?;
    fraction.iter().all(u8::is_ascii_digit).then_some(fraction.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(segment: &str) -> Option<(u64, Vec<(&str, f64)>)> {
        line(segment).map(|line| (line.step, line.pairs().map(|(name, printed)| (name, printed.value)).collect()))
    }

    #[test]
    fn names_and_values_of_every_version_are_read() {
        assert_eq!(
            read("step:3 - val-core/gsm8k/mean@1:0.221 - actor/lr(1e-4):0.010 - n:96 - x:np.float64(-0.5)"),
            Some((3, vec![("val-core/gsm8k/mean@1", 0.221), ("actor/lr(1e-4)", 0.01), ("n", 96.0), ("x", -0.5)]))
        );
        assert_eq!(
            read("INFO:2026-01-01 12:00:00 step:0 - a:b:1e-06 - note:text - c:2.0 [repeated 7x across cluster]"),
            Some((0, vec![("a:b", 1e-6), ("c", 2.0)]))
        );
        assert!(read("step:1 - kl:nan").is_some_and(|(_, pairs)| pairs[0].1.is_nan()));
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
