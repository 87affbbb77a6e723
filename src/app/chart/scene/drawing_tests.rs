//! Tests of what a chart draws.

use super::super::heat::HeatData;
use super::*;

fn line(series_index: usize, y: &[f64]) -> LineData {
    let x = (0..y.len()).map(|x| x as f64).collect();
    LineData { series_index, run: Some(1), hue: series_index, raw: (x, y.to_vec()), ..LineData::default() }
}

fn data(lines: Vec<LineData>) -> ChartData {
    ChartData { extent: Range::new(0.0, 3.0), lines, ..ChartData::default() }
}

fn options() -> ViewOptions {
    ViewOptions { view: Range::new(0.0, 3.0).unwrap(), own_scales: true, ..ViewOptions::default() }
}

#[test]
fn lines_of_one_size_share_a_scale() {
    let data = data(vec![line(0, &[0.3, 3.2, 3.2]), line(1, &[1.48, 0.0, 0.0])]);
    let chart = scene(&data, &options(), &Theme::LIGHT);
    assert_eq!(chart.y_right, None);
    assert!(chart.y.contains(0.0) && chart.y.contains(3.2));
    assert_eq!(chart.lines[1].color, Theme::LIGHT.series[0], "the first key is drawn last");
    let shares = self::data(vec![line(0, &[0.2, 0.9, 0.95]), line(1, &[0.2, 0.3, 0.3])]);
    assert_eq!(scene(&shares, &options(), &Theme::LIGHT).y_right, None, "the gap between two shares tells something");
}

#[test]
fn lines_of_different_size_get_a_scale_each() {
    let data = data(vec![line(0, &[0.3, 0.9]), line(1, &[100.0, 900.0])]);
    let chart = scene(&data, &options(), &Theme::LIGHT);
    assert!(chart.y.high() < 2.0 && chart.y_right.unwrap().high() > 900.0);
    assert!(chart.lines.iter().find(|line| line.color == Theme::LIGHT.series[1]).unwrap().right);
    let shared = scene(&data, &ViewOptions { own_scales: false, ..options() }, &Theme::LIGHT);
    assert!(shared.y_right.is_none() && shared.y.high() > 900.0);
}

#[test]
fn a_smooth_line_lies_over_its_faded_raw_one() {
    let mut only = line(0, &[0.0, 10.0]);
    only.smooth = Some((vec![0.0, 1.0], vec![0.0, 5.0]));
    let data = data(vec![only]);
    let chart = scene(&data, &options(), &Theme::DARK);
    assert!(chart.lines[0].alpha < 1.0 && chart.lines[1].alpha == 1.0);
    assert!(chart.y.contains(10.0), "a spike that smoothing hides still sets the scale");
}

#[test]
fn the_open_run_is_drawn_last_and_thicker_and_a_hovered_one_over_it() {
    let of = |run: u32, is_open| LineData { run: Some(run), is_open, ..line(run as usize, &[1.0, 2.0]) };
    let data = data(vec![of(1, true), of(2, false), of(3, false)]);
    let drawn = |highlighted| scene(&data, &ViewOptions { highlighted, ..options() }, &Theme::LIGHT).lines;
    let calm = drawn(None);
    assert_eq!(calm[2].color, Theme::LIGHT.series[1]);
    assert!(calm[2].width_px > calm[0].width_px && calm[2].alpha > calm[0].alpha);
    let highlighted = drawn(Some(2));
    assert_eq!(highlighted[2].color, Theme::LIGHT.series[2]);
    assert!(highlighted[0].alpha < 0.3 && highlighted[1].alpha < 0.3);
    assert_eq!(drawn(Some(9)), calm, "a run that is not drawn here fades nothing");
}

#[test]
fn values_beyond_the_scale_are_marked_at_its_edge() {
    let spiky = LineData { robust: Some((1.0, 2.0)), ..line(0, &[1.0, 2.0, 500.0, -90.0]) };
    let color = Theme::LIGHT.series[0];
    let data = data(vec![spiky]);
    let marks = scene(&data, &options(), &Theme::LIGHT).marks;
    assert_eq!(marks, [EdgeMark::Above(2.0, color), EdgeMark::Below(3.0, color)]);
    assert!(scene(&data, &ViewOptions { outliers: true, ..options() }, &Theme::LIGHT).marks.is_empty());
}

#[test]
fn bands_and_restarts_are_drawn() {
    let mut only = line(0, &[1.0, 2.0, 3.0]);
    only.band = Some((vec![0.0, 1.0], vec![0.5, 1.5], vec![1.5, 2.5]));
    only.restarts = vec![1.5];
    let data = data(vec![only]);
    let chart = scene(&data, &options(), &Theme::LIGHT);
    assert_eq!((chart.bands.len(), chart.rules.len(), chart.rules[0].is_dashed), (1, 1, true));
}

#[test]
fn zeros_lie_at_the_foot() {
    let data = data(vec![line(0, &[0.0, 0.0, 0.0])]);
    assert_eq!(scene(&data, &options(), &Theme::LIGHT).y.low(), 0.0);
}

#[test]
fn the_scale_follows_the_window() {
    let data = data(vec![line(0, &[0.0, 1.0, 1000.0, 1000.0])]);
    let chart = scene(&data, &ViewOptions { view: Range::new(0.0, 1.0).unwrap(), ..options() }, &Theme::LIGHT);
    assert!(chart.y.high() < 2.0);
}

#[test]
fn a_shade_without_an_end_runs_to_the_edge() {
    let data = data(vec![line(0, &[1.0, 2.0])]);
    let shading =
        |onset, end| ViewOptions { shade: Some(Shading { onset, end, severity: SeverityMark::Note }), ..options() };
    let shades = |options: &ViewOptions| scene(&data, options, &Theme::LIGHT).shaded;
    assert_eq!(shades(&shading(1.0, None))[0].to, 3.0);
    assert_eq!(shades(&shading(1.0, Some(2.0)))[0].to, 2.0);
}

#[test]
fn data_without_a_finite_value_still_has_axes() {
    let data = data(vec![line(0, &[f64::NAN, f64::INFINITY]), line(1, &[])]);
    for scale in [None, Some(Scale::Log), Some(Scale::Symlog)] {
        let chart = scene(&data, &ViewOptions { scale, ..options() }, &Theme::LIGHT);
        assert_eq!((chart.y, chart.y_labels), (Range::unit(), false));
    }
}

#[test]
fn an_empty_picture_says_why() {
    let nothing = data(vec![line(0, &[f64::NAN])]);
    let below_zero = data(vec![line(0, &[-1.0, -2.0, 0.0])]);
    let log = ViewOptions { scale: Some(Scale::Log), ..options() };
    assert_eq!(emptiness(&nothing, &log), Some("No finite values."));
    assert_eq!(emptiness(&below_zero, &options()), None);
    assert!(emptiness(&below_zero, &log).unwrap().contains("log axis"));
    let without = ChartData { extent: None, ..data(vec![]) };
    assert!(emptiness(&without, &options()).unwrap().contains("Not logged"));
    assert!(emptiness(&ChartData { x: XAxis::Tokens, ..without }, &options()).unwrap().contains("x axis"));
}

#[test]
fn histograms_are_cells_over_the_range_of_their_bins() {
    let heat = HeatData {
        logged: vec![(0.0, 0.0)],
        edges: vec![(0.0, 1.0)],
        bins: vec![-2.0, 0.0, 2.0],
        shares: vec![0.0, 1.0],
        ..HeatData::default()
    };
    let data = ChartData { heat: Some(heat), is_heat: true, ..data(vec![]) };
    let log = ViewOptions { scale: Some(Scale::Log), ..options() };
    let chart = scene(&data, &log, &Theme::DARK);
    assert_eq!((chart.y.ends(), chart.y_scale, chart.cells.len()), ((-2.0, 2.0), Scale::Linear, 1));
    assert_eq!(emptiness(&data, &log), None);
    let beside = ChartData { heat: None, ..data };
    assert_eq!(emptiness(&beside, &log), Some("No data."));
}

#[test]
fn marks_stand_where_values_were_not_finite() {
    let mut only = line(0, &[1.0]);
    (only.nan_x, only.negative_infinity_x) = (vec![1.0, 2.0], vec![3.0]);
    let data = data(vec![only]);
    let marks = scene(&data, &options(), &Theme::LIGHT).marks;
    assert_eq!(marks, [EdgeMark::Nan(1.0), EdgeMark::Nan(2.0), EdgeMark::NegativeInfinity(3.0)]);
}

#[test]
fn a_group_is_lit_by_each_of_its_runs() {
    let of = |members: &[u32]| LineData { run: None, members: members.to_vec(), ..line(0, &[1.0, 2.0]) };
    let data = ChartData { lines: vec![of(&[1, 2]), of(&[3])], ..ChartData::default() };
    let alphas = |highlighted| {
        scene(&data, &ViewOptions { highlighted, ..options() }, &Theme::LIGHT)
            .lines
            .iter()
            .map(|line| line.alpha)
            .collect::<Vec<_>>()
    };
    let [faded, highlighted] = alphas(Some(2))[..] else { panic!("two lines") };
    assert!(highlighted > 0.9 && faded < 0.3, "the highlighted one lies over the other");
    assert_eq!(alphas(Some(7)), alphas(None), "a run of another chart fades nothing");
}
