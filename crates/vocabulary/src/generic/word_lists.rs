//! Words that patterns of keys share.

/// Words that say where or how something was measured and never change what it is.
pub(super) const COMMON: &[&str] = &[
    "train", "training", "trainer", "actor", "policy", "global", "mean", "avg", "average", "rollout", "batch",
    "benchmark", "metrics", "metric", "stats", "all", "optim", "optimizer", "charts", "losses", "curve", "history",
    "trace", "collection", "custom",
];

pub(super) const REWARD: &[&str] = &["reward", "rewards", "rew", "score", "scores", "return", "returns"];
pub(super) const ADVANTAGE: &[&str] = &["advantage", "advantages", "adv"];
pub(super) const RESPONSE: &[&str] = &[
    "response", "responses", "resp", "completion", "completions", "comp", "answer", "answers", "ans", "output",
    "outputs", "gen", "generated", "generation", "generate",
];
pub(super) const LENGTH: &[&str] = &["length", "lengths", "len", "tokens"];
pub(crate) const SHARE: &[&str] = &["ratio", "rate", "frac", "fraction", "share", "pct", "frequency"];
/// The other engine, or the two sides of a comparison with it.
pub(super) const ENGINE: &[&str] =
    &["sampler", "sampling", "vllm", "sglang", "inference", "engine", "rollout", "generation", "gen", "mismatch"];
/// Words beside a difference of log-probabilities that do not change what it is.
pub(super) const BETWEEN: &[&str] =
    &["abs", "absolute", "local", "vs", "learner", "token", "tokens", "per", "and", "to"];
pub(super) const DIFFERENCE: &[&str] = &["diff", "difference", "gap", "mismatch", "error", "delta"];
pub(super) const GIGABYTES: &[&str] = &["gb", "gib"];
pub(super) const USED: &[&str] = &[
    "max", "peak", "used", "usage", "alloc", "allocated", "active", "reserved", "gpu", "cuda", "device", "mem",
    "system", "perf", "gb", "gib",
];
pub(super) const FAILING: &[&str] = &["error", "errors", "failure", "failures", "failed", "fail"];
/// Answers that game the reward. `exploit` is left out: it is what a policy does that does not explore.
pub(super) const HACKS: &[&str] = &["hack", "hacks", "hacked", "hacking", "cheat", "cheats", "cheated", "cheating"];
pub(super) const HACKS_EXTRA: &[&str] =
    &["reward", "successful", "success", "detected", "env", "monitor", "judge", "total", "episode", "step", "strict"];
pub(super) const ANSWERS: &[&str] = &["output", "outputs", "answer", "answers", "action", "actions"];
/// What a rollout is called.
pub(super) const EPISODE: &[&str] = &[
    "rollout", "rollouts", "trajectory", "trajectories", "episode", "episodes", "generation", "generations", "env",
    "environment", "sandbox",
];
pub(super) const FAILED: &[&str] = &[
    "failed", "failure", "failures", "error", "errors", "errored", "exception", "exceptions", "aborted", "crashed",
    "timeout", "timeouts", "timed",
];
pub(super) const SECONDS: &[&str] = &["time", "duration", "latency", "seconds", "sec", "s"];
/// Words around the age of samples and their effective size.
pub(super) const AGED: &[&str] = &[
    "async", "sample", "samples", "trajectory", "trajectories", "weight", "weights", "version", "versions", "step",
    "steps", "data", "buffer", "sampler", "off", "policyness",
];
pub(super) const REWARD_EXTRA: &[&str] = &[
    "reward", "rewards", "score", "total", "overall", "ep", "episode", "episodes", "episodic", "env", "raw",
    "objective", "final", "group", "groups", "pct", "proxy", "latest",
    // ROLL: of the samples that are trained on.
    "selected",
];
