//! Views over all runs: what is asked and what comes back.

use serde::{Deserialize, Serialize};

use rundown_content::Block;

/// A view over all runs. There is a tab for each that the runs have something for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Topic {
    /// Leaderboard, Pareto front, groups, what differs.
    Compare,
    /// Hyperparameters against outcome, and what to try next.
    Signals,
    /// Elo against fixed references.
    League,
    /// Quality against compute.
    Scaling,
    /// Throughput, rollouts, cache, failures.
    Pipeline,
    /// Parts of the reward, final scores, rubrics.
    Rewards,
    /// What the user may set, and what the names in it stand for.
    Settings,
}

impl Topic {
    /// All of them, in the order of the tabs and as they are encoded.
    pub const ALL: [Topic; 7] = [
        Topic::Compare,
        Topic::Signals,
        Topic::League,
        Topic::Scaling,
        Topic::Pipeline,
        Topic::Rewards,
        Topic::Settings,
    ];
}

/// Asks for a view over all runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProjectRequest {
    /// Which view.
    pub topic: Topic,
    /// Runs to look at; all of them when empty.
    pub runs: Vec<u32>,
    /// What the user chose: names and values from [`Choice`]. What is missing is chosen by the engine.
    pub chosen: Vec<(String, String)>,
    /// Width for drawings, in CSS pixels.
    pub width: u32,
}

/// A view over all runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ProjectView {
    /// What can be chosen.
    pub choices: Vec<Choice>,
    /// What it says.
    pub blocks: Vec<Block>,
}

/// Something to choose in a view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// Name in [`ProjectRequest::chosen`].
    pub name: String,
    /// Words before the menu.
    pub label: String,
    /// Values and their words.
    pub options: Vec<(String, String)>,
    /// The present value.
    pub value: String,
}

impl Choice {
    /// Name of the choice of the metric that runs are compared by.
    pub const METRIC: &str = "metric";
    /// What the names of the choices of a metric's direction begin with; the metric's key follows.
    pub const DIRECTION_OF: &str = "direction of ";
}

/// Runs that a query selects.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct QueryMatches {
    /// Their numbers, ascending.
    pub runs: Vec<u32>,
    /// What is wrong with the query and at which character (from 0); `None` for a good one.
    pub fault: Option<(u32, String)>,
    /// Whole texts of the query as it could go on, and what each adds.
    pub completions: Vec<(String, String)>,
    /// Keys in the query that no run has, each with the nearest one that there is (empty without one that is near).
    pub unknown: Vec<(String, String)>,
}
