//! Where the bars of the incident timeline stand: shares of the width, rows within a lane, ticks below; which findings
//! stand under which.

/// First and last step of a timeline; none of a run without steps.
pub type Steps = Option<(f64, f64)>;

/// One bar, in shares of the timeline's width.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimelineBar {
    /// Index of the finding.
    pub finding: usize,
    /// Left edge, 0 to 1.
    pub left: f64,
    /// Width, 0 to 1.
    pub width: f64,
    /// Where its label stands.
    pub label: BarLabel,
    /// Row within the lane, from 0.
    pub row: usize,
}

/// Where the label of a bar stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarLabel {
    /// In the bar.
    Inside,
    /// The bar is too narrow: to its right.
    After,
    /// The bar is too narrow and at the right end: to its left.
    Before,
}

/// A bar narrower than this share can't hold its label.
const NARROW: f64 = 0.16;

/// Arranges spans `(finding, onset, end)` on a timeline of `steps`. A span without an onset covers everything; bars of
/// one lane that would cover each other go into rows of their own.
pub fn arrange(spans: &[(usize, Option<f64>, Option<f64>)], steps: Steps) -> Vec<TimelineBar> {
    let mut bars: Vec<TimelineBar> = Vec::new();
    for &(finding, onset, end) in spans {
        let bar = bar(finding, onset, end, steps);
        // A lane holds a few bars: put in order as they come.
        let at = bars.partition_point(|before| (before.left, -before.width) <= (bar.left, -bar.width));
        bars.insert(at, bar);
    }
    let mut row_ends: Vec<f64> = Vec::new();
    for bar in &mut bars {
        let (from, to) = extent(bar);
        let free = row_ends.iter().position(|end| *end <= from + 1e-9);
        match free.and_then(|row| row_ends.get_mut(row).map(|end| (row, end))) {
            Some((row, end)) => {
                *end = to;
                bar.row = row;
            }
            None => {
                bar.row = row_ends.len();
                row_ends.push(to);
            }
        }
    }
    bars
}

/// Steps at which the axis is labelled: round numbers, about `wanted` of them, with their share of the width.
pub fn ticks(steps: Steps, wanted: usize) -> Vec<(f64, f64)> {
    let Some((from, to)) = steps else { return Vec::new() };
    let span = to - from;
    if !span.is_finite() || !from.is_finite() || span <= 0.0 {
        return if from.is_finite() { vec![(from, 0.0)] } else { Vec::new() };
    }
    let raw = span / wanted.max(1) as f64;
    let mut power = 1.0;
    while power * 10.0 <= raw {
        power *= 10.0;
    }
    // Steps are whole numbers: a pace below one would label the same step twice.
    let pace = [1.0, 2.0, 5.0, 10.0].into_iter().map(|times| times * power).find(|pace| *pace >= raw).unwrap_or(span);
    let first = (from / pace).ceil();
    (0..=wanted * 2)
        .map(|index| (first + index as f64) * pace)
        .take_while(|step| *step <= to)
        .map(|step| (step, share(step, steps)))
        .collect()
}

/// Where a step stands, 0 to 1.
pub fn share(step: f64, steps: Steps) -> f64 {
    let Some((from, to)) = steps else { return 0.0 };
    let share = (step - from) / (to - from);
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
}

fn bar(finding: usize, onset: Option<f64>, end: Option<f64>, steps: Steps) -> TimelineBar {
    let left = onset.map_or(0.0, |onset| share(onset, steps));
    let right = end.map_or(1.0, |end| share(end, steps));
    let width = (right - left).max(0.0);
    let label = match (width < NARROW, left < 0.7) {
        (false, _) => BarLabel::Inside,
        (true, true) => BarLabel::After,
        (true, false) => BarLabel::Before,
    };
    TimelineBar { finding, left, width, label, row: 0 }
}

/// The room that a bar takes with its label.
fn extent(bar: &TimelineBar) -> (f64, f64) {
    let right = bar.left + bar.width;
    match bar.label {
        BarLabel::Inside => (bar.left, right),
        BarLabel::After => (bar.left, right + NARROW),
        BarLabel::Before => ((bar.left - NARROW).max(0.0), right),
    }
}

/// Id of a finding's card.
pub fn card_id(index: usize) -> String {
    format!("finding-{index}")
}

/// Findings by their root: `(root, consequences)` in order. A cycle or an index that is not there makes a root.
pub fn by_root(explained_by: &[Option<u32>]) -> Vec<(usize, Vec<usize>)> {
    let mut roots: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut consequences = Vec::new();
    for index in 0..explained_by.len() {
        match root_of(index, explained_by) {
            root if root == index => roots.push((index, Vec::new())),
            root => consequences.push((root, index)),
        }
    }
    for (root, index) in consequences {
        match roots.iter_mut().find(|(candidate, _)| *candidate == root) {
            Some((_, list)) => list.push(index),
            None => roots.push((index, Vec::new())),
        }
    }
    roots
}

fn root_of(index: usize, explained_by: &[Option<u32>]) -> usize {
    let mut here = index;
    for _ in 0..explained_by.len() {
        let up = explained_by.get(here).copied().flatten().map(|up| up as usize);
        match up.filter(|up| *up < explained_by.len() && *up != here) {
            Some(up) => here = up,
            None => return here,
        }
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(finding: usize, onset: f64, end: f64) -> (usize, Option<f64>, Option<f64>) {
        (finding, Some(onset), Some(end))
    }

    #[test]
    fn bars_that_cover_each_other_get_rows() {
        let bars = arrange(&[span(0, 0.0, 100.0), span(1, 50.0, 160.0), span(2, 100.0, 160.0)], Some((0.0, 160.0)));
        let rows: Vec<(usize, usize)> = bars.iter().map(|bar| (bar.finding, bar.row)).collect();
        assert_eq!(rows, [(0, 0), (1, 1), (2, 0)]);
    }

    #[test]
    fn a_finding_without_steps_covers_the_run() {
        for steps in [Some((0.0, 160.0)), None] {
            let bars = arrange(&[(0, None, None)], steps);
            assert_eq!((bars[0].left, bars[0].width), (0.0, 1.0));
        }
    }

    #[test]
    fn labels_of_short_incidents_stand_beside_them_and_never_collide() {
        let bars = arrange(&[span(0, 10.0, 10.0), span(1, 20.0, 21.0), span(2, 159.0, 160.0)], Some((0.0, 160.0)));
        assert_eq!(bars[0].label, BarLabel::After);
        assert_eq!(bars[2].label, BarLabel::Before);
        assert_ne!(bars[0].row, bars[1].row);
    }

    #[test]
    fn hostile_steps_stay_in_the_box() {
        let hostile = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1e308, 0.0];
        for from in hostile {
            for to in hostile {
                for bar in arrange(&[span(0, from, to), span(1, to, from)], Some((from, to))) {
                    assert!((0.0..=1.0).contains(&bar.left) && (0.0..=1.0).contains(&bar.width), "{bar:?}");
                }
                assert!(ticks(Some((from, to)), 8).len() < 20);
            }
        }
    }

    #[test]
    fn ticks_are_round_and_few() {
        let steps: Vec<f64> = ticks(Some((0.0, 160.0)), 8).iter().map(|tick| tick.0).collect();
        assert_eq!(steps, [0.0, 20.0, 40.0, 60.0, 80.0, 100.0, 120.0, 140.0, 160.0]);
        let steps: Vec<f64> = ticks(Some((1.0, 4.0)), 8).iter().map(|tick| tick.0).collect();
        assert_eq!(steps, [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(ticks(Some((5.0, 5.0)), 8), [(5.0, 0.0)]);
    }

    #[test]
    fn consequences_stand_under_their_last_root() {
        assert_eq!(by_root(&[None, Some(0), None, Some(1)]), [(0, vec![1, 3]), (2, vec![])]);
    }

    #[test]
    fn a_cycle_or_a_bad_index_loses_no_finding() {
        for odd in [vec![Some(1), Some(0)], vec![Some(0)], vec![Some(9), None], vec![Some(1), Some(2), Some(1)]] {
            let mut seen: Vec<usize> =
                by_root(&odd).into_iter().flat_map(|(root, rest)| [vec![root], rest].concat()).collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..odd.len()).collect::<Vec<_>>(), "{odd:?}");
        }
    }
}
