//! Which runs the list shows, and in which order.

use std::cmp::Ordering;

use super::columns::{self, ColumnOrder, RunCells};
use super::tags::Tags;
use rundown_protocol::{ColumnId, RunList, RunRow};

/// Order of the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Sort {
    /// The engine's order: by verdict, and by the measure within one.
    #[default]
    Verdict,
    /// By name.
    Name,
    /// By the measure, best first; runs without it last.
    Value,
    /// By a column. Runs that have nothing in it last.
    Column(ColumnOrder),
}

impl Sort {
    /// The orders that need no column.
    pub const ALL: [Sort; 3] = [Sort::Verdict, Sort::Name, Sort::Value];

    /// The word in the menu and in the address; that of a column begins with a minus where the greatest is first.
    pub fn label(&self) -> String {
        match self {
            Sort::Verdict => "verdict".to_owned(),
            Sort::Name => "name".to_owned(),
            Sort::Value => "value".to_owned(),
            Sort::Column(ColumnOrder { column, is_descending }) => {
                format!("{}{}", if *is_descending { "-" } else { "" }, columns::word(column))
            }
        }
    }

    /// The order with this label.
    pub fn from_label(label: &str) -> Self {
        if let Some(plain) = Self::ALL.into_iter().find(|sort| sort.label() == label) {
            return plain;
        }
        let (column, is_descending) = match label.strip_prefix('-') {
            Some(column) => (column, true),
            None => (label, false),
        };
        match columns::from_word(column) {
            Some(column) => Sort::Column(ColumnOrder { column, is_descending }),
            None => Sort::default(),
        }
    }
}

/// True for a filter that is a query (`docs/selecting-runs.md`), which the engine answers, and not words to look for.
pub fn is_query(filter: &str) -> bool {
    const WORDS: [&str; 5] = ["and", "or", "not", "in", "contains"];
    filter.contains(['=', '<', '>', '~', '(', '"'])
        || filter.split_whitespace().skip(1).any(|word| WORDS.contains(&word.to_ascii_lowercase().as_str()))
}

/// What decides the place of a run in the list.
#[derive(Clone, Copy)]
pub struct ListOrder<'a> {
    /// Order within a group.
    pub sort: &'a Sort,
    /// Setting whose values make groups; empty for none.
    pub group: &'a str,
    /// Ids of the runs that stay on top.
    pub pinned: &'a [String],
    /// What is known of the columns that `sort` and `group` name.
    pub cells: &'a RunCells,
}

/// Positions of the runs that hold every word of `filter` somewhere in name, state, verdict, findings or tags, in order.
pub fn arrange(list: &RunList, filter: &str, tags: &Tags, order: ListOrder<'_>) -> Vec<usize> {
    let words: Vec<String> = filter.split_whitespace().map(str::to_lowercase).collect();
    let (column, is_descending) = match order.sort {
        Sort::Column(order) => (Some(&order.column), order.is_descending),
        Sort::Value => (None, !list.less_is_better),
        Sort::Verdict | Sort::Name => (None, false),
    };
    let column = column.and_then(|column| order.cells.index_of(column));
    let group = group_column(order.cells, order.group);
    let mut rows: Vec<Placed> = Vec::new();
    for (index, row) in list.runs.iter().enumerate() {
        if !holds(row, tags.of(&row.id), &words) {
            continue;
        }
        let is_pinned = order.pinned.contains(&row.id);
        let group = if is_pinned { Key::Missing } else { column_key(order.cells, row.run, group) };
        let key = match order.sort {
            Sort::Verdict => Key::Missing,
            Sort::Name => Key::Words(natural(&row.name)),
            Sort::Value => row.value.map_or(Key::Missing, Key::Number),
            Sort::Column(_) => column_key(order.cells, row.run, column),
        };
        rows.push(Placed { index, is_pinned, group, key });
    }
    // Equal ones stay in the engine's order.
    rows.sort_by(|a, b| {
        let by_pin = b.is_pinned.cmp(&a.is_pinned);
        by_pin.then_with(|| a.group.compare(&b.group, false)).then_with(|| a.key.compare(&b.key, is_descending))
    });
    rows.into_iter().map(|row| row.index).collect()
}

/// Index of the column whose values make groups.
pub fn group_column(cells: &RunCells, setting: &str) -> Option<usize> {
    if setting.is_empty() {
        return None;
    }
    cells.index_of(&ColumnId::Setting(setting.to_owned()))
}

/// A run with what decides its place.
struct Placed {
    index: usize,
    is_pinned: bool,
    group: Key,
    key: Key,
}

/// What runs are compared by.
enum Key {
    Number(f64),
    Words(Vec<u8>),
    Missing,
}

impl Key {
    fn compare(&self, other: &Self, is_descending: bool) -> Ordering {
        let order = match (self, other) {
            (Key::Missing, Key::Missing) => return Ordering::Equal,
            (Key::Missing, _) => return Ordering::Greater,
            (_, Key::Missing) => return Ordering::Less,
            (Key::Number(a), Key::Number(b)) => a.total_cmp(b),
            (Key::Words(a), Key::Words(b)) => a.cmp(b),
            (Key::Number(_), Key::Words(_)) => Ordering::Less,
            (Key::Words(_), Key::Number(_)) => Ordering::Greater,
        };
        if is_descending { order.reverse() } else { order }
    }
}

fn column_key(cells: &RunCells, run: u32, index: Option<usize>) -> Key {
    let Some(cell) = index.and_then(|index| cells.cell(run, index)) else { return Key::Missing };
    match cell.value {
        Some(value) if value.is_nan() => Key::Missing,
        Some(value) => Key::Number(value),
        None if cell.text.is_empty() => Key::Missing,
        None => Key::Words(natural(&cell.plain())),
    }
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

fn holds(row: &RunRow, tags: &[String], words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let verdict = row.verdict.word();
    let text = format!("{} {} {verdict} {} {}", row.name, row.state, row.worst.join(" "), tags.join(" "));
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(word.as_str()))
}

/// A key that puts run-2 before run-007 before run-10: of each number its length without leading zeros, as one byte,
/// and its digits. The name itself at its end tells apart what differs in letter case or leading zeros alone.
fn natural(name: &str) -> Vec<u8> {
    let lowercase = name.to_lowercase();
    let mut key = Vec::new();
    for part in lowercase.as_bytes().chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()) {
        let zeros = part.iter().take_while(|byte| **byte == b'0').count();
        let (zeros, digits) = part.split_at(zeros);
        if !zeros.is_empty() || digits.first().is_some_and(u8::is_ascii_digit) {
            key.push(b'0' + digits.len().min(75) as u8);
        }
        key.extend_from_slice(digits);
    }
    key.push(0);
    key.extend_from_slice(name.as_bytes());
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_content::Cell;
    use rundown_protocol::VerdictMark;
    use rundown_protocol::{RunTable, RunTableColumn, RunTableRow};

    fn by(setting: &str, is_descending: bool) -> Sort {
        Sort::Column(ColumnOrder { column: ColumnId::Setting(setting.to_owned()), is_descending })
    }

    fn row(run: u32, name: &str, verdict: VerdictMark, value: Option<f64>) -> RunRow {
        RunRow {
            run,
            id: format!("id{run}"),
            name: name.to_owned(),
            verdict,
            state: "finished".to_owned(),
            value,
            value_key: String::new(),
            spark: Vec::new(),
            worst: if verdict == VerdictMark::Ugly { vec!["reward hacking".to_owned()] } else { Vec::new() },
        }
    }

    fn list() -> RunList {
        RunList {
            runs: vec![
                row(1, "run-10", VerdictMark::Good, Some(0.9)),
                row(2, "run-2", VerdictMark::Good, None),
                row(3, "Run-1", VerdictMark::Ugly, Some(0.95)),
            ],
            ..RunList::default()
        }
    }

    /// Runs 1 and 3 have a learning rate, run 2 has none; `model` is a word.
    fn cells() -> RunCells {
        let column = |key: &str| RunTableColumn {
            column: ColumnId::Setting(key.to_owned()),
            title: key.to_owned(),
            is_numeric: true,
            unit: String::new(),
            direction: None,
            is_log: false,
            is_axis: false,
        };
        let row = |run: u32, lr: f64, model: &str| {
            let lr = if lr.is_nan() { Cell::default() } else { Cell::number(lr.to_string(), lr) };
            RunTableRow { run, cells: vec![lr, Cell { text: vec![model.into()], value: None }], ..Default::default() }
        };
        RunCells::new(RunTable {
            columns: vec![column("lr"), column("model")],
            rows: vec![row(1, 1e-4, "b"), row(2, f64::NAN, "a"), row(3, 1e-5, "b")],
            available: Vec::new(),
        })
    }

    fn ordered(filter: &str, sort: Sort, group: &str, pinned: &[String]) -> Vec<u32> {
        let mut tags = Tags::default();
        tags.set("id2", "Paper");
        let order = ListOrder { sort: &sort, group, pinned, cells: &cells() };
        arrange(&list(), filter, &tags, order).iter().map(|row| list().runs[*row].run).collect()
    }

    fn order(filter: &str, sort: Sort) -> Vec<u32> {
        ordered(filter, sort, "", &[])
    }

    #[test]
    fn words_of_the_filter_may_stand_anywhere() {
        assert_eq!(order("", Sort::Verdict), [1, 2, 3]);
        assert_eq!(order("HACKING ugly", Sort::Verdict), [3]);
        assert_eq!(order("run-1", Sort::Verdict), [1, 3]);
        assert_eq!(order("good paper", Sort::Verdict), [2], "a tag");
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
        let (sort, cells) = (Sort::Value, cells());
        let order = ListOrder { sort: &sort, group: "", pinned: &[], cells: &cells };
        let list = RunList { less_is_better: true, ..list() };
        assert_eq!(arrange(&list, "", &Tags::default(), order), [0, 2, 1], "best first, those without a value last");
    }

    #[test]
    fn numbers_in_names_count_by_their_value() {
        let sorted = [
            "", "1", "run", "run-0", "run-2", "Run-007", "run-10", "run-10-b1", "run-10-b2", "run-1790000000000",
            "run-x",
        ];
        for (index, pair) in sorted.windows(2).enumerate() {
            assert!(natural(pair[0]) < natural(pair[1]), "{index}: {pair:?}");
        }
        let between = |name: &str| natural("é٣ 7") < natural(name) && natural(name) < natural("é٣ 9");
        assert!(between("é٣ 08") && between("É٣ 8"), "letter case and leading zeros count last");
    }

    #[test]
    fn different_names_have_different_keys() {
        // The runs of a group stand together only if no other value has its key.
        for (one, other) in [("v1", "v01"), ("Adam", "adam"), ("0", "00")] {
            assert_ne!(natural(one), natural(other), "{one} {other}");
        }
    }

    #[test]
    fn a_column_sorts_both_ways_and_runs_without_it_stay_last() {
        assert_eq!(order("", by("lr", false)), [3, 1, 2]);
        assert_eq!(order("", by("lr", true)), [1, 3, 2]);
        assert_eq!(order("", by("model", true)), [1, 3, 2]);
        assert_eq!(order("", by("gone", true)), [1, 2, 3]);
    }

    #[test]
    fn groups_stay_together_and_pinned_runs_on_top() {
        assert_eq!(ordered("", Sort::Verdict, "model", &[]), [2, 1, 3]);
        assert_eq!(ordered("", Sort::Name, "model", &[]), [2, 3, 1]);
        assert_eq!(ordered("", Sort::Verdict, "lr", &[]), [3, 1, 2], "runs without the setting last");
        assert_eq!(ordered("", Sort::Verdict, "lr", &["id2".to_owned()]), [2, 3, 1]);
        assert_eq!(ordered("run-1", Sort::Verdict, "", &["id2".to_owned()]), [1, 3], "the filter counts for them too");
    }

    #[test]
    fn orders_are_read_as_they_were_written() {
        let mut orders = Sort::ALL.to_vec();
        orders.extend([by("lr", true), by("-x", false)]);
        for sort in orders {
            assert_eq!(Sort::from_label(&sort.label()), sort);
        }
        assert_eq!(Sort::from_label("sideways"), Sort::Verdict);
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
