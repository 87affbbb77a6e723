//! What the names of runs tell: which of them begin alike, and values of settings that a name holds and perhaps no config does.

use rundown_run::{MONTHS, without_mark};

/// Words before a number that only count runs, or the cells of a notebook.
const COUNTERS: [&str; 10] = ["seed", "s", "run", "rep", "repeat", "trial", "try", "rank", "job", "cell"];
/// Further ones of a name whose parts may be settings: versions of a script, folds, names of seeds.
const VERSIONS: [&str; 8] = ["v", "version", "exp", "attempt", "start", "fold", "sd", "rs"];

/// From so many digits on a number is a time stamp or an id; from so many letters on, a word of hexadecimal digits is an id.
const STAMP_DIGITS: usize = 6;
/// Letters of an id of W&B.
const ID_LETTERS: usize = 8;
/// Digits of a date, as in `20250617T112133`.
const DATE_DIGITS: usize = 8;

/// A name without the number at its end and what leads to it: `lr-3e-5-seed2` gives `lr-3e-5`, `sweep-01` gives
/// `sweep`. A number that is a value stays: the last digits of `1e-4`, `beta0.02` or `lora16`.
pub fn name_prefix(name: &str) -> &str {
    let is_joint = |character: char| matches!(character, '-' | '_' | ' ' | '.' | '=' | '/' | ':' | ',');
    let before = name.trim_end_matches(|character: char| character.is_ascii_digit());
    if before.len() == name.len() {
        return name;
    }
    let stem = before.trim_end_matches(is_joint);
    let is_joined = stem.len() < before.len();
    let word = stem.rsplit(is_joint).next().unwrap_or_default();
    let counter = word.trim_end_matches(|character: char| !character.is_ascii_alphabetic());
    let kept = if COUNTERS.iter().any(|known| known.eq_ignore_ascii_case(counter)) {
        stem.strip_suffix(word).unwrap_or(stem).trim_end_matches(is_joint)
    } else if is_joined && !is_value(before, stem) {
        stem
    } else {
        return name;
    };
    if kept.is_empty() { name } else { kept }
}

/// True when the digits behind `before` belong to a number: `1e-`, `0.`, `lr=`.
fn is_value(before: &str, stem: &str) -> bool {
    let is_exponent = before.ends_with('-') && stem.strip_suffix(['e', 'E']).is_some_and(ends_in_digit);
    is_exponent || before.ends_with('=') || before.ends_with(':') || (before.ends_with('.') && ends_in_digit(stem))
}

/// What names share may end in the word that counts them, and in digits of the count: `lr1e-5_s` of `lr1e-5_s0`, `cell 1` of
/// `cell 12`.
pub(super) fn without_counter(name: &str) -> &str {
    let is_joint = |character: char| matches!(character, '-' | '_' | ' ' | '.' | '/');
    let counter = name.trim_end_matches(|character: char| character.is_ascii_digit() || is_joint(character));
    let word = counter.rsplit(is_joint).next().unwrap_or_default();
    let is_known = COUNTERS.iter().any(|known| known.eq_ignore_ascii_case(word));
    counter.strip_suffix(word).filter(|_| is_known).unwrap_or(name)
}

/// The number behind the word `seed` in a name, and the name without both: `7` and `ppo_/curve` of `ppo_seed7/curve`.
pub(super) fn seed_in_name(name: &str) -> Option<(&str, String)> {
    const WORD: &str = "seed";
    let seed_at = |at: usize| {
        let (before, behind) = name.split_at_checked(at)?;
        let (word, behind) = behind.split_at_checked(WORD.len())?;
        if !word.eq_ignore_ascii_case(WORD) || before.ends_with(char::is_alphabetic) {
            return None;
        }
        let number = behind.trim_start_matches(['-', '_', '=', ' ', ':']);
        let end = number.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(number.len());
        let (seed, rest) = number.split_at_checked(end)?;
        (end > 0).then(|| (seed, [before, rest].concat()))
    };
    (0..name.len()).find_map(seed_at)
}

/// The words of a name without its numbers.
pub(super) fn words(name: &str) -> String {
    let words = without_mark(name).split(|letter: char| !letter.is_alphabetic()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// The parts of a name that may be values of settings: all that hold a digit and are no counter, seed, date, time or id. Empty for names of
/// words, such as those that W&B makes up (`amber-sun-3`): two of them may be of the same config.
///
/// Numbers at the end count runs, whatever they are: a value that stands there alone (`batch_64`) is not seen.
pub(crate) fn settings_in_name(name: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let (mut before, mut in_date, mut in_uuid) = ("", false, false);
    let parts_of_name = without_mark(name).split(['-', '_', ' ', '/', ':']).flat_map(|part| {
        // `64,64` is one value.
        let is_list = part.as_bytes().windows(3).any(|three| matches!(three, [b'0'..=b'9', b',', b'0'..=b'9']));
        part.split(move |character: char| character == ',' && !is_list)
    });
    for part in parts_of_name.filter(|part| !part.is_empty()) {
        in_date = begins_date(part) || in_date && is_time(part);
        in_uuid = is_hexadecimal(part) && (part.len() == 8 || in_uuid && matches!(part.len(), 4 | 12));
        if !in_date && !in_uuid && !is_stamp_or_id(part) && !is_counter(part, before) {
            parts.push(part);
        }
        before = part;
    }
    let ends_in_count = |parts: &[&str]| {
        let Some((last, before)) = parts.split_last() else { return false };
        // The 4 of `1e-4` counts nothing.
        let is_exponent = before.last().and_then(|before| before.strip_suffix(['e', 'E'])).is_some_and(ends_in_digit);
        is_number(last) && !is_exponent
    };
    while ends_in_count(&parts) {
        parts.pop();
    }
    parts.retain(|part| part.bytes().any(|byte| byte.is_ascii_digit()));
    parts.join("-")
}

fn is_number(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
}

fn ends_in_digit(text: &str) -> bool {
    text.ends_with(|character: char| character.is_ascii_digit())
}

/// The first part of a date: the year of `2025-06-17`, all of `2025.06.17`, or `Jun17`.
fn begins_date(part: &str) -> bool {
    let is_year = part.len() == 4 && is_number(part) && (part.starts_with("202") || part.starts_with("203"));
    let is_month = part.len() <= 5 && MONTHS.iter().any(|month| part.strip_prefix(month).is_some_and(is_number));
    let is_dotted = part.matches('.').count() > 1 && part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    is_year || is_month || is_dotted
}

/// What may follow in a date with its time: `06`, `17T12`, `12h30m45s`.
fn is_time(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'T' | b'Z' | b'h' | b'm' | b's' | b'.'))
}

/// A long number, one that is filled up with zeros, or letters and digits that no one chose.
fn is_stamp_or_id(part: &str) -> bool {
    if is_number(part) {
        return part.len() >= STAMP_DIGITS || part.len() > 1 && part.starts_with('0');
    }
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    // `20250617T112133`; `3a4f2`, where `b1024` is a word with its number.
    let is_stamp =
        digits >= DATE_DIGITS && part.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'T' | b'Z'));
    let is_id = is_hexadecimal(part)
        && (part.len() >= STAMP_DIGITS || part.len() >= 5 && digits > 0 && part.len() - digits > 1);
    let is_plain = part.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase());
    // `batch128` is a word with its number, `6wdskn95` is not.
    let pairs = part.bytes().zip(part.bytes().skip(1));
    let changes = pairs.filter(|(one, next)| one.is_ascii_digit() != next.is_ascii_digit()).count();
    is_stamp || is_id || is_plain && part.len() == ID_LETTERS && changes > 1
}

fn is_hexadecimal(part: &str) -> bool {
    part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A number that counts runs, with the word that says so in the part itself or before it.
fn is_counter(part: &str, before: &str) -> bool {
    let word =
        if is_number(part) { before } else { part.trim_end_matches(|character: char| character.is_ascii_digit()) };
    let word = word.trim_end_matches('=');
    // A rank in a name is rather that of an adapter than that of a process.
    word != "rank" && COUNTERS.iter().chain(&VERSIONS).any(|known| known.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_their_counters() {
        for (name, prefix) in [
            ("sweep-01", "sweep"),
            ("lr-3e-5-seed2", "lr-3e-5"),
            ("lr-1e-4", "lr-1e-4"),
            ("beta0.02", "beta0.02"),
            ("beta-0.02", "beta-0.02"),
            ("lora16", "lora16"),
            ("lr=3", "lr=3"),
            ("base_s3", "base"),
            ("base/run 12", "base"),
            ("train_grpo, cell 12", "train_grpo"),
            ("cell 12", "cell 12"),
            ("seed3", "seed3"),
            ("17", "17"),
            ("plain", "plain"),
            ("", ""),
            ("é-2", "é"),
        ] {
            assert_eq!(name_prefix(name), prefix, "{name}");
        }
    }

    #[test]
    fn a_seed_in_a_name() {
        for (name, seed) in [
            ("v1/ppo_seed2025", Some(("2025", "v1/ppo_"))),
            ("ppo_seed7/curve", Some(("7", "ppo_/curve"))),
            ("Seed-3 of ppo", Some(("3", " of ppo"))),
            ("lr=1e-5,seed=3", Some(("3", "lr=1e-5,"))),
            ("é_seed1", Some(("1", "é_"))),
            ("seeds/ppo_seed2", Some(("2", "seeds/ppo_"))),
            ("reseed3", None),
            ("seeds", None),
            ("seed", None),
            ("ppo_s3", None),
            ("", None),
        ] {
            let found = seed_in_name(name);
            assert_eq!(found.as_ref().map(|(seed, rest)| (*seed, rest.as_str())), seed, "{name}");
        }
    }

    #[test]
    fn parts_of_a_name_that_may_be_settings() {
        for (name, settings) in [
            ("grpo0.5B-gsm8k-b32-r4-p0.0", "grpo0.5B-gsm8k-b32-r4-p0.0"),
            ("v3-LR6e-6-R16-20250615", "LR6e-6-R16"),
            ("debug-LR2e-5-BS2x8-20250617-112133", "LR2e-5-BS2x8"),
            ("lr-1e-4", "1e-4"),
            ("a2_vi_42", "a2"),
            ("gsm8k_8B_s042", "gsm8k-8B"),
            ("rank16", "rank16"),
            ("batch128", "batch128"),
            ("seed=3-beta0.1", "beta0.1"),
            ("CartPole-v1__ppo__1__1718123456", ""),
            ("grpo (6wdskn95)", ""),
            ("exp12-fold3", ""),
            ("grpo_20250617T112133", ""),
            ("a-550e8400-e29b-41d4-a716-446655440000", ""),
            ("PPO_3a4f2_00000", ""),
            ("b1024-lr3", "b1024-lr3"),
            ("Jun17_12-30-45_host", ""),
            ("2025-06-17T12:30:45-grpo", ""),
            ("run-20250617_123045-6wdskn95", ""),
            ("run_12_b", ""),
            ("grpo_v2, cell 12", ""),
            ("ppo_net_64,128", "64,128"),
            ("lr=1e-5,seed=3", "lr=1e-5"),
            ("amber-sun-3", ""),
            ("3fa9c2e", ""),
            ("17", ""),
            ("é-2", ""),
            ("", ""),
        ] {
            assert_eq!(settings_in_name(name), settings, "{name}");
        }
    }
}
