//! Diagnoses of runs that log everything under names that the checks know, and decimation for charts.

use rundown_diagnose::{Rulebook, diagnose};
use rundown_plot::decimate;
use rundown_run::Run;
use rundown_vocabulary::Concept;

use crate::milliseconds;
use crate::support::measurements::{Measurement, Measurements, ROUNDS, Scaling, Unit};
use crate::synthetic::wave;

/// Measures both.
pub fn measure(measurements: &mut Measurements) -> std::io::Result<()> {
    measurements.begin("Diagnosis and charts", "Natively, on one core; every metric has a name that the checks know.");
    let rulebook = Rulebook::default();
    let all = |runs: &[Run]| milliseconds(|| runs.iter().map(|run| diagnose(run, &rulebook)).collect::<Vec<_>>());
    let hundred: Vec<Run> = (0..100).map(|seed| known_metrics(1_000, 40, seed)).collect();
    let times = (0..ROUNDS).map(|_| all(&hundred)).collect();
    measurements
        .record(Measurement::new("100 runs x 1,000 steps x 40 metrics", Unit::Milliseconds, times).at_most(300.0));

    let least = |runs: &[Run]| (0..ROUNDS).map(|_| all(runs)).fold(f64::INFINITY, f64::min);
    let steps = [6_250, 25_000, 100_000].map(|steps| (f64::from(steps), least(&[known_metrics(steps, 40, 1)])));
    record_scaling(measurements, "diagnosis of one run", "steps", steps);
    let metrics = [10, 40, 160].map(|metrics| (metrics as f64, least(&[known_metrics(5_000, metrics, 1)])));
    record_scaling(measurements, "diagnosis of one run of 5,000 steps", "metrics", metrics);

    let points = [62_500, 250_000, 1_000_000].map(|points| {
        let x: Vec<f64> = (0..points).map(|index| index as f64).collect();
        let y: Vec<f64> = (0..points).map(|index| wave(index as u64)).collect();
        let times: Vec<f64> = (0..ROUNDS).map(|_| milliseconds(|| decimate(&x, &y, None, 1_200))).collect();
        let least = times.iter().copied().fold(f64::INFINITY, f64::min);
        measurements.record(Measurement::new(
            format!("{points} points to the 1,200 pixels of a chart"),
            Unit::Milliseconds,
            times,
        ));
        (points as f64, least)
    });
    record_scaling(measurements, "decimation", "points", points);
    Ok(())
}

fn record_scaling(measurements: &mut Measurements, what: &str, size: &str, points: [(f64, f64); 3]) {
    measurements.record_scaling(Scaling { what: what.to_owned(), size: size.to_owned(), points: points.to_vec() });
}

/// A run with so many metrics, each a slow drift with noise that remembers the step before. Metrics beyond those that the
/// checks know have names of their own.
fn known_metrics(steps: u32, metrics: usize, seed: usize) -> Run {
    let known = Concept::ALL.iter().map(|concept| concept.plain_key()).filter(|key| !key.contains('{'));
    let others = (0..metrics).map(|metric| format!("other/metric_{metric}"));
    let keys: Vec<String> = known.map(str::to_owned).chain(others).take(metrics).collect();
    let mut run = Run::default();
    let mut noise = vec![0.0; keys.len()];
    for step in 0..steps {
        let row = run.push_row(f64::from(step), f64::from(step) * 30.0);
        for (place, (key, noise)) in keys.iter().zip(&mut noise).enumerate() {
            *noise = 0.7 * *noise + wave(((step as usize * 61 + place) * 7 + seed) as u64) - 0.5;
            let drift = f64::from(step) / f64::from(steps) * if place % 2 == 0 { 0.3 } else { -0.2 };
            run.push_value(key, row, 0.5 + drift + 0.05 * *noise);
        }
    }
    run.choose_axis();
    run
}
