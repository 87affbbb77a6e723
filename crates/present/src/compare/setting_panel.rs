//! A panel for one setting: what it did in two or three words, the runs over it, and how sure that is in two lines.

use super::effect_words::{effect_sentence, is_level};
use super::effects::{ComparedRun, boxes, claim, compared_runs};
use rundown_compare::{Effect, Parameter, ParameterKind, Recommendations, RunSummary};
use rundown_content::{Block, Span};
use rundown_format::rich_text::{number, setting_key};
use rundown_format::{RichText, redact, rich};
use rundown_plot::figure::{AxisScale, Point, ScatterChart, TrendPoint};
use rundown_stats as stats;
use rundown_stats::CompactSort;

/// Runs in the window of a running median, at least.
const MIN_WINDOW: usize = 5;
/// A window holds one in so many of the runs.
const WINDOW_SHARE: usize = 4;
/// Most places of a running median: a panel is a few hundred pixels wide, and each place sorts a quarter of the runs.
const TREND_PLACES: usize = 100;
/// Other values that the best one is set against.
const MAX_OTHER_VALUES: usize = 3;

/// The settings that a panel can show: those with an effect, or with which runs fail, first.
pub(super) fn panel_order(advice: &Recommendations) -> impl Iterator<Item = &Effect> {
    let effects = advice.analysis.effects.iter().filter(|effect| effect.bins.len() > 1);
    let comes_first = |effect: &&Effect| {
        effect.is_claimed || advice.failures.iter().any(|failure| failure.key == effect.parameter.key)
    };
    let (first, others): (Vec<&Effect>, Vec<&Effect>) = effects.partition(comes_first);
    first.into_iter().chain(others)
}

/// The panel of runs. Numbers that hardly repeat are points with a running median, others are bins.
pub(super) fn setting_panel(
    summaries: &[&RunSummary],
    effect: &Effect,
    advice: &Recommendations,
    width: f64,
) -> Vec<Block> {
    let mut title = RichText::from(setting_key(&effect.parameter.key));
    title.push(Span::Note(claim(effect)));
    let is_continuous = effect.parameter.is_number() && effect.bins.iter().any(|bin| bin.range.0 < bin.range.1);
    let figure = if is_continuous {
        points(summaries, effect, advice, width)
    } else {
        boxes(summaries, effect, advice, RichText::default(), width)
    };
    vec![Block::part(title), figure, Block::text(in_short(effect, &advice.analysis.target).redacted())]
}

/// The best value and how sure that is.
fn in_short(effect: &Effect, target: &str) -> RichText {
    let Some(best) = effect.best.and_then(|best| effect.bins.get(best)) else {
        return effect_sentence(effect, target);
    };
    if effect.confounding.is_some() {
        return effect_sentence(effect, target);
    }
    let mut text = match effect.q {
        None if is_level(effect) => {
            rich!("The same outcome with all of its values, in {} runs.", effect.runs)
        }
        None => rich!("Best with {}, in {} runs.", &best.label, effect.runs),
        Some(_) if !effect.is_claimed => rich!("No significant difference between its values."),
        Some(_) => {
            let near = if effect.parameter.is_number() { "near" } else { "with" };
            let others = effect.bins.iter().filter(|bin| bin.label != best.label).take(MAX_OTHER_VALUES);
            let others = others.map(|bin| rich!("{} at {}", number(bin.median), &bin.label));
            let others = RichText::joined(others, ", ", ", ");
            rich!("Best {} {}: median {} against {}.", near, &best.label, number(best.median), others)
        }
    };
    text.append(evidence(effect));
    text
}

/// Importance, correlation, p and the number of runs, where they are known.
fn evidence(effect: &Effect) -> RichText {
    let Some(q) = effect.q else { return RichText::default() };
    let mut facts = vec![rich!(" Corrected p {}", number(q))];
    if let Some(importance) = effect.importance {
        facts.push(rich!("importance {}", number(importance.mean)));
    }
    if let Some(spearman) = effect.spearman {
        facts.push(rich!("Spearman {}", number(spearman.value)));
    }
    facts.push(rich!("{} runs", effect.runs));
    RichText::joined(facts, ", ", ", ").sentence()
}

/// The runs that were compared over the setting, with a running median and the middle half around it.
fn points(summaries: &[&RunSummary], effect: &Effect, advice: &Recommendations, width: f64) -> Block {
    let parameter = &effect.parameter;
    let runs = compared_runs(summaries, effect, &advice.sample);
    let x =
        |run: &ComparedRun| parameter.value_of(run.place).map(|level| level.value).filter(|value| value.is_finite());
    let found: Vec<(f64, f64, &str)> =
        runs.iter().filter_map(|run| Some((x(run)?, run.outcome, run.name.as_str()))).collect();
    let both: Vec<(f64, f64)> = found.iter().map(|(x, y, _)| (*x, *y)).collect();
    let chart = ScatterChart {
        x: axis(parameter),
        y: AxisScale::linear(advice.analysis.target.as_str()),
        points: found.iter().map(|(x, y, name)| Point::new(name, *x, *y)).collect(),
        trend: running_median(both),
        ..ScatterChart::default()
    };
    Block::Figure(chart.draw(width))
}

/// Logarithmic where the values were chosen so: a hundred numbers between 0 and 10 span three decades too.
fn axis(parameter: &Parameter) -> AxisScale {
    let title = redact(&parameter.words).into_owned();
    let is_positive = parameter.levels.iter().all(|level| level.value.is_nan() || level.value > 0.0);
    if parameter.kind == ParameterKind::Logarithm && is_positive {
        return AxisScale::log(title);
    }
    AxisScale::linear(title)
}

/// The median of the runs around a place with their middle half, at [`TREND_PLACES`] evenly spaced runs at most and at the
/// last one; nothing of too few runs.
fn running_median(mut points: Vec<(f64, f64)>) -> Vec<TrendPoint> {
    if points.len() < MIN_WINDOW {
        return Vec::new();
    }
    points.compact_sort_by(|a, b| a.0.total_cmp(&b.0));
    let reach = (points.len() / WINDOW_SHARE).max(MIN_WINDOW) / 2;
    let mut trend: Vec<TrendPoint> = Vec::new();
    let (every, last) = (points.len().div_ceil(TREND_PLACES), points.len() - 1);
    for (place, (x, _)) in points.iter().enumerate().filter(|(place, _)| place % every == 0 || *place == last) {
        // Runs with the same value share one place.
        if trend.last().is_some_and(|before| before.x >= *x) {
            continue;
        }
        let window = points.iter().skip(place.saturating_sub(reach)).take(place.min(reach) + reach + 1);
        let window: Vec<f64> = window.map(|(_, y)| *y).collect();
        let [low, middle, high] = [0.25, 0.5, 0.75].map(|share| stats::quantile(&window, share).unwrap_or(f64::NAN));
        trend.push(TrendPoint { x: *x, low, middle, high });
    }
    trend
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_compare::parameters;
    use rundown_run::ConfigValue;

    #[test]
    fn only_settings_that_were_chosen_by_their_logarithm_have_such_an_axis() {
        let axis_of = |value: fn(u32) -> f64| {
            let summaries: Vec<RunSummary> = (0..40)
                .map(|place| {
                    let mut summary = RunSummary::default();
                    summary.config.insert("x", ConfigValue::Number(value(place)));
                    summary
                })
                .collect();
            let found = parameters(&summaries.iter().collect::<Vec<_>>());
            axis(&found.varying[0])
        };
        assert_eq!(axis_of(|place| f64::from(place) / 4.0 + 0.01), AxisScale::linear("x"));
        assert_eq!(axis_of(|place| 1e-6 * libm::exp2(f64::from(place) / 4.0)), AxisScale::log("x"));
        assert_eq!(axis_of(|place| 1e-6 * libm::exp2(f64::from(place)) - 1e-6), AxisScale::linear("x"), "0 among them");
    }

    #[test]
    fn a_running_median_follows_the_points_and_ignores_one_that_is_off() {
        let mut points: Vec<(f64, f64)> = (0..40).rev().map(|place| (f64::from(place), f64::from(place))).collect();
        points[20].1 = 1e6;
        let trend = running_median(points);
        assert_eq!(trend.len(), 40);
        assert!(trend.windows(2).all(|pair| pair[0].x < pair[1].x && pair[0].middle <= pair[1].middle), "{trend:?}");
        assert!(trend.iter().all(|point| point.low <= point.middle && point.middle <= point.high));
        assert!(trend.iter().all(|point| (point.middle - point.x).abs() < 6.0), "{trend:?}");
        let many = running_median((0..10_000).map(|place| (f64::from(place), f64::from(place))).collect());
        assert!(many.len() <= TREND_PLACES + 1 && many.last().unwrap().x == 9_999.0);
        assert!(running_median(vec![(1.0, 1.0); 4]).is_empty());
        assert_eq!(running_median(vec![(1.0, 1.0); 9]).len(), 1);
    }
}
