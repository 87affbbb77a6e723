//! What the prefix cache of a run's sampling engine did: hit rates, queries and hits, prompt tokens that were not computed
//! again.

use serde::{Deserialize, Serialize};

use super::curve::MetricPoints;
use super::nullable;
use crate::DiagnosedRun;
use rundown_stats as stats;
use rundown_vocabulary::Concept;

/// What the prefix cache did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CacheUse {
    /// Typical hit rate after the warm-up, a fifth of the points.
    #[serde(deserialize_with = "nullable::read")]
    pub warm: f64,
    /// Mean hit rate.
    #[serde(deserialize_with = "nullable::read")]
    pub mean: f64,
    /// Highest hit rate.
    #[serde(deserialize_with = "nullable::read")]
    pub peak: f64,
    /// Hits of all queries, where both are counted.
    pub overall: Option<f64>,
    /// Prompt tokens in all, where they are counted.
    pub prompt_tokens: Option<f64>,
    /// Batches of the sampling engine in all, where they are counted.
    pub batches: Option<f64>,
}

/// Queries of the cache over the run, counted one by one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CacheCounts {
    /// How many there were; above 0.
    pub queries: f64,
    /// How many of them hit.
    pub hits: f64,
}

impl CacheUse {
    /// The cache of a run; `None` where it logs no hit rate.
    pub fn of(of: DiagnosedRun<'_>) -> Option<Self> {
        let (run, diagnosis) = of;
        let primary = |concept| MetricPoints::primary(run, diagnosis, concept);
        let rate = primary(Concept::CacheHitRate)?;
        let from = (diagnosis.rulebook.cache_warm_up().value * rate.values.len() as f64) as usize;
        let tokens = primary(Concept::CacheTokens).or_else(|| MetricPoints::by_key(run, "cache/prompt_tokens"));
        Some(Self {
            warm: rate.values.get(from..).and_then(stats::median)?,
            mean: stats::mean(&rate.values)?,
            peak: rate.max(),
            overall: CacheCounts::of(of).map(|counts| counts.hit_rate()),
            prompt_tokens: tokens.map(|tokens| total(&tokens)),
            batches: primary(Concept::CacheBatches).map(|batches| total(&batches)),
        })
    }

    /// Prompt tokens that were not computed again: all of them times the hit rate.
    pub fn saved_tokens(&self) -> Option<f64> {
        Some(self.prompt_tokens? * self.overall.unwrap_or(self.mean))
    }
}

impl CacheCounts {
    /// The counts of a run; `None` where queries or hits are not logged, or where they do not fit together.
    pub fn of((run, diagnosis): DiagnosedRun<'_>) -> Option<Self> {
        let counted = |concept| MetricPoints::primary(run, diagnosis, concept);
        let (queries, hits) = (counted(Concept::CacheQueries)?, counted(Concept::CacheHits)?);
        // Both are counted in the same way, and hits of each row may rise by themselves.
        let hits = if queries.is_running_total() { hits.last() } else { hits.values.iter().sum() };
        let counts = Self { queries: total(&queries), hits };
        (counts.queries > 0.0 && (0.0..=1.0).contains(&counts.hit_rate())).then_some(counts)
    }

    /// Hits of all queries, from 0 to 1.
    pub fn hit_rate(self) -> f64 {
        self.hits / self.queries
    }
}

/// A count over the whole run, whether each row has its own or all so far.
fn total(curve: &MetricPoints) -> f64 {
    if curve.is_running_total() { curve.last() } else { curve.values.iter().sum() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_diagnose::diagnose;
    use rundown_run::Run;

    /// A run with these values of each key, a row each.
    fn cache(columns: &[(&str, &[f64])]) -> (Option<CacheUse>, Option<CacheCounts>) {
        let mut run = Run::default();
        for step in 0..4_usize {
            let row = run.push_row(step as f64, f64::NAN);
            for (key, values) in columns {
                run.push_value(key, row, values[step]);
            }
        }
        run.choose_axis();
        let diagnosis = diagnose(&run, &Default::default());
        (CacheUse::of((&run, &diagnosis)), CacheCounts::of((&run, &diagnosis)))
    }

    const RATE: (&str, &[f64]) = ("cache/hit_rate", &[0.0, 0.4, 0.6, 0.6]);

    #[test]
    fn the_overall_hit_rate_is_that_of_all_queries_whether_they_are_added_up_or_not() {
        let running: (&str, &[f64]) = ("cache/total_queries", &[100.0, 200.0, 300.0, 1000.0]);
        let hits: (&str, &[f64]) = ("cache/total_hits", &[0.0, 40.0, 100.0, 520.0]);
        let batches: (&str, &[f64]) = ("cache/batches", &[5.0, 4.0, 5.0, 6.0]);
        let (used, counts) = cache(&[RATE, running, hits, batches]);
        assert_eq!(counts, Some(CacheCounts { queries: 1000.0, hits: 520.0 }));
        let used = used.unwrap();
        assert_eq!((used.overall, used.batches, used.peak), (Some(0.52), Some(20.0), 0.6));
        let of_each: (&str, &[f64]) = ("cache/total_queries", &[100.0; 4]);
        let hits: (&str, &[f64]) = ("cache/total_hits", &[0.0, 40.0, 60.0, 60.0]);
        assert_eq!(cache(&[of_each, hits]).1, Some(CacheCounts { queries: 400.0, hits: 160.0 }));
    }

    #[test]
    fn counts_that_do_not_fit_together_say_nothing() {
        let queries: (&str, &[f64]) = ("cache/total_queries", &[1.0, 2.0, 3.0, 4.0]);
        let hits: (&str, &[f64]) = ("cache/total_hits", &[1.0, 2.0, 3.0, 9.0]);
        assert_eq!(cache(&[RATE, queries, hits]).1, None);
        assert_eq!(cache(&[RATE]).0.unwrap().overall, None);
        assert_eq!(cache(&[queries]), (None, None));
    }
}
