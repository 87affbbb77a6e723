//! Tables of results: a row for each benchmark, or for each seed of each method, and no column that counts or tells the time. Such
//! rows follow each other in no training.

use std::collections::BTreeSet;

use crate::rows::labels::is_label_name;
use crate::rows::metric_words;
use crate::rows::names::{is_count_name, is_one_of, is_time_name};
use crate::run_limit::MAX_RUNS;
use crate::syntax::utf8;

/// Longest texts of a row that name its variant and its seed, in bytes: longer ones are no names.
const MAX_NAMES: usize = 1000;

/// Whether the rows so far are results.
#[derive(Default)]
pub(super) struct ResultRows {
    benchmark: Option<usize>,
    seed: Option<usize>,
    /// Columns whose texts say which variant of a training a row is of.
    labels: Vec<usize>,
    benchmarks: BTreeSet<String>,
    seeds: BTreeSet<String>,
    variants: BTreeSet<String>,
    /// What tells the rows apart: variant and seed.
    seen: BTreeSet<String>,
    /// The seed and the variant of the row that is being read.
    row: (String, String),
    /// Two rows are of one variant and seed, or a row has none, or too long ones.
    is_other: bool,
}

impl ResultRows {
    pub(super) fn of_columns(names: &[String]) -> Self {
        if names.iter().any(|name| is_count_name(name) || is_time_name(name)) {
            return Self::default();
        }
        let place = |wanted: &str| names.iter().position(|name| is_one_of(name, &[wanted]));
        // Batches of several benchmarks are those of a training.
        let is_of_updates = names.iter().any(|name| metric_words::is_of_update(name));
        let (benchmark, seed) = (place("benchmark").filter(|_| !is_of_updates), place("seed"));
        let is_label = |(place, name): &(usize, &String)| is_label_name(name) && Some(*place) != seed;
        let labels = names.iter().enumerate().filter(is_label).map(|(place, _)| place).collect();
        Self { benchmark, seed, labels, ..Self::default() }
    }

    /// Takes a cell of a row.
    pub(super) fn cell(&mut self, column: usize, text: &str) {
        if self.benchmark == Some(column) && self.benchmarks.len() < 2 && !text.is_empty() {
            self.benchmarks.insert(text.to_owned());
        }
        if self.seed == Some(column) {
            text.clone_into(&mut self.row.0);
        } else if self.seed.is_some() && self.labels.contains(&column) {
            self.row.1.push_str(text);
            self.row.1.push('\n');
        }
    }

    /// Takes a plain decimal: of numbers only the seeds tell.
    pub(super) fn decimal(&mut self, column: usize, text: &[u8]) {
        if self.seed == Some(column) {
            self.cell(column, &utf8(text));
        }
    }

    /// Ends a row.
    pub(super) fn end_row(&mut self) {
        let (seed, variant) = std::mem::take(&mut self.row);
        if self.is_other || self.seed.is_none() {
            return;
        }
        let are_names = !seed.is_empty() && variant.len() + seed.len() <= MAX_NAMES;
        self.is_other = !are_names || !self.seen.insert(format!("{variant}{seed}")) || self.seen.len() > MAX_RUNS;
        if self.is_other {
            self.seen.clear();
        } else {
            self.seeds.insert(seed);
            self.variants.insert(variant);
        }
    }

    /// Leaves out the row that is being read.
    pub(super) fn drop_row(&mut self) {
        self.row = Default::default();
    }

    /// True where the rows are of several benchmarks, or each of another seed or variant. One seed in each row alone may be that of
    /// a step: some have to be those of several rows.
    pub(super) fn are_results(&self) -> bool {
        let are_runs = self.seeds.len() > 1 && self.variants.len() > 1 && self.seeds.len() < self.seen.len();
        self.benchmarks.len() > 1 || are_runs && !self.is_other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_results(head: &str, rows: &[&str]) -> bool {
        let names: Vec<String> = head.split(',').map(str::to_owned).collect();
        let mut found = ResultRows::of_columns(&names);
        for row in rows {
            row.split(',').enumerate().for_each(|(column, text)| found.cell(column, text));
            found.end_row();
        }
        found.are_results()
    }

    #[test]
    fn rows_of_benchmarks_and_of_seeds_of_several_methods_are_results() {
        assert!(are_results("arm,benchmark,score", &["a,aime,0.1", "a,math,0.2"]));
        assert!(!are_results("arm,benchmark,score", &["a,aime,0.1", "b,aime,0.2"]));
        assert!(!are_results("arm,benchmark,step,score", &["a,aime,1,0.1", "a,math,1,0.2"]));
        assert!(!are_results("benchmark,loss,reward", &["aime,0.9,0.1", "math,0.8,0.2"]), "batches of a training");
        assert!(are_results("method,seed,score", &["ppo,1,0.1", "ppo,2,0.2", "grpo,1,0.3", "grpo,2,0.4"]));
        assert!(!are_results("method,seed,score", &["ppo,1,0.1", "ppo,1,0.2", "grpo,1,0.3", "grpo,2,0.4"]), "a curve");
        assert!(!are_results("method,seed,score", &["ppo,1,0.1", "ppo,2,0.2", "ppo,3,0.3"]), "perhaps of the steps");
        assert!(!are_results("method,seed,score", &["ppo,1,0.1", "grpo,2,0.2"]));
        assert!(!are_results("method,seed,epoch,score", &["ppo,1,1,0.1", "ppo,2,1,0.2", "grpo,1,1,0.3"]));
        assert!(!are_results("method,seed,score", &["ppo,1,0.1", "ppo,2,0.2", "grpo,1,0.3", "grpo,,0.4"]));
        let long = ["a", "b"].map(|name| name.repeat(MAX_NAMES));
        let rows = long.iter().flat_map(|name| [1, 2].map(|seed| format!("{name},{seed},0.1"))).collect::<Vec<_>>();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        assert!(!are_results("method,seed,score", &rows), "texts and no names");
    }
}
