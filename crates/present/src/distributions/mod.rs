//! How the values of a run are spread, as tables and figures: for the Run view's appendix and the report.

mod cells;
mod histograms;
mod metrics;

use rundown_content::Block;
use rundown_diagnose::Diagnosis;
use rundown_run::{Run, RunWarning};

/// Metrics over the run, rewards at first and at last, histograms. Nothing of a run whose values are not here.
pub(super) fn distributions(run: &Run, diagnosis: &Diagnosis) -> Vec<Block> {
    if run.warnings.contains(&RunWarning::ReportOnly) {
        return Vec::new();
    }
    [metrics::over_the_run(run, diagnosis), metrics::rewards(run, diagnosis), histograms::histograms(run)].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::Histogram;

    #[test]
    fn all_parts_are_there_unless_only_a_report_is() {
        let mut run = Run::default();
        for step in 0..2_u32 {
            let row = run.push_row(f64::from(step), f64::NAN);
            run.push_value("loss", row, 1.0);
            let histogram = Histogram { row, edges: vec![0.0, 1.0], counts: vec![1.0] };
            run.histograms.entry("h".to_owned()).or_default().push(histogram);
        }
        run.choose_axis();
        assert_eq!(distributions(&run, &Diagnosis::default()).len(), 3, "two tables and a figure");
        run.warnings.push(RunWarning::ReportOnly);
        assert!(distributions(&run, &Diagnosis::default()).is_empty(), "64 points of a curve have another spread");
    }
}
