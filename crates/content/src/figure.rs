//! A drawing as shapes in its own units: the page and the HTML report make SVG of it, with their own colours.

use serde::{Deserialize, Serialize};

use rundown_format::{RichText, coordinate};

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
}

/// A shape. A `hint` is shown when somebody points at it; empty for none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// A line through points.
    Line {
        /// Points (x, y); a gap is a point that is NaN.
        points: Vec<(f32, f32)>,
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
    fn shapes_have_classes_and_paths_have_gaps() {
        let gap = f32::NAN;
        assert_eq!(path_data([(0.0, 1.25), (2.0, -3.0), (gap, gap), (5.0, 5.0)]), "M0 1.2L2 -3M5 5");
        assert_eq!(Tone::Run { run: 70, place: 9 }.class(), "s1");
        assert_eq!((Tone::Series(9).class(), Tone::Heat(200).class()), ("s1".to_owned(), "h9".to_owned()));
    }
}
