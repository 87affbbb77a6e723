//! Parallel coordinates: an axis for each setting, the outcome as the last one, a line for each run.

use std::collections::BTreeMap;

use crate::{Axis, Range};
use rundown_content::{Anchor, Figure, RichText, Tone};
use rundown_format::{counted, number};
use rundown_stats::CompactSort as _;

use super::frame::is_by_decades;
use super::labels::colour;
use super::sheet::{LINE, Position, Sheet, TEXT, usable_width};
use super::words::{hint, named};

/// Most axes, and most runs that are drawn.
const MAX_AXES: usize = 12;
const MAX_RUNS: usize = 400;
/// Most words of a categorical axis; what is rarer shares one place.
const CATEGORIES: usize = 12;
/// Most numbers that are spaced evenly.
const MAX_EVENLY_SPACED: usize = 8;
/// Narrowest room of an axis, in pixels.
const PACE: f64 = 100.0;
/// Between the outer axes and the figure's edges: room for their marks.
const EDGE: f64 = 48.0;

/// Axes with a value of each run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParallelChart<'a> {
    /// What it shows.
    pub title: RichText,
    /// Names of the runs.
    pub runs: Vec<&'a str>,
    /// Axes from the left; the last one is the outcome, whose values colour the lines.
    pub axes: Vec<ParallelAxis<'a>>,
    /// True where less is better: then low outcomes have the strong colours.
    pub is_less_better: bool,
}

/// One axis.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParallelAxis<'a> {
    /// Its name.
    pub name: &'a str,
    /// A value for each run.
    pub values: Vec<ParallelValue<'a>>,
}

/// A value of a run on an axis.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum ParallelValue<'a> {
    /// A number.
    Number(f64),
    /// A word.
    Word(&'a str),
    /// Not set.
    #[default]
    None,
}

/// Where the values of an axis stand: 0 at the foot, 1 at the top.
struct Ruler {
    places: Vec<Option<f64>>,
    marks: Vec<(f64, String)>,
}

impl ParallelChart<'_> {
    /// The figure at a width in CSS pixels; wider where the axes need it.
    pub fn draw(&self, width_px: f64) -> Figure {
        let skipped = self.axes.len().saturating_sub(MAX_AXES);
        // The outcome stays: settings are left out before it.
        let axes: Vec<&ParallelAxis<'_>> = match self.axes.split_last() {
            Some((outcome, settings)) => settings.iter().take(MAX_AXES - 1).chain([outcome]).collect(),
            None => Vec::new(),
        };
        let width = usable_width(width_px).max(axes.len() as f64 * PACE);
        let mut sheet = Sheet::new(width, 260.0);
        sheet.width = width;
        let (top, foot) = (2.0 * LINE + 4.0, sheet.height - 34.0);
        let rulers: Vec<Ruler> = axes.iter().map(|axis| Ruler::of(axis, self.runs.len())).collect();
        let slot = width / axes.len().max(1) as f64;
        let is_last = |axis: usize| axis + 1 == axes.len() && axis > 0;
        let x = |axis: usize| slot * axis as f64 + if is_last(axis) { slot - EDGE } else { EDGE };
        let y = |share: Option<f64>| share.map_or(foot + 16.0, |share| foot - (foot - top) * share);

        let outcomes: Vec<Option<f64>> = rulers.last().map(|ruler| ruler.places.clone()).unwrap_or_default();
        for (run, outcome) in self.order(&outcomes) {
            let points: Vec<Position> = rulers
                .iter()
                .enumerate()
                .map(|(axis, ruler)| (x(axis), y(ruler.places.get(run).copied().flatten())))
                .collect();
            let tone = outcome.map_or(Tone::Grid, |share| {
                let share = if self.is_less_better { 1.0 - share } else { share };
                // The palest colours would not be seen as lines.
                colour(0.4 + 0.6 * share)
            });
            sheet.line(&points, tone, false, self.run_hint(run, &axes));
        }
        let mut is_missing = false;
        for (place, (axis, ruler)) in axes.iter().zip(&rulers).enumerate() {
            let x = x(place);
            sheet.segment((x, top), (x, foot), Tone::Muted);
            // The first and the last name have the sheet's edge beside them.
            let (at, anchor, room) = match place {
                0 => (0.0, Anchor::Start, slot / 2.0 + EDGE - 3.0),
                last if last + 1 == axes.len() => (width, Anchor::End, 1.5 * slot - EDGE - 3.0),
                _ => (x, Anchor::Middle, slot - 6.0),
            };
            sheet.fitted((at, TEXT), anchor, axis.name, room, Tone::Ink);
            let mut free_above = f64::INFINITY;
            for (share, word) in &ruler.marks {
                let base = foot - (foot - top) * share + TEXT * 0.35;
                if base <= free_above {
                    let is_last = is_last(place);
                    let (at, anchor) = if is_last { (x + 5.0, Anchor::Start) } else { (x - 5.0, Anchor::End) };
                    let room = if is_last || place == 0 { EDGE - 5.0 } else { slot - EDGE };
                    sheet.fitted((at, base), anchor, word, room, Tone::Muted);
                    free_above = base - LINE + 1.0;
                }
            }
            is_missing |= ruler.places.iter().any(Option::is_none);
        }
        if is_missing && !axes.is_empty() {
            sheet.segment((0.0, foot + 16.0), (width, foot + 16.0), Tone::Grid);
            sheet.words((0.0, foot + 30.0), Anchor::Start, "below: not set", Tone::Muted);
        }
        let drawn = self.runs.len().min(MAX_RUNS);
        let mut wording = Vec::new();
        if drawn < self.runs.len() {
            wording.push([drawn.to_string(), " of ".to_owned(), counted(self.runs.len(), "run")].concat());
        }
        if skipped > 0 {
            wording.push([counted(skipped, "setting"), " left out".to_owned()].concat());
        }
        sheet.fitted((width, foot + 30.0), Anchor::End, &wording.join(", "), width - 110.0, Tone::Muted);
        sheet.finish(&self.title, self.summary(&axes))
    }

    /// Runs with their outcome in the order of drawing: the best last. Of too many an even choice is drawn, with both
    /// ends.
    fn order(&self, outcomes: &[Option<f64>]) -> Vec<(usize, Option<f64>)> {
        let mut order: Vec<(usize, Option<f64>)> =
            (0..self.runs.len()).map(|run| (run, outcomes.get(run).copied().flatten())).collect();
        order.compact_sort_by(|a, b| {
            let [a, b] = [a, b].map(|run| run.1.unwrap_or(-1.0));
            if self.is_less_better && a >= 0.0 && b >= 0.0 { b.total_cmp(&a) } else { a.total_cmp(&b) }
        });
        let every = order.len().div_ceil(MAX_RUNS).max(1);
        let last = order.len().saturating_sub(1);
        let kept = order.into_iter().enumerate().filter(|(place, _)| (last - place).is_multiple_of(every));
        kept.map(|(_, run)| run).collect()
    }

    /// A run and its values in words.
    fn run_hint(&self, run: usize, axes: &[&ParallelAxis<'_>]) -> String {
        let mut wording = hint(self.runs.get(run).copied().unwrap_or_default());
        for (place, axis) in axes.iter().enumerate() {
            wording.push_str(if place > 0 { ", " } else { ": " });
            wording.push_str(&named(axis.name));
            wording.push(' ');
            match axis.values.get(run).copied().unwrap_or_default() {
                ParallelValue::Number(value) => wording.push_str(&number(value)),
                ParallelValue::Word(word) => wording.push_str(&named(word)),
                ParallelValue::None => wording.push('–'),
            }
        }
        wording
    }

    fn summary(&self, axes: &[&ParallelAxis<'_>]) -> String {
        let mut best: Option<(usize, f64)> = None;
        for (run, value) in axes.last().map(|axis| axis.values.as_slice()).unwrap_or_default().iter().enumerate() {
            let ParallelValue::Number(value) = *value else { continue };
            let is_better = best.is_none_or(|(_, best)| if self.is_less_better { value < best } else { value > best });
            if value.is_finite() && is_better {
                best = Some((run, value));
            }
        }
        let (runs, settings) = (counted(self.runs.len(), "run"), counted(self.axes.len().saturating_sub(1), "setting"));
        let best = best.map(|(run, _)| format!("; the best is {}", self.run_hint(run, axes)));
        format!("{runs} over {settings}{}.", best.unwrap_or_default())
    }
}

impl Ruler {
    /// Numbers on a scale of theirs, logarithmic over decades; words, and few different numbers, evenly spaced.
    fn of(axis: &ParallelAxis<'_>, runs: usize) -> Self {
        let given = |run: usize| axis.values.get(run).copied().unwrap_or_default();
        let has_words = axis.values.iter().any(|value| matches!(value, ParallelValue::Word(_)));
        if has_words {
            return Self::of_words(&(0..runs).map(given).collect::<Vec<_>>());
        }
        let numbers: Vec<f64> =
            (0..runs).map(|run| if let ParallelValue::Number(value) = given(run) { value } else { f64::NAN }).collect();
        let Some(range) = Range::of(numbers.iter().copied()) else {
            return Self { places: vec![None; runs], marks: Vec::new() };
        };
        let mut different: Vec<f64> = numbers.iter().copied().filter(|value| value.is_finite()).collect();
        different.sort_by(f64::total_cmp);
        different.dedup();
        let least = different.iter().copied().find(|value| *value > 0.0).unwrap_or(range.high());
        // Zero has no logarithm, and 0, 0.02, 0.2 would nearly share a place.
        if different.len() <= MAX_EVENLY_SPACED && range.low() == 0.0 && range.high() > 5.0 * least {
            return Self::of_few(&numbers, &different);
        }
        let scale = if is_by_decades(&numbers) { Axis::logarithmic(range) } else { Axis::linear(range) };
        let places = numbers.iter().map(|value| Some(scale.fraction(*value)).filter(|share| share.is_finite()));
        let places = places.map(|share| share.map(|share| share.clamp(0.0, 1.0))).collect();
        let marks = scale.ticks(5).into_iter().map(|tick| (scale.fraction(tick.value), tick.label)).collect();
        Self { places, marks }
    }

    /// A few numbers, evenly spaced.
    fn of_few(numbers: &[f64], different: &[f64]) -> Self {
        let steps = different.len().saturating_sub(1).max(1) as f64;
        let share = |value: &f64| different.iter().position(|other| other == value).map(|place| place as f64 / steps);
        let marks = different.iter().filter_map(|value| Some((share(value)?, number(*value)))).collect();
        Self { places: numbers.iter().map(share).collect(), marks }
    }

    fn of_words(values: &[ParallelValue<'_>]) -> Self {
        let words: Vec<Option<String>> = values
            .iter()
            .map(|value| match *value {
                ParallelValue::Word(word) => Some(word.to_owned()),
                ParallelValue::Number(value) => Some(number(value)),
                ParallelValue::None => None,
            })
            .collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for word in words.iter().flatten() {
            *counts.entry(word).or_default() += 1;
        }
        let mut common: Vec<(&str, usize)> = counts.into_iter().collect();
        common.compact_sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let has_rest = common.len() > CATEGORIES;
        common.truncate(if has_rest { CATEGORIES - 1 } else { CATEGORIES });
        common.compact_sort_by(|a, b| a.0.cmp(b.0));
        let steps = (common.len() + usize::from(has_rest)).saturating_sub(1).max(1) as f64;
        let shares: BTreeMap<&str, f64> =
            common.iter().enumerate().map(|(place, (word, _))| (*word, place as f64 / steps)).collect();
        let place = |word: &Option<String>| word.as_ref().map(|word| shares.get(word.as_str()).copied().unwrap_or(1.0));
        let places = words.iter().map(place).collect();
        let mut marks: Vec<(f64, String)> =
            common.iter().map(|(word, _)| (shares.get(word).copied().unwrap_or(0.0), (*word).to_owned())).collect();
        if has_rest {
            marks.push((1.0, "others".to_owned()));
        }
        Self { places, marks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::testing::{assert_sound, hostile, texts};
    use proptest::prelude::*;
    use rundown_content::Shape;

    fn numbers(values: &[f64]) -> Vec<ParallelValue<'static>> {
        values.iter().map(|value| ParallelValue::Number(*value)).collect()
    }

    #[test]
    fn decades_are_logarithmic_and_words_evenly_spaced() {
        let rates = ParallelAxis { name: "learning_rate", values: numbers(&[1e-5, 1e-4, 1e-3]) };
        assert!((Ruler::of(&rates, 3).places[1].unwrap() - 0.5).abs() < 1e-9);
        let words = ParallelAxis {
            name: "loss",
            values: vec![ParallelValue::Word("grpo"), ParallelValue::None, ParallelValue::Word("dapo")],
        };
        assert_eq!(Ruler::of(&words, 3).places, [Some(1.0), None, Some(0.0)]);
        let outcome = ParallelAxis { name: "eval/accuracy", values: numbers(&[0.8, 0.9, 0.2]) };
        let figure =
            ParallelChart { runs: vec!["a", "b", "c"], axes: vec![rates, words, outcome], ..ParallelChart::default() }
                .draw(600.0);
        assert_sound(&figure);
        assert!(texts(&figure).contains(&"dapo") && texts(&figure).contains(&"below: not set"));
        assert_eq!(
            figure.summary,
            "3 runs over 2 settings; the best is b: learning_rate 1e-4, loss –, eval/accuracy 0.9."
        );
        let mut last = figure
            .shapes
            .iter()
            .filter_map(|shape| if let Shape::Line { hint, .. } = shape { Some(hint) } else { None });
        assert!(last.rfind(|hint| !hint.is_empty()).unwrap().starts_with("b:"), "the best is drawn last");
    }

    proptest! {
        #[test]
        fn any_data_makes_a_sound_figure(columns in prop::collection::vec(hostile(), 0..15), width in 100.0..2000.0f64) {
            let values = |column: &Vec<f64>| column.iter().map(|value| match *value {
                -1.0 => ParallelValue::Word("some quite long word"),
                0.0 => ParallelValue::None,
                value => ParallelValue::Number(value),
            }).collect();
            let axes = columns.iter().map(|column| ParallelAxis { name: "a/long/name.of_a.setting", values: values(column) }).collect();
            let chart = ParallelChart { title: "t".into(), runs: vec!["run"; 20], axes, is_less_better: width < 500.0 };
            assert_sound(&chart.draw(width));
        }
    }
}
