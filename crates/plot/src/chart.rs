//! What a chart shows, as plain data: made by the page or a report, drawn by [`super::draw`], compared in tests.

use super::{Color, Dash, Range, Scale, Tick};

/// A chart of lines or cells over one x axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart<'a> {
    /// Visible part of x.
    pub x: Range,
    /// What x counts.
    pub x_kind: XKind,
    /// Words under the x axis; none when empty.
    pub x_title: String,
    /// Visible part of y.
    pub y: Range,
    /// How values of y are spaced.
    pub y_scale: Scale,
    /// False when nothing lies on the y axis: its numbers would mean nothing.
    pub y_labels: bool,
    /// A second y axis at the right, for the lines that ask for it.
    pub y_right: Option<Range>,
    /// Words in place of the numbers of the y axis, each at its value.
    pub y_names: Vec<Tick>,
    /// Least room for the labels of the y axis in CSS pixels, so that charts below one another are aligned.
    pub gutter_px: f64,
    /// Cells of a heat map, under the lines.
    pub cells: Vec<ChartCell>,
    /// Bands, under all lines.
    pub bands: Vec<ChartBand<'a>>,
    /// Lines, later ones over earlier ones.
    pub lines: Vec<ChartLine<'a>>,
    /// Shaded stretches of x, under everything.
    pub shaded: Vec<Shade>,
    /// Marks for values that have no place on the y axis.
    pub marks: Vec<EdgeMark>,
    /// Vertical rules.
    pub rules: Vec<Rule>,
}

impl Chart<'_> {
    /// An empty chart over two ranges.
    pub fn new(x: Range, y: Range) -> Self {
        Self {
            x,
            x_kind: XKind::Number,
            x_title: String::new(),
            y,
            y_scale: Scale::Linear,
            y_labels: true,
            y_right: None,
            y_names: Vec::new(),
            gutter_px: 0.0,
            cells: Vec::new(),
            bands: Vec::new(),
            lines: Vec::new(),
            shaded: Vec::new(),
            marks: Vec::new(),
            rules: Vec::new(),
        }
    }
}

/// What x counts: how its marks are chosen and written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum XKind {
    /// Steps.
    #[default]
    Number,
    /// Tokens.
    Tokens,
    /// Seconds, written as minutes, hours or days.
    Seconds,
    /// Unix seconds, written as date and time.
    Clock,
    /// Values of a metric.
    Value,
}

/// One line. It breaks at non-finite values; a point between two breaks becomes a dot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChartLine<'a> {
    /// Positions.
    pub x: &'a [f64],
    /// Values, one for each position.
    pub y: &'a [f64],
    /// Colour.
    pub color: Color,
    /// Width in CSS pixels.
    pub width_px: f64,
    /// Opacity, 0 to 1.
    pub alpha: f64,
    /// Dashes.
    pub dash: Dash,
    /// True when the line belongs to [`Chart::y_right`].
    pub right: bool,
}

/// A band between two edges. It breaks at non-finite values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChartBand<'a> {
    /// Positions, ascending.
    pub x: &'a [f64],
    /// Lower edge.
    pub low: &'a [f64],
    /// Upper edge.
    pub high: &'a [f64],
    /// Colour.
    pub color: Color,
    /// Opacity, 0 to 1.
    pub alpha: f64,
}

/// A cell of a heat map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChartCell {
    /// Left and right edge.
    pub x: (f64, f64),
    /// Lower and upper edge.
    pub y: (f64, f64),
    /// Colour.
    pub color: Color,
}

/// A shaded stretch of x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shade {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Colour.
    pub color: Color,
    /// Opacity, 0 to 1.
    pub alpha: f64,
}

/// A mark on the edge of the chart for a value that has no place on the y axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EdgeMark {
    /// A cross on the lower edge.
    Nan(f64),
    /// A triangle that points up, on the upper edge.
    PositiveInfinity(f64),
    /// A triangle that points down, on the lower edge.
    NegativeInfinity(f64),
    /// A triangle in the colour of its line, on the upper edge: a finite value above the axis.
    Above(f64, Color),
    /// The same on the lower edge: a finite value below the axis.
    Below(f64, Color),
}

impl EdgeMark {
    /// Where it stands along x.
    pub fn x(self) -> f64 {
        match self {
            EdgeMark::Nan(x) | EdgeMark::PositiveInfinity(x) | EdgeMark::NegativeInfinity(x) => x,
            EdgeMark::Above(x, _) | EdgeMark::Below(x, _) => x,
        }
    }
}

/// A vertical rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// Where it stands.
    pub x: f64,
    /// Colour.
    pub color: Color,
    /// True for a dashed one.
    pub is_dashed: bool,
}
