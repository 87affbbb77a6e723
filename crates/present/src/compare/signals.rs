//! The Signals view: its answer in one sentence, then the outcome of each run, a panel for each setting, what to try
//! next, and everything else folded away. Association, not proof of cause.

mod outcomes;

use super::effect_words::{effect_notes, effect_sentence, setting_words};
use super::effects::{failures, importances, rest, sentences, table};
use super::next::{NO_EXPERIMENTS, best_default, change, points};
use super::parts::{NO_SETTINGS, push, push_list};
use super::setting_panel::{panel_order, setting_panel};
use super::{Selection, experiment_words};
use rundown_compare::{Effect, Experiment, MIN_RUNS_FOR_EFFECTS, Recommendations, RunSummary, Strength};
use rundown_content::{Block, Span};
use rundown_format::rich_text::setting_key;
use rundown_format::{RichText, counted, redact_setting, rich};

/// Settings with a panel each; the others stand in the table below.
const PANELS: usize = 4;
/// Experiments that are shown; the others are folded away.
const MAX_EXPERIMENTS: usize = 3;
/// Settings that the answer names; more are counted.
const MAX_NAMED_SETTINGS: usize = 2;
/// Narrowest panel, the gap between panels, and the frame within one, in CSS pixels: as in the page's style sheet.
const PANEL_WIDTH: f64 = 420.0;
const PANEL_GAP: f64 = 16.0;
const PANEL_FRAME: f64 = 38.0;

/// The whole view.
pub fn signals(summaries: &[&RunSummary], selection: &Selection, advice: &Recommendations) -> Vec<Block> {
    let found = &advice.analysis;
    let mut blocks = vec![Block::section(answer(advice))];
    blocks.extend(reason(advice).map(|reason| Block::Text(reason.redacted().into())));
    push_list(&mut blocks, failures(advice));
    let wide = panel_width(selection.width, 2);
    if let Some(metric) = &selection.metric {
        let rows = selection.ranked(summaries);
        let are_side_by_side = columns(selection.width, 2) > 1;
        let curves = outcomes::curves(summaries, &rows, (metric, &found.effects), (wide, are_side_by_side));
        let board = outcomes::leaderboard(summaries, &rows, (metric, &found.effects));
        blocks.push(Block::Panels([curves, board].into_iter().filter(|panel| !panel.is_empty()).collect()));
    }
    let shown: Vec<&Effect> = panel_order(advice).take(PANELS).collect();
    let narrow = panel_width(selection.width, shown.len() + 1);
    // Where the settings fill their rows, the experiments have a row of their own.
    let fill_rows = shown.len().is_multiple_of(columns(selection.width, shown.len() + 1));
    let mut panels: Vec<Vec<Block>> =
        shown.into_iter().map(|effect| setting_panel(summaries, effect, advice, narrow)).collect();
    if fill_rows && !panels.is_empty() {
        blocks.push(Block::Panels(std::mem::take(&mut panels)));
    }
    panels.push(next(summaries, advice));
    blocks.push(Block::Panels(panels));
    blocks.push(Block::Fold {
        title: match found.effects.len() {
            0 | 1 => "Statistics and caveats".into(),
            settings => rich!("Statistics and caveats, for all {}", counted(settings, "setting")),
        },
        blocks: details(advice, selection.width),
    });
    blocks
}

/// Which settings have an effect, and which have none, in one sentence.
fn answer(advice: &Recommendations) -> RichText {
    let found = &advice.analysis;
    if found.runs < MIN_RUNS_FOR_EFFECTS {
        return rich!(
            "{} with this outcome: too few to test the effect of a setting ({} are needed)",
            counted(found.runs, "run"),
            MIN_RUNS_FOR_EFFECTS
        );
    }
    if found.has_no_settings() {
        return NO_SETTINGS.into();
    }
    if found.effects.is_empty() {
        return "The runs differ in no setting".into();
    }
    let claimed: Vec<&Effect> = found.effects.iter().filter(|effect| effect.is_claimed).collect();
    let is_tested = |effect: &&Effect| effect.q.is_some() && !effect.is_claimed && effect.confounding.is_none();
    let silent: Vec<&Effect> =
        found.effects.iter().filter(is_tested).filter(|effect| effect.parameter.hyperparameter.is_some()).collect();
    if !found.is_any_tested() {
        return "No setting differs in enough runs to be tested".into();
    }
    if claimed.is_empty() {
        const NONE: &str = "no setting has a significant effect on the outcome";
        let Some(first) = advice.failures.first() else { return "No setting has a significant effect".into() };
        let setting = setting_words(first.hyperparameter, &first.words, &first.key);
        return rich!("{} goes with {}; {}", capital(setting), first.code.phrase(), NONE);
    }
    let verb = match claimed.as_slice() {
        [only] if only.strength == Strength::Strong => "has a strong effect",
        [_] => "has an effect",
        _ => "have an effect",
    };
    let claimed = rich!("{} {}", capital(names(&claimed)), verb);
    match silent.len() {
        0 => claimed,
        1 => rich!("{}; {} has no significant one", claimed, names(&silent)),
        2..=MAX_NAMED_SETTINGS => rich!("{}; {} have no significant one", claimed, names(&silent)),
        _ => rich!("{}; no other setting has a significant one", claimed),
    }
}

/// The first effect in a few words and what kind of claim that is, or why nothing could be tested; `None` where the answer says
/// all.
fn reason(advice: &Recommendations) -> Option<RichText> {
    let found = &advice.analysis;
    let note = effect_notes(found).into_iter().next()?;
    if let Some(effect) = found.effects.first().filter(|effect| effect.is_claimed) {
        return Some(rich!("{} {}", effect_sentence(effect, &found.target), note));
    }
    (found.runs >= MIN_RUNS_FOR_EFFECTS && !found.effects.is_empty() && !found.is_any_tested()).then_some(note)
}

/// Settings by their names: some, and how many more.
fn names(effects: &[&Effect]) -> RichText {
    let name = |effect: &&Effect| {
        let parameter = &effect.parameter;
        setting_words(parameter.hyperparameter, &parameter.words, &parameter.key)
    };
    if effects.len() > MAX_NAMED_SETTINGS + 1 {
        let more = rich!("{} more", effects.len() - MAX_NAMED_SETTINGS);
        return RichText::joined(effects.iter().take(MAX_NAMED_SETTINGS).map(name).chain([more]), ", ", " and ");
    }
    RichText::joined(effects.iter().map(name), ", ", " and ")
}

fn capital(text: RichText) -> RichText {
    let mut spans: Vec<Span> = text.into();
    if let Some(Span::Text(words)) = spans.first_mut() {
        let mut letters = words.chars();
        *words = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    }
    spans.into()
}

/// The experiments in two lines each, and the suggested default.
fn next(summaries: &[&RunSummary], advice: &Recommendations) -> Vec<Block> {
    let mut blocks = vec![Block::part("Next experiments")];
    if advice.experiments.is_empty() {
        blocks.push(Block::text(NO_EXPERIMENTS));
    }
    let blocks_of = |place: usize, experiment: &Experiment| {
        let words = experiment_words(experiment, &advice.analysis);
        let mut text = words.hypothesis.sentence();
        text.append(" ");
        text.append(words.stop);
        let title = rich!("{}. {}", place + 1, change(experiment));
        let folded = Block::List(points(experiment, &advice.analysis));
        [
            Block::Heading { level: 4, text: title },
            Block::Text(text.redacted().into()),
            Block::Fold { title: "Evidence, gain and risk".into(), blocks: vec![folded] },
        ]
    };
    let mut all = advice.experiments.iter().enumerate().map(|(place, experiment)| blocks_of(place, experiment));
    blocks.extend(all.by_ref().take(MAX_EXPERIMENTS).flatten());
    let more: Vec<Block> = all.flatten().collect();
    if !more.is_empty() {
        let count = advice.experiments.len() - MAX_EXPERIMENTS;
        blocks.push(Block::Fold { title: counted(count, "more experiment").into(), blocks: more });
    }
    blocks.extend(default_config(summaries, advice));
    blocks
}

/// The suggested default in one line; where each value is from is folded away.
fn default_config(summaries: &[&RunSummary], advice: &Recommendations) -> Vec<Block> {
    let best = &advice.best_config;
    let mut details = best_default(summaries, best, &advice.analysis.target);
    // The heading stands in the line itself.
    if matches!(details.first(), Some(Block::Heading { .. })) {
        details.remove(0);
    }
    let (line, title) = if best.none.is_some() {
        (RichText::from("No default config is suggested."), "Why not")
    } else {
        let value = |value: &rundown_compare::BestValue| {
            rich!("{} {}", setting_key(&value.key), &*redact_setting(&value.key, &value.value))
        };
        (
            rich!("Suggested default: {}.", RichText::joined(best.values.iter().map(value), ", ", ", ")),
            "Where it is from",
        )
    };
    vec![Block::Text(line.redacted().into()), Block::Fold { title: title.into(), blocks: details }]
}

/// Caveats, statistics of all settings, and what could not be tested.
fn details(advice: &Recommendations, width: f64) -> Vec<Block> {
    let found = &advice.analysis;
    let mut blocks = Vec::new();
    // The answer or its reason has said the first one.
    let notes = effect_notes(found).iter().skip(1).map(|note| note.redacted().into()).collect();
    push_list(&mut blocks, notes);
    push(&mut blocks, table(&found.effects));
    push_list(&mut blocks, sentences(found));
    blocks.extend(importances(&found.effects, width));
    blocks.extend(rest(advice));
    blocks
}

/// Width of a drawing in one of some panels side by side, in a place for drawings of a width.
fn panel_width(width: f64, panels: usize) -> f64 {
    let columns = columns(width, panels) as f64;
    (width + PANEL_FRAME - PANEL_GAP * (columns - 1.0)) / columns - PANEL_FRAME
}

/// Panels side by side in such a place.
fn columns(width: f64, panels: usize) -> usize {
    (((width + PANEL_FRAME + PANEL_GAP) / (PANEL_WIDTH + PANEL_GAP)) as usize).clamp(1, panels.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_compare::testing::{TestRun, critical};
    use rundown_compare::{Target, advise, outcome};
    use rundown_diagnose::Code;
    use rundown_run::ConfigValue;
    use rundown_stats::testing::white;

    /// Runs of three learning rates and two betas, of which only the rate does something.
    fn sweep() -> Vec<RunSummary> {
        let noise = white(3, 24);
        let runs = noise.iter().enumerate().map(|(place, noise)| {
            let level = [0.6, 0.9, 0.3][place % 3] + 0.01 * noise;
            let mut made = TestRun::new(&format!("run-{place}")).evaluation("eval/accuracy", &[level; 12]);
            made.run.config.insert("learning_rate", ConfigValue::Number([1e-5, 1e-4, 1e-3][place % 3]));
            made.run.config.insert("beta", ConfigValue::Number([0.0, 0.02][place / 3 % 2]));
            RunSummary::of(place as u32, made.diagnosed())
        });
        runs.collect()
    }

    fn view(summaries: &[RunSummary]) -> Vec<Block> {
        let summaries: Vec<&RunSummary> = summaries.iter().collect();
        let selection = Selection::of(&summaries);
        let metric = selection.metric.clone().unwrap();
        let values: Vec<Option<f64>> =
            summaries.iter().map(|summary| outcome(summary, &metric).map(|found| found.level)).collect();
        let advice = advise(&summaries, &Target { key: &metric.key, direction: metric.direction, values: &values });
        signals(&summaries, &selection, &advice)
    }

    #[test]
    fn the_answer_comes_first_and_each_setting_has_a_panel() {
        let blocks = view(&sweep());
        let Some(Block::Heading { level: 2, text }) = blocks.first() else { panic!("{:?}", blocks.first()) };
        assert!(text.to_string().contains(" has a strong effect; "), "{text}");
        assert!(text.to_string().ends_with("has no significant one"), "{text}");
        let panels: Vec<&Vec<Vec<Block>>> = blocks
            .iter()
            .filter_map(|block| if let Block::Panels(panels) = block { Some(panels) } else { None })
            .collect();
        let counts: Vec<usize> = panels.iter().map(|panels| panels.len()).collect();
        assert_eq!(counts, [2, 2, 1], "curves and leaderboard; two settings, which fill their row; experiments");
        let shown = format!("{:?}", &panels[1..]);
        assert!(shown.contains("inverted U") && shown.contains("Next experiments"), "{shown}");
    }

    #[test]
    fn what_goes_with_failures_is_told_where_the_outcome_says_nothing() {
        let mut summaries = sweep();
        for (place, summary) in summaries.iter_mut().enumerate() {
            summary.traces.iter_mut().for_each(|trace| trace.tail = 0.5);
            if place % 3 == 2 {
                summary.findings = vec![critical(Code::KlBlowUp)];
            }
        }
        let blocks = view(&summaries);
        let Some(Block::Heading { text, .. }) = blocks.first() else { panic!("{:?}", blocks.first()) };
        let answer = "Learning rate goes with KL blow-up; no setting has a significant effect on the outcome";
        assert_eq!(text.to_string(), answer);
        let shown = rundown_content::markdown(&blocks);
        let said =
            "**KL blow-up** in all 8 runs with learning rate 1e-3 or more, and in none of 16 others (corrected p ";
        assert!(shown.contains(said), "{shown}");
    }

    #[test]
    fn few_runs_claim_nothing() {
        let blocks = view(&sweep()[..4]);
        let Some(Block::Heading { text, .. }) = blocks.first() else { panic!("{:?}", blocks.first()) };
        assert!(text.to_string().contains("too few to test"), "{text}");
        let shown = rundown_content::markdown(&blocks);
        assert_eq!(shown.matches("oo few").count(), 1, "said once: {shown}");
        assert_eq!(shown.matches("fewer than 5").count(), 0, "{shown}");
    }

    #[test]
    fn what_was_not_tested_is_not_denied() {
        let mut summaries = sweep();
        summaries.truncate(9);
        // Four runs alone have the settings: five are needed for a test.
        summaries.iter_mut().take(5).for_each(|summary| summary.config = rundown_run::Config::default());
        let blocks = view(&summaries);
        let Some(Block::Heading { text, .. }) = blocks.first() else { panic!("{:?}", blocks.first()) };
        assert_eq!(text.to_string(), "No setting differs in enough runs to be tested");
        let shown = format!("{blocks:?}");
        assert!(shown.contains("not tested") && shown.contains("No effect was tested"), "{shown}");
        assert!(!shown.contains("significant"), "{shown}");
    }

    #[test]
    fn drawings_fit_their_panels() {
        assert_eq!(panel_width(362.0, 3), 362.0, "one below the other");
        assert_eq!(panel_width(1_062.0, 2), 504.0);
        assert!(panel_width(1_600.0, 2) > panel_width(1_600.0, 3));
    }
}
