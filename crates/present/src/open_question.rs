//! Why a run is neither good nor bad: which change of its measure would have shown, and what it takes to see a smaller one.

use rundown_content::Block;
use rundown_diagnose::{Diagnosis, Finding, Learning, Verdict};
use rundown_format::rich;
use rundown_format::rich_text::number;

/// Why the run is undecided, by its own numbers; `None` where a finding says it already, or more data would not help.
pub(super) fn open_question(diagnosis: &Diagnosis) -> Option<Block> {
    let learning = &diagnosis.learning;
    let is_told = diagnosis.findings.iter().any(Finding::leaves_open);
    if diagnosis.verdict != Verdict::Undecided || is_told || !is_within_noise(learning) {
        return None;
    }
    // The standard error of a mean falls with the square root of what it is taken of: the tasks of the first evaluation, which
    // more evaluations do not add to, or the points of a reward.
    let more = if learning.is_evaluated() {
        "four times as many tasks in each evaluation"
    } else {
        "four times as many steps, or four times as many prompts in each of them"
    };
    let smallest = number(learning.detectable);
    Some(Block::text(rich!(
        "At this noise a change of less than {} cannot be told from none; seeing one of half that size takes {}.",
        smallest,
        more
    )))
}

/// True where a larger change would have decided: there is noise, and room for a gain.
fn is_within_noise(learning: &Learning) -> bool {
    learning.room && (learning.last - learning.first).abs() < learning.detectable
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_content::markdown;
    use rundown_diagnose::{Code, Severity};
    use rundown_vocabulary::{Binding, Concept, Direction, Unit};

    fn undecided(learning: Learning) -> Diagnosis {
        Diagnosis { verdict: Verdict::Undecided, learning, ..Diagnosis::default() }
    }

    fn noisy() -> Learning {
        Learning { first: 0.2, last: 0.3, detectable: 0.4, ..Learning::default() }
    }

    #[test]
    fn a_change_within_the_noise_says_how_large_it_would_have_to_be() {
        let said = markdown(&[open_question(&undecided(noisy())).unwrap()]);
        assert!(said.contains("a change of less than 0.4 cannot be told from none"), "{said}");
        assert!(said.contains("takes four times as many steps"), "{said}");
        let measure = Binding::unscaled(Concept::Evaluation, "eval/accuracy", Unit::Share, Direction::Up);
        let evaluated = Learning { measure: Some(measure), ..noisy() };
        let said = markdown(&[open_question(&undecided(evaluated)).unwrap()]);
        assert!(said.trim_end().ends_with("takes four times as many tasks in each evaluation."), "{said}");
    }

    #[test]
    fn more_data_would_not_help_a_measure_without_noise_or_room() {
        for learning in [
            Learning { room: false, ..noisy() },
            Learning { detectable: f64::NAN, ..noisy() },
            Learning { last: 0.9, ..noisy() },
        ] {
            assert_eq!(open_question(&undecided(learning)), None);
        }
    }

    #[test]
    fn a_finding_that_says_why_is_enough() {
        let mut diagnosis = undecided(noisy());
        diagnosis.findings.push(Finding::new(Code::InsufficientData, Severity::Note, "few points"));
        assert_eq!(open_question(&diagnosis), None);
        let good = Diagnosis { verdict: Verdict::Good, ..undecided(noisy()) };
        assert_eq!(open_question(&good), None);
    }
}
