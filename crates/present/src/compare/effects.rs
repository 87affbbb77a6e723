//! The effects of settings on the outcome: shapes, uncertainty, importance. Association, not proof of cause.

use super::Selection;
use super::effect_words::{effect_notes, effect_sentence, is_level};
use super::parts::{WIDTH, maybe, name, push};
use rundown_compare::{
    Confounding, Effect, ExclusionReason, ParameterKind, Recommendations, RunSummary, Target, advise, outcome,
};
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Span, Table};
use rundown_format::rich_text::{metric, setting_key, tabular};
use rundown_format::{RichText, redact, rich};
use rundown_plot::figure::{AxisScale, Bar, BarChart, BarRow, Bin, BoxChart};

/// Settings that are drawn.
const MAX_DRAWN_SETTINGS: usize = 4;
/// Keys that are named of those left out for one reason.
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
    if !notes.is_empty() {
        blocks.push(Block::List(notes));
    }
    push(&mut blocks, table(&found.effects));
    let sentence = |effect: &Effect| effect_sentence(effect, &found.target).redacted().into();
    let sentences: Vec<Vec<Span>> = found.effects.iter().map(sentence).collect();
    if !sentences.is_empty() {
        blocks.push(Block::List(sentences));
    }
    for effect in found.effects.iter().filter(|effect| effect.is_claimed).take(MAX_DRAWN_SETTINGS) {
        let title = rich!(
            "{} by {}: median with interval, and every run",
            metric(&found.target),
            setting_key(&effect.parameter.key)
        );
        blocks.push(boxes(summaries, effect, (title, &found.target), WIDTH));
    }
    blocks.extend(importances(&found.effects, WIDTH));
    blocks.extend(rest(advice));
    blocks
}

/// The statistics of each setting.
pub(super) fn table(effects: &[Effect]) -> Table {
    let columns = [
        Words("Setting"),
        Words("What it did"),
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
        let best = effect.best.filter(|_| !is_level(effect)).and_then(|best| effect.bins.get(best));
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

/// What a setting did, in two or three words.
pub(super) fn claim(effect: &Effect) -> String {
    match &effect.confounding {
        Some(Confounding::OutcomeRedefined { by }) if *by == effect.parameter.key => {
            "changes what is measured".to_owned()
        }
        Some(Confounding::OutcomeRedefined { .. }) => "changed with what is measured".to_owned(),
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

/// The runs by bins of a setting.
pub(super) fn boxes(
    summaries: &[&RunSummary],
    effect: &Effect,
    (title, target): (RichText, &str),
    width: f64,
) -> Block {
    let names: Vec<String> = summaries.iter().map(|summary| name(summary)).collect();
    let bins = effect.bins.iter().map(|bin| {
        let is_in = |place: &usize| effect.parameter.value_of(*place).is_some_and(|level| bin.contains(level));
        let runs = (0..summaries.len()).filter(is_in).filter_map(|place| {
            let value = summaries.get(place)?.trace(target)?.tail;
            Some((value, names.get(place)?.as_str()))
        });
        let interval = (bin.low < bin.high).then_some((bin.low, bin.high));
        Bin { name: bin.label.as_str(), interval, middle: bin.median, runs: runs.collect() }
    });
    let chart =
        BoxChart { title, x_title: &effect.parameter.words, y: AxisScale::linear(target), bins: bins.collect() };
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
        title: "Importance in a random forest: loss of out-of-bag R² when a setting is shuffled".into(),
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
    let reasons: Vec<RichText> = reasons
        .into_iter()
        .map(|(why, keys)| {
            let rest = keys.len().saturating_sub(MAX_NAMED_KEYS);
            let shown = keys.into_iter().take(MAX_NAMED_KEYS).map(|key| setting_key(key).into());
            let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            rich!("{}{} ({})", RichText::joined(shown, ", ", ", "), more, why.words())
        })
        .collect();
    if !reasons.is_empty() {
        blocks.push(Block::text(rich!("Not counted as settings: {}.", RichText::joined(reasons, "; ", "; "))));
    }
    blocks
}
