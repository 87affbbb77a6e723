//! Lists of names and values on one line, in which known settings vouch for others: `rho=0.7, seed=42, G=3, adq=False`.

use super::key_of;
use crate::rows::metric_words::is_metric;
use crate::rows::names::is_count_name;
use crate::setting_names::is_of_process;
use crate::syntax::json::Json;
use crate::syntax::python;

/// Fewest pairs of a list in which names may be unknown.
const MIN_LISTED: usize = 3;
/// Most pairs of such a list for each known setting: an engine for inference lists dozens of its own beside a model and a seed.
const MAX_PER_KNOWN: usize = 3;

/// Numbers and switches under unknown names in a line that lists pairs between commas, so many of them `known`; none where one may
/// be a metric, as in a row.
pub(super) fn unknown_pairs(text: &str, known: usize) -> Vec<(String, Json)> {
    let listed = || text.split(", ").filter_map(|part| part.split_whitespace().rev().find_map(pair_of));
    let unknown = || listed().filter(|(name, _)| key_of(name).is_none());
    let may_be_metric = |name: &str| is_metric(name) || is_count_name(name);
    if !(MIN_LISTED..=MAX_PER_KNOWN * known).contains(&listed().count())
        || unknown().any(|(name, _)| may_be_metric(name))
    {
        return Vec::new();
    }
    let value = |word: &str| match word {
        "true" | "True" => Some(Json::Bool(true)),
        "false" | "False" => Some(Json::Bool(false)),
        _ => python::number(word).map(Json::Number),
    };
    let settings = unknown().filter(|(name, _)| !is_of_process(name));
    settings.filter_map(|(name, word)| Some((name.to_owned(), value(word)?))).collect()
}

/// True for a line of nothing but a name and a value, as a script prints its arguments: `beta: 0.04`.
pub(super) fn is_pair(line: &str) -> bool {
    line.split_once([':', '=']).is_some_and(|(name, value)| is_identifier(name.trim()) && !value.trim().is_empty())
}

/// Name and value of a word such as `rho=0.7`.
fn pair_of(word: &str) -> Option<(&str, &str)> {
    word.split_once('=').filter(|(name, value)| is_identifier(name) && !value.is_empty())
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}
