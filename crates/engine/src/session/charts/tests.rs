//! Charts of runs made by hand, with values that can be checked by hand.

use super::*;
use rundown_protocol::{ArrayIndex, Center, Line, LineGrouping, SeriesRef, Smoothing, SmoothingKind, XAxis};
use rundown_run::{Band, ConfigValue, Thinning};

/// A run with one metric `m` at steps 0, 1, 2 and so on, a second each; NaN is logged as NaN.
fn run(values: &[f64]) -> Run {
    let mut run = Run::default();
    for (place, value) in values.iter().enumerate() {
        let row = run.push_row(place as f64, 50.0 + place as f64);
        run.push_value("m", row, *value);
    }
    run.choose_axis();
    run
}

fn with_rate(mut run: Run, rate: f64) -> Run {
    run.config.insert("lr", ConfigValue::Number(rate));
    run
}

/// The lines of runs, numbered from 1, and the arrays.
fn draw(runs: &[Run], wanted: &LinesRequest) -> (Lines, Vec<Vec<f64>>) {
    let mut caches: Vec<LineCache> = runs.iter().map(|_| LineCache::default()).collect();
    let mut charts: Vec<ChartRun<'_>> = runs
        .iter()
        .zip(&mut caches)
        .enumerate()
        .map(|(place, (run, cache))| ChartRun { number: place as u32 + 1, run, bindings: None, cache })
        .collect();
    lines(&mut charts, wanted)
}

/// Asks for `m` of the first so many runs.
fn request(runs: u32) -> LinesRequest {
    let series = (1..=runs).map(|run| SeriesRef { run, key: "m".to_owned() }).collect();
    LinesRequest { series, width_px: 100, ..LinesRequest::default() }
}

fn grouped(runs: u32, center: Center) -> LinesRequest {
    LinesRequest { group: Some(LineGrouping { setting: "lr".to_owned(), center }), ..request(runs) }
}

fn array(arrays: &[Vec<f64>], index: ArrayIndex) -> &[f64] {
    &arrays[index as usize]
}

fn is_near(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9 || (a.is_nan() && b.is_nan()))
}

#[test]
fn lines_of_several_runs_keep_their_places() {
    let mut wanted = request(3);
    wanted.series.insert(1, SeriesRef { run: 1, key: "nowhere".to_owned() });
    let (lines, arrays) = draw(&[run(&[1.0, 2.0]), run(&[5.0, f64::NAN, 7.0])], &wanted);
    assert_eq!(lines.lines.iter().map(|line| line.series).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(lines.x_extent, Some((0.0, 2.0)));
    let second = &lines.lines[1];
    assert_eq!((second.robust_range, second.points, array(&arrays, second.nan_x)), (Some((5.0, 7.0)), 3, &[1.0][..]));
    assert_eq!((second.smooth_x, second.smooth_y, &second.band), (second.x, second.y, &None));
    assert!(array(&arrays, second.restarts).is_empty());
}

const KINDS: [SmoothingKind; 4] =
    [SmoothingKind::TimeWeightedEma, SmoothingKind::Ema, SmoothingKind::Gaussian, SmoothingKind::RunningMean];

#[test]
fn a_smoothed_value_is_the_same_in_every_window() {
    // Few points, and so many that the average is made of sums of them.
    for points in [2_000, 40_000] {
        let run = run(&rundown_stats::testing::white(4, points));
        let mut cache = LineCache::default();
        let mut smooth = |smoothing, window| {
            let chart = ChartRun { number: 1, run: &run, bindings: None, cache: &mut cache };
            let wanted = LinesRequest { smoothing, window, width_px: 100_000, ..request(1) };
            let (lines, arrays) = lines(&mut [chart], &wanted);
            let Line { smooth_x, smooth_y, .. } = lines.lines[0];
            (array(&arrays, smooth_x).to_vec(), array(&arrays, smooth_y).to_vec())
        };
        for (kind, weight) in KINDS.into_iter().flat_map(|kind| [0.5, 0.8, 0.99].map(|weight| (kind, weight))) {
            let smoothing = Smoothing { kind, weight };
            let (whole_x, whole_y) = smooth(smoothing, None);
            let (from, to) = (points as f64 * 0.6, points as f64 * 0.6 + 150.0);
            let (x, y) = smooth(smoothing, Some((from, to)));
            assert_eq!((x.len(), x.first(), x.last()), (151, Some(&from), Some(&to)), "{kind:?}");
            for (x, y) in x.iter().zip(&y) {
                let Some(place) = whole_x.iter().position(|whole| whole == x) else { continue };
                assert!((whole_y[place] - y).abs() < 0.005, "{kind:?} {weight} at {x}: {} {y}", whole_y[place]);
            }
        }
    }
}

#[test]
fn a_band_holds_what_a_pixel_column_holds_and_the_extremes_of_buckets() {
    let wanted = LinesRequest { band: true, width_px: 2, window: Some((0.0, 4.0)), ..request(1) };
    let (lines, arrays) = draw(&[run(&[1.0, 4.0, 2.0, 3.0])], &wanted);
    let band = lines.lines[0].band.clone().unwrap();
    assert_eq!((array(&arrays, band.low), array(&arrays, band.high)), (&[1.0, 2.0][..], &[4.0, 3.0][..]));
    let wanted = LinesRequest { band: true, ..request(1) };
    assert_eq!(draw(&[run(&[1.0, 4.0])], &wanted).0.lines[0].band, None, "the line says it all");
    let mut bucketed = run(&[1.0, 2.0]);
    let mut edges = Band::default();
    edges.low.push(1, -5.0);
    edges.high.push(1, 50.0);
    bucketed.bands.insert("m".to_owned(), edges);
    bucketed.note_sampling(Some("m"), Thinning::Buckets);
    let (lines, arrays) = draw(&[bucketed], &wanted);
    let line = &lines.lines[0];
    let band = line.band.clone().unwrap();
    assert_eq!((array(&arrays, band.low), array(&arrays, band.high)), (&[1.0, -5.0][..], &[1.0, 50.0][..]));
    assert_eq!(line.robust_range, Some((-5.0, 50.0)));
}

#[test]
fn a_window_and_a_smoothing_are_taken_from_the_same_series() {
    let run = run(&(0..1_000).map(f64::from).collect::<Vec<_>>());
    let mut cache = LineCache::default();
    let mut at = |from: f64, kind| {
        let chart = ChartRun { number: 1, run: &run, bindings: None, cache: &mut cache };
        let smoothing = Smoothing { kind, weight: 0.5 };
        let wanted = LinesRequest { window: Some((from, from + 9.0)), smoothing, ..request(1) };
        let (lines, arrays) = lines(&mut [chart], &wanted);
        array(&arrays, lines.lines[0].smooth_y).to_vec()
    };
    // Three points around each, of a line that rises evenly.
    let means: Vec<f64> = (100..110).map(f64::from).collect();
    assert!(is_near(&at(100.0, SmoothingKind::RunningMean), &means));
    assert_ne!(at(100.0, SmoothingKind::Ema), means, "another kind is made anew");
    assert_eq!(at(200.0, SmoothingKind::RunningMean)[0], 200.0, "and another window");
    assert!(is_near(&at(100.0, SmoothingKind::RunningMean), &means));
}

#[test]
fn the_mean_of_a_group_has_an_interval_of_students_t() {
    let runs = [
        with_rate(run(&[1.0, 2.0, 3.0]), 1e-4),
        with_rate(run(&[9.0, 9.0]), 1e-5),
        with_rate(run(&[3.0, 4.0]), 1e-4),
        with_rate(run(&[2.0, 6.0]), 1e-4),
        run(&[0.5]),
    ];
    let (lines, arrays) = draw(&runs, &grouped(5, Center::Mean));
    let groups: Vec<(u32, &str, usize)> = lines
        .lines
        .iter()
        .map(|line| (line.series, line.group.as_ref().unwrap().value.as_str(), line.group.as_ref().unwrap().runs.len()))
        .collect();
    assert_eq!(groups, [(0, "1e-4", 3), (1, "1e-5", 1), (4, "", 1)]);
    let line = &lines.lines[0];
    assert_eq!(array(&arrays, line.x), [0.0, 1.0, 2.0]);
    assert!(is_near(array(&arrays, line.y), &[2.0, 4.0, 3.0]), "the third step is of one run alone");
    let band = line.band.clone().unwrap();
    // t with 2 degrees of freedom: 4.302653. Standard deviations 1 and 2 of three values each.
    let half = 4.302_652_729_749 / 3.0_f64.sqrt();
    assert!(is_near(array(&arrays, band.low), &[2.0 - half, 4.0 - 2.0 * half, 3.0]), "{:?}", array(&arrays, band.low));
    assert!(is_near(array(&arrays, band.high), &[2.0 + half, 4.0 + 2.0 * half, 3.0]));
    assert_eq!((line.points, lines.lines[1].band.is_none()), (7, true));
    let (low, high) = line.robust_range.unwrap();
    assert!((low - (4.0 - 2.0 * half)).abs() < 1e-9 && (high - (4.0 + 2.0 * half)).abs() < 1e-9);
}

#[test]
fn members_are_brought_to_shared_steps_and_never_drawn_beyond_their_ends() {
    let mut sparse = Run::default();
    for (step, value) in [(0.0, 0.0), (4.0, 8.0)] {
        let row = sparse.push_row(step, f64::NAN);
        sparse.push_value("m", row, value);
    }
    sparse.choose_axis();
    let runs = [sparse, run(&[2.0, 2.0, f64::NAN])];
    let (lines, arrays) = draw(&runs, &grouped(2, Center::Mean));
    let line = &lines.lines[0];
    assert_eq!(array(&arrays, line.x), [0.0, 1.0, 2.0, 4.0]);
    assert_eq!(array(&arrays, line.y), [1.0, 2.0, 4.0, 8.0]);
    assert_eq!(array(&arrays, line.nan_x), [2.0], "what one member lost is marked");
    let band = line.band.clone().unwrap();
    assert_eq!(array(&arrays, band.low), [0.0, 2.0, 4.0, 8.0], "from least to greatest of two");
    let window = LinesRequest { window: Some((0.5, 3.0)), ..grouped(2, Center::Mean) };
    let (lines, arrays) = draw(&runs, &window);
    assert_eq!(array(&arrays, lines.lines[0].x), [0.5, 1.0, 2.0, 3.0], "the ends of the window");
    assert_eq!(array(&arrays, lines.lines[0].y), [1.5, 2.0, 4.0, 6.0]);
    assert_eq!(lines.x_extent, Some((0.0, 4.0)));
}

#[test]
fn an_interquartile_mean_leaves_the_ends_out_and_long_runs_are_thinned() {
    let level = |level: f64| run(&vec![level; 3_000]);
    let runs: Vec<Run> = [1.0, 2.0, 3.0, 400.0].map(level).into();
    let (lines, arrays) = draw(&runs, &grouped(4, Center::Iqm));
    let line = &lines.lines[0];
    assert!(array(&arrays, line.y).iter().all(|value| (value - 2.5).abs() < 1e-9));
    assert_eq!((array(&arrays, line.x).len(), line.points), (512, 12_000));
    let band = line.band.clone().unwrap();
    let (low, high) = (array(&arrays, band.low)[7], array(&arrays, band.high)[7]);
    assert!((1.0..2.5).contains(&low) && high > 2.5, "{low} {high}");
    assert_eq!(draw(&runs, &grouped(4, Center::Iqm)).1, arrays, "the same each time");
}

#[test]
fn metrics_are_the_rows_of_a_heat_map() {
    let mut run = run(&[1.0, 2.0, 3.0, 5.0]);
    for (row, value) in [(0, 3.0), (2, f64::NAN), (3, 3.0)] {
        run.push_value("n", row, value);
    }
    let mut cache = LineCache::default();
    let mut chart = ChartRun { number: 1, run: &run, bindings: None, cache: &mut cache };
    let source = HeatSource::Rows(["m", "nowhere", "n"].map(str::to_owned).into());
    let wanted = HeatRequest { run: 1, source, x: XAxis::Step, window: None, width_px: 400 };
    let (found, arrays) = heat(&mut chart, &wanted);
    let columns = found.columns.unwrap();
    assert_eq!((columns.rows.clone(), columns.row_ranges), (vec!["m".to_owned(), "n".to_owned()], vec![(1.0, 5.0); 2]));
    assert_eq!((array(&arrays, columns.bins), columns.histograms), (&[0.0, 1.0, 2.0][..], 7));
    let nan = f64::NAN;
    let expected = [0.0, 0.5, 0.25, nan, 0.5, nan, 1.0, 0.5];
    assert!(is_near(array(&arrays, columns.shares), &expected), "{:?}", array(&arrays, columns.shares));
    let (narrow, arrays) = heat(&mut chart, &HeatRequest { width_px: 2, ..wanted.clone() });
    let columns = narrow.columns.unwrap();
    // Steps 0 and 1, 2 and 3: means 1.5 and 4 of m; 3 and nothing of n, as one of its values is NaN.
    assert_eq!(columns.row_ranges, [(1.5, 4.0); 2]);
    assert!(is_near(array(&arrays, columns.shares), &[0.0, 0.6, 1.0, nan]));
    for (row, value) in [(0, 100.0), (1, 300.0), (2, 200.0), (3, 900.0)] {
        run.push_value("tokens", row, value);
    }
    let mut chart = ChartRun { number: 1, run: &run, bindings: None, cache: &mut LineCache::default() };
    let source = HeatSource::Rows(["m", "tokens"].map(str::to_owned).into());
    let (mixed, arrays) = heat(&mut chart, &HeatRequest { source, ..wanted.clone() });
    let columns = mixed.columns.unwrap();
    assert_eq!(columns.row_ranges, [(1.0, 5.0), (100.0, 900.0)], "each row over its own range");
    assert!(is_near(array(&arrays, columns.shares), &[0.0, 0.0, 0.25, 0.25, 0.5, 0.125, 1.0, 1.0]));
    let (nothing, _) = heat(&mut chart, &HeatRequest { source: HeatSource::default(), ..wanted });
    assert_eq!(nothing, Heat::default());
}

#[test]
fn a_line_over_another_metric_is_sorted_by_it() {
    let mut run = run(&[1.0, 2.0, 3.0]);
    for (row, value) in [(0, 30.0), (1, 10.0), (2, 20.0)] {
        run.push_value("n", row, value);
    }
    let wanted = LinesRequest { x: XAxis::Metric("n".to_owned()), ..request(1) };
    let (lines, arrays) = draw(std::slice::from_ref(&run), &wanted);
    let Line { x, y, .. } = lines.lines[0];
    assert_eq!((array(&arrays, x), array(&arrays, y)), (&[10.0, 20.0, 30.0][..], &[2.0, 3.0, 1.0][..]));
    let tokens = draw(&[run], &LinesRequest { x: XAxis::Tokens, ..request(1) }).0;
    assert_eq!(tokens, Lines::default(), "nothing counts tokens");
}
