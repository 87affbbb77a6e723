//! A chart as an SVG file.

use plotters::prelude::SVGBackend;

use super::{Chart, DrawError, Surface, Theme, draw_on};

/// Plotters' SVG backend divides every font size by this number.
const FONT_DIVISOR: f64 = 1.24;

/// Draws `chart` as an SVG document of `size` pixels, width and height.
pub fn svg(chart: &Chart<'_>, theme: &Theme, size: (u32, u32)) -> Result<String, DrawError> {
    let mut text = String::new();
    let mut backend = SVGBackend::with_string(&mut text, size);
    let surface = Surface { scale: 1.0, subpixels: 1, font_scale: FONT_DIVISOR };
    let drawn = draw_on(&mut backend, chart, theme, surface);
    drop(backend);
    drawn.map(|_| text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Range;

    #[test]
    fn a_document_is_complete_and_its_labels_have_their_size() {
        let text = svg(&Chart::new(Range::unit(), Range::unit()), &Theme::DARK, (300, 150)).unwrap();
        assert!(text.starts_with("<svg width=\"300\" height=\"150\"") && text.trim_end().ends_with("</svg>"));
        assert!(text.contains("font-size=\"11\""), "{text}");
    }
}
