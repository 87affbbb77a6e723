//! Every kind of figure on one page, to be looked at: `cargo run --example figures > figures.html`. An argument is the
//! width in CSS pixels.

#![allow(clippy::disallowed_methods, clippy::indexing_slicing, reason = "an example with data of its own")]

use rundown_content::{Block, Figure, Tone};
use rundown_plot::figure::{
    AxisScale, Bar, BarChart, BarRow, BarSeries, Bin, BoxChart, ChartSeries, HeatMap, HeatRow, LineChart, ParallelAxis,
    ParallelChart, ParallelValue, Point, ScatterChart,
};
use rundown_report::{Document, html};

fn main() {
    let width = std::env::args().nth(1).and_then(|width| width.parse().ok()).unwrap_or(760.0);
    let mut blocks = vec![Block::section("Ordinary data")];
    blocks.extend(
        [lines(width), band(width), pareto(width), importance(width), scores(width), bins(width), criteria(width)]
            .map(Block::Figure),
    );
    blocks.extend([parallel(width)].map(Block::Figure));
    blocks.push(Block::section("Odd data"));
    blocks.extend(odd(width).map(Block::Figure));
    print!("{}", html(&Document::new("Figures", &blocks, "")));
}

/// Numbers between 0 and 1 that look random and are the same each time.
fn noise(seed: u64) -> impl Iterator<Item = f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / 9_007_199_254_740_992.0
    })
}

fn steps(count: u32) -> Vec<f64> {
    (0..count).map(|step| f64::from(step * 10)).collect()
}

/// A curve that rises to `level`.
fn curve(seed: u64, level: f64, x: &[f64]) -> Vec<f64> {
    x.iter().zip(noise(seed)).map(|(x, noise)| 0.48 + (level - 0.48) * x / (x + 60.0) + 0.06 * (noise - 0.5)).collect()
}

fn lines(width: f64) -> Figure {
    let x = steps(31);
    let names =
        ["sweep-05 (lr 1e-4, beta 0.02)", "sweep-04", "sweep-02", "sweep-01", "sweep-03", "sweep-09", "sweep-07"];
    let curves: Vec<Vec<f64>> =
        [0.98, 0.93, 0.88, 0.87, 0.8, 0.25, 0.1].iter().zip(1..).map(|(level, seed)| curve(seed, *level, &x)).collect();
    let series = names.iter().zip(&curves).enumerate().map(|(place, (name, y))| ChartSeries::new(place, name, &x, y));
    LineChart {
        title: "eval/accuracy of seven runs".into(),
        x: AxisScale::linear("step"),
        y: AxisScale::linear("accuracy"),
        x_kind: rundown_plot::XKind::Number,
        series: series.collect(),
    }
    .draw(width)
}

fn band(width: f64) -> Figure {
    let x = steps(200);
    let curves = [curve(3, 0.9, &x), curve(4, 0.7, &x)];
    let shifted = |y: &[f64], by: f64| y.iter().map(|y| y + by).collect::<Vec<_>>();
    let ends: Vec<(Vec<f64>, Vec<f64>)> = curves.iter().map(|y| (shifted(y, -0.08), shifted(y, 0.08))).collect();
    let series = [("lr 1e-4 (5 seeds)", 0), ("lr 1e-5 (5 seeds)", 1)].iter().zip(&curves).zip(&ends).map(
        |(((name, place), y), (low, high))| ChartSeries {
            band: Some((low, high)),
            is_dashed: *place == 1,
            ..ChartSeries::new(*place, name, &x, y)
        },
    );
    LineChart {
        title: "Two groups of seeds".into(),
        x: AxisScale::linear("step"),
        series: series.collect(),
        ..LineChart::default()
    }
    .draw(width)
}

fn pareto(width: f64) -> Figure {
    let names: Vec<String> = (0..60).map(|run| format!("run-{run:02}")).collect();
    let mut points: Vec<Point<'_>> = names
        .iter()
        .zip(noise(5).zip(noise(6)))
        .map(|(name, (a, b))| Point::new(name, 0.3 * (a * 7.0).exp2(), 0.2 + 0.6 * b * (0.4 + 0.6 * a)))
        .collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    let mut best = f64::NEG_INFINITY;
    let mut front = Vec::new();
    for point in &mut points {
        point.tone = Tone::Muted;
        if point.y > best {
            best = point.y;
            front.push((point.x, point.y));
            point.is_named = true;
            point.tone = Tone::Accent;
            point.y_interval = Some((point.y - 0.03, point.y + 0.03));
        }
    }
    ScatterChart {
        title: "Quality against cost".into(),
        x: AxisScale::log("GPU-hours"),
        y: AxisScale::linear("eval/accuracy, mean of the last four"),
        points,
        front,
        trend: Vec::new(),
    }
    .draw(width)
}

fn importance(width: f64) -> Figure {
    let row = |name, value: f64, low, high| BarRow { name, bars: vec![Bar { value, interval: Some((low, high)) }] };
    let rows = vec![
        row("learning_rate", 0.94, 0.81, 1.02),
        row("actor_rollout_ref.actor.kl_loss_coef", 0.12, 0.02, 0.25),
        row("num_generations", 0.04, -0.03, 0.11),
        row("beta", -0.02, -0.09, 0.05),
    ];
    let x = AxisScale::linear("share of the variance explained");
    BarChart { title: "Importance".into(), x, rows, ..BarChart::default() }.draw(width)
}

fn scores(width: f64) -> Figure {
    let mut values = noise(9);
    let mut bar = || Bar { value: values.next().unwrap_or(0.5), interval: None };
    let names = ["final/accuracy_mean", "final/format_mean", "final/brevity_mean", "final/total_mean"];
    let rows = names.iter().map(|name| BarRow { name, bars: vec![bar(), bar(), bar()] }).collect();
    let runs = ["amber-01", "amber-02", "amber-18"].into_iter().enumerate();
    let runs = runs.map(|(place, name)| BarSeries::of_run(place as u32, place, name));
    BarChart { title: "Final scores".into(), rows, series: runs.collect(), ..BarChart::default() }.draw(width)
}

fn bins(width: f64) -> Figure {
    let bin = |name, middle: f64| Bin {
        name,
        middle,
        interval: Some((middle - 0.06, middle + 0.05)),
        runs: [-0.05, 0.0, 0.04].map(|shift| (middle + shift, "sweep")).into(),
    };
    let bins = vec![bin("1e-5", 0.82), bin("1e-4", 0.9), bin("1e-3", 0.24)];
    BoxChart { title: "learning_rate".into(), x_title: "learning_rate", y: AxisScale::linear("eval/accuracy"), bins }
        .draw(width)
}

fn criteria(width: f64) -> Figure {
    let x = steps(60);
    let names = ["clarity", "grounding", "cites sources", "no repetition", "answers in the language of the question"];
    let rows = names.iter().zip(1..).map(|(name, seed)| HeatRow {
        name,
        values: x.iter().zip(noise(seed)).map(|(x, noise)| x / (x + 100.0 * seed as f64) + 0.1 * noise).collect(),
    });
    let x_scale = AxisScale::linear("step");
    HeatMap { title: "Rubric".into(), x: &x, x_scale, value_title: "score", rows: rows.collect() }.draw(width)
}

fn parallel(width: f64) -> Figure {
    let names: Vec<String> = (0..27).map(|run| format!("sweep-{run:02}")).collect();
    let of = |value: fn(usize) -> ParallelValue<'static>| (0..27).map(value).collect::<Vec<_>>();
    let outcome =
        (0..27).zip(noise(4)).map(|(run, noise)| ParallelValue::Number([0.8, 0.9, 0.3][run / 9] + 0.1 * noise));
    let axes = vec![
        ParallelAxis { name: "learning_rate", values: of(|run| ParallelValue::Number([1e-5, 1e-4, 1e-3][run / 9])) },
        ParallelAxis { name: "beta", values: of(|run| ParallelValue::Number([0.0, 0.02, 0.2][run / 3 % 3])) },
        ParallelAxis { name: "loss_type", values: of(|run| ParallelValue::Word(["grpo", "dapo", "dr_grpo"][run % 3])) },
        ParallelAxis {
            name: "use_lora",
            values: of(|run| {
                if run % 4 == 0 { ParallelValue::None } else { ParallelValue::Word(["true", "false"][run % 2]) }
            }),
        },
        ParallelAxis { name: "eval/accuracy", values: outcome.collect() },
    ];
    let runs = names.iter().map(String::as_str).collect();
    ParallelChart { title: "Settings and outcome".into(), runs, axes, is_less_better: false }.draw(width)
}

/// What broken runs give: nothing, one value, NaN, a constant, huge numbers, long names.
fn odd(width: f64) -> [Figure; 5] {
    let x = steps(40);
    let broken: Vec<f64> = (0..40)
        .map(|step| match step {
            5 | 6 | 20 => f64::NAN,
            30 => f64::INFINITY,
            step => 1e5 * f64::from(step),
        })
        .collect();
    let many: Vec<(String, Vec<f64>)> = (0..40_u32)
        .map(|run| (format!("a-long-name-of-a-run-with-its-settings-lr-1e-4-seed-{run}"), curve(run.into(), 0.6, &x)))
        .collect();
    let name = "an/unreasonably/long/name/of/a/metric/that/nobody/would/write/but/somebody/did/mean";
    let series = many.iter().enumerate().map(|(place, (name, y))| ChartSeries::new(place, name, &x, y)).collect();
    [
        LineChart { title: "Nothing".into(), x: AxisScale::linear("step"), ..LineChart::default() }.draw(width),
        LineChart {
            title: "One value".into(),
            x: AxisScale::linear("step"),
            series: vec![ChartSeries::new(0, "reward", &[7.0], &[0.3])],
            ..LineChart::default()
        }
        .draw(width),
        LineChart {
            title: "NaN and infinity".into(),
            x: AxisScale::linear("step"),
            series: vec![ChartSeries::new(0, "loss", &x, &broken), ChartSeries::new(1, name, &x, &[2e6; 40])],
            ..LineChart::default()
        }
        .draw(width),
        LineChart { title: "Forty runs".into(), x: AxisScale::linear("step"), series, ..LineChart::default() }
            .draw(width),
        BarChart {
            title: "Long names, huge and missing values".into(),
            rows: [(name, 1e300), ("small", 1e-5), ("missing", f64::NAN), ("below", -4e299)]
                .map(|(name, value)| BarRow { name, bars: vec![Bar { value, interval: None }] })
                .into(),
            ..BarChart::default()
        }
        .draw(width),
    ]
}
