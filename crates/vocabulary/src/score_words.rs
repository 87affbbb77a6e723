//! Words of names of scores: what they measure, and what belongs to an evaluation without measuring it.

/// Words of a share that may be written in percent.
pub(super) fn says_percent(word: &str) -> bool {
    matches!(word, "pct" | "percent" | "percentage")
}

/// Words of a share of tasks that were solved.
pub(super) fn is_accuracy(word: &str) -> bool {
    [
        "acc", "accuracy", "accuracies", "success", "sr", "correct", "correctness", "pass", "em", "f1", "solved",
        "exact", "winrate",
    ]
    .contains(&word)
        || word.starts_with("pass1")
        || word.starts_with("solve")
}

/// Words of scores that are no share of tasks, those of retrieval and of texts beside a reference among them.
pub(super) fn is_score(word: &str) -> bool {
    [
        "reward", "rewards", "score", "scores", "return", "chrf", "meteor", "bertscore", "ndcg", "mrr", "auc", "auroc",
        "recall", "precision",
    ]
    .contains(&word)
        || ["rouge", "bleu", "sacrebleu"].iter().any(|name| word.starts_with(name))
}

/// Scores of translations of which less is better, whatever word follows: `metricx_score`.
pub(super) fn is_error_score(word: &str) -> bool {
    matches!(word, "metricx" | "ter")
}

/// Words of what less of is better.
pub(super) fn is_fault(word: &str) -> bool {
    [
        "error", "errors", "err", "wer", "cer", "mse", "rmse", "mae", "nll", "perplexity", "ppl", "regret",
        "exploitability", "nashconv", "wrong", "incorrect", "failed", "failure", "failures", "mistakes",
    ]
    .contains(&word)
}

/// Words of keys about the evaluation itself, its spread, or what only the trainer needs.
pub(super) fn is_upkeep(word: &str) -> bool {
    [
        "loss", "runtime", "samples", "steps", "second", "seconds", "sec", "time", "epoch", "length", "len", "tokens",
        "kl", "entropy", "clip", "clipped", "lr", "std", "min", "max", "worst", "count", "num", "n", "turns",
        "truncated", "ratio", "norm", "frac", "call", "step", "variance", "zero", "stop", "timing", "timeperf",
        "version", "staleness",
    ]
    .contains(&word)
}
