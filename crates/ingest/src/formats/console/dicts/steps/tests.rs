//! Bars beside rows, and the steps that they give.

use super::*;

fn run(rows: &[(RowKind, u64)], last: u64, every: Option<f64>) -> (Vec<f64>, bool) {
    run_of(1000, rows, last, every)
}

fn run_of(total: u64, rows: &[(RowKind, u64)], last: u64, every: Option<f64>) -> (Vec<f64>, bool) {
    let mut bars = Bars::default();
    let state = |done| std::iter::once(ProgressBar { name: "", done, total, elapsed: None });
    bars.add(state(0));
    let mut hints = Vec::new();
    for (kind, done) in rows {
        bars.add(state(*done));
        hints.push(bars.hint(*kind));
    }
    bars.add(state(last));
    let (steps, warning) = steps(&hints, &bars, every);
    (steps, warning.is_some())
}

#[test]
fn a_bar_that_lags_is_rounded_up() {
    use RowKind::{Evaluation, Last, Training};
    let rows = [(Training, 10), (Training, 19), (Training, 29), (Training, 39), (Evaluation, 39), (Last, 44)];
    assert_eq!(run(&rows, 44, None), (vec![10.0, 20.0, 30.0, 40.0, 40.0, 44.0], false));
    let first = [(Training, 1), (Training, 5), (Training, 10), (Training, 15)];
    assert_eq!(run(&first, 15, None).0, [1.0, 5.0, 10.0, 15.0]);
    let rows = [(Training, 9), (Training, 19), (Training, 25)];
    assert_eq!(run_of(25, &rows, 25, None).0, [10.0, 20.0, 25.0], "the last row is at the end of the bar");
}

#[test]
fn a_single_row_beside_a_bar_that_lags_is_rounded_up_as_the_settings_say() {
    use RowKind::{Last, Training};
    assert_eq!(run(&[(Training, 9), (Last, 13)], 14, Some(10.0)).0, [10.0, 14.0]);
    assert_eq!(
        run(&[(Training, 9), (Training, 18)], 18, Some(10.0)).0,
        [9.0, 18.0],
        "their own distance is another one"
    );
    assert_eq!(run(&[(Training, 1)], 4, Some(10.0)).0, [1.0], "the first step");
    assert_eq!(run(&[(Training, 9)], 9, None).0, [9.0]);
}

#[test]
fn a_training_that_was_resumed_goes_on_at_its_checkpoint() {
    let row = |step: u64| (RowKind::Training, step);
    let rows: Vec<_> = (1..=25).chain(21..=50).map(|row_number| row(row_number * 10)).collect();
    let expected: Vec<f64> = rows.iter().map(|(_, step)| *step as f64).collect();
    assert_eq!(run(&rows, 500, Some(10.0)), (expected.clone(), false));
    let late: Vec<_> = rows.iter().map(|(kind, step)| (*kind, step - u64::from(step % 50 == 10))).collect();
    assert_eq!(run(&late, 500, None), (expected, false), "rounded up");
    let inner: Vec<_> = [90, 60, 80, 70, 90, 50].map(row).into();
    assert!(run(&inner, 90, None).1, "the bar of an inner loop");
}

#[test]
fn the_times_of_a_training_that_was_resumed_are_those_of_its_last_part() {
    let state = |done, seconds| std::iter::once(ProgressBar { name: "", done, total: 500, elapsed: Some(seconds) });
    let times = |resumed: u64| {
        let mut bars = Bars::default();
        (0..=25).for_each(|row| bars.add(state(10 * row, 60 * row)));
        (resumed..=26).for_each(|row| bars.add(state(10 * row, 60 * (row - resumed))));
        let steps: Vec<f64> = (1..=25).chain(resumed + 1..=26).map(|row| 10.0 * row as f64).collect();
        bars.seconds_until(&steps)
    };
    let back = times(21);
    assert!(back.iter().take(25).all(|time| time.is_nan()), "{back:?}");
    assert_eq!(back[25..], [60.0, 120.0, 180.0, 240.0, 300.0]);
    let at_its_end = times(25);
    assert!(at_its_end.iter().take(24).all(|time| time.is_nan()), "{at_its_end:?}");
    assert_eq!(at_its_end[24..], [0.0, 60.0]);
}

#[test]
fn the_planned_steps_of_a_finished_training_give_the_distance() {
    let hints = |rows| (0..rows).map(|_| Bars::default().hint(RowKind::Training)).collect::<Vec<_>>();
    let of = |rows, total| distance(&hints(rows), &Bars::default(), Some(total), &BTreeMap::new());
    assert_eq!([of(15, 75.0), of(15, 79.0), of(60, 60.0)], [Some(5.0), None, Some(1.0)]);
    assert_eq!(
        [of(2, 75.0), of(11, 100.0), of(0, 75.0), of(15, -1.0)],
        [None; 4],
        "several distances, no row, no plan"
    );
}

#[test]
fn the_totals_of_the_trainer_give_the_distance() {
    let of = |rows: usize, seconds: f64, speed: f64| {
        let hints: Vec<_> = (0..rows).map(|_| Bars::default().hint(RowKind::Training)).collect();
        let totals = [(RUNTIME, seconds), (SPEED, speed)];
        let totals = totals.map(|(key, value)| (key.to_owned(), Json::Number(value)));
        distance(&hints, &Bars::default(), None, &BTreeMap::from(totals))
    };
    assert_eq!((of(20, 3121.0, 0.032), of(100, 3121.0, 0.032)), (Some(5.0), Some(1.0)));
    assert_eq!((of(5, 2121.0, 0.027), of(200, 3121.0, 0.032)), (None, None), "several, or none");
}

#[test]
fn a_named_bar_does_not_count_the_steps() {
    let mut bars = Bars::default();
    let state = |name, done, total| std::iter::once(ProgressBar { name, done, total, elapsed: None });
    bars.add(state("Processing dataset", 32, 32));
    bars.add(state("", 9, 14));
    let mut hints = vec![bars.hint(RowKind::Training)];
    bars.add(state("", 13, 14));
    hints.push(bars.hint(RowKind::Last));
    bars.add(state("", 14, 14));
    assert_eq!(steps(&hints, &bars, None).0, [9.0, 14.0]);
}

#[test]
fn the_end_of_a_bar_may_stand_behind_the_closing_line() {
    let state = |done, total| std::iter::once(ProgressBar { name: "", done, total, elapsed: None });
    let of = |behind: (u64, u64)| {
        let mut bars = Bars::default();
        bars.add(state(0, 100));
        let hints: Vec<RowHint> = (0..20).map(|_| bars.hint(RowKind::Training)).collect();
        let closed = bars.clone();
        bars.add(state(behind.0, behind.1));
        steps(&hints, &bars.until(Some(closed)), None).0.last().copied()
    };
    assert_eq!(of((100, 100)), Some(100.0));
    assert_eq!((of((80, 80)), of((50, 100))), (Some(20.0), Some(20.0)), "of an evaluation");
}

#[test]
fn a_bar_that_is_one_step_late_at_the_closing_line_is_at_its_end() {
    let state = |done| std::iter::once(ProgressBar { name: "", done, total: 14, elapsed: None });
    let of = |at_closing: u64| {
        let mut bars = Bars::default();
        bars.add(state(0).chain(state(9)));
        let training = bars.hint(RowKind::Training);
        bars.add(state(at_closing));
        let (closing, closed) = (bars.hint(RowKind::Last), bars.clone());
        bars.add(state(14));
        steps(&[training, closing], &bars.until(Some(closed)), None).0
    };
    assert_eq!(of(13), [9.0, 14.0]);
    assert_eq!(of(11), [9.0, 11.0], "it ended early, and another training followed");
}

#[test]
fn a_bar_that_comes_after_the_first_rows_does_not_say_where_the_training_began() {
    let mut bars = Bars::default();
    let mut hints = vec![bars.hint(RowKind::Training), bars.hint(RowKind::Training)];
    for done in [25, 61, 100] {
        bars.add(std::iter::once(ProgressBar { name: "", done, total: 100, elapsed: None }));
        hints.extend((0..4).map(|_| bars.hint(RowKind::Training)).take(if done == 100 { 0 } else { 4 }));
    }
    assert_eq!(steps(&hints, &bars, None).0, (1..=10).map(|row| f64::from(row) * 10.0).collect::<Vec<_>>());
}

#[test]
fn a_bar_whose_clock_counts_the_steps_before_its_first_state_began_at_the_first_step() {
    let first = |seconds: u64| {
        let state =
            |done, seconds| std::iter::once(ProgressBar { name: "", done, total: 2000, elapsed: Some(seconds) });
        let mut bars = Bars::default();
        bars.add(state(59, seconds));
        let hints: Vec<RowHint> = (0..200).map(|_| bars.hint(RowKind::Training)).collect();
        bars.add(state(2000, 56_000));
        steps(&hints, &bars, None).0.first().copied()
    };
    assert_eq!(first(1700), Some(10.0));
    assert_eq!(first(20), Some(1.0), "resumed at step 59: no distance fits");
    let mut end = Bars::default();
    end.add(std::iter::once(ProgressBar { name: "", done: 175, total: 175, elapsed: Some(410) }));
    let hints: Vec<RowHint> = (0..17).map(|_| end.hint(RowKind::Training)).collect();
    assert_eq!(steps(&hints, &end, None).0.last(), Some(&170.0), "the end alone was kept");
    let first = |states: &[(u64, u64)]| {
        let mut bars = Bars::default();
        for (done, seconds) in states {
            bars.add(std::iter::once(ProgressBar { name: "", done: *done, total: 1000, elapsed: Some(*seconds) }));
        }
        bars.first_step(&[bars.hint(RowKind::Training)])
    };
    assert_eq!((first(&[(501, 3)]), first(&[(501, 3), (502, 6)])), (501, 501), "resumed, and stopped after a step");
    assert_eq!((first(&[(501, 1503)]), first(&[(501, 1503), (502, 1506)])), (0, 0), "the last states alone were kept");
}

#[test]
fn the_end_of_a_bar_is_no_place_among_counted_rows() {
    use RowKind::{Last, Training};
    let rows = [(Training, 5), (Training, 5), (Training, 5), (Training, 5), (Last, 5)];
    assert_eq!(run(&rows, 5, None), (vec![1.0, 2.0, 3.0, 4.0, 4.0], true));
}

#[test]
fn rows_that_come_late_are_spread_over_the_bar() {
    let late = [(RowKind::Training, 300), (RowKind::Training, 300), (RowKind::Training, 300)];
    assert_eq!(run(&late, 330, None), (vec![100.0, 200.0, 300.0], true));
    assert_eq!(run(&late, 330, Some(50.0)), (vec![50.0, 100.0, 150.0], false));
    let none = [(RowKind::Training, 0), (RowKind::Training, 0)];
    assert_eq!(run(&none, 0, None), (vec![1.0, 2.0], true));
}
