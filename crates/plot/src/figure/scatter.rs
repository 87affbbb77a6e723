//! Points over two quantities: settings against an outcome, and the Pareto front of quality against cost.

use std::borrow::Cow;
use std::collections::BTreeSet;

use rundown_content::{Anchor, Figure, RichText, Tone};
use rundown_format::{counted, number, redact};

use super::frame::{AxisScale, Frame, Margins, NOTHING};
use super::sheet::{Position, Sheet, TEXT, usable_width};
use super::words::{facts, hint, named, shortened, width as width_of};

/// From this many points on, those that would cover each other are drawn once.
const CROWDED: usize = 800;
/// Side of the square in which crowded points count as one, in pixels: the width of a point, so that a field that is full
/// stays full.
const CELL: f64 = 6.0;
/// Most names beside points.
const NAMES: usize = 12;
/// Most corners of a front that names keep off.
const LONGEST_FRONT: usize = 200;
/// Widest name beside a point, in pixels.
const NAME_ROOM: f64 = 150.0;

/// Points with shared axes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScatterChart<'a> {
    /// What it shows.
    pub title: RichText,
    /// The axis across.
    pub x: AxisScale,
    /// The axis up.
    pub y: AxisScale,
    /// Points, the most important first: it is drawn last and named first.
    pub points: Vec<Point<'a>>,
    /// Corners of a staircase, such as a Pareto front, by ascending x; empty for none.
    pub front: Vec<(f64, f64)>,
    /// A line through the points with a band around it, such as a running median, by ascending x; empty for none.
    pub trend: Vec<TrendPoint>,
}

/// One place of a line through points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrendPoint {
    /// Position.
    pub x: f64,
    /// Low end of the band.
    pub low: f64,
    /// The line.
    pub middle: f64,
    /// High end of the band.
    pub high: f64,
}

/// One point.
#[derive(Debug, Clone, PartialEq)]
pub struct Point<'a> {
    /// Its name, shown on pointing. It may hold a secret: it is redacted where it is drawn, as few of many points are.
    pub name: &'a str,
    /// Position.
    pub x: f64,
    /// Value.
    pub y: f64,
    /// Low and high end of y, where they are known.
    pub y_interval: Option<(f64, f64)>,
    /// Colour.
    pub tone: Tone,
    /// True for one of the few whose name stands beside it, if there is room.
    pub is_named: bool,
}

impl<'a> Point<'a> {
    /// A point without an interval and without a name beside it.
    pub fn new(name: &'a str, x: f64, y: f64) -> Self {
        Self { name, x, y, y_interval: None, tone: Tone::Accent, is_named: false }
    }
}

/// A point that is drawn.
struct PlacedPoint<'p> {
    point: &'p Point<'p>,
    /// Its name without secrets.
    name: Cow<'p, str>,
    place: Position,
}

impl ScatterChart<'_> {
    /// The figure at a width in CSS pixels.
    pub fn draw(&self, width_px: f64) -> Figure {
        let width = usable_width(width_px);
        let mut sheet = Sheet::new(width, (width * 0.55).clamp(220.0, 380.0));
        let both = |interval: Option<(f64, f64)>| interval.into_iter().flat_map(|(low, high)| [low, high]);
        let ys = self.points.iter().flat_map(|point| both(point.y_interval).chain([point.y]));
        let x = self.x.axis(self.points.iter().map(|point| point.x), true);
        let y = self.y.axis(ys, true);
        let margins = Margins { right: 14.0, ..Margins::default() };
        let frame = Frame::new(&sheet, margins, (x, &self.x), (y, &self.y));
        frame.draw_y(&mut sheet, &self.y.title);
        frame.draw_x(&mut sheet, &self.x, true);

        let stairs = self.front.windows(2).flat_map(|pair| match pair {
            [(x, y), (next, _)] => vec![(*x, *y), (*next, *y)],
            _ => Vec::new(),
        });
        let (line, _) = frame.trace(stairs.chain(self.front.last().copied()));
        sheet.line(&line, Tone::Accent, true, "Pareto front".to_owned());

        self.draw_band(&mut sheet, &frame);
        let placed = self.placed(&frame);
        for drawn in placed.iter().rev() {
            interval(&mut sheet, &frame, drawn);
        }
        for PlacedPoint { point, name, place } in placed.iter().rev() {
            let wording = facts(name, &[(&self.x.title, point.x), (&self.y.title, point.y)]);
            sheet.dot(*place, if point.is_named { 4.5 } else { 3.5 }, point.tone, wording);
        }
        // Over the points: thousands of them would cover it.
        let (line, _) = frame.trace(self.trend.iter().map(|point| (point.x, point.middle)));
        sheet.line(&line, Tone::Ink, false, "running median".to_owned());
        if placed.is_empty() {
            frame.draw_nothing(&mut sheet);
        }
        names(&mut sheet, &frame, &placed, &self.obstacles(&frame, &placed));
        sheet.finish(&self.title, self.summary())
    }

    /// The band around the trend.
    fn draw_band(&self, sheet: &mut Sheet, frame: &Frame) {
        let edge = |value: fn(&TrendPoint) -> f64| {
            let edge = self.trend.iter().filter_map(move |point| frame.inside(point.x, value(point)));
            edge.collect::<Vec<Position>>()
        };
        let (mut outline, lower) = (edge(|point| point.high), edge(|point| point.low));
        // An edge that leaves the area has no band.
        if outline.len() == self.trend.len() && lower.len() == self.trend.len() && outline.len() > 1 {
            outline.extend(lower.into_iter().rev());
            sheet.area(&outline, Tone::Accent);
        }
    }

    /// The points that have a place, the most important first.
    fn placed(&self, frame: &Frame) -> Vec<PlacedPoint<'_>> {
        let mut taken = BTreeSet::new();
        let is_crowded = self.points.len() > CROWDED;
        let mut placed = Vec::new();
        for point in &self.points {
            let Some(place) = frame.inside(point.x, point.y) else { continue };
            let cell = ((place.0 / CELL) as i32, (place.1 / CELL) as i32);
            if !is_crowded || taken.insert(cell) {
                placed.push(PlacedPoint { point, name: redact(point.name), place });
            }
        }
        placed
    }

    /// What a name shall not cover: points, intervals near them, the front.
    fn obstacles(&self, frame: &Frame, placed: &[PlacedPoint<'_>]) -> Vec<[f64; 4]> {
        let around = |from: Position, to: Position, by: f64| {
            [from.0.min(to.0) - by, from.1.min(to.1) - by, from.0.max(to.0) + by, from.1.max(to.1) + by]
        };
        let mut obstacles: Vec<[f64; 4]> = placed.iter().map(|drawn| around(drawn.place, drawn.place, 4.0)).collect();
        let named = placed.iter().filter(|drawn| drawn.point.is_named).take(NAMES);
        for PlacedPoint { point, place, .. } in named {
            let interval = point.y_interval.map(|ends| [ends.0, ends.1].map(|y| (place.0, frame.up(y))));
            obstacles.extend(interval.map(|[from, to]| around(from, to, 1.0)));
        }
        for pair in self.front.windows(2).take(LONGEST_FRONT) {
            if let [(x, y), (next_x, next_y)] = pair {
                let [from, corner, to] =
                    [(x, y), (next_x, y), (next_x, next_y)].map(|(x, y)| (frame.across(*x), frame.up(*y)));
                obstacles.extend([around(from, corner, 1.0), around(corner, to, 1.0)]);
            }
        }
        obstacles
    }

    fn summary(&self) -> String {
        let finite: Vec<&Point<'_>> =
            self.points.iter().filter(|point| point.x.is_finite() && point.y.is_finite()).collect();
        let (Some(lowest), Some(highest)) =
            (finite.iter().min_by(|a, b| a.y.total_cmp(&b.y)), finite.iter().max_by(|a, b| a.y.total_cmp(&b.y)))
        else {
            return NOTHING.to_owned();
        };
        let place = |point: &Point<'_>| {
            format!("{} with {} at {}", named(&redact(point.name)), number(point.y), number(point.x))
        };
        let points = counted(finite.len(), "point");
        let mut wording = format!("{points}. Highest: {}; lowest: {}.", place(highest), place(lowest));
        let rest = self.points.len() - finite.len();
        if rest > 0 {
            wording.push_str(&format!(" Without a place: {rest}."));
        }
        if !self.front.is_empty() {
            wording.push_str(&format!(" On the front: {}.", counted(self.front.len(), "point")));
        }
        wording
    }
}

fn interval(sheet: &mut Sheet, frame: &Frame, PlacedPoint { point, name, .. }: &PlacedPoint<'_>) {
    if let Some((low, high)) = point.y_interval {
        let (line, _) = frame.trace([(point.x, low), (point.x, high)].into_iter());
        sheet.line(&line, point.tone, false, hint(name));
    }
}

/// Names beside their points, each at the first of some sides where it covers neither a point nor another name.
fn names(sheet: &mut Sheet, frame: &Frame, placed: &[PlacedPoint<'_>], obstacles: &[[f64; 4]]) {
    let mut taken: Vec<[f64; 4]> = Vec::new();
    for PlacedPoint { name, place: (x, y), .. } in placed.iter().filter(|drawn| drawn.point.is_named).take(NAMES) {
        let wide = width_of(&shortened(name, NAME_ROOM));
        let (right, left) = (x + 8.0, x - 8.0 - wide);
        let (level, above, below) = (y + TEXT * 0.35, y - 7.0, y + 7.0 + TEXT * 0.8);
        let (middle, high) = (x - wide / 2.0, y - 16.0);
        let places = [
            (right, level),
            (left, level),
            (right - 3.0, above),
            (left + 3.0, above),
            (middle, above),
            (right - 3.0, below),
            (left + 3.0, below),
            (middle, below),
            (right, high),
            (left, high),
        ];
        let free = places.into_iter().find(|(left, base)| {
            let (top, right, bottom) = (base - TEXT * 0.85, left + wide, base + 3.0);
            let area = [*left, top, right, bottom];
            let fits = *left >= frame.left && right <= sheet.width && top >= frame.top && bottom <= frame.bottom;
            fits && !taken.iter().chain(obstacles).any(|other| overlap(&area, other))
        });
        if let Some((left, base)) = free {
            taken.push([left, base - TEXT * 0.85, left + wide, base + 3.0]);
            sheet.fitted((left, base), Anchor::Start, name, NAME_ROOM, Tone::Ink);
        }
    }
}

fn overlap([left, top, right, bottom]: &[f64; 4], [x0, y0, x1, y1]: &[f64; 4]) -> bool {
    left < x1 && x0 < right && top < y1 && y0 < bottom
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::testing::{assert_sound, hostile, texts};
    use proptest::prelude::*;
    use rundown_content::Shape;

    #[test]
    fn a_secret_in_a_name_is_not_drawn() {
        let secret = format!("hf_{}", "aB3".repeat(11));
        let name = format!("run {secret}");
        let point = Point { is_named: true, y_interval: Some((0.1, 0.3)), ..Point::new(&name, 1.0, 0.2) };
        let figure = ScatterChart { points: vec![point], ..ScatterChart::default() }.draw(600.0);
        let drawn = format!("{figure:?}");
        assert!(drawn.contains("run ") && !drawn.contains(&secret), "{drawn}");
    }

    #[test]
    fn the_few_that_matter_are_named_and_the_front_is_a_staircase() {
        let mut points: Vec<Point<'_>> = [("a", 1.0, 0.2), ("b", 10.0, 0.6), ("c", 100.0, 0.8), ("d", 50.0, 0.1)]
            .map(|(n, x, y)| Point::new(n, x, y))
            .into();
        points[1].is_named = true;
        points[1].y_interval = Some((0.5, 0.7));
        let front = vec![(1.0, 0.2), (10.0, 0.6), (100.0, 0.8)];
        let chart = ScatterChart {
            x: AxisScale::log("GPU-hours"),
            y: AxisScale::linear("eval/accuracy"),
            points,
            front,
            ..ScatterChart::default()
        };
        let figure = chart.draw(600.0);
        assert_sound(&figure);
        assert!(texts(&figure).contains(&"b") && !texts(&figure).contains(&"c"));
        let stairs = figure.shapes.iter().find_map(|shape| match shape {
            Shape::Line { points, is_dashed: true, .. } => Some(points.clone()),
            _ => None,
        });
        assert_eq!(stairs.unwrap().len(), 5);
        assert_eq!(
            figure.summary,
            "4 points. Highest: c with 0.8 at 100; lowest: d with 0.1 at 50. On the front: 3 points."
        );
    }

    #[test]
    fn ten_thousand_points_are_thinned_where_they_cover_each_other() {
        let points: Vec<Point<'_>> =
            (0..10_000).map(|n| Point::new("run", f64::from(n % 100), f64::from(n / 1000))).collect();
        let figure = ScatterChart { points, ..ScatterChart::default() }.draw(500.0);
        assert!(figure.shapes.len() < 1100, "{}", figure.shapes.len());
    }

    proptest! {
        #[test]
        fn any_data_makes_a_sound_figure(x in hostile(), y in hostile(), width in 100.0..2000.0f64, log: bool) {
            let points = x.iter().zip(&y).map(|(x, y)| Point {
                is_named: true,
                y_interval: Some((*x, *y)),
                ..Point::new("a name of some length\u{202e}", *x, *y)
            });
            let scale = AxisScale { scale: if log { crate::Scale::Log } else { crate::Scale::Symlog }, ..AxisScale::linear("title") };
            let front: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
            let trend = x.iter().zip(&y).map(|(x, y)| TrendPoint { x: *x, low: *y, middle: *x, high: *y });
            let chart = ScatterChart {
                title: "".into(), x: scale.clone(), y: scale, points: points.collect(), front, trend: trend.collect(),
            };
            assert_sound(&chart.draw(width));
        }
    }
}
