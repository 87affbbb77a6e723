//! The labelled numbers of a line of text: `loss: 0.5`, `Avg Response Len = 271.38`, `acc=62.5%`, `Step 10/100`,
//! `Epoch:[1/1](3/9751)`, `time: tensor(0.28, device='cuda:0')`.

mod number_list;
mod number_token;
mod statistics;

use crate::rows::metric_words;
use crate::rows::names::{COARSE_COUNTERS, is_one_of};
use crate::rows::reward_group;
use number_list::NumberList;
pub(super) use number_token::NumberToken;
use number_token::{is_token, next_number};
pub(super) use statistics::is_reward_statistic;

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
        let Some(token) = NumberToken::of(rest) else {
            // A date, an address or a version: no part of it is a number.
            at = start + rest.find(|c: char| !is_token(c)).unwrap_or(rest.len()).max(1);
            label_start = at;
            continue;
        };
        let label = line.get(label_start..start).unwrap_or_default();
        if let Some(list) = NumberList::of(label, rest) {
            if let Some(named) = labelled(label, &token, "") {
                found.push(LabelledNumber { value: list.mean, ..named });
                let spread = LabelledNumber { name: reward_group::SPREAD, value: list.spread, ..named };
                found.extend(Some(spread).filter(|_| reward_group::is_group(named.name)));
            }
            at = start + list.length;
            label_start = at;
            continue;
        }
        at = start + token.length;
        // `Reward at iter 256: 9.4`
        if let Some(name) = measured.take().filter(|_| matches!(label.trim(), ":" | "=" | "is")) {
            found.push(LabelledNumber { name, value: token.value, is_counter: false, total: None });
            label_start = at;
            continue;
        }
        measured = measured_at(label);
        match (labelled(label, &token, line.get(at..).unwrap_or_default()), single_word(label)) {
            (Some(number), _) => found.push(number),
            (None, Some(name)) => {
                bare.push((found.len(), LabelledNumber { name, value: token.value, is_counter: false, total: None }));
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

/// True for states of a progress bar, which count what they like.
fn is_progress(line: &str) -> bool {
    ["%|", "it/s", "s/it", "examples/s"].iter().any(|sign| line.contains(sign))
}

/// A number with its name: the words before a colon or an equals sign, a word that names a counter, or all that stands
/// between two separators (`| Loss 0.5 |`).
fn labelled<'a>(label: &'a str, token: &NumberToken, after: &str) -> Option<LabelledNumber<'a>> {
    let text = unwrapped(label);
    let NumberToken { value, total, .. } = *token;
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
        return Some(LabelledNumber { name, value: value / total, is_counter: false, total: None });
    }
    let is_name =
        name.chars().any(char::is_alphabetic) && name.len() <= MAX_NAME && name.split_whitespace().count() <= MAX_WORDS;
    match (is_name, is_counter) {
        (true, _) => Some(LabelledNumber { name, value, is_counter, total }),
        (false, true) => Some(LabelledNumber { name: "", value, is_counter, total }),
        (false, false) => None,
    }
}

/// True for a comparison (`!=`, `<=`), an assignment that computes (`+=`) and a statement of Python: code that was printed.
fn is_code(text: &str, name: &str) -> bool {
    let is_operator = text.ends_with('=') && name.ends_with(['!', '<', '>', '+', '-', '*', '/']);
    is_operator
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
    without_status(part.trim_matches(|c: char| c.is_whitespace() || "'\"*•-#>%=:✓→".contains(c)))
}

/// A name without the word before it that says what became of a step, or how grave a line is.
fn without_status(name: &str) -> &str {
    match name.split_once(' ') {
        Some(("SKIP" | "SKIPPED" | "INFO" | "DEBUG" | "WARNING", rest)) => rest.trim_start(),
        _ => name,
    }
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
    fn a_count_of_results_is_a_share() {
        assert_eq!(pairs("step=2 correct=1/2 Accuracy: 3/4"), [("step", 2.0), ("correct", 0.5), ("Accuracy", 0.75)]);
        assert_eq!(pairs("batch: 1/2"), [("batch", 1.0)]);
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
        assert_eq!(pairs("ep=  10  reward(last50)=  62.88"), [("ep", 10.0), ("reward(last50)", 62.88)]);
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
        assert_eq!(
            pairs("[step 0052] SKIP rewards=[0,1] rollout=151s, sizes: [1, 2, 6]"),
            [("step", 52.0), ("rewards", 0.5), ("reward_group_std", 0.5), ("rollout", 151.0), ("sizes", 3.0)]
        );
        assert_eq!(pairs("x=[0.5] y=[1, a] z: [1, 2"), [("x", 0.5), ("y", 1.0), ("z", 1.0)]);
    }

    #[test]
    fn what_was_measured_may_stand_before_its_step() {
        assert_eq!(pairs("Reward at iter 256: 9.4"), [("iter", 256.0), ("Reward", 9.4)]);
        assert_eq!(
            pairs("Average reward after episode 10 = -3.5, kl: 0.1"),
            [("episode", 10.0), ("Average reward", -3.5), ("kl", 0.1)]
        );
        assert_eq!(pairs("Saved model at step 100: 5 files"), [("step", 100.0)]);
    }

    #[test]
    fn comparisons_and_statements_of_code_name_no_numbers() {
        for text in
            ["    if second_index != -1", "x += 2", "while low <= 10:", "key=lambda x: 1", "for i = 3", "return a >= 5"]
        {
            assert_eq!(pairs(text), [], "{text}");
        }
        assert_eq!(pairs("==> loss = 0.5"), [("loss", 0.5)]);
        assert_eq!(pairs("Best: item[3] (score=0.5)"), [("score", 0.5)], "a place in a list");
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
