//! What follows from several metrics of an area together, in sentences: throughput, idle time, prompt tokens saved by the
//! cache.

use super::area::Area;
use crate::compare::{health_in_words, seen};
use rundown_compare::facts::{CacheCounts, Pipeline, PipelineHealth};
use rundown_diagnose::samples::holds_completions;
use rundown_diagnose::{Code, Diagnosis, Evidence, Movement};
use rundown_format::rich_text::{key, metric};
use rundown_format::{RichText, counted, large_count, number, percent, percent_to, quantity, rich};
use rundown_run::{Column, ErrorText, LoggedTable, Run};
use rundown_vocabulary::{Concept, Unit};

/// Rows and columns of a table that a report shows.
const MAX_TABLE_SIZE: (usize, usize) = (24, 10);
/// Artifacts that are named.
const MAX_ARTIFACTS: usize = 12;
/// Error texts that are shown.
const MAX_ERROR_TEXTS: usize = 5;
/// Metrics of the machine that are named, and the beginnings of their keys: processors that train before the others.
const MAX_SYSTEM_METRICS: usize = 12;
const DEVICE_PREFIXES: [&str; 5] = ["gpu", "tpu", "memory", "proc.memory", "cpu"];

/// Facts of an area, a sentence each; none where the metrics for them are missing.
pub(super) fn facts(area: Area, run: &Run, diagnosis: &Diagnosis) -> Vec<RichText> {
    let of = AreaFacts { run, diagnosis };
    let facts = match area {
        Area::Performance => vec![of.trajectories(), of.balance(), of.overlap()],
        Area::Rollouts => [vec![of.health(), of.failed(), of.slowest()], of.errors()].concat(),
        Area::Extraction => vec![of.extracted()],
        Area::Cache => vec![of.cached(), of.saved()],
        Area::Scaling => {
            vec![
                of.numbers_of("Power law", Code::PowerLawFit),
                of.numbers_of("Bend of the power law", Code::ScalingSaturated),
            ]
        }
        Area::League => {
            vec![of.numbers_of("Against the base model", Code::EloStagnant), of.best_elo(), of.checkpoints()]
        }
        Area::Evaluation => vec![of.artifacts()],
        Area::System => of.system(),
        Area::Training | Area::Responses | Area::Sampler | Area::Rubric => Vec::new(),
    };
    facts.into_iter().flatten().collect()
}

/// The last logged state of each small table that holds no completions.
pub(super) fn small_tables(run: &Run) -> Vec<(&str, &LoggedTable)> {
    let mut tables: Vec<(&str, &LoggedTable)> = Vec::new();
    for file in &run.tables {
        let Some(table) = &file.content else { continue };
        let is_small = table.rows.len() <= MAX_TABLE_SIZE.0 && (1..=MAX_TABLE_SIZE.1).contains(&table.columns.len());
        if !is_small || table.rows.is_empty() || holds_completions(table) {
            continue;
        }
        match tables.iter_mut().find(|(key, _)| *key == file.key) {
            Some((_, last)) => *last = table,
            None => tables.push((&file.key, table)),
        }
    }
    tables
}

struct AreaFacts<'r> {
    run: &'r Run,
    diagnosis: &'r Diagnosis,
}

impl<'r> AreaFacts<'r> {
    fn movement(&self, concept: Concept) -> Option<&'r Movement> {
        self.diagnosis.movements.iter().find(|movement| movement.concept == concept)
    }

    fn column(&self, concept: Concept) -> Option<&'r Column> {
        self.run.columns.get(&self.movement(concept)?.key)
    }

    /// True when a metric is in this unit.
    fn is_in(&self, concept: Concept, unit: Unit) -> bool {
        self.diagnosis.bindings.first(concept).is_some_and(|binding| binding.unit == unit)
    }

    fn trajectories(&self) -> Option<RichText> {
        let (made, time) = (self.movement(Concept::Trajectories)?, self.movement(Concept::RolloutTime)?);
        let rates = [made.first / time.first, made.last / time.last];
        rates.iter().all(|rate| rate.is_finite()).then(|| {
            let [first, last] = rates.map(number);
            rich!("Trajectories per second of sampling: {} at the start, {} at the end.", first, last)
        })
    }

    fn balance(&self) -> Option<RichText> {
        let (train, rollout) = (self.movement(Concept::TrainTime)?, self.movement(Concept::RolloutTime)?);
        let share = train.last / (train.last + rollout.last);
        let longer = if share > 0.5 { "training" } else { "sampling" };
        share.is_finite().then(|| {
            rich!(
                "Sampling takes {} s of a step and training {} s at the end: {} is the longer part ({}).",
                number(rollout.last),
                number(train.last),
                longer,
                percent(share.max(1.0 - share)),
            )
        })
    }

    fn overlap(&self) -> Option<RichText> {
        let overlap = self.movement(Concept::Overlap).filter(|_| self.is_in(Concept::Overlap, Unit::Seconds))?;
        let (train, rollout) = (self.movement(Concept::TrainTime)?, self.movement(Concept::RolloutTime)?);
        let hidden = overlap.last / train.last.min(rollout.last);
        hidden.is_finite().then(|| {
            rich!("{} s of both overlap: {} of the shorter part is hidden.", number(overlap.last), percent(hidden))
        })
    }

    fn failed(&self) -> Option<RichText> {
        let failed =
            self.movement(Concept::FailedRollouts).filter(|_| self.is_in(Concept::FailedRollouts, Unit::Count))?;
        let values = self.run.columns.get(&failed.key)?.values();
        let sum: f64 = values.iter().filter(|value| value.is_finite()).sum();
        let steps = values.iter().filter(|value| **value > 0.0).count();
        Some(match steps {
            0 => "No rollout failed.".into(),
            _ => rich!("Failed rollouts: {} in all, at {} of {} logged steps.", number(sum), steps, values.len()),
        })
    }

    fn health(&self) -> Option<RichText> {
        let pipeline = Pipeline::of((self.run, self.diagnosis))?;
        let findings = self.diagnosis.findings.iter().map(|finding| (finding.code, finding.severity));
        Some(rich!("The pipeline {}.", health_in_words(&PipelineHealth::of(&pipeline, findings)?)))
    }

    /// How many events are errors, and the most frequent texts.
    fn errors(&self) -> Vec<Option<RichText>> {
        let Some(pipeline) = Pipeline::of((self.run, self.diagnosis)) else { return Vec::new() };
        let events = pipeline.error_rate.as_ref().and_then(|rate| Some((rate.share, rate.count?)));
        let share = events.filter(|(share, _)| *share > 0.0).map(|(share, count)| {
            let errors = number((share * count).round());
            rich!("Error events: {} of {} ({}).", errors, number(count), percent_to(share, 1))
        });
        let text = |error: &ErrorText| {
            let what = if error.text.is_empty() { &error.event } else { &error.text };
            let place = [("first ", error.first), ("last ", error.last)].map(|(word, at)| (word, seen(at)));
            let known = place.iter().filter(|(_, at)| !at.is_empty()).map(|(word, at)| format!("; {word}{at}"));
            rich!("Error text {}: {}{}.", key(what), counted_events(error.count), known.collect::<String>())
        };
        let shown = pipeline.error_texts.iter().take(MAX_ERROR_TEXTS);
        let rest = pipeline.error_texts.iter().skip(MAX_ERROR_TEXTS).map(|error| error.count).sum::<u64>()
            + pipeline.other_errors;
        let others = (rest > 0).then(|| rich!("Other error texts: {}.", counted_events(rest)));
        std::iter::once(share).chain(shown.map(|error| Some(text(error)))).chain([others]).collect()
    }

    fn slowest(&self) -> Option<RichText> {
        let slow = self.movement(Concept::RolloutTimeP95)?;
        let (value, step) = self.largest(&slow.key)?;
        Some(rich!("Longest {}: {} s at step {}.", metric(&slow.key), number(value), number(step)))
    }

    fn largest(&self, key: &str) -> Option<(f64, f64)> {
        let series = self.run.series(key)?.finite();
        series.values.iter().copied().zip(series.steps.iter().copied()).max_by(|a, b| a.0.total_cmp(&b.0))
    }

    fn extracted(&self) -> Option<RichText> {
        let sum = |concept| {
            self.column(concept).map(|column| column.values().iter().filter(|value| value.is_finite()).sum::<f64>())
        };
        let (expected, extracted) = (sum(Concept::ExpectedOutputs)?, sum(Concept::ExtractedOutputs)?);
        (expected > 0.0).then(|| {
            rich!(
                "Extracted over the run: {} of {} expected outputs ({}; the guide asks for 95 %).",
                large_count(extracted),
                large_count(expected),
                percent_to(extracted / expected, 1),
            )
        })
    }

    /// Hits of all queries over the run, where they are counted.
    fn cached(&self) -> Option<RichText> {
        let cache = CacheCounts::of((self.run, self.diagnosis))?;
        Some(rich!(
            "Overall hit rate: {} of {} cache queries ({}).",
            large_count(cache.hits),
            large_count(cache.queries),
            percent_to(cache.hit_rate(), 1),
        ))
    }

    /// Prompt tokens that came from the cache: the hit rate times the tokens of each row.
    fn saved(&self) -> Option<RichText> {
        let (rate, tokens) = (self.movement(Concept::CacheHitRate)?, self.movement(Concept::CacheTokens)?);
        let (rate, tokens) = (self.run.series(&rate.key)?.finite(), self.run.series(&tokens.key)?.finite());
        let is_total = tokens.values.is_sorted() && tokens.values.first() != tokens.values.last();
        let (mut asked, mut saved, mut before) = (0.0, 0.0, 0.0);
        let mut rates = rate.steps.iter().zip(rate.values.iter()).peekable();
        let mut current = f64::NAN;
        for (step, value) in tokens.steps.iter().zip(tokens.values.iter()) {
            while let Some((_, known)) = rates.next_if(|(at, _)| *at <= step) {
                current = *known;
            }
            let new = if is_total { value - before } else { *value };
            before = *value;
            if current.is_finite() && new.is_finite() {
                asked += new;
                saved += new * current;
            }
        }
        (asked > 0.0).then(|| {
            rich!(
                "About {} of {} prompt tokens ({}) came from the cache and were not computed again.",
                large_count(saved),
                large_count(asked),
                percent(saved / asked),
            )
        })
    }

    /// The numbers of a check, whether or not it found something.
    fn numbers_of(&self, what: &str, code: Code) -> Option<RichText> {
        let quiet = self.diagnosis.quiet.iter().find(|quiet| quiet.code == code).map(|quiet| &quiet.evidence);
        let found = self.diagnosis.findings.iter().find(|finding| finding.code == code).map(|found| &found.evidence);
        let in_words = |evidence: &Evidence| rich!("{} {}", &evidence.name, quantity(evidence.value, &evidence.unit));
        let numbers: Vec<RichText> = quiet.or(found)?.iter().map(in_words).collect();
        (!numbers.is_empty()).then(|| rich!("{}: {}.", what, RichText::joined(numbers, "; ", "; ")))
    }

    fn best_elo(&self) -> Option<RichText> {
        let elo = self.movement(Concept::Elo)?;
        let (value, step) = self.largest(&elo.key)?;
        Some(rich!(
            "Best {}: {} at step {}; {} at the end.",
            metric(&elo.key),
            number(value),
            number(step),
            number(elo.last)
        ))
    }

    /// Checkpoints in the league, to which new ones should be added.
    fn checkpoints(&self) -> Option<RichText> {
        let values = self.column(Concept::LeagueCheckpoints)?.values();
        let (first, last) = (values.first()?, values.last()?);
        let growth = if last > first { "" } else { ": none was added" };
        Some(rich!(
            "Checkpoints in the league: {} at the start, {} at the end{}.",
            number(*first),
            number(*last),
            growth
        ))
    }

    fn artifacts(&self) -> Option<RichText> {
        let is_evaluation = |name: &&str| name.contains("eval") || name.contains("replay");
        let names = self.run.artifacts.iter().map(|artifact| artifact.name.as_str());
        let names: Vec<&str> = names.filter(is_evaluation).collect();
        let more = names.len().saturating_sub(MAX_ARTIFACTS);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        let named = RichText::joined(names.iter().take(MAX_ARTIFACTS).map(|name| key(name).into()), ", ", ", ");
        (!names.is_empty()).then(|| rich!("Artifacts of the evaluation: {}{}.", named, rest))
    }

    /// Mean and largest value of what the tracker measured of processors and memory, where it did so more than once.
    fn system(&self) -> Vec<Option<RichText>> {
        let many = DEVICE_PREFIXES.iter().copied().flat_map(|device: &'static str| {
            let is_of = move |(key, column): &(&String, &Column)| column.len() > 1 && key.starts_with(device);
            self.run.system.iter().filter(is_of)
        });
        let left_out = many.clone().count().saturating_sub(MAX_SYSTEM_METRICS);
        let summary = |(key, column): (&String, &Column)| {
            let finite: Vec<f64> = column.values().iter().copied().filter(|value| value.is_finite()).collect();
            let mean = rundown_stats::mean(&finite)?;
            let most = finite.iter().copied().reduce(f64::max)?;
            Some(rich!("{}: {} on average, {} at most.", metric(key), number(mean), number(most)))
        };
        let rest = (left_out > 0).then(|| format!("Left out: {} of the machine.", counted(left_out, "metric")).into());
        many.take(MAX_SYSTEM_METRICS).map(summary).chain([rest]).collect()
    }
}

fn counted_events(count: u64) -> String {
    counted(usize::try_from(count).unwrap_or(usize::MAX), "event")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_diagnose::diagnose;

    /// A key and its value at a step.
    type Curve<'a> = (&'a str, fn(f64) -> f64);

    /// The facts of an area of a run of 40 steps.
    fn facts_of(area: Area, columns: &[Curve<'_>]) -> String {
        let mut run = Run::default();
        for step in 0..40_u32 {
            let row = run.push_row(f64::from(step), f64::NAN);
            columns.iter().for_each(|(key, value)| run.push_value(key, row, value(f64::from(step))));
        }
        run.choose_axis();
        facts(area, &run, &diagnose(&run, &Default::default())).iter().map(RichText::to_string).collect()
    }

    #[test]
    fn checkpoints_that_are_not_added_are_reported() {
        let grows = facts_of(Area::League, &[("league/num_checkpoints", |step| 2.0 + (step / 10.0).floor())]);
        assert_eq!(grows, "Checkpoints in the league: 2 at the start, 5 at the end.");
        let stands = facts_of(Area::League, &[("league/num_checkpoints", |_| 2.0)]);
        assert_eq!(stands, "Checkpoints in the league: 2 at the start, 2 at the end: none was added.");
    }

    #[test]
    fn the_cache_has_an_overall_hit_rate_and_tokens_that_were_saved() {
        let counted = facts_of(
            Area::Cache,
            &[
                ("cache/total_queries", |step| 100.0 * (step + 1.0)),
                ("cache/total_hits", |step| 45.0 * (step + 1.0)),
                ("cache/hit_rate", |_| 0.45),
                ("cache/prompt_tokens", |step| 1000.0 * (step + 1.0)),
            ],
        );
        assert!(counted.starts_with("Overall hit rate: 1800 of 4000 cache queries (45.0 %)."), "{counted}");
        assert!(counted.contains("prompt tokens (45 %) came from the cache"), "{counted}");
        let uncounted = facts_of(Area::Cache, &[("cache/hit_rate", |_| 0.45)]);
        assert_eq!(uncounted, "");
    }

    #[test]
    fn processors_that_train_are_named_first_and_the_rest_is_counted() {
        let mut run = Run { system_times: vec![0.0, 1.0], ..Run::default() };
        let cores = (0..20).map(|core| format!("cpu.{core}.cpu_percent"));
        for key in ["gpu.0.gpu", "tpu.0.memoryUsage", "disk.in"].map(str::to_owned).into_iter().chain(cores) {
            let mut column = Column::default();
            (0..2_u32).for_each(|row| column.push(row, f64::from(row)));
            run.system.insert(key, column);
        }
        let named: Vec<String> =
            facts(Area::System, &run, &Diagnosis::default()).iter().map(|fact| fact.to_string()).collect();
        assert_eq!(named.len(), MAX_SYSTEM_METRICS + 1);
        assert!(named[0].contains("gpu.0.gpu") && named[1].contains("tpu.0.memoryUsage"), "{named:?}");
        assert!(named[0].contains("0.5 on average, 1 at most"), "{named:?}");
        assert_eq!(named[MAX_SYSTEM_METRICS], "Left out: 10 metrics of the machine.");
        assert!(named.iter().all(|fact| !fact.contains("disk")));
    }
}
