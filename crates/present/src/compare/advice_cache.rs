//! Recommendations, kept for the next view: Signals and the table of Compare ask for those of the same runs, and of ten
//! thousand runs they take a quarter of a second.

use std::rc::Rc;

use super::{Selection, advice};
use rundown_compare::{Metric, Recommendations, RunSummary};

/// The recommendations that were made last. Whoever changes a run or its diagnosis makes a new cache.
#[derive(Debug, Default)]
pub struct AdviceCache(Option<CachedAdvice>);

#[derive(Debug)]
struct CachedAdvice {
    /// Numbers of the runs, in their order.
    runs: Vec<u32>,
    metric: Metric,
    recommendations: Rc<Recommendations>,
}

impl AdviceCache {
    /// As [`advice`] gives them; made anew for other runs than the last, or another metric.
    pub fn advice(&mut self, summaries: &[&RunSummary], selection: &Selection) -> Option<Rc<Recommendations>> {
        let metric = selection.metric.as_ref()?;
        let is_same = |cached: &&CachedAdvice| {
            cached.metric == *metric && cached.runs.iter().eq(summaries.iter().map(|summary| &summary.number))
        };
        if let Some(cached) = self.0.as_ref().filter(is_same) {
            return Some(Rc::clone(&cached.recommendations));
        }
        let recommendations = Rc::new(advice(summaries, selection)?);
        self.0 = Some(CachedAdvice {
            runs: summaries.iter().map(|summary| summary.number).collect(),
            metric: metric.clone(),
            recommendations: Rc::clone(&recommendations),
        });
        Some(recommendations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_compare::testing::TestRun;
    use rundown_run::ConfigValue;

    #[test]
    fn what_is_kept_is_of_the_same_runs_and_metric() {
        let summaries: Vec<RunSummary> = (0..9)
            .map(|place| {
                let mut made = TestRun::new(&format!("run-{place}"))
                    .evaluation("eval/accuracy", &[f64::from(place) / 10.0; 12])
                    .reward("reward", &[f64::from(9 - place) / 10.0; 12]);
                made.run.config.insert("learning_rate", ConfigValue::Number(1e-5 * f64::from(1 + place % 3)));
                RunSummary::of(place, made.diagnosed())
            })
            .collect();
        let all: Vec<&RunSummary> = summaries.iter().collect();
        let chosen = |key: &str| Selection::by(Some(Metric::chosen(&all, key, None)));
        let mut cache = AdviceCache::default();
        let first = cache.advice(&all, &chosen("eval/accuracy")).unwrap();
        assert!(Rc::ptr_eq(&first, &cache.advice(&all, &chosen("eval/accuracy")).unwrap()));
        for (runs, key) in [(&all[..], "reward"), (&all[1..], "reward"), (&all[..], "eval/accuracy")] {
            let found = cache.advice(runs, &chosen(key)).unwrap();
            assert!(!Rc::ptr_eq(&first, &found));
            assert_eq!(*found, advice(runs, &chosen(key)).unwrap());
        }
        assert_eq!(cache.advice(&all, &Selection::by(None)), None);
    }
}
