//! What a run cost, and what of it came after a finding that made the rest useless.
//!
//! Only arithmetic on what was logged: hours from the times of the rows, else from a logged time of each step, else those
//! of the whole run by its logged total; without any there are none, and without a price no money. Time between the parts of a restarted run, and gaps ten times
//! as long as usual, are not counted: nobody knows whether the GPUs were held meanwhile. Steps count from the first row on where its
//! own time is not known, else from the start of a run that is logged from there.

mod clock;

use super::context::Context;
use super::settings;
use super::{Code, Finding, Group, LearningState, Severity};
use clock::Clock;
use rundown_run::{Config, ConfigValue};
use rundown_stats::CompactSort as _;
use rundown_vocabulary::Concept;

/// What the user says of the price. All unknown by default.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Price {
    /// Money for one GPU for one hour, in any currency.
    pub per_gpu_hour: Option<f64>,
    /// Number of GPUs; `None` takes it from the config or the machine's description.
    pub gpus: Option<f64>,
}

/// What a run cost.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cost {
    /// All of it.
    pub total: Spent,
    /// What came after findings that made the rest useless, overlaps counted once; `None` without such a finding.
    pub useless: Option<Spent>,
    /// The findings that cause it, in the order of the findings.
    pub findings: Vec<CostAfterFinding>,
    /// Where the hours are from: `times of the rows`, the metric that holds the time of each step, or the total of the run,
    /// which gives the hours of no part of it; else empty.
    pub hours_from: String,
    /// Hours in gaps and between restarts, which `total` leaves out; 0 without times.
    pub idle_hours: f64,
    /// Number of GPUs, where known.
    pub gpus: Option<f64>,
    /// Where that number is from: config keys, or `given`.
    pub gpus_from: String,
    /// The price that was given.
    pub per_gpu_hour: Option<f64>,
}

/// An amount of training.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spent {
    /// Steps.
    pub steps: f64,
    /// Hours by the clock; `None` without times.
    pub hours: Option<f64>,
    /// Tokens; `None` where they were not logged.
    pub tokens: Option<f64>,
    /// GPU-hours; `None` without times or GPUs.
    pub gpu_hours: Option<f64>,
    /// Money; `None` without GPU-hours or a price.
    pub money: Option<f64>,
}

/// What came after one finding.
#[derive(Debug, Clone, PartialEq)]
pub struct CostAfterFinding {
    /// The finding.
    pub code: Code,
    /// Its onset.
    pub from: f64,
    /// Where it ended.
    pub to: f64,
    /// What that took.
    pub spent: Spent,
}

/// What is not critical, but says itself that going on was useless.
const SPOILED: [Code; 10] = {
    use Code::*;
    [
        NoLearning, Plateau, RegressionFromPeak, Overfitting, ZeroVarianceGroups, TooConservative, LearningRateZero,
        EntropyCollapse, FormatOnlyPolicy, ProxyOnlyGain,
    ]
};

/// The cost of a run with these findings.
#[inline(never)]
pub(super) fn cost(context: &Context<'_>, findings: &[Finding], price: Price) -> Cost {
    let Some((first, last)) = context.run.step_range() else { return Cost::default() };
    let (gpus, gpus_from) = match price.gpus {
        Some(gpus) => (Some(gpus), "given".to_owned()),
        None => gpus(&context.run.config, &context.run.summary),
    };
    let gpus = gpus.filter(|gpus| gpus.is_finite() && *gpus > 0.0);
    let per_gpu_hour = price.per_gpu_hour.filter(|price| price.is_finite() && *price >= 0.0);
    let spoiled: Vec<(Code, f64, f64)> = findings
        .iter()
        .filter(|finding| is_useless(context, finding))
        .filter_map(|finding| {
            let from = finding.onset?.clamp(first, last);
            let to = finding.end.unwrap_or(last).clamp(first, last);
            (to > from).then_some((finding.code, from, to))
        })
        .collect();
    // After the comparisons above: of a long run their lists and the clock's each take as much memory as three metrics.
    let is_from_start = context.is_logged_from_start();
    let clock = Clock::of_rows(context.run, context.signals(Concept::UpkeepTime), is_from_start);
    let clock = clock.or_else(|| Clock::logged(context)).or_else(|| Clock::of_total(context.run, first, last));
    // The first row of a run that is logged from its start stands for the steps before it: one at step 10 for ten steps. Where rows
    // have times of the day, these leave them out.
    let is_whole = clock.as_ref().is_none_or(|clock| !clock.is_between_rows) && is_from_start;
    let start = if is_whole { first.min(0.0) } else { first };
    let mut tokens = tokens(context);
    if let Some(counted) = tokens.as_mut().filter(|_| start < first) {
        counted.insert(0, (start, 0.0));
    }
    let meter = Meter { clock, tokens, gpus, per_gpu_hour };
    let union = union(spoiled.iter().map(|(_, from, to)| (*from, *to)).collect());
    Cost {
        total: meter.spent(&[(start, last)]),
        useless: if union.is_empty() { None } else { Some(meter.spent(&union)) },
        findings: spoiled
            .into_iter()
            .map(|(code, from, to)| CostAfterFinding { code, from, to, spent: meter.spent(&[(from, to)]) })
            .collect(),
        hours_from: meter.clock.as_ref().map(|clock| clock.from.clone()).unwrap_or_default(),
        idle_hours: meter.clock.as_ref().map_or(0.0, |clock| clock.idle / 3600.0),
        gpus,
        gpus_from: if gpus.is_some() { gpus_from } else { String::new() },
        per_gpu_hour,
    }
}

/// True when nothing was gained after a finding of a kind that spoils the rest. What cannot be measured is not useless.
fn is_useless(context: &Context<'_>, finding: &Finding) -> bool {
    if finding.code == Code::NonfiniteValues && finding.severity == Severity::Critical {
        return true;
    }
    let spoils = match finding.severity {
        Severity::Critical => finding.code.group() != Group::Integrity,
        Severity::Warning => SPOILED.contains(&finding.code),
        Severity::Note => finding.code == Code::Plateau,
    };
    let assessed = context.learning.state != LearningState::Unknown;
    // A reward that is hacked rises; only an evaluation could show a gain.
    let hacked = matches!(finding.code, Code::RewardHacking | Code::ProxyOnlyGain | Code::FormatOnlyPolicy);
    let gained = || finding.onset.is_none_or(|onset| context.gained_since(onset));
    spoils && assessed && (!gained() || (hacked && !context.learning.is_evaluated()))
}

/// Intervals without their overlaps, ascending.
fn union(mut intervals: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    intervals.compact_sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut joined: Vec<(f64, f64)> = Vec::new();
    for (from, to) in intervals {
        match joined.last_mut() {
            Some((_, end)) if from <= *end => *end = end.max(to),
            _ => joined.push((from, to)),
        }
    }
    joined
}

/// What measures intervals of steps.
struct Meter {
    clock: Option<Clock>,
    /// Step, and tokens up to it.
    tokens: Option<Vec<(f64, f64)>>,
    gpus: Option<f64>,
    per_gpu_hour: Option<f64>,
}

impl Meter {
    fn spent(&self, intervals: &[(f64, f64)]) -> Spent {
        let sum = |part: &dyn Fn(f64, f64) -> f64| intervals.iter().map(|(from, to)| part(*from, *to)).sum::<f64>();
        let seconds = |clock: &Clock| intervals.iter().map(|(from, to)| clock.seconds(*from, *to)).sum::<Option<f64>>();
        let hours = self.clock.as_ref().and_then(seconds).map(|seconds| seconds / 3600.0);
        let tokens = self.tokens.as_ref().map(|counted| sum(&|from, to| up_to(counted, to) - up_to(counted, from)));
        let gpu_hours = hours.zip(self.gpus).map(|(hours, gpus)| hours * gpus);
        Spent {
            steps: sum(&|from, to| to - from),
            hours,
            tokens: tokens.filter(|tokens| tokens.is_finite() && *tokens >= 0.0),
            gpu_hours,
            money: gpu_hours.zip(self.per_gpu_hour).map(|(hours, price)| hours * price),
        }
    }
}

fn tokens(context: &Context<'_>) -> Option<Vec<(f64, f64)>> {
    let signal = context.signal(Concept::Tokens)?;
    tokens_so_far(&signal.steps, &signal.values)
}

/// Tokens up to each step, as steps and counts: TRL logs them so, verl logs those of each step. `None` with fewer than
/// three points or a negative one. Both lists are finite, steps ascend.
pub fn tokens_so_far(steps: &[f64], values: &[f64]) -> Option<Vec<(f64, f64)>> {
    if values.len() < 3 || values.iter().any(|value| *value < 0.0) {
        return None;
    }
    let cumulative = values.is_sorted() && values.last() > values.first();
    let mut sum = 0.0;
    // The first row stands for as many steps as the next one, where so many were taken.
    let first = *steps.first()?;
    let mut previous = steps.get(1).map_or(first, |next| 2.0 * first - next).max(0.0).min(first - 1.0);
    let points = steps.iter().zip(values).map(|(step, value)| {
        // Rows between two logged ones had as many tokens each.
        sum = if cumulative { *value } else { sum + value * (step - previous).max(0.0) };
        previous = *step;
        (*step, sum)
    });
    Some(points.collect())
}

/// What was counted up to a step.
fn up_to(counted: &[(f64, f64)], step: f64) -> f64 {
    let after = counted.partition_point(|(at, _)| *at <= step);
    let before = after.checked_sub(1).and_then(|place| counted.get(place));
    before.or(counted.first()).map_or(0.0, |(_, sum)| *sum)
}

/// Pairs of keys whose product is the number of GPUs, and single ones that are it.
const GPUS: [(&str, &str); 9] = [
    ("trainer.n_gpus_per_node", "trainer.nnodes"),
    ("cluster.gpus_per_node", "cluster.num_nodes"),
    ("cluster.n_gpus_per_node", "cluster.n_nodes"),
    ("trainer.placement.policy_num_gpus_per_node", "trainer.placement.policy_num_nodes"),
    ("actor.num_gpus_per_node", "actor.num_nodes"),
    ("actor_num_gpus_per_node", "actor_num_nodes"),
    ("num_gpus", ""),
    ("n_gpus", ""),
    ("world_size", ""),
];

/// The number of GPUs by the config, or by the machine that the tracker described.
fn gpus(config: &Config, machine: &Config) -> (Option<f64>, String) {
    for (each, times) in GPUS {
        let Some((_, count)) = settings::number(config, &[each]).filter(|(_, count)| *count > 0.0) else { continue };
        if times.is_empty() {
            return (Some(count), each.to_owned());
        }
        let nodes = settings::number(config, &[times]).map_or(1.0, |(_, nodes)| nodes.max(1.0));
        return (Some(count * nodes), format!("{each} × {times}"));
    }
    match machine.get("machine.gpu_count") {
        Some(ConfigValue::Number(count)) if *count > 0.0 => (Some(*count), "the machine's description".to_owned()),
        _ => (None, String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, jump, saturating};
    use crate::{Options, Rulebook, diagnose_with};
    use rundown_run::Run;

    const PRICE: Price = Price { per_gpu_hour: Some(2.0), gpus: Some(4.0) };

    /// A run that stops learning at half, with 60 s a step.
    fn spoiled() -> Run {
        Synthetic::healthy(200)
            .every("eval/accuracy", 5, |t| 0.4 + 0.5 * saturating(2.0 * t) * (1.0 - jump(t, 0.5)) - 0.3 * jump(t, 0.5))
            .noisy("train/reward", 0.1, |t| 1.4 + 0.7 * saturating(t) - 1.6 * jump(t, 0.5))
            .noisy("train/kl", 0.02, |t| 0.1 + 6.0 * jump(t, 0.5))
            .build()
    }

    fn timed(mut run: Run, seconds: impl Fn(usize) -> f64) -> Run {
        let mut now = 1.7e9;
        for row in 0..run.row_times.len() {
            now += seconds(row);
            run.row_times[row] = now;
        }
        run
    }

    fn cost_of(run: &Run) -> Cost {
        diagnose_with(run, &Rulebook::default(), &Options { price: PRICE, ..Options::default() }).cost
    }

    #[test]
    fn hours_and_money_after_the_onset_are_counted_once() {
        let cost = cost_of(&timed(spoiled(), |_| 60.0));
        assert!((cost.total.hours.unwrap() - 199.0 / 60.0).abs() < 1e-6, "{cost:?}");
        assert_eq!(cost.total.gpu_hours.map(|hours| (hours * 15.0).round()), Some(199.0));
        assert!(!cost.findings.is_empty(), "{cost:?}");
        let useless = cost.useless.unwrap();
        assert!((95.0..=106.0).contains(&useless.steps), "{cost:?}");
        assert!((useless.hours.unwrap() - useless.steps / 60.0).abs() < 1e-6);
        assert!((useless.money.unwrap() - 8.0 * useless.hours.unwrap()).abs() < 1e-6);
        assert!(cost.findings.iter().all(|finding| finding.spent.steps <= useless.steps + 1e-9));
    }

    #[test]
    fn without_times_there_are_steps_alone() {
        let cost = cost_of(&spoiled());
        assert_eq!((cost.total.hours, cost.total.money, cost.idle_hours), (None, None, 0.0));
        assert_eq!(cost.total.steps, 200.0);
        assert!(cost.useless.is_some());
    }

    #[test]
    fn a_logged_time_of_each_step_is_a_clock_too() {
        let cost = cost_of(&Synthetic::healthy(100).every("timing_s/step", 1, |_| 36.0).build());
        assert_eq!((cost.total.hours, cost.hours_from.as_str()), (Some(1.0), "timing_s/step"));
        assert_eq!(cost.total.steps, 100.0, "the first one too");
        let timed = cost_of(&timed(Synthetic::healthy(100).build(), |_| 60.0));
        assert_eq!(timed.hours_from, "times of the rows");
        let outer = cost_of(&Synthetic::healthy(100).every("timing_s/step", 10, |_| 36.0).build());
        assert_eq!(outer.total.hours, None, "of one step in ten, or of ten steps");
    }

    #[test]
    fn a_logged_total_gives_the_hours_of_the_whole_run_alone() {
        let mut run = spoiled();
        run.summary.insert("train_runtime", ConfigValue::Number(7200.0));
        let cost = cost_of(&run);
        assert_eq!((cost.total.hours, cost.total.gpu_hours, cost.total.money), (Some(2.0), Some(8.0), Some(16.0)));
        assert_eq!(cost.hours_from, "the total run time (train_runtime)");
        let mut rows = Run::default();
        for row in 0..15_u32 {
            rows.push_row(f64::from(row), f64::NAN);
            rows.push_value("step", row, f64::from(5 * row + 5));
            rows.push_value("train/reward", row, 0.5);
        }
        rows.choose_axis();
        assert_eq!(cost_of(&rows).total.steps, 75.0);
        assert_eq!(cost_of(&timed(rows.clone(), |_| 300.0)).total.steps, 70.0, "between the rows");
        rows.summary.insert("train_runtime", ConfigValue::Number(7200.0));
        assert_eq!((cost_of(&rows).total.steps, cost_of(&rows).total.hours), (75.0, Some(2.0)), "of all steps");
        assert_eq!(cost.useless.map(|useless| (useless.hours, useless.money)), Some((None, None)));
        assert_eq!(cost_of(&timed(run.clone(), |_| 60.0)).hours_from, "times of the rows");
        assert_eq!(cost_of(&timed(run.clone(), |_| 0.001)).total.hours, Some(2.0), "rows of one moment time nothing");
        run.starts_at = vec![50];
        assert_eq!(cost_of(&run).total.hours, None, "perhaps that of the last of two trainings");
    }

    #[test]
    fn a_healthy_run_wasted_nothing() {
        let cost = cost_of(&timed(Synthetic::healthy(200).build(), |_| 60.0));
        assert_eq!((cost.useless, cost.findings.len()), (None, 0));
    }

    #[test]
    fn a_gap_is_no_work_and_evaluations_are() {
        let gap = cost_of(&timed(Synthetic::healthy(200).build(), |row| if row == 100 { 90_000.0 } else { 60.0 }));
        assert!((gap.total.hours.unwrap() - 198.0 / 60.0).abs() < 1e-6, "{gap:?}");
        assert!((gap.idle_hours - 25.0).abs() < 1e-6);
        let mut validated = timed(Synthetic::healthy(200).build(), |row| if row == 100 { 5_000.0 } else { 60.0 });
        validated.push_value("timing/testing", 100, 4_900.0);
        let validated = cost_of(&validated);
        assert_eq!(validated.idle_hours, 0.0);
        assert!((validated.total.hours.unwrap() - (198.0 * 60.0 + 5_000.0) / 3600.0).abs() < 1e-6, "{validated:?}");
        let evaluated =
            cost_of(&timed(Synthetic::healthy(200).build(), |row| if row % 10 == 0 { 900.0 } else { 60.0 }));
        assert_eq!(evaluated.idle_hours, 0.0);
    }

    #[test]
    fn tokens_are_summed_or_read_off() {
        let of = |level: fn(f64) -> f64| {
            cost_of(&Synthetic::healthy(100).every("train/num_tokens", 1, level).build()).total.tokens
        };
        assert_eq!(of(|t| 1000.0 * (t * 100.0).round()), Some(99_000.0));
        assert_eq!(of(|t| if t < 0.5 { 1000.0 } else { 500.0 }).map(f64::round), Some(50.0 * 1000.0 + 50.0 * 500.0));
        let mut sparse = Run::default();
        for step in [10.0, 20.0, 30.0] {
            let row = sparse.push_row(step, f64::NAN);
            sparse.push_value("train/num_tokens", row, 500.0);
        }
        sparse.choose_axis();
        assert_eq!(cost_of(&sparse).total.tokens, Some(30.0 * 500.0), "the first row is of ten steps too");
    }

    #[test]
    fn gpus_come_from_the_config() {
        let mut config = Config::default();
        config.insert("trainer.n_gpus_per_node", ConfigValue::Number(8.0));
        config.insert("trainer.nnodes", ConfigValue::Number(2.0));
        assert_eq!(gpus(&config, &Config::default()).0, Some(16.0));
        let mut machine = Config::default();
        machine.insert("machine.gpu_count", ConfigValue::Number(8.0));
        assert_eq!(gpus(&Config::default(), &machine), (Some(8.0), "the machine's description".to_owned()));
    }

    #[test]
    fn overlaps_are_joined() {
        assert_eq!(union(vec![(5.0, 9.0), (1.0, 3.0), (2.0, 4.0), (8.0, 8.5)]), [(1.0, 4.0), (5.0, 9.0)]);
    }
}
