//! The labelled numbers of a line of text: `loss: 0.5`, `Avg Response Len = 271.38`, `acc=62.5%`, `Step 10/100`,
//! `Epoch:[1/1](3/9751)`, `time: tensor(0.28, device='cuda:0')`.

use crate::rows::metric_words;
use crate::rows::names::{COARSE_COUNTERS, is_one_of};

/// Longest line that is looked at: longer ones are no lines that a person reads.
const MAX_LINE: usize = 4096;
/// Longest name of a metric, in bytes, and its most words.
const MAX_NAME: usize = 80;
const MAX_WORDS: usize = 6;
/// Metrics of a line that need no sign between name and number, from which on they are such: `reward 0.5  kl 0.01`.
const BARE_METRICS: usize = 2;
/// Names of counters of steps, which need no sign between them and the number, as in `Step 10`; lower case.
const STEP_NAMES: [&str; 9] =
    ["step", "global_step", "train_step", "training_step", "opt_step", "iter", "iteration", "update", "global step"];

/// What a counter counts, by its name; the later the more likely the steps of a training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CounterKind {
    /// Something that holds many steps.
    Coarse,
    /// Unknown, such as `3/100` without a name.
    Other,
    /// Steps.
    Step,
}

impl CounterKind {
    pub(super) fn of(name: &str) -> Self {
        if is_one_of(name, &STEP_NAMES) {
            CounterKind::Step
        } else if is_one_of(name, &COARSE_COUNTERS) {
            CounterKind::Coarse
        } else {
            CounterKind::Other
        }
    }
}

/// A number of a line and what it is called.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LabelledNumber<'a> {
    /// The words before it, as printed; empty for a counter without any.
    pub name: &'a str,
    pub value: f64,
    /// True for `3/100`, and for a number that only a word such as `step` names.
    pub is_counter: bool,
}

/// The labelled numbers of a line, in order. None for a line that is too long, a path, or a progress bar.
pub(super) fn numbers(line: &str) -> Vec<LabelledNumber<'_>> {
    let mut found = Vec::new();
    if line.len() > MAX_LINE || is_progress(line) {
        return found;
    }
    let mut label_start = 0;
    let mut at = 0;
    // Numbers behind a single word, and how many of these words are of metrics.
    let (mut bare, mut metrics) = (Vec::new(), 0);
    while let Some(start) = next_number(line, at) {
        let Some(rest) = line.get(start..) else { break };
        let Some(token) = Token::of(rest) else {
            // A date, an address or a version: no part of it is a number.
            at = start + rest.find(|c: char| !is_token(c)).unwrap_or(rest.len()).max(1);
            label_start = at;
            continue;
        };
        let label = line.get(label_start..start).unwrap_or_default();
        at = start + token.length;
        match (labelled(label, &token, line.get(at..).unwrap_or_default()), single_word(label)) {
            (Some(number), _) => found.push(number),
            (None, Some(name)) => {
                bare.push((found.len(), LabelledNumber { name, value: token.value, is_counter: false }));
                metrics += usize::from(metric_words::is_metric(name));
            }
            (None, None) => {}
        }
        label_start = at;
    }
    if metrics >= BARE_METRICS {
        bare.into_iter().rev().for_each(|(place, number)| found.insert(place, number));
    }
    found
}

/// The word that stands alone between two numbers, or before the first: `reward 0.5  kl 0.01`.
fn single_word(label: &str) -> Option<&str> {
    let word = label.trim_start_matches(['%', ',', ';', ')', ']']).trim();
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_/.@-".contains(c);
    let is_apart = label.ends_with(char::is_whitespace) && word.starts_with(|c: char| c.is_ascii_alphabetic());
    (is_apart && word.chars().all(is_name)).then_some(word)
}

/// True for states of a progress bar, which count what they like.
fn is_progress(line: &str) -> bool {
    ["%|", "it/s", "s/it", "examples/s"].iter().any(|sign| line.contains(sign))
}

/// Where the next number may begin: a digit, a sign or a point before one, or a word such as `nan` after a separator.
fn next_number(line: &str, from: usize) -> Option<usize> {
    let bytes = line.as_bytes();
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    (from..bytes.len()).find(|at| {
        let here = bytes.get(*at).copied().unwrap_or_default();
        let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied().unwrap_or(b' ');
        let after = bytes.get(at + 1).copied().unwrap_or_default();
        let begins = match here {
            b'0'..=b'9' => !matches!(before, b'-' | b'+' | b'.') || *at == from,
            b'-' | b'+' => after.is_ascii_digit() || after == b'.' || word_length(line.get(at + 1..)).is_some(),
            b'.' => after.is_ascii_digit(),
            b'n' | b'N' | b'i' | b'I' => word_length(line.get(*at..)).is_some(),
            _ => false,
        };
        begins && !is_inner(before)
    })
}

fn is_token(c: char) -> bool {
    c.is_alphanumeric() || "_-+.:/".contains(c)
}

/// A number as it stands in a line.
struct Token {
    value: f64,
    /// Bytes, with the total of a counter.
    length: usize,
    has_total: bool,
}

impl Token {
    /// The number that a text begins with; `None` where it goes on as no number does.
    fn of(text: &str) -> Option<Self> {
        let length = number_length(text)?;
        let (digits, rest) = text.split_at_checked(length)?;
        let value = plain(digits)?;
        if let Some(total) = rest.strip_prefix('/') {
            let total_length = total.bytes().take_while(u8::is_ascii_digit).count();
            let after = total.get(total_length..)?;
            let is_total = total_length > 0 && value.fract() == 0.0 && ends(after);
            return is_total.then_some(Self { value, length: length + 1 + total_length, has_total: true });
        }
        ends(rest).then_some(Self { value, length, has_total: false })
    }
}

/// Bytes of the number or of the word for one that a text begins with.
fn number_length(text: &str) -> Option<usize> {
    let sign = usize::from(text.starts_with(['-', '+']));
    let body = text.get(sign..)?;
    if let Some(length) = word_length(Some(body)) {
        return Some(sign + length);
    }
    let digits = |from: usize| body.get(from..).map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    let mut length = digits(0);
    // Thousands are separated by commas in groups of three.
    while (1..=3).contains(&length) || body.get(..length).is_some_and(|number| number.contains(',')) {
        if body.get(length..).is_some_and(|rest| rest.starts_with(',')) && digits(length + 1) == 3 {
            length += 4;
        } else {
            break;
        }
    }
    if body.get(length..)?.starts_with('.') && (length > 0 || digits(1) > 0) {
        length += 1 + digits(length + 1);
    }
    if length == 0 {
        return None;
    }
    if let Some(exponent) = body.get(length..).and_then(|rest| rest.strip_prefix(['e', 'E'])) {
        let sign = usize::from(exponent.starts_with(['-', '+']));
        let count = digits(length + 1 + sign);
        if count > 0 {
            length += 1 + sign + count;
        }
    }
    // A point at the end of a sentence is none of the number.
    let is_sentence = body.get(..length)?.ends_with('.');
    Some(sign + length - usize::from(is_sentence && body.get(length..)?.trim_start().is_empty()))
}

/// Bytes of the word for a number that is not finite, if a text begins with one.
fn word_length(text: Option<&str>) -> Option<usize> {
    let words = ["nan", "NaN", "inf", "Infinity", "Inf"];
    let is_whole = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    words
        .iter()
        .find(|word| text.and_then(|text| text.strip_prefix(**word)).is_some_and(is_whole))
        .map(|word| word.len())
}

fn plain(digits: &str) -> Option<f64> {
    if digits.contains(',') { digits.replace(',', "").parse().ok() } else { digits.parse().ok() }
}

/// True where a number may end: at a blank, a bracket or a sign, with a short unit such as `s`, `ms` or `GB` between.
fn ends(rest: &str) -> bool {
    let unit = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let mut behind = rest.get(unit..).unwrap_or_default().chars();
    let (next, after) = (behind.next(), behind.next());
    if unit > 2 {
        return false;
    }
    match next {
        None => true,
        // `12:30:05`, `2026-01-02`, `1.2.3` and paths are no numbers.
        Some(':' | '-' | '.' | '/') => !after.is_some_and(|after| after.is_alphanumeric()),
        Some(next) => !next.is_alphanumeric() && next != '_',
    }
}

/// A number with its name: the words before a colon or an equals sign, a word that names a counter, or all that stands
/// between two separators (`| Loss 0.5 |`).
fn labelled<'a>(label: &'a str, token: &Token, after: &str) -> Option<LabelledNumber<'a>> {
    let text = unwrapped(label);
    let (name, is_counter) = match text.strip_suffix([':', '=']) {
        Some(name) => (last_name(name), token.has_total),
        None => {
            let word = text.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
            if CounterKind::of(word) != CounterKind::Other {
                (word, true)
            } else if is_closed(after) {
                (whole_name(text), token.has_total)
            } else {
                ("", token.has_total)
            }
        }
    };
    let is_name =
        name.chars().any(char::is_alphabetic) && name.len() <= MAX_NAME && name.split_whitespace().count() <= MAX_WORDS;
    match (is_name, is_counter) {
        (true, _) => Some(LabelledNumber { name, value: token.value, is_counter }),
        (false, true) => Some(LabelledNumber { name: "", value: token.value, is_counter }),
        (false, false) => None,
    }
}

/// True where the next separator or the end of the line follows, perhaps behind a unit.
fn is_closed(after: &str) -> bool {
    let rest = after.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '%' || c == ' ');
    rest.is_empty() || rest.starts_with(['|', ',', ';'])
}

/// A name that stands alone between a separator and its number; empty where it is more than a few plain words.
fn whole_name(text: &str) -> &str {
    let part = text.rsplit(['|', ',', ';', ':']).next().unwrap_or_default().trim();
    let is_plain = part.chars().all(|c| c.is_alphanumeric() || " _/-.@".contains(c));
    let words = part.split_whitespace().count();
    if is_plain && text.len() > part.len() && words <= 3 { part } else { "" }
}

/// The label without what wraps the number: quotes, `[`, `(`, and a type such as `tensor(` or `np.float64(`.
fn unwrapped(label: &str) -> &str {
    let mut text = label.trim_end_matches([' ', '\t', '\'', '"', '$', '#']);
    while let Some(before) = text.strip_suffix(['(', '[', '{']) {
        let bare = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || "._".contains(c));
        let is_typed = bare.trim_end().ends_with([':', '=']);
        text = if is_typed { bare } else { before }.trim_end_matches([' ', '\t', '\'', '"']);
    }
    text
}

/// What stands behind the last sign that separates pairs, with a unit in brackets (`E2E (Tokens/sec/gpu)`).
fn last_name(text: &str) -> &str {
    let is_unit = |unit: &&str| !unit.is_empty() && unit.chars().all(|c| c.is_alphabetic() || " /_-%.".contains(c));
    let unit = text.strip_suffix(')').and_then(|text| text.rsplit_once('('));
    let Some((before, _)) = unit.filter(|(_, unit)| is_unit(unit)) else { return bare_name(text) };
    let name = bare_name(before.trim_end());
    let start = before.rfind(name).filter(|_| !name.is_empty());
    start.and_then(|start| text.get(start..)).unwrap_or_default()
}

/// The same without such a unit.
fn bare_name(text: &str) -> &str {
    let parts = text.rsplit([',', ';', '|', '(', ')', '[', ']', '{', '}', '<', '>', '\t']);
    let part = parts.into_iter().next().unwrap_or_default();
    let part = part.rsplit(" - ").next().unwrap_or(part);
    let part = part.rsplit("  ").next().unwrap_or(part);
    let part = part.rsplit(": ").next().unwrap_or(part);
    let part = part.rsplit('=').next().unwrap_or(part).trim();
    if let Some(quote) = part.chars().next().filter(|first| matches!(first, '\'' | '"'))
        && !part.ends_with(quote)
    {
        // Behind a quoted text, as in `msg="train step" loss=0.5`; or within one, as in `device='cuda:0'`.
        let behind = part.get(1..).and_then(|inner| inner.split_once(quote));
        return behind.map_or("", |(_, name)| name.trim());
    }
    part.trim_matches(|c: char| c.is_whitespace() || "'\"*•-#>%=:✓→".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_text_before_a_pair_is_no_part_of_its_name() {
        let line = r#"time="2026-01-02T03:00:00Z" level=info msg="train step" step=7 reward=0.5"#;
        assert_eq!(pairs(line), [("step", 7.0), ("reward", 0.5)]);
        assert_eq!(pairs("device='cuda:0'"), []);
    }

    fn pairs(line: &str) -> Vec<(&str, f64)> {
        numbers(line).into_iter().map(|number| (number.name, number.value)).collect()
    }

    #[test]
    fn names_may_have_several_words() {
        let line = "Epoch:[1/1](3/9751), Reward: -1.4468, Adv Std: 0.9257, Avg Response Len: 286.75, LR: 3.0e-07";
        let expected = [
            ("Epoch", 1.0),
            ("", 3.0),
            ("Reward", -1.4468),
            ("Adv Std", 0.9257),
            ("Avg Response Len", 286.75),
            ("LR", 3e-7),
        ];
        assert_eq!(pairs(line), expected);
        assert_eq!(pairs("average reward score: -0.67919921875"), [("average reward score", -0.67919921875)]);
        assert_eq!(
            pairs("|E2E latency=7.99s |Generate time=5.26s (65.81%)"),
            [("E2E latency", 7.99), ("Generate time", 5.26)]
        );
    }

    #[test]
    fn counters_are_known_with_and_without_a_name() {
        let line = "[gsm8k_8B_100step]   7/100 | loss=-0.0993 | reward=0.250 | acc=25.0%";
        assert_eq!(pairs(line), [("", 7.0), ("loss", -0.0993), ("reward", 0.25), ("acc", 25.0)]);
        let line = "Iteration 1/1, Step 12/500, GRPO iter 1/1, loss: 0.0050";
        assert_eq!(pairs(line), [("Iteration", 1.0), ("Step", 12.0), ("iter", 1.0), ("loss", 0.005)]);
        assert_eq!(
            pairs("[Step 10/100] loss = 0.5 | reward/mean: -0.001"),
            [("Step", 10.0), ("loss", 0.5), ("reward/mean", -0.001)]
        );
    }

    #[test]
    fn a_name_between_separators_needs_no_sign() {
        assert_eq!(
            pairs("Epoch 3 | Loss 0.51 | Mean Reward 1.2"),
            [("Epoch", 3.0), ("Loss", 0.51), ("Mean Reward", 1.2)]
        );
        assert_eq!(pairs("we took 3 of them and left 2"), []);
        let line = "Iter 2: Train loss -0.673, Total rewards mean 0.250, Peak mem 32.9 GB";
        let expected = [("Iter", 2.0), ("Train loss", -0.673), ("Total rewards mean", 0.25), ("Peak mem", 32.9)];
        assert_eq!(pairs(line), expected);
    }

    #[test]
    fn single_words_before_numbers_are_names_where_two_are_of_metrics() {
        let line = "GRPO step 0001  reward_mean 0.17  success 16.96%  kl 2e-4";
        assert_eq!(pairs(line), [("step", 1.0), ("reward_mean", 0.17), ("success", 16.96), ("kl", 2e-4)]);
        let line = "    5/80  loss +0.0018  reward 0.1696  300 tok/resp";
        assert_eq!(pairs(line), [("", 5.0), ("loss", 0.0018), ("reward", 0.1696)]);
        for text in ["a reward of 5 and a kl of 3", "the reward was 5 and the kl was 3"] {
            assert_eq!(pairs(text), [], "{text}");
        }
    }

    #[test]
    fn a_unit_in_brackets_is_part_of_the_name() {
        assert_eq!(pairs("    - E2E (Tokens/sec/gpu): 1501.00"), [("E2E (Tokens/sec/gpu)", 1501.0)]);
        assert_eq!(pairs("(a=1) loss (mean): 0.5"), [("a", 1.0), ("loss (mean)", 0.5)]);
        assert_eq!(pairs("loss (step 3): 0.5"), [("step", 3.0)]);
    }

    #[test]
    fn prefixes_of_loggers_and_types_of_numbers_are_no_names() {
        let line = "2025-09-25 04:05:16,956 - train - INFO - rl_loss: 0.0038, reward: {'total_num': 256, 'low': tensor(0.28, device='cuda:0')}, kl: nan";
        assert_eq!(
            pairs(line).into_iter().map(|(name, _)| name).collect::<Vec<_>>(),
            ["rl_loss", "total_num", "low", "kl"]
        );
        assert_eq!(pairs("tokens: 3,145,805,824"), [("tokens", 3_145_805_824.0)]);
        assert_eq!(pairs("mean reward: np.float64(0.5)"), [("mean reward", 0.5)]);
    }

    #[test]
    fn text_has_no_labelled_numbers() {
        for text in [
            "",
            "loss is 0.5",
            "http://127.0.0.1:8265",
            "date: 2026/01/02",
            "Qwen3-8B",
            "time 12:30:05",
            "checkpoint=3/x",
            " 50%|##  | 1/2 [00:01<00:01, 1.9s/it]",
        ] {
            assert_eq!(pairs(text), [], "{text}");
        }
    }
}
