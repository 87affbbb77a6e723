//! temp
use rundown::diagnose::{Context, Rulebook, checks, diagnose};
use rundown::run::Run;
use rundown::vocabulary::{Concept, bind};
use std::time::Instant;
fn wave(index: usize) -> f64 {
    let phase = (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11;
    phase as f64 / (1_u64 << 53) as f64 + index as f64 * 1e-7
}
fn known_metrics(steps: u32, metrics: usize, seed: usize) -> Run {
    let keys = Concept::ALL.iter().map(|concept| concept.plain_key()).filter(|key| !key.contains('{'));
    let keys: Vec<&str> = keys.take(metrics).collect();
    let mut run = Run::default();
    let mut noise = vec![0.0; keys.len()];
    for step in 0..steps {
        let row = run.push_row(f64::from(step), f64::from(step) * 30.0);
        for (place, (key, noise)) in keys.iter().zip(&mut noise).enumerate() {
            *noise = 0.7 * *noise + wave((step as usize * 61 + place) * 7 + seed) - 0.5;
            let drift = f64::from(step) / f64::from(steps) * if place % 2 == 0 { 0.3 } else { -0.2 };
            run.push_value(key, row, 0.5 + drift + 0.05 * *noise);
        }
    }
    run.choose_axis(None);
    run
}
fn main() {
    let run = known_metrics(5000, 60, 1);
    let book = Rulebook::default();
    let _ = (bind as fn(&Run) -> _, Context::new, checks::ALL.len(), Instant::now());
    for _ in 0..200 {
        std::hint::black_box(diagnose(&run, &book));
    }
}
