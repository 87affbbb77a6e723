//! How responses fail: outputs that cannot be parsed, wrong form, wrong result. For tasks with checked answers, such as
//! Countdown, which of them prevails decides what to do.

use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Table};
use rundown_diagnose::{Diagnosis, Movement};
use rundown_format::rich_text::metric;
use rundown_format::{RichText, percent, rich};
use rundown_run::{ConfigValue, Run};
use rundown_vocabulary::Concept;

/// The kinds of failure, and what each is called.
const FAILURE_KINDS: [(Concept, &str); 3] = [
    (Concept::InvalidOutputs, "Cannot be parsed, or is not allowed"),
    (Concept::FormatFailures, "Wrong format"),
    (Concept::WrongAnswers, "Right format, wrong answer"),
];

/// Share of the answers below which no kind of failure is worth an advice (ours).
const MIN_FAILURE_SHARE: f64 = 0.05;

/// The shares of each kind at the start, in the middle and at the end, and what to do about the largest. Nothing where
/// fewer than two kinds were logged.
pub(super) fn failures(diagnosis: &Diagnosis) -> Vec<Block> {
    let kinds = kinds(diagnosis);
    if kinds.len() < 2 {
        return Vec::new();
    }
    let mut table = Table::new(
        "Share of the responses that fail",
        &[Words("Failure"), Words("Metric"), Numbers("First 5 %"), Numbers("Middle 5 %"), Numbers("Last 5 %")],
    );
    table.rows = kinds
        .iter()
        .map(|(words, kind)| {
            let key = Cell { text: vec![metric(&kind.key)], value: None };
            let shares = [kind.first, kind.mid, kind.last].map(|share| match share.is_nan() {
                true => Cell::default(),
                false => Cell::percent(share),
            });
            [Cell::text(*words), key].into_iter().chain(shares).collect()
        })
        .collect();
    vec![Block::Text(advice(&kinds).into()), Block::Table(table)]
}

/// What to log to tell the kinds of failure apart; `None` where all are logged, or nothing shows that answers are parsed.
pub(super) fn missing_kinds(run: &Run, diagnosis: &Diagnosis) -> Option<RichText> {
    let logged = |concept: Concept| diagnosis.bindings.first(concept).is_some();
    let absent: Vec<RichText> = FAILURE_KINDS
        .iter()
        .filter(|(concept, _)| !logged(*concept))
        .map(|(concept, _)| rich!("{} ({})", concept.words(), metric(concept.key_hint(diagnosis.bindings.framework))))
        .collect();
    let is_asked = logged(Concept::InvalidOutputs) || logged(Concept::FormatFailures) || is_countdown(run);
    (is_asked && !absent.is_empty()).then(|| {
        rich!("Only part of the failures can be explained: also log {}.", RichText::joined(absent, ", ", " and "))
    })
}

fn kinds(diagnosis: &Diagnosis) -> Vec<(&'static str, &Movement)> {
    let kind = |(concept, words): &(Concept, &'static str)| {
        let found = diagnosis.movements.iter().find(|movement| movement.concept == *concept);
        // A number of failures is no share.
        found.filter(|movement| (0.0..=1.0).contains(&movement.last)).map(|movement| (*words, movement))
    };
    FAILURE_KINDS.iter().filter_map(kind).collect()
}

fn advice(kinds: &[(&'static str, &Movement)]) -> RichText {
    let largest = kinds.iter().map(|(_, kind)| *kind).max_by(|a, b| a.last.total_cmp(&b.last));
    let Some(largest) = largest.filter(|kind| kind.last >= MIN_FAILURE_SHARE) else {
        return rich!("At the end each kind of failure is below {}.", percent(MIN_FAILURE_SHARE));
    };
    let what = match largest.concept {
        Concept::FormatFailures => {
            "Most failures at the end are format failures. Show the format in the prompt or in examples, and give it a small \
             reward of its own, a tenth of that for the answer; look whether responses are cut off."
                .to_owned()
        }
        Concept::WrongAnswers => {
            let of_format = kinds.iter().find(|(_, kind)| kind.concept == Concept::FormatFailures);
            let format = match of_format.map(|(_, kind)| kind.last < MIN_FAILURE_SHARE) {
                Some(true) => ". The format is learned: take its reward away,",
                Some(false) => ", and the format is not learned either: keep its reward small,",
                None => ":",
            };
            format!(
                "Most failures at the end are wrong results in the right format{format} check that the verifier accepts \
                 nothing but right results, and sample more answers per prompt or mix in easier tasks where no answer of a \
                 group is right."
            )
        }
        _ => {
            "Most failures at the end cannot be parsed or are not allowed. Read such outputs: if right answers are among \
             them the parser is too narrow, else penalise them a little and keep the parser strict."
                .to_owned()
        }
    };
    rich!("{} ({} of the responses by {}.)", what, percent(largest.last), metric(&largest.key))
}

/// True where the run's name, settings or metrics name the task Countdown.
fn is_countdown(run: &Run) -> bool {
    let named = |text: &str| text.to_ascii_lowercase().contains("countdown");
    let set = |value: &ConfigValue| matches!(value, ConfigValue::Text(text) if named(text));
    named(&run.name)
        || run.columns.keys().any(|key| named(key))
        || run.config.iter().any(|(key, value)| named(key) || set(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    use rundown_diagnose::{Rulebook, diagnose};

    fn run(keys: &[(&str, f64, f64)]) -> Run {
        let mut run = Run::default();
        for step in 0..100 {
            let row = run.push_row(f64::from(step), f64::NAN);
            run.push_value("train/reward", row, 0.01 * f64::from(step));
            for (key, first, last) in keys {
                run.push_value(key, row, first + (last - first) * f64::from(step) / 99.0);
            }
        }
        run.choose_axis();
        run
    }

    fn text_and_missing(run: &Run) -> (String, Option<String>) {
        let diagnosis = diagnose(run, &Rulebook::default());
        (rundown_content::markdown(&failures(&diagnosis)), missing_kinds(run, &diagnosis).map(|text| text.to_string()))
    }

    #[test]
    fn the_kinds_of_failure_and_what_prevails() {
        let kinds = |invalid: f64, wrong: f64, form: f64| {
            run(&[
                ("countdown/pct_invalid", 60.0, invalid),
                ("countdown/pct_wrong_arithmetic", 30.0, wrong),
                ("countdown/pct_format_failures", 50.0, form),
            ])
        };
        let (text, missing) = text_and_missing(&kinds(10.0, 40.0, 2.0));
        assert!(text.contains("wrong results in the right format") && text.contains("59.0 %"), "{text}");
        assert_eq!(missing, None);
        assert!(text.contains("The format is learned"), "{text}");
        let (unlearned, _) = text_and_missing(&kinds(10.0, 40.0, 20.0));
        assert!(unlearned.contains("the format is not learned either"), "{unlearned}");
        let unknown = run(&[("countdown/pct_invalid", 60.0, 10.0), ("countdown/pct_wrong_arithmetic", 30.0, 40.0)]);
        let (unknown, _) = text_and_missing(&unknown);
        assert!(unknown.contains("right format: check that") && !unknown.contains("learned"), "{unknown}");
        assert!(text_and_missing(&kinds(40.0, 10.0, 2.0)).0.contains("the parser is too narrow"));
        assert!(text_and_missing(&kinds(2.0, 10.0, 40.0)).0.contains("Show the format"));
        assert!(text_and_missing(&kinds(2.0, 2.0, 2.0)).0.contains("is below 5 %"));
    }

    #[test]
    fn what_is_missing_is_asked_for_where_answers_are_parsed() {
        let (text, missing) = text_and_missing(&run(&[("countdown/pct_invalid", 60.0, 10.0)]));
        let missing = missing.unwrap();
        assert!(
            text.is_empty() && missing.contains("wrong_arithmetic_rate") && missing.contains("format_failure_rate")
        );
        assert_eq!(text_and_missing(&run(&[])).1, None);
        let mut named = run(&[]);
        named.config.insert("data.train_files", ConfigValue::Text("data/countdown/train.parquet".to_owned()));
        assert!(text_and_missing(&named).1.is_some_and(|missing| missing.contains("invalid_rate")));
    }
}
