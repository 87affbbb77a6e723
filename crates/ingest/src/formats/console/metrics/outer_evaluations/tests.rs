//! Lines of evaluations around rows, and lines that are none.

use super::*;
use crate::formats::console::LogMetrics;

fn read(text: &str) -> Run {
    let mut metrics = LogMetrics::default();
    text.lines().for_each(|line| metrics.add(line));
    metrics.finish()
}

fn points(run: &Run, key: &str) -> Vec<(u32, f64)> {
    run.columns.get(key).map(|column| column.points().collect()).unwrap_or_default()
}

fn rows(first: u32) -> String {
    (first..first + 9).map(|step| format!("Step {step}/50 | reward: 0.{step} | loss: 0.0{step}\n")).collect()
}

#[test]
fn an_accuracy_before_and_behind_the_rows_is_that_of_the_untrained_and_of_the_trained_policy() {
    for (before, behind) in [
        ("Accuracy: 25.00% (15/60)", "Accuracy: 75.00% (45/60)"),
        ("Initial eval: 15/60 correct", "Final eval: 45/60 correct"),
        ("Correct: 15 / 60", "Final Accuracy: 45/60"),
        (
            "2026-01-02 10:11:12,345 - INFO - Accuracy before training: 15/60",
            "[EVAL] Test accuracy (trained) = 45/60 (75%)",
        ),
    ] {
        let run = read(&format!("{before}\n{}{behind}\n", rows(1)));
        assert_eq!(points(&run, "eval/accuracy"), [(0, 0.25), (8, 0.75)], "{before}");
        assert_eq!(points(&run, TASKS), [(0, 60.0), (8, 60.0)], "{before}");
        let steps = run.columns["step"].values();
        assert_eq!((steps.len(), steps[0], run.columns["reward"].len()), (9, 1.0, 9), "{before}");
        assert_eq!(run.columns.len(), 5, "{:?}", run.columns.keys());
    }
}

#[test]
fn rows_of_a_trainer_may_begin_at_any_step_and_one_side_is_enough() {
    let rows_of = |first: u32| {
        (first..first + 4).map(|step| format!("step:{step} - critic/score/mean:0.{step}\n")).collect::<String>()
    };
    let run = read(&format!("GSM8K success rate: 20%\n{}GSM8K success rate: 0.35\n", rows_of(0)));
    assert_eq!(points(&run, "eval/success_rate"), [(0, 0.2), (3, 0.35)]);
    assert!(!run.columns.contains_key(TASKS));
    let run = read(&format!("{}Base accuracy: 20%\nFinal accuracy: 40%\nFinal accuracy: 40.1%\n", rows_of(5)));
    assert_eq!(points(&run, "eval/accuracy"), [(0, 0.2), (3, 0.4)]);
    assert_eq!(run.columns["step"].values(), [5.0, 6.0, 7.0, 8.0]);
    let run = read(&format!("{}Final Accuracy: 215/660\n", rows_of(0)));
    assert_eq!(points(&run, "eval/accuracy"), [(3, 215.0 / 660.0)]);
}

#[test]
fn lines_of_samples_between_rows_and_of_other_things_are_left_alone() {
    let is_read = |text: &str| read(text).columns.keys().any(|key| key.starts_with("eval/"));
    let samples = "Accuracy: 50.0%\n".repeat(4);
    assert!(!is_read(&format!("{samples}{}", rows(1))), "of samples");
    assert!(!is_read(&format!("{}Accuracy: 20%\n{}Accuracy: 40%\n", rows(1), rows(10))), "between rows");
    assert!(!is_read(&format!("{}Accuracy: 20%\nAccuracy: 40%\n", rows(1))), "of two models");
    let own = rows(1).replace("loss", "accuracy");
    assert!(!is_read(&format!("{own}Final accuracy: 45%\n")), "the rows have an accuracy of their own");
    assert!(!is_read("Accuracy: 25%\nAccuracy: 75%\n"), "no training");
    for line in [
        "Target accuracy: 90%",
        "Training accuracy: 90%",
        "Correct: 3/8",
        "Correct: 1",
        "Accuracy: 45% of the responses were cut",
        "Accuracy: 23% -> 45%",
        "Evaluation: 150/150",
        "Format accuracy: 90%",
        "Accuracy before/after: 20%",
        "Random accuracy: 25%",
        "Question 12 correct: 13/30",
        "Accuracy: 150%",
        "Pass: 13/30",
    ] {
        assert!(!is_read(&format!("{}{line}\n", rows(1))), "{line}");
    }
}
