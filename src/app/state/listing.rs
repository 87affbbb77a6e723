//! Which runs the list shows, and in which order.

use std::cmp::Ordering;

use crate::protocol::{RunList, RunRow, VerdictMark};

/// Order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// The engine's order: by verdict, and by the measure within one.
    #[default]
    Verdict,
    /// By name.
    Name,
    /// By the measure, highest first; runs without it last.
    Value,
}

impl Sort {
    /// All orders.
    pub const ALL: [Sort; 3] = [Sort::Verdict, Sort::Name, Sort::Value];

    /// The word in the menu.
    pub fn label(self) -> &'static str {
        match self {
            Sort::Verdict => "verdict",
            Sort::Name => "name",
            Sort::Value => "value",
        }
    }

    /// The order with this label.
    pub fn from_label(label: &str) -> Self {
        Self::ALL.into_iter().find(|sort| sort.label() == label).unwrap_or_default()
    }
}

/// The word for a verdict.
pub fn verdict_word(verdict: VerdictMark) -> &'static str {
    match verdict {
        VerdictMark::Good => "good",
        VerdictMark::Undecided => "undecided",
        VerdictMark::Bad => "bad",
        VerdictMark::Ugly => "ugly",
    }
}

/// True for a filter that is a query (`docs/selecting-runs.md`), which the engine answers, and not words to look for.
pub fn is_query(filter: &str) -> bool {
    const WORDS: [&str; 5] = ["and", "or", "not", "in", "contains"];
    filter.contains(['=', '<', '>', '~', '(', '"'])
        || filter.split_whitespace().skip(1).any(|word| WORDS.contains(&word.to_ascii_lowercase().as_str()))
}

/// Positions of the runs that hold every word of `filter` somewhere in name, state, verdict or findings, in order.
pub fn arrange(list: &RunList, filter: &str, sort: Sort) -> Vec<usize> {
    let words: Vec<String> = filter.split_whitespace().map(str::to_ascii_lowercase).collect();
    let mut rows: Vec<(usize, SortKey)> = Vec::new();
    for (index, row) in list.runs.iter().enumerate() {
        if holds(row, &words) {
            rows.push((index, key(row, sort)));
        }
    }
    let key = |place: usize| rows.get(place).map(|(index, key)| (key, index));
    let order = order(rows.len(), &|a, b| key(a).cmp(&key(b)));
    order.into_iter().filter_map(|place| rows.get(place)).map(|(index, _)| *index).collect()
}

/// The numbers below `count` in an order; equal ones as they are numbered. A heap sort: the standard library's sort is
/// 3 kB for each comparison.
#[inline(never)]
pub fn order(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let is_less = |a: usize, b: usize| compare(a, b).then(a.cmp(&b)) == Ordering::Less;
    let mut order: Vec<usize> = (0..count).collect();
    for root in (0..count / 2).rev() {
        sink(&mut order, root, &is_less);
    }
    for end in (1..count).rev() {
        order.swap(0, end);
        sink(order.get_mut(..end).unwrap_or_default(), 0, &is_less);
    }
    order
}

/// Moves what stands at `root` of a heap down, until nothing below it is larger.
#[inline(never)]
fn sink(heap: &mut [usize], mut root: usize, is_less: &dyn Fn(usize, usize) -> bool) {
    loop {
        let mut child = 2 * root + 1;
        let (Some(&here), Some(&left)) = (heap.get(root), heap.get(child)) else { return };
        let mut largest = left;
        if let Some(&right) = heap.get(child + 1)
            && is_less(left, right)
        {
            largest = right;
            child += 1;
        }
        if !is_less(here, largest) {
            return;
        }
        heap.swap(root, child);
        root = child;
    }
}

/// What rows are ordered by; rows with equal keys keep the engine's order.
type SortKey = (u64, Vec<(usize, String)>);

fn key(row: &RunRow, sort: Sort) -> SortKey {
    match sort {
        Sort::Verdict => Default::default(),
        Sort::Name => (0, natural(&row.name)),
        Sort::Value if row.value.is_nan() => (u64::MAX, Vec::new()),
        Sort::Value => (descending(row.value), Vec::new()),
    }
}

/// A number that is the smaller the larger the value is: its bits, with the sign's meaning turned round.
fn descending(value: f64) -> u64 {
    let bits = value.to_bits();
    if value.is_sign_negative() { bits } else { !bits & !(1 << 63) }
}

/// The run that is `by` places from `current` among the `rows` that [`arrange`] gave; stops at either end.
pub fn neighbour(list: &RunList, rows: &[usize], current: Option<u32>, by: isize) -> Option<u32> {
    let run = |row: &usize| list.runs.get(*row).map(|row| row.run);
    let here = rows.iter().position(|row| run(row) == current);
    let target = match here {
        Some(here) => here.saturating_add_signed(by).min(rows.len().saturating_sub(1)),
        None => 0,
    };
    rows.get(target).and_then(run)
}

fn holds(row: &RunRow, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let text = format!("{} {} {} {}", row.name, row.state, verdict_word(row.verdict), row.worst.join(" "));
    let text = text.to_ascii_lowercase();
    words.iter().all(|word| text.contains(word.as_str()))
}

/// A key that puts run-2 before run-10: runs of digits compare by length first.
fn natural(name: &str) -> Vec<(usize, String)> {
    let mut parts: Vec<(usize, String)> = Vec::new();
    let mut in_number = false;
    for character in name.to_ascii_lowercase().chars() {
        let digit = character.is_ascii_digit();
        match parts.last_mut() {
            Some((length, part)) if digit == in_number => {
                part.push(character);
                if digit {
                    *length += 1;
                }
            }
            _ => parts.push((usize::from(digit), character.to_string())),
        }
        in_number = digit;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_put_in_order_and_equal_ones_stay() {
        for count in 0..70 {
            let key = |place: usize| (place * 37 + count) % 11;
            let mut expected: Vec<usize> = (0..count).collect();
            expected.sort_by_key(|place| key(*place));
            assert_eq!(super::order(count, &|a, b| key(a).cmp(&key(b))), expected);
        }
    }

    fn row(run: u32, name: &str, verdict: VerdictMark, value: f64) -> RunRow {
        RunRow {
            run,
            name: name.to_owned(),
            verdict,
            state: "finished".to_owned(),
            value,
            spark: Vec::new(),
            last_step: 10.0,
            worst: if verdict == VerdictMark::Ugly { vec!["reward hacking".to_owned()] } else { Vec::new() },
        }
    }

    fn list() -> RunList {
        RunList {
            runs: vec![
                row(1, "run-10", VerdictMark::Good, 0.9),
                row(2, "run-2", VerdictMark::Good, f64::NAN),
                row(3, "Run-1", VerdictMark::Ugly, 0.95),
            ],
            ..RunList::default()
        }
    }

    fn order(filter: &str, sort: Sort) -> Vec<u32> {
        arrange(&list(), filter, sort).iter().map(|row| list().runs[*row].run).collect()
    }

    #[test]
    fn words_of_the_filter_may_stand_anywhere() {
        assert_eq!(order("", Sort::Verdict), [1, 2, 3]);
        assert_eq!(order("HACKING ugly", Sort::Verdict), [3]);
        assert_eq!(order("run-1", Sort::Verdict), [1, 3]);
        assert!(order("good hacking", Sort::Verdict).is_empty());
    }

    #[test]
    fn operators_make_a_query() {
        for query in ["verdict != ugly", "lr>1e-4", "name ~ /a/", "(a)", "tags contains x", "\"a b\""] {
            assert!(is_query(query), "{query}");
        }
        for words in ["", "ugly hacking", "and", "run-1", "candor inner"] {
            assert!(!is_query(words), "{words}");
        }
    }

    #[test]
    fn names_sort_by_their_numbers_and_missing_values_last() {
        assert_eq!(order("", Sort::Name), [3, 2, 1]);
        assert_eq!(order("", Sort::Value), [3, 1, 2]);
        let values = [f64::INFINITY, 2.0, 1e-300, 0.0, -1e-300, -3.5, f64::NEG_INFINITY];
        assert!(values.map(descending).is_sorted());
    }

    #[test]
    fn moving_stops_at_the_ends() {
        let (list, rows) = (list(), [0, 1, 2]);
        assert_eq!(neighbour(&list, &rows, Some(1), 1), Some(2));
        assert_eq!(neighbour(&list, &rows, Some(1), -1), Some(1));
        assert_eq!(neighbour(&list, &rows, Some(3), 1), Some(3));
        assert_eq!(neighbour(&list, &rows, None, 1), Some(1));
        assert_eq!(neighbour(&list, &rows, Some(77), -1), Some(1));
        assert_eq!(neighbour(&list, &[], Some(1), 1), None);
    }
}
