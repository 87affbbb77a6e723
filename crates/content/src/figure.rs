//! A drawing as shapes in its own units: the page and the HTML report make SVG of it, with their own colours.

use serde::{Deserialize, Serialize};

use rundown_format::{RichText, coordinate, number};

/// A drawing. x grows to the right, y downwards, from (0, 0) to (`width`, `height`). A unit is meant as one CSS pixel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// What it shows, in a few words.
    pub title: RichText,
    /// What it says, in a sentence or two, for who can't see it and for Markdown.
    pub summary: String,
    /// Width in units of the shapes.
    pub width: f32,
    /// Height in units of the shapes.
    pub height: f32,
    /// Shapes from back to front.
    pub shapes: Vec<Shape>,
}

impl Figure {
    /// Height of its words, in units of the shapes: they were placed for it.
    pub const TEXT_SIZE: f64 = 11.0;

    /// What the shape at a place says, in units of the shapes; of dots and lines that near the nearest. Of several the one in
    /// front.
    pub fn hint_at(&self, x: f32, y: f32) -> Option<String> {
        let hinting = self.shapes.iter().rev().filter(|shape| !shape.hint().is_empty());
        let near = hinting.map(|shape| (shape.distance(x, y), shape)).filter(|(distance, _)| *distance <= REACH);
        near.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, shape)| shape.hint_near(x, y))
    }
}

/// How far from a dot or a line the pointer may be: 1.5 units are hard to hit.
const REACH: f32 = 8.0;
/// Width of a letter over the height of the words, about.
const LETTER: f32 = 0.55;

/// A shape. A `hint` is shown when somebody points at it; empty for none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// A line through points.
    Line {
        /// Points (x, y); a gap is a point that is NaN.
        points: Vec<(f32, f32)>,
        /// The value of each point, which is shown behind the hint; empty where the hint says all.
        values: Vec<f32>,
        /// Colour.
        tone: Tone,
        /// Dashes instead of a full line.
        is_dashed: bool,
        /// Shown on pointing.
        hint: String,
    },
    /// A filled outline, such as a band.
    Area {
        /// Corners (x, y).
        points: Vec<(f32, f32)>,
        /// Colour; drawn pale.
        tone: Tone,
    },
    /// A filled rectangle, such as a bar or a field of a heat map.
    Rectangle {
        /// Left edge.
        x: f32,
        /// Upper edge.
        y: f32,
        /// Width.
        width: f32,
        /// Height.
        height: f32,
        /// Colour.
        tone: Tone,
        /// Shown on pointing.
        hint: String,
    },
    /// A point.
    Dot {
        /// Centre.
        x: f32,
        /// Centre.
        y: f32,
        /// Radius.
        radius: f32,
        /// Colour.
        tone: Tone,
        /// Shown on pointing.
        hint: String,
    },
    /// Words; one line.
    Words {
        /// Where they stand.
        x: f32,
        /// Base line.
        y: f32,
        /// Which end of the words stands at x.
        anchor: Anchor,
        /// The words.
        text: String,
        /// Colour.
        tone: Tone,
        /// Shown on pointing: all of a name that was shortened.
        hint: String,
    },
}

/// Which end of a text is placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Anchor {
    /// Its start.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// A colour by its meaning; whoever draws chooses it for light and dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tone {
    /// Text.
    Ink,
    /// Text of less weight.
    Muted,
    /// Axes and grid lines.
    Grid,
    /// What is meant, where there is one thing.
    Accent,
    /// One of several, from 0; colours come again after eight.
    Series(u8),
    /// That of a run. A report, where runs have no colours of their own, draws it as one of several.
    Run {
        /// The engine's number of the run.
        run: u32,
        /// Its place among what the figure draws, from 0.
        place: u8,
    },
    /// Good.
    Good,
    /// Bad.
    Bad,
    /// Ugly.
    Ugly,
    /// From low (0) to high (9) in a heat map.
    Heat(u8),
}

impl Shape {
    /// What is shown when somebody points at it; empty for nothing.
    pub fn hint(&self) -> &str {
        match self {
            Self::Line { hint, .. }
            | Self::Rectangle { hint, .. }
            | Self::Dot { hint, .. }
            | Self::Words { hint, .. } => hint,
            Self::Area { .. } => "",
        }
    }

    /// The hint for a place at the shape: of a line with the value of the nearest point.
    fn hint_near(&self, x: f32, y: f32) -> String {
        let Self::Line { points, values, hint, .. } = self else { return self.hint().to_owned() };
        let distance = |((across, down), _): &(&(f32, f32), &f32)| length(across - x, down - y);
        // A gap is NaN, which is farther than any number.
        let nearest = points.iter().zip(values).min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.map_or_else(|| hint.clone(), |(_, value)| format!("{hint}: {}", number(f64::from(*value))))
    }

    /// Distance of a place to a dot or a line; of what has an area 0 within it, and infinite outside.
    fn distance(&self, x: f32, y: f32) -> f32 {
        let within = |left: f32, top: f32, width: f32, height: f32| {
            let is_within = (left..=left + width).contains(&x) && (top..=top + height).contains(&y);
            if is_within { 0.0 } else { f32::INFINITY }
        };
        match self {
            Self::Dot { x: across, y: down, radius, .. } => (length(x - across, y - down) - radius).max(0.0),
            Self::Line { points, .. } => {
                let pairs = points.windows(2).filter_map(|pair| pair.first().zip(pair.last()));
                pairs.map(|(from, to)| to_segment((x, y), *from, *to)).fold(f32::INFINITY, f32::min)
            }
            Self::Rectangle { x, y, width, height, .. } => within(*x, *y, *width, *height),
            Self::Words { x, y, anchor, text, .. } => {
                let height = Figure::TEXT_SIZE as f32;
                let width = LETTER * height * text.chars().count() as f32;
                let before = match anchor {
                    Anchor::Start => 0.0,
                    Anchor::Middle => width / 2.0,
                    Anchor::End => width,
                };
                within(x - before, y - height, width, height)
            }
            Self::Area { .. } => f32::INFINITY,
        }
    }
}

/// Distance of a place to a segment; infinite for one with an end that is NaN.
fn to_segment(place: (f32, f32), from: (f32, f32), to: (f32, f32)) -> f32 {
    let (across, down) = (to.0 - from.0, to.1 - from.1);
    let square = across * across + down * down;
    let along = (place.0 - from.0) * across + (place.1 - from.1) * down;
    let share = if square > 0.0 { (along / square).clamp(0.0, 1.0) } else { 0.0 };
    let distance = length(place.0 - from.0 - share * across, place.1 - from.1 - share * down);
    if distance.is_nan() { f32::INFINITY } else { distance }
}

fn length(across: f32, down: f32) -> f32 {
    (across * across + down * down).sqrt()
}

impl Anchor {
    /// The classes of a text in SVG.
    pub fn class(self) -> &'static str {
        match self {
            Self::Start => "w",
            Self::Middle => "w m",
            Self::End => "w e",
        }
    }
}

impl Tone {
    /// The class of a shape in SVG, to which style sheets give its colour.
    pub fn class(self) -> String {
        match self {
            Self::Ink => "ink".to_owned(),
            Self::Muted => "muted".to_owned(),
            Self::Grid => "grid".to_owned(),
            Self::Accent => "accent".to_owned(),
            Self::Series(place) | Self::Run { place, .. } => format!("s{}", place % 8),
            Self::Good => "good".to_owned(),
            Self::Bad => "bad".to_owned(),
            Self::Ugly => "ugly".to_owned(),
            Self::Heat(step) => format!("h{}", step.min(9)),
        }
    }
}

/// Points as path data of SVG: a point that is not finite is a gap.
pub fn path_data(points: impl IntoIterator<Item = (f32, f32)>) -> String {
    let mut data = String::new();
    let mut is_down = false;
    for (x, y) in points {
        if !(x.is_finite() && y.is_finite()) {
            is_down = false;
            continue;
        }
        data.push(if is_down { 'L' } else { 'M' });
        data.push_str(&coordinate(x));
        data.push(' ');
        data.push_str(&coordinate(y));
        is_down = true;
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_shape_within_reach_says_what_it_is() {
        let dot = |x: f32, hint: &str| Shape::Dot { x, y: 50.0, radius: 4.0, tone: Tone::Accent, hint: hint.into() };
        let line = |points: &[(f32, f32)], hint: &str| Shape::Line {
            points: points.to_vec(),
            values: Vec::new(),
            tone: Tone::Accent,
            is_dashed: false,
            hint: hint.into(),
        };
        let bar = Shape::Rectangle { x: 80.0, y: 0.0, width: 10.0, height: 40.0, tone: Tone::Good, hint: "bar".into() };
        let words = Shape::Words {
            x: 100.0,
            y: 100.0,
            anchor: Anchor::End,
            text: "a na…".into(),
            tone: Tone::Ink,
            hint: "a name".into(),
        };
        let gap = (f32::NAN, f32::NAN);
        let shapes = vec![
            line(&[(0.0, 100.0), (100.0, 100.0)], ""),
            line(&[(0.0, 0.0), (40.0, 0.0), gap, (50.0, 0.0), (70.0, 0.0)], "line"),
            dot(20.0, "one"),
            dot(28.0, "two"),
            dot(28.0, "in front"),
            bar,
            words,
        ];
        let figure = Figure { title: "".into(), summary: String::new(), width: 100.0, height: 100.0, shapes };
        let places = [
            (20.0, 51.0, Some("one")),
            (28.0, 50.0, Some("in front")),
            (13.0, 44.0, Some("one")),
            (28.0, 70.0, None),
            (20.0, 6.0, Some("line")),
            (20.0, 9.0, None),
            (45.0, 1.0, Some("line")),
            (89.0, 39.0, Some("bar")),
            (92.0, 39.0, None),
            (90.0, 95.0, Some("a name")),
            (10.0, 99.0, None),
        ];
        for (x, y, hint) in places {
            assert_eq!(figure.hint_at(x, y).as_deref(), hint, "{x} {y}");
        }
    }

    #[test]
    fn a_line_says_the_value_of_its_nearest_point() {
        let line = Shape::Line {
            points: vec![(0.0, 90.0), (40.0, 50.0), (f32::NAN, f32::NAN), (80.0, 10.0)],
            values: vec![0.1, 0.5, f32::NAN, 0.9],
            tone: Tone::Accent,
            is_dashed: false,
            hint: "amber".into(),
        };
        let figure =
            Figure { title: "".into(), summary: String::new(), width: 100.0, height: 100.0, shapes: vec![line] };
        assert_eq!(figure.hint_at(3.0, 88.0).as_deref(), Some("amber: 0.1"));
        assert_eq!(figure.hint_at(30.0, 61.0).as_deref(), Some("amber: 0.5"));
    }

    #[test]
    fn shapes_have_classes_and_paths_have_gaps() {
        let gap = f32::NAN;
        assert_eq!(path_data([(0.0, 1.25), (2.0, -3.0), (gap, gap), (5.0, 5.0)]), "M0 1.2L2 -3M5 5");
        assert_eq!(Tone::Run { run: 70, place: 9 }.class(), "s1");
        assert_eq!((Tone::Series(9).class(), Tone::Heat(200).class()), ("s1".to_owned(), "h9".to_owned()));
    }
}
