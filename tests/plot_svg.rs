//! Charts drawn as SVG: the nearest native look at what the page draws.

use plotters::prelude::SVGBackend;
use proptest::prelude::*;
use rundown_plot::{
    Chart, ChartBand, ChartCell, ChartLine, Color, Dash, DrawError, EdgeMark, PlotArea, Range, Rule, Scale, Shade,
    Surface, Theme, draw_on,
};

fn svg(chart: &Chart<'_>, size: (u32, u32), scale: f64) -> (String, Result<PlotArea, DrawError>) {
    let mut text = String::new();
    let mut backend = SVGBackend::with_string(&mut text, size);
    let area = draw_on(&mut backend, chart, &Theme::LIGHT, Surface { scale, subpixels: 1 });
    drop(backend);
    (text, area)
}

fn line<'a>(x: &'a [f64], y: &'a [f64]) -> ChartLine<'a> {
    ChartLine { x, y, color: Theme::LIGHT.series[0], width_px: 1.5, alpha: 1.0, dash: Dash::Solid, right: false }
}

fn range(low: f64, high: f64) -> Range {
    Range::new(low, high).unwrap_or(Range::unit())
}

fn count(text: &str, pattern: &str) -> usize {
    text.matches(pattern).count()
}

#[test]
fn a_chart_has_its_lines_grid_and_labels() {
    let x = [0.0, 40.0, 80.0, 120.0, 160.0];
    let y = [0.4, 0.3, 2.0, 3.1, 3.2];
    let mut chart = Chart::new(range(0.0, 160.0), range(0.0, 3.4));
    chart.lines.push(line(&x, &y));
    chart.shaded.push(Shade { from: 9.0, to: 160.0, color: Theme::LIGHT.ugly, alpha: 0.06 });
    chart.rules.push(Rule { x: 9.0, color: Theme::LIGHT.note, is_dashed: false });
    let (text, area) = svg(&chart, (430, 170), 1.0);
    let area = area.unwrap();
    assert_eq!(count(&text, "<polyline"), 1, "one path for one unbroken line");
    assert_eq!(count(&text, "stroke=\"#0072B2\""), 1);
    assert_eq!(count(&text, "fill=\"#E3E3DD\""), 4, "a grid line for 0, 1, 2 and 3");
    assert_eq!(count(&text, "fill=\"#C0262D\""), 1, "the shade");
    for label in ["\n0\n", "\n1\n", "\n50\n", "\n150\n"] {
        assert!(text.contains(label) || text.contains(&format!(">{label}")), "{label:?}");
    }
    assert!(area.left > 10.0 && area.right < 430.0 && area.bottom < 170.0);
    let points = text.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
    let first: Vec<f64> = points.split(' ').next().unwrap().split(',').map(|n| n.parse().unwrap()).collect();
    assert!((first[0] - area.left).abs() <= 1.0, "the first point stands on the left edge");
    assert!((area.x_at(area.pixel_of(42.0)) - 42.0).abs() < 1e-9);
}

#[test]
fn a_line_breaks_at_nan_and_a_lone_point_is_a_dot() {
    let x = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    let nan = f64::NAN;
    let y = [1.0, 2.0, nan, 3.0, nan, 2.0, f64::INFINITY, 1.0];
    let mut chart = Chart::new(range(0.0, 7.0), range(0.0, 4.0));
    chart.lines.push(line(&x, &y));
    chart.marks = vec![EdgeMark::Nan(2.0), EdgeMark::Nan(4.0), EdgeMark::PositiveInfinity(6.0)];
    let (text, area) = svg(&chart, (400, 160), 1.0);
    assert!(area.is_ok());
    assert_eq!(count(&text, "stroke=\"#0072B2\""), 1, "only the first two points are joined");
    assert_eq!(count(&text, "<circle"), 3, "3.0, 2.0 and the last 1.0 stand alone");
    assert_eq!(count(&text, "<polygon"), 1, "the infinity");
    assert_eq!(count(&text, "<polyline"), 1 + 2 * 2, "the line, and two strokes for each cross");
}

#[test]
fn a_line_that_leaves_the_area_is_cut_at_its_edge() {
    let x = [0.0, 5.0, 10.0];
    let y = [0.5, 1e300, 0.5];
    let mut chart = Chart::new(range(0.0, 10.0), range(0.0, 1.0));
    chart.lines.push(line(&x, &y));
    let (text, area) = svg(&chart, (400, 160), 1.0);
    let area = area.unwrap();
    for points in text.split("points=\"").skip(1) {
        for pair in points.split('"').next().unwrap().split_whitespace() {
            let (px, py) = pair.split_once(',').unwrap();
            let (px, py): (f64, f64) = (px.parse().unwrap(), py.parse().unwrap());
            assert!(px >= area.left - 1.0 && px <= area.right + 1.0, "{pair}");
            assert!(py >= area.top - 1.0 && py <= area.bottom + 1.0, "{pair}");
        }
    }
    assert_eq!(count(&text, "<polyline"), 2, "up on the left, down on the right");
}

#[test]
fn two_scales_have_labels_in_their_lines_colour() {
    let x = [0.0, 1.0];
    let (reward, length) = ([0.0, 1.0], [100.0, 900.0]);
    let mut chart = Chart::new(range(0.0, 1.0), range(0.0, 1.0));
    chart.y_right = Some(range(0.0, 1000.0));
    chart.lines.push(line(&x, &reward));
    chart.lines.push(ChartLine { color: Theme::LIGHT.series[1], right: true, ..line(&x, &length) });
    let (text, area) = svg(&chart, (400, 160), 1.0);
    assert!(area.unwrap().right < 380.0, "room for labels at the right");
    assert!(text.contains("1000\n"));
    assert!(count(&text, "fill=\"#D55E00\"") >= 2 && count(&text, "fill=\"#0072B2\"") >= 2);
}

#[test]
fn a_band_lies_under_its_dashed_line_and_what_is_off_scale_is_marked() {
    let x = [0.0, 5.0, 10.0];
    let (low, middle, high) = ([0.0, 0.2, 0.1], [0.5, 0.5, 0.5], [1.0, 9.0, 0.8]);
    let color = Theme::LIGHT.series[2];
    let mut chart = Chart::new(range(0.0, 10.0), range(0.0, 1.0));
    chart.bands.push(ChartBand { x: &x, low: &low, high: &high, color, alpha: 0.2 });
    chart.lines.push(ChartLine { dash: Dash::Dashed, ..line(&x, &middle) });
    chart.marks.push(EdgeMark::Above(5.0, color));
    chart.rules.push(Rule { x: 2.0, color: Theme::LIGHT.note, is_dashed: true });
    let (text, area) = svg(&chart, (400, 160), 1.0);
    assert!(area.is_ok());
    assert_eq!(count(&text, "<polygon"), 2, "the band and the mark");
    assert!(count(&text, "stroke=\"#0072B2\"") > 20, "dashes");
    assert!(count(&text, "fill=\"#5B6B8C\"") > 10, "the rule is dashed too");
}

#[test]
fn a_surface_without_room_is_refused() {
    let chart = Chart::new(Range::unit(), Range::unit());
    let (_, area) = svg(&chart, (20, 10), 1.0);
    assert!(matches!(area, Err(DrawError::TooSmall { width: 20, height: 10 })));
}

#[test]
fn twice_the_scale_doubles_the_picture() {
    let x = [0.0, 1.0];
    let mut chart = Chart::new(Range::unit(), Range::unit());
    chart.lines.push(line(&x, &x));
    let (_, one) = svg(&chart, (400, 160), 1.0);
    let (text, two) = svg(&chart, (800, 320), 2.0);
    let (one, two) = (one.unwrap(), two.unwrap());
    assert!((two.left - 2.0 * one.left).abs() <= 2.0 && (two.bottom - 2.0 * one.bottom).abs() <= 2.0);
    assert!(text.contains("stroke-width=\"3\""));
}

#[test]
fn the_same_chart_gives_the_same_bytes() {
    let x: Vec<f64> = (0..500).map(f64::from).collect();
    let y: Vec<f64> = x.iter().map(|x| (x * 37.0) % 11.0).collect();
    let mut chart = Chart::new(range(0.0, 499.0), range(0.0, 11.0));
    chart.lines.push(line(&x, &y));
    assert_eq!(svg(&chart, (600, 200), 1.0).0, svg(&chart, (600, 200), 1.0).0);
}

#[test]
fn a_cell_stays_in_the_area_and_a_narrow_one_is_seen() {
    let color = Theme::LIGHT.heat[9];
    let mut chart = Chart::new(range(0.0, 10.0), range(0.0, 1.0));
    let cell = |x, y| ChartCell { x, y, color };
    chart.cells = vec![
        cell((-5.0, 2.0), (0.5, 9.0)),
        cell((5.0, 5.0), (0.0, 1.0)),
        cell((20.0, 30.0), (0.0, 1.0)),
        cell((6.0, 7.0), (f64::NAN, 1.0)),
    ];
    let (text, area) = svg(&chart, (400, 160), 1.0);
    let area = area.unwrap();
    let number = |rect: &str, name: &str| -> f64 {
        rect.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    let rects = text.split("<rect").skip(1).filter(|rect| rect.contains(&color.css().to_uppercase()));
    let places: Vec<[f64; 4]> =
        rects.map(|rect| ["x", "y", "width", "height"].map(|name| number(rect, name))).collect();
    let [[x, y, width, height], [narrow_x, _, narrow, _]] = places[..] else { panic!("{places:?}") };
    assert_eq!((x, y), (area.left, area.top), "cut at the left and upper edge");
    assert!((width - (area.right - area.left) * 0.2).abs() <= 1.0 && (height - 69.0).abs() < 10.0, "{places:?}");
    assert_eq!(narrow, 2.0);
    assert!((narrow_x + 1.0 - area.pixel_of(5.0)).abs() <= 1.0, "{places:?}");
    assert!((area.y_at(area.top) - 1.0).abs() < 1e-9 && area.y_at(area.bottom).abs() < 1e-9);
}

proptest! {
    #[test]
    fn any_numbers_can_be_drawn(
        ends: (f64, f64), y_ends: (f64, f64), right: Option<(f64, f64)>, scale_of_y in 0..3_usize, dash in 0..4_usize,
        points in prop::collection::vec((any::<f64>(), any::<f64>()), 0..60),
        size in (0_u32..2000, 0_u32..1000), scale in prop_oneof![0.5..4.0f64, any::<f64>()], width_px: f64, alpha: f64,
    ) {
        let (Some(x_range), Some(y_range)) = (Range::new(ends.0, ends.1), Range::new(y_ends.0, y_ends.1)) else {
            return Ok(());
        };
        let (x, y): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
        let mut chart = Chart::new(x_range, y_range);
        chart.y_scale = [Scale::Linear, Scale::Log, Scale::Symlog][scale_of_y];
        let dash = Dash::of(dash);
        chart.y_right = right.and_then(|(a, b)| Range::new(a, b));
        let color = Color::hex(0x12_3456);
        chart.lines.push(ChartLine { x: &x, y: &y, color, width_px, alpha, dash, right: false });
        chart.lines.push(ChartLine { x: &y, y: &x, color, width_px, alpha, dash, right: true });
        chart.cells = x.iter().zip(&y).map(|(x, y)| ChartCell { x: (*x, *y), y: (*y, *x), color }).collect();
        chart.shaded.push(Shade { from: ends.1, to: y_ends.0, color, alpha });
        chart.marks = x.iter().flat_map(|x| [EdgeMark::Nan(*x), EdgeMark::NegativeInfinity(*x), EdgeMark::Above(*x, color)]).collect();
        chart.bands.push(ChartBand { x: &x, low: &y, high: &x, color, alpha });
        chart.rules = y.iter().map(|y| Rule { x: *y, color, is_dashed: y.is_sign_negative() }).collect();
        let (text, area) = svg(&chart, size, scale);
        prop_assert!(!text.contains("NaN") && !text.contains("inf"));
        if let Ok(area) = area {
            prop_assert!(area.left < area.right && area.top < area.bottom);
            prop_assert!(area.right <= f64::from(size.0) && area.bottom <= f64::from(size.1));
        }
    }
}
