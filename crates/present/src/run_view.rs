//! The Run view, made from a diagnosis: words and formatted numbers, so that the page only has to place them.

use super::clean::{clean_blocks, clean_rich};
use super::open_question::open_question;
use super::run_list::{mark, severity_mark};
use super::{appendix, checks, finding, first_actions};
use rundown_content::{Block, Span};
use rundown_diagnose::{Diagnosis, Finding, Group, Hyperparameter, Setting, Severity, Verdict, settings_of};
use rundown_format::{counted, number};
use rundown_protocol::{FindingCard, FirstAction, Fold, MeasureCandidate, RunView};
use rundown_run::{Run, RunState};
use rundown_vocabulary::{Binding, Candidate, Direction, Framework, candidates};

/// Lanes of the timeline, in the order of telling.
const LANES: [Group; 6] =
    [Group::Reward, Group::Lengths, Group::Policy, Group::Optimiser, Group::Exploration, Group::Integrity];
/// Actions below the verdict: the cards have the rest.
const MAX_FIRST_ACTIONS: usize = 3;
/// Metrics that an evidence chart draws.
const CHART_METRICS: usize = 2;

/// The Run view of a run; `number` is the engine's number for it.
pub fn run_view(number: u32, run: &Run, diagnosis: &Diagnosis) -> RunView {
    let lanes = lanes(diagnosis);
    let findings = diagnosis.findings.iter().map(|finding| finding_card(run, diagnosis, &lanes, finding)).collect();
    let skipped = match diagnosis.skipped.len() {
        0 => String::new(),
        many => format!("{} skipped", counted(many, "check")),
    };
    let clean = |blocks: Vec<Block>| clean_blocks(blocks, &run.id);
    let clean_fold = |fold: Fold| Fold { blocks: clean(fold.blocks), ..fold };
    RunView {
        run: number,
        verdict: mark(diagnosis.verdict),
        headline: diagnosis.headline.spans().iter().map(Span::typeset).collect(),
        summary: clean_rich(diagnosis.summary.clone(), &run.id).into(),
        facts: facts(run, diagnosis),
        skipped,
        step_key: run.axis.key.clone(),
        step_why: run.axis.why.message().to_owned(),
        steps: run.step_range(),
        lanes: lanes.iter().map(|group| group.as_str().to_owned()).collect(),
        findings,
        first_actions: first_actions(run, diagnosis),
        verdict_reasons: verdict_reasons(run, diagnosis).map(clean_fold),
        appendix: appendix::sections(run, diagnosis).into_iter().map(clean_fold).collect(),
        measure: measure(diagnosis).map(|binding| binding.key.clone()).unwrap_or_default(),
        candidates: candidates(run, &diagnosis.bindings).into_iter().map(candidate).collect(),
    }
}

/// Why a run is good, or what was checked of an undecided one without a finding that says it. Others have findings instead.
fn verdict_reasons(run: &Run, diagnosis: &Diagnosis) -> Option<Fold> {
    let question = open_question(diagnosis);
    let title = match diagnosis.verdict {
        Verdict::Good => "What went well",
        Verdict::Undecided if question.is_some() => "Why it is undecided",
        Verdict::Undecided if !diagnosis.findings.iter().any(Finding::leaves_open) => "What was checked",
        Verdict::Undecided | Verdict::Bad | Verdict::Ugly => return None,
    };
    let blocks: Vec<Block> = question.into_iter().chain(checks::quiet_in_short(run, diagnosis)).collect();
    let is_empty = blocks.is_empty() && measure(diagnosis).is_none();
    (!is_empty).then(|| Fold { id: String::new(), title: title.to_owned(), blocks })
}

/// The metric whose curve stands beside the verdict.
fn measure(diagnosis: &Diagnosis) -> Option<&Binding> {
    diagnosis.learning.measure.as_ref().or_else(|| diagnosis.bindings.iter().next())
}

fn first_actions(run: &Run, diagnosis: &Diagnosis) -> Vec<FirstAction> {
    let planned = first_actions::first_actions(diagnosis).into_iter().take(MAX_FIRST_ACTIONS);
    planned
        .map(|first| FirstAction { finding: first.place as u32, change: clean_rich(first.change(), &run.id).into() })
        .collect()
}

fn candidate(candidate: Candidate) -> MeasureCandidate {
    let concept = candidate.concept;
    let answer =
        |direction: Direction, words: &str| (words.to_owned(), format!("{}:{}", concept.name(), direction.name()));
    MeasureCandidate {
        key: candidate.key,
        concept: concept.words().to_owned(),
        answers: vec![answer(Direction::Up, "Yes, higher is better"), answer(Direction::Down, "Yes, lower is better")],
    }
}

fn lanes(diagnosis: &Diagnosis) -> Vec<Group> {
    let mut lanes = LANES.to_vec();
    for finding in &diagnosis.findings {
        let group = finding.code.group();
        if !lanes.contains(&group) {
            lanes.push(group);
        }
    }
    lanes
}

fn facts(run: &Run, diagnosis: &Diagnosis) -> Vec<Vec<Span>> {
    let state = match run.ending.state {
        RunState::Unknown => "state unknown",
        state => state.as_str(),
    };
    let steps = match run.step_range() {
        Some((_, last)) => format!("{state}, {} {}", number(last), if last == 1.0 { "step" } else { "steps" }),
        None => state.to_owned(),
    };
    let framework = match diagnosis.bindings.framework {
        Framework::Unknown => "framework not recognised",
        framework => framework.as_str(),
    };
    let mut facts = vec![vec![Span::Text(steps)], vec![Span::Text(framework.to_owned())]];
    facts.extend(settings_of(&run.config, Hyperparameter::HEADLINE).into_iter().map(setting));
    facts
}

fn setting(setting: Setting) -> Vec<Span> {
    let mut wording = vec![Span::Text(setting.key + " "), Span::Strong(setting.text)];
    if !setting.remark.is_empty() {
        wording.extend([Span::Text(" ".to_owned()), Span::Note(setting.remark)]);
    }
    wording
}

fn finding_card(run: &Run, diagnosis: &Diagnosis, lanes: &[Group], finding: &Finding) -> FindingCard {
    let lane = lanes.iter().position(|group| *group == finding.code.group()).unwrap_or(0);
    let cause = finding.explained_by.first();
    let explained_by =
        cause.and_then(|cause| diagnosis.findings.iter().position(|other| other.code == *cause && other != finding));
    let standing = match explained_by.and(cause) {
        Some(cause) => format!("explained by {}", cause.phrase()),
        None => finding::confidence(finding).to_string(),
    };
    // The headings stand below that of the card, which is lower for a consequence.
    let level = if explained_by.is_none() { 3 } else { 4 };
    let clean = |blocks: Vec<Block>| clean_blocks(blocks, &run.id);
    let fold = |title: String, blocks: Vec<Block>| Fold { id: String::new(), title, blocks: clean(blocks) };
    let place = diagnosis.findings.iter().position(|other| std::ptr::eq(other, finding));
    let samples = diagnosis.samples.iter().find(|samples| place == Some(samples.finding as usize));
    let samples = samples.map_or_else(Vec::new, |samples| {
        let mut blocks = vec![Block::Heading { level, text: "Responses before and after the onset".into() }];
        blocks.extend(finding::completions_in_short(samples));
        blocks
    });
    FindingCard {
        code: finding.code.as_str().to_owned(),
        name: finding.code.words().to_owned(),
        phrase: finding.code.phrase(),
        lane: lane as u32,
        severity: severity_mark(finding.severity),
        title: clean_rich(finding::title(finding), &run.id).to_string(),
        onset: finding.onset,
        end: finding.end,
        when: finding::when(finding, run.step_range().map(|steps| steps.1)).to_string(),
        standing,
        chart: charted(run, diagnosis, finding),
        body: clean(vec![finding::what_happened(finding)]),
        actions: finding::actions(finding).map(|action| clean_rich(action.into(), &run.id).into()).collect(),
        reasons: clean(finding::reasons(finding, level)),
        evidence: fold(
            format!("Evidence: {}", counted(finding.evidence.len(), "number")),
            finding::arithmetic(finding),
        ),
        references: fold(
            counted(finding.references.len(), "reference"),
            finding::references(finding).into_iter().collect(),
        ),
        samples: clean(samples),
        explained_by: explained_by.map(|index| index as u32),
    }
}

/// The metrics of the chart in a finding's card. A crash or a contradiction of settings has none of its own: of a run that is bad or
/// ugly its card shows what became of the task, which no other card does.
fn charted(run: &Run, diagnosis: &Diagnosis, finding: &Finding) -> Vec<String> {
    let is_drawn = |key: &&String| {
        let column = run.columns.get(*key).or_else(|| run.system.get(*key));
        column.is_some_and(|column| column.len() > 1)
    };
    let own: Vec<String> = finding.metrics.iter().filter(is_drawn).take(CHART_METRICS).cloned().collect();
    let is_main = finding.explained_by.is_empty() && finding.severity > Severity::Note;
    let is_bad = matches!(diagnosis.verdict, Verdict::Bad | Verdict::Ugly);
    if !own.is_empty() || !is_main || !is_bad {
        return own;
    }
    measure(diagnosis).map(|measure| &measure.key).filter(is_drawn).cloned().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_diagnose::{Code, Learning, Quiet};
    use rundown_vocabulary::{Concept, Unit};

    #[test]
    fn a_crash_is_shown_on_the_curve_of_the_task() {
        let mut run = Run::default();
        for step in 0..3_u32 {
            let row = run.push_row(f64::from(step), f64::NAN);
            run.push_value("reward", row, f64::from(step));
            run.push_value("loss", row, 1.0);
        }
        let measure = Some(Binding::unscaled(Concept::Reward, "reward", Unit::Plain, Direction::Up));
        let learning = Learning { measure, ..Learning::default() };
        let diagnosis = Diagnosis { verdict: Verdict::Ugly, learning, ..Diagnosis::default() };
        let finding = |code, severity, metrics: &[&str]| Finding {
            metrics: metrics.iter().map(|key| (*key).to_owned()).collect(),
            ..Finding::new(code, severity, "A title")
        };
        let crash = finding(Code::RunCrashed, Severity::Critical, &[]);
        assert_eq!(charted(&run, &diagnosis, &crash), ["reward"]);
        assert_eq!(charted(&run, &diagnosis, &finding(Code::LossSpikes, Severity::Warning, &["loss"])), ["loss"]);
        assert!(charted(&run, &diagnosis, &finding(Code::Plateau, Severity::Note, &[])).is_empty());
        let good = Diagnosis { verdict: Verdict::Good, ..diagnosis };
        assert!(charted(&run, &good, &crash).is_empty(), "the card of the verdict shows it");
    }

    #[test]
    fn checks_alone_leave_nothing_open() {
        let undecided = |learning: Learning, checked: &[Code]| {
            let quiet = checked.iter().map(|code| Quiet { code: *code, evidence: Vec::new(), reason: None }).collect();
            let diagnosis = Diagnosis { verdict: Verdict::Undecided, learning, quiet, ..Diagnosis::default() };
            verdict_reasons(&Run::default(), &diagnosis).map(|fold| fold.title)
        };
        let noisy = Learning { first: 0.2, last: 0.3, detectable: 0.4, ..Learning::default() };
        assert_eq!(undecided(noisy, &[]).as_deref(), Some("Why it is undecided"));
        let checked = undecided(Learning::default(), &[Code::EntropyCollapse]);
        assert_eq!(checked.as_deref(), Some("What was checked"));
        assert_eq!(undecided(Learning::default(), &[]), None);
    }
}
