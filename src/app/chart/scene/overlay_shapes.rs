//! Places of the crosshair, its dots and the zoom box over a chart.

use super::data::ChartData;
use super::tips::SLACK;
use rundown_plot::{PlotArea, clamped};

/// Most dots: of a chart with more lines, the less important ones get none.
const MAX_DOTS: usize = 24;

/// A zoom box under way, in CSS pixels from the edges of the chart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ZoomBox {
    /// A part of x.
    Across(f64, f64),
    /// A part of y.
    Down(f64, f64),
}

/// Shapes over the lines of a chart, in CSS pixels from its left and upper edge.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OverlayShapes {
    /// The crosshair at the nearest point of any line.
    pub crosshair: Option<Crosshair>,
    /// A dot on each line, the most important one last.
    pub dots: Vec<Dot>,
    /// The zoom box, in place of the crosshair.
    pub zoom: Option<ZoomRectangle>,
}

/// The vertical line at the cursor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crosshair {
    /// Its left edge.
    pub x: f64,
    /// Its upper end.
    pub top: f64,
    /// Its length.
    pub height: f64,
}

/// A dot on a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dot {
    /// Its centre along x.
    pub x: f64,
    /// Its centre along y.
    pub y: f64,
    /// Place of the line's colour in the theme.
    pub hue: usize,
}

/// A zoom box within the plotting area.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ZoomRectangle {
    /// Its left edge.
    pub left: f64,
    /// Its upper edge.
    pub top: f64,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// True for a part of x, false for one of y.
    pub is_across: bool,
}

impl OverlayShapes {
    /// The crosshair and dots of a cursor at a position of x. `scale` is device pixels for each CSS pixel.
    pub fn of_cursor(data: &ChartData, area: &PlotArea, scale: f64, cursor: f64) -> Self {
        let Some(at) = data.snapped(cursor) else { return Self::default() };
        let across = area.pixel_of(at);
        if !(across >= area.left - 1.0 && across <= area.right + 1.0) {
            return Self::default();
        }
        let slack = area.x.range().span() * SLACK;
        let lines = data.lines.get(..MAX_DOTS).unwrap_or(&data.lines);
        // The most important line last, as in the picture.
        let dots = lines.iter().rev().filter_map(|line| {
            let reading = line.reading(at, slack)?;
            let is_right = area.y_right.is_some() && line.series_index == 1;
            let (x, y) = area.pixel(reading.x, reading.y, is_right)?;
            Some(Dot { x: x / scale, y: y / scale, hue: line.hue })
        });
        // A pixel wide and on whole device pixels: between them it would be blurred.
        let x = (across - scale / 2.0).round() / scale;
        let crosshair = Crosshair { x, top: area.top / scale, height: (area.bottom - area.top) / scale };
        Self { crosshair: Some(crosshair), dots: dots.collect(), zoom: None }
    }

    /// A zoom box, clipped to the plotting area.
    pub fn of_zoom(area: &PlotArea, scale: f64, zoom_box: ZoomBox) -> Self {
        let within = |a: f64, b: f64, low: f64, high: f64| {
            let at = |value: f64| clamped(value, low / scale, high / scale);
            (at(a.min(b)), at(a.max(b)))
        };
        let is_across = matches!(zoom_box, ZoomBox::Across(..));
        let (across, down) = match zoom_box {
            ZoomBox::Across(from, to) => ((from, to), (f64::NEG_INFINITY, f64::INFINITY)),
            ZoomBox::Down(from, to) => ((f64::NEG_INFINITY, f64::INFINITY), (from, to)),
        };
        let (left, right) = within(across.0, across.1, area.left, area.right);
        let (top, bottom) = within(down.0, down.1, area.top, area.bottom);
        let zoom = ZoomRectangle { left, top, width: right - left, height: bottom - top, is_across };
        Self { zoom: Some(zoom), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::data::LineData;
    use super::*;
    use rundown_plot::{Axis, Range};

    fn area() -> PlotArea {
        let axis = |high| Axis::linear(Range::new(0.0, high).unwrap());
        PlotArea { left: 100.0, top: 20.0, right: 300.0, bottom: 120.0, x: axis(10.0), y: axis(1.0), y_right: None }
    }

    fn data(lines: &[&[f64]]) -> ChartData {
        let line = |(hue, y): (usize, &&[f64])| LineData {
            hue,
            raw: ((0..y.len()).map(|x| x as f64).collect(), y.to_vec()),
            ..LineData::default()
        };
        ChartData { lines: lines.iter().enumerate().map(line).collect(), ..ChartData::default() }
    }

    #[test]
    fn the_crosshair_snaps_to_a_point_and_each_line_there_has_a_dot() {
        let data = data(&[&[0.0, 0.5, 1.0, 0.5], &[0.0, 1.0], &[0.0, 9.0, 9.0, 9.0]]);
        let shapes = OverlayShapes::of_cursor(&data, &area(), 2.0, 2.2);
        assert_eq!(shapes.crosshair, Some(Crosshair { x: 69.5, top: 10.0, height: 50.0 }));
        // The second line ended, the third one is above the area.
        assert_eq!(shapes.dots, [Dot { x: 70.0, y: 10.0, hue: 0 }]);
        let shapes = OverlayShapes::of_cursor(&data, &area(), 1.0, 0.0);
        assert_eq!(shapes.dots.iter().map(|dot| dot.hue).collect::<Vec<_>>(), [2, 1, 0]);
    }

    #[test]
    fn nothing_is_drawn_outside_of_the_area() {
        let far = LineData { raw: (vec![30.0], vec![0.5]), ..LineData::default() };
        let data = ChartData { lines: vec![far], ..ChartData::default() };
        assert_eq!(OverlayShapes::of_cursor(&data, &area(), 1.0, 5.0), OverlayShapes::default());
        assert_eq!(OverlayShapes::of_cursor(&ChartData::default(), &area(), 1.0, 5.0), OverlayShapes::default());
    }

    #[test]
    fn many_lines_have_few_dots() {
        let y: &[f64] = &[0.5, 0.5];
        let shapes = OverlayShapes::of_cursor(&data(&vec![y; 40]), &area(), 1.0, 0.0);
        assert_eq!((shapes.dots.len(), shapes.dots.last().map(|dot| dot.hue)), (MAX_DOTS, Some(0)));
    }

    #[test]
    fn a_zoom_box_ends_at_the_area() {
        let zoom = OverlayShapes::of_zoom(&area(), 2.0, ZoomBox::Across(120.0, 10.0)).zoom.unwrap();
        assert_eq!((zoom.left, zoom.width, zoom.top, zoom.height), (50.0, 70.0, 10.0, 50.0));
        let zoom = OverlayShapes::of_zoom(&area(), 1.0, ZoomBox::Down(40.0, 60.0)).zoom.unwrap();
        assert_eq!((zoom.left, zoom.width, zoom.top, zoom.height), (100.0, 200.0, 40.0, 20.0));
        assert!(!zoom.is_across);
    }
}
