//! Which runs the charts draw: what the user ticked, at first the open run and the best four.

use rundown_protocol::{RunList, RunRow};

/// Runs that are shown at first beside the open one.
const BEST: usize = 4;
/// Most runs that charts draw.
pub const MAX_SHOWN: usize = 50;

/// The run that is open: the one with the id that is `wanted`, else the first. In a list that grows while files are read
/// the one that was open `before` stays.
pub fn open(list: &RunList, wanted: Option<&str>, before: Option<u32>) -> Option<u32> {
    let with_id = list.runs.iter().find(|row| Some(row.id.as_str()) == wanted);
    let same = || list.runs.iter().find(|row| list.is_partial && Some(row.run) == before);
    with_id.or_else(same).or_else(|| list.runs.first()).map(|row| row.run)
}

/// Runs that charts draw, in the order of the list, the open run first.
///
/// `chosen` are the ids that the user chose; those of runs that are not loaded are left out. In a list that grows while
/// files are read those that were drawn `before` stay.
pub fn shown<'a>(list: &'a RunList, open: Option<u32>, chosen: Option<&[String]>, before: &[u32]) -> Vec<&'a RunRow> {
    let is_open = |row: &&RunRow| Some(row.run) == open;
    let Some(chosen) = chosen else {
        let open = list.runs.iter().find(is_open);
        let mut best: Vec<&RunRow> = list.runs.iter().filter(|row| !is_open(row)).collect();
        if list.is_partial {
            best.sort_by_key(|row| !before.contains(&row.run));
        }
        return open.into_iter().chain(best.into_iter().take(BEST)).collect();
    };
    let mut shown: Vec<&RunRow> = list.runs.iter().filter(|row| chosen.contains(&row.id)).collect();
    // Drawn over the others and named first.
    shown.sort_by_key(|row| !is_open(row));
    shown.truncate(MAX_SHOWN);
    shown
}

/// The greatest number of a run; 0 where there is none.
pub fn newest(list: &RunList) -> u32 {
    list.runs.iter().map(|row| row.run).max().unwrap_or_default()
}

/// Id of the first run that was not there when `newest` was the newest: the engine numbers runs upwards, from 1.
pub fn first_new(newest: u32, now: &RunList) -> Option<String> {
    now.runs.iter().find(|row| row.run > newest).map(|row| row.id.clone())
}

/// The ids after a run was shown or hidden. One more than charts draw is not shown.
pub fn toggled(shown: &[String], id: &str) -> Vec<String> {
    let mut ids = shown.to_vec();
    match ids.iter().position(|known| known == id) {
        Some(index) => {
            ids.remove(index);
        }
        None if ids.len() >= MAX_SHOWN => {}
        None => ids.push(id.to_owned()),
    }
    ids
}

/// The ids after everything from one row of the list to another was shown: a selection with Shift. It begins at the first of
/// `from` that the filter leaves, and is `to` alone where it leaves none. As many as charts draw.
pub fn with_range(shown: &[String], listed: &[String], from: &[String], to: &str) -> Vec<String> {
    let index = |id: &str| listed.iter().position(|known| known == id);
    let mut ids = shown.to_vec();
    if let Some(b) = index(to) {
        let a = from.iter().find_map(|id| index(id)).unwrap_or(b);
        let range = listed.iter().skip(a.min(b)).take(a.abs_diff(b) + 1);
        ids.extend(range.filter(|id| !shown.contains(id)).cloned());
    }
    ids.truncate(MAX_SHOWN);
    ids
}

/// The ids after a run was isolated: it alone, or what was chosen before where it is alone already.
pub fn isolated(shown: &[String], id: &str, before: Option<Vec<String>>) -> Option<Vec<String>> {
    let is_alone = matches!(shown, [only] if only == id);
    if is_alone { before } else { Some(vec![id.to_owned()]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_protocol::VerdictMark;

    fn list(count: u32) -> RunList {
        let row = |run: u32| RunRow {
            run,
            id: format!("id{run}"),
            name: format!("run {run}"),
            verdict: VerdictMark::Good,
            state: String::new(),
            value: Some(0.0),
            value_key: String::new(),
            spark: Vec::new(),
            worst: Vec::new(),
        };
        RunList { runs: (0..count).map(row).collect(), ..RunList::default() }
    }

    fn numbers(rows: &[&RunRow]) -> Vec<u32> {
        rows.iter().map(|row| row.run).collect()
    }

    #[test]
    fn at_first_the_open_run_and_the_best_four_are_shown() {
        assert_eq!(numbers(&shown(&list(9), Some(7), None, &[])), [7, 0, 1, 2, 3]);
        assert_eq!(numbers(&shown(&list(9), Some(2), None, &[8])), [2, 0, 1, 3, 4]);
        assert_eq!(numbers(&shown(&list(2), None, None, &[])), [0, 1]);
    }

    #[test]
    fn nothing_moves_while_files_are_read() {
        let growing = RunList { is_partial: true, ..list(9) };
        assert_eq!(open(&growing, None, None), Some(0));
        assert_eq!(open(&growing, None, Some(5)), Some(5));
        assert_eq!(open(&growing, Some("id3"), Some(5)), Some(3), "what the user or a link wants");
        assert_eq!(open(&growing, Some("later"), Some(5)), Some(5));
        assert_eq!(open(&list(9), None, Some(5)), Some(0), "once all files were read");
        assert_eq!(numbers(&shown(&growing, Some(5), None, &[5, 7])), [5, 7, 0, 1, 2]);
    }

    #[test]
    fn new_runs_have_higher_numbers() {
        assert_eq!(first_new(newest(&list(3)), &list(3)), None);
        assert_eq!(first_new(newest(&list(3)), &list(5)).as_deref(), Some("id3"));
        assert_eq!(first_new(newest(&list(0)), &list(2)).as_deref(), Some("id1"), "the first number is 1");
    }

    #[test]
    fn the_user_decides_and_may_show_none() {
        let chosen = ["id3".to_owned(), "gone".to_owned(), "id1".to_owned()];
        assert_eq!(numbers(&shown(&list(9), Some(3), Some(&chosen), &[])), [3, 1]);
        assert!(shown(&list(9), Some(3), Some(&[]), &[]).is_empty());
        let all: Vec<String> = (0..200).map(|run| format!("id{run}")).collect();
        assert_eq!(shown(&list(200), None, Some(&all), &[]).len(), MAX_SHOWN);
    }

    #[test]
    fn runs_are_shown_and_hidden_one_by_one_and_from_here_to_there() {
        let listed: Vec<String> = (0..5).map(|run| format!("id{run}")).collect();
        assert_eq!(toggled(&listed[..2], "id1"), ["id0"]);
        assert_eq!(toggled(&listed[..1], "id4"), ["id0", "id4"]);
        let range = |from: &[&str], to: &str| {
            let from: Vec<String> = from.iter().map(|id| (*id).to_owned()).collect();
            with_range(&listed[..1], &listed, &from, to)
        };
        assert_eq!(range(&["id3", "id1"], "id0"), ["id0", "id1", "id2", "id3"]);
        assert_eq!(range(&["hidden", "id2"], "id3"), ["id0", "id2", "id3"]);
        assert_eq!(range(&["hidden"], "id3"), ["id0", "id3"]);
        assert_eq!(range(&["id3"], "hidden"), ["id0"]);
    }

    #[test]
    fn no_more_are_chosen_than_charts_draw() {
        let listed: Vec<String> = (0..200).map(|run| format!("id{run}")).collect();
        let chosen = with_range(&listed[..2], &listed, &["id9".to_owned()], "id150");
        assert_eq!((chosen.len(), chosen[1].as_str(), chosen[2].as_str()), (MAX_SHOWN, "id1", "id9"));
        assert_eq!(toggled(&chosen, "id199"), chosen);
        assert_eq!(toggled(&chosen, "id0").len(), MAX_SHOWN - 1);
    }

    #[test]
    fn a_run_is_isolated_and_the_others_come_back() {
        let ids = |runs: &[&str]| runs.iter().map(|run| (*run).to_owned()).collect::<Vec<_>>();
        assert_eq!(isolated(&ids(&["a", "b"]), "b", None), Some(ids(&["b"])));
        assert_eq!(isolated(&ids(&["b"]), "b", Some(ids(&["a", "b"]))), Some(ids(&["a", "b"])));
        assert_eq!(isolated(&ids(&["b"]), "b", None), None, "as at first");
        assert_eq!(isolated(&[], "b", None), Some(ids(&["b"])));
    }
}
