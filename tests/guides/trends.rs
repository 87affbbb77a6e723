//! The fifth guide: windows of verl's metrics, its rules, settings and counts out of a log.

use rundown_diagnose::Code;

use super::shown::{Shown, value};
use super::{Place, Printed, Value, differs, equal};

/// Where its numbers are.
pub const PLACES: &[Place] = &[
    equal("first", MOVED, |shown, at| moved(shown, at, "First 5 %")),
    equal("middle", MOVED, |shown, at| moved(shown, at, "Middle 5 %")),
    equal("last", MOVED, |shown, at| moved(shown, at, "Last 5 %")),
    equal("change", MOVED, |shown, at| moved(shown, at, "Change")),
    equal("slope per row", "Report, \"How the metrics moved\", Slope, per 100 steps", |shown, at| {
        if let Value::Number(slope) = moved(shown, at, "Slope")? { Some(Value::Number(slope / 100.0)) } else { None }
    }),
    equal("correlation with step", MOVED, |shown, at| moved(shown, at, "Correlation with step")),
    equal("lowest", SPREAD, |shown, at| shown.run(&at.data).spread(&at.of, "Lowest")),
    equal("highest", SPREAD, |shown, at| shown.run(&at.data).spread(&at.of, "Highest")),
    differs("first, of 250 rows", MOVED, |shown, at| moved(shown, at, "First 5 %"), WINDOW),
    differs("middle, of 250 rows", MOVED, |shown, at| moved(shown, at, "Middle 5 %"), WINDOW),
    differs("last, of 250 rows", MOVED, |shown, at| moved(shown, at, "Last 5 %"), WINDOW),
    differs("change, of 250 rows", MOVED, |shown, at| moved(shown, at, "Change"), WINDOW),
    equal("first, by 5 % of 250 rows", MOVED, |shown, at| moved(shown, at, "First 5 %")),
    equal("middle, by 5 % of 250 rows", MOVED, |shown, at| moved(shown, at, "Middle 5 %")),
    equal("last, by 5 % of 250 rows", MOVED, |shown, at| moved(shown, at, "Last 5 %")),
    equal("change, by 5 % of 250 rows", MOVED, |shown, at| moved(shown, at, "Change")),
    equal("missing", "\"Metric mapping\"; JSON `bindings`", |shown, at| {
        let bindings = shown.run(&at.data).json["bindings"].as_object()?.values();
        Some(Value::Flag(bindings.clone().all(|binding| binding["key"] != *at.of)))
    }),
    differs(
        "rule: length −5 %",
        "`length_collapse`",
        |shown, at| shown.run(&at.data).has(&[Code::LengthCollapse]),
        "Healthy runs lose a tenth to a third of their length as they stop rambling; Rundown asks for half.",
    ),
    differs(
        "rule: KL loss doubled",
        "`kl_drift`, `kl_blow_up`",
        |shown, at| shown.run(&at.data).has(&[Code::KlDrift, Code::KlBlowUp]),
        "A KL that starts at almost 0 doubles in every run; Rundown judges its level, 0.2 and 0.5 nats/token.",
    ),
    differs(
        "rule: clip fraction and PPO KL rise",
        "`too_aggressive`",
        |shown, at| shown.run(&at.data).has(&[Code::TooAggressive]),
        "A slow rise correlates with the step however small it is; Rundown asks for a PPO KL above 0.02 nats/token. The \
         clip fraction itself is found here (`clip_fraction_high`).",
    ),
    differs(
        "rule: gradient norm rises",
        "`gradient_norm_high`",
        |shown, at| shown.run(&at.data).has(&[Code::GradientNormHigh]),
        "A correlation says nothing about the size, here +13 %; Rundown asks for twice the norm at the start.",
    ),
    differs(
        "rule: entropy −20 %",
        "`entropy_collapse`",
        |shown, at| shown.run(&at.data).has(&[Code::EntropyCollapse]),
        "A policy that learns loses entropy; Rundown asks for a loss of 80 %.",
    ),
    equal("rule: score up, reward down", "`penalised_reward_falling`", |shown, at| {
        shown.run(&at.data).has(&[Code::PenalisedRewardFalling])
    }),
    equal("rule: advantages −10 %", "`penalised_reward_falling`, which names them", |shown, at| {
        shown.run(&at.data).has(&[Code::PenalisedRewardFalling])
    }),
    equal("setting", "Report, \"Important config\"; JSON `config`", setting),
    equal("last share of invalid drafts", "JSON `last`", |shown, at| shown.run(&at.data).last(&at.of)),
];

const MOVED: &str = "Report, \"How the metrics moved\"";
const SPREAD: &str = "Report, \"Values over the run\"";
const WINDOW: &str = "The guide takes windows of five rows, Rundown 5 % of the points, five at least: equal up to 100 rows, less \
                      noisy beyond.";

fn moved(shown: &Shown, at: &Printed, column: &str) -> Option<Value> {
    value(&shown.run(&at.data).report, "", &[("Metric", &at.of)], column)
}

/// A setting by the end of its key, as the log writes it.
fn setting(shown: &Shown, at: &Printed) -> Option<Value> {
    let config = shown.run(&at.data).json["config"].as_object()?;
    let is_it = |key: &str| key == at.of || key.ends_with(&format!(".{}", at.of));
    let (_, found) = config.iter().find(|(key, _)| is_it(key))?;
    Some(match found {
        serde_json::Value::Bool(true) => Value::Word("True".to_owned()),
        serde_json::Value::Bool(false) => Value::Word("False".to_owned()),
        serde_json::Value::Number(number) => Value::Word(number.to_string()),
        other => Value::Word(other.as_str()?.to_owned()),
    })
}
