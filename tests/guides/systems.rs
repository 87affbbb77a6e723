//! The third guide: ratings, sweeps of leagues, events of a pipeline.

use super::shown::{Shown, text, text_after, value};
use super::{Place, Printed, Value, differs, equal};

/// Where its numbers are.
pub const PLACES: &[Place] = &[
    equal("initial Elo", ELO, |shown, at| of_agent(shown, at, "First")),
    equal("peak Elo", ELO, |shown, at| of_agent(shown, at, "Peak")),
    equal("step of the peak", ELO, |shown, at| of_agent(shown, at, "At step")),
    differs("final Elo", ELO, |shown, at| of_agent(shown, at, "Elo at the end"), LEVEL),
    equal("final Elo as the mean of the last tenth", ELO, |shown, at| of_agent(shown, at, "Elo at the end")),
    differs(
        "trend",
        ELO,
        |shown, at| text(leagues(shown), "Elo of every agent", &agent(at), "Trend"),
        "The guide looks at the distance of the last rating from the peak (5 and 20 Elo), so that every noisy rating \
         declines; Rundown tests the trend over all ratings.",
    ),
    differs(
        "learning signal",
        "League view, the first list",
        |shown, at| text_after(leagues(shown), &format!("{}: learning signal: ", at.data)),
        "The guide counts checkpoints that decline; ratings in a closed pool are zero-sum, so Rundown asks for a gain over \
         an opponent that never changes.",
    ),
    differs(
        "best checkpoint",
        "League view, \"Elo above the base model\", Checkpoint",
        |shown, at| text(leagues(shown), "Elo above", &[("Run", &at.data)], "Checkpoint"),
        "The guide takes the highest single rating, Rundown the highest level at the end.",
    ),
    differs(
        "improvement",
        "League view, \"Elo above the base model\", Best checkpoint",
        |shown, at| value(leagues(shown), "Elo above", &[("Run", &at.data)], "Best checkpoint"),
        "The guide subtracts the base model's first rating from the highest one; Rundown subtracts levels at the end, since \
         the base model's rating moves too.",
    ),
    differs("baseline exploitation", LOST, |shown, at| ranked(shown, at, "Lost by fixed opponents, Elo"), LEVEL),
    differs("gap", RANKS, |shown, at| ranked(shown, at, "Gap, Elo"), LEVEL),
    differs("base model's Elo", RANKS, |shown, at| ranked(shown, at, "Base model's Elo"), LEVEL),
    differs(
        "total drop",
        LOST,
        |shown, at| ranked(shown, at, "Lost by fixed opponents, Elo"),
        "The guide assumes that all ratings start at 1000; Rundown takes the first one.",
    ),
    equal("rank by gap", RANKS, |shown, at| ranked(shown, at, "Rank by gap")),
    equal("rank by base model's Elo", RANKS, |shown, at| ranked(shown, at, "Rank by base model")),
    differs(
        "rank by total drop",
        RANKS,
        |shown, at| ranked(shown, at, "Rank by loss"),
        "The guide assumes that all ratings start at 1000; Rundown takes the first one.",
    ),
    equal("mean KL", "\"Values over the run\", Mean", |shown, at| shown.run(&at.data).spread("kl/mean", "Mean")),
    equal("last KL", "JSON `last`", |shown, at| shown.run(&at.data).last("kl/mean")),
    equal("unstable by its KL", "League view, \"Rankings\", KL above 10", |shown, at| {
        let found = text(leagues(shown), "Rankings", &[("Run", &at.data)], "KL above 10")?;
        Some(Value::Flag(found == Value::Word("yes".to_owned())))
    }),
    equal("median rollout, s", "Pipeline view, \"Rollouts\"", |shown, at| {
        pipeline(shown, at, "Rollouts:", "Median, s")
    }),
    equal("p95 of rollouts, s", "Pipeline view, \"Rollouts\"", |shown, at| pipeline(shown, at, "Rollouts:", "95 %, s")),
    equal("trajectories per rollout", "\"Values over the run\", Mean", |shown, at| {
        shown.run(&at.data).spread("axiom/rollout/trajectory_count", "Mean")
    }),
    differs(
        "trajectories per hour",
        "Pipeline view, \"Throughput\"",
        |shown, at| pipeline(shown, at, "Throughput", "Trajectories per hour"),
        "The guide divides by the hours that were asked for, Rundown by the time between the first and the last rollout.",
    ),
    equal("trajectories per hour from the first rollout to the last", "Pipeline view, \"Throughput\"", |shown, at| {
        pipeline(shown, at, "Throughput", "Trajectories per hour")
    }),
    equal("output tokens/s", ENGINE, |shown, at| engine(shown, at, "Output tokens/s")),
    equal("input tokens/s", ENGINE, |shown, at| engine(shown, at, "Input tokens/s")),
    equal("batch size", ENGINE, |shown, at| engine(shown, at, "Batch size")),
    equal("completion rate", "Pipeline view, \"Failed rollouts\": what is left of 1", |shown, at| {
        let row = [("Run", run_name(at)), ("What", "failed rollouts")];
        let failed = value(events(shown), "Failed rollouts", &row, "Share")?;
        if let Value::Number(failed) = failed { Some(Value::Number(1.0 - failed)) } else { None }
    }),
    equal("extraction rate", RATES, |shown, at| pipeline(shown, at, "Extraction", "Extracted")),
    equal("empty rate", RATES, |shown, at| pipeline(shown, at, "Extraction", "Empty")),
    equal("partial rate", RATES, |shown, at| pipeline(shown, at, "Extraction", "Partial")),
    equal("extraction rate of a power", GROUPS, |shown, at| of_power(shown, at, "Extracted")),
    equal("empty rate of a power", GROUPS, |shown, at| of_power(shown, at, "Empty")),
    equal("partial rate of a power", GROUPS, |shown, at| of_power(shown, at, "Partial")),
    equal("error rate", "Pipeline view, \"Failed rollouts and error events\"", |shown, at| {
        let row = [("Run", run_name(at)), ("What", "error events")];
        value(events(shown), "Failed rollouts", &row, "Share")
    }),
    differs(
        "status",
        "Pipeline view; JSON `pipeline.health`",
        |shown, at| shown.run(&at.data).json["pipeline"]["health"].as_str().map(|word| Value::Word(word.to_owned())),
        "The guide looks at the share of error events alone; Rundown also at failed rollouts, slow rollouts and \
         extraction.",
    ),
];

const LEVEL: &str = "The guide takes the last rating, Rundown the mean of the last tenth of them (three at least), with its \
                     error.";
const ELO: &str = "League view, \"Elo of every agent\"";
const RANKS: &str = "League view, \"Rankings\"";
const LOST: &str = "League view, \"Rankings\", Lost by fixed opponents";
const ENGINE: &str = "Pipeline view, \"Inference engine\"";
const RATES: &str = "Pipeline view, \"Extraction\"";
const GROUPS: &str = "Pipeline view, \"Extraction by group\"";

fn leagues(shown: &Shown) -> &[rundown_content::Block] {
    &shown.group("leagues").blocks
}

fn events(shown: &Shown) -> &[rundown_content::Block] {
    &shown.group("events").blocks
}

fn agent(at: &Printed) -> [(&str, &str); 2] {
    [("Run", &at.data), ("Agent", &at.of)]
}

fn of_agent(shown: &Shown, at: &Printed, column: &str) -> Option<Value> {
    value(leagues(shown), "Elo of every agent", &agent(at), column)
}

fn ranked(shown: &Shown, at: &Printed, column: &str) -> Option<Value> {
    value(leagues(shown), "Rankings", &[("Run", &at.data)], column)
}

/// Event logs are named after their runs.
fn run_name(at: &Printed) -> &str {
    at.data.trim_end_matches(".ndjson")
}

fn pipeline(shown: &Shown, at: &Printed, caption: &str, column: &str) -> Option<Value> {
    value(events(shown), caption, &[("Run", run_name(at))], column)
}

fn engine(shown: &Shown, at: &Printed, column: &str) -> Option<Value> {
    value(events(shown), "inference engine", &[("Run", run_name(at)), ("By", "all")], column)
}

fn of_power(shown: &Shown, at: &Printed, column: &str) -> Option<Value> {
    let row = [("Run", run_name(at)), ("Group", at.of.as_str())];
    value(events(shown), "Extraction by group", &row, column)
}
