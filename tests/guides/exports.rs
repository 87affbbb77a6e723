//! The fourth guide: statistics of each metric, the cache, throughput, scaling.

use super::shown::{Shown, cell, value};
use super::{Place, Printed, Value, differs, equal};

/// Where its numbers are.
pub const PLACES: &[Place] = &[
    equal("min of a metric", SPREAD, |shown, at| shown.run(&at.data).spread(&at.of, "Lowest")),
    equal("max of a metric", SPREAD, |shown, at| shown.run(&at.data).spread(&at.of, "Highest")),
    equal("mean of a metric", SPREAD, |shown, at| shown.run(&at.data).spread(&at.of, "Mean")),
    equal("std of a metric", SPREAD, |shown, at| shown.run(&at.data).spread(&at.of, "Standard deviation")),
    equal("cache enabled", CACHE, |shown, at| Some(Value::Flag(cache(shown, at, "Mean").is_some()))),
    equal("average hit rate", CACHE, |shown, at| cache(shown, at, "Mean")),
    equal("final hit rate", "JSON `last`", |shown, at| shown.run(&at.data).last("cache/hit_rate")),
    equal("peak hit rate", CACHE, |shown, at| cache(shown, at, "Peak")),
    equal("overall hit rate", CACHE, |shown, at| cache(shown, at, "Overall hit rate")),
    differs(
        "tokens saved",
        CACHE,
        |shown, at| cache(shown, at, "Tokens from cache"),
        "The guide multiplies the prompt tokens by the mean of the steps' hit rates, Rundown by hits over queries where \
         both are counted: a step with few prompts counts less.",
    ),
    equal("tokens saved by hits over queries", CACHE, |shown, at| cache(shown, at, "Tokens from cache")),
    differs(
        "trajectories per second",
        "Pipeline view, \"Throughput\"",
        |shown, at| group(shown, at, "Throughput", "Trajectories/s"),
        TYPICAL,
    ),
    differs(
        "training to sampling",
        "Pipeline view, \"Throughput\"",
        |shown, at| group(shown, at, "Throughput", "Training / sampling time"),
        TYPICAL,
    ),
    equal("trajectories per second of the median step", "Pipeline view, \"Throughput\"", |shown, at| {
        group(shown, at, "Throughput", "Trajectories/s")
    }),
    equal("training to sampling of the median steps", "Pipeline view, \"Throughput\"", |shown, at| {
        group(shown, at, "Throughput", "Training / sampling time")
    }),
    equal("compute", "Scaling view, Compute used", |shown, at| group(shown, at, "Steepest first", "Compute used")),
    equal("reward at compute", "JSON `last`", |shown, at| shown.run(&at.data).last("power_law/reward_at_compute")),
    equal("scaling exponent", "Scaling view, Straight line", |shown, at| {
        group(shown, at, "Steepest first", "Straight line")
    }),
];

const SPREAD: &str = "Report, \"Values over the run\"";
const CACHE: &str = "Pipeline view, \"Prefix cache\"";
const TYPICAL: &str = "The guide divides totals, Rundown takes the median step, which a few slow steps do not change.";

fn group(shown: &Shown, at: &Printed, caption: &str, column: &str) -> Option<Value> {
    value(&shown.group("exports").blocks, caption, &[("Run", &at.data)], column)
}

fn cache(shown: &Shown, at: &Printed, column: &str) -> Option<Value> {
    let row = [("Run", at.data.as_str())];
    cell(&shown.group("exports").blocks, "Prefix cache", &row, column)?.value.map(Value::Number)
}
