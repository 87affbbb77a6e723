//! The effects of settings on the outcome: shapes, uncertainty, importance. Association, not proof of cause.

use super::Selection;
use super::effect_words::{effect_notes, effect_sentence, failure_sentence, is_level};
use super::parts::{WIDTH, maybe, name, push, push_list};
use rundown_compare::{
    Confounding, Effect, EffectAnalysis, ExclusionReason, MIN_RUNS_FOR_EFFECTS, ParameterKind, Recommendations,
    RunSample, RunSummary, Target, advise, outcome,
};
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Span, Table};
use rundown_format::rich_text::{metric, setting_key, tabular};
use rundown_format::{RichText, redact, rich};
use rundown_plot::figure::{AxisScale, Bar, BarChart, BarRow, Bin, BoxChart};

/// Settings that are drawn.
const MAX_DRAWN_SETTINGS: usize = 4;
/// Keys that are named of those that were left out for one reason, or not tested.
const MAX_NAMED_KEYS: usize = 5;

/// Effects, experiments and the best default config of these runs; `None` without a shared metric.
pub fn advice(summaries: &[&RunSummary], selection: &Selection) -> Option<Recommendations> {
    let metric = selection.metric.as_ref()?;
    let values: Vec<Option<f64>> =
        summaries.iter().map(|summary| outcome(summary, metric).map(|found| found.level)).collect();
    Some(advise(summaries, &Target { key: &metric.key, direction: metric.direction, values: &values }))
}

/// The effect of each setting, how certain it is, and what could not be tested.
pub fn effects(summaries: &[&RunSummary], advice: &Recommendations) -> Vec<Block> {
    let found = &advice.analysis;
    let mut blocks = vec![Block::section("Hyperparameter signals")];
    let notes: Vec<Vec<Span>> = effect_notes(found).iter().map(|note| note.redacted().into()).collect();
    push_list(&mut blocks, notes);
    push_list(&mut blocks, failures(advice));
    push(&mut blocks, table(&found.effects));
    push_list(&mut blocks, sentences(found));
    for effect in found.effects.iter().filter(|effect| effect.is_claimed).take(MAX_DRAWN_SETTINGS) {
        let title = rich!(
            "{} by {}: median with interval, and every run that was compared",
            metric(&found.target),
            setting_key(&effect.parameter.key)
        );
        blocks.push(boxes(summaries, effect, advice, title, WIDTH));
    }
    blocks.extend(importances(&found.effects, WIDTH));
    blocks.extend(rest(advice));
    blocks
}

/// A sentence for each setting of which more is known than that it was not tested, and one for all others.
pub(super) fn sentences(found: &EffectAnalysis) -> Vec<Vec<Span>> {
    let is_bare =
        |effect: &&Effect| effect.p.is_none() && effect.confounding.is_none() && effect.matched_best.is_none();
    let (bare, others): (Vec<&Effect>, Vec<&Effect>) = found.effects.iter().partition(is_bare);
    let mut sentences: Vec<RichText> =
        others.into_iter().map(|effect| effect_sentence(effect, &found.target)).collect();
    // Where all runs are too few the first note says so.
    if found.runs >= MIN_RUNS_FOR_EFFECTS && !bare.is_empty() {
        let keys = named_keys(bare.iter().map(|effect| effect.parameter.key.as_str()));
        sentences.push(rich!("Not tested, as too few runs with an outcome have them or differ in them: {}.", keys));
    }
    sentences.into_iter().map(|text| text.redacted().into()).collect()
}

/// A sentence for each finding that goes with a setting.
pub(super) fn failures(advice: &Recommendations) -> Vec<Vec<Span>> {
    advice.failures.iter().map(|effect| failure_sentence(effect).redacted().into()).collect()
}

/// The first keys, and how many more there are.
fn named_keys<'k>(keys: impl ExactSizeIterator<Item = &'k str>) -> RichText {
    let more = keys.len().saturating_sub(MAX_NAMED_KEYS);
    let shown = RichText::joined(keys.take(MAX_NAMED_KEYS).map(|key| setting_key(key).into()), ", ", ", ");
    if more > 0 { rich!("{} and {} more", shown, more) } else { shown }
}

/// The statistics of each setting.
pub(super) fn table(effects: &[Effect]) -> Table {
    let columns = [
        Words("Setting"),
        Words("Effect"),
        Numbers("Pearson"),
        Numbers("Spearman"),
        Numbers("p, corrected"),
        Numbers("Importance"),
        Words("Best value"),
        Numbers("Runs"),
    ];
    let mut table = Table::new("", &columns);
    for effect in effects {
        let estimate = |estimate: Option<rundown_compare::Estimate>| {
            estimate.map_or_else(Cell::default, |found| {
                Cell::number(
                    rich!("{} ({} to {})", tabular(found.value), tabular(found.low), tabular(found.high)),
                    found.value,
                )
            })
        };
        // Outcomes that a setting redefines have no order.
        let has_best = !is_level(effect) && !effect.is_outcome_redefined();
        let best = effect.best.filter(|_| has_best).and_then(|best| effect.bins.get(best));
        let importance = effect.importance.map(|found| found.mean);
        table.rows.push(vec![
            Cell::key(effect.parameter.key.as_str()),
            Cell::text(claim(effect)),
            estimate(effect.pearson),
            estimate(effect.spearman),
            maybe(effect.q),
            maybe(importance),
            best.map_or_else(Cell::default, |bin| Cell::text(&*redact(&bin.label))),
            Cell::number(effect.runs.to_string(), effect.runs as f64),
        ]);
    }
    table
}

/// The effect of a setting, in two or three words.
pub(super) fn claim(effect: &Effect) -> String {
    match &effect.confounding {
        Some(Confounding::OutcomeRedefined { by }) if *by == effect.parameter.key => {
            "changes what is measured".to_owned()
        }
        Some(Confounding::OutcomeRedefined { .. }) => "changed together with what is measured".to_owned(),
        Some(Confounding::RunLength { .. }) => "no effect at equal steps".to_owned(),
        Some(Confounding::OtherSetting { .. }) => "no effect of its own".to_owned(),
        None if effect.is_claimed => shape(effect),
        None if effect.q.is_none() => "not tested".to_owned(),
        None => "not significant".to_owned(),
    }
}

/// The form of a claimed effect and its strength.
fn shape(effect: &Effect) -> String {
    use rundown_stats::Shape;
    let form = match effect.shape {
        Shape::None => "values differ",
        _ if effect.parameter.kind == ParameterKind::Switch => "values differ",
        Shape::Rising => "rising",
        Shape::Falling => "falling",
        Shape::InvertedU => "inverted U",
        Shape::U => "U",
        Shape::Threshold { rises: true, .. } => "step up",
        Shape::Threshold { rises: false, .. } => "step down",
    };
    format!("{form}, {}", effect.strength.as_str())
}

/// A run that was compared by a setting.
pub(super) struct ComparedRun {
    /// Its place among the summaries.
    pub place: usize,
    /// Its outcome; the worst of all for a run that broke before it had one.
    pub outcome: f64,
    /// Its name, with a remark where it broke.
    pub name: String,
}

/// The runs that were compared by a setting: those of the sample that have it, and no others.
pub(super) fn compared_runs(summaries: &[&RunSummary], effect: &Effect, sample: &RunSample) -> Vec<ComparedRun> {
    let outcomes = sample.runs.iter().zip(&sample.values).zip(&sample.ranking);
    let outcomes = outcomes.filter(|((place, _), _)| effect.parameter.level_of(**place).is_some());
    outcomes
        .filter_map(|((place, outcome), ranking)| {
            let name = name(summaries.get(*place)?);
            let is_broken = ranking.is_infinite();
            let name = if is_broken { format!("{name} (broke, counted as the worst)") } else { name };
            Some(ComparedRun { place: *place, outcome: *outcome, name })
        })
        .collect()
}

/// The runs that were compared by bins of a setting.
pub(super) fn boxes(
    summaries: &[&RunSummary],
    effect: &Effect,
    advice: &Recommendations,
    title: RichText,
    width: f64,
) -> Block {
    let runs = compared_runs(summaries, effect, &advice.sample);
    let mut bins: Vec<Bin<'_>> = Vec::new();
    for bin in &effect.bins {
        let interval = (bin.low < bin.high).then_some((bin.low, bin.high));
        bins.push(Bin { name: &bin.label, interval, middle: bin.median, runs: Vec::new() });
    }
    for run in &runs {
        let bin = effect.bin_of(run.place).and_then(|place| bins.get_mut(place));
        bin.into_iter().for_each(|bin| bin.runs.push((run.outcome, &run.name)));
    }
    let y = AxisScale::linear(advice.analysis.target.as_str());
    let chart = BoxChart { title, x_title: &effect.parameter.words, y, bins };
    Block::Figure(chart.draw(width))
}

/// The importances of a forest, where it predicts anything.
pub(super) fn importances(effects: &[Effect], width: f64) -> Option<Block> {
    let mut rows = Vec::new();
    for effect in effects {
        let Some(importance) = effect.importance else { continue };
        let ends = (importance.mean - importance.std_dev, importance.mean + importance.std_dev);
        let bar = Bar { value: importance.mean, interval: Some(ends) };
        rows.push(BarRow { name: effect.parameter.key.as_str(), bars: vec![bar] });
    }
    if rows.is_empty() {
        return None;
    }
    let chart = BarChart {
        title: "Permutation importance in a random forest: drop in out-of-bag R²".into(),
        x: AxisScale::linear("loss of R²"),
        rows,
        ..BarChart::default()
    };
    Some(Block::Figure(chart.draw(width)))
}

/// What is constant or no setting, in words.
pub(super) fn rest(advice: &Recommendations) -> Vec<Block> {
    let found = &advice.analysis;
    let mut blocks = Vec::new();
    let constants: Vec<RichText> = found
        .constant
        .iter()
        .filter(|constant| constant.hyperparameter.is_some())
        .map(|constant| rich!("{} {}", setting_key(&constant.key), &*redact(&constant.text)))
        .collect();
    if !constants.is_empty() {
        let constants = RichText::joined(constants, ", ", ", ");
        blocks.push(Block::text(rich!("The same in all runs, so their effect is unknown: {}.", constants)));
    }
    let mut reasons: Vec<(ExclusionReason, Vec<&str>)> = Vec::new();
    for dropped in &found.dropped {
        match reasons.iter_mut().find(|(why, _)| *why == dropped.why) {
            Some((_, keys)) => keys.push(&dropped.key),
            None => reasons.push((dropped.why, vec![&dropped.key])),
        }
    }
    let reasons: Vec<RichText> =
        reasons.into_iter().map(|(why, keys)| rich!("{} ({})", named_keys(keys.into_iter()), why.words())).collect();
    if !reasons.is_empty() {
        blocks.push(Block::text(rich!("Not counted as settings: {}.", RichText::joined(reasons, "; ", "; "))));
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_compare::testing::{TestRun, critical};
    use rundown_content::Shape;
    use rundown_diagnose::{Code, Verdict};
    use rundown_run::{ConfigValue, RunState};

    #[test]
    fn runs_that_were_not_compared_are_not_drawn() {
        let mut all: Vec<RunSummary> = (0..12_u32)
            .map(|place| {
                let level = if place % 2 == 0 { 0.5 } else { 0.8 } + 0.001 * f64::from(place);
                let mut made = TestRun::new(&format!("run-{place}")).evaluation("eval/accuracy", &[level; 12]);
                // Six values, of which the rare ones share the last bin.
                let value = ["a", "b", "a", "b", "a", "b", "c", "c", "d", "e", "f", "f"][place as usize];
                made.run.config.insert("loss_type", ConfigValue::Text(value.to_owned()));
                RunSummary::of(place, made.diagnosed())
            })
            .collect();
        all[0].state = RunState::Running;
        all[1].findings = vec![critical(Code::NonfiniteValues)];
        all[1].verdict = Verdict::Ugly;
        (all[1].traces, all[1].last) = Default::default();
        let summaries: Vec<&RunSummary> = all.iter().collect();
        let advice = advice(&summaries, &Selection::of(&summaries)).unwrap();
        let effect = &advice.analysis.effects[0];
        let Block::Figure(figure) = boxes(&summaries, effect, &advice, RichText::default(), WIDTH) else { panic!() };
        let mut dots: Vec<&str> = Vec::new();
        for shape in &figure.shapes {
            dots.extend(if let Shape::Dot { hint, .. } = shape { Some(hint.as_str()) } else { None });
        }
        assert_eq!(dots.len(), advice.sample.runs.len(), "{dots:?}");
        assert_eq!(dots.len(), effect.bins.iter().map(|bin| bin.runs).sum::<usize>());
        assert!(!dots.iter().any(|hint| hint.starts_with("run-0")), "it is still running: {dots:?}");
        assert!(dots.iter().any(|hint| hint.starts_with("run-1 (broke")), "it counts as the worst: {dots:?}");
    }
}
