//! Colours of runs: one for each run that was drawn since all files were read, and the same for as long as the page lives.
//!
//! The theme has eight colours that colour-blind people can tell apart (Okabe and Ito); further runs have the same
//! colours with another dash.

use std::collections::BTreeMap;

/// Colours of the theme.
pub const HUES: usize = 8;
/// Ways to draw a line: solid, dashed, dotted, dash and dot.
pub const DASHES: usize = 4;

/// How the lines of a run are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct LineStyle {
    /// Place among the colours of the theme.
    pub hue: usize,
    /// Place among the dashes.
    pub dash: usize,
}

/// Styles given so far, by id of the run.
#[derive(Debug, Clone, Default)]
pub struct RunColors {
    given: BTreeMap<String, usize>,
    /// Places below those that were given.
    free: Vec<usize>,
}

impl RunColors {
    /// The style of a run: the one that it has, or the next free one.
    pub fn style(&mut self, id: &str) -> LineStyle {
        if let Some(index) = self.given.get(id) {
            return LineStyle::of(*index);
        }
        let lowest = (0..self.free.len()).min_by_key(|place| self.free.get(*place));
        let next = lowest.map_or(self.given.len(), |place| self.free.swap_remove(place));
        self.given.insert(id.to_owned(), next);
        LineStyle::of(next)
    }

    /// Takes the styles of all other runs back: while files are read, runs are drawn that no longer are when all are there.
    pub fn keep_only(&mut self, ids: &[&str]) {
        for (id, index) in std::mem::take(&mut self.given) {
            if ids.contains(&id.as_str()) {
                self.given.insert(id, index);
            } else {
                self.free.push(index);
            }
        }
    }
}

impl LineStyle {
    /// The style at a place: colours first, then dashes, then from the start.
    pub fn of(index: usize) -> Self {
        Self { hue: index % HUES, dash: index / HUES % DASHES }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_back_is_given_again_and_others_keep_theirs() {
        let mut colors = RunColors::default();
        let first = ["a", "b", "c"].map(|id| colors.style(id));
        colors.keep_only(&["c"]);
        assert_eq!([colors.style("c"), colors.style("d"), colors.style("e")], [first[2], first[0], first[1]]);
    }

    #[test]
    fn a_run_keeps_its_style_and_no_two_of_the_first_share_one() {
        let mut colors = RunColors::default();
        let styles: Vec<LineStyle> = (0..32).map(|run| colors.style(&run.to_string())).collect();
        let mut different = styles.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), 32);
        assert_eq!(colors.style("3"), styles[3]);
        assert!(styles[..HUES].iter().all(|style| style.dash == 0), "colours before dashes");
    }
}
