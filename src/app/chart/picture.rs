//! A chart as a picture for a document: title, legend and axes, at two pixels for each one on the page.

use leptos::prelude::document;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use super::backend::{PageBackend, SUBPIXELS, context};
use super::model::ChartModel;
use super::scene::data::ChartData;
use super::scene::drawing::scene;
use super::scene::view_options::ViewOptions;
use super::scene::words::x_title;
use rundown_plot::{Dash, Surface, Theme, draw_on, text_width};

const SCALE: f64 = 2.0;
/// Size in CSS pixels, at least.
const MIN_SIZE: (f64, f64) = (640.0, 320.0);
const PAD: f64 = 14.0;
const TITLE_PX: f64 = 15.0;
const LEGEND_PX: f64 = 12.0;
const ROW: f64 = 18.0;
const SWATCH: f64 = 18.0;

/// The picture; `None` while there is nothing to draw. The first of the words is its title, the others are the names of
/// the lines.
pub fn picture(chart: ChartModel, words: &[String]) -> Option<HtmlCanvasElement> {
    let (heading, names) = words.split_first()?;
    let (data, size, theme) = (chart.data()?, chart.size(), chart.theme());
    let css = |pixels: u32| f64::from(pixels) / size.scale;
    let (width, height) = (css(size.width).max(MIN_SIZE.0), css(size.height).max(MIN_SIZE.1));
    // Nothing is highlighted in a document.
    let options = ViewOptions { highlighted: None, ..chart.view_options() };
    let drawing = drawing(&data, &options, theme, (width, height))?;

    let entries = placed(&data, names, width);
    let rows = entries.last().map_or(0.0, |(entry, ..)| entry.1 + ROW);
    let head = PAD + TITLE_PX + PAD + rows;
    let canvas = canvas(width, head + height)?;
    let brush = context(&canvas)?;
    brush.set_fill_style_str(&theme.background.css());
    brush.fill_rect(0.0, 0.0, f64::from(canvas.width()), f64::from(canvas.height()));
    brush.draw_image_with_html_canvas_element(&drawing, 0.0, head * SCALE).ok()?;
    brush.scale(SCALE, SCALE).ok()?;
    brush.set_text_baseline("middle");
    text(&brush, heading, (PAD, PAD + TITLE_PX / 2.0), &format!("600 {TITLE_PX}px system-ui, sans-serif"), theme);
    for ((x, y), name, hue, dash) in entries {
        let at = (PAD + x, PAD + TITLE_PX + PAD / 2.0 + y + ROW / 2.0);
        swatch(&brush, at, theme, (hue, dash));
        let font = format!("{LEGEND_PX}px system-ui, sans-serif");
        text(&brush, &name, (at.0 + SWATCH + 6.0, at.1), &font, theme);
    }
    Some(canvas)
}

fn drawing(
    data: &ChartData,
    options: &ViewOptions,
    theme: &Theme,
    (width, height): (f64, f64),
) -> Option<HtmlCanvasElement> {
    let canvas = canvas(width, height)?;
    let mut backend = PageBackend::new(&canvas)?;
    let mut chart = scene(data, options, theme);
    chart.x_title = x_title(&data.x);
    draw_on(&mut backend, &chart, theme, Surface { scale: SCALE, subpixels: SUBPIXELS }).ok()?;
    Some(canvas)
}

fn canvas(width: f64, height: f64) -> Option<HtmlCanvasElement> {
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    let pixels = |css: f64| (css * SCALE).round().clamp(1.0, 16_384.0) as u32;
    canvas.set_width(pixels(width));
    canvas.set_height(pixels(height));
    Some(canvas)
}

/// Place, name, colour and dashes of an entry of the legend.
type Entry = ((f64, f64), String, usize, usize);

/// The entries of the legend in rows; none for a single line that the title names.
fn placed(data: &ChartData, names: &[String], width: f64) -> Vec<Entry> {
    if data.lines.len() < 2 {
        return Vec::new();
    }
    let (mut x, mut y) = (0.0, 0.0);
    let entries = data.lines.iter().zip(names).map(|(line, name)| {
        let wide = SWATCH + 6.0 + text_width(name, LEGEND_PX) + 16.0;
        if x > 0.0 && x + wide > width - 2.0 * PAD {
            (x, y) = (0.0, y + ROW);
        }
        let at = (x, y);
        x += wide;
        (at, name.clone(), line.hue, line.dash)
    });
    entries.collect()
}

fn swatch(brush: &CanvasRenderingContext2d, at: (f64, f64), theme: &Theme, (hue, dash): (usize, usize)) {
    brush.set_fill_style_str(&theme.line_color(hue).css());
    let pattern = Dash::of(dash).pattern();
    let mut lengths = pattern.iter().copied().cycle();
    let (mut x, mut is_drawn) = (0.0, true);
    while x < SWATCH {
        let length = lengths.next().unwrap_or(SWATCH).min(SWATCH - x);
        if is_drawn {
            brush.fill_rect(at.0 + x, at.1 - 1.25, length, 2.5);
        }
        (x, is_drawn) = (x + length, !is_drawn);
    }
}

fn text(brush: &CanvasRenderingContext2d, words: &str, at: (f64, f64), font: &str, theme: &Theme) {
    brush.set_font(font);
    brush.set_fill_style_str(&theme.ink.css());
    // Without a font that has the letters there is no title: a lesser picture, not an error.
    let _ = brush.fill_text(words, at.0, at.1);
}
