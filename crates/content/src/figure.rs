//! A drawing as shapes in its own units: the page and the HTML report make SVG of it, with their own colours.

use serde::{Deserialize, Serialize};

use rundown_format::RichText;

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
    /// Good.
    Good,
    /// Bad.
    Bad,
    /// Ugly.
    Ugly,
    /// From low (0) to high (9) in a heat map.
    Heat(u8),
}
