//! The second guide: reward functions, final scores, criteria of a rubric.

use super::shown::{Shown, text_after, value};
use super::{Place, Printed, Value, equal};

/// Where its numbers are.
pub const PLACES: &[Place] = &[
    equal("rewards mean", LAST, |shown, at| logged(shown, at, "mean")),
    equal("rewards max", LAST, |shown, at| logged(shown, at, "max")),
    equal("rewards min", LAST, |shown, at| logged(shown, at, "min")),
    equal("rewards recent_mean", "\"Rewards at the start and the end\", Recent mean", |shown, at| {
        let key = format!("rewards/{}_mean", at.of);
        let caption = "Rewards at the start and the end";
        value(&shown.run(&at.data).report, caption, &[("Reward", &key)], "Recent mean, last value")
    }),
    equal("final mean", FINAL, |shown, at| of_part(shown, at, "Mean")),
    equal("final std", FINAL, |shown, at| of_part(shown, at, "Spread")),
    equal("final min", FINAL, |shown, at| of_part(shown, at, "Lowest")),
    equal("final max", FINAL, |shown, at| of_part(shown, at, "Highest")),
    equal("final total_samples", FINAL, |shown, at| of_part(shown, at, "Scores")),
    equal("total_mean", "Below \"Rewards at the start and the end\"", |shown, at| {
        text_after(&shown.run(&at.data).report, "rewards/total_mean ends at ")
    }),
    equal("sum of the means", "Below \"Rewards at the start and the end\"", |shown, at| {
        text_after(&shown.run(&at.data).report, "parts add up to ")
    }),
    equal("criterion mean", "\"Criteria over the run\", End", |shown, at| {
        let name = at.of.strip_prefix("criteria/")?.strip_suffix("_mean")?;
        let row = [("Run", at.data.as_str()), ("Criterion", name)];
        value(&shown.group("rewards").blocks, "Criteria over the run", &row, "End")
    }),
    equal("criterion mean of the table", TABLE, |shown, at| of_table(shown, at, "Mean")),
    equal("criterion std of the table", TABLE, |shown, at| of_table(shown, at, "Spread")),
    equal("criterion min of the table", TABLE, |shown, at| of_table(shown, at, "Lowest")),
    equal("criterion max of the table", TABLE, |shown, at| of_table(shown, at, "Highest")),
    equal("criterion samples of the table", TABLE, |shown, at| of_table(shown, at, "Scores")),
];

const LAST: &str = "JSON `last`";
const FINAL: &str = "Rewards view, \"Final scores\"";
const TABLE: &str = "Rubric view, \"Criteria of the rubric\"";

fn logged(shown: &Shown, at: &Printed, of: &str) -> Option<Value> {
    shown.run(&at.data).last(&format!("rewards/{}_{of}", at.of))
}

fn of_part(shown: &Shown, at: &Printed, column: &str) -> Option<Value> {
    value(&shown.group("rewards").blocks, "Final scores", &[("Part", &at.of), ("Run", &at.data)], column)
}

fn of_table(shown: &Shown, at: &Printed, column: &str) -> Option<Value> {
    let row = [("Criterion", at.of.as_str()), ("Run", &at.data)];
    value(&shown.group("rewards").blocks, "Criteria of the rubric", &row, column)
}
