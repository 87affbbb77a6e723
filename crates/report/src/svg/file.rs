//! A figure as a file of its own: with its title, its colours and a ground.
//!
//! Programs that draw papers know classes and no CSS variables, so the colours of the style sheet are written out.

use super::{STYLE, escaped, svg};
use rundown_content::Figure;
use rundown_format::coordinate;

/// Room around the figure.
const MARGIN: f32 = 12.0;
/// Height of the title.
const TITLE: f32 = 24.0;
/// What the style sheet says of shapes, without colours.
const SHAPES: &str = "text{font:11px system-ui,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif}\
    .l{fill:none;stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}.l.grid,.l.muted{stroke-width:1}\
    .k{stroke-dasharray:5 4}.a{fill-opacity:.18}rect{shape-rendering:crispEdges}.m{text-anchor:middle}\
    .e{text-anchor:end}.title{font-size:14px;font-weight:600}";

/// An SVG file, light or dark.
pub fn svg_file(figure: &Figure, is_dark: bool) -> String {
    let title = figure.title.to_string();
    let top = if title.is_empty() { MARGIN } else { MARGIN + TITLE };
    let [width, height] = [figure.width + 2.0 * MARGIN, figure.height + top + MARGIN].map(coordinate);
    let ground = if is_dark { "#181b1f" } else { "#fff" };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n<style>{SHAPES}{}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{ground}\"/>\n",
        colours(is_dark)
    );
    if !title.is_empty() {
        let [x, y] = [MARGIN, MARGIN + 13.0].map(coordinate);
        out.push_str(&format!("<text class=\"w ink title\" x=\"{x}\" y=\"{y}\">"));
        escaped(&mut out, &title);
        out.push_str("</text>\n");
    }
    let [x, y] = [MARGIN, top].map(coordinate);
    out.push_str(&format!("<g transform=\"translate({x} {y})\">"));
    out.push_str(&svg(figure));
    out.push_str("</g>\n</svg>\n");
    out
}

/// The colours of the style sheet as rules without variables.
fn colours(is_dark: bool) -> String {
    let (light, dark) = STYLE.split_once("@media").unwrap_or((STYLE, STYLE));
    let mut rules = String::new();
    for line in if is_dark { dark } else { light }.lines() {
        let rule = line.strip_prefix(".figure .").and_then(|rule| rule.strip_suffix('}')?.split_once("{--c:"));
        if let Some((class, colour)) = rule {
            let fills = format!(".a.{class},.f.{class},.w.{class}{{fill:{colour}}}");
            rules.push_str(&format!(".l.{class}{{stroke:{colour}}}{fills}"));
        }
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_content::{Shape, Tone};

    fn figure(title: &str) -> Figure {
        let line = |tone| Shape::Line {
            points: vec![(0.0, 0.0), (9.0, 9.0)],
            values: Vec::new(),
            tone,
            is_dashed: false,
            hint: String::new(),
        };
        let shapes = vec![line(Tone::Series(0)), line(Tone::Grid)];
        Figure { title: title.into(), summary: String::new(), width: 100.0, height: 50.0, shapes }
    }

    #[test]
    fn a_file_has_its_title_its_size_and_the_colours_of_its_ground() {
        let light = svg_file(&figure("a < b"), false);
        assert!(light.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"124\" height=\"98\""), "{light}");
        assert!(light.contains(">a &lt; b</text>") && light.contains("fill=\"#fff\""));
        assert!(light.contains(".l.s0{stroke:#0072b2}.a.s0,.f.s0,.w.s0{fill:#0072b2}"), "{light}");
        assert!(light.contains(".l.h9{stroke:#0a2a5e}") && !light.contains("var("));
        let dark = svg_file(&figure(""), true);
        assert!(dark.contains(".l.s0{stroke:#56b4e9}") && dark.contains("height=\"74\"") && !dark.contains("#0072b2"));
        for file in [light, dark] {
            roxmltree::Document::parse(&file).unwrap();
        }
    }
}
