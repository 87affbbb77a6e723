//! The labelled numbers of a line of text: `loss: 0.5`, `Avg Response Len = 271.38`, `acc=62.5%`, `Step 10/100`,
//! `Epoch:[1/1](3/9751)`, `steps 0..10`, `time: tensor(0.28, device='cuda:0')`.

mod elapsed_clock;
mod number_list;
mod number_token;
mod progress_line;
mod statistics;
mod step_range;

use crate::rows::metric_words;
use crate::rows::names::{COARSE_COUNTERS, is_one_of};
use crate::rows::reward_group;
use elapsed_clock::{ELAPSED_TIME, elapsed_clock};
use number_list::NumberList;
pub(super) use number_token::NumberToken;
use number_token::{is_token, next_number};
use progress_line::{is_of_samples, is_progress};
pub(super) use statistics::is_reward_statistic;
use step_range::step_range;

/// Longest line that is looked at: longer ones are no lines that a person reads.
const MAX_LINE: usize = 4096;
/// Longest name of a metric, in bytes, and its most words.
const MAX_NAME: usize = 80;
const MAX_WORDS: usize = 6;
/// Most words of a unit between a number without a sign and the next separator, `0.5 per episode,`: more are a sentence.
const MAX_UNIT_WORDS: usize = 3;
/// Words of a sentence that do not name the number behind them: `200 GB, but 40%, …`, `from 65536 to 32768`; lower case.
const PROSE_WORDS: [&str; 12] = ["and", "at", "but", "by", "from", "in", "of", "or", "so", "then", "to", "while"];
/// Metrics of a line that need no sign between name and number, from which on they are such: `reward 0.5  kl 0.01`.
const BARE_METRICS: usize = 2;
/// Names of counters of steps, which need no sign between them and the number, as in `Step 10`; lower case.
const STEP_NAMES: [&str; 9] =
    ["step", "global_step", "train_step", "training_step", "opt_step", "iter", "iteration", "update", "global step"];

/// Names of results whose total is the number of samples; lower case.
const RESULT_NAMES: [&str; 6] = ["acc", "accuracy", "correct", "passed", "solved", "success"];

/// Words with which statements of Python begin that end in a number behind a colon or an equals sign.
const PYTHON_STATEMENTS: [&str; 7] = ["if", "elif", "while", "for", "return", "assert", "def"];

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
    /// The total of a counter such as `3/100`.
    pub total: Option<f64>,
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
    let mut measured = None;
    while let Some(start) = next_number(line, at) {
        let Some(rest) = line.get(start..) else { break };
        let label = line.get(label_start..start).unwrap_or_default();
        if let Some((value, length)) = elapsed_clock(label, rest, found.last()) {
            found.push(LabelledNumber { name: ELAPSED_TIME, value, is_counter: false, total: None });
            at = start + length;
            label_start = at;
            continue;
        }
        if let Some((name, value, length)) = step_range(label, rest) {
            found.push(LabelledNumber { name, value, is_counter: true, total: None });
            at = start + length;
            label_start = at;
            continue;
        }
        let Some(token) = NumberToken::of(rest) else {
            // A date, an address or a version: no part of it is a number.
            at = start + rest.find(|c: char| !is_token(c)).unwrap_or(rest.len()).max(1);
            label_start = at;
            continue;
        };
        if let Some(list) = NumberList::of(label, rest) {
            if let Some(((mean, spread), named)) = list.statistics.zip(labelled(label, &token, "")) {
                found.push(LabelledNumber { value: mean, ..named });
                let spread = LabelledNumber { name: reward_group::SPREAD, value: spread, ..named };
                found.extend(Some(spread).filter(|_| reward_group::is_group(named.name)));
            }
            at = start + list.length;
            label_start = at;
            continue;
        }
        at = start + token.length;
        // `Reward at iter 256: 9.4`
        if let Some(name) = measured.take().filter(|_| matches!(label.trim(), ":" | "=" | "is")) {
            found.push(LabelledNumber { name, value: token.value_of(name), is_counter: false, total: None });
            label_start = at;
            continue;
        }
        measured = measured_at(label);
        let after = line.get(at..).unwrap_or_default();
        let alone = || if label_start == 0 { alone_in_line(label, &token, after) } else { None };
        match (labelled(label, &token, after).or_else(alone), single_word(label)) {
            (Some(LabelledNumber { name, .. }), _) | (None, Some(name)) if token.is_time_of(name) => {}
            (Some(number), _) => found.push(number),
            (None, Some(name)) => {
                let value = token.value_of(name);
                bare.push((found.len(), LabelledNumber { name, value, is_counter: false, total: None }));
                metrics += usize::from(metric_words::is_metric(name));
            }
            (None, None) => {}
        }
        label_start = at;
    }
    if metrics >= BARE_METRICS {
        bare.into_iter().rev().for_each(|(place, number)| found.insert(place, number));
    }
    statistics::name_by_subject(line, &mut found);
    if is_of_samples(&found) {
        found.clear();
    }
    found
}

/// The name of what was measured, where a label says at which step: `Reward at iter`.
fn measured_at(label: &str) -> Option<&str> {
    let (rest, counter) = label.trim_end().rsplit_once(' ')?;
    let (name, preposition) = rest.trim_end().rsplit_once(' ')?;
    let is_place =
        is_one_of(preposition, &["after", "at", "for", "in"]) && CounterKind::of(counter) != CounterKind::Other;
    let name = bare_name(name);
    let is_metric = name.split_whitespace().any(metric_words::is_metric);
    (is_place && is_metric && name.split_whitespace().count() <= MAX_WORDS).then_some(name)
}

/// The word that stands alone between two numbers, or before the first: `reward 0.5  kl 0.01`.
fn single_word(label: &str) -> Option<&str> {
    let word = label.trim_start_matches(['%', ',', ';', ')', ']']).trim();
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_/.@-".contains(c);
    let is_apart = label.ends_with(char::is_whitespace) && word.starts_with(|c: char| c.is_ascii_alphabetic());
    (is_apart && word.chars().all(is_name)).then_some(word)
}

/// A number that a tab separates from its name, with nothing else on the line but a unit: `MeanEntropy \t 2.397886`.
fn alone_in_line<'a>(label: &'a str, token: &NumberToken<'_>, after: &str) -> Option<LabelledNumber<'a>> {
    let name = label.trim();
    let is_alone = label.trim_start().contains('\t') && after.trim().chars().all(char::is_alphabetic);
    let is_pair = is_alone && token.total.is_none() && name.starts_with(char::is_alphabetic) && is_plain_name(name);
    is_pair.then(|| LabelledNumber { name, value: token.value_of(name), is_counter: false, total: None })
}

/// A number with its name: the words before a colon or an equals sign, a word that names a counter, or all that stands
/// between two separators (`| Loss 0.5 |`).
fn labelled<'a>(label: &'a str, token: &NumberToken<'_>, after: &str) -> Option<LabelledNumber<'a>> {
    let text = unwrapped(label);
    let total = token.total;
    let (name, is_counter) = match text.strip_suffix([':', '=']) {
        Some(name) if is_code(text, name) => ("", total.is_some()),
        Some(name) => (last_name(name), total.is_some()),
        None => {
            let word = text.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
            if CounterKind::of(word) != CounterKind::Other {
                (word, true)
            } else if is_closed(after) {
                (whole_name(text), total.is_some())
            } else {
                ("", total.is_some())
            }
        }
    };
    // `correct: 3/8` is a share of the samples.
    if let Some(total) = total.filter(|total| *total > 0.0 && is_one_of(name, &RESULT_NAMES)) {
        return Some(LabelledNumber { name, value: token.value / total, is_counter: false, total: None });
    }
    let is_name =
        name.chars().any(char::is_alphabetic) && name.len() <= MAX_NAME && name.split_whitespace().count() <= MAX_WORDS;
    let value = token.value_of(name);
    match (is_name, is_counter) {
        (true, _) => Some(LabelledNumber { name, value, is_counter, total }),
        (false, true) => Some(LabelledNumber { name: "", value, is_counter, total }),
        (false, false) => None,
    }
}

/// True for a comparison (`!=`, `<=`), an assignment that computes (`+=`) and a statement of Python: code that was printed. And for
/// the name of a Python file before a line number: `[optimizer.py:363:update]`.
fn is_code(text: &str, name: &str) -> bool {
    let is_operator = text.ends_with('=') && name.ends_with(['!', '<', '>', '+', '-', '*', '/']);
    is_operator
        || name.ends_with(".py")
        || name.split_whitespace().next().is_some_and(|word| PYTHON_STATEMENTS.contains(&word))
        || is_lambda(name)
}

/// True where the name is that of an argument of a function without a name.
fn is_lambda(name: &str) -> bool {
    name.rsplit(['=', ',', '(']).next().is_some_and(|part| part.trim_start().starts_with("lambda "))
}

/// True where the next separator or the end of the line follows, perhaps behind a unit.
fn is_closed(after: &str) -> bool {
    let rest = after.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '%' || c == ' ');
    let is_unit = |(unit, _): (&str, &str)| unit.split_whitespace().count() <= MAX_UNIT_WORDS;
    (rest.is_empty() || rest.starts_with(['|', ',', ';']))
        && after.split_at_checked(after.len() - rest.len()).is_some_and(is_unit)
}

/// A name that stands alone between a separator and its number; empty where it is more than a few plain words.
fn whole_name(text: &str) -> &str {
    let part = text.rsplit(['|', ',', ';', ':']).next().unwrap_or_default().trim();
    let is_name = text.len() > part.len() && is_plain_name(part) && !is_one_of(part, &PROSE_WORDS);
    if is_name { part } else { "" }
}

/// True for a few words without signs.
fn is_plain_name(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || " _/-.@".contains(c)) && name.split_whitespace().count() <= 3
}

/// The label without what wraps the number: quotes, `[`, `(`, and a type such as `tensor(` or `np.float64(`.
fn unwrapped(label: &str) -> &str {
    let mut text = label.trim_end_matches([' ', '\t', '\'', '"', '$', '#']);
    while let Some(before) = text.strip_suffix(['(', '[', '{']) {
        let bare = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || "._".contains(c));
        // `train[3]` is a place in a list, and no type.
        let is_type = bare.len() == before.len() || text.ends_with('(');
        let is_typed = is_type && bare.trim_end().ends_with([':', '=']);
        text = if is_typed { bare } else { before }.trim_end_matches([' ', '\t', '\'', '"']);
    }
    text
}

/// What stands behind the last sign that separates pairs, with a unit or a window in brackets (`E2E (Tokens/sec/gpu)`,
/// `reward(last50)`).
fn last_name(text: &str) -> &str {
    let is_window =
        |unit: &str| unit.starts_with(char::is_alphabetic) && unit.chars().all(|c| c.is_ascii_alphanumeric());
    let is_unit = |unit: &&str| {
        !unit.is_empty() && (is_window(unit) || unit.chars().all(|c| c.is_alphabetic() || " /_-%.".contains(c)))
    };
    let unit = text.strip_suffix(')').and_then(|text| text.rsplit_once('('));
    let Some((before, _)) = unit.filter(|(_, unit)| is_unit(unit)) else { return bare_name(text) };
    let name = bare_name(before.trim_end());
    let start = before.rfind(name).filter(|_| !name.is_empty());
    start.and_then(|start| text.get(start..)).unwrap_or_default()
}

/// The same without such a unit.
pub(super) fn bare_name(text: &str) -> &str {
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
    without_status(part.trim_matches(|c: char| c.is_whitespace() || "'\"`*•-#>%=:✓→".contains(c)))
}

/// A name without the word before it that says what became of a step, or how grave a line is: `completed. Objective`.
fn without_status(name: &str) -> &str {
    let is_done = |word: &str| word.ends_with("ed") || word.ends_with("done");
    match name.split_once(' ') {
        Some(("SKIP" | "SKIPPED" | "INFO" | "DEBUG" | "WARNING", rest)) => rest.trim_start(),
        _ => match name.rsplit_once(". ") {
            Some((before, rest)) if is_done(before) => rest.trim_start(),
            _ => name,
        },
    }
}

#[cfg(test)]
mod tests;
