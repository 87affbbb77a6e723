//! Names of runs where there is little room: what all of them share is the part that can go, and where a name differs from the one
//! most like it is the part that stays.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Characters that a common part has at least.
const SHORTEST: usize = 6;
/// Characters of a name's own part up to which it is kept whole, and of the end that is always kept of a longer one.
const WHOLE: usize = 18;
const END: usize = 12;

/// What all names begin and end with, in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommonParts {
    prefix: usize,
    suffix: usize,
    longest: usize,
    /// Of long names: how much each has in common with the name most like it.
    alike: Arc<BTreeMap<String, usize>>,
}

/// A name in parts, which together are the whole name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameParts<'a> {
    /// What all names begin with: shortened first.
    pub prefix: &'a str,
    /// The beginning of a long name's own part: shortened next.
    pub start: &'a str,
    /// The rest of its own part: never shortened.
    pub end: &'a str,
    /// What all names end with: shortened first.
    pub suffix: &'a str,
}

impl CommonParts {
    /// What these names share at word borders; nothing where that is short, and of a single name.
    pub fn of<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Self {
        let longest = names.clone().map(str::len).max().unwrap_or(0);
        let mut rest = names.clone();
        let (Some(first), Some(_)) = (rest.next(), rest.next()) else { return Self { longest, ..Self::default() } };
        let (mut prefix, mut suffix, mut shortest) = (first.len(), first.len(), first.len());
        for name in names.clone() {
            prefix = prefix.min(shared(first.chars(), name.chars()));
            suffix = suffix.min(shared(first.chars().rev(), name.chars().rev()));
            shortest = shortest.min(name.len());
        }
        let (prefix, suffix) = (prefix_at_border(first, prefix), suffix_at_border(first, suffix));
        let mut common = Self { prefix, suffix, longest, alike: Arc::new(alike(names)) };
        // Each name keeps a part of its own.
        if common.prefix >= shortest {
            common.prefix = 0;
        }
        if common.prefix + common.suffix >= shortest {
            common.suffix = 0;
        }
        common
    }

    /// Bytes of the longest name without what all names share.
    pub fn longest_own_part(&self) -> usize {
        self.longest.saturating_sub(self.prefix + self.suffix)
    }

    /// A name in parts.
    pub fn parts<'a>(&self, name: &'a str) -> NameParts<'a> {
        let (prefix, rest) = split(name, self.prefix);
        let (own, suffix) = split(rest, rest.len().saturating_sub(self.suffix));
        let differs = self.alike.get(name).map(|alike| alike.saturating_sub(self.prefix));
        let (start, end) = split(own, end_of(own, differs));
        NameParts { prefix, start, end, suffix }
    }
}

impl NameParts<'_> {
    /// True for a name of one part, which needs no layout of its own.
    pub fn is_whole(&self) -> bool {
        self.prefix.is_empty() && self.start.is_empty() && self.suffix.is_empty()
    }
}

/// Bytes that two texts have in common from where they begin.
fn shared(a: impl Iterator<Item = char>, b: impl Iterator<Item = char>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

/// The longest prefix of at most `most` bytes that ends behind a border between words.
fn prefix_at_border(name: &str, most: usize) -> usize {
    let (shared, _) = split(name, most);
    let end = shared.char_indices().rev().find(|(_, character)| is_border(*character));
    let end = end.map_or(0, |(offset, character)| offset + character.len_utf8());
    long_enough(split(name, end).0, end)
}

/// The longest suffix of at most `most` bytes that begins with a border between words.
fn suffix_at_border(name: &str, most: usize) -> usize {
    let (_, shared) = split(name, name.len().saturating_sub(most));
    let begin = shared.char_indices().find(|(_, character)| is_border(*character)).map_or(shared.len(), |(at, _)| at);
    let (_, suffix) = split(shared, begin);
    long_enough(suffix, suffix.len())
}

fn long_enough(part: &str, bytes: usize) -> usize {
    if part.chars().count() < SHORTEST { 0 } else { bytes }
}

/// How many bytes each long name begins with that the name most like it begins with too.
fn alike<'a>(names: impl Iterator<Item = &'a str>) -> BTreeMap<String, usize> {
    let mut long: Vec<&str> = names.filter(|name| name.len() > WHOLE).collect();
    long.sort_unstable();
    long.dedup();
    let mut alike = BTreeMap::new();
    for (one, other) in long.iter().zip(long.iter().skip(1)) {
        let bytes = shared(one.chars(), other.chars());
        for name in [one, other] {
            let most = alike.entry((*name).to_owned()).or_insert(0);
            *most = bytes.max(*most);
        }
    }
    alike
}

/// Where the part of a long name begins that is always kept: at the word in which it `differs` from the name most like it, unless
/// too much follows; else at a word near its end, where there is one.
fn end_of(own: &str, differs: Option<usize>) -> usize {
    let count = own.chars().count();
    if count <= WHOLE {
        return 0;
    }
    let is_word = |(offset, character): &(usize, char)| is_border(*character) && !is_in_number(own, *offset);
    let own_word = differs.and_then(|differs| split(own, differs).0.char_indices().rev().find(is_word));
    if let Some((offset, _)) = own_word.filter(|(offset, _)| split(own, *offset).1.chars().count() <= WHOLE) {
        return offset;
    }
    let tail = || own.char_indices().skip(count - END);
    tail().find(is_word).or_else(|| tail().next()).map_or(0, |(offset, _)| offset)
}

/// True for the dot of `0.04` and the sign of `1e-5`; a dot is as often one within a version.
fn is_in_number(text: &str, offset: usize) -> bool {
    let (before, rest) = split(text, offset);
    let before_exponent =
        before.strip_suffix(['e', 'E']).is_some_and(|digits| digits.ends_with(|c: char| c.is_ascii_digit()));
    rest.starts_with('.') || (rest.starts_with(['-', '+']) && before_exponent)
}

fn is_border(character: char) -> bool {
    !character.is_alphanumeric()
}

fn split(text: &str, at: usize) -> (&str, &str) {
    text.split_at_checked(at).unwrap_or(("", text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(names: &[&'static str]) -> Vec<[&'static str; 4]> {
        let common = CommonParts::of(names.iter().copied());
        names
            .iter()
            .map(|name| common.parts(name))
            .map(|part| [part.prefix, part.start, part.end, part.suffix])
            .collect()
    }

    #[test]
    fn a_long_common_beginning_is_told_apart() {
        assert_eq!(parts(&["sum-grpo-01", "sum-grpo-12"]), [["sum-grpo-", "", "01", ""], ["sum-grpo-", "", "12", ""]]);
        assert_eq!(parts(&["sum-grpo-11", "sum-grpo-12"])[0], ["sum-grpo-", "", "11", ""], "not within a word");
        assert_eq!(parts(&["amber-01", "amber-02"])[1], ["amber-", "", "02", ""]);
        assert_eq!(parts(&["run-01", "run-02"])[1], ["", "", "run-02", ""], "too short to matter");
        assert_eq!(parts(&["amber-01", "sweep-02"])[1], ["", "", "sweep-02", ""]);
        assert_eq!(parts(&["alone-and-long"])[0][0], "");
    }

    #[test]
    fn and_so_is_a_common_end() {
        assert_eq!(
            parts(&["a_qwen-grpo", "bb_qwen-grpo"]),
            [["", "", "a", "_qwen-grpo"], ["", "", "bb", "_qwen-grpo"]]
        );
        assert_eq!(
            parts(&["ablate/lr=1/model.csv", "ablate/lr=20/model.csv"])[1],
            ["ablate/lr=", "", "20", "/model.csv"]
        );
    }

    #[test]
    fn each_name_keeps_a_part_of_its_own() {
        assert_eq!(parts(&["amber-", "amber-2"]), [["", "", "amber-", ""], ["", "", "amber-2", ""]]);
        assert_eq!(parts(&["amber-run-name", "amber-run-name"])[0], ["amber-run-", "", "name", ""]);
        assert_eq!(parts(&["amber-x-amber", "amber-amber"])[1], ["amber-", "", "amber", ""]);
    }

    #[test]
    fn of_a_long_name_the_end_is_kept() {
        let long = "qwen2.5-7b-instruct-lr-0.0001-seed-3";
        let [[prefix, start, end, suffix], _] = parts(&[long, "b"])[..] else { panic!("not two") };
        assert_eq!((prefix, start, end, suffix), ("", "qwen2.5-7b-instruct-lr-0.0001", "-seed-3", ""));
        assert_eq!(parts(&["abcdefghijklmnopqrstuvwxyz", "b"])[0][2], "opqrstuvwxyz");
    }

    #[test]
    fn the_word_in_which_a_name_differs_from_the_one_most_like_it_is_kept() {
        let names = ["GRPO-Clip_0.20_0.20_(e2_tb256)", "GRPO-Clip_0.20_0.28_(e2_tb256)", "on-policy"];
        assert_eq!(parts(&names)[1], ["", "GRPO-Clip_0.20", "_0.28_(e2_tb256)", ""]);
        let far = ["qwen-lr1e-5-and-a-very-long-rest-of-it", "qwen-lr1e-6-and-a-very-long-rest-of-it", "b"];
        assert_eq!(parts(&far)[0][2], "-rest-of-it", "what differs stands too far from the end");
    }

    #[test]
    fn the_end_of_settings_does_not_begin_within_a_number() {
        let common = CommonParts::of(["beta 0.04, lr 1e-5, seed 1", "beta 0, lr 3e-6, seed 2"].into_iter());
        assert_eq!(common.parts("beta 0.04, lr 1e-5, seed 1").end, ", seed 1");
        assert_eq!(common.longest_own_part(), 26);
        let common = CommonParts::of(["sum-grpo-01", "sum-grpo-012"].into_iter());
        assert_eq!(common.longest_own_part(), 3);
        assert_eq!(CommonParts::of(["alone"].into_iter()).longest_own_part(), 5);
    }

    #[test]
    fn letters_of_several_bytes_are_never_split() {
        assert_eq!(parts(&["größer-än", "größer-ön"])[0], ["größer-", "", "än", ""]);
        assert_eq!(parts(&["ä", "ö"])[0][2], "ä");
        assert_eq!(parts(&["", ""])[0][2], "");
    }
}
