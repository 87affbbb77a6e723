//! The first guide: values of the summary, flags, correlations of settings, quality against cost.

use rundown_diagnose::Code;
use rundown_stats::spearman;

use super::shown::{Shown, number, text_after};
use super::{Place, Printed, Value, differs, equal};

/// Where its numbers are.
pub const PLACES: &[Place] = &[
    equal("last primary", LAST, last),
    equal("last reward", LAST, last),
    equal("last KL", LAST, last),
    equal("last entropy", LAST, last),
    equal("last gradient norm", LAST, last),
    equal("last loss", LAST, last),
    equal("flag: no primary", "Metric mapping; JSON `bindings`", no_evaluation),
    equal("flag: NaN or Inf", "`nonfinite_values`, of every value and not only the last", |shown, at| {
        shown.run(&at.data).has(&[Code::NonfiniteValues])
    }),
    differs(
        "flag: diverged",
        "`loss_divergence`, `gradient_norm_high`, `gradient_spikes`, `kl_blow_up`",
        |shown, at| {
            let codes = [Code::LossDivergence, Code::GradientNormHigh, Code::GradientSpikes, Code::KlBlowUp];
            shown.run(&at.data).has(&codes)
        },
        "The guide asks for a last gradient norm above 1000 or a loss above 1e6; Rundown compares with the run's own level, \
         at every step.",
    ),
    equal(
        "flag: entropy collapse",
        "`entropy_collapse`, `entropy_collapsed_at_start`: by the course of the entropy, not by a line at 0.1",
        |shown, at| shown.run(&at.data).has(&[Code::EntropyCollapse, Code::EntropyCollapsedAtStart]),
    ),
    differs(
        "flag: KL too low",
        "`too_conservative`",
        |shown, at| shown.run(&at.data).has(&[Code::TooConservative]),
        "A KL below 0.01 alone is no fault. Rundown asks also that the run did not learn, and counts a KL that a high \
         coefficient holds down.",
    ),
    differs(
        "flag: hacking",
        "`reward_hacking`, `proxy_only_gain`",
        |shown, at| shown.run(&at.data).has(&[Code::RewardHacking, Code::ProxyOnlyGain]),
        "The guide has absolute lines (reward above 0.8, evaluation below 0.2), which depend on the scale of the reward; \
         Rundown compares how the two moved.",
    ),
    differs(
        "flag: undertrained",
        "`insufficient_data`",
        |shown, at| shown.run(&at.data).has(&[Code::InsufficientData]),
        "The guide counts steps (fewer than 100); Rundown asks whether the points that were logged are enough for a \
         verdict.",
    ),
    differs(
        "Spearman",
        "Signals view, Spearman; JSON `comparison.signals`",
        correlation,
        "The guide takes the last value of each run, Rundown the level at its end, which is less noisy. A seed is no \
         setting for Rundown.",
    ),
    equal("on the Pareto front", "\"Quality against cost\"; JSON `comparison.pareto`", |shown, at| {
        let front = shown.group("sweep").json["pareto"].as_array()?;
        front.iter().find(|run| run["name"] == *at.data)?["is_on_front"].as_bool().map(Value::Flag)
    }),
    differs(
        "cost, s",
        "\"Quality against cost\", Time; JSON `cost.total.hours`",
        |shown, at| {
            shown.run(&at.data).json["cost"]["total"]["hours"].as_f64().map(|hours| Value::Number(3600.0 * hours))
        },
        "The guide takes the time since the start of the program, Rundown the time from the first logged row to the last, \
         without gaps.",
    ),
    equal("lowest primary", BOARD, |shown, _| level(shown, "lowest ")),
    differs("median primary", BOARD, |shown, _| level(shown, "median "), LEVEL),
    differs("highest primary", BOARD, |shown, _| level(shown, "highest "), LEVEL),
];

const LAST: &str = "JSON `last`";
const BOARD: &str = "Leaderboard, the sentence above the table";
const LEVEL: &str = "The guide takes the last value of each run, Rundown the level at its end.";

fn last(shown: &Shown, at: &Printed) -> Option<Value> {
    shown.run(&at.data).last(&at.of)
}

fn no_evaluation(shown: &Shown, at: &Printed) -> Option<Value> {
    Some(Value::Flag(shown.run(&at.data).json["bindings"].get("evaluation").is_none()))
}

fn correlation(shown: &Shown, at: &Printed) -> Option<Value> {
    let signals = &shown.group("sweep").json["signals"];
    if signals["dropped"].as_array()?.iter().any(|dropped| dropped["key"] == *at.of) {
        return Some(Value::Word("no setting".to_owned()));
    }
    let own = signals["settings"].as_array()?.iter().find(|setting| setting["key"] == *at.of)?;
    number(&own["spearman"]["value"])
}

fn level(shown: &Shown, word: &str) -> Option<Value> {
    text_after(&shown.group("sweep").blocks, word)
}

/// The only difference of the correlations is the outcome: by the levels of the leaderboard they are the guide's formula.
#[test]
fn correlations_differ_by_the_outcome_alone() {
    let shown = Shown::of_the_corpus();
    let board = shown.group("sweep").json["leaderboard"].as_array().unwrap();
    for key in ["learning_rate", "beta"] {
        let levels: Vec<f64> = board.iter().map(|run| run["level"].as_f64().unwrap()).collect();
        let setting = |run: &serde_json::Value| shown.run(run["name"].as_str().unwrap()).json["config"][key].as_f64();
        let settings: Vec<f64> = board.iter().map(|run| setting(run).unwrap()).collect();
        let signals = shown.group("sweep").json["signals"]["settings"].as_array().unwrap();
        let own = signals.iter().find(|signal| signal["key"] == key).unwrap();
        let own = own["spearman"]["value"].as_f64().unwrap();
        assert!((spearman(&settings, &levels).unwrap() - own).abs() < 1e-5, "{key}: {own}");
    }
}
