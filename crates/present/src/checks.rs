//! Checks without a finding as blocks: quiet ones with the numbers they looked at and why those are no finding where they meet
//! their limits, skipped ones with what would enable them. The Run view and the reports show the same.

use rundown_content::ColumnName::Words;
use rundown_content::{Block, Cell, Span, Table, TableColumn};
use rundown_diagnose::{Change, Diagnosis, Evidence, Quiet, QuietReason, Verdict, by_interest};
use rundown_format::{RichText, counted, magnitude, number, quantity, rich};
use rundown_run::Run;

/// Numbers of a quiet check that are shown.
const MAX_NUMBERS: usize = 4;
/// Quiet checks that are named where the good things stand; the tables have all of them.
const MAX_NAMED_CHECKS: usize = 6;

/// How many checks found nothing. One whose finding another one covers is none of them.
pub(super) fn quiet_count(diagnosis: &Diagnosis) -> usize {
    found_nothing(diagnosis).count()
}

/// Every quiet check with its numbers, the most important ones at the top.
pub(super) fn quiet(diagnosis: &Diagnosis) -> Vec<Block> {
    let (measured, unmeasured) = ordered(diagnosis);
    let mut blocks = Vec::new();
    let has_reasons = measured.iter().any(|quiet| quiet.reason.is_some());
    let mut table = Table::new("", &[Words("Check"), Words("Numbers")]);
    table.columns.extend(has_reasons.then(|| TableColumn::words("Why it is not a finding")));
    for quiet in measured {
        let shown = shown(&quiet.evidence);
        let mut row = vec![Cell::text(quiet.code.words()), Cell::text(numbers(&shown))];
        row.extend(has_reasons.then(|| quiet.reason.map_or_else(Cell::default, |reason| Cell::text(in_words(reason)))));
        table.rows.push(row);
    }
    if !table.rows.is_empty() {
        blocks.push(Block::Table(table));
    }
    if !unmeasured.is_empty() {
        let names: Vec<String> = unmeasured.iter().map(|quiet| quiet.code.phrase()).collect();
        blocks.push(Block::text(format!("No numbers available: {}.", names.join(", "))));
    }
    let covered = diagnosis.quiet.iter().filter_map(|quiet| Some((quiet.code, quiet.covered_by()?)));
    let covered: Vec<String> = covered.map(|(code, by)| format!("{} ({})", code.phrase(), by.phrase())).collect();
    if !covered.is_empty() {
        let words = format!("Omitted because the finding in brackets covers them: {}.", covered.join(", "));
        blocks.push(Block::text(words));
    }
    blocks
}

fn in_words(reason: QuietReason) -> String {
    let words = match reason {
        QuietReason::OtherConditions => "not all conditions of the check are met",
        QuietReason::Improved => "performance on the task improved",
        QuietReason::AtCeiling => "the task is at its ceiling",
        QuietReason::NoHarm => "performance on the task is not known to have suffered",
        QuietReason::RewardRose => "the reward rose",
        QuietReason::TooFewPoints => "too few points to tell",
        QuietReason::Undecided => "whether the task is learned is not decided",
        QuietReason::SingleSign => "a single sign is not enough",
        QuietReason::AtLimit => "at the threshold, not beyond it",
        QuietReason::NoSpike => "no value stands out from those around it",
        QuietReason::Clipped => {
            "what the norm lost was clipped anyway: it is still a fifth of the clipping norm or more"
        }
        QuietReason::NotLasting => "not steady, or not lasting to the end",
        QuietReason::ExplainedByResponses => "the length or number of responses explains it",
        QuietReason::LengthLimit => "nothing shows that responses end before the length limit",
        QuietReason::Logged => "it is logged",
        QuietReason::WithinNoise => "within the noise",
        QuietReason::EnoughToTell => "the points are enough to tell whether the run learns",
        QuietReason::FewerTruncated => "fewer responses are cut off; complete ones are as long as before",
        QuietReason::CoveredBy(code) => return format!("covered by {}", code.phrase()),
        QuietReason::OnlyBeside(code) => return format!("matters only together with {}", code.phrase()),
    };
    words.to_owned()
}

/// One row for each thing to log, with the checks that wait for it.
pub(super) fn skipped(diagnosis: &Diagnosis) -> Vec<Block> {
    let mut rows: Vec<(&RichText, Vec<String>)> = Vec::new();
    for skipped in &diagnosis.skipped {
        let hint = &skipped.need.hint;
        match rows.iter_mut().find(|(known, _)| *known == hint) {
            Some((_, checks)) => checks.push(skipped.code.phrase()),
            None => rows.push((hint, vec![skipped.code.phrase()])),
        }
    }
    if rows.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new("", &[Words("What would enable it"), Words("Checks")]);
    table.rows = rows.into_iter().map(|(hint, checks)| vec![Cell::text(hint), Cell::text(checks.join(", "))]).collect();
    vec![Block::Table(table)]
}

/// How many checks found nothing, and the most interesting of them with their numbers; nothing without quiet checks.
pub(super) fn quiet_in_short(run: &Run, diagnosis: &Diagnosis) -> Vec<Block> {
    let (measured, _) = ordered(diagnosis);
    let count = quiet_count(diagnosis);
    if count == 0 {
        return Vec::new();
    }
    let checks = counted(count, "check");
    let steps = run.step_range().map(|(first, last)| format!(" from step {} to {}", number(first), number(last)));
    let steps = steps.unwrap_or_default();
    // A name without a number says nothing.
    let shown = measured.into_iter().filter_map(|quiet| Some((quiet, decisive(&quiet.evidence)?)));
    let items = shown
        .take(MAX_NAMED_CHECKS)
        .map(|(quiet, evidence)| vec![Span::from(quiet.code.words()), Span::Note(numbers(&[evidence]).to_string())]);
    let items: Vec<_> = items.collect();
    // The numbers of a run with faults are not listed as good ones.
    if diagnosis.verdict != Verdict::Good || items.is_empty() {
        return vec![Block::text(format!("{checks} found nothing{steps}."))];
    }
    let which = if count > items.len() { "among them:" } else { "with these numbers:" };
    vec![Block::text(format!("{checks} found nothing{steps}, {which}")), Block::List(items)]
}

/// Quiet checks, without those whose finding another one covers.
fn found_nothing(diagnosis: &Diagnosis) -> impl Iterator<Item = &Quiet> {
    diagnosis.quiet.iter().filter(|quiet| quiet.covered_by().is_none())
}

/// Of these the ones with numbers, and those without, each by interest.
fn ordered(diagnosis: &Diagnosis) -> (Vec<&Quiet>, Vec<&Quiet>) {
    by_interest(found_nothing(diagnosis)).into_iter().partition(|quiet| finite(&quiet.evidence).next().is_some())
}

fn finite(evidence: &[Evidence]) -> impl Iterator<Item = &Evidence> {
    evidence.iter().filter(|evidence| evidence.value.is_finite())
}

/// The numbers of a check that are shown, in their order: those with a limit before others where there are too many.
fn shown(evidence: &[Evidence]) -> Vec<&Evidence> {
    let all: Vec<&Evidence> = finite(evidence).collect();
    let limited = all.iter().filter(|evidence| evidence.limit.is_some()).count();
    let mut others = MAX_NUMBERS.saturating_sub(limited);
    let mut keeps = |evidence: &&Evidence| {
        evidence.limit.is_some() || {
            let is_kept = others > 0;
            others = others.saturating_sub(1);
            is_kept
        }
    };
    all.into_iter().filter(|evidence| keeps(evidence)).take(MAX_NUMBERS).collect()
}

/// What kept a check quiet, as far as a number tells: of several conditions some may hold, and their numbers are left out.
fn decisive(evidence: &[Evidence]) -> Option<&Evidence> {
    finite(evidence).find(|evidence| evidence.is_met() == Some(false))
}

/// Numbers with their thresholds, without the sources of these.
fn numbers(evidence: &[&Evidence]) -> RichText {
    let parts = evidence.iter().map(|evidence| {
        let limit = evidence.limit.as_ref().map_or_else(String::new, |limit| {
            // A change that did not happen is told without a unit.
            let number = if evidence.missing_change().is_some() { quantity } else { magnitude };
            format!(" (threshold {} {})", limit.relation.sign(), number(limit.value, &evidence.unit))
        });
        rich!("{}: {}{}", &evidence.name, value(evidence), limit)
    });
    RichText::joined(parts, "; ", "; ")
}

/// A number with its unit. That of a change that did not happen, as of a fall by -2.1 standard errors, says no more than that.
fn value(evidence: &Evidence) -> String {
    match evidence.missing_change() {
        Some(Change::Rise) => "did not rise".to_owned(),
        Some(Change::Fall) => "did not fall".to_owned(),
        None => quantity(evidence.value, &evidence.unit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_diagnose::{Code, Relation};

    #[test]
    fn the_condition_that_failed_decides() {
        let limited = |evidence: Evidence, value| evidence.limited(Relation::Above, value, "a source");
        let gain = limited(Evidence::new("rise", 7.5, "SE"), 3.0);
        let fall = limited(Evidence::new("fall of the evaluation", 0.5, ""), 2.0);
        assert_eq!(decisive(&[gain.clone(), fall.clone()]), Some(&fall));
        assert_eq!(decisive(std::slice::from_ref(&gain)), None, "what was met keeps no check quiet");
        assert_eq!(numbers(&[&gain]).to_string(), "rise: 7.5 SE (threshold ≥ 3)");
    }

    #[test]
    fn numbers_with_a_limit_are_shown_before_others() {
        let plain = |name: &'static str| Evidence::new(name, 1.0, "");
        let limited = |name: &'static str| plain(name).limited(Relation::Above, 3.0, "a source");
        let evidence = [plain("a"), plain("b"), plain("c"), plain("d"), limited("e"), limited("f")];
        let names: Vec<String> = shown(&evidence).iter().map(|evidence| evidence.name.to_string()).collect();
        assert_eq!(names, ["a", "b", "e", "f"]);
    }

    #[test]
    fn a_change_that_did_not_happen_has_no_size() {
        let limited = |value, change| {
            Evidence::new("evaluation", value, "SE").of(change).limited(Relation::Above, 3.0, "a source")
        };
        let words = |value, change| numbers(&[&limited(value, change)]).to_string();
        assert_eq!(words(-2.1, Change::Fall), "evaluation: did not fall (threshold ≥ 3 SE)");
        assert_eq!(words(-2.1, Change::Rise), "evaluation: did not rise (threshold ≥ 3 SE)");
        assert_eq!(words(2.1, Change::Rise), "evaluation: 2.1 SE (threshold ≥ 3)");
    }

    #[test]
    fn a_number_that_meets_its_limit_has_a_reason_and_a_covered_check_counts_nowhere() {
        let low = |value: f64| vec![Evidence::new("at the end", value, "").limited(Relation::Below, 0.1, "a source")];
        let quiet = vec![
            Quiet::new(Code::EntropyCollapse, low(0.05), Some(QuietReason::Improved)),
            Quiet::new(Code::LengthCollapse, low(0.5), None),
            Quiet::new(Code::NoMetrics, Vec::new(), None),
            Quiet::new(Code::LossSpikes, low(0.05), Some(QuietReason::CoveredBy(Code::LossDivergence))),
        ];
        let diagnosis = Diagnosis { quiet, ..Diagnosis::default() };
        let blocks = self::quiet(&diagnosis);
        let [Block::Table(table), unmeasured, covered] = blocks.as_slice() else { panic!("{blocks:?}") };
        let mut reasons: Vec<Vec<String>> =
            table.rows.iter().map(|row| [0, 2].map(|place| row[place].plain()).into()).collect();
        reasons.sort();
        assert_eq!(
            reasons,
            [["Entropy collapse", "performance on the task improved"], ["Length collapse", ""]]
                .map(|row| row.map(str::to_owned).to_vec())
        );
        assert_eq!(*unmeasured, Block::text("No numbers available: no metrics."));
        let expected = "Omitted because the finding in brackets covers them: loss spikes (loss divergence).";
        assert_eq!(*covered, Block::text(expected));
        assert_eq!(quiet_count(&diagnosis), 3);
        let short = quiet_in_short(&Run::default(), &diagnosis);
        assert_eq!(short, [Block::text("3 checks found nothing.")]);
    }
}
