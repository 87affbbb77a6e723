//! Who plays in a league: what the name of an agent says of it.
//!
//! Only an opponent that never changes measures progress: a win rate against a pool that learns too stays near one
//! half, and in a closed pool Elo is zero-sum.

use super::table::{has_any, words};

/// What an agent of a league is, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Agent {
    /// The policy under training as it is now: `challenger`, `policy`.
    Policy,
    /// The best of the league, whichever that is: `best_elo`.
    Best,
    /// An older state of the policy: `adapter_v40`, `checkpoint-200`. Its number, 0 without one.
    Checkpoint(u64),
    /// An opponent that never changes: `base_model`, `random_bot`. True for the model that training started from.
    Fixed(bool),
    /// The name does not say.
    Unknown,
}

const POLICY: [&str; 9] =
    ["challenger", "policy", "current", "learner", "agent", "main", "latest", "student", "trainee"];
const BASE: [&str; 6] = ["base", "initial", "init", "sft", "pretrained", "original"];
const FIXED: [&str; 11] = [
    "random", "baseline", "reference", "ref", "anchor", "fixed", "heuristic", "scripted", "greedy", "stockfish",
    "gnugo",
];
/// Beginnings of words that name a saved state.
const SAVED: [&str; 6] = ["adapter", "checkpoint", "ckpt", "snapshot", "iter", "generation"];
/// Words before a number that make it a version: `v40`, `step200`.
const VERSIONS: [&str; 4] = ["v", "step", "epoch", "s"];

/// What an agent is, from its name alone.
pub fn agent(name: &str) -> Agent {
    let words = words(name);
    let is = |list: &[&str]| has_any(&words, list);
    let saved = words.iter().any(|word| SAVED.iter().any(|start| word.starts_with(start)));
    let versioned =
        words.iter().zip(words.iter().skip(1)).any(|(word, next)| {
            VERSIONS.contains(&word.as_str()) && next.bytes().all(|letter| letter.is_ascii_digit())
        }) || words.iter().any(|word| version_word(word));
    if saved || (versioned && !is(&BASE) && !is(&FIXED)) {
        return Agent::Checkpoint(last_number(name));
    }
    if is(&BASE) {
        return Agent::Fixed(true);
    }
    if is(&FIXED) || words.iter().any(|word| word.ends_with("bot")) {
        return Agent::Fixed(false);
    }
    if is(&["best"]) {
        return Agent::Best;
    }
    if is(&POLICY) { Agent::Policy } else { Agent::Unknown }
}

/// `v40`, `step200`.
fn version_word(word: &str) -> bool {
    let digits = word.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let letters = word.strip_suffix(digits).unwrap_or("");
    !digits.is_empty() && VERSIONS.contains(&letters) && digits.bytes().all(|letter| letter.is_ascii_digit())
}

/// The last number in a name; 0 without one.
fn last_number(name: &str) -> u64 {
    let digits = name.split(|letter: char| !letter.is_ascii_digit()).rfind(|part| !part.is_empty());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_fixed_from_the_moving() {
        for (name, expected) in [
            ("base_model", Agent::Fixed(true)),
            ("sft", Agent::Fixed(true)),
            ("random_bot", Agent::Fixed(false)),
            ("random", Agent::Fixed(false)),
            ("chaos_bot", Agent::Fixed(false)),
            ("greedybot", Agent::Fixed(false)),
            ("challenger", Agent::Policy),
            ("best_elo", Agent::Best),
            ("adapter_v10", Agent::Checkpoint(10)),
            ("run-7/adapter_v225", Agent::Checkpoint(225)),
            ("checkpoint-200", Agent::Checkpoint(200)),
            ("policy_v3", Agent::Checkpoint(3)),
            ("step_40", Agent::Checkpoint(40)),
            ("alice", Agent::Unknown),
        ] {
            assert_eq!(agent(name), expected, "{name}");
        }
    }
}
