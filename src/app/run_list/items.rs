//! What stands in the list, line by line: runs, and the headings of their groups.

use rundown_protocol::RunList;

/// What a group is called whose runs lack the setting.
pub const NOT_SET: &str = "not set";

/// A line of the list.
#[derive(Debug, Clone, PartialEq)]
pub enum ListItem {
    /// The heading of a group.
    Group(Group),
    /// A run, by the engine's number.
    Run(u32),
}

/// What a line is recognised by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ItemKey {
    /// The group with this value.
    Group(String),
    /// The run of this number.
    Run(u32),
}

/// Runs with the same value of a setting.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Group {
    /// The value, in words.
    pub value: String,
    /// Number of runs.
    pub count: usize,
    /// Mean of the list's measure over the runs that have it.
    pub mean: Option<f64>,
    /// True while its runs are folded away.
    pub is_folded: bool,
}

impl ListItem {
    /// What the line is recognised by.
    pub fn key(&self) -> ItemKey {
        match self {
            ListItem::Group(group) => ItemKey::Group(group.value.clone()),
            ListItem::Run(run) => ItemKey::Run(*run),
        }
    }

    /// The run of the line, if it is one.
    pub fn run(&self) -> Option<u32> {
        match self {
            ListItem::Run(run) => Some(*run),
            ListItem::Group(_) => None,
        }
    }
}

/// The lines for `rows`, places in the list in their order: pinned runs first, then under headings where `value_of` says
/// the value of a run's group.
pub fn items(
    list: &RunList,
    rows: &[usize],
    pinned: &[String],
    value_of: Option<&dyn Fn(u32) -> String>,
    folded: &[String],
) -> Vec<ListItem> {
    let runs = rows.iter().filter_map(|row| list.runs.get(*row));
    let Some(value_of) = value_of else { return runs.map(|row| ListItem::Run(row.run)).collect() };
    let mut items = Vec::new();
    let mut heading: Option<(usize, Group, Mean)> = None;
    for row in runs {
        if pinned.contains(&row.id) {
            items.push(ListItem::Run(row.run));
            continue;
        }
        let value = value_of(row.run);
        if heading.as_ref().is_none_or(|(_, group, _)| group.value != value) {
            close(&mut items, heading.take());
            let is_folded = folded.contains(&value);
            heading = Some((items.len(), Group { value, is_folded, ..Group::default() }, Mean::default()));
            items.push(ListItem::Group(Group::default()));
        }
        if let Some((_, group, mean)) = &mut heading {
            group.count += 1;
            row.value.into_iter().for_each(|value| mean.add(value));
            if !group.is_folded {
                items.push(ListItem::Run(row.run));
            }
        }
    }
    close(&mut items, heading);
    items
}

/// Writes a heading into its place once its runs are counted.
fn close(items: &mut [ListItem], heading: Option<(usize, Group, Mean)>) {
    let Some((index, group, mean)) = heading else { return };
    if let Some(item) = items.get_mut(index) {
        *item = ListItem::Group(Group { mean: mean.value(), ..group });
    }
}

#[derive(Default)]
struct Mean {
    sum: f64,
    count: usize,
}

impl Mean {
    fn add(&mut self, value: f64) {
        if value.is_finite() {
            self.sum += value;
            self.count += 1;
        }
    }

    fn value(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_protocol::{RunRow, VerdictMark};

    fn list(values: &[f64]) -> RunList {
        let row = |(run, value): (usize, &f64)| RunRow {
            run: run as u32,
            id: format!("id{run}"),
            name: String::new(),
            verdict: VerdictMark::Good,
            state: String::new(),
            value: Some(*value).filter(|value| !value.is_nan()),
            value_key: String::new(),
            spark: Vec::new(),
            worst: Vec::new(),
        };
        RunList { runs: values.iter().enumerate().map(row).collect(), ..RunList::default() }
    }

    fn group(value: &str, count: usize, mean: Option<f64>, is_folded: bool) -> ListItem {
        ListItem::Group(Group { value: value.to_owned(), count, mean, is_folded })
    }

    #[test]
    fn without_groups_there_are_runs_alone() {
        let items = items(&list(&[1.0, 2.0, 3.0]), &[2, 0, 9], &[], None, &[]);
        assert_eq!(items, [ListItem::Run(2), ListItem::Run(0)]);
    }

    #[test]
    fn groups_are_counted_and_folded_and_pinned_runs_stand_above() {
        let list = list(&[1.0, 2.0, f64::NAN, 4.0, f64::NAN]);
        let value_of = |run: u32| if run < 3 { "1e-4".to_owned() } else { NOT_SET.to_owned() };
        let pinned = ["id1".to_owned()];
        let rows = [1, 0, 2, 3, 4];
        let folded = [NOT_SET.to_owned()];
        let all = items(&list, &rows, &pinned, Some(&value_of), &folded);
        let expected = [
            ListItem::Run(1),
            group("1e-4", 2, Some(1.0), false),
            ListItem::Run(0),
            ListItem::Run(2),
            group(NOT_SET, 2, Some(4.0), true),
        ];
        assert_eq!(all, expected);
        let lacking = items(&list, &[4], &[], Some(&value_of), &[]);
        assert_eq!(lacking, [group(NOT_SET, 1, None, false), ListItem::Run(4)]);
        assert!(items(&list, &[], &[], Some(&value_of), &[]).is_empty());
    }

    #[test]
    fn lines_are_recognised_by_run_or_value() {
        assert_eq!(ListItem::Run(3).key(), ItemKey::Run(3));
        assert_eq!(group("a", 1, None, true).key(), group("a", 2, Some(1.0), false).key());
        assert_eq!((ListItem::Run(3).run(), group("a", 1, None, true).run()), (Some(3), None));
    }
}
