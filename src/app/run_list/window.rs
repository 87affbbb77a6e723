//! Which lines of a long list are in the document: those in sight and some around them.

use std::ops::Range;

use super::items::ListItem;

/// Up to so many lines are all in the document, about as many as a window holds on a large screen. To build 100 lines at
/// once, where a filter leaves them, blocked the page for 55 to 79 ms.
const ALL: usize = 60;
/// Lines above and below those in sight, and the step in which the window moves.
const AROUND: usize = 8;
const STEP: usize = 6;

/// The lines to have in the document. `line` is the height of one, in pixels as the others.
pub fn window(count: usize, scroll_top: f64, height: f64, line: f64) -> Range<usize> {
    if count <= ALL || line <= 0.0 {
        return 0..count;
    }
    let first = ((scroll_top / line) as usize).min(count);
    let visible = (height / line) as usize + 2;
    let start = first.saturating_sub(AROUND) / STEP * STEP;
    let end = (first + visible + AROUND).div_ceil(STEP) * STEP;
    start..end.min(count)
}

/// Where to scroll to so that a line is in sight; `None` where it is already.
pub fn scroll_to_line(index: usize, scroll_top: f64, height: f64, line: f64) -> Option<f64> {
    let top = index as f64 * line;
    if top < scroll_top {
        return Some(top);
    }
    let bottom = top + line;
    (bottom > scroll_top + height && height > 0.0).then_some((bottom - height).max(0.0))
}

/// By how many pixels the first line in sight has moved between two states of the list; `None` where it is gone.
pub fn moved_by(before: &[ListItem], now: &[ListItem], scroll_top: f64, line: f64) -> Option<f64> {
    let index = (scroll_top / line) as usize;
    let key = before.get(index)?.key();
    let moved_to = now.iter().position(|item| item.key() == key)?;
    Some((moved_to as f64 - index as f64) * line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_list_is_whole() {
        assert_eq!(window(60, 1_000.0, 400.0, 28.0), 0..60);
        assert_eq!(window(0, 0.0, 400.0, 28.0), 0..0);
        assert_eq!(window(1_000, 0.0, 400.0, 0.0), 0..1_000);
    }

    #[test]
    fn of_a_long_list_what_is_in_sight_is_there_and_little_more() {
        for scroll_top in [0.0, 27.0, 28.0, 5_000.0, 279_600.0] {
            let there = window(10_000, scroll_top, 400.0, 28.0);
            let in_sight = (scroll_top / 28.0).floor() as usize..((scroll_top + 400.0) / 28.0).ceil() as usize;
            assert!(there.start <= in_sight.start && there.end >= in_sight.end.min(10_000), "{scroll_top}: {there:?}");
            assert!(there.len() < 60, "{there:?}");
        }
        assert_eq!(window(10_000, 1e9, 400.0, 28.0).end, 10_000, "it shrank while it was scrolled to its end");
        assert_eq!(
            window(10_000, 300.0, 400.0, 28.0),
            window(10_000, 310.0, 400.0, 28.0),
            "it does not follow each pixel"
        );
    }

    #[test]
    fn lines_that_come_above_move_those_in_sight() {
        let runs = |numbers: &[u32]| numbers.iter().copied().map(ListItem::Run).collect::<Vec<_>>();
        let before = runs(&[1, 2, 3]);
        assert_eq!(moved_by(&before, &runs(&[7, 1, 8, 2, 9, 3]), 30.0, 28.0), Some(56.0));
        assert_eq!(moved_by(&before, &runs(&[1, 2, 3, 4]), 30.0, 28.0), Some(0.0));
        assert_eq!(moved_by(&before, &runs(&[1, 3]), 30.0, 28.0), None);
        assert_eq!(moved_by(&[], &before, 30.0, 28.0), None);
    }

    #[test]
    fn a_line_is_scrolled_to_only_as_far_as_needed() {
        assert_eq!(scroll_to_line(5, 0.0, 400.0, 28.0), None);
        assert_eq!(scroll_to_line(5, 200.0, 400.0, 28.0), Some(140.0));
        assert_eq!(scroll_to_line(100, 0.0, 400.0, 28.0), Some(2_828.0 - 400.0));
        assert_eq!(scroll_to_line(14, 0.0, 400.0, 28.0), Some(20.0), "a line cut by the lower edge");
        assert_eq!(scroll_to_line(3, 0.0, 0.0, 28.0), None, "before the list has a height");
    }
}
