//! How the metrics moved, area by area: training, answers, evaluation, performance and so on. An area without a metric
//! has no section.

use super::escape::{code, prose, text};
use super::facts;
use super::page::Page;
use crate::diagnose::{Diagnosis, Movement};
use crate::format::{counted, number};
use crate::run::Run;
use crate::vocabulary::Concept;

/// Rows of one concept in a table; the others are counted.
const ROWS: usize = 12;

/// A part of what a run logs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Area {
    Training,
    Answers,
    Evaluation,
    Sampler,
    Performance,
    Rollouts,
    Extraction,
    Cache,
    Scaling,
    League,
    Rubric,
    System,
}

const AREAS: [(Area, &str); 12] = [
    (Area::Training, "Training"),
    (Area::Answers, "Answers"),
    (Area::Evaluation, "Evaluation"),
    (Area::Rubric, "Rubric"),
    (Area::League, "League"),
    (Area::Scaling, "Scaling"),
    (Area::Sampler, "Sampler and trainer"),
    (Area::Performance, "Performance"),
    (Area::Rollouts, "Rollouts"),
    (Area::Extraction, "Extraction"),
    (Area::Cache, "Prefix cache"),
    (Area::System, "System"),
];

pub(super) fn write(page: &mut Page, run: &Run, diagnosis: &Diagnosis) {
    page.heading(1, "How the metrics moved");
    if diagnosis.movements.is_empty() {
        page.paragraph("No metric of a known meaning was logged.");
    } else {
        page.paragraph(
            "First, middle and last are means of 5 % of the points (five at least); the slope is that of least squares, \
             per 100 steps.",
        );
    }
    for (area, title) in AREAS {
        let movements: Vec<&Movement> =
            diagnosis.movements.iter().filter(|movement| area_of(movement.concept) == area).collect();
        let facts = facts::of(area, run, diagnosis);
        if movements.is_empty() && facts.is_empty() {
            continue;
        }
        page.heading(2, title);
        page.bullets(&facts);
        table(page, &movements);
        if area == Area::Evaluation || area == Area::Rubric {
            tables(page, run, area);
        }
    }
}

/// The area of a quantity.
fn area_of(concept: Concept) -> Area {
    match concept {
        Concept::Evaluation | Concept::FinalScore => Area::Evaluation,
        Concept::Criterion => Area::Rubric,
        Concept::Elo | Concept::ReferenceElo | Concept::EloGap | Concept::WinRate | Concept::Games => Area::League,
        Concept::PowerLawExponent | Concept::Compute | Concept::ComputePerStep => Area::Scaling,
        Concept::ResponseLength
        | Concept::ResponseLengthMax
        | Concept::ResponseLengthMin
        | Concept::TerminatedLength
        | Concept::CorrectLength
        | Concept::IncorrectLength
        | Concept::PromptLength
        | Concept::TruncatedShare
        | Concept::RepetitionShare
        | Concept::Turns
        | Concept::InvalidOutputs
        | Concept::ValidOutputs => Area::Answers,
        Concept::MismatchKl
        | Concept::MismatchProbability
        | Concept::MismatchLogprob
        | Concept::MismatchCorrelation
        | Concept::MismatchSampleSize
        | Concept::MismatchRatio
        | Concept::MismatchFactor
        | Concept::MismatchChiSquare
        | Concept::Staleness
        | Concept::StalenessMax
        | Concept::DroppedStale => Area::Sampler,
        Concept::StepTime
        | Concept::RolloutTime
        | Concept::TrainTime
        | Concept::RewardTime
        | Concept::UpkeepTime
        | Concept::TrainerIdle
        | Concept::SamplerIdle
        | Concept::Overlap
        | Concept::Throughput
        | Concept::Utilisation
        | Concept::Trajectories
        | Concept::Tokens => Area::Performance,
        Concept::RolloutTimeP95
        | Concept::RolloutDuration
        | Concept::ReloadTime
        | Concept::FailedRollouts
        | Concept::CompletedRollouts
        | Concept::ErrorRate
        | Concept::RequestsWaiting => Area::Rollouts,
        Concept::ExtractionRate
        | Concept::ExpectedOutputs
        | Concept::ExtractedOutputs
        | Concept::EmptyResponses
        | Concept::PartialResponses => Area::Extraction,
        Concept::CacheHitRate | Concept::CacheEnabled | Concept::CacheTokens | Concept::CacheUsage => Area::Cache,
        Concept::Memory | Concept::HostMemory => Area::System,
        _ => Area::Training,
    }
}

fn table(page: &mut Page, movements: &[&Movement]) {
    let mut rows: Vec<[String; 7]> = Vec::new();
    let mut left_out = 0;
    for movement in movements {
        let known = movements.iter().take_while(|other| other.key != movement.key);
        if known.filter(|other| other.concept == movement.concept).count() >= ROWS {
            left_out += 1;
        } else {
            rows.push(row(movement));
        }
    }
    let has_best = rows.iter().any(|[.., best, _]| !best.is_empty());
    if has_best {
        page.table(["what", "metric", "first", "middle", "last", "best (at step)", "slope"], &rows);
    } else {
        let rows: Vec<[String; 6]> = rows
            .into_iter()
            .map(|[what, key, first, mid, last, _, slope]| [what, key, first, mid, last, slope])
            .collect();
        page.table(["what", "metric", "first", "middle", "last", "slope"], &rows);
    }
    if left_out > 0 {
        page.paragraph(&format!("Left out: {} of the same kind.", counted(left_out, "metric")));
    }
}

fn row(movement: &Movement) -> [String; 7] {
    let (what, key) = (movement.concept.words().to_owned(), code(&movement.key));
    if movement.slope.is_nan() {
        // One point: there is no movement to show.
        return [what, key, String::new(), String::new(), number(movement.last), String::new(), String::new()];
    }
    // Of what stood still, or is best at its start, the best says nothing.
    let is_still = movement.first == movement.mid && movement.mid == movement.last && movement.best == movement.last;
    let best = match movement.best.is_nan() || is_still {
        true => String::new(),
        false => format!("{} ({})", number(movement.best), number(movement.best_step)),
    };
    let [first, mid, last, slope] = [movement.first, movement.mid, movement.last, movement.slope].map(number);
    [what, key, first, mid, last, best, slope]
}

/// The tables that a run logged of its evaluation or of its rubric, as they were last.
fn tables(page: &mut Page, run: &Run, area: Area) {
    for (key, table) in facts::small_tables(run) {
        if key.contains("rubric") != (area == Area::Rubric) {
            continue;
        }
        page.paragraph(&format!("The table {} as it was logged last:", code(key)));
        let heads = table.columns.iter().map(|name| text(name)).collect::<Vec<_>>();
        page.wide_table(
            &heads,
            table.rows.iter().map(|row| row.iter().map(facts::cell).map(|cell| prose(&cell)).collect()),
        );
    }
}
