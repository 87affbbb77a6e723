//! The areas of a report: which quantities share a section.

use rundown_vocabulary::Concept;

/// A part of what a run logs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Area {
    Training,
    Responses,
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

/// The areas and their titles, in the order of reading.
pub(super) const AREAS: [(Area, &str); 12] = [
    (Area::Training, "Training"),
    (Area::Responses, "Responses"),
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

/// The area of a quantity.
pub(super) fn area_of(concept: Concept) -> Area {
    match concept {
        Concept::Evaluation | Concept::FinalScore => Area::Evaluation,
        Concept::Criterion => Area::Rubric,
        Concept::Elo
        | Concept::ReferenceElo
        | Concept::EloGap
        | Concept::WinRate
        | Concept::Games
        | Concept::LeagueCheckpoints => Area::League,
        Concept::PowerLawExponent | Concept::Compute | Concept::ComputePerStep => Area::Scaling,
        Concept::ResponseLength
        | Concept::ResponseLengthMax
        | Concept::ResponseLengthMin
        | Concept::TerminatedLength
        | Concept::CorrectLength
        | Concept::IncorrectLength
        | Concept::PromptLength
        | Concept::GlobalSequenceLength
        | Concept::TruncatedShare
        | Concept::RepetitionShare
        | Concept::Turns
        | Concept::InvalidOutputs
        | Concept::FormatFailures
        | Concept::WrongAnswers
        | Concept::ValidOutputs
        | Concept::Violations
        | Concept::DetectedHacks => Area::Responses,
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
        Concept::CacheHitRate
        | Concept::CacheEnabled
        | Concept::CacheTokens
        | Concept::CacheQueries
        | Concept::CacheHits
        | Concept::CacheBatches
        | Concept::CacheUsage => Area::Cache,
        Concept::Memory | Concept::HostMemory => Area::System,
        _ => Area::Training,
    }
}
