//! The suggested default config in sentences: where each value comes from, or why there is none.

use super::parts::{ADD_CONFIG, NO_SETTINGS};
use rundown_compare::{BestValue, NoBestConfig, ValueOrigin};
use rundown_format::rich_text::{metric, number, setting_key};
use rundown_format::{RichText, plural, rich};

/// Where a value comes from, for a table.
pub fn origin_words(origin: &ValueOrigin) -> &'static str {
    match origin {
        ValueOrigin::MatchedRuns { .. } => "best of matched runs",
        ValueOrigin::BestBin { .. } => "best value of a significant effect",
        ValueOrigin::MedianOfTopRuns { .. } | ValueOrigin::MostOfTopRuns { .. } => "typical of the best runs",
        ValueOrigin::ChangedTogether { .. } => "changed together with another",
        ValueOrigin::OnlyTried => "the only value tried",
    }
}

/// Where a value comes from, with numbers.
pub fn value_reason(value: &BestValue) -> RichText {
    match &value.origin {
        ValueOrigin::MatchedRuns { sets, runs, outcome, others, is_relative, more } => {
            let what = if *sets == 1 { "1 set".to_owned() } else { format!("{sets} sets ({runs} runs)") };
            let median = match (is_relative, sets) {
                (true, _) => "compared with the level of its set, ",
                (false, 1) => "",
                (false, _) => "median ",
            };
            let mut against: Vec<RichText> =
                others.iter().map(|(value, outcome)| rich!("{} with {}", number(*outcome), value)).collect();
            if *more > 0 {
                against.push(rich!("and {} more", *more));
            }
            let chance = if value.is_claimed { "" } else { " The difference is not significant." };
            let same = value.same.iter().map(|key| setting_key(key).into());
            let alone: RichText = match value.same.is_empty() {
                true => "only it".into(),
                false => rich!("only it and {}", RichText::joined(same, ", ", " and ")),
            };
            rich!(
                "Best in {} of runs that differ in {}: {}{} against {}.{}",
                what,
                alone,
                median,
                number(*outcome),
                RichText::joined(against, ", ", ", "),
                chance
            )
        }
        ValueOrigin::BestBin { label, median, runs } => {
            rich!("Best {}: {}, median {} in {} runs.", &value.words, label, number(*median), *runs)
        }
        ValueOrigin::MedianOfTopRuns { runs: 1 } | ValueOrigin::MostOfTopRuns { runs: 1, .. } => {
            "As in the best run; no significant effect.".into()
        }
        ValueOrigin::MedianOfTopRuns { runs } => rich!("Median of the {} best runs; no significant effect.", *runs),
        ValueOrigin::MostOfTopRuns { having, runs } => {
            let have = plural(*having, "has", "have");
            rich!("{} of the {} best runs {} it; no significant effect.", *having, *runs, have)
        }
        ValueOrigin::ChangedTogether { with } => {
            rich!("It always changed together with {}: nothing is known of its own effect.", setting_key(with))
        }
        ValueOrigin::OnlyTried => "All runs have it: nothing is known of other values.".into(),
    }
}

/// Why no config is suggested, and what to do first.
pub fn no_config_words(reason: NoBestConfig, target: &str) -> (RichText, Vec<RichText>) {
    const REPEAT_BEST: &str = "Repeat the best run with other seeds, five runs in all.";
    let (why, first): (&str, &[&str]) = match reason {
        NoBestConfig::NoOutcome => {
            let log = rich!("Log {} (or another outcome) in every run.", metric(target));
            return ("No run has an outcome to compare by.".into(), vec![log]);
        }
        NoBestConfig::AllUgly => (
            "Every run with an outcome is ugly: the least bad of them is not a default.",
            &["Fix what the runs have in common first.", "Then vary one setting at a time."],
        ),
        NoBestConfig::MostBroke => (
            "Most of the runs broke: what the few others have in common may be chance.",
            &["Find what broke them, and fix that first.", REPEAT_BEST],
        ),
        NoBestConfig::NoSettings => {
            return (rich!("{}.", NO_SETTINGS), vec![ADD_CONFIG.into()]);
        }
        NoBestConfig::NoVariation => (
            "The runs differ in no setting.",
            &["Vary one setting at a time, the learning rate first: three values, threefold apart."],
        ),
        NoBestConfig::TooFewRuns => (
            "Fewer than five runs have an outcome: any of them may lead by chance.",
            &[REPEAT_BEST, "Vary one setting at a time, three values each."],
        ),
        NoBestConfig::NothingTested => (
            "No setting is known to differ in enough runs with an outcome for a test of its effect.",
            &["Vary one setting at a time, three values each, in runs that log the same outcome.", REPEAT_BEST],
        ),
        NoBestConfig::NoEffect => (
            "No setting of the best run has a significant effect: any choice among their values would be arbitrary.",
            &[
                "Repeat the best run with other seeds, five runs in all, to measure the variance between seeds.",
                "Vary settings further apart.",
            ],
        ),
    };
    (why.into(), first.iter().map(|text| RichText::from(*text)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_have_their_numbers_in_words() {
        let said = |origin: ValueOrigin| {
            let value = BestValue {
                key: "beta".to_owned(),
                words: "beta".to_owned(),
                value: "0.1".to_owned(),
                origin,
                same: Vec::new(),
                is_claimed: false,
            };
            value_reason(&value).to_string()
        };
        let alone = "As in the best run; no significant effect.";
        assert_eq!(said(ValueOrigin::MedianOfTopRuns { runs: 1 }), alone);
        assert_eq!(said(ValueOrigin::MostOfTopRuns { having: 1, runs: 1 }), alone);
        let of_three = said(ValueOrigin::MostOfTopRuns { having: 1, runs: 3 });
        assert_eq!(of_three, "1 of the 3 best runs has it; no significant effect.");
        let others = vec![("0.001".to_owned(), 0.0), ("0.01".to_owned(), -0.05)];
        let matched =
            said(ValueOrigin::MatchedRuns { sets: 2, runs: 4, outcome: 0.05, others, is_relative: true, more: 0 });
        let numbers = ": compared with the level of its set, 0.05 against 0 with 0.001, -0.05 with 0.01. The";
        assert!(matched.contains(numbers), "{matched}");
    }
}
