//! A figure as SVG, inline in the HTML report.
//!
//! Shapes have classes and no colours; `svg/figure.css` gives them those of light and dark. Nothing has a `style` attribute
//! or a script, so that a strict content security policy holds, and every text is escaped.

mod file;

pub use file::svg_file;

use rundown_content::{Figure, Shape, Tone, path_data};
use rundown_format::coordinate;

/// Colours and line widths of the classes, light and dark.
pub(super) const STYLE: &str = include_str!("svg/figure.css");

/// An `<svg>` element for a document that has the style sheet `svg/figure.css`.
pub fn svg(figure: &Figure) -> String {
    let mut text = String::with_capacity(figure.shapes.len() * 64 + 512);
    let out = &mut text;
    let (width, height) = (coordinate(figure.width), coordinate(figure.height));
    out.push_str(&format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure\" role=\"img\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">"
    ));
    titled(out, "title", &figure.title.to_string());
    titled(out, "desc", &figure.summary);
    for each in &figure.shapes {
        shape(out, each);
        out.push('\n');
    }
    out.push_str("</svg>");
    text
}

fn shape(out: &mut String, shape: &Shape) {
    match shape {
        Shape::Line { points, values: _, tone, is_dashed, hint } => {
            open(out, "path", if *is_dashed { "l k" } else { "l" }, *tone);
            out.push_str(&format!(" d=\"{}", path_data(points.iter().copied())));
            close(out, "path", hint);
        }
        Shape::Area { points, tone } => {
            open(out, "path", "a", *tone);
            out.push_str(&format!(" d=\"{}Z", path_data(points.iter().copied())));
            close(out, "path", "");
        }
        Shape::Rectangle { x, y, width, height, tone, hint } => {
            open(out, "rect", "f", *tone);
            let [x, y, width, height] = [*x, *y, *width, *height].map(coordinate);
            out.push_str(&format!(" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}"));
            close(out, "rect", hint);
        }
        Shape::Dot { x, y, radius, tone, hint } => {
            open(out, "circle", "f", *tone);
            let [x, y, radius] = [*x, *y, *radius].map(coordinate);
            out.push_str(&format!(" cx=\"{x}\" cy=\"{y}\" r=\"{radius}"));
            close(out, "circle", hint);
        }
        Shape::Words { x, y, anchor, text, tone, hint } => {
            open(out, "text", anchor.class(), *tone);
            out.push_str(&format!(" x=\"{}\" y=\"{}\">", coordinate(*x), coordinate(*y)));
            titled(out, "title", hint);
            escaped(out, text);
            out.push_str("</text>");
        }
    }
}

/// Opens an element with its classes, up to its other attributes.
fn open(out: &mut String, tag: &str, kind: &str, tone: Tone) {
    out.push_str(&format!("<{tag} class=\"{kind} {}\"", tone.class()));
}

/// Ends the last attribute and the element, with its hint.
fn close(out: &mut String, tag: &str, hint: &str) {
    if hint.is_empty() {
        out.push_str("\"/>");
        return;
    }
    out.push_str("\">");
    titled(out, "title", hint);
    out.push_str(&format!("</{tag}>"));
}

fn titled(out: &mut String, tag: &str, text: &str) {
    if text.is_empty() {
        return;
    }
    out.push_str(&format!("<{tag}>"));
    escaped(out, text);
    out.push_str(&format!("</{tag}>"));
}

/// Text for an element or an attribute in quotes. What reorders or hides text, and what XML forbids, becomes a space.
pub(super) fn escaped(out: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}' => out.push(' '),
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rundown_content::Anchor;
    use rundown_plot::Theme;

    fn figure(text: &str) -> Figure {
        let shapes = vec![
            Shape::Line {
                points: vec![(0.0, 1.0), (2.04, -3.0), (f32::NAN, f32::NAN), (5.0, 5.0)],
                values: Vec::new(),
                tone: Tone::Series(9),
                is_dashed: true,
                hint: text.to_owned(),
            },
            Shape::Area { points: vec![(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)], tone: Tone::Accent },
            Shape::Dot { x: 1.0, y: 2.0, radius: 3.0, tone: Tone::Good, hint: String::new() },
            Shape::Rectangle { x: 1.0, y: 2.0, width: 3.0, height: 4.0, tone: Tone::Heat(200), hint: text.to_owned() },
            Shape::Words {
                x: 1.0,
                y: 2.0,
                anchor: Anchor::End,
                text: text.to_owned(),
                tone: Tone::Ink,
                hint: text.to_owned(),
            },
        ];
        Figure { title: text.into(), summary: text.to_owned(), width: 100.0, height: 50.5, shapes }
    }

    #[test]
    fn shapes_become_elements_with_classes() {
        let out = svg(&figure("a"));
        assert!(out.starts_with(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure\" role=\"img\" width=\"100\" height=\"50.5\" \
             viewBox=\"0 0 100 50.5\"><title>a</title><desc>a</desc>"
        ));
        assert!(out.contains("<path class=\"l k s1\" d=\"M0 1L2 -3M5 5\"><title>a</title></path>"), "{out}");
        assert!(out.contains("<path class=\"a accent\" d=\"M0 0L1 0L1 1Z\"/>"));
        assert!(out.contains("<circle class=\"f good\" cx=\"1\" cy=\"2\" r=\"3\"/>"));
        assert!(out.contains("<rect class=\"f h9\""));
        assert!(out.contains("<text class=\"w e ink\" x=\"1\" y=\"2\"><title>a</title>a</text>"));
    }

    #[test]
    fn the_style_has_the_colours_of_the_charts_and_of_the_page() {
        let tokens = include_str!("../../../style/tokens.css");
        let (light, dark) = STYLE.split_once("@media").unwrap();
        for (place, (day, night)) in Theme::LIGHT.series.iter().zip(Theme::DARK.series).enumerate() {
            for (half, color) in [(light, day), (dark, &night)] {
                assert!(half.contains(&format!(".s{place}{{--c:{}}}", color.css())), "s{place} {}", color.css());
            }
        }
        for (class, token) in (0..8)
            .map(|n| (format!("s{n}"), format!("series-{n}")))
            .chain((0..10).map(|n| (format!("h{n}"), format!("heat-{n}"))))
        {
            let colour = |half: &str| {
                let (_, after) = half.split_once(&format!(".{class}{{--c:")).unwrap();
                after.split_once('}').unwrap().0.to_owned()
            };
            let pair = format!("--{token}: light-dark({}, {});", colour(light), colour(dark));
            assert!(tokens.contains(&pair), "tokens.css lacks {pair}");
        }
    }

    proptest! {
        #[test]
        fn any_text_leaves_well_formed_xml(text: String) {
            let figure = figure(&text);
            {
                let out = svg(&figure);
                let document = roxmltree::Document::parse(&out).unwrap();
                let elements: Vec<&str> = document.descendants().filter(roxmltree::Node::is_element)
                    .map(|node| node.tag_name().name()).collect();
                let known = ["svg", "title", "desc", "style", "path", "circle", "rect", "text"];
                prop_assert!(elements.iter().all(|name| known.contains(name)));
                prop_assert!(!document.descendants().any(|node| node.has_attribute("style")));
            }
        }
    }
}
