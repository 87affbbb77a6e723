//! Keys of no known framework, bound by their words.
//!
//! A key is bound only when every one of its words is understood: `reward_mean` is the reward, `format_reward` is
//! not, and a word such as `std`, `max` or `coef` that a pattern does not ask for turns the key down.

mod word_lists;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::table::{has_any, parted, words};
use super::{Concept, Scale, Unit};
pub(super) use word_lists::SHARE;
use word_lists::*;

/// A concept that a key stood for, by its words.
pub(super) struct Match {
    pub concept: Concept,
    pub unit: Unit,
    /// What turns the logged values into that unit, but for percents.
    pub scale: Scale,
    /// Words beyond those that decided: fewer is a plainer name.
    pub extra: usize,
}

struct WordPattern {
    concept: Concept,
    unit: Unit,
    scale: Scale,
    /// One word of each group must be there.
    groups: &'static [&'static [&'static str]],
    /// Other words that may be there, besides [`COMMON`].
    allowed: &'static [&'static str],
    /// True for names that say less than others do, which go first where both are there.
    is_vague: bool,
}

/// Ends of the domains that open-source projects have.
const DOMAINS: [&str; 5] = [".ai", ".com", ".dev", ".io", ".org"];

/// What a vague name weighs, in words beyond those that decide.
const VAGUE: usize = 10;

/// In order: the first that fits wins.
const PATTERNS: &[WordPattern] = &[
    // Without a word of a share it may be a flag or a number of groups: the values tell.
    pattern(
        Concept::ZeroVarianceGroups,
        &[&["zero"], &["std", "variance", "var", "adv", "advantage", "advantages"]],
        &[
            "frac", "fraction", "ratio", "rate", "share", "pct", "frequency", "reward", "rewards", "group", "groups",
            "prompt", "prompts",
        ],
    ),
    pattern(Concept::ZeroVarianceGroups, &[&["zero"], &["grad", "gradient"], &["group", "groups"], SHARE], &[]),
    pattern(
        Concept::ZeroVarianceGroups,
        &[&["same", "identical", "degenerate"], &["group", "groups"], SHARE],
        &["reward", "rewards"],
    ),
    pattern(
        Concept::ZeroVarianceGroups,
        &[&["degenerate"], &["frac", "fraction"]],
        &["group", "groups", "prompt", "prompts", "reward", "rewards"],
    ),
    pattern(
        Concept::ZeroVarianceGroups,
        &[&["informative", "effective", "contributing", "trainable", "mixed"], &["group", "groups"]],
        SHARE,
    )
    .scaled(Scale::Complement),
    pattern(
        Concept::ZeroVarianceGroups,
        &[&["nonzero"], &["std", "variance", "var", "adv", "advantage", "advantages"], SHARE],
        &["group", "groups", "prompt", "prompts", "reward", "rewards"],
    )
    .scaled(Scale::Complement),
    pattern(Concept::RewardStd, &[REWARD, &["std"]], &["group", "grouped", "total"]),
    pattern(Concept::RewardMax, &[REWARD, &["max"]], &["total"]),
    pattern(Concept::RewardMin, &[REWARD, &["min"]], &["total"]),
    pattern(Concept::Reward, &[REWARD], REWARD_EXTRA),
    // The usual symbols of a reward and of a return.
    pattern(Concept::RewardStd, &[&["r"], &["std"]], &[]).vague(),
    pattern(Concept::Reward, &[&["r", "ret"]], &[]).vague(),
    pattern(Concept::KlCoefficient, &[&["kl"], &["coef", "coeff", "coefficient", "beta", "weight"]], &[]),
    pattern(Concept::TeacherKl, &[&["kl"], &["teacher", "distillation", "opd"]], &["to", "reverse", "loss"]),
    pattern(Concept::KlToSampler, &[&["kl", "approxkl"], &["approx", "old", "ppo", "approxkl"]], &[]),
    pattern(
        Concept::MismatchKl,
        &[&["kl"], &["mismatch", "vllm", "sglang", "sampler", "inference", "engine"]],
        BETWEEN,
    ),
    pattern(Concept::MismatchLogprob, &[&["logprob", "logprobs", "logp", "logps"], DIFFERENCE, ENGINE], BETWEEN),
    pattern(Concept::MismatchProbability, &[&["prob", "probs"], DIFFERENCE, ENGINE], BETWEEN),
    pattern(
        Concept::KlToReference,
        &[&["kl"]],
        &["ref", "reference", "model", "to", "div", "divergence", "loss", "k1", "k2", "k3", "estimate"],
    ),
    // Often multiplied by its coefficient.
    pattern(Concept::KlToReference, &[&["kl"], &["penalty"]], &["ref", "reference", "loss"]).vague(),
    pattern(Concept::KlToReference, &[&["kl"], &["exact"]], &["ref"]),
    pattern(Concept::KlToReference, &[&["kl"], &["ref", "reference"]], &["approx", "model", "to", "div"]),
    pattern(Concept::Entropy, &[&["entropy"]], &["token", "per"]),
    pattern(Concept::Entropy, &[&["ent"]], &["token", "per"]).vague(),
    pattern(Concept::RatioMax, &[&["ratio", "ratios"], &["importance", "is", "prob", "probs"], &["max"]], &[]),
    pattern(Concept::RatioMean, &[&["ratio", "ratios"], &["importance", "is", "prob", "probs"]], &[]),
    // A `ratio` alone may be of anything: its mean is that of the weights of an update.
    pattern(Concept::RatioMean, &[&["ratio", "ratios"], &["mean", "avg", "average"]], &["pg", "ppo"]).vague(),
    pattern(Concept::RatioMax, &[&["ratio", "ratios"], &["max"]], &["pg", "ppo"]).vague(),
    pattern(Concept::ClipFraction, &[&["clipfrac"]], &["pg"]),
    pattern(Concept::ClipFraction, &[&["clip", "clipped"], SHARE], &["pg", "ppo"]),
    pattern(Concept::ValueClipFraction, &[&["value", "vf"], &["clipfrac"]], &["critic"]),
    pattern(Concept::ExplainedVariance, &[&["explained"], &["variance", "var"]], &["value", "critic", "vf"]),
    pattern(Concept::ValueLoss, &[&["value", "vf", "critic", "cri"], &["loss"]], &["function"]),
    pattern(Concept::PolicyLoss, &[&["loss"]], &["pg", "total", "act"]),
    pattern(Concept::GradientNorm, &[&["grad", "gradient", "gradients"], &["norm"]], &["total", "l2"]),
    pattern(Concept::GradientNorm, &[&["gradnorm", "gnorm"]], &["total", "l2"]),
    pattern(Concept::GradientNorm, &[&["grad", "gradient", "gradients"], &["l2"]], &["total"]),
    pattern(
        Concept::GradientNorm,
        &[&["grad", "gradient", "gradients"], &["norm"], &["before", "pre", "unclipped", "preclip"]],
        &["total", "l2", "clip", "clipping"],
    ),
    // What torch's clip_grad_norm_ calls what it returns.
    pattern(Concept::GradientNorm, &[&["total"], &["norm"]], &[]).vague(),
    pattern(Concept::GradientNorm, &[&["l2"], &["norm"]], &[]).vague(),
    pattern(Concept::LearningRate, &[&["lr"]], &["current"]),
    pattern(Concept::LearningRate, &[&["learning"], &["rate"]], &["current"]),
    pattern(Concept::TruncatedShare, &[&["truncated", "truncation", "trunc", "overlong"], SHARE], RESPONSE),
    pattern(Concept::TruncatedShare, &[RESPONSE, &["clip", "clipped"], SHARE], &["length"]),
    pattern(
        Concept::TruncatedShare,
        &[&["hit", "hits", "at", "reached"], &["max", "limit", "cap"], SHARE],
        &[
            "len", "length", "token", "tokens", "response", "responses", "completion", "completions", "gen",
            "generation",
        ],
    ),
    pattern(Concept::ResponseLengthMax, &[RESPONSE, LENGTH, &["max"]], &["num", "token"]),
    pattern(Concept::ResponseLength, &[RESPONSE, LENGTH], &["num", "per", "sample", "token"]),
    pattern(Concept::ResponseLength, &[&["tokens"], &["per"], &["sample", "answer"]], &["num"]).vague(),
    // A `length` alone may be that of a list.
    pattern(Concept::ResponseLength, &[&["length", "lengths", "len"], &["mean", "avg", "average"]], &[]).vague(),
    // A mean number of tokens is that of a response, where nothing says of what else.
    pattern(Concept::Tokens, &[&["tokens"], &["mean", "avg", "average"], &["batch", "global"]], &["num"]),
    pattern(Concept::ResponseLength, &[&["tokens"], &["mean", "avg", "average"]], &["num"]).vague(),
    pattern(Concept::ResponseLengthMin, &[RESPONSE, LENGTH, &["min"]], &["num", "token"]),
    pattern(Concept::PromptLength, &[&["prompt", "prompts"], LENGTH], &["num", "per", "sample", "token"]),
    pattern(Concept::GlobalSequenceLength, &[&["seqlen"]], &[]),
    pattern(Concept::RepetitionShare, &[&["repetition", "repetitive", "repeating"], SHARE], RESPONSE),
    pattern(
        Concept::InvalidOutputs,
        &[&["invalid", "malformed", "unparsable"], SHARE],
        &["tool", "call", "calls", "action", "actions", "format", "formats", "draft", "drafts", "output", "outputs"],
    ),
    pattern(
        Concept::InvalidOutputs,
        &[&["parse", "parsing", "parser"], FAILING, SHARE],
        &["output", "outputs", "answer", "action", "actions"],
    ),
    pattern(
        Concept::ValidOutputs,
        &[&["parse", "parsed", "parsing", "parser", "parseable"], &["success", "succeeded", "ok", "valid"], SHARE],
        ANSWERS,
    ),
    pattern(Concept::FormatFailures, &[&["format", "formats", "formatting"], FAILING, SHARE], ANSWERS),
    pattern(
        Concept::WrongAnswers,
        &[&["wrong", "incorrect"], &["arithmetic", "equation", "answer", "answers", "result", "results"], SHARE],
        &["math"],
    ),
    pattern(Concept::WrongAnswers, &[&["arithmetic", "equation", "calculation"], FAILING, SHARE], ANSWERS),
    pattern(
        Concept::Violations,
        &[&["violation", "violations", "violated"], SHARE],
        &["rule", "rules", "constraint", "constraints", "safety", "limit", "env", "episode", "step"],
    ),
    pattern(Concept::DetectedHacks, &[HACKS, SHARE], HACKS_EXTRA),
    pattern(Concept::DetectedHacks, &[HACKS, &["n", "num", "count", "number"]], HACKS_EXTRA).in_unit(Unit::Count),
    pattern(Concept::FailedRollouts, &[EPISODE, FAILED, SHARE], &["out"]).in_unit(Unit::Share),
    pattern(Concept::FailedRollouts, &[EPISODE, FAILED], &["num", "count", "n", "out"]),
    pattern(Concept::AdvantageMax, &[ADVANTAGE, &["max"]], &[]),
    pattern(Concept::AdvantageMin, &[ADVANTAGE, &["min"]], &[]),
    pattern(Concept::AdvantageStd, &[ADVANTAGE, &["std"]], &[]),
    pattern(Concept::AdvantageMean, &[ADVANTAGE], &[]),
    pattern(
        Concept::StepTime,
        &[&["step", "iteration", "iter"], &["time", "seconds", "sec", "duration"]],
        &["s", "per", "total", "timing", "perf", "wall"],
    ),
    // What DeepSpeed-Chat calls the times of a step and of its updates; `e2e latency` may also be that of a request.
    pattern(Concept::RolloutTime, &[&["e2e"], &["latency"], &["rollout"]], &[]),
    pattern(Concept::StepTime, &[&["e2e"], &["latency", "time"]], &[]).vague(),
    pattern(Concept::TrainTime, &[&["training"], &["time"]], &["s"]).vague(),
    pattern(Concept::RolloutTimeP95, &[EPISODE, &["p95"], SECONDS], &["total"]),
    pattern(
        Concept::RolloutTime,
        &[&["rollout", "generation", "generate", "sampling"], &["time", "seconds"]],
        &["s", "total"],
    ),
    pattern(
        Concept::CacheHitRate,
        &[&["cache"], &["hit", "hits"], SHARE],
        &["prefix", "kv", "prompt", "radix", "gpu", "vllm", "sglang", "inference", "engine"],
    ),
    pattern(Concept::DroppedStale, &[&["dropped", "discarded", "rejected"], &["stale", "staleness"], SHARE], AGED),
    pattern(Concept::StalenessMax, &[&["staleness"], &["max"]], AGED),
    pattern(Concept::Staleness, &[&["staleness"]], AGED),
    pattern(Concept::StalenessMax, &[&["lag", "age"], &["policy", "weight", "version", "token"], &["max"]], AGED),
    pattern(Concept::Staleness, &[&["lag", "age"], &["policy", "weight", "version", "token"]], AGED),
    // An abbreviation: the values tell whether it is a share.
    pattern(Concept::MismatchSampleSize, &[&["ess"]], AGED),
    pattern(Concept::Turns, &[&["turns"]], &["num", "n", "per", "episode", "sample"]),
    pattern(
        Concept::Throughput,
        &[&["tokens", "tok", "toks"], &["per"], &["second", "sec", "s"]],
        &["gpu", "throughput", "perf"],
    ),
    pattern(Concept::Throughput, &[&["tokens", "tok", "toks"], &["second", "sec"]], &["gpu", "throughput", "perf"]),
    pattern(Concept::Throughput, &[&["tps"]], &["gpu", "throughput", "perf"]),
    pattern(Concept::Throughput, &[&["throughput"]], &["perf", "tokens", "token", "gpu", "per"]),
    pattern(Concept::HostMemory, &[&["memory", "mem", "ram", "rss"], &["cpu", "host", "ram", "rss"], GIGABYTES], USED),
    pattern(
        Concept::Memory,
        &[
            &["memory", "mem", "vram"],
            &["max", "peak", "gpu", "cuda", "device", "used", "allocated", "vram"],
            GIGABYTES,
        ],
        USED,
    ),
    pattern(Concept::Memory, &[&["memory", "mem", "vram"], &["alloc", "allocated", "active", "reserved"]], USED),
    pattern(Concept::Tokens, &[&["tokens"]], &["num", "total", "seen"]),
];

/// A pattern of keys in the unit in which their concept is usually logged.
const fn pattern(
    concept: Concept,
    groups: &'static [&'static [&'static str]],
    allowed: &'static [&'static str],
) -> WordPattern {
    WordPattern { concept, unit: concept.unit(), scale: Scale::One, groups, allowed, is_vague: false }
}

impl WordPattern {
    const fn in_unit(self, unit: Unit) -> Self {
        Self { unit, ..self }
    }

    const fn scaled(self, scale: Scale) -> Self {
        Self { scale, ..self }
    }

    const fn vague(self) -> Self {
        Self { is_vague: true, ..self }
    }
}

/// What a key stands for by its words alone, which capitals may part as in `meanReward`. A domain before them, as in
/// `skyrl.ai/grad_norm`, says whose the metric is and not what it is.
pub(super) fn by_words(key: &str) -> Option<Match> {
    let is_domain = |part: &str| DOMAINS.iter().any(|end| part.ends_with(end));
    let key = key.split_once('/').filter(|(part, _)| is_domain(part)).map_or(key, |(_, name)| name);
    by_all(&words(key)).or_else(|| by_all(&words(&parted(key)?)))
}

/// True for the name of a loss of the entropy: `train/entropy_loss`.
pub(super) fn is_entropy_loss(key: &str) -> bool {
    fits(&pattern(Concept::Entropy, &[&["entropy"], &["loss"]], &[]), &words(key)).is_some()
}

/// True for the name of a KL that only says in which direction it is taken: `train/reverse_kl`.
pub(super) fn is_reverse_kl(key: &str) -> bool {
    fits(&pattern(Concept::TeacherKl, &[&["kl"], &["reverse"]], &["token", "per", "loss"]), &words(key)).is_some()
}

/// True for the name of a reward that one of these words describes, and nothing else does: `gold_reward`.
pub(super) fn is_reward_of(key: &str, kinds: &[&str]) -> bool {
    let words = words(key);
    let is_known = |word: &String| [kinds, REWARD, COMMON].iter().any(|list| list.contains(&word.as_str()));
    has_any(&words, kinds) && has_any(&words, REWARD) && words.iter().all(is_known)
}

fn by_all(words: &[String]) -> Option<Match> {
    // A held-out metric is an evaluation or nothing; the critic's own metrics are not the policy's.
    if has_any(words, &["eval", "val", "valid", "validation", "test", "heldout"]) {
        return None;
    }
    let patterns = candidates(words);
    patterns.iter().find_map(|pattern| fits(pattern, words)).or_else(|| failures(&patterns, words))
}

/// Places in [`PATTERNS`] by the words of their first groups.
static BY_FIRST_GROUP: LazyLock<BTreeMap<&str, Vec<usize>>> = LazyLock::new(|| {
    let mut places = BTreeMap::<_, Vec<_>>::new();
    for (place, pattern) in PATTERNS.iter().enumerate() {
        for word in pattern.groups.first().copied().unwrap_or_default() {
            places.entry(*word).or_default().push(place);
        }
    }
    places
});

/// The patterns of which a word of the first group is there, in order. No other one can fit.
fn candidates(words: &[String]) -> Vec<&'static WordPattern> {
    let places: BTreeSet<usize> =
        words.iter().filter_map(|word| BY_FIRST_GROUP.get(word.as_str())).flatten().copied().collect();
    places.into_iter().filter_map(|place| PATTERNS.get(place)).collect()
}

/// A share of failed outputs under any prefix: `paper_writing/round1_invalid_draft_rate`, `countdown/pct_format_failures`.
/// What stands before says where it was measured, not what it is.
fn failures(patterns: &[&WordPattern], words: &[String]) -> Option<Match> {
    const KINDS: [Concept; 3] = [Concept::InvalidOutputs, Concept::FormatFailures, Concept::WrongAnswers];
    patterns.iter().filter(|pattern| KINDS.contains(&pattern.concept)).find_map(|pattern| {
        let decides = |word: &String| {
            let mut groups = pattern.groups.iter().filter(|group| **group != SHARE);
            groups.any(|group| group.contains(&word.as_str()))
        };
        let place = words.iter().position(decides)?;
        // The word for a share may stand before it: `countdown/pct_invalid`.
        let place = match place.checked_sub(1).and_then(|before| words.get(before)) {
            Some(before) if SHARE.contains(&before.as_str()) => place - 1,
            _ => place,
        };
        fits(pattern, words.get(place..)?).map(|found| Match { extra: found.extra + place, ..found })
    })
}

fn fits(pattern: &WordPattern, words: &[String]) -> Option<Match> {
    if !pattern.groups.iter().all(|group| has_any(words, group)) {
        return None;
    }
    let mut extra = if pattern.is_vague { VAGUE } else { 0 };
    for word in words {
        let word = word.as_str();
        if pattern.groups.iter().any(|group| group.contains(&word)) {
            continue;
        }
        let is_count = || is_number(word) && counts_episodes(words);
        let is_known = COMMON.contains(&word) || pattern.allowed.contains(&word) || is_window(word) || is_count();
        if !is_known {
            return None;
        }
        extra += 1;
    }
    Some(Match { concept: pattern.concept, unit: pattern.unit, scale: pattern.scale, extra })
}

/// True for the window of a running mean: `last50`, `ma100`.
fn is_window(word: &str) -> bool {
    let digits = ["last", "avg", "mean", "ma"].iter().find_map(|name| word.strip_prefix(name));
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// True for a word of digits alone, and for none.
pub(super) fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// True for words of a mean over episodes, whose number is its window: `mean 100 episode reward`.
fn counts_episodes(words: &[String]) -> bool {
    has_any(words, &["mean", "avg", "average", "last"]) && has_any(words, &["episode", "episodes", "ep", "eps"])
}

#[cfg(test)]
mod tests;
