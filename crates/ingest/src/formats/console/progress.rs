//! Progress bars of tqdm: they tell at which step the lines around them were printed.

/// Widest bar that is known as one, in bytes.
const MAX_BAR: usize = 1024;

/// One state of a bar, `42%|████  | 420/1000 [01:00<…`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProgressBar<'a> {
    /// What stands before the percentage, without its colon; empty for the Trainer's own bars.
    pub(crate) name: &'a str,
    /// Steps done.
    pub(crate) done: u64,
    /// Steps in all.
    pub(crate) total: u64,
    /// Seconds since the bar began, where it shows them.
    pub(crate) elapsed: Option<u64>,
}

/// All states of bars in a segment, in order.
pub(crate) fn bars(segment: &str) -> impl Iterator<Item = ProgressBar<'_>> {
    let mut from = 0;
    memchr::memmem::find_iter(segment.as_bytes(), b"%|").filter_map(move |at| {
        let before = segment.get(from..at)?;
        from = at;
        // Bars are short: looking no further keeps the cost linear.
        let window = segment.as_bytes().get(at + 2..).map(|rest| rest.get(..MAX_BAR).unwrap_or(rest))?;
        let width = memchr::memmem::find(window, b"| ")?;
        let (done, rest) = leading_number(segment.get(at + width + 4..)?)?;
        let (total, rest) = leading_number(rest.strip_prefix('/')?)?;
        let elapsed = clock_seconds(rest.strip_prefix(" [")?);
        Some(ProgressBar { name: name(before), done, total, elapsed })
    })
}

/// The name of a bar: what stands before its percentage, behind an earlier bar.
fn name(before: &str) -> &str {
    let text = before.trim_end_matches(|c: char| c.is_ascii_digit());
    let text = text.rsplit_once(']').map_or(text, |(_, last)| last);
    text.trim().trim_end_matches(':')
}

/// Seconds of the time that a text starts with, as tqdm writes it: `05:12`, or `14:07:31` from one hour on.
pub(crate) fn clock_seconds(text: &str) -> Option<u64> {
    let (mut seconds, mut rest) = leading_number(text)?;
    let mut parts = 1;
    while let Some((part, behind)) = rest.strip_prefix(':').and_then(leading_number).filter(|(part, _)| *part < 60) {
        seconds = seconds.checked_mul(60)?.checked_add(part)?;
        rest = behind;
        parts += 1;
    }
    matches!(parts, 2 | 3).then_some(seconds)
}

/// The number that a text starts with, of 18 digits at most, and what follows it.
pub(crate) fn leading_number(text: &str) -> Option<(u64, &str)> {
    let length = text.bytes().take(18).take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at_checked(length)?;
    Some((digits.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_read_one_after_another() {
        let text =
            "Loading shards: 50%|##  | 1/2 [00:01<00:01, 1.9s/it]  1%|   | 20/1875 [25:47<33:52, 65s/it]  2%| | x";
        let found: Vec<_> = bars(text).collect();
        assert_eq!(
            found,
            [
                ProgressBar { name: "Loading shards", done: 1, total: 2, elapsed: Some(1) },
                ProgressBar { name: "", done: 20, total: 1875, elapsed: Some(1547) }
            ]
        );
        let times = ["14:07:31, Epoch", "29:17 < 10:42", "?", "12", "1:99:00", "1:2:3:4"];
        assert_eq!(times.map(clock_seconds), [Some(50_851), Some(1757), None, None, None, None]);
        assert_eq!(bars("5%|| 1/2").chain(bars("%|| 7/ [")).chain(bars("")).count(), 0);
    }
}
