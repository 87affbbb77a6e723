//! Names beside what they name: at the ends of lines, in rows above, as a scale of colours.

use rundown_content::{Anchor, Tone};
use rundown_format::number;
use rundown_stats::CompactSort as _;

use super::frame::{Frame, GAP};
use super::sheet::{LINE, PixelArea, Sheet, TEXT};
use super::words;

/// Length of the piece of line before a name.
const SWATCH: f64 = 12.0;
/// Steps of colour.
const COLOURS: u8 = 10;

/// A name, and how what it names is drawn.
pub(super) struct LegendEntry<'a> {
    pub name: &'a str,
    pub tone: Tone,
    pub is_dashed: bool,
    /// Where its line ends: a place in pixels.
    pub end: (f64, f64),
}

/// The room at the right that names at the ends of lines need.
pub(super) fn room(keys: &[LegendEntry<'_>], width: f64) -> f64 {
    let widest = keys.iter().map(|key| words::width(&words::shortened(key.name, width * 0.28))).fold(0.0, f64::max);
    if widest > 0.0 { widest + SWATCH + 10.0 } else { 0.0 }
}

/// Names at the right of the plotting area, each as near to the end of its line as the others allow. What finds no room
/// is counted.
pub(super) fn at_ends(sheet: &mut Sheet, frame: &Frame, keys: &[LegendEntry<'_>]) {
    let lines = (((frame.bottom - frame.top) / LINE) as usize + 1).max(1);
    let shown = if keys.len() > lines { lines.saturating_sub(1) } else { keys.len() };
    let mut placed: Vec<(f64, &LegendEntry<'_>)> = keys.iter().take(shown).map(|key| (key.end.1, key)).collect();
    placed.compact_sort_by(|a, b| a.0.total_cmp(&b.0));
    let left_out = keys.len() - shown;
    let floor = frame.bottom - if left_out > 0 { LINE } else { 0.0 };
    let mut least = frame.top;
    for (y, _) in &mut placed {
        *y = y.max(least).min(frame.bottom);
        least = *y + LINE;
    }
    let mut most = floor;
    for (y, _) in placed.iter_mut().rev() {
        *y = y.min(most);
        most = *y - LINE;
    }
    let start = frame.right + 4.0;
    let room = sheet.width - start - SWATCH - 4.0;
    for (y, key) in placed {
        let reaches = frame.right - key.end.0 < 12.0 && (key.end.1 - y).abs() < 4.0 * LINE;
        let from = if reaches { (key.end.0, key.end.1) } else { (start, y) };
        sheet.line(&[from, (start + SWATCH * 0.5, y), (start + SWATCH, y)], key.tone, key.is_dashed, String::new());
        sheet.fitted((start + SWATCH + 4.0, y + TEXT * 0.35), Anchor::Start, key.name, room, Tone::Ink);
    }
    if left_out > 0 {
        let wording = more(left_out);
        sheet.fitted((start + SWATCH + 4.0, frame.bottom + TEXT * 0.35), Anchor::Start, &wording, room, Tone::Muted);
    }
}

/// Names in rows at the top; gives the height that they took. At most three rows.
pub(super) fn in_rows(sheet: &mut Sheet, keys: &[LegendEntry<'_>]) -> f64 {
    const ROWS: f64 = 3.0;
    let (mut x, mut row) = (0.0, 0.0);
    let longest = sheet.width * 0.45;
    for (place, key) in keys.iter().enumerate() {
        let name = words::shortened(key.name, longest);
        let needed = SWATCH + 5.0 + words::width(&name);
        // The last row keeps room for the count of the rest.
        let rest = if row + 1.0 >= ROWS && place + 1 < keys.len() { 70.0 } else { 0.0 };
        if x > 0.0 && x + needed + rest > sheet.width {
            if row + 1.0 >= ROWS {
                sheet.words((x, row * LINE + TEXT), Anchor::Start, &more(keys.len() - place), Tone::Muted);
                break;
            }
            (x, row) = (0.0, row + 1.0);
        }
        let y = row * LINE + TEXT;
        sheet.line(&[(x, y - 4.0), (x + SWATCH, y - 4.0)], key.tone, key.is_dashed, String::new());
        sheet.fitted((x + SWATCH + 5.0, y), Anchor::Start, key.name, longest, Tone::Ink);
        x += needed + 2.0 * GAP;
    }
    if keys.is_empty() { 0.0 } else { (row + 1.0) * LINE + 4.0 }
}

/// A scale of colours at the top right with its ends in words; gives its height.
pub(super) fn colours(sheet: &mut Sheet, title: &str, (low, high): (f64, f64)) -> f64 {
    let step = 9.0;
    let bar = step * f64::from(COLOURS);
    // Numbers of sixteen digits beside each other are wider than a narrow figure.
    let longest = (sheet.width - bar - 10.0) / 2.0;
    let [low, high] = [low, high].map(|end| words::shortened(&number(end), longest));
    let right = sheet.width - words::width(&high) - 5.0;
    let left = right - bar;
    for colour in 0..COLOURS {
        let x = left + step * f64::from(colour);
        let area = PixelArea { left: x, top: 1.0, right: x + step, bottom: 11.0 };
        sheet.rectangle(area, Tone::Heat(colour), String::new());
    }
    sheet.words((sheet.width, TEXT - 1.0), Anchor::End, &high, Tone::Muted);
    sheet.words((left - 5.0, TEXT - 1.0), Anchor::End, &low, Tone::Muted);
    let room = left - 5.0 - words::width(&low) - 2.0 * GAP;
    sheet.fitted((0.0, TEXT - 1.0), Anchor::Start, title, room, Tone::Muted);
    LINE + 6.0
}

/// The colour at a share of the scale, 0 to 1.
pub(super) fn colour(share: f64) -> Tone {
    // `as` saturates, and NaN gives 0.
    Tone::Heat(((share * f64::from(COLOURS)) as u8).min(COLOURS - 1))
}

/// `+ 12 more`.
pub(super) fn more(count: usize) -> String {
    format!("+ {count} more")
}
