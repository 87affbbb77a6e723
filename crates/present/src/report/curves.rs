//! The curves of one run: what a diagnosis rests on, one chart a quantity.

use rundown_content::Block;
use rundown_diagnose::Diagnosis;
use rundown_format::redact;
use rundown_plot::figure::{ChartSeries, LineChart};
use rundown_run::Run;
use rundown_vocabulary::Concept;

/// Width of a figure in CSS pixels.
const FIGURE_WIDTH: f64 = 720.0;
/// Lines of one chart: the primary metric and what else stands for the same quantity.
const MAX_LINES: usize = 4;

/// What is drawn, in the order of reading.
const DRAWN_CONCEPTS: [Concept; 11] = [
    Concept::Evaluation,
    Concept::Reward,
    Concept::RewardComponent,
    Concept::TeacherKl,
    Concept::KlToReference,
    Concept::Entropy,
    Concept::ResponseLength,
    Concept::GradientNorm,
    Concept::Elo,
    Concept::StepTime,
    Concept::Throughput,
];

/// A section with the curves of a run; nothing where none has two points.
pub(super) fn curves(run: &Run, diagnosis: &Diagnosis) -> Vec<Block> {
    let mut blocks = Vec::new();
    for concept in DRAWN_CONCEPTS {
        let mut lines: Vec<(String, Vec<f64>, Vec<f64>)> = Vec::new();
        for binding in diagnosis.bindings.all(concept) {
            let Some(series) = run.series(&binding.key).map(|series| series.finite()) else { continue };
            if series.steps.len() < 2 || lines.len() == MAX_LINES {
                continue;
            }
            let values = series.values.iter().map(|value| binding.scale.apply(*value)).collect();
            lines.push((redact(&binding.key).into_owned(), series.steps.to_vec(), values));
        }
        if lines.is_empty() {
            continue;
        }
        let series = lines.iter().enumerate().map(|(place, (name, x, y))| ChartSeries::new(place, name, x, y));
        let title = concept.words();
        blocks.push(Block::Figure(LineChart::over_steps(title, title, series).draw(FIGURE_WIDTH)));
    }
    if !blocks.is_empty() {
        blocks.insert(0, Block::section("Curves"));
    }
    blocks
}
