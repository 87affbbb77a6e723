//! Dashed lines on backends that know only solid ones: a path is cut into its dashes.

use plotters_backend::BackendCoord;

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dash {
    /// Without gaps.
    #[default]
    Solid,
    /// Dashes.
    Dashed,
    /// Dots.
    Dotted,
    /// A dash and a dot in turn.
    DashDot,
}

/// More dashes than this are drawn as a solid line: they would take longer than the line is worth.
const MAX_DASHES: f64 = 4_000.0;

impl Dash {
    /// The way at a place; they repeat after the fourth.
    pub fn of(place: usize) -> Self {
        match place % 4 {
            0 => Dash::Solid,
            1 => Dash::Dashed,
            2 => Dash::Dotted,
            _ => Dash::DashDot,
        }
    }

    /// Lengths of dashes and gaps in turn, in CSS pixels; empty for a solid line.
    pub fn pattern(self) -> &'static [f64] {
        match self {
            Dash::Solid => &[],
            Dash::Dashed => &[6.0, 4.0],
            Dash::Dotted => &[1.5, 3.0],
            Dash::DashDot => &[8.0, 3.0, 1.5, 3.0],
        }
    }
}

/// The dashes of a path, where a pattern of lengths in units of `unit` applies.
pub(super) fn dashes(path: &[BackendCoord], pattern: &[f64], unit: f64) -> Vec<Vec<BackendCoord>> {
    let point = |at: &BackendCoord| (f64::from(at.0), f64::from(at.1));
    let steps = || path.iter().zip(path.iter().skip(1)).map(|(a, b)| (point(a), point(b)));
    let length: f64 = steps().map(|(a, b)| libm::hypot(b.0 - a.0, b.1 - a.1)).sum();
    let period: f64 = pattern.iter().sum::<f64>() * unit;
    if !(period > 0.0 && length / period * (pattern.len() as f64) < MAX_DASHES) {
        return vec![path.to_vec()];
    }
    let mut out: Vec<Vec<BackendCoord>> = Vec::new();
    let mut lengths = pattern.iter().copied().cycle();
    let mut left = lengths.next().unwrap_or(1.0) * unit;
    let (mut is_drawn, mut dash) = (true, path.first().copied().into_iter().collect::<Vec<_>>());
    for (from, to) in steps() {
        let whole = libm::hypot(to.0 - from.0, to.1 - from.1);
        let mut done = 0.0;
        while whole - done >= left {
            done += left;
            let part = done / whole;
            let at = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
            let at = (at.0.round() as i32, at.1.round() as i32);
            if is_drawn {
                dash.push(at);
                out.push(std::mem::take(&mut dash));
            } else {
                dash = vec![at];
            }
            is_drawn = !is_drawn;
            left = (lengths.next().unwrap_or(1.0) * unit).max(f64::EPSILON);
        }
        left -= whole - done;
        if is_drawn {
            dash.push((to.0.round() as i32, to.1.round() as i32));
        }
    }
    if is_drawn && dash.len() > 1 {
        out.push(dash);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_cut_into_dashes() {
        let cut = dashes(&[(0, 0), (25, 0)], &[6.0, 4.0], 1.0);
        assert_eq!(cut, [vec![(0, 0), (6, 0)], vec![(10, 0), (16, 0)], vec![(20, 0), (25, 0)]]);
        let corner = dashes(&[(0, 0), (4, 0), (4, 10)], &[6.0, 4.0], 1.0);
        assert_eq!(corner, [vec![(0, 0), (4, 0), (4, 2)], vec![(4, 6), (4, 10)]]);
        assert_eq!(dashes(&[(0, 0), (25, 0)], &[], 1.0), [vec![(0, 0), (25, 0)]], "solid");
        assert_eq!(dashes(&[(0, 0), (100_000_000, 0)], &[6.0, 4.0], 1.0).len(), 1, "too many dashes");
        assert!(dashes(&[], &[6.0, 4.0], 1.0).is_empty());
    }

    #[test]
    fn ways_repeat() {
        assert_eq!((Dash::of(0), Dash::of(5)), (Dash::Solid, Dash::Dashed));
    }
}
