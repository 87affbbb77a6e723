//! The Pareto front of two columns: the runs that nothing beats, and which points are drawn.

use rundown_protocol::RunTableRow;

/// The runs that no other beats in both numbers, by the first one ascending; ties are kept. Points are
/// `(run, first, second)`, and a flag says for each number whether higher is better.
pub fn pareto(points: &[(u32, f64, f64)], higher: (bool, bool)) -> Vec<u32> {
    // As costs, of which less is better. `0.0 -` in place of `-`: both zeros are one number.
    let cost = |value: f64, is_higher_better: bool| if is_higher_better { 0.0 - value } else { 0.0 + value };
    let mut costs: Vec<(u32, f64, f64)> =
        points.iter().map(|(run, a, b)| (*run, cost(*a, higher.0), cost(*b, higher.1))).collect();
    costs.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.2.total_cmp(&b.2)));
    let mut front: Vec<(u32, f64, f64)> = Vec::new();
    for point in costs {
        let is_unbeaten = front.last().is_none_or(|last| point.2 < last.2 || (point.1, point.2) == (last.1, last.2));
        if is_unbeaten {
            front.push(point);
        }
    }
    if higher.0 {
        front.sort_by(|a, b| b.1.total_cmp(&a.1));
    }
    front.into_iter().map(|(run, _, _)| run).collect()
}

/// The rows that are drawn as points: the first `most` that have a place, and behind them every one of `front`. The flag says
/// whether others are left out.
pub fn drawn<'t>(
    rows: &'t [RunTableRow],
    has_place: impl Fn(&RunTableRow) -> bool,
    front: &[u32],
    most: usize,
) -> (Vec<&'t RunTableRow>, bool) {
    let placed = || rows.iter().filter(|row| has_place(row));
    let mut drawn: Vec<&RunTableRow> = placed().take(most).collect();
    let mut has_more = false;
    for row in placed().skip(most) {
        if front.contains(&row.run) {
            drawn.push(row);
        } else {
            has_more = true;
        }
    }
    (drawn, has_more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_content::Cell;

    #[test]
    fn the_front_is_what_nothing_beats() {
        let points = [(1, 1.0, 0.5), (2, 2.0, 0.9), (3, 2.0, 0.4), (4, 3.0, 0.9), (5, 1.0, 0.5)];
        assert_eq!(pareto(&points, (false, true)), [1, 5, 2], "cheap and good; equals stay");
        assert_eq!(pareto(&points, (true, true)), [4]);
        assert_eq!(pareto(&points, (false, false)), [1, 5, 3]);
        assert_eq!(pareto(&points, (true, false)), [3, 4]);
        assert_eq!(pareto(&[(1, 0.0, 1.0), (2, -0.0, 1.0)], (true, true)), [1, 2], "both zeros are equal");
        assert!(pareto(&[], (true, true)).is_empty());
    }

    #[test]
    fn the_front_of_many_runs_is_that_of_all_pairs() {
        let number = |at: u32, by: u32| f64::from((at * by) % 41);
        let points: Vec<(u32, f64, f64)> = (0..300).map(|at| (at, number(at, 17), number(at * at, 23))).collect();
        for higher in [(true, true), (true, false), (false, true), (false, false)] {
            let better = |a: f64, b: f64, higher: bool| if higher { a >= b } else { a <= b };
            let is_beaten = |point: &(u32, f64, f64)| {
                points.iter().any(|other| {
                    better(other.1, point.1, higher.0)
                        && better(other.2, point.2, higher.1)
                        && (other.1, other.2) != (point.1, point.2)
                })
            };
            let mut all: Vec<_> = points.iter().filter(|point| !is_beaten(point)).collect();
            all.sort_by(|a, b| a.1.total_cmp(&b.1));
            assert_eq!(pareto(&points, higher), all.iter().map(|point| point.0).collect::<Vec<_>>(), "{higher:?}");
        }
    }

    #[test]
    fn the_front_is_drawn_whatever_is_left_out() {
        let row =
            |(run, value): (u32, f64)| RunTableRow { run, cells: vec![Cell::number("x", value)], own_keys: Vec::new() };
        let rows: Vec<RunTableRow> = (0..).zip([0.0, f64::NAN, 2.0, 3.0, 4.0]).map(row).collect();
        let has_place = |row: &RunTableRow| row.cells[0].value.is_some_and(f64::is_finite);
        let runs = |front: &[u32], most| {
            let (drawn, has_more) = drawn(&rows, has_place, front, most);
            (drawn.iter().map(|row| row.run).collect::<Vec<_>>(), has_more)
        };
        assert_eq!(runs(&[0, 4], 2), (vec![0, 2, 4], true));
        assert_eq!(runs(&[3, 4], 2), (vec![0, 2, 3, 4], false));
        assert_eq!(runs(&[], 4), (vec![0, 2, 3, 4], false));
    }
}
